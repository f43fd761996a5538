// RUN: mytriton-opt %s -t cuda | filecheck %s

// The comment stands where a statement begins that comes from another line; the file is without its folder.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) lines(float *x_ptr, int n) {
// CHECK-NEXT:     // kernels.py:12  x = tl.load(x_ptr + n)  # a comment
// CHECK-NEXT:     float y = x_ptr[n];
// CHECK-NEXT:     // kernels.py:13  for i in range(n):
// CHECK-NEXT:     for (int i = 0; i < n; ++i) {
// CHECK-NEXT:         y += 1.0f;
// CHECK-NEXT:     }
// CHECK-NEXT:     // kernels.py:15  tl.store(x_ptr, x)
// CHECK-NEXT:     x_ptr[0] = y;
// CHECK-NEXT:     x_ptr[1] = y;
// CHECK-NEXT: }
cuda.func @lines(%x_ptr: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32, tt.source = "@jit\ndef lines(x_ptr, n):\n    x = tl.load(x_ptr + n)  # a comment\n    for i in range(n):\n        x = x + 1.0\n    tl.store(x_ptr, x)\n", tt.source_line = 10 : i32, tt.source_file = "/home/user/kernels.py"} {
  %c0 = arith.constant 0 : i32 loc("/home/user/kernels.py":13:4)
  %c1 = arith.constant 1 : i32 loc("/home/user/kernels.py":13:4)
  %one = arith.constant 1.0 : f32 loc("/home/user/kernels.py":14:12)
  %x = cuda.load %x_ptr[%n] : !tt.ptr<f32>, i32 -> f32 loc("/home/user/kernels.py":12:8)
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> (f32) : i32 {
    %w = arith.addf %z, %one : f32 loc("/home/user/kernels.py":14:12)
    scf.yield %w : f32 loc("/home/user/kernels.py":14:12)
  } loc("/home/user/kernels.py":13:4)
  cuda.store %y, %x_ptr[%c0] : f32, !tt.ptr<f32>, i32 loc("/home/user/kernels.py":15:4)
  cuda.store %y, %x_ptr[%c1] : f32, !tt.ptr<f32>, i32 loc("/home/user/kernels.py":15:4)
  cuda.return
}

// The source of another file is not known; lines of .mlir files are not worth a comment.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) other_files(float *p, float x) {
// CHECK-NEXT:     // helpers.py:2
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     // f.py:40
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     // f.py:2  tl.store(p, x)
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT: }
cuda.func @other_files(%p: !tt.ptr<f32>, %x: f32) attributes {num_warps = 1 : i32, tt.source = "def f(p, x):\n    tl.store(p, x)\n", tt.source_line = 1 : i32, tt.source_file = "f.py"} {
  %c0 = arith.constant 0 : i32
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("helpers.py":2:4)
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("f.py":40:4)
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("sum"("f.py":2:4))
  cuda.return
}

// Nothing in the source can end the comment or hide what follows it.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) hostile(float *p, float x) {
// CHECK-NEXT:     // f.py:1  a
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     // f.py:2  b ? ?/
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     // f.py:3  c int evil;
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     // f.py:4  d */ int evil; /*
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     // f.py:5  e      f
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     // f.py:6  long long long long long long long long long long long long long long long long long long...
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT:     // x #include <evil>.py:6
// CHECK-NEXT:     p[0] = x;
// CHECK-NEXT: }
cuda.func @hostile(%p: !tt.ptr<f32>, %x: f32) attributes {num_warps = 1 : i32, tt.source = "a \\\nb ??/\nc\0Dint evil;\nd */ int evil; /*\ne \00\07 ‮ f\nlong long long long long long long long long long long long long long long long long long line", tt.source_line = 1 : i32, tt.source_file = "f.py"} {
  %c0 = arith.constant 0 : i32
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("f.py":1:1)
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("f.py":2:1)
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("f.py":3:1)
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("f.py":4:1)
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("f.py":5:1)
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("f.py":6:1)
  cuda.store %x, %p[%c0] : f32, !tt.ptr<f32>, i32 loc("x\n#include <evil>.py":6:1)
  cuda.return
}
