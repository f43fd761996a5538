// RUN: mytriton-opt %s -p decompose-sorts | filecheck %s

#two = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [2, 1], order = [1, 0]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 2, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [2, 1, 1], order = [2, 1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>

module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
// Three steps for four elements.
// CHECK-LABEL: @four
// CHECK: ttg.compare_exchange %x {axis = 1 : i32, distance = 1 : i32, block = 2 : i32}
// CHECK-NEXT: ttg.compare_exchange %{{.*}} {axis = 1 : i32, distance = 2 : i32, block = 4 : i32}
// CHECK-NEXT: ttg.compare_exchange %{{.*}} {axis = 1 : i32, distance = 1 : i32, block = 4 : i32}
// CHECK-NEXT: tt.return
tt.func @four(%x: tensor<64x4xi32, #two>) -> tensor<64x4xi32, #two> {
  %sorted = tt.sort %x {axis = 1 : i32} : tensor<64x4xi32, #two>
  tt.return %sorted : tensor<64x4xi32, #two>
}

// The padding becomes elements that come last.
// CHECK-LABEL: @padded
// CHECK: arith.constant dense<-2147483648>
// CHECK-NEXT: arith.select
// CHECK-NEXT: ttg.repad %{{.*}} -> tensor<64x4xi32
// CHECK: ttg.compare_exchange %{{.*}} {axis = 1 : i32, distance = 1 : i32, block = 4 : i32, descending}
// CHECK-NEXT: ttg.repad %{{.*}} -> tensor<64x3xi32
tt.func @padded(%x: tensor<64x3xi32, #two>) -> tensor<64x3xi32, #two> {
  %sorted = tt.sort %x {axis = 1 : i32, descending} : tensor<64x3xi32, #two>
  tt.return %sorted : tensor<64x3xi32, #two>
}

// Elements that are 32 apart are in two warps, until a conversion brings them into one.
// CHECK-LABEL: @across_warps
// CHECK: distance = 1 : i32, block = 32 : i32
// CHECK-NEXT: ttg.convert_layout {{.*}} -> tensor<64xi32, #ttg.linear
// CHECK-NEXT: ttg.compare_exchange {{.*}}distance = 32 : i32, block = 64 : i32
// CHECK-NEXT: ttg.convert_layout {{.*}} -> tensor<64xi32, #ttg.blocked
// CHECK-NEXT: ttg.compare_exchange {{.*}}distance = 16 : i32, block = 64 : i32
tt.func @across_warps(%x: tensor<64xi32, #line>) -> tensor<64xi32, #line> {
  %sorted = tt.sort %x {axis = 0 : i32} : tensor<64xi32, #line>
  tt.return %sorted : tensor<64xi32, #line>
}

// Steps between warps are done in one other layout, from which the next ones start; the last one goes back.
// CHECK-LABEL: @steps_across_warps
// CHECK-NEXT: tt.reshape %x {{.*}} -> tensor<128xf32
// CHECK-NEXT: ttg.convert_layout {{.*}} -> tensor<128xf32
// CHECK-NEXT: tt.reshape {{.*}} -> tensor<2x2x32xf32, #ttg.linear
// CHECK-NEXT: %[[A:.*]] = ttg.compare_exchange {{.*}} {axis = 0 : i32, distance = 1 : i32, block = 1 : i32, block_axis = 1 : i32}
// CHECK-NEXT: %[[B:.*]] = ttg.compare_exchange %[[A]] {axis = 0 : i32, distance = 1 : i32, block = 2 : i32, descending}
// CHECK-NEXT: tt.reshape %[[B]] {{.*}} -> tensor<128xf32
// CHECK-NEXT: ttg.convert_layout {{.*}} -> tensor<128xf32
// CHECK-NEXT: %[[C:.*]] = tt.reshape {{.*}} -> tensor<2x2x32xf32, #ttg.blocked
// CHECK-NEXT: ttg.compare_exchange %[[C]] {axis = 1 : i32, distance = 1 : i32, block = 2 : i32}
// CHECK-NEXT: tt.return
tt.func @steps_across_warps(%x: tensor<2x2x32xf32, #pairs>) -> tensor<2x2x32xf32, #pairs> {
  %0 = tt.compare_exchange %x {axis = 0 : i32, falls = 1 : i32} : tensor<2x2x32xf32, #pairs>
  %1 = tt.compare_exchange %0 {axis = 0 : i32, descending} : tensor<2x2x32xf32, #pairs>
  %2 = tt.compare_exchange %1 {axis = 1 : i32} : tensor<2x2x32xf32, #pairs>
  tt.return %2 : tensor<2x2x32xf32, #pairs>
}
}
