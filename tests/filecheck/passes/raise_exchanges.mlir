// RUN: mytriton-opt %s -p raise-exchanges | filecheck %s

// The element and its partner, added modulo 2, without the element: the partner. It is taken where the comparison is not
// what the index along the axis says.
// CHECK-LABEL: @step
// CHECK-NOT: tt.reduce
// CHECK: %swapped = tt.compare_exchange %x {axis = 1 : i32} : tensor<4x2xf32>
// CHECK-NEXT: tt.return %swapped
tt.func @step(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant dense<0> : tensor<1x2xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %index = tt.reshape %range : tensor<2xi32> -> tensor<1x2xi32>
  %bits = tt.bitcast %x : tensor<4x2xf32> -> tensor<4x2xi32>
  %sum = "tt.reduce"(%bits) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<4x2xi32>) -> tensor<4xi32>
  %kept = tt.expand_dims %sum {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %sums = tt.broadcast %kept : tensor<4x1xi32> -> tensor<4x2xi32>
  %partner_bits = arith.xori %bits, %sums : tensor<4x2xi32>
  %partner = tt.bitcast %partner_bits : tensor<4x2xi32> -> tensor<4x2xf32>
  %greater = arith.cmpf ogt, %x, %partner : tensor<4x2xf32>
  %right = arith.cmpi ne, %index, %zero : tensor<1x2xi32>
  %rights = tt.broadcast %right : tensor<1x2xi1> -> tensor<4x2xi1>
  %swap = arith.cmpi ne, %greater, %rights : tensor<4x2xi1>
  %swapped = arith.select %swap, %partner, %x : tensor<4x2xi1>, tensor<4x2xf32>
  tt.return %swapped : tensor<4x2xf32>
}

// The order may depend on the index along another axis, and be the opposite one.
// CHECK-LABEL: @alternating
// CHECK: %swapped = tt.compare_exchange %x {axis = 1 : i32, falls = 0 : i32, descending, unsigned} : tensor<2x2xi32>
// CHECK-NEXT: tt.return %swapped
tt.func @alternating(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %one = arith.constant dense<1> : tensor<2x2xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %column = tt.reshape %range : tensor<2xi32> -> tensor<1x2xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %columns = tt.broadcast %column : tensor<1x2xi32> -> tensor<2x2xi32>
  %rows = tt.broadcast %row : tensor<2x1xi32> -> tensor<2x2xi32>
  %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  %kept = tt.expand_dims %sum {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %sums = tt.broadcast %kept : tensor<2x1xi32> -> tensor<2x2xi32>
  %partner = arith.xori %sums, %x : tensor<2x2xi32>
  %greater = arith.cmpi ult, %partner, %x : tensor<2x2xi32>
  %turned = arith.xori %rows, %columns : tensor<2x2xi32>
  %right = arith.cmpi eq, %turned, %one : tensor<2x2xi32>
  %swap = arith.cmpi eq, %greater, %right : tensor<2x2xi1>
  %swapped = arith.select %swap, %partner, %x : tensor<2x2xi1>, tensor<2x2xi32>
  tt.return %swapped : tensor<2x2xi32>
}

// Another comparison is left as it is, on a partner that is no sum any more.
// CHECK-LABEL: @other_comparison
// CHECK-NOT: tt.compare_exchange
// CHECK: tt.gather %x
// CHECK: arith.select
tt.func @other_comparison(%x: tensor<2xi32>) -> tensor<2xi32> {
  %zero = arith.constant dense<0> : tensor<2xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2xi32>) -> i32
  %sums = tt.splat %sum : i32 -> tensor<2xi32>
  %partner = arith.xori %x, %sums : tensor<2xi32>
  %greater = arith.cmpi sge, %x, %partner : tensor<2xi32>
  %right = arith.cmpi ne, %range, %zero : tensor<2xi32>
  %swap = arith.cmpi ne, %greater, %right : tensor<2xi1>
  %swapped = arith.select %swap, %partner, %x : tensor<2xi1>, tensor<2xi32>
  tt.return %swapped : tensor<2xi32>
}

// What does not look at the index along the axis is no step: both elements could become the same one.
// CHECK-LABEL: @other_direction
// CHECK-NOT: tt.compare_exchange
// CHECK: arith.select
tt.func @other_direction(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %zero = arith.constant dense<0> : tensor<2x1xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  %kept = tt.expand_dims %sum {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %sums = tt.broadcast %kept : tensor<2x1xi32> -> tensor<2x2xi32>
  %partner = arith.xori %x, %sums : tensor<2x2xi32>
  %greater = arith.cmpi sgt, %x, %partner : tensor<2x2xi32>
  %down = arith.cmpi ne, %row, %zero : tensor<2x1xi32>
  %downs = tt.broadcast %down : tensor<2x1xi1> -> tensor<2x2xi1>
  %swap = arith.cmpi ne, %greater, %downs : tensor<2x2xi1>
  %swapped = arith.select %swap, %partner, %x : tensor<2x2xi1>, tensor<2x2xi32>
  tt.return %swapped : tensor<2x2xi32>
}

// Partners along both axes of extent 2 that one axis has become: the elements along it in the opposite order.
// CHECK-LABEL: @reversed
// CHECK-NOT: tt.reduce
// CHECK: %[[RANGE:.*]] = tt.make_range {end = 4 : i32, start = 0 : i32}
// CHECK: %[[LAST:.*]] = arith.constant dense<3> : tensor<8x4xi32>
// CHECK: %[[INDEX:.*]] = arith.subi %[[LAST]], %{{.*}} : tensor<8x4xi32>
// CHECK: %result = tt.gather %{{.*}}[%[[INDEX]]] {axis = 1 : i32} : (tensor<8x4xf32>, tensor<8x4xi32>) -> tensor<8x4xf32>
// CHECK: tt.return %result
tt.func @reversed(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %bits = tt.bitcast %x : tensor<8x4xf32> -> tensor<8x4xi32>
  %y = tt.reshape %bits : tensor<8x4xi32> -> tensor<8x2x2xi32>
  %sum = "tt.reduce"(%y) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<8x2x2xi32>) -> tensor<8x2xi32>
  %kept = tt.expand_dims %sum {axis = 1 : i32} : tensor<8x2xi32> -> tensor<8x1x2xi32>
  %sums = tt.broadcast %kept : tensor<8x1x2xi32> -> tensor<8x2x2xi32>
  %first = arith.xori %y, %sums : tensor<8x2x2xi32>
  %sum2 = "tt.reduce"(%first) <{axis = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<8x2x2xi32>) -> tensor<8x2xi32>
  %kept2 = tt.expand_dims %sum2 {axis = 2 : i32} : tensor<8x2xi32> -> tensor<8x2x1xi32>
  %sums2 = tt.broadcast %kept2 : tensor<8x2x1xi32> -> tensor<8x2x2xi32>
  %second = arith.xori %first, %sums2 : tensor<8x2x2xi32>
  %z = tt.reshape %second : tensor<8x2x2xi32> -> tensor<8x4xi32>
  %result = tt.bitcast %z : tensor<8x4xi32> -> tensor<8x4xf32>
  tt.return %result : tensor<8x4xf32>
}

// Of one of two axes only: the partner along that one.
// CHECK-LABEL: @half_reversed
// CHECK: tt.gather %y[%{{.*}}] {axis = 0 : i32}
// CHECK: tt.reshape
tt.func @half_reversed(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = tt.reshape %x : tensor<4xi32> -> tensor<2x2xi32>
  %sum = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  %kept = tt.expand_dims %sum {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %sums = tt.broadcast %kept : tensor<1x2xi32> -> tensor<2x2xi32>
  %partner = arith.xori %y, %sums : tensor<2x2xi32>
  %z = tt.reshape %partner : tensor<2x2xi32> -> tensor<4xi32>
  tt.return %z : tensor<4xi32>
}

// The sum along an axis, brought back as another one, cancels nothing.
// CHECK-LABEL: @other_axis
// CHECK: tt.reduce
// CHECK: arith.xori
tt.func @other_axis(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  %kept = tt.expand_dims %sum {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %sums = tt.broadcast %kept : tensor<2x1xi32> -> tensor<2x2xi32>
  %mixed = arith.xori %x, %sums : tensor<2x2xi32>
  tt.return %mixed : tensor<2x2xi32>
}
