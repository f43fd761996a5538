// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

tt.func @f(%x: tensor<16xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{expected operands and results of shape 16, found tensor<8xf32>}}
  %0 = tt.extern_elementwise %x, %y {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<16xf32>, tensor<8xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%x: f32) {
  // expected-error@+1 {{expected the symbol of a function, found none}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = ""} : (f32) -> f32
  tt.return
}

// -----

tt.func @f(%x: f32) {
  // expected-error@+1 {{expected a packed_element of 1 or more, found 0}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=f,f", packed_element = 0 : i32, pure = true} %x : f32 -> f32
  tt.return
}

// -----

tt.func @f(%x: tensor<16xf32>) {
  // expected-error@+1 {{expected a region with arguments (f32, f32), found (f32)}}
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a, %a : f32, f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<16xf32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    // expected-error@+1 {{expected values of types (f32), found (f32, f32)}}
    tt.map_elementwise.return %a, %a : f32, f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%x: f32) {
  // expected-error@+1 {{expected isSigned for 1 values, found 2}}
  tt.print " x: " {hex = false, isSigned = array<i32: 0, 1>} : %x : f32
  tt.return
}

// -----

tt.func @f(%x: i32) {
  // expected-error@+1 {{expected an i1 or a tensor of i1, found i32}}
  tt.assert %x, "x" : i32
  tt.return
}
