// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

tt.func @operation(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error@+1 {{unknown atomic operation 'sub', expected one of and, or, xor, add, fadd}}
  %0 = tt.atomic_rmw sub, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @semantics(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error@+1 {{unknown memory semantics 'seq_cst', expected one of relaxed, acquire, release, acq_rel}}
  %0 = tt.atomic_rmw add, seq_cst, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @scope(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error@+1 {{unknown memory scope 'warp', expected one of gpu, cta, sys}}
  %0 = tt.atomic_cas relaxed, warp, %p, %v, %v : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}

// -----

tt.func @integer_sum_of_floats(%p: !tt.ptr<f32>, %v: f32) {
  // expected-error@+1 {{expected integers for 'add', found f32}}
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @float_sum_of_integers(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error@+1 {{expected floats for 'fadd', found i32}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @narrow(%p: !tt.ptr<i16>, %v: i16) {
  // expected-error@+1 {{expected elements of 32 or more bits, found i16}}
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<i16>, i16) -> i16
  tt.return
}

// -----

tt.func @narrow_swap(%p: !tt.ptr<i8>, %v: i8) {
  // expected-error@+1 {{expected elements of 16 or more bits, found i8}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %v, %v : (!tt.ptr<i8>, i8, i8) -> i8
  tt.return
}

// -----

tt.func @releasing_load(%p: !tt.ptr<i32>) {
  // expected-error@+1 {{expected acquire or relaxed semantics, found release}}
  %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

tt.func @acquiring_store(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error@+1 {{expected release or relaxed semantics, found acq_rel}}
  tt.atomic_store acq_rel, gpu, %p, %v : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @poll_of_floats(%p: !tt.ptr<f32>, %v: f32) {
  // expected-error@+1 {{expected integers of 16 or more bits, found f32}}
  %0 = tt.atomic_poll acquire, gpu, %p, %v : !tt.ptr<f32>, f32 -> i1
  tt.return
}

// -----

tt.func @semantics_number(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error@+1 {{expected semantics of 1 to 4, found 5}}
  %0 = "tt.atomic_rmw"(%p, %v) <{atomic_rmw_op = 4 : i32, sem = 5 : i32, scope = 1 : i32}> : (!tt.ptr<i32>, i32) -> i32
  tt.return
}
