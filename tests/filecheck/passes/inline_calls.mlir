// RUN: mytriton-opt %s -p inline-calls --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: tt.func public @kernel
// CHECK-NOT: tt.call
// CHECK: %[[TWICE:.*]] = arith.addf %x, %x
// CHECK: %[[FOUR:.*]] = arith.addf %[[TWICE]], %[[TWICE]]
// CHECK: tt.store %p, %[[FOUR]]
// CHECK-NOT: @double
// CHECK-NOT: @quadruple
tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32) {
  %y = tt.call @quadruple(%x) : (f32) -> f32
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}
tt.func private @quadruple(%x: f32) -> f32 {
  %y = tt.call @double(%x) : (f32) -> f32
  %z = tt.call @double(%y) : (f32) -> f32
  tt.return %z : f32
}
tt.func private @double(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}

// -----

// A call inside a loop, and a function that only has effects.
// CHECK-LABEL: tt.func public @in_a_loop
// CHECK: scf.for %i =
// CHECK-NEXT: %[[Q:.*]] = tt.addptr %p, %i
// CHECK-NEXT: tt.store %[[Q]], %i
// CHECK: tt.return
tt.func public @in_a_loop(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tt.call @store_at(%p, %i) : (!tt.ptr<i32>, i32) -> ()
    scf.yield
  }
  tt.return
}
tt.func private @store_at(%p: !tt.ptr<i32>, %i: i32) {
  %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
  tt.store %q, %i : !tt.ptr<i32>
  tt.return
}

// -----

// Nothing to do.
// CHECK-LABEL: tt.func public @no_calls
// CHECK: tt.return
tt.func public @no_calls() {
  tt.return
}

// -----

tt.func public @recursive(%x: i32) -> i32 {
  // expected-error @+1 {{the function recursive calls itself: recursive -> recursive}}
  %y = tt.call @recursive(%x) : (i32) -> i32
  tt.return %y : i32
}
