// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>

tt.func @convert_shape(%x: tensor<4x16xf32, #blocked>) {
  // expected-error@+1 {{differ in shape or element type}}
  %0 = ttg.convert_layout %x : tensor<4x16xf32, #blocked> -> tensor<8x8xf32, #blocked>
  tt.return
}

// -----

// expected-error@+1 {{!ttg.memdesc: every extent must be positive, got [0, 16]}}
tt.func @empty_buffer(%b: !ttg.memdesc<0x16xf32>) {
  tt.return
}

// -----

// expected-error@+1 {{!ttg.global_tile: every extent must be positive, got [4, 0]}}
tt.func @empty_tile(%t: !ttg.global_tile<4x0xf32>) {
  tt.return
}

// -----

tt.func @tile_rank(%p: !tt.ptr<f32>, %i: i32, %zero: f32) {
  // expected-error@+1 {{ttg.global_tile has rows and columns, got !ttg.global_tile<4xf32>}}
  %0 = ttg.global_tile %p[%i, %i] stride %i bounds [%i, %i] other %zero : !tt.ptr<f32>, i32, i32, i32, i32, i32, f32 -> !ttg.global_tile<4xf32>
  tt.return
}

// -----

tt.func @tile_element(%p: !tt.ptr<f32>, %i: i32, %zero: f16) {
  // expected-error@+1 {{ttg.global_tile: !tt.ptr<f32>, other f16 and !ttg.global_tile<4x4xf32> differ in their element type}}
  %0 = ttg.global_tile %p[%i, %i] stride %i bounds [%i, %i] other %zero : !tt.ptr<f32>, i32, i32, i32, i32, i32, f16 -> !ttg.global_tile<4x4xf32>
  tt.return
}

// -----

tt.func @load_tile(%t: !ttg.global_tile<4x4xf32>) {
  // expected-error@+1 {{ttg.load_tile: !ttg.global_tile<4x4xf32> and tensor<4x8xf32> differ in shape or element type}}
  %0 = ttg.load_tile %t : !ttg.global_tile<4x4xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @alloc_offset() {
  // expected-error@+1 {{ttg.local_alloc: the offset is a multiple of 16, got 8}}
  %0 = ttg.local_alloc {offset = 8 : i32} : !ttg.memdesc<4x4xf32>
  tt.return
}

// -----

tt.func @copy_element(%t: !ttg.global_tile<4x4xf32>) {
  %0 = ttg.local_alloc : !ttg.memdesc<4x4xf16>
  // expected-error@+1 {{ttg.copy_tile: !ttg.global_tile<4x4xf32> and !ttg.memdesc<4x4xf16> differ in shape or element type}}
  ttg.copy_tile %t, %0 : !ttg.global_tile<4x4xf32> -> !ttg.memdesc<4x4xf16>
  tt.return
}

// -----

tt.func @store_shape(%x: tensor<4x8xf32>) {
  %0 = ttg.local_alloc : !ttg.memdesc<4x4xf32>
  // expected-error@+1 {{ttg.local_store: tensor<4x8xf32> and !ttg.memdesc<4x4xf32> differ in shape or element type}}
  ttg.local_store %x, %0 : tensor<4x8xf32> -> !ttg.memdesc<4x4xf32>
  tt.return
}

// -----

tt.func @load_element(%b: !ttg.memdesc<4x4xf32>) {
  // expected-error@+1 {{ttg.local_load: !ttg.memdesc<4x4xf32> does not hold tensor<4x4xf16>}}
  %0 = ttg.local_load %b : !ttg.memdesc<4x4xf32> -> tensor<4x4xf16>
  tt.return
}

// -----

tt.func @load_size(%b: !ttg.memdesc<4x4xf32>) {
  // expected-error@+1 {{ttg.local_load: !ttg.memdesc<4x4xf32> and tensor<8xf32> differ in size}}
  %0 = ttg.local_load %b : !ttg.memdesc<4x4xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @load_offsets(%b: !ttg.memdesc<4x4xf32>, %i: i32) {
  // expected-error@+1 {{ttg.local_load: 2 offsets expected, got 1}}
  %0 = ttg.local_load %b[%i] : !ttg.memdesc<4x4xf32> -> tensor<2x2xf32>
  tt.return
}

// -----

tt.func @load_part(%b: !ttg.memdesc<4x4xf32>, %i: i32) {
  // expected-error@+1 {{ttg.local_load: tensor<8x2xf32> is larger than !ttg.memdesc<4x4xf32>}}
  %0 = ttg.local_load %b[%i, %i] : !ttg.memdesc<4x4xf32> -> tensor<8x2xf32>
  tt.return
}

// -----

tt.func @in_bounds() {
  // expected-error@+1 {{ttg.in_bounds is a tensor of i1, got tensor<4xi8>}}
  %0 = ttg.in_bounds : tensor<4xi8>
  tt.return
}

// -----

tt.func @dot_shape(%a: !ttg.memdesc<4x8xf32>, %b: !ttg.memdesc<4x2xf32>, %acc: tensor<4x2xf32>) {
  // expected-error@+1 {{ttg.dot: expected [M, K] x [K, N] + [M, N], got (4, 8) x (4, 2) + (4, 2)}}
  %0 = ttg.dot %a, %b, %acc : !ttg.memdesc<4x8xf32> * !ttg.memdesc<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func @dot_elements(%a: !ttg.memdesc<4x8xf32>, %b: !ttg.memdesc<8x2xf16>, %acc: tensor<4x2xf32>) {
  // expected-error@+1 {{ttg.dot: the operands' element types differ: f32 and f16}}
  %0 = ttg.dot %a, %b, %acc : !ttg.memdesc<4x8xf32> * !ttg.memdesc<8x2xf16>, tensor<4x2xf32> -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func @dot_accumulator(%a: !ttg.memdesc<4x8xf32>, %b: !ttg.memdesc<8x2xf32>, %acc: tensor<4x2xi32>) {
  // expected-error@+1 {{ttg.dot: f32 operands cannot accumulate in i32}}
  %0 = ttg.dot %a, %b, %acc : !ttg.memdesc<4x8xf32> * !ttg.memdesc<8x2xf32>, tensor<4x2xi32> -> tensor<4x2xi32>
  tt.return
}

// -----

tt.func @warp_reduce_axis(%x: tensor<4x16xf32>) {
  // expected-error@+1 {{ttg.warp_reduce along axis 2 cannot make tensor<4x2xf32> of tensor<4x16xf32>}}
  %0 = "ttg.warp_reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%left: f32, %right: f32):
    tt.reduce.return %left : f32
  }) : (tensor<4x16xf32>) -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func @warp_reduce_results(%x: tensor<4x16xf32>) {
  // expected-error@+1 {{ttg.warp_reduce has as many results as operands, at least one}}
  "ttg.warp_reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%left: f32, %right: f32):
    tt.reduce.return %left : f32
  }) : (tensor<4x16xf32>) -> ()
  tt.return
}

// -----

tt.func @warp_scan_totals(%x: tensor<4x16xi32>) {
  // expected-error@+1 {{ttg.warp_scan: tensor<2x2xi32> does not go with tensor<4x16xi32> along axis 1}}
  %0, %1 = "ttg.warp_scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%left: i32, %right: i32):
    tt.scan.return %right : i32
  }) : (tensor<4x16xi32>) -> (tensor<4x16xi32>, tensor<2x2xi32>)
  tt.return
}

// -----

tt.func @compare_exchange_block(%x: tensor<16xi32>) {
  // expected-error@+1 {{expected a distance and a larger block, powers of two, got 4 and 4}}
  %0 = ttg.compare_exchange %x {axis = 0 : i32, distance = 4 : i32, block = 4 : i32} : tensor<16xi32> -> tensor<16xi32>
  tt.return
}

// -----

tt.func @compare_exchange_block_axis(%x: tensor<16x2xi32>) {
  // expected-error@+1 {{ttg.compare_exchange: tensor<16x2xi32> has no numbers along axis 2}}
  %0 = ttg.compare_exchange %x {axis = 0 : i32, distance = 4 : i32, block = 1 : i32, block_axis = 2 : i32} : tensor<16x2xi32> -> tensor<16x2xi32>
  tt.return
}

// -----

tt.func @flip_of_no_power_of_two(%x: tensor<4x12xi32>) {
  // expected-error@+1 {{ttg.flip: expected an extent that is a power of two along axis 1 of (4, 12)}}
  %0 = ttg.flip %x {axis = 1 : i32} : tensor<4x12xi32> -> tensor<4x12xi32>
  tt.return
}

// -----

tt.func @repad_size(%x: tensor<16xi32>) {
  // expected-error@+1 {{ttg.repad: tensor<16xi32> and tensor<8xi32> differ in more than their padding}}
  %0 = ttg.repad %x : tensor<16xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @check_of_another_type(%x: tensor<16xi64>) {
  // expected-error@+1 {{ttg.check: a shadow is made of i32, got tensor<16xi64>}}
  ttg.check %x {sink = 0 : i32} : tensor<16xi64>
  tt.return
}

// -----

tt.func @check_of_a_negative_use(%x: i32) {
  // expected-error@+1 {{ttg.check: uses are counted from 0, got -1}}
  ttg.check %x {sink = -1 : i32} : i32
  tt.return
}

// -----

tt.func @check_at_one_pointer(%x: tensor<16xi32>, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{ttg.check: !tt.ptr<f32> does not hold the pointers for tensor<16xi32>}}
  ttg.check %x at %p : !tt.ptr<f32> {sink = 0 : i32} : tensor<16xi32>
  tt.return
}
