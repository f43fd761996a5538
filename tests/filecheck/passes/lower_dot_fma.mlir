// RUN: mytriton-opt %s -p lower-dot-fma | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK-LABEL: @floats
// CHECK: %[[DEPTH:.*]] = arith.constant 16 : i32
// CHECK: scf.for %k = %{{.*}} to %[[DEPTH]] step %{{.*}} iter_args(%[[ACC:.*]] = %acc)
// CHECK: %[[A:.*]] = ttg.local_load %a[%{{.*}}, %k] {{.*}} -> tensor<64x1xf32
// CHECK: %[[AA:.*]] = tt.broadcast %[[A]]
// CHECK: %[[B:.*]] = ttg.local_load %b[%k, %{{.*}}] {{.*}} -> tensor<1x32xf32
// CHECK: %[[BB:.*]] = tt.broadcast %[[B]]
// CHECK: math.fma %[[AA]], %[[BB]], %[[ACC]]
// CHECK: cuda.unroll
// CHECK-NOT: ttg.dot
tt.func @floats(%acc: tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked> {
  %a = ttg.local_alloc : !ttg.memdesc<64x16xf32>
  %b = ttg.local_alloc : !ttg.memdesc<16x32xf32>
  %sum = ttg.dot %a, %b, %acc : !ttg.memdesc<64x16xf32> * !ttg.memdesc<16x32xf32>, tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #blocked>
  tt.return %sum : tensor<64x32xf32, #blocked>
}

// 16-bit operands are widened to the accumulator's type first, so that the products are exact.
// CHECK-LABEL: @half_operands
// CHECK: ttg.local_load {{.*}} -> tensor<64x1xf16
// CHECK: arith.extf {{.*}} to tensor<64x1xf32
// CHECK: math.fma {{.*}}tensor<64x32xf32
tt.func @half_operands(%acc: tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked> {
  %a = ttg.local_alloc : !ttg.memdesc<64x16xf16>
  %b = ttg.local_alloc : !ttg.memdesc<16x32xf16>
  %sum = ttg.dot %a, %b, %acc : !ttg.memdesc<64x16xf16> * !ttg.memdesc<16x32xf16>, tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #blocked>
  tt.return %sum : tensor<64x32xf32, #blocked>
}

// A 16-bit accumulator is added up in f32 and rounded once.
// CHECK-LABEL: @half_accumulator
// CHECK: arith.extf %acc
// CHECK: math.fma {{.*}}tensor<64x32xf32
// CHECK: arith.truncf
tt.func @half_accumulator(%acc: tensor<64x32xf16, #blocked>) -> tensor<64x32xf16, #blocked> {
  %a = ttg.local_alloc : !ttg.memdesc<64x16xf16>
  %b = ttg.local_alloc : !ttg.memdesc<16x32xf16>
  %sum = ttg.dot %a, %b, %acc : !ttg.memdesc<64x16xf16> * !ttg.memdesc<16x32xf16>, tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #blocked>
  tt.return %sum : tensor<64x32xf16, #blocked>
}

// CHECK-LABEL: @integers
// CHECK: arith.extsi {{.*}}tensor<64x1xi8{{.*}} to tensor<64x1xi32
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK-NOT: math.fma
tt.func @integers(%acc: tensor<64x32xi32, #blocked>) -> tensor<64x32xi32, #blocked> {
  %a = ttg.local_alloc : !ttg.memdesc<64x16xi8>
  %b = ttg.local_alloc : !ttg.memdesc<16x32xi8>
  %sum = ttg.dot %a, %b, %acc : !ttg.memdesc<64x16xi8> * !ttg.memdesc<16x32xi8>, tensor<64x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
  tt.return %sum : tensor<64x32xi32, #blocked>
}

// A deep tile is unrolled in part: 16 registers a thread, 512 multiply-adds in the body.
// CHECK-LABEL: @deep
// CHECK: cuda.unroll = 32 : i32
tt.func @deep(%acc: tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked> {
  %a = ttg.local_alloc : !ttg.memdesc<64x256xf32>
  %b = ttg.local_alloc : !ttg.memdesc<256x32xf32>
  %sum = ttg.dot %a, %b, %acc : !ttg.memdesc<64x256xf32> * !ttg.memdesc<256x32xf32>, tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #blocked>
  tt.return %sum : tensor<64x32xf32, #blocked>
}

// Operands that are not staged are none of this pass's business.
// CHECK-LABEL: @not_staged
// CHECK: tt.dot
tt.func @not_staged(%a: tensor<64x16xf32, #blocked>, %b: tensor<16x32xf32, #blocked>, %acc: tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked> {
  %sum = tt.dot %a, %b, %acc : tensor<64x16xf32, #blocked> * tensor<16x32xf32, #blocked> -> tensor<64x32xf32, #blocked>
  tt.return %sum : tensor<64x32xf32, #blocked>
}

// The axes of a batch stay as they are.
// CHECK-LABEL: @batch
// CHECK: %[[A:.*]] = ttg.local_load %a[%[[ZERO:.*]], %[[ZERO]], %k] {{.*}} -> tensor<2x16x1xf32
// CHECK: %[[B:.*]] = ttg.local_load %b[%[[ZERO]], %k, %[[ZERO]]] {{.*}} -> tensor<2x1x16xf32
// CHECK: math.fma {{.*}}tensor<2x16x16xf32
#cubes = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>
tt.func @batch(%acc: tensor<2x16x16xf32, #cubes>) -> tensor<2x16x16xf32, #cubes> {
  %a = ttg.local_alloc : !ttg.memdesc<2x16x8xf32>
  %b = ttg.local_alloc : !ttg.memdesc<2x8x16xf32>
  %sum = ttg.dot %a, %b, %acc : !ttg.memdesc<2x16x8xf32> * !ttg.memdesc<2x8x16xf32>, tensor<2x16x16xf32, #cubes> -> tensor<2x16x16xf32, #cubes>
  tt.return %sum : tensor<2x16x16xf32, #cubes>
}
