// RUN: mytriton-opt %s -p tt-to-cuda | filecheck %s
// RUN: mytriton-opt %s -p 'tt-to-cuda{num-warps=1}' -t cuda | filecheck %s --check-prefix=TEXT
// The second run finds nothing to do.
// RUN: mytriton-opt %s -p tt-to-cuda,tt-to-cuda | filecheck %s
// RUN: not mytriton-opt %s -p 'tt-to-cuda{num-warps=3}' 2>&1 | filecheck %s --check-prefix=WARPS
// RUN: not mytriton-opt %s -p 'tt-to-cuda{arch=sm_12}' 2>&1 | filecheck %s --check-prefix=ARCH
// RUN: not mytriton-opt %s -p 'tt-to-cuda{num-stages=few}' 2>&1 | filecheck %s --check-prefix=STAGES

tt.func public @double(%x: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %i, %bound : tensor<128xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %base, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %value = tt.load %p, %mask : tensor<128x!tt.ptr<f32>>
  %twice = arith.addf %value, %value : tensor<128xf32>
  tt.store %p, %twice, %mask : tensor<128x!tt.ptr<f32>>
  tt.return
}

// CHECK:     cuda.func @double(%x: !tt.ptr<f32>, %n: i32)
// CHECK-NOT: tensor<
// CHECK-NOT: tt.{{[^p]}}
// CHECK:     cuda.return

// TEXT: extern "C" __global__ void __launch_bounds__(32) double_(

// WARPS:  error: num_warps must be a power of two from 1 to 32, found 3
// ARCH:   error: arch must be one of sm_75, {{.*}}found 'sm_12'
// STAGES: mytriton-opt: error: the option 'num-stages' of the pass tt-to-cuda takes an integer, found 'few'
