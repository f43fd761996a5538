// RUN: mytriton-opt %s | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: mytriton-opt %s -p canonicalize,cse | filecheck %s --check-prefix=CANONICAL

// CHECK-LABEL: tt.func @ops
// CHECK-NEXT: %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %m : (!tt.ptr<i32>, i32, i1) -> i32
// CHECK-NEXT: %1 = tt.atomic_rmw fadd, relaxed, cta, %ps, %vs, %ms : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
// CHECK-NEXT: %2 = tt.atomic_rmw exch, release, sys, %ps, %vs : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %3 = tt.atomic_cas acquire, gpu, %p, %v, %v : (!tt.ptr<i32>, i32, i32) -> i32
// CHECK-NEXT: %4 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i32>) -> i32
// CHECK-NEXT: %5 = tt.atomic_load relaxed, gpu, %ps, %ms : (tensor<8x!tt.ptr<f32>>, tensor<8xi1>) -> tensor<8xf32>
// CHECK-NEXT: tt.atomic_store release, gpu, %ps, %vs, %ms : tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: tt.atomic_store relaxed, cta, %p, %v : !tt.ptr<i32>
// CHECK-NEXT: %6 = tt.atomic_poll acquire, gpu, %p, %v : !tt.ptr<i32>, i32 -> i1
// CHECK-NEXT: %7 = tt.atomic_poll relaxed, gpu, %p, %v timeout %t : !tt.ptr<i32>, i32 -> i1
// GENERIC: %0 = "tt.atomic_rmw"(%p, %v, %m) <{atomic_rmw_op = 4 : i32, sem = 4 : i32, scope = 1 : i32}> : (!tt.ptr<i32>, i32, i1) -> i32
// GENERIC: "tt.atomic_store"(%p, %v) <{sem = 1 : i32, scope = 2 : i32}> : (!tt.ptr<i32>, i32) -> ()
tt.func @ops(%p: !tt.ptr<i32>, %ps: tensor<8x!tt.ptr<f32>>, %v: i32, %vs: tensor<8xf32>, %m: i1, %ms: tensor<8xi1>, %t: i64) {
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %m : (!tt.ptr<i32>, i32, i1) -> i32
  %1 = tt.atomic_rmw fadd, relaxed, cta, %ps, %vs, %ms : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %2 = tt.atomic_rmw exch, release, sys, %ps, %vs : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
  %3 = tt.atomic_cas acquire, gpu, %p, %v, %v : (!tt.ptr<i32>, i32, i32) -> i32
  %4 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i32>) -> i32
  %5 = tt.atomic_load relaxed, gpu, %ps, %ms : (tensor<8x!tt.ptr<f32>>, tensor<8xi1>) -> tensor<8xf32>
  tt.atomic_store release, gpu, %ps, %vs, %ms : tensor<8x!tt.ptr<f32>>
  tt.atomic_store relaxed, cta, %p, %v : !tt.ptr<i32>
  %6 = tt.atomic_poll acquire, gpu, %p, %v : !tt.ptr<i32>, i32 -> i1
  %7 = tt.atomic_poll relaxed, gpu, %p, %v timeout %t : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// Each is done, also where two are alike and nobody reads the result; a mask that is true is left out, and with a mask
// that is false nothing is done.
// CANONICAL-LABEL: tt.func @kept
// CANONICAL-NEXT: %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
// CANONICAL-NEXT: %1 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
// CANONICAL-NEXT: %2 = tt.atomic_cas
// CANONICAL-NEXT: %3 = tt.atomic_cas
// CANONICAL-NEXT: %4 = tt.atomic_load
// CANONICAL-NEXT: %5 = tt.atomic_load
// CANONICAL-NEXT: %[[zero:.*]] = arith.constant 0 : i32
// CANONICAL-NEXT: tt.return %[[zero]]
tt.func @kept(%p: !tt.ptr<i32>, %v: i32) -> i32 {
  %true = arith.constant true
  %false = arith.constant false
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %1 = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %2 = tt.atomic_cas relaxed, gpu, %p, %v, %v : (!tt.ptr<i32>, i32, i32) -> i32
  %3 = tt.atomic_cas relaxed, gpu, %p, %v, %v : (!tt.ptr<i32>, i32, i32) -> i32
  %4 = tt.atomic_load relaxed, gpu, %p : (!tt.ptr<i32>) -> i32
  %5 = tt.atomic_load relaxed, gpu, %p : (!tt.ptr<i32>) -> i32
  %6 = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %false : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return %6 : i32
}
