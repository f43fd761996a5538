// RUN: mytriton-opt %s -p allocate-shared --split-input-file --verify-diagnostics
// RUN: not mytriton-opt %s -p 'allocate-shared{dynamic=true arch=sm_1}' 2>&1 | filecheck %s --check-prefix=ARCH

// ARCH: error: unknown architecture 'sm_1', expected one of sm_75, sm_80

tt.func @too_large(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // expected-error@+1 {{the kernel needs 65536 bytes of shared memory, more than the 49152 bytes of static shared memory}}
  %d = tt.dot %a, %b, %c : tensor<128x64xf32> * tensor<64x128xf32> -> tensor<128x128xf32>
  tt.return %d : tensor<128x128xf32>
}
