// RUN: mytriton-opt %s -t cuda | filecheck %s

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) arithmetic(float *out, float a, float b, float c) {
// CHECK-NEXT:     out[0] = (a + b) * c - (c - b);
// CHECK-NEXT:     out[0] = -(-a) * b;
// CHECK-NEXT:     out[0] = div_full(a, b) / c;
// CHECK-NEXT:     out[0] = minimum_f32(fmaxf(a, b), c);
// CHECK-NEXT:     out[0] = fmodf(a, b);
// CHECK-NEXT: }
cuda.func @arithmetic(%out: !tt.ptr<f32>, %a: f32, %b: f32, %c: f32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = arith.addf %a, %b : f32
  %1 = arith.mulf %0, %c : f32
  %2 = arith.subf %c, %b : f32
  %3 = arith.subf %1, %2 : f32
  cuda.store %3, %out[%c0] : f32, !tt.ptr<f32>, i32
  %4 = arith.negf %a : f32
  %5 = arith.negf %4 : f32
  %6 = arith.mulf %5, %b : f32
  cuda.store %6, %out[%c0] : f32, !tt.ptr<f32>, i32
  %7 = arith.divf %a, %b : f32
  %8 = cuda.precise_div %7, %c : f32
  cuda.store %8, %out[%c0] : f32, !tt.ptr<f32>, i32
  %9 = arith.maxnumf %a, %b : f32
  %10 = arith.minimumf %9, %c : f32
  cuda.store %10, %out[%c0] : f32, !tt.ptr<f32>, i32
  %11 = arith.remf %a, %b : f32
  cuda.store %11, %out[%c0] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) doubles(double *out, double a, double b) {
// CHECK-NEXT:     out[0] = fma(maximum_f64(exp(a / b), b), a, b);
// CHECK-NEXT: }
cuda.func @doubles(%out: !tt.ptr<f64>, %a: f64, %b: f64) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = arith.divf %a, %b : f64
  %1 = math.exp %0 : f64
  %2 = arith.maximumf %1, %b : f64
  %3 = math.fma %2, %a, %b : f64
  cuda.store %3, %out[%c0] : f64, !tt.ptr<f64>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) functions(float *out, float a, float b) {
// CHECK-NEXT:     out[0] = sqrt_approx(log2f(logf(exp2_approx(exp_approx(a)))));
// CHECK-NEXT:     out[0] = tanhf(erff(cosf(sinf(rsqrtf(a)))));
// CHECK-NEXT:     out[0] = sqrtf(fmaf(fabsf(floorf(a)), ceilf(b), b));
// CHECK-NEXT: }
cuda.func @functions(%out: !tt.ptr<f32>, %a: f32, %b: f32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = math.exp %a : f32
  %1 = math.exp2 %0 : f32
  %2 = math.log %1 : f32
  %3 = math.log2 %2 : f32
  %4 = math.sqrt %3 : f32
  cuda.store %4, %out[%c0] : f32, !tt.ptr<f32>, i32
  %5 = math.rsqrt %a : f32
  %6 = math.sin %5 : f32
  %7 = math.cos %6 : f32
  %8 = math.erf %7 : f32
  %9 = math.tanh %8 : f32
  cuda.store %9, %out[%c0] : f32, !tt.ptr<f32>, i32
  %10 = math.floor %a : f32
  %11 = math.ceil %b : f32
  %12 = math.absf %10 : f32
  %13 = math.fma %12, %11, %b : f32
  %14 = cuda.precise_sqrt %13 : f32
  cuda.store %14, %out[%c0] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// Comparisons are ordered in C, except for `!=`.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) comparisons(bool *out, float a, float b) {
// CHECK-NEXT:     out[0] = a < b;
// CHECK-NEXT:     out[0] = !(a >= b);
// CHECK-NEXT:     out[0] = a < b || a > b;
// CHECK-NEXT:     out[0] = !(a < b || a > b);
// CHECK-NEXT:     out[0] = a != b;
// CHECK-NEXT:     out[0] = a == a && b == b;
// CHECK-NEXT:     out[0] = a != a;
// CHECK-NEXT:     float sum = a + b;
// CHECK-NEXT:     out[0] = sum != sum || a != a;
// CHECK-NEXT: }
cuda.func @comparisons(%out: !tt.ptr<i1>, %a: f32, %b: f32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = arith.cmpf olt, %a, %b : f32
  cuda.store %0, %out[%c0] : i1, !tt.ptr<i1>, i32
  %1 = arith.cmpf ult, %a, %b : f32
  cuda.store %1, %out[%c0] : i1, !tt.ptr<i1>, i32
  %2 = arith.cmpf one, %a, %b : f32
  cuda.store %2, %out[%c0] : i1, !tt.ptr<i1>, i32
  %3 = arith.cmpf ueq, %a, %b : f32
  cuda.store %3, %out[%c0] : i1, !tt.ptr<i1>, i32
  %4 = arith.cmpf une, %a, %b : f32
  cuda.store %4, %out[%c0] : i1, !tt.ptr<i1>, i32
  %5 = arith.cmpf ord, %a, %b : f32
  cuda.store %5, %out[%c0] : i1, !tt.ptr<i1>, i32
  %6 = arith.cmpf uno, %a, %a : f32
  cuda.store %6, %out[%c0] : i1, !tt.ptr<i1>, i32
  %sum = arith.addf %a, %b : f32
  %7 = arith.cmpf uno, %sum, %a : f32
  cuda.store %7, %out[%c0] : i1, !tt.ptr<i1>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) conversions(
// CHECK-NEXT:     float *out, half *half_, bfloat16 *brain, double *double_, int *ints)
// CHECK-NEXT: {
// CHECK-NEXT:     half h = half_[0];
// CHECK-NEXT:     bfloat16 b = brain[0];
// CHECK-NEXT:     double d = double_[0];
// CHECK-NEXT:     int i = ints[0];
// CHECK-NEXT:     float x = half_to_float(h) + bfloat16_to_float(b);
// CHECK-NEXT:     out[0] = x;
// CHECK-NEXT:     half_[0] = float_to_half(x);
// CHECK-NEXT:     brain[0] = double_to_bfloat16(d);
// CHECK-NEXT:     ints[0] = float_to_s32((float)d * (float)i - (float)(unsigned)i);
// CHECK-NEXT:     ints[0] = (signed char)double_to_u8(d);
// CHECK-NEXT:     out[0] = __int_as_float(i);
// CHECK-NEXT:     brain[0] = bfloat16{(unsigned short)(short)h.bits};
// CHECK-NEXT: }
cuda.func @conversions(%out: !tt.ptr<f32>, %half: !tt.ptr<f16>, %brain: !tt.ptr<bf16>, %double: !tt.ptr<f64>, %ints: !tt.ptr<i32>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %h = cuda.load %half[%c0] : !tt.ptr<f16>, i32 -> f16
  %b = cuda.load %brain[%c0] : !tt.ptr<bf16>, i32 -> bf16
  %d = cuda.load %double[%c0] : !tt.ptr<f64>, i32 -> f64
  %i = cuda.load %ints[%c0] : !tt.ptr<i32>, i32 -> i32
  %0 = arith.extf %h : f16 to f32
  %1 = arith.extf %b : bf16 to f32
  %2 = arith.addf %0, %1 : f32
  cuda.store %2, %out[%c0] : f32, !tt.ptr<f32>, i32
  %3 = arith.truncf %2 : f32 to f16
  cuda.store %3, %half[%c0] : f16, !tt.ptr<f16>, i32
  %4 = arith.truncf %d : f64 to bf16
  cuda.store %4, %brain[%c0] : bf16, !tt.ptr<bf16>, i32
  %5 = arith.truncf %d : f64 to f32
  %6 = arith.sitofp %i : i32 to f32
  %7 = arith.mulf %5, %6 : f32
  %8 = arith.uitofp %i : i32 to f32
  %9 = arith.subf %7, %8 : f32
  %10 = arith.fptosi %9 : f32 to i32
  cuda.store %10, %ints[%c0] : i32, !tt.ptr<i32>, i32
  %11 = arith.fptoui %d : f64 to i8
  %12 = arith.extsi %11 : i8 to i32
  cuda.store %12, %ints[%c0] : i32, !tt.ptr<i32>, i32
  %13 = arith.bitcast %i : i32 to f32
  cuda.store %13, %out[%c0] : f32, !tt.ptr<f32>, i32
  %14 = arith.bitcast %h : f16 to i16
  %15 = arith.bitcast %14 : i16 to bf16
  cuda.store %15, %brain[%c0] : bf16, !tt.ptr<bf16>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) literals(
// CHECK-NEXT:     float *out, half *half_, bfloat16 *brain, double *double_, float x)
// CHECK-NEXT: {
// CHECK-NEXT:     out[0] = 1.0f;
// CHECK-NEXT:     out[0] = 0.1f;
// CHECK-NEXT:     out[0] = -0.0f;
// CHECK-NEXT:     out[0] = __int_as_float(0x7f800000);
// CHECK-NEXT:     out[0] = __int_as_float(0xff800000);
// CHECK-NEXT:     out[0] = __int_as_float(0x7fc00000);
// CHECK-NEXT:     out[0] = 1e-45f;
// CHECK-NEXT:     half_[0] = half{0x3e00};
// CHECK-NEXT:     brain[0] = bfloat16{0xc000};
// CHECK-NEXT:     double_[0] = 0.1;
// CHECK-NEXT:     double_[0] = __longlong_as_double(0x7ff0000000000000);
// CHECK-NEXT:     out[0] = x - -1.0f;
// CHECK-NEXT: }
cuda.func @literals(%out: !tt.ptr<f32>, %half: !tt.ptr<f16>, %brain: !tt.ptr<bf16>, %double: !tt.ptr<f64>, %x: f32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = arith.constant 1.0 : f32
  cuda.store %0, %out[%c0] : f32, !tt.ptr<f32>, i32
  %1 = arith.constant 0.1 : f32
  cuda.store %1, %out[%c0] : f32, !tt.ptr<f32>, i32
  %2 = arith.constant -0.0 : f32
  cuda.store %2, %out[%c0] : f32, !tt.ptr<f32>, i32
  %3 = arith.constant 0x7F800000 : f32
  cuda.store %3, %out[%c0] : f32, !tt.ptr<f32>, i32
  %4 = arith.constant 0xFF800000 : f32
  cuda.store %4, %out[%c0] : f32, !tt.ptr<f32>, i32
  %5 = arith.constant 0x7FC00000 : f32
  cuda.store %5, %out[%c0] : f32, !tt.ptr<f32>, i32
  %6 = arith.constant 1.0e-45 : f32
  cuda.store %6, %out[%c0] : f32, !tt.ptr<f32>, i32
  %7 = arith.constant 1.5 : f16
  cuda.store %7, %half[%c0] : f16, !tt.ptr<f16>, i32
  %8 = arith.constant -2.0 : bf16
  cuda.store %8, %brain[%c0] : bf16, !tt.ptr<bf16>, i32
  %9 = arith.constant 0.1 : f64
  cuda.store %9, %double[%c0] : f64, !tt.ptr<f64>, i32
  %10 = arith.constant 0x7FF0000000000000 : f64
  cuda.store %10, %double[%c0] : f64, !tt.ptr<f64>, i32
  %11 = arith.constant -1.0 : f32
  %12 = arith.subf %x, %11 : f32
  cuda.store %12, %out[%c0] : f32, !tt.ptr<f32>, i32
  cuda.return
}
