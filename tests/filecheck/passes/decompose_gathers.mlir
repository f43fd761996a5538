// RUN: mytriton-opt %s -p decompose-gathers | filecheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>

module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @gather
// CHECK-NEXT: %x_shared = ttg.local_alloc name "x_shared" : !ttg.memdesc<64xf32>
// CHECK-NEXT: ttg.local_store %x, %x_shared
// CHECK-NEXT: ttg.local_gather %x_shared[%i] {axis = 0 : i32}
tt.func @gather(%x: tensor<64xf32, #line>, %i: tensor<64xi32, #line>) -> tensor<64xf32, #line> {
  %r = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64xf32, #line>, tensor<64xi32, #line>) -> tensor<64xf32, #line>
  tt.return %r : tensor<64xf32, #line>
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
