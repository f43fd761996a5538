// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

cuda.func @element(%p: !tt.ptr<i32>, %i: i32, %x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.atomic_rmw: f32 does not fit !tt.ptr<i32>}}
  %0 = cuda.atomic_rmw fadd, gpu, %x, %p[%i] : f32, !tt.ptr<i32>, i32 -> f32
  cuda.return
}

// -----

cuda.func @indices(%p: !tt.ptr<i32>, %i: i32, %x: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.atomic_cas: !tt.ptr<i32> takes 1 indices, got 2}}
  %0 = cuda.atomic_cas gpu, %x, %x, %p[%i, %i] : i32, i32, !tt.ptr<i32>, i32, i32 -> i32
  cuda.return
}

// -----

cuda.func @scope(%p: !tt.ptr<i32>, %i: i32, %x: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{unknown memory scope 'warp', expected one of gpu, cta, sys}}
  cuda.fence warp
  cuda.return
}

// -----

cuda.func @vector(%p: !tt.ptr<i32>, %i: i32, %r: !cuda.regs<4xi32>) attributes {num_warps = 1 : i32} {
  %x = cuda.get %r[%i] : !cuda.regs<4xi32> -> vector<2xi32>
  // expected-error@+1 {{cuda.atomic_store: one element is accessed in one step, got vector<2xi32>}}
  cuda.atomic_store gpu, %x, %p[%i] : vector<2xi32>, !tt.ptr<i32>, i32
  cuda.return
}
