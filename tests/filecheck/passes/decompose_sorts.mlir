// RUN: mytriton-opt %s -p decompose-sorts | filecheck %s

#two = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [2, 1], order = [1, 0]}>
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
}
