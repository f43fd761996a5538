// RUN: mytriton-opt %s -p decompose-reductions | filecheck %s

#across = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [2, 2], order = [1, 0]}>
#within = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Two warps lie along the axis: their parts meet through a layout conversion.
// CHECK-LABEL: @across_warps
// CHECK: "ttg.warp_reduce"(%x) <{axis = 1 : i32}>
// CHECK: -> tensor<8x2xf32, #ttg.linear
// CHECK: ttg.convert_layout
// CHECK: "tt.reduce"
// CHECK: (tensor<8x2xf32
tt.func @across_warps(%x: tensor<8x128xf32, #across>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #across}>> {
  %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x128xf32, #across>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #across}>>
  tt.return %sum : tensor<8xf32, #ttg.slice<{dim = 1, parent = #across}>>
}

// CHECK-LABEL: @to_a_scalar
// CHECK: "ttg.warp_reduce"
// CHECK: -> tensor<4xf32, #ttg.linear
// CHECK: ttg.convert_layout {{.*}} -> tensor<4xf32, #ttg.linear<{register = {{..}}1], [2{{..}}, lane
// CHECK: "tt.reduce"
// CHECK: -> f32
tt.func @to_a_scalar(%x: tensor<1024xf32, #line>) -> f32 {
  %max = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32, #line>) -> f32
  tt.return %max : f32
}

// Nothing to do.
// CHECK-LABEL: @within_a_warp
// CHECK-NOT: ttg.warp_reduce
// CHECK: "tt.reduce"
// CHECK-NOT: convert_layout
tt.func @within_a_warp(%x: tensor<8x128xf32, #within>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>> {
  %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x128xf32, #within>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>>
  tt.return %sum : tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>>
}

// The padding of 100 columns to 128 takes the neutral element: -0.0, which also keeps the sign of a sum of zeros.
// CHECK-LABEL: @padded_sum
// CHECK: %[[EXISTS:.*]] = ttg.in_bounds : tensor<8x100xi1
// CHECK: %[[NEUTRAL:.*]] = arith.constant dense<-0.000000e+00>
// CHECK: %[[PADDED:.*]] = arith.select %[[EXISTS]], %x, %[[NEUTRAL]]
// CHECK: "tt.reduce"(%[[PADDED]])
tt.func @padded_sum(%x: tensor<8x100xf32, #within>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>> {
  %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x100xf32, #within>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>>
  tt.return %sum : tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>>
}

// CHECK-LABEL: @padded_minimum
// CHECK: arith.constant dense<2147483647> : tensor<8x100xi32
tt.func @padded_minimum(%x: tensor<8x100xi32, #within>) -> tensor<8xi32, #ttg.slice<{dim = 1, parent = #within}>> {
  %min = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.minsi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<8x100xi32, #within>) -> tensor<8xi32, #ttg.slice<{dim = 1, parent = #within}>>
  tt.return %min : tensor<8xi32, #ttg.slice<{dim = 1, parent = #within}>>
}

// x * x + y has no known neutral element: each element carries along whether it exists.
// CHECK-LABEL: @padded_unknown
// CHECK: %[[EXISTS:.*]] = ttg.in_bounds
// CHECK: "tt.reduce"(%x, %[[EXISTS]])
// CHECK: ^{{.*}}(%[[A:.*]]: f32, %[[AE:.*]]: i1, %[[B:.*]]: f32, %[[BE:.*]]: i1):
// CHECK: %[[BOTH:.*]] = arith.andi %[[AE]], %[[BE]]
// CHECK: %[[EITHER:.*]] = arith.ori %[[AE]], %[[BE]]
// CHECK: %[[ONE:.*]] = arith.select %[[AE]], %[[A]], %[[B]]
// CHECK: arith.select %[[BOTH]], %{{.*}}, %[[ONE]]
tt.func @padded_unknown(%x: tensor<8x100xf32, #within>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>> {
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %a : f32
    %d = arith.addf %c, %b : f32
    tt.reduce.return %d : f32
  }) : (tensor<8x100xf32, #within>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>>
  tt.return %r : tensor<8xf32, #ttg.slice<{dim = 1, parent = #within}>>
}
