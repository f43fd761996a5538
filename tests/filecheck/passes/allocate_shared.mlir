// RUN: mytriton-opt %s -p allocate-shared | filecheck %s

#lane_rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#lane_columns = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide_rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide_columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#lines = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#swapped = #ttg.linear<{register = [[0, 2], [0, 1]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>

// Loaded tiles are copied where they were loaded, and the dot reads the buffers.
// CHECK-LABEL: @tiles
// CHECK-SAME: ttg.shared = 768 : i32
// CHECK-NEXT: %a_tile = ttg.local_alloc name "a_tile" {offset = 512 : i32} : !ttg.memdesc<4x16xf32>
// CHECK-NEXT: %b_tile = ttg.local_alloc name "b_tile" {offset = 0 : i32} : !ttg.memdesc<16x8xf32>
// CHECK-NEXT: scf.for
// CHECK-NEXT: ttg.copy_tile %ta, %a_tile : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
// CHECK-NEXT: ttg.copy_tile %tb, %b_tile : !ttg.global_tile<16x8xf32> -> !ttg.memdesc<16x8xf32>
// CHECK-NEXT: %d = ttg.dot %a_tile, %b_tile, %acc {input_precision = "tf32"}
// CHECK-NEXT: scf.yield %d
tt.func @tiles(%ta: !ttg.global_tile<4x16xf32>, %tb: !ttg.global_tile<16x8xf32>, %c: tensor<4x8xf32>, %n: i32) -> tensor<4x8xf32> {
  %sum = scf.for %i = %n to %n step %n iter_args(%acc = %c) -> (tensor<4x8xf32>) : i32 {
    %a = ttg.load_tile %ta : !ttg.global_tile<4x16xf32> -> tensor<4x16xf32>
    %b = ttg.load_tile %tb : !ttg.global_tile<16x8xf32> -> tensor<16x8xf32>
    %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<4x16xf32> * tensor<16x8xf32> -> tensor<4x8xf32>
    scf.yield %d : tensor<4x8xf32>
  }
  tt.return %sum : tensor<4x8xf32>
}

// Other operands are stored; one that the loop does not change is stored once, before the loop.
// CHECK-LABEL: @tensors
// CHECK: %fixed_tile = ttg.local_alloc name "fixed_tile" {offset = 0 : i32} : !ttg.memdesc<16x16xf16>
// CHECK: %twice_tile = ttg.local_alloc name "twice_tile" {offset = 512 : i32} : !ttg.memdesc<16x16xf16>
// CHECK: ttg.local_store %fixed, %fixed_tile : tensor<16x16xf16> -> !ttg.memdesc<16x16xf16>
// CHECK-NEXT: scf.for
// CHECK-NEXT: %twice = arith.addf
// CHECK-NEXT: ttg.local_store %twice, %twice_tile
// CHECK-NEXT: ttg.dot %fixed_tile, %twice_tile, %acc :
tt.func @tensors(%fixed: tensor<16x16xf16>, %x: tensor<16x16xf16>, %c: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %sum = scf.for %i = %n to %n step %n iter_args(%acc = %c) -> (tensor<16x16xf32>) : i32 {
    %twice = arith.addf %x, %x : tensor<16x16xf16>
    %d = tt.dot %fixed, %twice, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.return %sum : tensor<16x16xf32>
}

// A layout that gives elements to other warps is changed through a buffer. The two buffers are never in use at the same
// time, so they share their bytes. Without padding the four rows that a warp reads at once begin in the same bank, and so
// do the two that a quarter of a warp writes at once: 32 and 16 wavefronts. With rows of 34 it is 8 and 16.
// CHECK-LABEL: @conversions
// CHECK-SAME: ttg.shared = 4352 : i32
// CHECK-NEXT: %scratch = ttg.local_alloc name "scratch" {offset = 0 : i32} : !ttg.memdesc<32x32xf32, #ttg.padded_shared<[32:+2] {order = [1, 0], shape = [32, 32]}>>
// CHECK-NEXT: %scratch_1 = ttg.local_alloc name "scratch_1" {offset = 0 : i32} : !ttg.memdesc<32x32xf32, #ttg.padded_shared<[32:+2] {order = [1, 0], shape = [32, 32]}>>
// CHECK-NEXT: ttg.local_store %x, %scratch
// CHECK-NEXT: %y = ttg.local_load %scratch : !ttg.memdesc<32x32xf32, #ttg.padded_shared<[32:+2] {order = [1, 0], shape = [32, 32]}>> -> tensor<32x32xf32, #ttg.blocked<{sizePerThread = [4, 1]
// CHECK-NEXT: %z = arith.mulf %y, %y
// CHECK-NEXT: ttg.local_store %z, %scratch_1
// CHECK-NEXT: %w = ttg.local_load %scratch_1
// CHECK-NEXT: tt.return %w
tt.func @conversions(%x: tensor<32x32xf32, #row>) -> tensor<32x32xf32, #row> {
  %y = ttg.convert_layout %x : tensor<32x32xf32, #row> -> tensor<32x32xf32, #column>
  %z = arith.mulf %y, %y : tensor<32x32xf32, #column>
  %w = ttg.convert_layout %z : tensor<32x32xf32, #column> -> tensor<32x32xf32, #row>
  tt.return %w : tensor<32x32xf32, #row>
}

// The elements of a reshape move to other threads, or its padding is another one: both go through a buffer, which is
// read in the new shape.
// CHECK-LABEL: @reshapes
// CHECK: ttg.local_store %x, %scratch : tensor<32x32xf32
// CHECK: %y = ttg.local_load %scratch : !ttg.memdesc<32x32xf32> -> tensor<64x16xf32
// CHECK: ttg.local_store %p, %scratch_1 : tensor<6x10xf32
// CHECK: %q = ttg.local_load %scratch_1 : !ttg.memdesc<6x10xf32> -> tensor<15x4xf32
tt.func @reshapes(%x: tensor<32x32xf32, #column>, %p: tensor<6x10xf32, #row>) -> (tensor<64x16xf32, #column>, tensor<15x4xf32, #row>) {
  %y = tt.reshape %x : tensor<32x32xf32, #column> -> tensor<64x16xf32, #column>
  %q = tt.reshape %p : tensor<6x10xf32, #row> -> tensor<15x4xf32, #row>
  tt.return %y, %q : tensor<64x16xf32, #column>, tensor<15x4xf32, #row>
}

// What a loaded tile is used for beside the dot reads the buffer too.
// CHECK-LABEL: @tile_with_other_use
// CHECK: ttg.copy_tile %ta, %a_tile
// CHECK-NEXT: %a = ttg.local_load %a_tile : !ttg.memdesc<8x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %squares = arith.mulf %a, %a
// CHECK-NEXT: ttg.local_store %squares, %squares_tile
// CHECK-NEXT: ttg.dot %a_tile, %squares_tile, %c
tt.func @tile_with_other_use(%ta: !ttg.global_tile<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = ttg.load_tile %ta : !ttg.global_tile<8x8xf32> -> tensor<8x8xf32>
  %squares = arith.mulf %a, %a : tensor<8x8xf32>
  %d = tt.dot %a, %squares, %c : tensor<8x8xf32> * tensor<8x8xf32> -> tensor<8x8xf32>
  tt.return %d : tensor<8x8xf32>
}

// Nothing to do: other registers of the same thread, and a reshape that moves nothing.
// CHECK-LABEL: @registers_only
// CHECK-NOT: ttg.shared
// CHECK: ttg.convert_layout
// CHECK: tt.reshape
// CHECK-NOT: ttg.local_alloc
tt.func @registers_only(%x: tensor<32x16xf32, #lines>, %v: tensor<1024xf32>) -> (tensor<32x16xf32, #swapped>, tensor<32x32xf32>) {
  %y = ttg.convert_layout %x : tensor<32x16xf32, #lines> -> tensor<32x16xf32, #swapped>
  %w = tt.reshape %v : tensor<1024xf32> -> tensor<32x32xf32>
  tt.return %y, %w : tensor<32x16xf32, #swapped>, tensor<32x32xf32>
}

// Elements that stay in their warp are shuffled where that is cheaper, without a buffer: two of each thread here. The 64
// of each thread of @many would take 64 shuffles and six selections each, more than the accesses, which for stores are 16
// bytes wide.
// CHECK-LABEL: @lanes
// CHECK-NOT: ttg.local_alloc
// CHECK: ttg.convert_layout
tt.func @lanes(%x: tensor<16x16xf32, #lane_rows>) -> tensor<16x16xf32, #lane_columns> {
  %y = ttg.convert_layout %x : tensor<16x16xf32, #lane_rows> -> tensor<16x16xf32, #lane_columns>
  tt.return %y : tensor<16x16xf32, #lane_columns>
}

// CHECK-LABEL: @many
// CHECK: ttg.local_load
tt.func @many(%x: tensor<64x128xf16, #wide_rows>) -> tensor<64x128xf16, #wide_columns> {
  %y = ttg.convert_layout %x : tensor<64x128xf16, #wide_rows> -> tensor<64x128xf16, #wide_columns>
  tt.return %y : tensor<64x128xf16, #wide_columns>
}

// A slice at an offset that is known when the kernel runs is read from the buffer, inside of it whatever the offset is.
// CHECK-LABEL: @slice
// CHECK: %[[buffer:.*]] = ttg.local_alloc name "scratch" {offset = 0 : i32} : !ttg.memdesc<64xf32>
// CHECK: ttg.local_store %x, %[[buffer]]
// CHECK: %[[first:.*]] = arith.constant 0 : i32
// CHECK: %[[raised:.*]] = arith.maxsi %i, %[[first]] : i32
// CHECK: %[[last:.*]] = arith.constant 48 : i32
// CHECK: %[[start:.*]] = arith.minsi %[[raised]], %[[last]] : i32
// CHECK: ttg.local_load %[[buffer]][%[[start]]] {strides = array<i32: 5>} : !ttg.memdesc<64xf32> -> tensor<4xf32
tt.func @slice(%x: tensor<64xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>, %i: i32) {
  %part = tt.extract_slice %x[%i] {strides = array<i32: 5>} : tensor<64xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>> -> tensor<4xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
  tt.return
}
