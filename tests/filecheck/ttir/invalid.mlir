// RUN: mytriton-opt %s --verify-diagnostics --split-input-file

%0 = arith.constant dense<0x1FF800000> : tensor<4xf32>  // expected-error {{expected the bit pattern of a f32: at most 32 bits and no sign}}

// -----

%0 = arith.constant dense<-0xFF> : tensor<4xf32>  // expected-error {{expected the bit pattern of a f32}}

// -----

%0 = arith.constant dense<0> : tensor<99999999999xi32>  // expected-error {{this constant has 99999999999 elements; at most 16777216 are allowed}}

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
