// RUN: mytriton-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: tt.func @constants_fold
tt.func @constants_fold() -> (i32, tensor<4xi32>, f32, tensor<4xi1>, i8) {
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %sum = arith.addi %two, %three : i32
  %twos = arith.constant dense<2> : tensor<4xi32>
  %threes = arith.constant dense<3> : tensor<4xi32>
  %products = arith.muli %twos, %threes : tensor<4xi32>
  %half = arith.constant 5.000000e-01 : f32
  %quarter = arith.mulf %half, %half : f32
  %less = arith.cmpi slt, %twos, %threes : tensor<4xi32>
  %large = arith.constant 300 : i32
  %cut = arith.trunci %large : i32 to i8
  // CHECK-DAG: %[[sum:.*]] = arith.constant 5 : i32
  // CHECK-DAG: %[[products:.*]] = arith.constant dense<6> : tensor<4xi32>
  // CHECK-DAG: %[[quarter:.*]] = arith.constant 2.500000e-01 : f32
  // CHECK-DAG: %[[less:.*]] = arith.constant dense<true> : tensor<4xi1>
  // CHECK-DAG: %[[cut:.*]] = arith.constant 44 : i8
  // CHECK: tt.return %[[sum]], %[[products]], %[[quarter]], %[[less]], %[[cut]]
  tt.return %sum, %products, %quarter, %less, %cut : i32, tensor<4xi32>, f32, tensor<4xi1>, i8
}

// Only a dense constant with all elements equal folds.
// CHECK-LABEL: tt.func @different_elements
// CHECK: %[[list:.*]] = arith.constant dense<[1, 2, 3, 4]>
// CHECK: %[[sum:.*]] = arith.addi %[[list]], %[[list]]
// CHECK: tt.return %[[sum]]
tt.func @different_elements() -> tensor<4xi32> {
  %list = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %sum = arith.addi %list, %list : tensor<4xi32>
  tt.return %sum : tensor<4xi32>
}

// CHECK-LABEL: tt.func @integer_units
// CHECK-NEXT: tt.return %x, %x, %x, %x, %x, %x, %x, %x, %x, %x :
tt.func @integer_units(%x: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = arith.constant -1 : i32
  %0 = arith.addi %x, %zero : i32
  %1 = arith.subi %x, %zero : i32
  %2 = arith.muli %one, %x : i32
  %3 = arith.divsi %x, %one : i32
  %4 = arith.andi %ones, %x : i32
  %5 = arith.ori %x, %zero : i32
  %6 = arith.shli %x, %zero : i32
  %7 = arith.maxui %x, %zero : i32
  %8 = arith.minui %x, %ones : i32
  %9 = arith.andi %x, %x : i32
  tt.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
}

// CHECK-LABEL: tt.func @integer_zeros
// CHECK: %[[z:.*]] = arith.constant 0 : i32
// CHECK-NOT: arith.muli
// CHECK-NOT: arith.subi
// CHECK-NOT: arith.remui
// CHECK: tt.return
tt.func @integer_zeros(%x: i32) -> (i32, i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = arith.muli %x, %zero : i32
  %1 = arith.subi %x, %x : i32
  %2 = arith.remui %x, %one : i32
  %3 = arith.andi %zero, %x : i32
  tt.return %0, %1, %2, %3 : i32, i32, i32, i32
}

// x * 0 is NaN for infinity and NaN, and -0.0 for a negative x. x + 0.0 is 0.0 for -0.0.
// CHECK-LABEL: tt.func @no_float_units
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK: arith.subf
// CHECK: arith.maxnumf
tt.func @no_float_units(%x: f32) -> (f32, f32, f32, f32, f32) {
  %zero = arith.constant 0.000000e+00 : f32
  %minus_zero = arith.constant -0.000000e+00 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %0 = arith.mulf %x, %zero : f32
  %1 = arith.addf %x, %zero : f32
  %2 = arith.subf %x, %minus_zero : f32
  %3 = arith.subf %x, %x : f32
  %4 = arith.maxnumf %x, %lowest : f32
  tt.return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// CHECK-LABEL: tt.func @float_units
// CHECK-NEXT: tt.return %x, %x, %x, %x, %x, %x, %x :
tt.func @float_units(%x: f32) -> (f32, f32, f32, f32, f32, f32, f32) {
  %zero = arith.constant 0.000000e+00 : f32
  %minus_zero = arith.constant -0.000000e+00 : f32
  %one = arith.constant 1.000000e+00 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %0 = arith.mulf %one, %x : f32
  %1 = arith.addf %minus_zero, %x : f32
  %2 = arith.subf %x, %zero : f32
  %3 = arith.divf %x, %one : f32
  %4 = arith.maximumf %x, %lowest : f32
  %5 = arith.addf %x, %zero fastmath<nsz> : f32
  %n = arith.negf %x : f32
  %6 = arith.negf %n : f32
  tt.return %0, %1, %2, %3, %4, %5, %6 : f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: tt.func @constant_to_the_right
// CHECK: arith.addi %x, %c overflow<nsw> :
// CHECK: arith.cmpi sgt, %x, %c :
tt.func @constant_to_the_right(%x: i32) -> (i32, i1) {
  %c = arith.constant 7 : i32
  %0 = arith.addi %c, %x overflow<nsw> : i32
  %1 = arith.cmpi slt, %c, %x : i32
  tt.return %0, %1 : i32, i1
}

// CHECK-LABEL: tt.func @constants_combine
// CHECK: %[[c:.*]] = arith.constant dense<-7> : tensor<4xi8>
// CHECK: %[[sum:.*]] = arith.addi %x, %[[c]] : tensor<4xi8>
// CHECK-NEXT: tt.return %[[sum]]
tt.func @constants_combine(%x: tensor<4xi8>) -> tensor<4xi8> {
  %a = arith.constant dense<127> : tensor<4xi8>
  %b = arith.constant dense<122> : tensor<4xi8>
  %0 = arith.addi %x, %a overflow<nsw> : tensor<4xi8>
  %1 = arith.addi %0, %b overflow<nsw> : tensor<4xi8>
  tt.return %1 : tensor<4xi8>
}

// CHECK-LABEL: tt.func @comparisons
// CHECK-DAG: %[[true:.*]] = arith.constant true
// CHECK-DAG: %[[false:.*]] = arith.constant dense<false> : tensor<4xi1>
// CHECK: %[[nan:.*]] = arith.cmpf une, %f, %f : f32
// CHECK: tt.return %[[true]], %[[false]], %[[nan]], %b
tt.func @comparisons(%x: i32, %t: tensor<4xi32>, %f: f32, %b: i1) -> (i1, tensor<4xi1>, i1, i1) {
  %0 = arith.cmpi sle, %x, %x : i32
  %1 = arith.cmpi ult, %t, %t : tensor<4xi32>
  %2 = arith.cmpf une, %f, %f : f32
  %zero = arith.constant 0 : i8
  %wide = arith.extui %b : i1 to i8
  %3 = arith.cmpi ne, %wide, %zero : i8
  tt.return %0, %1, %2, %3 : i1, tensor<4xi1>, i1, i1
}

// CHECK-LABEL: tt.func @selects
// CHECK: %[[not:.*]] = arith.xori %c,
// CHECK-NEXT: tt.return %x, %y, %x, %c, %[[not]] :
tt.func @selects(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, i1, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %falses = arith.constant dense<false> : tensor<4xi1>
  %0 = arith.select %true, %x, %y : tensor<4xf32>
  %1 = arith.select %falses, %x, %y : tensor<4xi1>, tensor<4xf32>
  %2 = arith.select %c, %x, %x : tensor<4xf32>
  %3 = arith.select %c, %true, %false : i1
  %4 = arith.select %c, %false, %true : i1
  tt.return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, i1, i1
}

// CHECK-LABEL: tt.func @integer_casts
// CHECK-DAG: %[[a:.*]] = arith.extsi %x : i8 to i64
// CHECK-DAG: %[[b:.*]] = arith.extui %x : i8 to i64
// CHECK-DAG: %[[c:.*]] = arith.trunci %y : i64 to i8
// CHECK-DAG: %[[e:.*]] = arith.extsi %x : i8 to i16
// CHECK-DAG: %[[f:.*]] = arith.uitofp %x : i8 to f32
// CHECK: tt.return %[[a]], %[[b]], %[[c]], %x, %[[e]], %[[f]] :
tt.func @integer_casts(%x: i8, %y: i64) -> (i64, i64, i8, i8, i16, f32) {
  %s = arith.extsi %x : i8 to i32
  %u = arith.extui %x : i8 to i32
  %0 = arith.extsi %s : i32 to i64
  %1 = arith.extsi %u : i32 to i64
  %t = arith.trunci %y : i64 to i32
  %2 = arith.trunci %t : i32 to i8
  %3 = arith.trunci %s : i32 to i8
  %4 = arith.trunci %s : i32 to i16
  %5 = arith.sitofp %u : i32 to f32
  tt.return %0, %1, %2, %3, %4, %5 : i64, i64, i8, i8, i16, f32
}

// CHECK-LABEL: tt.func @float_casts
// CHECK-DAG: %[[a:.*]] = arith.extf %x : f16 to f64
// CHECK-DAG: %[[c:.*]] = arith.fptosi %x : f16 to i32
// CHECK: tt.return %[[a]], %x, %[[c]] :
tt.func @float_casts(%x: f16) -> (f64, f16, i32) {
  %w = arith.extf %x : f16 to f32
  %0 = arith.extf %w : f32 to f64
  %1 = arith.truncf %w : f32 to f16
  %2 = arith.fptosi %w : f32 to i32
  tt.return %0, %1, %2 : f64, f16, i32
}

// Two roundings are not one, a sign extension after a truncation is not nothing, and zeros are not signs.
// CHECK-LABEL: tt.func @casts_that_stay
// CHECK: arith.truncf %x : f64 to f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.extf %h : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.trunci %i : i32 to i8
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.extsi %i : i32 to i64
// CHECK: arith.uitofp %{{.*}} : i64 to f32
tt.func @casts_that_stay(%x: f64, %h: f16, %i: i32) -> (f16, bf16, i32, f32) {
  %f = arith.truncf %x : f64 to f32
  %0 = arith.truncf %f : f32 to f16
  %w = arith.extf %h : f16 to f32
  %1 = arith.truncf %w : f32 to bf16
  %t = arith.trunci %i : i32 to i8
  %2 = arith.extsi %t : i8 to i32
  %e = arith.extsi %i : i32 to i64
  %3 = arith.uitofp %e : i64 to f32
  tt.return %0, %1, %2, %3 : f16, bf16, i32, f32
}

// CHECK-LABEL: tt.func @index_casts
// CHECK: %[[cut:.*]] = arith.index_cast %x : index to i32
// CHECK: %[[wide:.*]] = arith.index_cast %[[cut]] : i32 to index
// CHECK: tt.return %y, %[[wide]]
tt.func @index_casts(%x: index, %y: i32) -> (i32, index) {
  %a = arith.index_cast %y : i32 to index
  %0 = arith.index_cast %a : index to i32
  %b = arith.index_cast %x : index to i32
  %1 = arith.index_cast %b : i32 to index
  tt.return %0, %1 : i32, index
}

// A division by zero and a shift by the width or more have values.
// CHECK-LABEL: tt.func @defined
// CHECK-DAG: %[[ones:.*]] = arith.constant -1 : i32
// CHECK-DAG: %[[zero:.*]] = arith.constant 0 : i32
tt.func @defined(%x: i32) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %width = arith.constant 32 : i32
  %0 = arith.divsi %x, %zero : i32
  %1 = arith.shli %x, %width : i32
  // CHECK: tt.return %[[ones]], %[[zero]]
  tt.return %0, %1 : i32, i32
}

// CHECK-LABEL: tt.func @inverse_of_compare
tt.func @inverse_of_compare(%x: i32, %y: i32, %u: tensor<4xi32>, %u_other: tensor<4xi32>, %f: f32) -> (i1, tensor<4xi1>, i1, i1, i1) {
  %true = arith.constant true
  %all = arith.constant dense<true> : tensor<4xi1>
  %ge = arith.cmpi sge, %x, %y : i32
  %below = arith.cmpi ult, %u, %u_other : tensor<4xi32>
  %less = arith.cmpf olt, %f, %f : f32
  %eq = arith.cmpi eq, %x, %y : i32
  %0 = arith.xori %ge, %true : i1
  %1 = arith.xori %below, %all : tensor<4xi1>
  %2 = arith.xori %less, %true : i1
  %3 = arith.xori %eq, %true : i1
  // CHECK: %[[less:.*]] = arith.cmpf olt
  // CHECK: %[[eq:.*]] = arith.cmpi eq, %x, %y : i32
  // CHECK: %[[lt:.*]] = arith.cmpi slt, %x, %y : i32
  // CHECK: %[[uge:.*]] = arith.cmpi uge, %u, %u_other : tensor<4xi32>
  // CHECK: %[[not:.*]] = arith.xori %[[less]]
  // CHECK: %[[still:.*]] = arith.xori %[[eq]]
  // CHECK: tt.return %[[lt]], %[[uge]], %[[not]], %[[eq]], %[[still]]
  tt.return %0, %1, %2, %eq, %3 : i1, tensor<4xi1>, i1, i1, i1
}
