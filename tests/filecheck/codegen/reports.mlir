// RUN: mytriton-opt %s -t cuda | filecheck %s

// Reports of faulty values, which only text for the CPU device has.
// CHECK: void __launch_bounds__(32) kernel(const float *p, int n) {
cuda.func @kernel(%p: !tt.ptr<f32> {cuda.const}, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %tid = cuda.thread_id : i32
  %is_faulty = arith.cmpi ne, %n, %c0 : i32
  // CHECK: bool is_faulty = n != 0;
  // CHECK-NEXT: if (is_faulty) report_value(n, 2, 0);
  cuda.report %n if %is_faulty {sink = 2 : i32}
  %q = cuda.ptr_add %p, %tid : !tt.ptr<f32>, i32
  // CHECK-NEXT: if (is_faulty) report_value(n, 0, p + tid);
  cuda.report %n if %is_faulty at %q : !tt.ptr<f32> {sink = 0 : i32}
  cuda.return
}
