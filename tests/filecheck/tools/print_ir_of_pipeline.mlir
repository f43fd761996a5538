// RUN: rm -rf %t.dump
// RUN: mytriton-opt %s -p tt-to-cuda -t cuda -o %t.cu --dump-dir %t.dump --print-ir-after assign-layouts 2>&1 | filecheck %s
// RUN: filecheck %s --check-prefix=FIRST --input-file %t.dump/01-structure-branches.mlir
// RUN: filecheck %s --check-prefix=CUDA --input-file %t.cu

// The passes that make up the standard pipeline are seen one by one.

tt.func public @fill(%x: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %base, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %p, %zero : tensor<32x!tt.ptr<f32>>
  tt.return
}

// CHECK:     // IR after assign-layouts:
// CHECK:     tt.store {{.*}} : tensor<32x!tt.ptr<f32>, #ttg.blocked<
// CHECK-NOT: // IR after

// FIRST: tt.store {{.*}} : tensor<32x!tt.ptr<f32>>

// CUDA: extern "C" __global__ void {{.*}} fill(
