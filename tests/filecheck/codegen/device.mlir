// RUN: mytriton-opt %s --target cuda | filecheck %s

// Functions of libdevice, and what a kernel prints and checks.

// CHECK: #define print_element(description, ...) printf(__VA_ARGS__)
// CHECK-NEXT: #define assert_failed(message, file, line, ...) __assertfail(message, file, line, __func__, 1)
// CHECK: void grid_dependency_wait() {
// CHECK: asm volatile("griddepcontrol.wait;" ::: "memory");

cuda.func @kernel(%x: f32, %n: i32, %out: !tt.ptr<f32>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  // CHECK: grid_dependency_wait();
  cuda.grid_dependency "wait"
  // CHECK-NEXT: float a = tanhf(x);
  %a = cuda.call "tanhf"(%x) : (f32) -> f32
  // CHECK-NEXT: print_element("f32", "pid a: %f\n", a);
  cuda.print "f32", "pid a: %f\n" (%a : f32)
  // CHECK-NEXT: int bits = __float_as_uint(a);
  %bits = cuda.call "__float_as_uint"(%a) : (f32) -> i32
  %holds = arith.cmpi slt, %n, %bits : i32
  // CHECK-NEXT: if (!(n < bits)) assert_failed("it is \"large\"", "kernel.py", 7, "[] i32 slt i32", n, bits);
  cuda.assert %holds, "it is \22large\22" at "kernel.py" : 7, "[] i32 slt i32" (%n, %bits : i32, i32)
  // CHECK-NEXT: out[0] = a;
  cuda.store %a, %out[%c0] : f32, !tt.ptr<f32>, i32
  cuda.return
}
