// RUN: mytriton-opt %s -t cuda | filecheck %s

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) maps(float *p, int n) {
// CHECK-NEXT:     int tid = threadIdx.x;
// CHECK-NEXT:     float x[8];
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 8; ++r) {
// CHECK-NEXT:         int offset = tid + r * 32;
// CHECK-NEXT:         x[r] = offset < n ? p[offset] : 0.0f;
// CHECK-NEXT:     }
// CHECK-NEXT:     float square[8];
// CHECK-NEXT:     float double_[8];
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 8; ++r) {
// CHECK-NEXT:         square[r] = x[r] * x[r];
// CHECK-NEXT:         double_[r] = x[r] + x[r];
// CHECK-NEXT:     }
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 8; ++r) {
// CHECK-NEXT:         p[r] = square[r] + double_[r];
// CHECK-NEXT:     }
// CHECK-NEXT: }
cuda.func @maps(%p: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %tid = cuda.thread_id : i32
  %c32 = arith.constant 32 : i32
  %x = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %at = arith.muli %r, %c32 overflow<nsw> : i32
    %offset = arith.addi %tid, %at overflow<nsw> : i32
    %in_range = arith.cmpi slt, %offset, %n : i32
    %loaded = cuda.load %p[%offset] if %in_range : !tt.ptr<f32>, i32 -> f32
    cuda.yield %loaded : f32
  }
  %square, %double = cuda.map 8 -> !cuda.regs<8xf32>, !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %e = cuda.get %x[%r] : !cuda.regs<8xf32> -> f32
    %s = arith.mulf %e, %e : f32
    %d = arith.addf %e, %e : f32
    cuda.yield %s, %d : f32, f32
  }
  cuda.map 8 {
  ^bb0(%r: i32):
    %a = cuda.get %square[%r] : !cuda.regs<8xf32> -> f32
    %b = cuda.get %double[%r] : !cuda.regs<8xf32> -> f32
    %sum = arith.addf %a, %b : f32
    cuda.store %sum, %p[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// What fills an array with zeros is its declaration.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) splats(float *p, half *h, float x) {
// CHECK-NEXT:     float a[4] = {};
// CHECK-NEXT:     float b[4];
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 4; ++r) {
// CHECK-NEXT:         b[r] = -0.0f;
// CHECK-NEXT:     }
// CHECK-NEXT:     float c[4];
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 4; ++r) {
// CHECK-NEXT:         c[r] = x;
// CHECK-NEXT:     }
// CHECK-NEXT:     half d[2] = {};
// CHECK-NEXT:     p[1] = a[1];
// CHECK-NEXT:     p[1] = b[1];
// CHECK-NEXT:     p[1] = c[1];
// CHECK-NEXT:     h[1] = d[1];
// CHECK-NEXT: }
cuda.func @splats(%p: !tt.ptr<f32>, %h: !tt.ptr<f16>, %x: f32) attributes {num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %minus_zero = arith.constant -0.0 : f32
  %half_zero = arith.constant 0.0 : f16
  %a = cuda.splat %zero : f32 -> !cuda.regs<4xf32>
  %b = cuda.splat %minus_zero : f32 -> !cuda.regs<4xf32>
  %c = cuda.splat %x : f32 -> !cuda.regs<4xf32>
  %d = cuda.splat %half_zero : f16 -> !cuda.regs<2xf16>
  %e = cuda.get %a[%c1] : !cuda.regs<4xf32> -> f32
  cuda.store %e, %p[%c1] : f32, !tt.ptr<f32>, i32
  %f = cuda.get %b[%c1] : !cuda.regs<4xf32> -> f32
  cuda.store %f, %p[%c1] : f32, !tt.ptr<f32>, i32
  %g = cuda.get %c[%c1] : !cuda.regs<4xf32> -> f32
  cuda.store %g, %p[%c1] : f32, !tt.ptr<f32>, i32
  %i = cuda.get %d[%c1] : !cuda.regs<2xf16> -> f16
  cuda.store %i, %h[%c1] : f16, !tt.ptr<f16>, i32
  cuda.return
}

// A map that runs its region once has no loop; one without results is not needed at all.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) single_iterations(float *p, int n) {
// CHECK-NEXT:     __align__(16) float x[4];
// CHECK-NEXT:     *(float4 *)&x[0] = *(const float4 *)&p[n];
// CHECK-NEXT:     *(float4 *)&p[n] = *(const float4 *)&x[0];
// CHECK-NEXT: }
cuda.func @single_iterations(%p: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c4 = arith.constant 4 : i32
  %x = cuda.map 4 step 4 -> !cuda.regs<4xf32> {
  ^bb0(%r: i32):
    %at = arith.addi %n, %r : i32
    %loaded = cuda.load %p[%at] : !tt.ptr<f32>, i32 -> vector<4xf32>
    cuda.yield %loaded : vector<4xf32>
  }
  cuda.map 4 step 4 {
  ^bb0(%r: i32):
    %scaled = arith.muli %r, %c4 : i32
    %at = arith.addi %n, %scaled : i32
    %e = cuda.get %x[%r] : !cuda.regs<4xf32> -> vector<4xf32>
    cuda.store %e, %p[%at] : vector<4xf32>, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// Long expressions are cut into statements.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) long_expressions(
// CHECK-NEXT:     float first_argument, float second_argument, float third_argument, float *p)
// CHECK-NEXT: {
// CHECK-NEXT:     float c = first_argument * second_argument + second_argument * third_argument;
// CHECK-NEXT:     float g = (c * first_argument + second_argument) * third_argument + first_argument;
// CHECK-NEXT:     p[0] = g;
// CHECK-NEXT: }
cuda.func @long_expressions(%first_argument: f32, %second_argument: f32, %third_argument: f32, %p: !tt.ptr<f32>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = arith.mulf %first_argument, %second_argument : f32
  %b = arith.mulf %second_argument, %third_argument : f32
  %c = arith.addf %a, %b : f32
  %d = arith.mulf %c, %first_argument : f32
  %e = arith.addf %d, %second_argument : f32
  %f = arith.mulf %e, %third_argument : f32
  %g = arith.addf %f, %first_argument : f32
  cuda.store %g, %p[%c0] : f32, !tt.ptr<f32>, i32
  cuda.return
}
