// RUN: mytriton-opt %s | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

tt.func @ops(%i: i32, %ptr: !tt.ptr<f32>, %cptr: !tt.ptr<f16, "constant">,
    %mask: tensor<16xi1>, %other: tensor<16xf32>, %a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>,
    %t1: tensor<1x1xf32>, %t3: tensor<2x3x5xf32>, %t3b: tensor<2x5x7xf32>, %t3c: tensor<2x3x7xf32>) {
  // CHECK-LABEL: tt.func @ops
  // The grid.
  // CHECK-NEXT: %pid_x = tt.get_program_id x : i32
  // GENERIC: %pid_x = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
  %pid_x = tt.get_program_id x : i32
  // CHECK-NEXT: %programs_x = tt.get_num_programs x : i32
  // GENERIC: %programs_x = "tt.get_num_programs"() <{axis = 0 : i32}> : () -> i32
  %programs_x = tt.get_num_programs x : i32
  // CHECK-NEXT: %pid_y = tt.get_program_id y : i32
  // GENERIC: %pid_y = "tt.get_program_id"() <{axis = 1 : i32}> : () -> i32
  %pid_y = tt.get_program_id y : i32
  // CHECK-NEXT: %programs_y = tt.get_num_programs y : i32
  // GENERIC: %programs_y = "tt.get_num_programs"() <{axis = 1 : i32}> : () -> i32
  %programs_y = tt.get_num_programs y : i32
  // CHECK-NEXT: %pid_z = tt.get_program_id z : i32
  // GENERIC: %pid_z = "tt.get_program_id"() <{axis = 2 : i32}> : () -> i32
  %pid_z = tt.get_program_id z : i32
  // CHECK-NEXT: %programs_z = tt.get_num_programs z : i32
  // GENERIC: %programs_z = "tt.get_num_programs"() <{axis = 2 : i32}> : () -> i32
  %programs_z = tt.get_num_programs z : i32

  // Making and reshaping tensors, of sizes that are no powers of two as well.
  // CHECK-NEXT: %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // GENERIC: %range = "tt.make_range"() <{end = 16 : i32, start = 0 : i32}> : () -> tensor<16xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // CHECK-NEXT: %range_five = tt.make_range {end = 7 : i32, start = 2 : i32} : tensor<5xi32>
  %range_five = tt.make_range {end = 7 : i32, start = 2 : i32} : tensor<5xi32>
  // CHECK-NEXT: %splat = tt.splat %i : i32 -> tensor<16x1xi32>
  // GENERIC: %splat = "tt.splat"(%i) : (i32) -> tensor<16x1xi32>
  %splat = tt.splat %i : i32 -> tensor<16x1xi32>
  // CHECK-NEXT: %splat_pointer = tt.splat %ptr : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %splat_pointer = tt.splat %ptr : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  // CHECK-NEXT: %splat_scalar_tensor = tt.splat %i : i32 -> tensor<i32>
  %splat_scalar_tensor = tt.splat %i : i32 -> tensor<i32>
  // CHECK-NEXT: %broadcast = tt.broadcast %splat : tensor<16x1xi32> -> tensor<16x12xi32>
  // GENERIC: %broadcast = "tt.broadcast"(%splat) : (tensor<16x1xi32>) -> tensor<16x12xi32>
  %broadcast = tt.broadcast %splat : tensor<16x1xi32> -> tensor<16x12xi32>
  // CHECK-NEXT: %expand_front = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  // GENERIC: %expand_front = "tt.expand_dims"(%range) <{axis = 0 : i32}> : (tensor<16xi32>) -> tensor<1x16xi32>
  %expand_front = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  // CHECK-NEXT: %expand_back = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %expand_back = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  // CHECK-NEXT: %reshape = tt.reshape %broadcast : tensor<16x12xi32> -> tensor<192xi32>
  // GENERIC: %reshape = "tt.reshape"(%broadcast) : (tensor<16x12xi32>) -> tensor<192xi32>
  %reshape = tt.reshape %broadcast : tensor<16x12xi32> -> tensor<192xi32>
  // CHECK-NEXT: %reshape_any = tt.reshape %broadcast allow_reorder : tensor<16x12xi32> -> tensor<4x48xi32>
  // GENERIC: %reshape_any = "tt.reshape"(%broadcast) <{allow_reorder}> : (tensor<16x12xi32>) -> tensor<4x48xi32>
  %reshape_any = tt.reshape %broadcast allow_reorder : tensor<16x12xi32> -> tensor<4x48xi32>
  // CHECK-NEXT: %reshape_kept = tt.reshape %broadcast allow_reorder efficient_layout : tensor<16x12xi32> -> tensor<4x48xi32>
  %reshape_kept = tt.reshape %broadcast allow_reorder efficient_layout : tensor<16x12xi32> -> tensor<4x48xi32>
  // CHECK-NEXT: %trans = tt.trans %broadcast {order = array<i32: 1, 0>} : tensor<16x12xi32> -> tensor<12x16xi32>
  // GENERIC: %trans = "tt.trans"(%broadcast) <{order = array<i32: 1, 0>}> : (tensor<16x12xi32>) -> tensor<12x16xi32>
  %trans = tt.trans %broadcast {order = array<i32: 1, 0>} : tensor<16x12xi32> -> tensor<12x16xi32>
  // CHECK-NEXT: %join = tt.join %range, %range : tensor<16xi32> -> tensor<16x2xi32>
  // GENERIC: %join = "tt.join"(%range, %range) : (tensor<16xi32>, tensor<16xi32>) -> tensor<16x2xi32>
  %join = tt.join %range, %range : tensor<16xi32> -> tensor<16x2xi32>
  // CHECK-NEXT: %first, %second = tt.split %join : tensor<16x2xi32> -> tensor<16xi32>
  // GENERIC: %first, %second = "tt.split"(%join) : (tensor<16x2xi32>) -> (tensor<16xi32>, tensor<16xi32>)
  %first, %second = tt.split %join : tensor<16x2xi32> -> tensor<16xi32>
  // CHECK-NEXT: %cat = tt.cat %range, %range : tensor<16xi32> -> tensor<32xi32>
  // GENERIC: %cat = "tt.cat"(%range, %range) : (tensor<16xi32>, tensor<16xi32>) -> tensor<32xi32>
  %cat = tt.cat %range, %range : tensor<16xi32> -> tensor<32xi32>
  // CHECK-NEXT: %slice = tt.extract_slice %broadcast[%i, %pid_x] : tensor<16x12xi32> -> tensor<1x5xi32>
  // GENERIC: %slice = "tt.extract_slice"(%broadcast, %i, %pid_x) : (tensor<16x12xi32>, i32, i32) -> tensor<1x5xi32>
  %slice = tt.extract_slice %broadcast[%i, %pid_x] : tensor<16x12xi32> -> tensor<1x5xi32>
  // CHECK-NEXT: %backwards = tt.extract_slice %range[%i] {strides = array<i32: -3>} : tensor<16xi32> -> tensor<6xi32>
  %backwards = tt.extract_slice %range[%i] {strides = array<i32: -3>} : tensor<16xi32> -> tensor<6xi32>
  // CHECK-NEXT: %trans_three = tt.trans %t3 {order = array<i32: 2, 0, 1>} : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  %trans_three = tt.trans %t3 {order = array<i32: 2, 0, 1>} : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  // CHECK-NEXT: %unsplat = tt.unsplat %t1 : tensor<1x1xf32>
  // GENERIC: %unsplat = "tt.unsplat"(%t1) : (tensor<1x1xf32>) -> f32
  %unsplat = tt.unsplat %t1 : tensor<1x1xf32>

  // Memory.
  // CHECK-NEXT: %addptr = tt.addptr %ptr, %i : !tt.ptr<f32>, i32
  // GENERIC: %addptr = "tt.addptr"(%ptr, %i) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
  %addptr = tt.addptr %ptr, %i : !tt.ptr<f32>, i32
  // CHECK-NEXT: %addptr_tensor = tt.addptr %splat_pointer, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %addptr_tensor = tt.addptr %splat_pointer, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  // CHECK-NEXT: %load = tt.load %ptr : !tt.ptr<f32>
  // GENERIC: %load = "tt.load"(%ptr) <{operandSegmentSizes = array<i32: 1, 0, 0>, isVolatile = false}> : (!tt.ptr<f32>) -> f32
  %load = tt.load %ptr : !tt.ptr<f32>
  // CHECK-NEXT: %load_mask = tt.load %addptr_tensor, %mask : tensor<16x!tt.ptr<f32>>
  // GENERIC: %load_mask = "tt.load"(%addptr_tensor, %mask) <{operandSegmentSizes = array<i32: 1, 1, 0>, isVolatile = false}> : (tensor<16x!tt.ptr<f32>>, tensor<16xi1>) -> tensor<16xf32>
  %load_mask = tt.load %addptr_tensor, %mask : tensor<16x!tt.ptr<f32>>
  // CHECK-NEXT: %load_other = tt.load %addptr_tensor, %mask, %other : tensor<16x!tt.ptr<f32>>
  // GENERIC: %load_other = "tt.load"(%addptr_tensor, %mask, %other) <{operandSegmentSizes = array<i32: 1, 1, 1>, isVolatile = false}> : (tensor<16x!tt.ptr<f32>>, tensor<16xi1>, tensor<16xf32>) -> tensor<16xf32>
  %load_other = tt.load %addptr_tensor, %mask, %other : tensor<16x!tt.ptr<f32>>
  // CHECK-NEXT: %load_volatile = tt.load %ptr {isVolatile = true} : !tt.ptr<f32>
  %load_volatile = tt.load %ptr {isVolatile = true} : !tt.ptr<f32>
  // CHECK-NEXT: %load_cached = tt.load %ptr {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32>
  %load_cached = tt.load %ptr {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32>
  // CHECK-NEXT: %load_constant = tt.load %cptr : !tt.ptr<f16, "constant">
  %load_constant = tt.load %cptr : !tt.ptr<f16, "constant">
  // CHECK-NEXT: tt.store %ptr, %load : !tt.ptr<f32>
  // GENERIC: "tt.store"(%ptr, %load) : (!tt.ptr<f32>, f32) -> ()
  tt.store %ptr, %load : !tt.ptr<f32>
  // CHECK-NEXT: tt.store %addptr_tensor, %load_mask, %mask : tensor<16x!tt.ptr<f32>>
  // GENERIC: "tt.store"(%addptr_tensor, %load_mask, %mask) : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, tensor<16xi1>) -> ()
  tt.store %addptr_tensor, %load_mask, %mask : tensor<16x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %addptr_tensor, %load_mask {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : tensor<16x!tt.ptr<f32>>
  tt.store %addptr_tensor, %load_mask {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : tensor<16x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %ptr, %load {ignore_cta} : !tt.ptr<f32>
  tt.store %ptr, %load {ignore_cta} : !tt.ptr<f32>

  // Dot and reduce.
  // CHECK-NEXT: %dot = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // GENERIC: %dot = "tt.dot"(%a, %b, %c) <{inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %dot = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK-NEXT: %dot_tf32_ = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // GENERIC: %dot_tf32_ = "tt.dot"(%a, %b, %c) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}>
  %dot_tf32_ = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK-NEXT: %dot_tf32x3_ = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // GENERIC: %dot_tf32x3_ = "tt.dot"(%a, %b, %c) <{inputPrecision = 1 : i32, maxNumImpreciseAcc = 0 : i32}>
  %dot_tf32x3_ = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK-NEXT: %dot_bf16x3_ = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // GENERIC: %dot_bf16x3_ = "tt.dot"(%a, %b, %c) <{inputPrecision = 3 : i32, maxNumImpreciseAcc = 0 : i32}>
  %dot_bf16x3_ = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK-NEXT: %dot_bf16x6_ = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // GENERIC: %dot_bf16x6_ = "tt.dot"(%a, %b, %c) <{inputPrecision = 4 : i32, maxNumImpreciseAcc = 0 : i32}>
  %dot_bf16x6_ = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK-NEXT: %dot_imprecise = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 3 : i32} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %dot_imprecise = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 3 : i32} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK-NEXT: %dot_batch = tt.dot %t3, %t3b, %t3c : tensor<2x3x5xf32> * tensor<2x5x7xf32> -> tensor<2x3x7xf32>
  %dot_batch = tt.dot %t3, %t3b, %t3c : tensor<2x3x5xf32> * tensor<2x5x7xf32> -> tensor<2x3x7xf32>

  // Casts and arithmetic.
  // CHECK-NEXT: %bitcast = tt.bitcast %i : i32 -> f32
  // GENERIC: %bitcast = "tt.bitcast"(%i) : (i32) -> f32
  %bitcast = tt.bitcast %i : i32 -> f32
  // CHECK-NEXT: %bitcast_pointer = tt.bitcast %splat_pointer : tensor<16x!tt.ptr<f32>> -> tensor<16x!tt.ptr<i8>>
  %bitcast_pointer = tt.bitcast %splat_pointer : tensor<16x!tt.ptr<f32>> -> tensor<16x!tt.ptr<i8>>
  // CHECK-NEXT: %int = tt.ptr_to_int %ptr : !tt.ptr<f32> -> i64
  // GENERIC: %int = "tt.ptr_to_int"(%ptr) : (!tt.ptr<f32>) -> i64
  %int = tt.ptr_to_int %ptr : !tt.ptr<f32> -> i64
  // CHECK-NEXT: %pointer = tt.int_to_ptr %int : i64 -> !tt.ptr<f32>
  // GENERIC: %pointer = "tt.int_to_ptr"(%int) : (i64) -> !tt.ptr<f32>
  %pointer = tt.int_to_ptr %int : i64 -> !tt.ptr<f32>
  // CHECK-NEXT: %ints = tt.ptr_to_int %splat_pointer : tensor<16x!tt.ptr<f32>> -> tensor<16xi64>
  %ints = tt.ptr_to_int %splat_pointer : tensor<16x!tt.ptr<f32>> -> tensor<16xi64>
  // CHECK-NEXT: %fp8 = tt.fp_to_fp %other, rounding = rtne : tensor<16xf32> -> tensor<16xf8E5M2>
  // GENERIC: %fp8 = "tt.fp_to_fp"(%other) <{rounding = 1 : i32}> : (tensor<16xf32>) -> tensor<16xf8E5M2>
  %fp8 = tt.fp_to_fp %other, rounding = rtne : tensor<16xf32> -> tensor<16xf8E5M2>
  // CHECK-NEXT: %f16_down = tt.fp_to_fp %load, rounding = rtz : f32 -> f16
  // GENERIC: %f16_down = "tt.fp_to_fp"(%load) <{rounding = 0 : i32}> : (f32) -> f16
  %f16_down = tt.fp_to_fp %load, rounding = rtz : f32 -> f16
  // CHECK-NEXT: %f32_again = tt.fp_to_fp %fp8 : tensor<16xf8E5M2> -> tensor<16xf32>
  %f32_again = tt.fp_to_fp %fp8 : tensor<16xf8E5M2> -> tensor<16xf32>
  // CHECK-NEXT: %clampf = tt.clampf %load, %load, %load, propagateNan = none : f32
  // GENERIC: %clampf = "tt.clampf"(%load, %load, %load) <{propagateNan = 0 : i32}> : (f32, f32, f32) -> f32
  %clampf = tt.clampf %load, %load, %load, propagateNan = none : f32
  // CHECK-NEXT: %clampf_nan = tt.clampf %other, %other, %other, propagateNan = all : tensor<16xf32>
  // GENERIC: %clampf_nan = "tt.clampf"(%other, %other, %other) <{propagateNan = 65535 : i32}>
  %clampf_nan = tt.clampf %other, %other, %other, propagateNan = all : tensor<16xf32>
  // CHECK-NEXT: %sqrt = tt.precise_sqrt %other : tensor<16xf32>
  // GENERIC: %sqrt = "tt.precise_sqrt"(%other) : (tensor<16xf32>) -> tensor<16xf32>
  %sqrt = tt.precise_sqrt %other : tensor<16xf32>
  // CHECK-NEXT: %divf = tt.precise_divf %load, %load : f32
  // GENERIC: %divf = "tt.precise_divf"(%load, %load) : (f32, f32) -> f32
  %divf = tt.precise_divf %load, %load : f32
  // CHECK-NEXT: %mulhi = tt.mulhiui %range, %range : tensor<16xi32>
  // GENERIC: %mulhi = "tt.mulhiui"(%range, %range) : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  %mulhi = tt.mulhiui %range, %range : tensor<16xi32>
  // CHECK-NEXT: tt.return
  tt.return
}

// Reductions are in the generic form, as in Triton.
tt.func @order(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>, %z: tensor<4x2x2xf32>, %i: tensor<4x3xi32>, %v: tensor<16xi32>, %m: tensor<16xi1>) {
  // CHECK-LABEL: tt.func @order
  // CHECK-NEXT: %scanned = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  // CHECK-NEXT: ^bb0(%l: f32, %r: f32):
  // CHECK-NEXT:   %s = arith.addf %l, %r : f32
  // CHECK-NEXT:   tt.scan.return %s : f32
  // CHECK-NEXT: }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // GENERIC: "tt.scan.return"(%s) : (f32) -> ()
  %scanned = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.scan.return %s : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %both, %second = "tt.scan"(%x, %y) <{axis = 0 : i32, reverse = true}> ({
  %both, %second = "tt.scan"(%x, %y) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    tt.scan.return %c, %d : f32, i32
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  // CHECK: %picked = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  // GENERIC: %picked = "tt.gather"(%x, %i) <{axis = 1 : i32}> : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  %picked = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  // CHECK-NEXT: %counts = tt.histogram %v : tensor<16xi32> -> tensor<5xi32>
  // GENERIC: %counts = "tt.histogram"(%v) : (tensor<16xi32>) -> tensor<5xi32>
  %counts = tt.histogram %v : tensor<16xi32> -> tensor<5xi32>
  // CHECK-NEXT: %some = tt.histogram %v, %m : tensor<16xi32> -> tensor<5xi32>
  %some = tt.histogram %v, %m : tensor<16xi32> -> tensor<5xi32>
  // CHECK-NEXT: %up = tt.sort %y {axis = 0 : i32} : tensor<4x8xi32>
  // GENERIC: %up = "tt.sort"(%y) <{axis = 0 : i32}> : (tensor<4x8xi32>) -> tensor<4x8xi32>
  %up = tt.sort %y {axis = 0 : i32} : tensor<4x8xi32>
  // CHECK-NEXT: %down = tt.sort %y {axis = 1 : i32, descending} : tensor<4x8xi32>
  %down = tt.sort %y {axis = 1 : i32, descending} : tensor<4x8xi32>
  // CHECK-NEXT: %rises = tt.compare_exchange %z {axis = 1 : i32} : tensor<4x2x2xf32>
  // GENERIC: %rises = "tt.compare_exchange"(%z) <{axis = 1 : i32}> : (tensor<4x2x2xf32>) -> tensor<4x2x2xf32>
  %rises = tt.compare_exchange %z {axis = 1 : i32} : tensor<4x2x2xf32>
  // CHECK-NEXT: %turns = tt.compare_exchange %rises {axis = 2 : i32, falls = 1 : i32, descending} : tensor<4x2x2xf32>
  %turns = tt.compare_exchange %rises {axis = 2 : i32, falls = 1 : i32, descending} : tensor<4x2x2xf32>
  tt.return
}

tt.func @reduce(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>) {
  // CHECK-LABEL: tt.func @reduce
  // CHECK-NEXT: %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^{{.*}}(%l: f32, %r: f32):
  // CHECK-NEXT: %s = arith.addf %l, %r : f32
  // CHECK-NEXT: tt.reduce.return %s : f32
  // CHECK-NEXT: }) : (tensor<4x8xf32>) -> tensor<4xf32>
  // GENERIC: "tt.reduce.return"(%s) : (f32) -> ()
  %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %total = "tt.reduce"(%sum) <{axis = 0 : i32}> ({
  // CHECK: }) : (tensor<4xf32>) -> f32
  %total = "tt.reduce"(%sum) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<4xf32>) -> f32
  // CHECK-NEXT: %both, %first = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
  // CHECK-NEXT: }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  %both, %first = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%xl: f32, %yl: i32, %xr: f32, %yr: i32):
    %c = arith.cmpf ogt, %xl, %xr : f32
    %v = arith.select %c, %xl, %xr : f32
    %w = arith.select %c, %yl, %yr : i32
    tt.reduce.return %v, %w : f32, i32
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  // CHECK: tt.return
  tt.return
}
