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

// A parameter becomes an aligned pointer. A loop carries the parts of a descriptor, and a branch chooses them.
// CHECK-LABEL: tt.func public @carried
// CHECK-SAME: %d: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %s: i64
// CHECK: scf.for %i = {{.*}} iter_args(%{{.*}} = %d, %{{.*}} = %n, %{{.*}} = %s, %{{.*}} = %{{.*}}) -> (!tt.ptr<f32>, i32, i64, i1)
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f32>>
// CHECK: scf.if %c -> (!tt.ptr<f32>, i32, i64, i1) {
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32, i64, i1
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

// Reductions: of unsigned integers, and of a tile of another shape.
// CHECK-LABEL: tt.func public @reduce
// CHECK: tt.reshape %x : tensor<8x4xi32> -> tensor<1x32xi32>
// CHECK: tt.atomic_rmw umax, relaxed, gpu, %{{.*}} : (tensor<1x32x!tt.ptr<i32>>, tensor<1x32xi32>, tensor<1x32xi1>) -> tensor<1x32xi32>
tt.func public @reduce(%d: !tt.tensordesc<1x32xui32>, %m: i32, %n: i32, %s: i64, %t: i64, %x: tensor<8x4xi32>) {
  tt.descriptor_reduce max, %d[%m, %n], %x : !tt.tensordesc<1x32xui32>, tensor<8x4xi32>
  tt.return
}

// -----

// expected-error@+1 {{expected 1 sizes (i32) and 1 strides (i64) as the parameters after !tt.tensordesc<16xf32>}}
tt.func public @no_sizes(%d: !tt.tensordesc<16xf32>, %n: i32) {
  tt.return
}

// -----

tt.func public @increment(%d: !tt.tensordesc<16xui32>, %n: i32, %s: i64, %x: tensor<16xi32>) {
  // expected-error@+1 {{the reduction 'inc' of i32 is not supported}}
  tt.descriptor_reduce inc, %d[%n], %x : !tt.tensordesc<16xui32>, tensor<16xi32>
  tt.return
}

// -----

tt.func public @no_nan(%p: !tt.ptr<i32>, %n: i32, %s: i64) {
  // expected-error@+1 {{expected a descriptor of floats for a padding of NaN, found !tt.tensordesc<16xi32>}}
  %d = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <i32>, <16xi32>
  tt.return
}
