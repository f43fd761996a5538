// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{a block has 1 to 32 warps, got 33}}
cuda.func @too_many_warps() attributes {num_warps = 33 : i32} {
  cuda.return
}

// -----

// expected-error@+1 {{cuda.func needs `attributes {num_warps = N : i32}`}}
cuda.func @no_warps() {
  cuda.return
}

// -----

// expected-error@+1 {{the body of cuda.func ends with cuda.return}}
cuda.func @no_return() attributes {num_warps = 1 : i32} {
  cuda.barrier
}

// -----

// expected-error@+1 {{a kernel returns nothing}}
"cuda.func"() <{sym_name = "f", function_type = () -> i32, num_warps = 1 : i32}> ({
  "cuda.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{the types of the entry block's arguments differ from the function type}}
"cuda.func"() <{sym_name = "f", function_type = (i32) -> (), num_warps = 1 : i32}> ({
  "cuda.return"() : () -> ()
}) : () -> ()

// -----

cuda.func @axis() attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{expected x, y or z}}
  %0 = cuda.block_id w : i32
  cuda.return
}

// -----

cuda.func @axis_number() attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{axis is 0, 1 or 2, got 3}}
  %0 = "cuda.grid_dim"() <{axis = 3 : i32}> : () -> i32
  cuda.return
}

// -----

// expected-error@+1 {{!cuda.regs holds at least 2 elements, got 1; one element is a scalar}}
cuda.func @one_register(%x: !cuda.regs<1xf32>) attributes {num_warps = 1 : i32} {
  cuda.return
}

// -----

// expected-error@+1 {{expected !cuda.regs<SIZExTYPE>}}
cuda.func @matrix_of_registers(%x: !cuda.regs<2x2xf32>) attributes {num_warps = 1 : i32} {
  cuda.return
}

// -----

// expected-error@+1 {{a shared array has one or more positive extents, got (4, 0)}}
cuda.func @empty_array(%x: !cuda.shared<4x0xf32>) attributes {num_warps = 1 : i32} {
  cuda.return
}

// -----

cuda.func @step(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.map: the step 3 does not divide the size 8}}
  cuda.map 8 step 3 {
  ^bb0(%r: i32):
    cuda.yield
  }
  cuda.return
}

// -----

cuda.func @map_argument(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{the region of cuda.map has one argument, the register's number, of type i32}}
  cuda.map 8 {
  ^bb0(%r: i64):
    cuda.yield
  }
  cuda.return
}

// -----

cuda.func @map_results(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.map has 1 results but yields 0 values}}
  %0 = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    cuda.yield
  }
  cuda.return
}

// -----

cuda.func @map_scalar_for_vector(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.map of 8 registers, step 4: !cuda.regs<8xf32> cannot be made of f32}}
  %0 = cuda.map 8 step 4 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    cuda.yield %x : f32
  }
  cuda.return
}

// -----

cuda.func @map_size(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.map of 8 registers, step 1: !cuda.regs<4xf32> cannot be made of f32}}
  %0 = cuda.map 8 -> !cuda.regs<4xf32> {
  ^bb0(%r: i32):
    cuda.yield %x : f32
  }
  cuda.return
}

// -----

cuda.func @get_type(%x: !cuda.regs<8xf32>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.get cannot read i32 from !cuda.regs<8xf32>}}
  %0 = cuda.get %x[%i] : !cuda.regs<8xf32> -> i32
  cuda.return
}

// -----

cuda.func @get_width(%x: !cuda.regs<2xf32>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.get cannot read vector<4xf32> from !cuda.regs<2xf32>}}
  %0 = cuda.get %x[%i] : !cuda.regs<2xf32> -> vector<4xf32>
  cuda.return
}

// -----

cuda.func @splat(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.splat of f32 cannot make !cuda.regs<2xf64>}}
  %0 = cuda.splat %x : f32 -> !cuda.regs<2xf64>
  cuda.return
}

// -----

cuda.func @load_rank(%i: i32) attributes {num_warps = 1 : i32} {
  %a = cuda.shared_array "a" : !cuda.shared<4x4xf32>
  // expected-error@+1 {{cuda.load: !cuda.shared<4x4xf32> takes 2 indices, got 1}}
  %0 = cuda.load %a[%i] : !cuda.shared<4x4xf32>, i32 -> f32
  cuda.return
}

// -----

cuda.func @load_type(%p: !tt.ptr<f32>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.load: f64 does not fit !tt.ptr<f32>}}
  %0 = cuda.load %p[%i] : !tt.ptr<f32>, i32 -> f64
  cuda.return
}

// -----

cuda.func @load_other(%p: !tt.ptr<f32>, %i: i32, %m: i1, %x: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.load: `else` needs a mask and the result's type f32, got i32}}
  %0 = cuda.load %p[%i] if %m else %x : i32 : !tt.ptr<f32>, i32 -> f32
  cuda.return
}

// -----

cuda.func @load_matrix(%p: !tt.ptr<f32>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.load: a vector has one dimension, got vector<2x2xf32>}}
  %0 = cuda.load %p[%i] : !tt.ptr<f32>, i32 -> vector<2x2xf32>
  cuda.return
}

// -----

cuda.func @store_type(%p: !tt.ptr<f32>, %i: i32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.store: i32 does not fit !tt.ptr<f32>}}
  cuda.store %i, %p[%i] : i32, !tt.ptr<f32>, i32
  cuda.return
}

// -----

cuda.func @alignment() attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.shared_array: the alignment is a power of two, got 12}}
  %0 = cuda.shared_array "a" {alignment = 12 : i32} : !cuda.shared<4xf32>
  cuda.return
}

// -----

cuda.func @dynamic() attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.shared_array: dynamic memory is an array of bytes, got !cuda.shared<4xf32>}}
  %0 = cuda.shared_array "a" {dynamic = true} : !cuda.shared<4xf32>
  cuda.return
}

// -----

cuda.func @view_offset() attributes {num_warps = 1 : i32} {
  %0 = cuda.shared_array "a" : !cuda.shared<256xi8>
  // expected-error@+1 {{the offset is a multiple of 16 bytes, got 8}}
  %1 = cuda.shared_view %0 "b" 8 : !cuda.shared<256xi8> -> !cuda.shared<4xf32>
  cuda.return
}

// -----

cuda.func @view_size() attributes {num_warps = 1 : i32} {
  %0 = cuda.shared_array "a" : !cuda.shared<256xi8>
  // expected-error@+1 {{cuda.shared_view: 32 bytes from byte 240 on do not fit into !cuda.shared<256xi8>}}
  %1 = cuda.shared_view %0 "b" 240 : !cuda.shared<256xi8> -> !cuda.shared<8xf32>
  cuda.return
}

// -----

cuda.func @view_of_floats() attributes {num_warps = 1 : i32} {
  %0 = cuda.shared_array "a" : !cuda.shared<256xf32>
  // expected-error@+1 {{cuda.shared_view: a view is of an array of bytes, got !cuda.shared<256xf32>}}
  %1 = cuda.shared_view %0 "b" 16 : !cuda.shared<256xf32> -> !cuda.shared<8xf32>
  cuda.return
}

// -----

cuda.func @butterfly_region(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.butterfly: the region has each value's type twice, the results once}}
  %0 = cuda.butterfly %x masks [1] : f32 -> f32 {
  ^bb0(%own: f32):
    cuda.yield %own : f32
  }
  cuda.return
}

// -----

cuda.func @butterfly_mask(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{cuda.butterfly: a mask is a power of two below 32, got 3}}
  %0 = cuda.butterfly %x masks [3] : f32 -> f32 {
  ^bb0(%own: f32, %partner: f32):
    cuda.yield %own : f32
  }
  cuda.return
}
