// RUN: mytriton-opt %s -p lower-descriptors --split-input-file --verify-diagnostics | filecheck %s

// Nothing to do.
// CHECK-LABEL: tt.func public @none
// CHECK-NEXT: tt.return
tt.func public @none() {
  tt.return
}

// -----

// A row: the pointers are base + place * stride, and what is outside is masked.
// CHECK-LABEL: tt.func public @load
// CHECK: %[[RANGE:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
// CHECK-NEXT: %[[WIDE:.*]] = arith.extsi %[[RANGE]] : tensor<64xi32> to tensor<64xi64>
// CHECK-NEXT: %[[AT:.*]] = arith.extsi %i : i32 to i64
// CHECK-NEXT: %[[START:.*]] = tt.splat %[[AT]] : i64 -> tensor<64xi64>
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %[[WIDE]], %[[START]] : tensor<64xi64>
// CHECK-NEXT: %[[STRIDE:.*]] = tt.splat %s : i64 -> tensor<64xi64>
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[PLACE]], %[[STRIDE]] : tensor<64xi64>
// CHECK-NEXT: %[[BASE:.*]] = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
// CHECK-NEXT: %[[POINTER:.*]] = tt.addptr %[[BASE]], %[[OFFSET]]
// CHECK-NEXT: %[[EXTENT:.*]] = arith.extsi %n : i32 to i64
// CHECK-NEXT: %[[EXTENTS:.*]] = tt.splat %[[EXTENT]]
// CHECK-NEXT: %[[MASK:.*]] = arith.cmpi ult, %[[PLACE]], %[[EXTENTS]]
// CHECK-NEXT: %[[NAN:.*]] = arith.constant 0x7E00 : f16
// CHECK-NEXT: %[[OTHER:.*]] = tt.splat %[[NAN]]
// CHECK-NEXT: tt.load %[[POINTER]], %[[MASK]], %[[OTHER]] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>}
// CHECK-NOT: descriptor
tt.func public @load(%p: !tt.ptr<f16>, %n: i32, %s: i64, %i: i32, %out: tensor<64x!tt.ptr<f16>>) {
  %d = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <f16>, <64xf16>
  %x = tt.descriptor_load %d[%i] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.tensordesc<64xf16> -> tensor<64xf16>
  tt.store %out, %x : tensor<64x!tt.ptr<f16>>
  tt.return
}

// -----

// A parameter becomes an aligned pointer. A loop carries what may differ of a descriptor, and a branch chooses it: the
// pointer and the padding, but not the size and the stride.
// CHECK-LABEL: tt.func public @carried
// CHECK-SAME: %d: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %s: i64
// CHECK: %[[ZERO:.*]] = arith.constant false
// CHECK: scf.for %i = {{.*}} iter_args(%e_base = %d, %e_padding = %[[ZERO]]) -> (!tt.ptr<f32>, i1)
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f32>>
// CHECK: %f_base, %f_padding = scf.if %c -> (!tt.ptr<f32>, i1) {
// CHECK: scf.yield %p, %{{.*}} : !tt.ptr<f32>, i1
// CHECK: scf.yield %e_base, %e_padding : !tt.ptr<f32>, i1
// CHECK-NOT: desc
tt.func public @carried(%d: !tt.tensordesc<16xf32>, %n: i32, %s: i64, %p: !tt.ptr<f32>, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = scf.for %i = %zero to %n step %one iter_args(%e = %d) -> (!tt.tensordesc<16xf32>) : i32 {
    %x = tt.descriptor_load %e[%i] : !tt.tensordesc<16xf32> -> tensor<16xf32>
    tt.descriptor_store %e[%i], %x : !tt.tensordesc<16xf32>, tensor<16xf32>
    %f = scf.if %c -> (!tt.tensordesc<16xf32>) {
      %g = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <f32>, <16xf32>
      scf.yield %g : !tt.tensordesc<16xf32>
    } else {
      scf.yield %e : !tt.tensordesc<16xf32>
    }
    scf.yield %f : !tt.tensordesc<16xf32>
  }
  tt.return
}

// -----

// A branch gives nothing twice: the sizes stand in its results and in the descriptor. Strides that are one constant, and
// sizes that are one argument made wider, are taken from the start of the function.
// CHECK-LABEL: tt.func public @chosen
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: %[[SIZE:.*]] = arith.extsi %n : i32 to i64
// CHECK: %d_shape0, %d_base = scf.if %c -> (i32, !tt.ptr<f32>) {
// CHECK: scf.yield %n, %p : i32, !tt.ptr<f32>
// CHECK: scf.yield %m, %q : i32, !tt.ptr<f32>
// CHECK: arith.muli %{{.*}}, %{{.*}} : tensor<4x1xi64>
// CHECK-NOT: arith.muli
// CHECK: tt.store
tt.func public @chosen(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32, %m: i32, %c: i1, %x: tensor<4x8xf32>) {
  %rows, %d = scf.if %c -> (i32, !tt.tensordesc<4x8xf32>) {
    %one = arith.constant 1 : i64
    %s = arith.extsi %n : i32 to i64
    %f = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f32>, <4x8xf32>
    scf.yield %n, %f : i32, !tt.tensordesc<4x8xf32>
  } else {
    %one = arith.constant 1 : i64
    %s = arith.extsi %n : i32 to i64
    %g = tt.make_tensor_descriptor %q, [%m, %n], [%s, %one] : <f32>, <4x8xf32>
    scf.yield %m, %g : i32, !tt.tensordesc<4x8xf32>
  }
  tt.descriptor_store %d[%rows, %n], %x : !tt.tensordesc<4x8xf32>, tensor<4x8xf32>
  tt.return
}

// -----

// Where a side of a branch has no descriptor to give, its parts are whatever.
// CHECK-LABEL: tt.func public @poison
// CHECK: %d_base, %found = scf.while (%e_base = %{{.*}}, %f = %no) : (!tt.ptr<f32>, i1) -> (!tt.ptr<f32>, i1)
// CHECK-NOT: poison
// CHECK: tt.load
tt.func public @poison(%p: !tt.ptr<f32>, %n: i32, %s: i64, %out: tensor<16x!tt.ptr<f32>>) {
  %none = ub.poison : !tt.tensordesc<16xf32>
  %no = arith.constant false
  %yes = arith.constant true
  %d, %found = scf.while (%e = %none, %f = %no) : (!tt.tensordesc<16xf32>, i1) -> (!tt.tensordesc<16xf32>, i1) {
    %again = arith.xori %f, %yes : i1
    scf.condition(%again) %e, %f : !tt.tensordesc<16xf32>, i1
  } do {
  ^bb0(%e: !tt.tensordesc<16xf32>, %f: i1):
    %q = tt.addptr %p, %n : !tt.ptr<f32>, i32
    %g = tt.make_tensor_descriptor %q, [%n], [%s] : <f32>, <16xf32>
    scf.yield %g, %yes : !tt.tensordesc<16xf32>, i1
  }
  %x = tt.descriptor_load %d[%n] : !tt.tensordesc<16xf32> -> tensor<16xf32>
  tt.store %out, %x : tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

// Each parameter stays in its place.
// CHECK-LABEL: tt.func public @two
// CHECK-SAME: (%d: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %s: i64, %e: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %t: i64)
tt.func public @two(%d: !tt.tensordesc<16xf32>, %n: i32, %s: i64, %e: !tt.tensordesc<16xf16>, %m: i32, %t: i64) {
  tt.return
}

// -----

// Reductions: of unsigned integers, and of a tile of another shape.
// CHECK-LABEL: tt.func public @reduce
// CHECK: tt.reshape %x : tensor<8x4xi32> -> tensor<1x32xi32>
// CHECK: tt.atomic_rmw umax, relaxed, gpu, %{{.*}} : (tensor<1x32x!tt.ptr<i32>>, tensor<1x32xi32>, tensor<1x32xi1>) -> tensor<1x32xi32>
tt.func public @reduce(%d: !tt.tensordesc<1x32xui32>, %m: i32, %n: i32, %s: i64, %t: i64, %x: tensor<8x4xi32>) {
  tt.descriptor_reduce max, %d[%m, %n], %x : !tt.tensordesc<1x32xui32>, tensor<8x4xi32>
  tt.return
}

// -----

// The bits of positive floats are in order, those of negative ones in the opposite order.
// CHECK-LABEL: tt.func public @reduce_floats
// CHECK: %[[BITS:.*]] = tt.bitcast %x : tensor<16xf32> -> tensor<16xi32>
// CHECK: arith.cmpi sge, %[[BITS]]
// CHECK: tt.atomic_rmw min, relaxed, gpu, %[[AT:.*]], %[[BITS]], %{{.*}}
// CHECK: arith.cmpi slt, %[[BITS]]
// CHECK: tt.atomic_rmw umax, relaxed, gpu, %[[AT]], %[[BITS]], %{{.*}}
// CHECK: tt.atomic_rmw and, relaxed, gpu, %{{.*}}, %x, %{{.*}}
tt.func public @reduce_floats(%d: !tt.tensordesc<16xf32>, %n: i32, %s: i64, %x: tensor<16xf32>) {
  tt.descriptor_reduce min, %d[%n], %x : !tt.tensordesc<16xf32>, tensor<16xf32>
  tt.descriptor_reduce and, %d[%n], %x : !tt.tensordesc<16xf32>, tensor<16xf32>
  tt.return
}

// -----

// What no GPU does at once: swaps until no element has been changed meanwhile; where there is nothing to do, the first
// element of the array for itself.
// CHECK-LABEL: tt.func public @reduce_small_floats
// CHECK: %[[BITS:.*]] = tt.bitcast %x : tensor<16xf16> -> tensor<16xi16>
// CHECK: %[[BASE:.*]] = tt.bitcast %d : !tt.ptr<f16> -> !tt.ptr<i16>
// CHECK: %[[FIRST:.*]] = tt.splat %[[BASE]]
// CHECK: %[[AT:.*]] = arith.select %[[MASK:.*]], %{{.*}}, %[[FIRST]]
// CHECK: %[[OLD:.*]] = tt.atomic_load relaxed, gpu, %[[AT]], %[[MASK]]
// CHECK: scf.while ({{.*}} = %[[MASK]], {{.*}} = %[[OLD]])
// CHECK: "tt.reduce"
// CHECK: arith.ori
// CHECK: scf.condition
// CHECK: arith.cmpi sgt
// CHECK: %[[FOUND:.*]] = tt.atomic_cas relaxed, gpu, %[[AT]], %[[NOW:.*]], %{{.*}}
// CHECK: %[[FAILED:.*]] = arith.cmpi ne, %[[FOUND]], %[[NOW]]
// CHECK: %[[LEFT:.*]] = arith.andi %{{.*}}, %[[FAILED]]
// CHECK: scf.yield %[[LEFT]], %[[FOUND]]
tt.func public @reduce_small_floats(%d: !tt.tensordesc<16xf16>, %n: i32, %s: i64, %x: tensor<16xf16>) {
  tt.descriptor_reduce max, %d[%n], %x : !tt.tensordesc<16xf16>, tensor<16xf16>
  tt.return
}

// -----

// CHECK-LABEL: tt.func public @count
// CHECK: tt.atomic_cas relaxed, gpu, %{{.*}} : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
tt.func public @count(%d: !tt.tensordesc<16xui32>, %n: i32, %s: i64, %x: tensor<16xi32>) {
  tt.descriptor_reduce inc, %d[%n], %x : !tt.tensordesc<16xui32>, tensor<16xi32>
  tt.return
}

// -----

// expected-error@+1 {{expected 1 sizes (i32) and 1 strides (i64) as the parameters after !tt.tensordesc<16xf32>}}
tt.func public @no_sizes(%d: !tt.tensordesc<16xf32>, %n: i32) {
  tt.return
}

// -----

tt.func public @signed_counter(%d: !tt.tensordesc<16xsi32>, %n: i32, %s: i64, %x: tensor<16xi32>) {
  // expected-error@+1 {{the reduction 'inc' is of unsigned integers of 32 bits, found si32}}
  tt.descriptor_reduce inc, %d[%n], %x : !tt.tensordesc<16xsi32>, tensor<16xi32>
  tt.return
}

// -----

tt.func public @short_integers(%d: !tt.tensordesc<16xsi16>, %n: i32, %s: i64, %x: tensor<16xi16>) {
  // expected-error@+1 {{the reduction 'add' is of elements of 32 and 64 bits, found si16}}
  tt.descriptor_reduce add, %d[%n], %x : !tt.tensordesc<16xsi16>, tensor<16xi16>
  tt.return
}

// -----

tt.func public @tiny_floats(%d: !tt.tensordesc<16xf8E5M2>, %n: i32, %s: i64, %x: tensor<16xf8E5M2>) {
  // expected-error@+1 {{the reduction 'max' is of floats of 16, 32 and 64 bits, found f8E5M2}}
  tt.descriptor_reduce max, %d[%n], %x : !tt.tensordesc<16xf8E5M2>, tensor<16xf8E5M2>
  tt.return
}

// -----

tt.func public @no_nan(%p: !tt.ptr<i32>, %n: i32, %s: i64) {
  // expected-error@+1 {{expected a descriptor of floats for a padding of NaN, found !tt.tensordesc<16xi32>}}
  %d = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <i32>, <16xi32>
  tt.return
}
