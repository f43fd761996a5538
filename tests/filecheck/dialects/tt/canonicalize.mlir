// RUN: mytriton-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: tt.func @reshaped_splats
// CHECK-NEXT: %[[a:.*]] = tt.splat %x : i32 -> tensor<4x8xi32>
// CHECK-NEXT: %[[b:.*]] = tt.splat %x : i32 -> tensor<4x1xi32>
// CHECK-NEXT: %[[c:.*]] = tt.splat %x : i32 -> tensor<2x2xi32>
// CHECK-NEXT: %[[d:.*]] = tt.splat %x : i32 -> tensor<1x4xi32>
// CHECK-NEXT: tt.return %[[a]], %[[b]], %[[c]], %[[d]]
tt.func @reshaped_splats(%x: i32) -> (tensor<4x8xi32>, tensor<4x1xi32>, tensor<2x2xi32>, tensor<1x4xi32>) {
  %narrow = tt.splat %x : i32 -> tensor<4x1xi32>
  %0 = tt.broadcast %narrow : tensor<4x1xi32> -> tensor<4x8xi32>
  %row = tt.splat %x : i32 -> tensor<4xi32>
  %1 = tt.expand_dims %row {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %2 = tt.reshape %row : tensor<4xi32> -> tensor<2x2xi32>
  %3 = tt.trans %narrow {order = array<i32: 1, 0>} : tensor<4x1xi32> -> tensor<1x4xi32>
  tt.return %0, %1, %2, %3 : tensor<4x8xi32>, tensor<4x1xi32>, tensor<2x2xi32>, tensor<1x4xi32>
}

// CHECK-LABEL: tt.func @constants
// CHECK-DAG: %[[a:.*]] = arith.constant dense<3> : tensor<4xi32>
// CHECK-DAG: %[[b:.*]] = arith.constant dense<3> : tensor<4x1xi32>
// CHECK-DAG: %[[c:.*]] = arith.constant dense<3> : tensor<4x8xi32>
// CHECK-DAG: %[[d:.*]] = arith.constant dense<3> : tensor<1x4xi32>
// CHECK-DAG: %[[e:.*]] = arith.constant 5 : i32
// CHECK: tt.return %[[a]], %[[b]], %[[c]], %[[d]], %[[e]], %s
tt.func @constants(%s: f32) -> (tensor<4xi32>, tensor<4x1xi32>, tensor<4x8xi32>, tensor<1x4xi32>, i32, f32) {
  %c3 = arith.constant 3 : i32
  %0 = tt.splat %c3 : i32 -> tensor<4xi32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %2 = tt.broadcast %1 : tensor<4x1xi32> -> tensor<4x8xi32>
  %3 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<4x1xi32> -> tensor<1x4xi32>
  %c5 = arith.constant dense<5> : tensor<1x1xi32>
  %4 = tt.unsplat %c5 : tensor<1x1xi32>
  %one = tt.splat %s : f32 -> tensor<1xf32>
  %5 = tt.unsplat %one : tensor<1xf32>
  tt.return %0, %1, %2, %3, %4, %5 : tensor<4xi32>, tensor<4x1xi32>, tensor<4x8xi32>, tensor<1x4xi32>, i32, f32
}

// CHECK-LABEL: tt.func @nothing_changes
// CHECK-NEXT: tt.return %x, %x, %x, %p, %x
tt.func @nothing_changes(%x: tensor<4x8xf32>, %p: !tt.ptr<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, !tt.ptr<f32>, tensor<4x8xf32>) {
  %0 = tt.broadcast %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tt.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tt.trans %x {order = array<i32: 0, 1>} : tensor<4x8xf32> -> tensor<4x8xf32>
  %zero = arith.constant 0 : i32
  %3 = tt.addptr %p, %zero : !tt.ptr<f32>, i32
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %4 = tt.trans %t {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  tt.return %0, %1, %2, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, !tt.ptr<f32>, tensor<4x8xf32>
}

// What may change the order of the elements is not nothing.
// CHECK-LABEL: tt.func @reordering
// CHECK: tt.reshape %x allow_reorder : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: tt.reshape %x allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
// CHECK: tt.reshape %{{.*}} : tensor<32xf32> -> tensor<8x4xf32>
tt.func @reordering(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %0 = tt.reshape %x allow_reorder : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tt.reshape %x allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
  %2 = tt.reshape %1 : tensor<32xf32> -> tensor<8x4xf32>
  tt.return %0, %2 : tensor<4x8xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: tt.func @chains
// CHECK-NEXT: %[[a:.*]] = tt.broadcast %x : tensor<1x1x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[b:.*]] = tt.reshape %y : tensor<2x3x4xf32> -> tensor<4x6xf32>
// CHECK-NEXT: %[[c:.*]] = tt.trans %y {order = array<i32: 2, 0, 1>} : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: tt.return %[[a]], %[[b]], %[[c]], %y
tt.func @chains(%x: tensor<1x1x4xf32>, %y: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x6xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  %b = tt.broadcast %x : tensor<1x1x4xf32> -> tensor<1x3x4xf32>
  %0 = tt.broadcast %b : tensor<1x3x4xf32> -> tensor<2x3x4xf32>
  %r = tt.reshape %y : tensor<2x3x4xf32> -> tensor<24xf32>
  %1 = tt.reshape %r : tensor<24xf32> -> tensor<4x6xf32>
  %t = tt.trans %y {order = array<i32: 1, 2, 0>} : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %2 = tt.trans %t {order = array<i32: 1, 2, 0>} : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  %3 = tt.trans %2 {order = array<i32: 1, 2, 0>} : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  tt.return %0, %1, %2, %3 : tensor<2x3x4xf32>, tensor<4x6xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: tt.func @casts
// CHECK-DAG: %[[a:.*]] = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
// CHECK-DAG: %[[c:.*]] = arith.constant 1065353216 : i32
// CHECK-DAG: %[[d:.*]] = arith.constant 1.500000e+00 : f16
// CHECK-DAG: %[[e:.*]] = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i16>
// CHECK: tt.return %[[a]], %p, %p, %i, %[[c]], %[[d]], %[[e]]
tt.func @casts(%p: !tt.ptr<f32>, %i: i64) -> (!tt.ptr<i8>, !tt.ptr<f32>, !tt.ptr<f32>, i64, i32, f16, !tt.ptr<i16>) {
  %b = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i32>
  %0 = tt.bitcast %b : !tt.ptr<i32> -> !tt.ptr<i8>
  %1 = tt.bitcast %b : !tt.ptr<i32> -> !tt.ptr<f32>
  %n = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %2 = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>
  %q = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  %3 = tt.ptr_to_int %q : !tt.ptr<f32> -> i64
  %one = arith.constant 1.000000e+00 : f32
  %4 = tt.bitcast %one : f32 -> i32
  %half = arith.constant 1.500000e+00 : f32
  %5 = tt.fp_to_fp %half, rounding = rtne : f32 -> f16
  %6 = tt.int_to_ptr %n : i64 -> !tt.ptr<i16>
  tt.return %0, %1, %2, %3, %4, %5, %6 : !tt.ptr<i8>, !tt.ptr<f32>, !tt.ptr<f32>, i64, i32, f16, !tt.ptr<i16>
}

// CHECK-LABEL: tt.func @constant_masks
// CHECK-DAG: %[[zero:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[all:.*]] = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<4x!tt.ptr<f32>>
// CHECK: tt.store %p, %o : tensor<4x!tt.ptr<f32>>
// CHECK-NOT: tt.store
// CHECK: tt.return %[[all]], %o, %[[zero]]
tt.func @constant_masks(%p: tensor<4x!tt.ptr<f32>>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = arith.constant dense<true> : tensor<4xi1>
  %false = arith.constant dense<false> : tensor<4xi1>
  %0 = tt.load %p, %true, %o {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<4x!tt.ptr<f32>>
  %1 = tt.load %p, %false, %o : tensor<4x!tt.ptr<f32>>
  %2 = tt.load %p, %false : tensor<4x!tt.ptr<f32>>
  tt.store %p, %o, %true : tensor<4x!tt.ptr<f32>>
  tt.store %p, %o, %false : tensor<4x!tt.ptr<f32>>
  tt.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A mask that differs from element to element stays.
// CHECK-LABEL: tt.func @other_masks
// CHECK: %[[mask:.*]] = arith.constant dense<[true, false, true, true]>
// CHECK: tt.load %p, %[[mask]] :
// CHECK: tt.store %p, %{{.*}}, %m :
tt.func @other_masks(%p: tensor<4x!tt.ptr<f32>>, %m: tensor<4xi1>) {
  %mask = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  %0 = tt.load %p, %mask : tensor<4x!tt.ptr<f32>>
  tt.store %p, %0, %m : tensor<4x!tt.ptr<f32>>
  tt.return
}

// The order in which two permutations are composed matters.
// CHECK-LABEL: tt.func @two_permutations
// CHECK-NEXT: %[[t:.*]] = tt.trans %x {order = array<i32: 1, 2, 0>} : tensor<4x4x4xf32> -> tensor<4x4x4xf32>
// CHECK-NEXT: tt.return %[[t]]
tt.func @two_permutations(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %0 = tt.trans %x {order = array<i32: 1, 0, 2>} : tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  %1 = tt.trans %0 {order = array<i32: 0, 2, 1>} : tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  tt.return %1 : tensor<4x4x4xf32>
}

// What is joined and split again, or the other way round, is there already.
// CHECK-LABEL: tt.func @joined_and_split
// CHECK-NEXT: tt.return %x, %y, %pairs
tt.func @joined_and_split(%x: tensor<4xf32>, %y: tensor<4xf32>, %pairs: tensor<4x2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>) {
  %joined = tt.join %x, %y : tensor<4xf32> -> tensor<4x2xf32>
  %a, %b = tt.split %joined : tensor<4x2xf32> -> tensor<4xf32>
  %c, %d = tt.split %pairs : tensor<4x2xf32> -> tensor<4xf32>
  %same = tt.join %c, %d : tensor<4xf32> -> tensor<4x2xf32>
  tt.return %a, %b, %same : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: tt.func @concatenated
// CHECK-NEXT: %[[join:.*]] = tt.join %x, %y : tensor<3xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %[[rows:.*]] = tt.trans %[[join]] {order = array<i32: 1, 0>} : tensor<3x2xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[both:.*]] = tt.reshape %[[rows]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-NEXT: tt.return %[[both]]
tt.func @concatenated(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<6xf32> {
  %both = tt.cat %x, %y : tensor<3xf32> -> tensor<6xf32>
  tt.return %both : tensor<6xf32>
}

// CHECK-LABEL: tt.func @slices
// CHECK: %[[splat:.*]] = tt.splat %s : f32 -> tensor<2xf32>
// CHECK: tt.return %[[splat]], %x
tt.func @slices(%s: f32, %x: tensor<4xf32>, %i: i32) -> (tensor<2xf32>, tensor<4xf32>) {
  %splat = tt.splat %s : f32 -> tensor<8xf32>
  %0 = tt.extract_slice %splat[%i] : tensor<8xf32> -> tensor<2xf32>
  %1 = tt.extract_slice %x[%i] : tensor<4xf32> -> tensor<4xf32>
  tt.return %0, %1 : tensor<2xf32>, tensor<4xf32>
}
