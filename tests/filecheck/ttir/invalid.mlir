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

%0 = arith.constant 0 : i65  // expected-error {{integers have from 1 to 64 bits}}

// -----

%0 = arith.constant 0 : i0  // expected-error {{integers have from 1 to 64 bits}}

// -----

%0 = arith.constant 0 : i999999999  // expected-error {{integers have from 1 to 64 bits}}

// -----

%0 = arith.constant 0 : i999999999999999999999  // expected-error {{integers have from 1 to 64 bits}}

// -----

module {
  tt.func @f() {
    tt.return
  }
^second:  // expected-error {{a module has one block, and this one has 2}}
}

// -----

%0 = arith.constant 1.0 : f32
%1 = arith.truncf %0 upward : f32 to f16  // expected-error {{arith.truncf does not round upward; leave that out where to_nearest_even will do}}

// -----

%0 = arith.constant 1.0 : f32
%1 = arith.scaling_truncf %0, %0 : f32, f32 to f16  // expected-error {{arith.scaling_truncf is not supported; use a quotient by the scale and arith.truncf}}

// -----

%0 = arith.constant 1.0 : f16
%1 = arith.scaling_extf %0, %0 : f16, f16 to f32  // expected-error {{arith.scaling_extf is not supported; use tt.dot_scaled}}

// -----

scf.forall (%i) in (4) {  // expected-error {{scf.forall is not supported; use scf.for, or a program of the grid}}
}

// -----

%0 = arith.constant 1 : index
scf.parallel (%i) = (%0) to (%0) step (%0) {  // expected-error {{scf.parallel is not supported; use scf.for, or a program of the grid}}
  scf.reduce
}

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
