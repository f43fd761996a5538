// RUN: not mytriton-opt %s -p convert-to-cuda --split-input-file 2>&1 | filecheck %s

// CHECK: error: {{.*}}the module has no attribute ttg.num-warps
tt.func @no_layouts(%x: !tt.ptr<f32>) {
  tt.return
}
