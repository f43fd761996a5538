// RUN: mytriton-opt %s -p assign-layouts --split-input-file --verify-diagnostics
// RUN: not mytriton-opt %s -p 'assign-layouts{num-warps=3}' 2>&1 | filecheck %s --check-prefix=WARPS

// WARPS: error: num-warps must be a power of two from 1 to 32, found 3

tt.func @has_a_layout() {
  // expected-error@+1 {{expected tensors without layouts, found tensor<64xi32, #ttg.blocked}}
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
  tt.return
}

// -----

tt.func @other_warps(%p: tensor<64x!tt.ptr<f32>>) {
  // expected-error@+1 {{expected ttg.access_layout to have 4 warps, found 2}}
  %x = tt.load %p {ttg.access_layout = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>} : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @other_rank(%p: tensor<64x!tt.ptr<f32>>) {
  // expected-error@+1 {{expected a layout of rank 1 as ttg.access_layout, found 4 : i32}}
  %x = tt.load %p {ttg.access_layout = 4 : i32} : tensor<64x!tt.ptr<f32>>
  tt.return
}
