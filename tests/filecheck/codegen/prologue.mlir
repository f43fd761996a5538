// RUN: mytriton-opt %s -t cuda | filecheck %s

// Only what the kernels use is printed, once, with what it needs itself, and hidden from the CPU's compiler.

// CHECK:      #ifdef __CUDACC__
// CHECK-NEXT: struct bfloat16 { unsigned short bits; };
// CHECK-NEXT: static __device__ __forceinline__ bfloat16 float_to_bfloat16(float x) {
// CHECK:      }
// CHECK-NEXT: static __device__ __forceinline__ bfloat16 double_to_bfloat16(double x) {
// CHECK:      }
// CHECK-NEXT: static __device__ __forceinline__ float exp_approx(float x) {
// CHECK-NEXT:     float y;
// CHECK-NEXT:     asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));
// CHECK-NEXT:     return y;
// CHECK-NEXT: }
// CHECK-NEXT: // a / b, -1 where b is 0; the smallest integer divided by -1 is itself.
// CHECK-NEXT: static __device__ __forceinline__ int divide_s32(int a, int b) {
// CHECK-NEXT:     return b == 0 ? -1 : b == -1 ? (int)(0u - (unsigned)a) : a / b;
// CHECK-NEXT: }
// CHECK-NEXT: #endif
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ void __launch_bounds__(32) first(float *p, int *q, int i, float x) {
// CHECK-NEXT:     p[0] = exp_approx(x);
// CHECK-NEXT:     q[0] = divide_s32(i, i);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ void __launch_bounds__(32) second(bfloat16 *p, double x, float *q, float y) {
// CHECK-NEXT:     p[0] = double_to_bfloat16(x);
// CHECK-NEXT:     q[0] = exp_approx(y);
// CHECK-NEXT: }
cuda.func @first(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %i: i32, %x: f32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = math.exp %x : f32
  cuda.store %0, %p[%c0] : f32, !tt.ptr<f32>, i32
  %1 = arith.divsi %i, %i : i32
  cuda.store %1, %q[%c0] : i32, !tt.ptr<i32>, i32
  cuda.return
}

cuda.func @second(%p: !tt.ptr<bf16>, %x: f64, %q: !tt.ptr<f32>, %y: f32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = arith.truncf %x : f64 to bf16
  cuda.store %0, %p[%c0] : bf16, !tt.ptr<bf16>, i32
  %1 = math.exp %y : f32
  cuda.store %1, %q[%c0] : f32, !tt.ptr<f32>, i32
  cuda.return
}
