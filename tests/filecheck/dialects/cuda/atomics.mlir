// RUN: mytriton-opt %s | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | mytriton-opt | filecheck %s

// CHECK-LABEL: cuda.func @atomics
// CHECK-NEXT: %0 = cuda.atomic_rmw add, gpu, %x, %p[%i] : i32, !tt.ptr<i32>, i32 -> i32
// CHECK-NEXT: cuda.atomic_rmw umax, cta, %x, %p[%i] if %m : i32, !tt.ptr<i32>, i32
// CHECK-NEXT: %1 = cuda.atomic_cas sys, %x, %x, %p[%i] if %m : i32, i32, !tt.ptr<i32>, i32 -> i32
// CHECK-NEXT: cuda.atomic_cas gpu, %x, %x, %p[%i] : i32, i32, !tt.ptr<i32>, i32
// CHECK-NEXT: %2 = cuda.atomic_load gpu, %p[%i] if %m : !tt.ptr<i32>, i32 -> i32
// CHECK-NEXT: cuda.atomic_store gpu, %x, %p[%i] : i32, !tt.ptr<i32>, i32
// CHECK-NEXT: %3 = cuda.global_timer : i64
// CHECK-NEXT: %4 = cuda.atomic_poll gpu, %x, %p[%i] if %m until %3 : i32, !tt.ptr<i32>, i32
// CHECK-NEXT: cuda.fence sys
// CHECK-NEXT: %5 = cuda.shared_array "counts" : !cuda.shared<4x8xi32>
// CHECK-NEXT: cuda.atomic_rmw add, cta, %x, %5[%i, %i] : i32, !cuda.shared<4x8xi32>, i32, i32
cuda.func @atomics(%p: !tt.ptr<i32>, %i: i32, %x: i32, %m: i1) attributes {num_warps = 1 : i32} {
  %0 = cuda.atomic_rmw add, gpu, %x, %p[%i] : i32, !tt.ptr<i32>, i32 -> i32
  cuda.atomic_rmw umax, cta, %x, %p[%i] if %m : i32, !tt.ptr<i32>, i32
  %1 = cuda.atomic_cas sys, %x, %x, %p[%i] if %m : i32, i32, !tt.ptr<i32>, i32 -> i32
  cuda.atomic_cas gpu, %x, %x, %p[%i] : i32, i32, !tt.ptr<i32>, i32
  %2 = cuda.atomic_load gpu, %p[%i] if %m : !tt.ptr<i32>, i32 -> i32
  cuda.atomic_store gpu, %x, %p[%i] : i32, !tt.ptr<i32>, i32
  %3 = cuda.global_timer : i64
  %4 = cuda.atomic_poll gpu, %x, %p[%i] if %m until %3 : i32, !tt.ptr<i32>, i32
  cuda.fence sys
  %5 = cuda.shared_array "counts" : !cuda.shared<4x8xi32>
  cuda.atomic_rmw add, cta, %x, %5[%i, %i] : i32, !cuda.shared<4x8xi32>, i32, i32
  cuda.return
}
