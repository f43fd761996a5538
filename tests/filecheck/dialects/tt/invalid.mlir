// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected a pointer to an integer or a float, found tensor<4xf32>}}
tt.func @pointer_to_tensor(%x: !tt.ptr<tensor<4xf32>>) {
  tt.return
}

// -----

// expected-error@+1 {{expected a pointer to an integer or a float, found !tt.ptr<f32>}}
tt.func @pointer_to_pointer(%x: !tt.ptr<!tt.ptr<f32>>) {
  tt.return
}

// -----

// expected-error@+1 {{unknown address space 'shared', expected one of descriptor, global, constant}}
tt.func @address_space(%x: !tt.ptr<f32, "shared">) {
  tt.return
}

// -----

tt.func @cache_modifier(%x: !tt.ptr<f32>) {
  // expected-error@+1 {{unknown cache_modifier 'l1', expected one of none, ca, cg, wb, cs, wt, cv}}
  %0 = tt.load %x {cachePolicy = #tt.cache_policy<cache_modifier = l1, eviction_policy = evict_last>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @cache_policy_field(%x: !tt.ptr<f32>) {
  // expected-error@+1 {{expected the fields cache_modifier and eviction_policy}}
  %0 = tt.load %x {cachePolicy = #tt.cache_policy<cache_modifier = cg>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @return_of_another_type(%x: i32) -> f32 {
  // expected-error@+1 {{expected to return (f32) as @return_of_another_type does, found (i32)}}
  tt.return %x : i32
}

// -----

tt.func @return_of_nothing() -> f32 {
  // expected-error@+1 {{expected to return (f32) as @return_of_nothing does, found ()}}
  tt.return
}

// -----

// expected-error@+1 {{expected a body, or @no_body to be private, found neither}}
tt.func @no_body()

// -----

// expected-error@+1 {{expected a body, or @empty_body to be private, found neither}}
tt.func @empty_body() {
}

// -----

// expected-error@+1 {{expected a terminator at the end of each block, found an empty block}}
tt.func @empty_block(%x: i32) {
}

// -----

// expected-error@+2 {{Operation arith.addi terminates block in single-block region but is not a terminator}}
tt.func @no_terminator(%x: i32) {
  %0 = arith.addi %x, %x : i32
}

// -----

// expected-error@+1 {{expected entry block arguments of types (i32), found (i64)}}
"tt.func"() <{sym_name = "arguments", function_type = (i32) -> ()}> ({
^bb0(%x: i64):
  tt.return
}) : () -> ()

// -----

// expected-error@+1 {{expected 1 argument attribute dictionaries, found 2}}
"tt.func"() <{sym_name = "argument_attributes", function_type = (i32) -> (), arg_attrs = [{}, {}]}> ({
^bb0(%x: i32):
  tt.return
}) : () -> ()

// -----

// expected-error@+1 {{'tt.return' expects parent op 'tt.func'}}
tt.return

// -----

tt.func @outer() {
  // expected-error@+1 {{'tt.func' expects parent op 'builtin.module'}}
  tt.func @inner() {
    tt.return
  }
  tt.return
}

// -----

tt.func @call_of_nothing() {
  // expected-error@+1 {{expected a function @missing in the module, found none}}
  tt.call @missing() : () -> ()
  tt.return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @call_with_other_operands(%x: i64) {
  // expected-error@+1 {{expected operands of types (i32) as @callee has, found (i64)}}
  %0 = tt.call @callee(%x) : (i64) -> f32
  tt.return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @call_with_other_results(%x: i32) {
  // expected-error@+1 {{expected results of types (f32) as @callee has, found ()}}
  tt.call @callee(%x) : (i32) -> ()
  tt.return
}

// -----

tt.func @axis_word() {
  // expected-error@+1 {{unknown axis 'w', expected one of x, y, z}}
  %0 = tt.get_program_id w : i32
  tt.return
}

// -----

tt.func @axis_number() {
  // expected-error@+1 {{expected an axis from 0 to 2, found 3}}
  %0 = "tt.get_num_programs"() <{axis = 3 : i32}> : () -> i32
  tt.return
}

// -----

tt.func @program_id_type() {
  // expected-error@+1 {{Expected attribute i32 but got i64}}
  %0 = tt.get_program_id x : i64
  tt.return
}

// -----

tt.func @range_backwards() {
  // expected-error@+1 {{expected start < end, found start = 8 and end = 0}}
  %0 = tt.make_range {end = 0 : i32, start = 8 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @range_size() {
  // expected-error@+1 {{expected a result of shape 15, found tensor<16xi32>}}
  %0 = tt.make_range {end = 16 : i32, start = 1 : i32} : tensor<16xi32>
  tt.return
}

// -----

tt.func @range_rank() {
  // expected-error@+1 {{expected a result of shape 16, found tensor<4x4xi32>}}
  %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<4x4xi32>
  tt.return
}

// -----

tt.func @range_elements() {
  // expected-error@+1 {{expected a result with elements of type i32, found tensor<16xi64>}}
  %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi64>
  tt.return
}

// -----

tt.func @range_without_end() {
  // expected-error@+1 {{end}}
  %0 = tt.make_range {start = 0 : i32} : tensor<16xi32>
  tt.return
}

// -----

tt.func @splat_of_another_type(%x: i32) {
  // expected-error@+1 {{expected a scalar of type f32, found i32}}
  %0 = tt.splat %x : i32 -> tensor<4xf32>
  tt.return
}

// -----

tt.func @splat_of_tensor(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected a scalar of type i32, found tensor<4xi32>}}
  %0 = tt.splat %x : tensor<4xi32> -> tensor<4x4xi32>
  tt.return
}

// -----

tt.func @unsplat_of_two(%x: tensor<2xi32>) {
  // expected-error@+1 {{expected a tensor of one element, found tensor<2xi32>}}
  %0 = tt.unsplat %x : tensor<2xi32>
  tt.return
}

// -----

tt.func @broadcast_size(%x: tensor<4x1xi32>) {
  // expected-error@+1 {{expected dimension 0 to be 1 or to keep its size, found 4 to 8 (tensor<4x1xi32> to tensor<8x8xi32>)}}
  %0 = tt.broadcast %x : tensor<4x1xi32> -> tensor<8x8xi32>
  tt.return
}

// -----

tt.func @broadcast_rank(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected a result of rank 1, found tensor<4x4xi32>}}
  %0 = tt.broadcast %x : tensor<4xi32> -> tensor<4x4xi32>
  tt.return
}

// -----

tt.func @broadcast_elements(%x: tensor<4x1xi32>) {
  // expected-error@+1 {{expected a result with elements of type i32, found tensor<4x4xf32>}}
  %0 = tt.broadcast %x : tensor<4x1xi32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @broadcast_of_scalar(%x: i32) {
  // expected-error@+1 {{expected a tensor of integers, floats or pointers, found i32}}
  %0 = tt.broadcast %x : i32 -> tensor<4xi32>
  tt.return
}

// -----

tt.func @expand_dims_axis(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected an axis from 0 to 1 for tensor<4xi32>, found 2}}
  %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  tt.return
}

// -----

tt.func @expand_dims_negative_axis(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected an axis from 0 to 1 for tensor<4xi32>, found -1}}
  %0 = tt.expand_dims %x {axis = -1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  tt.return
}

// -----

tt.func @expand_dims_shape(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected a result of shape 1x4, found tensor<4x1xi32>}}
  %0 = tt.expand_dims %x {axis = 0 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  tt.return
}

// -----

tt.func @reshape_elements(%x: tensor<4x4xi32>) {
  // expected-error@+1 {{expected a result of 16 elements like tensor<4x4xi32>, found tensor<8xi32>}}
  %0 = tt.reshape %x : tensor<4x4xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @reshape_type(%x: tensor<4x4xi32>) {
  // expected-error@+1 {{expected a result with elements of type i32, found tensor<16xf32>}}
  %0 = tt.reshape %x : tensor<4x4xi32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @trans_order(%x: tensor<2x4xi32>) {
  // expected-error@+1 {{expected an order that permutes the 2 dimensions of tensor<2x4xi32>, found [0, 0]}}
  %0 = tt.trans %x {order = array<i32: 0, 0>} : tensor<2x4xi32> -> tensor<2x2xi32>
  tt.return
}

// -----

tt.func @trans_rank(%x: tensor<2x4xi32>) {
  // expected-error@+1 {{expected an order that permutes the 2 dimensions of tensor<2x4xi32>, found [0, 1, 2]}}
  %0 = tt.trans %x {order = array<i32: 0, 1, 2>} : tensor<2x4xi32> -> tensor<2x4xi32>
  tt.return
}

// -----

tt.func @trans_shape(%x: tensor<2x4xi32>) {
  // expected-error@+1 {{expected a result of shape 4x2, found tensor<2x4xi32>}}
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<2x4xi32> -> tensor<2x4xi32>
  tt.return
}

// -----

tt.func @addptr_of_integer(%x: i64, %y: i32) {
  // expected-error@+1 {{expected a pointer or a tensor of pointers, found i64}}
  %0 = tt.addptr %x, %y : i64, i32
  tt.return
}

// -----

tt.func @addptr_by_float(%x: !tt.ptr<f32>, %y: f32) {
  // expected-error@+1 {{expected a signless integer or a tensor of them, found f32}}
  %0 = tt.addptr %x, %y : !tt.ptr<f32>, f32
  tt.return
}

// -----

tt.func @addptr_shape(%x: tensor<4x!tt.ptr<f32>>, %y: tensor<8xi32>) {
  // expected-error@+1 {{expected an offset of shape 4, found tensor<8xi32>}}
  %0 = tt.addptr %x, %y : tensor<4x!tt.ptr<f32>>, tensor<8xi32>
  tt.return
}

// -----

tt.func @addptr_of_scalar_by_tensor(%x: !tt.ptr<f32>, %y: tensor<8xi32>) {
  // expected-error@+1 {{expected an offset of scalar type, found tensor<8xi32>}}
  %0 = tt.addptr %x, %y : !tt.ptr<f32>, tensor<8xi32>
  tt.return
}

// -----

tt.func @load_of_value(%x: f32) {
  // expected-error@+1 {{expected a pointer or a tensor of pointers, found f32}}
  %0 = tt.load %x : f32
  tt.return
}

// -----

tt.func @load_result(%x: !tt.ptr<f32>) {
  // expected-error@+1 {{expected f32, found f16}}
  %0 = "tt.load"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f16
  tt.return
}

// -----

tt.func @load_mask_shape(%x: tensor<4x!tt.ptr<f32>>, %m: tensor<8xi1>) {
  // expected-error@+1 {{expected tensor<4xi1>, found tensor<8xi1>}}
  %0 = "tt.load"(%x, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x!tt.ptr<f32>>, tensor<8xi1>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @load_scalar_mask(%x: tensor<4x!tt.ptr<f32>>, %m: i1) {
  // expected-error@+1 {{operand is used with type tensor<4xi1>, but has been previously used or defined with type i1}}
  %0 = tt.load %x, %m : tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @load_other_type(%x: tensor<4x!tt.ptr<f32>>, %m: tensor<4xi1>, %o: tensor<4xi32>) {
  // expected-error@+1 {{expected tensor<4xf32>, found tensor<4xi32>}}
  %0 = "tt.load"(%x, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<4x!tt.ptr<f32>>, tensor<4xi1>, tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @load_other_without_mask(%x: !tt.ptr<f32>, %o: f32) {
  // expected-error@+1 {{expected a mask with `other`, found none}}
  %0 = "tt.load"(%x, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @store_value(%x: !tt.ptr<f32>, %v: f16) {
  // expected-error@+1 {{expected f32, found f16}}
  "tt.store"(%x, %v) : (!tt.ptr<f32>, f16) -> ()
  tt.return
}

// -----

tt.func @store_mask(%x: tensor<4x!tt.ptr<f32>>, %v: tensor<4xf32>, %m: tensor<4xi32>) {
  // expected-error@+1 {{expected tensor<4xi1>, found tensor<4xi32>}}
  "tt.store"(%x, %v, %m) : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<4xi32>) -> ()
  tt.return
}

// -----

tt.func @store_to_value(%x: f32) {
  // expected-error@+1 {{expected a pointer or a tensor of pointers, found f32}}
  tt.store %x, %x : f32
  tt.return
}

// -----

tt.func @dot_inner_size(%a: tensor<16x32xf32>, %b: tensor<16x8xf32>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{expected as many columns in the first operand as rows in the second, found 32 and 16 (tensor<16x32xf32> * tensor<16x8xf32>)}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<16x8xf32> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @dot_accumulator_shape(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<8x16xf32>) {
  // expected-error@+1 {{expected an accumulator for tensor<16x32xf32> * tensor<32x8xf32> of shape 16x8, found tensor<8x16xf32>}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<8x16xf32>
  tt.return
}

// -----

tt.func @dot_rank_1(%a: tensor<32xf32>, %b: tensor<32x8xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{expected operands and accumulator all of rank 2 or all of rank 3, found tensor<32xf32>, tensor<32x8xf32>, tensor<8xf32>}}
  %0 = tt.dot %a, %b, %c : tensor<32xf32> * tensor<32x8xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @dot_batch(%a: tensor<2x16x32xf32>, %b: tensor<3x32x8xf32>, %c: tensor<2x16x8xf32>) {
  // expected-error@+1 {{expected operands of one batch size, found tensor<2x16x32xf32> and tensor<3x32x8xf32>}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x32xf32> * tensor<3x32x8xf32> -> tensor<2x16x8xf32>
  tt.return
}

// -----

tt.func @dot_operand_types(%a: tensor<16x32xf16>, %b: tensor<32x8xbf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{expected operands with elements of one type, found f16 and bf16}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x8xbf16> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @dot_accumulator_narrower(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<16x8xf16>) {
  // expected-error@+1 {{expected an accumulator of a float at least as wide as f32, found f16}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf16>
  tt.return
}

// -----

tt.func @dot_accumulator_kind(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{expected an accumulator of a signless integer at least as wide as i8, found f32}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xi8> * tensor<32x8xi8> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @dot_of_pointers(%a: tensor<16x32x!tt.ptr<f32>>, %b: tensor<32x8xf32>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{expected elements that are integers or floats, found !tt.ptr<f32>}}
  %0 = tt.dot %a, %b, %c : tensor<16x32x!tt.ptr<f32>> * tensor<32x8xf32> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @dot_result(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{attribute tensor<16x8xf32> expected from variable 'T', but got tensor<16x8xf64>}}
  %0 = "tt.dot"(%a, %b, %c) : (tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf64>
  tt.return
}

// -----

tt.func @dot_precision_word(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{unknown inputPrecision 'fp32', expected one of tf32, tf32x3, ieee, bf16x3, bf16x6}}
  %0 = tt.dot %a, %b, %c, inputPrecision = fp32 : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @dot_precision_number(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{expected an inputPrecision from 0 to 4, found 7}}
  %0 = "tt.dot"(%a, %b, %c) <{inputPrecision = 7 : i32}> : (tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @reduce_axis(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected an axis from 0 to 1 for tensor<4x8xf32>, found 2}}
  %0 = "tt.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    tt.reduce.return %l : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @reduce_result_shape(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected a result of shape 4, found tensor<8xf32>}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    tt.reduce.return %l : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @reduce_scalar_result(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a result of scalar type, found tensor<1xf32>}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    tt.reduce.return %l : f32
  }) : (tensor<8xf32>) -> tensor<1xf32>
  tt.return
}

// -----

tt.func @reduce_result_elements(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a result with elements of type f32, found i32}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    tt.reduce.return %l : f32
  }) : (tensor<8xf32>) -> i32
  tt.return
}

// -----

tt.func @reduce_operand_shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{expected operands of shape 8, found tensor<4xf32>}}
  %0, %1 = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32)
  tt.return
}

// -----

tt.func @reduce_result_count(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 2 results, one for each operand, found 1}}
  %0 = "tt.reduce"(%x, %x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>, tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_of_nothing() {
  // expected-error@+1 {{expected at least one operand, found none}}
  "tt.reduce"() <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.return
  }) : () -> ()
  tt.return
}

// -----

tt.func @reduce_region_arguments(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a region with arguments of types (f32, f32), found (f32, i32)}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: i32):
    tt.reduce.return %l : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_return_type(%x: tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %1 = arith.fptosi %l : f32 to i32
    // expected-error@+1 {{expected values of types (f32), found (i32)}}
    tt.reduce.return %1 : i32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_terminator(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a region that ends with tt.reduce.return}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    scf.yield %l : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @bitcast_width(%x: f32) {
  // expected-error@+1 {{expected types of one width, found f32 and i64}}
  %0 = tt.bitcast %x : f32 -> i64
  tt.return
}

// -----

tt.func @bitcast_of_pointer_to_integer(%x: !tt.ptr<f32>) {
  // expected-error@+1 {{expected two pointers or no pointer, found !tt.ptr<f32> and i64; tt.ptr_to_int and tt.int_to_ptr convert between pointers and integers}}
  %0 = tt.bitcast %x : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @bitcast_address_space(%x: !tt.ptr<f32>) {
  // expected-error@+1 {{expected pointers into one address space, found !tt.ptr<f32> and !tt.ptr<f32, "constant">}}
  %0 = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<f32, "constant">
  tt.return
}

// -----

tt.func @bitcast_shape(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a result of shape 4, found tensor<8xi32>}}
  %0 = tt.bitcast %x : tensor<4xf32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @int_to_ptr_of_i32(%x: i32) {
  // expected-error@+1 {{expected i64 to a pointer, found i32 to !tt.ptr<f32>}}
  %0 = tt.int_to_ptr %x : i32 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @ptr_to_int_of_i32(%x: !tt.ptr<f32>) {
  // expected-error@+1 {{expected a pointer to i64, found !tt.ptr<f32> to i32}}
  %0 = tt.ptr_to_int %x : !tt.ptr<f32> -> i32
  tt.return
}

// -----

tt.func @fp_to_fp_without_rounding(%x: f32) {
  // expected-error@+1 {{expected a rounding mode for f32 to f16, found none}}
  %0 = tt.fp_to_fp %x : f32 -> f16
  tt.return
}

// -----

tt.func @fp_to_fp_rounding(%x: f32) {
  // expected-error@+1 {{unknown rounding 'up', expected one of rtz, rtne}}
  %0 = tt.fp_to_fp %x, rounding = up : f32 -> f16
  tt.return
}

// -----

tt.func @fp_to_fp_of_integer(%x: i32) {
  // expected-error@+1 {{expected a float or a tensor of floats, found i32}}
  %0 = tt.fp_to_fp %x : i32 -> f64
  tt.return
}

// -----

tt.func @fp_to_fp_shape(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a result of shape 4, found f64}}
  %0 = tt.fp_to_fp %x : tensor<4xf32> -> f64
  tt.return
}

// -----

tt.func @clampf_nan(%x: f32) {
  // expected-error@+1 {{unknown propagateNan 'some', expected one of none, all}}
  %0 = tt.clampf %x, %x, %x, propagateNan = some : f32
  tt.return
}

// -----

tt.func @clampf_nan_number(%x: f32) {
  // expected-error@+1 {{expected a propagateNan of 0 or 65535, found 1}}
  %0 = "tt.clampf"(%x, %x, %x) <{propagateNan = 1 : i32}> : (f32, f32, f32) -> f32
  tt.return
}

// -----

tt.func @precise_sqrt_of_integer(%x: i32) {
  // expected-error@+1 {{expected a float or a tensor of floats, found i32}}
  %0 = tt.precise_sqrt %x : i32
  tt.return
}

// -----

tt.func @mulhiui_of_floats(%x: f32) {
  // expected-error@+1 {{expected a signless integer or a tensor of them, found f32}}
  %0 = tt.mulhiui %x, %x : f32
  tt.return
}

// -----

tt.func @tensor_of_index(%x: index) {
  // expected-error@+1 {{expected a tensor of integers, floats or pointers, found tensor<4xindex>}}
  %0 = tt.splat %x : index -> tensor<4xindex>
  tt.return
}

// -----

tt.func @addptr_by_index(%p: !tt.ptr<f32>, %x: index) {
  // expected-error@+1 {{expected a signless integer or a tensor of them, found index}}
  %0 = tt.addptr %p, %x : !tt.ptr<f32>, index
  tt.return
}

// -----

tt.func @bitcast_of_index(%x: index) {
  // expected-error@+1 {{expected an integer, a float, a pointer or a tensor of them, found index}}
  %0 = tt.bitcast %x : index -> i64
  tt.return
}

// -----

// expected-error@+1 {{expected a pointer to an integer or a float, found index}}
tt.func @pointer_to_index(%p: !tt.ptr<index>) {
  tt.return
}

// -----

tt.func @scan_axis(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected an axis from 0 to 1 for tensor<4x8xf32>, found 2}}
  %0 = "tt.scan"(%x) <{axis = 2 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: f32):
    tt.scan.return %l : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @scan_result(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a result of shape 8, found tensor<4xf32>}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: f32):
    tt.scan.return %l : f32
  }) : (tensor<8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @scan_region(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a region with arguments of types (f32, f32), found (f32, i32)}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: i32):
    tt.scan.return %l : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @scan_return(%x: tensor<8xf32>) {
  %c = arith.constant 1 : i32
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: f32):
    // expected-error@+1 {{expected values of types (f32), found (i32)}}
    tt.scan.return %c : i32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @gather_shape(%x: tensor<4x8xf32>, %i: tensor<3x8xi32>) {
  // expected-error@+1 {{expected indices of the shape of tensor<4x8xf32> but along axis 1, found tensor<3x8xi32>}}
  %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<3x8xi32>) -> tensor<3x8xf32>
  tt.return
}

// -----

tt.func @gather_indices(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected indices that are integers, found tensor<8xf32>}}
  %0 = tt.gather %x[%x] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @histogram_rank(%x: tensor<4x8xi32>) {
  // expected-error@+1 {{expected a tensor of rank 1 with integers, found tensor<4x8xi32>}}
  %0 = tt.histogram %x : tensor<4x8xi32> -> tensor<4xi32>
  tt.return
}

// -----

tt.func @sort_of_floats(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected integers of 8 bits or more, found tensor<8xf32>}}
  %0 = tt.sort %x {axis = 0 : i32} : tensor<8xf32>
  tt.return
}

// -----

tt.func @compare_exchange_of_unsigned_floats(%x: tensor<2xf32>) {
  // expected-error@+1 {{expected unsigned integers of 8 bits or more, found tensor<2xf32>}}
  %0 = tt.compare_exchange %x {axis = 0 : i32, unsigned} : tensor<2xf32>
  tt.return
}

// -----

tt.func @compare_exchange_of_booleans(%x: tensor<2xi1>) {
  // expected-error@+1 {{expected floats, or integers of 8 bits or more, found tensor<2xi1>}}
  %0 = tt.compare_exchange %x {axis = 0 : i32} : tensor<2xi1>
  tt.return
}

// -----

tt.func @compare_exchange_extent(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{expected an extent of 2 along axis 1, found tensor<2x4xf32>}}
  %0 = tt.compare_exchange %x {axis = 0 : i32, falls = 1 : i32} : tensor<2x4xf32>
  tt.return
}

// -----

tt.func @compare_exchange_axes(%x: tensor<2x2xf32>) {
  // expected-error@+1 {{expected two axes, found 1 twice}}
  %0 = tt.compare_exchange %x {axis = 1 : i32, falls = 1 : i32} : tensor<2x2xf32>
  tt.return
}

// -----

tt.func @compare_exchange_axis(%x: tensor<2x2xf32>) {
  // expected-error@+1 {{expected an axis from 0 to 1 for tensor<2x2xf32>, found 2}}
  %0 = tt.compare_exchange %x {axis = 2 : i32} : tensor<2x2xf32>
  tt.return
}

// -----

tt.func @join_shape(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a result of shape 8x2, found tensor<2x8xf32>}}
  %0 = tt.join %x, %x : tensor<8xf32> -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func @split_of_three(%x: tensor<8x3xf32>) {
  // expected-error@+1 {{expected a tensor of rank 2 or more with a last dimension of size 2, found tensor<8x3xf32>}}
  %0, %1 = tt.split %x : tensor<8x3xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @cat_rank(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{expected tensors of rank 1, found tensor<8x4xf32>}}
  %0 = tt.cat %x, %x : tensor<8x4xf32> -> tensor<16x4xf32>
  tt.return
}

// -----

tt.func @slice_outside(%x: tensor<8xf32>, %i: i32) {
  // expected-error@+1 {{expected a slice inside of dimension 0 of tensor<8xf32>, found 5 elements with a stride of 2}}
  %0 = tt.extract_slice %x[%i] {strides = array<i32: 2>} : tensor<8xf32> -> tensor<5xf32>
  tt.return
}

// -----

tt.func @slice_offsets(%x: tensor<8x8xf32>, %i: i32) {
  // expected-error@+1 {{expected 2 offsets and strides, one for each dimension of tensor<8x8xf32>}}
  %0 = tt.extract_slice %x[%i] : tensor<8x8xf32> -> tensor<1x8xf32>
  tt.return
}
