// RUN: mytriton-opt %s | mytriton-opt | filecheck %s

// Functions of libdevice and of the kernel's own, messages, barriers and kernels that overlap: Triton's text.

tt.func public @elementwise(%x: tensor<16xf32>, %y: tensor<16xf32>, %s: f32) {
  // CHECK: %0 = tt.extern_elementwise %x, %y {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %0 = tt.extern_elementwise %x, %y {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  // CHECK-NEXT: %1 = tt.extern_elementwise %s {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (f32) -> f32
  %1 = tt.extern_elementwise %s {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (f32) -> f32
  // CHECK-NEXT: %2, %3 = tt.elementwise_inline_asm "add.f32 $1, $2, $3;" {constraints = "=r,=f,f,f", packed_element = 1 : i32, pure = true} %0, %y : tensor<16xf32>, tensor<16xf32> -> tensor<16xi32>, tensor<16xf32>
  %2:2 = tt.elementwise_inline_asm "add.f32 $1, $2, $3;" {constraints = "=r,=f,f,f", packed_element = 1 : i32, pure = true} %0, %y : tensor<16xf32>, tensor<16xf32> -> tensor<16xi32>, tensor<16xf32>
  // CHECK-NEXT: %4 = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  %3 = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  // CHECK-NEXT: %5, %6 = "tt.map_elementwise"(%x, %y) <{pack = 2 : i32}> ({
  // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32, f32
  // CHECK-NEXT: }) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  %4:2 = "tt.map_elementwise"(%x, %y) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %e = arith.addf %a, %c : f32
    tt.map_elementwise.return %e, %b, %c, %d : f32, f32, f32, f32
  }) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  tt.return
}

tt.func public @messages(%x: tensor<16xf32>, %n: i32, %holds: tensor<16xi1>, %known: i1) {
  // CHECK: ttg.barrier all
  ttg.barrier all
  // CHECK-NEXT: tt.print " n: " {hex = true, isSigned = array<i32: 1, 0>} : %n, %x : i32, tensor<16xf32>
  tt.print " n: " {hex = true, isSigned = array<i32: 1, 0>} : %n, %x : i32, tensor<16xf32>
  // CHECK-NEXT: tt.print " here" {hex = false, isSigned = array<i32>}
  tt.print " here" {hex = false, isSigned = array<i32>}
  // CHECK-NEXT: tt.assert %holds, "it does not hold" : tensor<16xi1>
  tt.assert %holds, "it does not hold" : tensor<16xi1>
  // CHECK-NEXT: llvm.intr.assume %known : i1
  llvm.intr.assume %known : i1
  // CHECK-NEXT: tt.grid_dependency_wait
  tt.grid_dependency_wait
  // CHECK-NEXT: tt.grid_dependency_launch_dependents
  tt.grid_dependency_launch_dependents
  tt.return
}
