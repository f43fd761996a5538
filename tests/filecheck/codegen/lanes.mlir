// RUN: mytriton-opt %s -t cuda | filecheck %s

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) shuffles(
// CHECK-NEXT:     float *p, float x, double d, int i, long long l, signed char b, bool m, half h)
// CHECK-NEXT: {
// CHECK-NEXT:     float x_1 = __shfl_xor_sync(0xffffffff, x, i);
// CHECK-NEXT:     p[i] = x_1;
// CHECK-NEXT:     double x_2 = __shfl_xor_sync(0xffffffff, d, 1);
// CHECK-NEXT:     p[i] = (float)x_2;
// CHECK-NEXT:     long long index = __shfl_xor_sync(0xffffffff, l, 1);
// CHECK-NEXT:     p[index] = x;
// CHECK-NEXT:     signed char index_1 = __shfl_xor_sync(0xffffffff, (int)b, 1);
// CHECK-NEXT:     p[index_1] = x;
// CHECK-NEXT:     bool cond = __shfl_xor_sync(0xffffffff, (int)m, 1) != 0;
// CHECK-NEXT:     if (cond) p[i] = x;
// CHECK-NEXT:     half x_3 = half{(unsigned short)__shfl_xor_sync(0xffffffff, (int)h.bits, 1)};
// CHECK-NEXT:     p[i] = half_to_float(x_3);
// CHECK-NEXT:     float x_4 = __shfl_sync(0xffffffff, x, i);
// CHECK-NEXT:     p[i] = x_4;
// CHECK-NEXT:     bool cond_1 = __shfl_sync(0xffffffff, (int)m, 1) != 0;
// CHECK-NEXT:     if (cond_1) p[i] = x;
// CHECK-NEXT: }
cuda.func @shuffles(%p: !tt.ptr<f32>, %x: f32, %d: f64, %i: i32, %l: i64, %b: i8, %m: i1, %h: f16) attributes {num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %0 = cuda.shuffle_xor %x, %i : f32
  cuda.store %0, %p[%i] : f32, !tt.ptr<f32>, i32
  %1 = cuda.shuffle_xor %d, %c1 : f64
  %2 = arith.truncf %1 : f64 to f32
  cuda.store %2, %p[%i] : f32, !tt.ptr<f32>, i32
  %3 = cuda.shuffle_xor %l, %c1 : i64
  cuda.store %x, %p[%3] : f32, !tt.ptr<f32>, i64
  %4 = cuda.shuffle_xor %b, %c1 : i8
  cuda.store %x, %p[%4] : f32, !tt.ptr<f32>, i8
  %5 = cuda.shuffle_xor %m, %c1 : i1
  cuda.store %x, %p[%i] if %5 : f32, !tt.ptr<f32>, i32
  %6 = cuda.shuffle_xor %h, %c1 : f16
  %7 = arith.extf %6 : f16 to f32
  cuda.store %7, %p[%i] : f32, !tt.ptr<f32>, i32
  %8 = cuda.shuffle %x, %i : f32
  cuda.store %8, %p[%i] : f32, !tt.ptr<f32>, i32
  %9 = cuda.shuffle %m, %c1 : i1
  cuda.store %x, %p[%i] if %9 : f32, !tt.ptr<f32>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) sum(float *p, int i, float x) {
// CHECK-NEXT:     float sum = x;
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int mask = 16; mask >= 1; mask /= 2) {
// CHECK-NEXT:         float partner = __shfl_xor_sync(0xffffffff, sum, mask);
// CHECK-NEXT:         sum += partner;
// CHECK-NEXT:     }
// CHECK-NEXT:     p[i] = sum;
// CHECK-NEXT: }
cuda.func @sum(%p: !tt.ptr<f32>, %i: i32, %x: f32) attributes {num_warps = 1 : i32} {
  %sum = cuda.butterfly %x masks [16, 8, 4, 2, 1] : f32 -> f32 {
  ^bb0(%own: f32, %partner: f32):
    %s = arith.addf %own, %partner : f32
    cuda.yield %s : f32
  }
  cuda.store %sum, %p[%i] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// Masks that are not a chain of halves or doubles get a block each.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) other_masks(int *p, int i) {
// CHECK-NEXT:     int a = i;
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int mask = 1; mask <= 4; mask *= 2) {
// CHECK-NEXT:         int partner = __shfl_xor_sync(0xffffffff, a, mask);
// CHECK-NEXT:         a = max(a, partner);
// CHECK-NEXT:     }
// CHECK-NEXT:     {
// CHECK-NEXT:         int partner = __shfl_xor_sync(0xffffffff, a, 1);
// CHECK-NEXT:         a = max(a, partner);
// CHECK-NEXT:     }
// CHECK-NEXT:     {
// CHECK-NEXT:         int partner = __shfl_xor_sync(0xffffffff, a, 8);
// CHECK-NEXT:         a = max(a, partner);
// CHECK-NEXT:     }
// CHECK-NEXT:     p[i] = a;
// CHECK-NEXT: }
cuda.func @other_masks(%p: !tt.ptr<i32>, %i: i32) attributes {num_warps = 1 : i32} {
  %a = cuda.butterfly %i masks [1, 2, 4] : i32 -> i32 {
  ^bb0(%own: i32, %partner: i32):
    %s = arith.maxsi %own, %partner : i32
    cuda.yield %s : i32
  }
  %b = cuda.butterfly %a masks [1, 8] : i32 -> i32 {
  ^bb0(%own: i32, %partner: i32):
    %s = arith.maxsi %own, %partner : i32
    cuda.yield %s : i32
  }
  cuda.store %b, %p[%i] : i32, !tt.ptr<i32>, i32
  cuda.return
}

// Where the order of the operands counts, the lower lane's values come first.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) argmax(float *p, int *q, int i, float x) {
// CHECK-NEXT:     float value = x;
// CHECK-NEXT:     int index = i;
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int mask = 2; mask >= 1; mask /= 2) {
// CHECK-NEXT:         float partner = __shfl_xor_sync(0xffffffff, value, mask);
// CHECK-NEXT:         int partner_index = __shfl_xor_sync(0xffffffff, index, mask);
// CHECK-NEXT:         bool is_upper = (threadIdx.x & mask) != 0;
// CHECK-NEXT:         float first_value = is_upper ? partner : value;
// CHECK-NEXT:         float second_value = is_upper ? value : partner;
// CHECK-NEXT:         int first_index = is_upper ? partner_index : index;
// CHECK-NEXT:         int second_index = is_upper ? index : partner_index;
// CHECK-NEXT:         bool first = first_value >= second_value;
// CHECK-NEXT:         value = first ? first_value : second_value;
// CHECK-NEXT:         index = first ? first_index : second_index;
// CHECK-NEXT:     }
// CHECK-NEXT:     p[i] = value;
// CHECK-NEXT:     q[i] = index;
// CHECK-NEXT: }
cuda.func @argmax(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %i: i32, %x: f32) attributes {num_warps = 1 : i32} {
  %value, %index = cuda.butterfly %x, %i masks [2, 1] : f32, i32 -> f32, i32 {
  ^bb0(%own: f32, %own_index: i32, %partner: f32, %partner_index: i32):
    %first = arith.cmpf oge, %own, %partner : f32
    %v = arith.select %first, %own, %partner : f32
    %j = arith.select %first, %own_index, %partner_index : i32
    cuda.yield %v, %j : f32, i32
  }
  cuda.store %value, %p[%i] : f32, !tt.ptr<f32>, i32
  cuda.store %index, %q[%i] : i32, !tt.ptr<i32>, i32
  cuda.return
}
