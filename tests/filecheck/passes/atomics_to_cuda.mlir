// RUN: mytriton-opt %s -p convert-to-cuda | filecheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32} {

// A scalar is done by the first thread, with the fences; nobody asks for the old value.
// CHECK-LABEL: @scalar
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %tid, %{{.*}}
// CHECK-NEXT: %[[DOES:.*]] = arith.andi %m, %[[FIRST]]
// CHECK-NEXT: scf.if %[[DOES]] {
// CHECK-NEXT: cuda.fence gpu
// CHECK-NEXT: cuda.atomic_rmw add, gpu, %v, %p[%{{.*}}] : i32, !tt.ptr<i32>, i32
// CHECK-NEXT: }
tt.func @scalar(%p: !tt.ptr<i32>, %v: i32, %m: i1) {
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %m : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// Fences stand around the operations on all registers.
// CHECK-LABEL: @tensor
// CHECK: cuda.fence sys
// CHECK-NEXT: %old = cuda.map 4 -> !cuda.regs<4xf32> {
// CHECK: cuda.atomic_rmw fadd, sys, %v, %p[%{{.*}}] : f32, !tt.ptr<f32>, i32 -> f32
// CHECK-NEXT: cuda.yield
// CHECK-NEXT: }
// CHECK-NEXT: cuda.fence sys
// CHECK-NEXT: cuda.map 4
tt.func @tensor(%p: !tt.ptr<f32>, %v: f32, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #line>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
  %pa = tt.addptr %ps, %i : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
  %vs = tt.splat %v : f32 -> tensor<512xf32, #line>
  %old = tt.atomic_rmw fadd, acq_rel, sys, %pa, %vs : (tensor<512x!tt.ptr<f32>, #line>, tensor<512xf32, #line>) -> tensor<512xf32, #line>
  tt.store %pa, %old : tensor<512x!tt.ptr<f32>, #line>
  tt.return
}

// Padding and copies do nothing; the result is 0 there.
// CHECK-LABEL: @padded
// CHECK: %[[OWNS:.*]] = arith.cmpi slt, %tid, %{{.*}}
// CHECK-NEXT: %[[EXISTS:.*]] = arith.cmpi slt, %thread_start, %{{.*}}
// CHECK-NEXT: %[[DOES:.*]] = arith.andi %[[EXISTS]], %[[OWNS]]
// CHECK: %old = cuda.atomic_cas gpu, {{.*}} if %[[DOES]] :
// CHECK-NOT: cuda.fence
tt.func @padded(%p: !tt.ptr<i32>) {
  %i = tt.make_range {end = 48 : i32, start = 0 : i32} : tensor<48xi32, #line>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<48x!tt.ptr<i32>, #line>
  %pa = tt.addptr %ps, %i : tensor<48x!tt.ptr<i32>, #line>, tensor<48xi32, #line>
  %old = tt.atomic_cas relaxed, gpu, %pa, %i, %i : (tensor<48x!tt.ptr<i32>, #line>, tensor<48xi32, #line>, tensor<48xi32, #line>) -> tensor<48xi32, #line>
  tt.store %pa, %old : tensor<48x!tt.ptr<i32>, #line>
  tt.return
}
}
