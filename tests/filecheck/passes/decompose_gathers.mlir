// RUN: mytriton-opt %s -p decompose-gathers | filecheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @gather
// CHECK-NEXT: %x_shared = ttg.local_alloc name "x_shared" : !ttg.memdesc<64xf32>
// CHECK-NEXT: ttg.local_store %x, %x_shared
// CHECK-NEXT: ttg.local_gather %x_shared[%i] {axis = 0 : i32}
tt.func @gather(%x: tensor<64xf32, #line>, %i: tensor<64xi32, #line>) -> tensor<64xf32, #line> {
  %r = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64xf32, #line>, tensor<64xi32, #line>) -> tensor<64xf32, #line>
  tt.return %r : tensor<64xf32, #line>
}

// The opposite order of 32 elements: each is in another lane of its warp. Of 64 in two warps, it is in the other warp.
// CHECK-LABEL: @flips
// CHECK: ttg.flip %rows {axis = 1 : i32} : tensor<2x32xf32
// CHECK-NOT: ttg.flip
// CHECK: ttg.local_gather %x_shared
// CHECK: ttg.local_gather %rows_shared
tt.func @flips(%rows: tensor<2x32xf32, #rows>, %x: tensor<64xf32, #line>) {
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %one_row = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xi32, #rows>
  %columns = tt.broadcast %one_row : tensor<1x32xi32, #rows> -> tensor<2x32xi32, #rows>
  %last = arith.constant dense<31> : tensor<2x32xi32, #rows>
  %flipped = arith.subi %last, %columns : tensor<2x32xi32, #rows>
  %r = tt.gather %rows[%flipped] {axis = 1 : i32} : (tensor<2x32xf32, #rows>, tensor<2x32xi32, #rows>) -> tensor<2x32xf32, #rows>
  %all = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
  %last_of_all = arith.constant dense<63> : tensor<64xi32, #line>
  %all_flipped = arith.subi %last_of_all, %all : tensor<64xi32, #line>
  %s = tt.gather %x[%all_flipped] {axis = 0 : i32} : (tensor<64xf32, #line>, tensor<64xi32, #line>) -> tensor<64xf32, #line>
  %before_last = arith.constant dense<30> : tensor<2x32xi32, #rows>
  %other = arith.subi %before_last, %columns : tensor<2x32xi32, #rows>
  %t = tt.gather %rows[%other] {axis = 1 : i32} : (tensor<2x32xf32, #rows>, tensor<2x32xi32, #rows>) -> tensor<2x32xf32, #rows>
  tt.return
}

// CHECK-LABEL: @histogram
// CHECK-NEXT: %counts_shared = ttg.local_alloc name "counts_shared" : !ttg.memdesc<8xi32>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0>
// CHECK-NEXT: ttg.local_store %[[ZERO]], %counts_shared
// CHECK-NEXT: ttg.local_histogram %x, %counts_shared if %m
// CHECK-NEXT: ttg.local_load %counts_shared
tt.func @histogram(%x: tensor<64xi32, #line>, %m: tensor<64xi1, #line>) -> tensor<8xi32, #line> {
  %counts = tt.histogram %x, %m : tensor<64xi32, #line> -> tensor<8xi32, #line>
  tt.return %counts : tensor<8xi32, #line>
}
}
