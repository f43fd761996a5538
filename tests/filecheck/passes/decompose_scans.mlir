// RUN: mytriton-opt %s -p decompose-scans | filecheck %s

#line = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#short = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
// Four warps lie along the axis: each gets the totals of all of them.
// CHECK-LABEL: @across_warps
// CHECK: %sum, %[[TOTALS:.*]] = "ttg.warp_scan"(%x) <{axis = 0 : i32, reverse = false}>
// CHECK: -> (tensor<1024xf32, #ttg.blocked{{.*}}>, tensor<4xf32, #ttg.linear
// CHECK: %sum_totals = ttg.convert_layout %[[TOTALS]]
// CHECK: "ttg.warp_prefix"(%sum{{.*}}, %sum_totals) <{axis = 0 : i32, reverse = false}>
tt.func @across_warps(%x: tensor<1024xf32, #line>) -> tensor<1024xf32, #line> {
  %sum = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<1024xf32, #line>) -> tensor<1024xf32, #line>
  tt.return %sum : tensor<1024xf32, #line>
}

// Nothing to do.
// CHECK-LABEL: @within_a_warp
// CHECK-NOT: ttg.convert_layout
// CHECK-NOT: "ttg.warp_scan"
// CHECK: "tt.scan"(%x)
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func @within_a_warp(%x: tensor<8x64xf32, #rows>) -> tensor<8x64xf32, #rows> {
  %sum = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<8x64xf32, #rows>) -> tensor<8x64xf32, #rows>
  tt.return %sum : tensor<8x64xf32, #rows>
}

// Registers hold distant elements: the axis is put in order first.
// CHECK-LABEL: @out_of_order
// CHECK: ttg.convert_layout %x
// CHECK: "ttg.warp_scan"
// CHECK: "ttg.warp_prefix"
// CHECK: ttg.convert_layout
// CHECK: tt.return
tt.func @out_of_order(%x: tensor<1024xf32, #short>) -> tensor<1024xf32, #short> {
  %sum = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<1024xf32, #short>) -> tensor<1024xf32, #short>
  tt.return %sum : tensor<1024xf32, #short>
}

// A scan from the end meets the padding first.
// CHECK-LABEL: @padded
// CHECK: %[[EXISTS:.*]] = ttg.in_bounds
// CHECK: arith.constant dense<-0.000000e+00>
// CHECK: arith.select %[[EXISTS]]
// CHECK: "tt.scan"
tt.func @padded(%x: tensor<8x50xf32, #rows>) -> tensor<8x50xf32, #rows> {
  %sum = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<8x50xf32, #rows>) -> tensor<8x50xf32, #rows>
  tt.return %sum : tensor<8x50xf32, #rows>
}

// Without a neutral element, what is padding is known.
// CHECK-LABEL: @padded_function
// CHECK: "tt.scan"(%x, %{{.*}}) <{axis = 1 : i32, reverse = true}>
// CHECK: arith.andi
// CHECK: tt.scan.return %{{.*}}, %{{.*}} : f32, i1
tt.func @padded_function(%x: tensor<8x50xf32, #rows>) -> tensor<8x50xf32, #rows> {
  %sum = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.divf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<8x50xf32, #rows>) -> tensor<8x50xf32, #rows>
  tt.return %sum : tensor<8x50xf32, #rows>
}
}
