// RUN: mytriton-opt %s -p match-dot-operands --split-input-file --verify-diagnostics | filecheck %s

// A load that is not staged directly stays as it was, and a remark says which condition fails.

// CHECK-LABEL: @no_mask
// CHECK: tt.load
// CHECK-NOT: ttg
tt.func @no_mask(%a: !tt.ptr<f32>, %K: i32, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %range_4 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %rows = tt.expand_dims %range_4 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %range_8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %columns = tt.expand_dims %range_8 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %K_splat = tt.splat %K : i32 -> tensor<4x1xi32>
  %scaled = arith.muli %rows, %K_splat : tensor<4x1xi32>
  %scaled_tile = tt.broadcast %scaled : tensor<4x1xi32> -> tensor<4x8xi32>
  %column_tile = tt.broadcast %columns : tensor<1x8xi32> -> tensor<4x8xi32>
  %offsets = arith.addi %scaled_tile, %column_tile : tensor<4x8xi32>
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %offsets : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  // expected-remark@+1 {{operand a of tl.dot is not copied directly to shared memory: the load has no mask}}
  %x = tt.load %pointers : tensor<4x8x!tt.ptr<f32>>
  // expected-remark@+1 {{operand b of tl.dot is not copied directly to shared memory: it comes from an argument, expected tl.load}}
  %d = tt.dot %x, %b, %acc : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  tt.return %d : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @also_used_elsewhere
// CHECK: %x = tt.load
// CHECK: %[[SQUARES:.*]] = arith.mulf %x, %x
// CHECK: tt.dot %x, %[[SQUARES]]
tt.func @also_used_elsewhere(%p: tensor<4x4x!tt.ptr<f32>>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-remark@+1 {{what it loads is used by other operations too}}
  %x = tt.load %p : tensor<4x4x!tt.ptr<f32>>
  %squares = arith.mulf %x, %x : tensor<4x4xf32>
  // expected-remark@+1 {{operand b of tl.dot is not copied directly to shared memory: it comes from arith.mulf, expected tl.load}}
  %d = tt.dot %x, %squares, %acc : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  tt.return %d : tensor<4x4xf32>
}
