// RUN: mytriton-opt %s --verify-diagnostics --split-input-file

%0 = arith.constant dense<0x1FF800000> : tensor<4xf32>  // expected-error {{expected the bit pattern of a f32: at most 32 bits and no sign}}

// -----

%0 = arith.constant dense<-0xFF> : tensor<4xf32>  // expected-error {{expected the bit pattern of a f32}}

// -----

%0 = arith.constant dense<0> : tensor<99999999999xi32>  // expected-error {{this tensor has 99999999999 elements; from 1 to 1048576 are allowed}}

// -----

%0 = arith.constant dense<0> : tensor<0xi32>  // expected-error {{this tensor has 0 elements; from 1 to 1048576 are allowed}}

// -----

%0 = arith.constant dense<0> : tensor<?xi32>  // expected-error {{the extents of a tensor are numbers}}

// -----

%0 = tt.make_range {end = 2097152 : i32, start = 0 : i32} : tensor<2097152xi32>  // expected-error {{this tensor has 2097152 elements}}

// -----

%0 = arith.constant 0 : i16777216  // expected-error {{integers have at most 16777215 bits}}

// -----

%0 = arith.constant 0 : i999999999999999999999  // expected-error {{integers have at most 16777215 bits}}

// -----

tt.func @f() {
  %0 = arith.constant 1 : i32 {a = 1 : i32}  // expected-error {{unexpected '{' in block definition}}
  tt.return
}

// -----

%é = arith.constant 1 : i32  // expected-error {{expected a name of ASCII letters, digits and _$.- after %}}

// -----

tt.func @f(%a: i32) {
  tt.return
}
tt.func @f(%a: i32) {  // expected-error {{'tt.func': "f" is defined twice}}
  tt.return
}

// -----

%0 = arith.constant 1 : i32 loc(#loc1)  // expected-error {{undefined symbol alias '#loc1'}}

// -----

#loc1 = loc("a"(#loc2))
#loc2 = loc("b"(#loc1))  // expected-error {{location alias '#loc1' is defined by itself}}
%0 = arith.constant 1 : i32 loc(#loc1)

// -----

%0 = arith.constant 1 : i32 loc(#loc1)
#loc1 = loc("a.py":1:1)
#loc1 = loc("a.py":2:1)  // expected-error {{re-declaration of alias '#loc1'}}

// -----

%0 = arith.constant 1 : i32 loc(#loc1)
#loc1 = loc("a.py":1)  // expected-error {{Expected ':'}}

// -----

%0 = arith.addi %1, %1 : i32  // expected-error {{%1 is used but not defined}}

// -----

%0 = arith.addi %1, %1 : i32  // expected-error {{'arith.addi': a value is used before it is defined}}
%1 = arith.constant 1 : i32

// -----

%0 = arith.addi %inner, %inner : i32  // expected-error {{'arith.addi': %inner is used before it is defined}}
%c = arith.constant true
scf.if %c {
  %inner = arith.constant 1 : i32
}

// -----

%0 = arith.mull %1, %1 : i32  // expected-error {{unknown operation 'arith.mull'; did you mean 'arith.muli'?}}

// -----

"no.such"() : () -> ()  // expected-error {{unknown operation 'no.such'}}

// -----

tt.func @f(%x: !tt.pointer<f32>) {  // expected-error {{'tt.pointer' is not registered}}
  tt.return
}
