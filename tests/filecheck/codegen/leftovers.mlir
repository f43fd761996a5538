// RUN: mytriton-opt %s -t cuda --split-input-file --verify-diagnostics

tt.func @plain_dot(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>) {
  // expected-error@+1 {{CUDA lowering for tl.dot is not implemented}}
  %0 = tt.dot %a, %b, %c : tensor<4x8xf32> * tensor<8x2xf32> -> tensor<4x2xf32>
  tt.return
}

// -----

// A staged dot is named before one that is not.
tt.func @staged_dot(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %a_tile: !ttg.memdesc<4x8xf32>, %b_tile: !ttg.memdesc<8x2xf32>) {
  %0 = tt.dot %a, %b, %c : tensor<4x8xf32> * tensor<8x2xf32> -> tensor<4x2xf32>
  // expected-error@+1 {{CUDA shared-memory staging for tl.dot is implemented, but CUDA computation for tl.dot is not implemented}}
  %1 = ttg.dot %a_tile, %b_tile, %c : !ttg.memdesc<4x8xf32> * !ttg.memdesc<8x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  tt.return
}

// -----

// expected-error@+1 {{tt.func cannot be written as CUDA C}}
tt.func @not_lowered(%x: tensor<4xf32>) {
  %0 = arith.addf %x, %x : tensor<4xf32>
  tt.return
}

// -----

tt.func @reduction(%x: tensor<4xf32>) {
  // expected-error@+1 {{tt.reduce cannot be written as CUDA C}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

cuda.func @inside_a_kernel(%p: !tt.ptr<f32>) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{ttg.barrier cannot be written as CUDA C}}
  ttg.barrier
  cuda.return
}

// -----

// expected-error@+1 {{no C type holds a value of type tensor<4xf32>}}
cuda.func @tensor(%x: tensor<4xf32>) attributes {num_warps = 1 : i32} {
  cuda.return
}

// -----

cuda.func @small_float(%p: !tt.ptr<f16>, %i: i32) attributes {num_warps = 1 : i32} {
  %0 = cuda.load %p[%i] : !tt.ptr<f16>, i32 -> f16
  // expected-error@+1 {{arith.addf on f16 cannot be written as CUDA C}}
  %1 = arith.addf %0, %0 : f16
  cuda.store %1, %p[%i] : f16, !tt.ptr<f16>, i32
  cuda.return
}

// -----

cuda.func @wide_vector(%p: !tt.ptr<f32>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{no C type holds a value of type vector<8xf32>}}
  %0 = cuda.load %p[%i] : !tt.ptr<f32>, i32 -> vector<8xf32>
  cuda.store %0, %p[%i] : vector<8xf32>, !tt.ptr<f32>, i32
  cuda.return
}

// -----

cuda.func @cache(%p: !tt.ptr<f32>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.load: the cache modifier is one of ca, cg, cs, cv, found 'wb); evil('}}
  %0 = cuda.load %p[%i] {cache = "wb); evil("} : !tt.ptr<f32>, i32 -> f32
  cuda.store %0, %p[%i] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// -----

// Names that did not come from assign-variables never reach the text.
// expected-error@+1 {{the attributes of assign-variables do not fit: 'x; evil()' is not the name of a C variable}}
cuda.func @forged_name(%p: !tt.ptr<f32>) attributes {num_warps = 1 : i32, cuda.assigned, cuda.args = ["x; evil()"]} {
  cuda.return
}

// -----

// expected-error@+1 {{the attributes of assign-variables do not fit: cuda.func has 0 names in cuda.args and needs 1}}
cuda.func @no_names(%p: !tt.ptr<f32>) attributes {num_warps = 1 : i32, cuda.assigned} {
  cuda.return
}

// -----

cuda.func @no_names_inside(%p: !tt.ptr<f32>, %x: f32) attributes {num_warps = 1 : i32, cuda.assigned, cuda.args = ["p", "x"]} {
  // expected-error@+1 {{the attributes of assign-variables do not fit: cuda.map has 0 names in cuda.args and needs 1}}
  cuda.map 4 {
  ^bb0(%r: i32):
    cuda.store %x, %p[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}
