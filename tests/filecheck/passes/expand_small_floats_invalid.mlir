// RUN: mytriton-opt %s -p expand-small-floats --split-input-file --verify-diagnostics

cuda.func @half_towards_zero(%x: f32, %p: !tt.ptr<f16>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{a conversion from f32 to f16 that rounds towards zero}}
  %cut = tt.fp_to_fp %x, rounding = rtz : f32 -> f16
  cuda.store %cut, %p[%i] : f16, !tt.ptr<f16>, i32
  cuda.return
}

// -----

cuda.func @double_towards_zero(%x: f64, %p: !tt.ptr<bf16>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{a conversion from f64 to bf16 that rounds towards zero}}
  %cut = tt.fp_to_fp %x, rounding = rtz : f64 -> bf16
  cuda.store %cut, %p[%i] : bf16, !tt.ptr<bf16>, i32
  cuda.return
}
