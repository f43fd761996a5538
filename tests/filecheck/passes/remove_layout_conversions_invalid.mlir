// RUN: mytriton-opt %s -p remove-layout-conversions --split-input-file --verify-diagnostics

tt.func @other_shape(%x: tensor<16x32xf32>) {
  // expected-error@+1 {{differ in shape or element type}}
  %y = ttg.convert_layout %x : tensor<16x32xf32> -> tensor<32x16xf32>
  tt.return
}
