// RUN: mytriton-opt %s -t cuda | filecheck %s

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) integers(
// CHECK-NEXT:     int *p, long long *q, int i, int x, long long y, bool m)
// CHECK-NEXT: {
// CHECK-NEXT:     int a = atomicAdd(&p[i], x);
// CHECK-NEXT:     int b = m ? (int)atomicMax_block((unsigned *)&p[i], (unsigned)x) : 0;
// CHECK-NEXT:     int c = atomicExch_system(p, a);
// CHECK-NEXT:     atomicMin(&p[c], b);
// CHECK-NEXT:     if (m) atomicOr(&p[i], x);
// CHECK-NEXT:     long long d = (long long)atomicAdd((unsigned long long *)&q[i], (unsigned long long)y);
// CHECK-NEXT:     atomicMax(&q[i], d);
// CHECK-NEXT:     long long e = (long long)atomicCAS((unsigned long long *)q, (unsigned long long)y, (unsigned long long)d);
// CHECK-NEXT:     atomicCAS(&p[i], x, a);
// CHECK-NEXT:     atomicAnd((unsigned long long *)q, (unsigned long long)e);
// CHECK-NEXT: }

cuda.func @integers(%p: !tt.ptr<i32>, %q: !tt.ptr<i64>, %i: i32, %x: i32, %y: i64, %m: i1) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = cuda.atomic_rmw add, gpu, %x, %p[%i] : i32, !tt.ptr<i32>, i32 -> i32
  %b = cuda.atomic_rmw umax, cta, %x, %p[%i] if %m : i32, !tt.ptr<i32>, i32 -> i32
  %c = cuda.atomic_rmw exch, sys, %a, %p[%c0] : i32, !tt.ptr<i32>, i32 -> i32
  cuda.atomic_rmw min, gpu, %b, %p[%c] : i32, !tt.ptr<i32>, i32
  cuda.atomic_rmw or, gpu, %x, %p[%i] if %m : i32, !tt.ptr<i32>, i32
  %d = cuda.atomic_rmw add, gpu, %y, %q[%i] : i64, !tt.ptr<i64>, i32 -> i64
  cuda.atomic_rmw max, gpu, %d, %q[%i] : i64, !tt.ptr<i64>, i32
  %e = cuda.atomic_cas gpu, %y, %d, %q[%c0] : i64, i64, !tt.ptr<i64>, i32 -> i64
  cuda.atomic_cas gpu, %x, %a, %p[%i] : i32, i32, !tt.ptr<i32>, i32
  cuda.atomic_rmw and, gpu, %e, %q[%c0] : i64, !tt.ptr<i64>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) floats(
// CHECK-NEXT:     float *f, double *d, half *h, bfloat16 *b, int i, float x, double y, half z, bfloat16 w)
// CHECK-NEXT: {
// CHECK-NEXT:     float x_1 = atomicAdd(&f[i], x);
// CHECK-NEXT:     float x_2 = atomicExch(&f[i], x_1);
// CHECK-NEXT:     float x_3 = __int_as_float(atomicXor((int *)&f[i], __float_as_int(x_2)));
// CHECK-NEXT:     atomicCAS((int *)&f[i], __float_as_int(x), __float_as_int(x_3));
// CHECK-NEXT:     double x_4 = atomicAdd(&d[i], y);
// CHECK-NEXT:     double x_5 = __longlong_as_double((long long)atomicExch((unsigned long long *)&d[i], (unsigned long long)__double_as_longlong(x_4)));
// CHECK-NEXT:     atomic_store(&d[i], x_5);
// CHECK-NEXT:     atomic_add_half(&h[i], z);
// CHECK-NEXT:     half x_6 = half{atomicCAS((unsigned short *)&h[i], z.bits, z.bits)};
// CHECK-NEXT:     atomic_store((unsigned short *)&h[i], x_6.bits);
// CHECK-NEXT:     bfloat16 x_7 = atomic_add_bfloat16_system(&b[i], w);
// CHECK-NEXT:     atomic_add_bfloat16_block(&b[i], x_7);
// CHECK-NEXT: }

cuda.func @floats(%f: !tt.ptr<f32>, %d: !tt.ptr<f64>, %h: !tt.ptr<f16>, %b: !tt.ptr<bf16>, %i: i32, %x: f32, %y: f64, %z: f16, %w: bf16) attributes {num_warps = 1 : i32} {
  %0 = cuda.atomic_rmw fadd, gpu, %x, %f[%i] : f32, !tt.ptr<f32>, i32 -> f32
  %1 = cuda.atomic_rmw exch, gpu, %0, %f[%i] : f32, !tt.ptr<f32>, i32 -> f32
  %2 = cuda.atomic_rmw xor, gpu, %1, %f[%i] : f32, !tt.ptr<f32>, i32 -> f32
  cuda.atomic_cas gpu, %x, %2, %f[%i] : f32, f32, !tt.ptr<f32>, i32
  %3 = cuda.atomic_rmw fadd, gpu, %y, %d[%i] : f64, !tt.ptr<f64>, i32 -> f64
  %4 = cuda.atomic_rmw exch, gpu, %3, %d[%i] : f64, !tt.ptr<f64>, i32 -> f64
  cuda.atomic_store gpu, %4, %d[%i] : f64, !tt.ptr<f64>, i32
  cuda.atomic_rmw fadd, gpu, %z, %h[%i] : f16, !tt.ptr<f16>, i32
  %5 = cuda.atomic_cas gpu, %z, %z, %h[%i] : f16, f16, !tt.ptr<f16>, i32 -> f16
  cuda.atomic_store gpu, %5, %h[%i] : f16, !tt.ptr<f16>, i32
  %6 = cuda.atomic_rmw fadd, sys, %w, %b[%i] : bf16, !tt.ptr<bf16>, i32 -> bf16
  cuda.atomic_rmw fadd, cta, %6, %b[%i] : bf16, !tt.ptr<bf16>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) others(int *p, int i, int x, bool m, bool *out) {
// CHECK-NEXT:     long long now = global_timer();
// CHECK-NEXT:     int a = m ? atomic_load(&p[i]) : 0;
// CHECK-NEXT:     fence();
// CHECK-NEXT:     if (m) atomic_store(&p[x], a);
// CHECK-NEXT:     bool b = atomic_poll(&p[i], x);
// CHECK-NEXT:     bool c = m ? atomic_poll_until(&p[i], x, (unsigned long long)now) : false;
// CHECK-NEXT:     fence_block();
// CHECK-NEXT:     fence_system();
// CHECK-NEXT:     atomic_store((unsigned char *)&out[i], b && c);
// CHECK-NEXT: }

cuda.func @others(%p: !tt.ptr<i32>, %i: i32, %x: i32, %m: i1, %out: !tt.ptr<i1>) attributes {num_warps = 1 : i32} {
  %now = cuda.global_timer : i64
  %a = cuda.atomic_load gpu, %p[%i] if %m : !tt.ptr<i32>, i32 -> i32
  cuda.fence gpu
  cuda.atomic_store gpu, %a, %p[%x] if %m : i32, !tt.ptr<i32>, i32
  %b = cuda.atomic_poll gpu, %x, %p[%i] : i32, !tt.ptr<i32>, i32
  %c = cuda.atomic_poll gpu, %x, %p[%i] if %m until %now : i32, !tt.ptr<i32>, i32
  cuda.fence cta
  cuda.fence sys
  %both = arith.andi %b, %c : i1
  cuda.atomic_store gpu, %both, %out[%i] : i1, !tt.ptr<i1>, i32
  cuda.return
}
