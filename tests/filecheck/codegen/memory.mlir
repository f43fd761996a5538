// RUN: mytriton-opt %s -t cuda | filecheck %s

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) scalar_accesses(
// CHECK-NEXT:     float *p, int i, long long j, bool m, float x)
// CHECK-NEXT: {
// CHECK-NEXT:     float a = p[i];
// CHECK-NEXT:     float b = m ? p[i] : 0.0f;
// CHECK-NEXT:     float c = m ? p[j] : x;
// CHECK-NEXT:     p[i] = a + b + c;
// CHECK-NEXT:     if (m) p[0] = x;
// CHECK-NEXT: }
cuda.func @scalar_accesses(%p: !tt.ptr<f32>, %i: i32, %j: i64, %m: i1, %x: f32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = cuda.load %p[%i] : !tt.ptr<f32>, i32 -> f32
  %b = cuda.load %p[%i] if %m : !tt.ptr<f32>, i32 -> f32
  %c = cuda.load %p[%j] if %m else %x : f32 : !tt.ptr<f32>, i64 -> f32
  %sum = arith.addf %a, %b : f32
  %total = arith.addf %sum, %c : f32
  cuda.store %total, %p[%i] : f32, !tt.ptr<f32>, i32
  cuda.store %x, %p[%c0] if %m : f32, !tt.ptr<f32>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) pointers(
// CHECK-NEXT:     const float *p, float *q, int row, int stride, int i)
// CHECK-NEXT: {
// CHECK-NEXT:     float a = (p + row * stride)[i];
// CHECK-NEXT:     q[i] = a;
// CHECK-NEXT:     float b = p[i];
// CHECK-NEXT:     q[row] = b;
// CHECK-NEXT:     const float *twice = p + stride;
// CHECK-NEXT:     float d = twice[i];
// CHECK-NEXT:     float e = twice[row];
// CHECK-NEXT:     q[i] = d;
// CHECK-NEXT:     q[i] = e;
// CHECK-NEXT:     signed char *bytes = (signed char *)q;
// CHECK-NEXT:     signed char byte = bytes[i];
// CHECK-NEXT:     bytes[row] = byte;
// CHECK-NEXT:     long long address = (long long)q;
// CHECK-NEXT:     ((long long *)address)[0] = address;
// CHECK-NEXT: }
cuda.func @pointers(%p: !tt.ptr<f32> {cuda.const}, %q: !tt.ptr<f32>, %row: i32, %stride: i32, %i: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %start = arith.muli %row, %stride overflow<nsw> : i32
  %r = cuda.ptr_add %p, %start : !tt.ptr<f32>, i32
  %a = cuda.load %r[%i] : !tt.ptr<f32>, i32 -> f32
  cuda.store %a, %q[%i] : f32, !tt.ptr<f32>, i32
  %s = cuda.ptr_add %p, %i : !tt.ptr<f32>, i32
  %b = cuda.load %s[%c0] : !tt.ptr<f32>, i32 -> f32
  cuda.store %b, %q[%row] : f32, !tt.ptr<f32>, i32
  %twice = cuda.ptr_add %p, %stride : !tt.ptr<f32>, i32
  %d = cuda.load %twice[%i] : !tt.ptr<f32>, i32 -> f32
  %e = cuda.load %twice[%row] : !tt.ptr<f32>, i32 -> f32
  cuda.store %d, %q[%i] : f32, !tt.ptr<f32>, i32
  cuda.store %e, %q[%i] : f32, !tt.ptr<f32>, i32
  %bytes = cuda.ptr_cast %q : !tt.ptr<f32> -> !tt.ptr<i8>
  %byte = cuda.load %bytes[%i] : !tt.ptr<i8>, i32 -> i8
  cuda.store %byte, %bytes[%row] : i8, !tt.ptr<i8>, i32
  %address = cuda.ptr_to_int %q : !tt.ptr<f32> -> i64
  %back = cuda.int_to_ptr %address : i64 -> !tt.ptr<i64>
  cuda.store %address, %back[%c0] : i64, !tt.ptr<i64>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) vectors(
// CHECK-NEXT:     float *p, half *h, double *d, long long *l, signed char *b, int i, bool m)
// CHECK-NEXT: {
// CHECK-NEXT:     __align__(16) float x[8];
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 8; r += 4) {
// CHECK-NEXT:         *(float4 *)&x[r] = m ? *(const float4 *)&p[i + r] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
// CHECK-NEXT:     }
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 8; r += 4) {
// CHECK-NEXT:         if (m) *(float4 *)&p[i + r] = *(const float4 *)&x[r];
// CHECK-NEXT:     }
// CHECK-NEXT:     uint4 h8 = m ? *(const uint4 *)&h[i] : make_uint4(0u, 0u, 0u, 0u);
// CHECK-NEXT:     *(uint4 *)&h[0] = h8;
// CHECK-NEXT:     uint2 h4 = *(const uint2 *)&h[i];
// CHECK-NEXT:     *(uint2 *)&h[0] = h4;
// CHECK-NEXT:     unsigned h2 = m ? *(const unsigned *)&h[i] : 0u;
// CHECK-NEXT:     *(unsigned *)&h[0] = h2;
// CHECK-NEXT:     double2 d2 = m ? *(const double2 *)&d[i] : make_double2(0.0, 0.0);
// CHECK-NEXT:     *(double2 *)&d[0] = d2;
// CHECK-NEXT:     longlong2 l2 = m ? *(const longlong2 *)&l[i] : make_longlong2(0LL, 0LL);
// CHECK-NEXT:     *(longlong2 *)&l[0] = l2;
// CHECK-NEXT:     uint4 b16 = *(const uint4 *)&b[i];
// CHECK-NEXT:     *(uint4 *)&b[0] = b16;
// CHECK-NEXT:     unsigned short b2 = *(const unsigned short *)&b[i];
// CHECK-NEXT:     *(unsigned short *)&b[0] = b2;
// CHECK-NEXT: }
cuda.func @vectors(%p: !tt.ptr<f32>, %h: !tt.ptr<f16>, %d: !tt.ptr<f64>, %l: !tt.ptr<i64>, %b: !tt.ptr<i8>, %i: i32, %m: i1) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %x = cuda.map 8 step 4 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %at = arith.addi %i, %r overflow<nsw> : i32
    %v = cuda.load %p[%at] if %m : !tt.ptr<f32>, i32 -> vector<4xf32>
    cuda.yield %v : vector<4xf32>
  }
  cuda.map 8 step 4 {
  ^bb0(%r: i32):
    %at = arith.addi %i, %r overflow<nsw> : i32
    %v = cuda.get %x[%r] : !cuda.regs<8xf32> -> vector<4xf32>
    cuda.store %v, %p[%at] if %m : vector<4xf32>, !tt.ptr<f32>, i32
    cuda.yield
  }
  %h8 = cuda.load %h[%i] if %m : !tt.ptr<f16>, i32 -> vector<8xf16>
  cuda.store %h8, %h[%c0] : vector<8xf16>, !tt.ptr<f16>, i32
  %h4 = cuda.load %h[%i] : !tt.ptr<f16>, i32 -> vector<4xf16>
  cuda.store %h4, %h[%c0] : vector<4xf16>, !tt.ptr<f16>, i32
  %h2 = cuda.load %h[%i] if %m : !tt.ptr<f16>, i32 -> vector<2xf16>
  cuda.store %h2, %h[%c0] : vector<2xf16>, !tt.ptr<f16>, i32
  %d2 = cuda.load %d[%i] if %m : !tt.ptr<f64>, i32 -> vector<2xf64>
  cuda.store %d2, %d[%c0] : vector<2xf64>, !tt.ptr<f64>, i32
  %l2 = cuda.load %l[%i] if %m : !tt.ptr<i64>, i32 -> vector<2xi64>
  cuda.store %l2, %l[%c0] : vector<2xi64>, !tt.ptr<i64>, i32
  %b16 = cuda.load %b[%i] : !tt.ptr<i8>, i32 -> vector<16xi8>
  cuda.store %b16, %b[%c0] : vector<16xi8>, !tt.ptr<i8>, i32
  %b2 = cuda.load %b[%i] : !tt.ptr<i8>, i32 -> vector<2xi8>
  cuda.store %b2, %b[%c0] : vector<2xi8>, !tt.ptr<i8>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) caches(float *p, half *h, bool *b, int i) {
// CHECK-NEXT:     float x = __ldcg(&p[i]);
// CHECK-NEXT:     __stcs(&p[i], x);
// CHECK-NEXT:     float4 v = __ldca((const float4 *)&p[i]);
// CHECK-NEXT:     __stwb((float4 *)&p[i], v);
// CHECK-NEXT:     half y = half{__ldcs((const unsigned short *)&h[i])};
// CHECK-NEXT:     __stcg((unsigned short *)&h[i], y.bits);
// CHECK-NEXT:     bool z = __ldcv((const unsigned char *)&b[i]) != 0;
// CHECK-NEXT:     __stwt((unsigned char *)&b[i], z);
// CHECK-NEXT:     float w = *(const volatile float *)&p[i];
// CHECK-NEXT:     p[i] = w;
// CHECK-NEXT:     half u = half{*(const volatile unsigned short *)&h[i]};
// CHECK-NEXT:     h[i] = u;
// CHECK-NEXT: }
cuda.func @caches(%p: !tt.ptr<f32>, %h: !tt.ptr<f16>, %b: !tt.ptr<i1>, %i: i32) attributes {num_warps = 1 : i32} {
  %x = cuda.load %p[%i] {cache = "cg"} : !tt.ptr<f32>, i32 -> f32
  cuda.store %x, %p[%i] {cache = "cs"} : f32, !tt.ptr<f32>, i32
  %v = cuda.load %p[%i] {cache = "ca"} : !tt.ptr<f32>, i32 -> vector<4xf32>
  cuda.store %v, %p[%i] {cache = "wb"} : vector<4xf32>, !tt.ptr<f32>, i32
  %y = cuda.load %h[%i] {cache = "cs"} : !tt.ptr<f16>, i32 -> f16
  cuda.store %y, %h[%i] {cache = "cg"} : f16, !tt.ptr<f16>, i32
  %z = cuda.load %b[%i] {cache = "cv"} : !tt.ptr<i1>, i32 -> i1
  cuda.store %z, %b[%i] {cache = "wt"} : i1, !tt.ptr<i1>, i32
  %w = cuda.load %p[%i] {is_volatile = true} : !tt.ptr<f32>, i32 -> f32
  cuda.store %w, %p[%i] : f32, !tt.ptr<f32>, i32
  %u = cuda.load %h[%i] {is_volatile = true} : !tt.ptr<f16>, i32 -> f16
  cuda.store %u, %h[%i] : f16, !tt.ptr<f16>, i32
  cuda.return
}
