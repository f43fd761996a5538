// RUN: mytriton-opt %s -t cuda | filecheck %s

// Keywords, CUDA's own names, helpers and names that C reserves are changed; the same name twice gets a number.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) names(
// CHECK-NEXT:     int float_, int threadIdx_, int exp2_approx_, int min_, int Reserved, int a_b, int x_y, int x_y_1,
// CHECK-NEXT:     int vmytriton_self, int v, int *out)
// CHECK-NEXT: {
// CHECK-NEXT:     out[threadIdx_] = float_;
// CHECK-NEXT:     out[min_] = exp2_approx_;
// CHECK-NEXT:     out[a_b] = Reserved;
// CHECK-NEXT:     out[x_y_1] = x_y;
// CHECK-NEXT:     out[v] = vmytriton_self;
// CHECK-NEXT: }
cuda.func @names(%float: i32, %threadIdx: i32, %exp2_approx: i32, %min: i32, %_Reserved: i32, %a__b: i32, %x.y: i32, %x$y: i32, %mytriton_self: i32, %_: i32, %out: !tt.ptr<i32>) attributes {num_warps = 1 : i32} {
  cuda.store %float, %out[%threadIdx] : i32, !tt.ptr<i32>, i32
  cuda.store %exp2_approx, %out[%min] : i32, !tt.ptr<i32>, i32
  cuda.store %_Reserved, %out[%a__b] : i32, !tt.ptr<i32>, i32
  cuda.store %x.y, %out[%x$y] : i32, !tt.ptr<i32>, i32
  cuda.store %mytriton_self, %out[%_] : i32, !tt.ptr<i32>, i32
  cuda.return
}

// A name may be used again in a block that does not see the other one.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) scopes(int *out, int n) {
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 4; ++r) {
// CHECK-NEXT:         int value = out[r];
// CHECK-NEXT:         out[r] = value;
// CHECK-NEXT:     }
// CHECK-NEXT:     int value = out[n];
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 4; ++r) {
// CHECK-NEXT:         int value_in_map = out[r];
// CHECK-NEXT:         int value_1 = out[value_in_map];
// CHECK-NEXT:         out[value] = value_1;
// CHECK-NEXT:     }
// CHECK-NEXT: }
cuda.func @scopes(%out: !tt.ptr<i32>, %n: i32) attributes {num_warps = 1 : i32} {
  cuda.map 4 {
  ^bb0(%r: i32):
    %value = cuda.load %out[%r] : !tt.ptr<i32>, i32 -> i32
    cuda.store %value, %out[%r] : i32, !tt.ptr<i32>, i32
    cuda.yield
  }
  %value = cuda.load %out[%n] : !tt.ptr<i32>, i32 -> i32
  cuda.map 4 {
  ^bb0(%r: i32):
    %value_in_map = cuda.load %out[%r] : !tt.ptr<i32>, i32 -> i32
    %value_1 = cuda.load %out[%value_in_map] : !tt.ptr<i32>, i32 -> i32
    cuda.store %value_1, %out[%value] : i32, !tt.ptr<i32>, i32
    cuda.yield
  }
  cuda.return
}

// No character of a symbol reaches the text as it is, and no library function is defined again.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) x_include() {
// CHECK-NEXT: }
cuda.func @"x() {} // \22 */ \\\n#include" () attributes {num_warps = 1 : i32} {
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) exp_() {
// CHECK-NEXT: }
cuda.func @exp() attributes {num_warps = 1 : i32} {
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) main_kernel() {
// CHECK-NEXT: }
cuda.func @main() attributes {num_warps = 1 : i32} {
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) _global_kernel() {
// CHECK-NEXT: }
cuda.func @__global__() attributes {num_warps = 1 : i32} {
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) v0() {
// CHECK-NEXT: }
cuda.func @"0"() attributes {num_warps = 1 : i32} {
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) a_b() {
// CHECK-NEXT: }
cuda.func @"a b"() attributes {num_warps = 1 : i32} {
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) a_b_1() {
// CHECK-NEXT: }
cuda.func @"a.b"() attributes {num_warps = 1 : i32} {
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) kernel() {
// CHECK-NEXT:     __shared__ __align__(16) float _system_1_[4];
// CHECK-NEXT: }
cuda.func @"日本"() attributes {num_warps = 1 : i32} {
  %a = cuda.shared_array "; system(1); //" : !cuda.shared<4xf32>
  cuda.return
}
