// RUN: mytriton-opt %s -p combine-dot-add | filecheck %s

// CHECK-LABEL: @float_sum
// CHECK-NOT: arith.addf
// CHECK: tt.dot %a, %b, %acc
tt.func @float_sum(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.000000e+00> : tensor<4x4xf32>
  %dot = tt.dot %a, %b, %zero : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %acc, %dot : tensor<4x4xf32>
  tt.return %sum : tensor<4x4xf32>
}

// CHECK-LABEL: @other_order
// CHECK-NOT: arith.addi
// CHECK: tt.dot %a, %b, %acc
tt.func @other_order(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %acc: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %zero = arith.constant 0 : i32
  %zeros = tt.splat %zero : i32 -> tensor<4x4xi32>
  %dot = tt.dot %a, %b, %zeros : tensor<4x8xi8> * tensor<8x4xi8> -> tensor<4x4xi32>
  %sum = arith.addi %dot, %acc : tensor<4x4xi32>
  tt.return %sum : tensor<4x4xi32>
}

// The dot's value is also needed alone.
// CHECK-LABEL: @used_twice
// CHECK: arith.addf
tt.func @used_twice(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<4x4xf32>
  %dot = tt.dot %a, %b, %zero : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %acc, %dot : tensor<4x4xf32>
  tt.return %sum, %dot : tensor<4x4xf32>, tensor<4x4xf32>
}

// The dot accumulates already.
// CHECK-LABEL: @accumulates_already
// CHECK: arith.addf
tt.func @accumulates_already(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %dot = tt.dot %a, %b, %acc : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %acc, %dot : tensor<4x4xf32>
  tt.return %sum : tensor<4x4xf32>
}

// No dot at all.
// CHECK-LABEL: @plain_sum
// CHECK: arith.addf
tt.func @plain_sum(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %sum = arith.addf %a, %b : tensor<4x4xf32>
  tt.return %sum : tensor<4x4xf32>
}
