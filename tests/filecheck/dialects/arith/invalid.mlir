// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

tt.func @constant_of_fewer_elements() {
  // expected-error@+2 {{Expected [4] shape from the type, but got [3] shape}}
  %0 = arith.constant dense<[1, 2, 3]> : tensor<4xi32>
  tt.return
}

// -----

tt.func @constant_of_another_type() {
  // expected-error@+1 {{i32}}
  %0 = "arith.constant"() <{value = 1 : i64}> : () -> i32
  tt.return
}

// -----

tt.func @constant_of_unsigned() {
  // expected-error@+1 {{expected a constant of signless integers or floats, found ui32}}
  %0 = "arith.constant"() <{value = 1 : ui32}> : () -> ui32
  tt.return
}

// -----

tt.func @integer_operation_on_floats(%x: f32) {
  // expected-error@+1 {{expected a signless integer or a tensor of them, found f32}}
  %0 = arith.addi %x, %x : f32
  tt.return
}

// -----

tt.func @integer_operation_on_signed(%x: si32) {
  // expected-error@+1 {{expected a signless integer or a tensor of them, found si32}}
  %0 = arith.muli %x, %x : si32
  tt.return
}

// -----

tt.func @integer_operation_on_pointers(%x: !tt.ptr<i32>) {
  // expected-error@+1 {{expected a signless integer or a tensor of them, found !tt.ptr<i32>}}
  %0 = arith.addi %x, %x : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @float_operation_on_integers(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected a float or a tensor of floats, found tensor<4xi32>}}
  %0 = arith.addf %x, %x : tensor<4xi32>
  tt.return
}

// -----

tt.func @two_types(%x: i32, %y: i64) {
  // expected-error@+1 {{attribute i32 expected from variable 'T', but got i64}}
  %0 = "arith.addi"(%x, %y) : (i32, i64) -> i32
  tt.return
}

// -----

tt.func @two_shapes(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{attribute tensor<4xf32> expected from variable 'T', but got tensor<8xf32>}}
  %0 = "arith.maximumf"(%x, %y) : (tensor<4xf32>, tensor<8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @unknown_integer_predicate(%x: i32) {
  // expected-error@+1 {{unknown predicate 'lt', expected one of eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge}}
  %0 = arith.cmpi lt, %x, %x : i32
  tt.return
}

// -----

tt.func @integer_predicate_out_of_range(%x: i32) {
  // expected-error@+1 {{expected a predicate from 0 to 9 of type i64, found 10 : i64}}
  %0 = "arith.cmpi"(%x, %x) <{predicate = 10 : i64}> : (i32, i32) -> i1
  tt.return
}

// -----

tt.func @unknown_float_predicate(%x: f32) {
  // expected-error@+1 {{unknown predicate 'slt', expected one of false, oeq, ogt}}
  %0 = arith.cmpf slt, %x, %x : f32
  tt.return
}

// -----

tt.func @float_predicate_of_i32(%x: f32) {
  // expected-error@+1 {{expected a predicate from 0 to 15 of type i64, found 1 : i32}}
  %0 = "arith.cmpf"(%x, %x) <{predicate = 1 : i32}> : (f32, f32) -> i1
  tt.return
}

// -----

tt.func @comparison_without_shape(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected tensor<4xi1>, found i1}}
  %0 = "arith.cmpi"(%x, %x) <{predicate = 0 : i64}> : (tensor<4xi32>, tensor<4xi32>) -> i1
  tt.return
}

// -----

tt.func @select_by_integer(%c: i32, %x: f32) {
  // expected-error@+1 {{expected a condition of type i1, found i32}}
  %0 = "arith.select"(%c, %x, %x) : (i32, f32, f32) -> f32
  tt.return
}

// -----

tt.func @select_by_other_shape(%c: tensor<8xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{expected a condition of type i1 or tensor<4xi1>, found tensor<8xi1>}}
  %0 = arith.select %c, %x, %x : tensor<8xi1>, tensor<4xf32>
  tt.return
}

// -----

tt.func @select_of_two_types(%c: i1, %x: f32, %y: f16) {
  // expected-error@+1 {{attribute f32 expected from variable 'T', but got f16}}
  %0 = "arith.select"(%c, %x, %y) : (i1, f32, f16) -> f32
  tt.return
}

// -----

tt.func @extension_to_narrower(%x: i32) {
  // expected-error@+1 {{expected a result wider than the input of type i32, found i16}}
  %0 = arith.extsi %x : i32 to i16
  tt.return
}

// -----

tt.func @extension_to_same_width(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected a result wider than the input of type i32, found i32}}
  %0 = arith.extui %x : tensor<4xi32> to tensor<4xi32>
  tt.return
}

// -----

tt.func @truncation_to_wider(%x: i8) {
  // expected-error@+1 {{expected a result narrower than the input of type i8, found i64}}
  %0 = arith.trunci %x : i8 to i64
  tt.return
}

// -----

tt.func @truncation_to_index(%x: i64) {
  // expected-error@+1 {{expected integers of a fixed width, found index; arith.index_cast converts it}}
  %0 = arith.trunci %x : i64 to index
  tt.return
}

// -----

tt.func @float_extension_to_same_width(%x: f16) {
  // expected-error@+1 {{expected a result wider than the input of type f16, found bf16}}
  %0 = arith.extf %x : f16 to bf16
  tt.return
}

// -----

tt.func @float_truncation_to_wider(%x: f32) {
  // expected-error@+1 {{expected a result narrower than the input of type f32, found f64}}
  %0 = arith.truncf %x : f32 to f64
  tt.return
}

// -----

tt.func @cast_of_another_shape(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected an input and a result of one shape and encoding, found tensor<4xi32> and tensor<8xi64>}}
  %0 = arith.extsi %x : tensor<4xi32> to tensor<8xi64>
  tt.return
}

// -----

tt.func @cast_of_scalar_to_tensor(%x: i32) {
  // expected-error@+1 {{expected an input and a result of one shape and encoding, found i32 and tensor<1xf32>}}
  %0 = arith.sitofp %x : i32 to tensor<1xf32>
  tt.return
}

// -----

tt.func @cast_to_another_encoding(%x: tensor<4xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
  // expected-error@+1 {{expected an input and a result of one shape and encoding}}
  %0 = arith.trunci %x : tensor<4xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>> to tensor<4xi8>
  tt.return
}

// -----

tt.func @float_to_float(%x: f32) {
  // expected-error@+1 {{expected a signless integer or a tensor of them, found f32}}
  %0 = arith.sitofp %x : f32 to f64
  tt.return
}

// -----

tt.func @integer_to_integer(%x: i32) {
  // expected-error@+1 {{expected a float or a tensor of floats, found i32}}
  %0 = arith.fptosi %x : i32 to i64
  tt.return
}

// -----

tt.func @bitcast_to_another_width(%x: f32) {
  // expected-error@+1 {{expected types of one width, found f32 and i64}}
  %0 = arith.bitcast %x : f32 to i64
  tt.return
}

// -----

tt.func @bitcast_to_index(%x: i64) {
  // expected-error@+1 {{expected types of a fixed width, found index}}
  %0 = arith.bitcast %x : i64 to index
  tt.return
}

// -----

tt.func @bitcast_of_pointer(%x: !tt.ptr<f32>) {
  // expected-error@+1 {{expected an integer, a float or a tensor of them, found !tt.ptr<f32>}}
  %0 = arith.bitcast %x : !tt.ptr<f32> to i64
  tt.return
}

// -----

tt.func @index_cast_without_index(%x: i32) {
  // expected-error@+1 {{expected a cast between index and an integer, found i32 to i64}}
  %0 = arith.index_cast %x : i32 to i64
  tt.return
}

// -----

tt.func @operand_of_another_type(%x: i32) {
  // expected-error@+1 {{operand is used with type i64, but has been previously used or defined with type i32}}
  %0 = arith.addi %x, %x : i64
  tt.return
}
