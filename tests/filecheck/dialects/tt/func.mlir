// RUN: mytriton-opt %s | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// A kernel, with what the compiler knows about its arguments and where it comes from.
// CHECK: tt.func public @kernel(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false, tt.source = "def kernel(x, n):\0A    pass", tt.source_line = 7 : i32} {
// CHECK-NEXT: tt.return
// GENERIC: "tt.func"() <{sym_name = "kernel", function_type = (!tt.ptr<f32>, i32) -> (), sym_visibility = "public", arg_attrs = [{tt.divisibility = 16 : i32}, {}]}>
tt.func public @kernel(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false, tt.source = "def kernel(x, n):\n    pass", tt.source_line = 7 : i32} {
  tt.return
}

// CHECK: tt.func private @two_results(%a: i32, %b: tensor<4xf32>) -> (i32, tensor<4xf32>) {
// CHECK-NEXT: tt.return %a, %b : i32, tensor<4xf32>
// GENERIC: "tt.return"(%a, %b) : (i32, tensor<4xf32>) -> ()
tt.func private @two_results(%a: i32, %b: tensor<4xf32>) -> (i32, tensor<4xf32>) {
  tt.return %a, %b : i32, tensor<4xf32>
}

// CHECK: tt.func private @one_result(%a: f32) -> f32
tt.func private @one_result(%a: f32) -> f32 {
  tt.return %a : f32
}

// CHECK: tt.func private @declared(i32) -> f32{{$}}
tt.func private @declared(i32) -> f32

// CHECK-NEXT: tt.func @calls(%a: i32, %b: tensor<4xf32>) {
tt.func @calls(%a: i32, %b: tensor<4xf32>) {
  // CHECK-NEXT: %0, %1 = tt.call @two_results(%a, %b) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>)
  // GENERIC: "tt.call"(%a, %b) <{callee = @two_results}> : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>)
  %0, %1 = tt.call @two_results(%a, %b) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>)
  // CHECK-NEXT: %2 = tt.call @declared(%a) : (i32) -> f32
  %2 = tt.call @declared(%a) : (i32) -> f32
  // CHECK-NEXT: tt.call @nothing() : () -> ()
  tt.call @nothing() : () -> ()
  // CHECK-NEXT: tt.return
  tt.return
}

tt.func @nothing() {
  tt.return
}

// Control flow by blocks is allowed.
// CHECK: tt.func @blocks(%c: i1) -> i32 {
// CHECK: cf.cond_br %c
tt.func @blocks(%c: i1) -> i32 {
  %0 = arith.constant 0 : i32
  cf.cond_br %c, ^early, ^late
^early:
  tt.return %0 : i32
^late:
  %1 = arith.constant 1 : i32
  tt.return %1 : i32
}
