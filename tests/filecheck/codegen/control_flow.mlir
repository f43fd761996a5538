// RUN: mytriton-opt %s -t cuda | filecheck %s

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) loops(float *p, int n, long long m) {
// CHECK-NEXT:     float sum = 0.0f;
// CHECK-NEXT:     for (int k = 0; k < n; k += 16) {
// CHECK-NEXT:         float x = p[k];
// CHECK-NEXT:         sum += x;
// CHECK-NEXT:     }
// CHECK-NEXT:     for (long long j = 0LL; j < m; ++j) {
// CHECK-NEXT:         p[j] = sum;
// CHECK-NEXT:     }
// CHECK-NEXT:     int limit = n + 1;
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int i = n * 16; i < limit; i += n) {
// CHECK-NEXT:         p[i] = sum;
// CHECK-NEXT:     }
// CHECK-NEXT:     #pragma unroll 4
// CHECK-NEXT:     for (int j = 0; j < n; ++j) {
// CHECK-NEXT:         p[j] = sum;
// CHECK-NEXT:     }
// CHECK-NEXT: }
cuda.func @loops(%p: !tt.ptr<f32>, %n: i32, %m: i64) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero) -> (f32) : i32 {
    %x = cuda.load %p[%k] : !tt.ptr<f32>, i32 -> f32
    %next = arith.addf %acc, %x : f32
    scf.yield %next : f32
  }
  %wide0 = arith.constant 0 : i64
  %wide1 = arith.constant 1 : i64
  scf.for %j = %wide0 to %m step %wide1 : i64 {
    cuda.store %sum, %p[%j] : f32, !tt.ptr<f32>, i64
  }
  %limit = arith.addi %n, %c1 overflow<nsw> : i32
  %start = arith.muli %n, %c16 overflow<nsw> : i32
  scf.for %i = %start to %limit step %n : i32 {
    cuda.store %sum, %p[%i] : f32, !tt.ptr<f32>, i32
  } {cuda.unroll}
  scf.for %j = %c0 to %n step %c1 : i32 {
    cuda.store %sum, %p[%j] : f32, !tt.ptr<f32>, i32
  } {cuda.unroll = 4 : i32}
  cuda.return
}

// A register array that a loop carries is updated in place.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) arrays(float *p, int n) {
// CHECK-NEXT:     float acc[4] = {};
// CHECK-NEXT:     for (int k = 0; k < n; ++k) {
// CHECK-NEXT:         #pragma unroll
// CHECK-NEXT:         for (int r = 0; r < 4; ++r) {
// CHECK-NEXT:             float x = p[r];
// CHECK-NEXT:             acc[r] += x;
// CHECK-NEXT:         }
// CHECK-NEXT:     }
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int r = 0; r < 4; ++r) {
// CHECK-NEXT:         p[r] = acc[r];
// CHECK-NEXT:     }
// CHECK-NEXT: }
cuda.func @arrays(%p: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %zeros = cuda.splat %zero : f32 -> !cuda.regs<4xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%acc_in = %zeros) -> (!cuda.regs<4xf32>) : i32 {
    %acc_out = cuda.map 4 -> !cuda.regs<4xf32> {
    ^bb0(%r: i32):
      %x = cuda.load %p[%r] : !tt.ptr<f32>, i32 -> f32
      %e = cuda.get %acc_in[%r] : !cuda.regs<4xf32> -> f32
      %s = arith.addf %e, %x : f32
      cuda.yield %s : f32
    }
    scf.yield %acc_out : !cuda.regs<4xf32>
  }
  cuda.map 4 {
  ^bb0(%r: i32):
    %e = cuda.get %acc[%r] : !cuda.regs<4xf32> -> f32
    cuda.store %e, %p[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) branches(float *p, int n, float x, float y) {
// CHECK-NEXT:     if (n > 0) {
// CHECK-NEXT:         p[n] = x;
// CHECK-NEXT:     }
// CHECK-NEXT:     float chosen;
// CHECK-NEXT:     if (n > 0) {
// CHECK-NEXT:         chosen = x + y;
// CHECK-NEXT:     } else {
// CHECK-NEXT:         chosen = y;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (!(n < 0)) {
// CHECK-NEXT:         p[n] = chosen;
// CHECK-NEXT:     }
// CHECK-NEXT: }
cuda.func @branches(%p: !tt.ptr<f32>, %n: i32, %x: f32, %y: f32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %n, %c0 : i32
  scf.if %positive {
    cuda.store %x, %p[%n] : f32, !tt.ptr<f32>, i32
  }
  %0 = arith.cmpi sgt, %n, %c0 : i32
  %chosen = scf.if %0 -> (f32) {
    %sum = arith.addf %x, %y : f32
    scf.yield %sum : f32
  } else {
    scf.yield %y : f32
  }
  %1 = arith.cmpi slt, %n, %c0 : i32
  scf.if %1 {
  } else {
    cuda.store %chosen, %p[%n] : f32, !tt.ptr<f32>, i32
  }
  cuda.return
}

// A branch that leaves a value as it is has nothing to write.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) conditional_update(float *p, int n) {
// CHECK-NEXT:     float best = 0.0f;
// CHECK-NEXT:     for (int i = 0; i < n; ++i) {
// CHECK-NEXT:         float x = p[i];
// CHECK-NEXT:         if (x > best) {
// CHECK-NEXT:             best = x;
// CHECK-NEXT:         }
// CHECK-NEXT:     }
// CHECK-NEXT:     p[0] = best;
// CHECK-NEXT: }
cuda.func @conditional_update(%p: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %best = scf.for %i = %c0 to %n step %c1 iter_args(%best_in = %zero) -> (f32) : i32 {
    %x = cuda.load %p[%i] : !tt.ptr<f32>, i32 -> f32
    %better = arith.cmpf ogt, %x, %best_in : f32
    %best_out = scf.if %better -> (f32) {
      scf.yield %x : f32
    } else {
      scf.yield %best_in : f32
    }
    scf.yield %best_out : f32
  }
  cuda.store %best, %p[%c0] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) while_loops(float *p, int *q, int n) {
// CHECK-NEXT:     int i = 0;
// CHECK-NEXT:     while (i < n) {
// CHECK-NEXT:         i += 1u;
// CHECK-NEXT:     }
// CHECK-NEXT:     q[0] = i;
// CHECK-NEXT:     int j = 0;
// CHECK-NEXT:     while (true) {
// CHECK-NEXT:         j = q[j];
// CHECK-NEXT:         if (!(j != 0)) break;
// CHECK-NEXT:         q[1] = j;
// CHECK-NEXT:     }
// CHECK-NEXT:     q[0] = j;
// CHECK-NEXT: }
cuda.func @while_loops(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = scf.while (%i_in = %c0) : (i32) -> i32 {
    %goes_on = arith.cmpi slt, %i_in, %n : i32
    scf.condition(%goes_on) %i_in : i32
  } do {
  ^bb0(%i_body: i32):
    %next = arith.addi %i_body, %c1 : i32
    scf.yield %next : i32
  }
  cuda.store %i, %q[%c0] : i32, !tt.ptr<i32>, i32
  %j = scf.while (%j_in = %c0) : (i32) -> i32 {
    %x = cuda.load %q[%j_in] : !tt.ptr<i32>, i32 -> i32
    %goes_on = arith.cmpi ne, %x, %c0 : i32
    scf.condition(%goes_on) %x : i32
  } do {
  ^bb0(%j_body: i32):
    cuda.store %j_body, %q[%c1] : i32, !tt.ptr<i32>, i32
    scf.yield %j_body : i32
  }
  cuda.store %j, %q[%c0] : i32, !tt.ptr<i32>, i32
  cuda.return
}

// Values that change places go through a temporary.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) fibonacci(int *p, int n) {
// CHECK-NEXT:     int a = 0;
// CHECK-NEXT:     int b = 1;
// CHECK-NEXT:     for (int i = 0; i < n; ++i) {
// CHECK-NEXT:         int b_next = a + (unsigned)b;
// CHECK-NEXT:         a = b;
// CHECK-NEXT:         b = b_next;
// CHECK-NEXT:     }
// CHECK-NEXT:     p[0] = a;
// CHECK-NEXT: }
cuda.func @fibonacci(%p: !tt.ptr<i32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%a_in = %c0, %b_in = %c1) -> (i32, i32) : i32 {
    %sum = arith.addi %a_in, %b_in : i32
    scf.yield %b_in, %sum : i32, i32
  }
  cuda.store %a, %p[%c0] : i32, !tt.ptr<i32>, i32
  cuda.return
}

// Pointers to constant data stay so in loops and temporaries.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) pointers(const float *p, const float *q, float *out, int n) {
// CHECK-NEXT:     const float *a = p;
// CHECK-NEXT:     const float *b = q;
// CHECK-NEXT:     for (int i = 0; i < n; ++i) {
// CHECK-NEXT:         float x = a[i];
// CHECK-NEXT:         out[i] = x;
// CHECK-NEXT:         const float *b_next = a;
// CHECK-NEXT:         a = b;
// CHECK-NEXT:         b = b_next;
// CHECK-NEXT:     }
// CHECK-NEXT:     float y = b[0];
// CHECK-NEXT:     out[n] = y;
// CHECK-NEXT: }
cuda.func @pointers(%p: !tt.ptr<f32> {cuda.const}, %q: !tt.ptr<f32> {cuda.const}, %out: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%a_in = %p, %b_in = %q) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
    %x = cuda.load %a_in[%i] : !tt.ptr<f32>, i32 -> f32
    cuda.store %x, %out[%i] : f32, !tt.ptr<f32>, i32
    scf.yield %b_in, %a_in : !tt.ptr<f32>, !tt.ptr<f32>
  }
  %y = cuda.load %b[%c0] : !tt.ptr<f32>, i32 -> f32
  cuda.store %y, %out[%n] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// A loop whose counter might overflow is left before it does.
// CHECK-LABEL: void __launch_bounds__(32) last_numbers(float *p, int m, int n) {
// CHECK-NEXT:     for (int i = 0; i < n; i += 16) {
// CHECK-NEXT:         p[i] = 1.0f;
// CHECK-NEXT:         if (n - i <= 16) break;
// CHECK-NEXT:     }
// CHECK-NEXT:     for (int j = m; j < n; j += 16) {
// CHECK-NEXT:         p[j] = 1.0f;
// CHECK-NEXT:         if ((unsigned)n - j <= 16u) break;
// CHECK-NEXT:     }
cuda.func @last_numbers(%p: !tt.ptr<f32>, %m: i32, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c16 : i32 {
    cuda.store %one, %p[%i] : f32, !tt.ptr<f32>, i32
  } {cuda.may_overflow}
  scf.for %j = %m to %n step %c16 : i32 {
    cuda.store %one, %p[%j] : f32, !tt.ptr<f32>, i32
  } {cuda.may_overflow}
  cuda.return
}
