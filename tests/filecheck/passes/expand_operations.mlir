// RUN: mytriton-opt %s -p expand-operations --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: tt.func public @small
// CHECK-NEXT: %q = arith.divf %x, %y : f32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT: %[[NULL:.*]] = tt.int_to_ptr %[[ZERO]] : i64 -> !tt.ptr<f32>
// CHECK-NEXT: tt.store %[[NULL]], %q : !tt.ptr<f32>
// CHECK-NEXT: tt.assert %c, "it holds" : i1
tt.func public @small(%x: f32, %y: f32, %c: i1) {
  %q = tt.approx_divf %x, %y : f32
  %p = ub.poison : !tt.ptr<f32>
  tt.store %p, %q : !tt.ptr<f32>
  cf.assert %c, "it holds"
  tt.return
}

// -----

// The elements times their scales, rounded to bf16.
// CHECK-LABEL: tt.func public @scaled
// CHECK: tt.fp_to_fp %a : tensor<16x32xf8E5M2> -> tensor<16x32xf32>
// CHECK: tt.join
// CHECK: tt.dot %{{.*}}, %{{.*}}, %c : tensor<16x32xbf16> * tensor<32x16xbf16> -> tensor<16x16xf32>
// CHECK-NEXT: tt.return
tt.func public @scaled(%a: tensor<16x32xf8E5M2>, %s: tensor<16x1xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xf32>) {
  %d = tt.dot_scaled %a scale %s, %b scale %s, %c lhs = e5m2 rhs = e2m1 {fastMath = false} : tensor<16x32xf8E5M2>, tensor<16x1xi8> * tensor<16x16xi8>, tensor<16x1xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

// A constant whose elements differ, and one of which not many do.
// CHECK-LABEL: tt.func public @dense
// CHECK-NEXT: %[[INDEX:.*]] = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
// CHECK-NEXT: %[[ROWS:.*]] = tt.reshape %[[INDEX]] : tensor<4xi32> -> tensor<2x2xi32>
// CHECK-NEXT: %[[SEVEN:.*]] = arith.constant dense<7> : tensor<2x2xi64>
// CHECK-NEXT: %[[TWO:.*]] = arith.constant dense<2> : tensor<2x2xi32>
// CHECK-NEXT: %[[IS_TWO:.*]] = arith.cmpi eq, %[[ROWS]], %[[TWO]] : tensor<2x2xi32>
// CHECK-NEXT: %[[NINE:.*]] = arith.constant dense<9> : tensor<2x2xi64>
// CHECK-NEXT: %c = arith.select %[[IS_TWO]], %[[NINE]], %[[SEVEN]] : tensor<2x2xi1>, tensor<2x2xi64>
// CHECK-NEXT: arith.addi %c, %c
// CHECK: dense<true> : tensor<4xi1>
// CHECK: dense<false> : tensor<4xi1>
// CHECK: arith.select
tt.func public @dense() {
  %c = arith.constant dense<[[7, 7], [9, 7]]> : tensor<2x2xi64>
  %d = arith.addi %c, %c : tensor<2x2xi64>
  %e = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  tt.return
}

// -----

tt.func public @rank_zero(%x: i32) {
  // expected-error@+1 {{a tensor of rank 0 is not supported: write a scalar}}
  %y = tt.splat %x : i32 -> tensor<i32>
  tt.return
}

// -----

tt.func public @six_bits(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error@+1 {{the format 'e2m3' of tt.dot_scaled is not supported}}
  %d = tt.dot_scaled %a, %b, %c lhs = e2m3 rhs = e4m3 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

// Numbers are in their order as unsigned ones when their highest bit is inverted.
// CHECK-LABEL: tt.func public @unsigned
// CHECK-NEXT: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK-NEXT: %[[A:.*]] = arith.xori %a, %[[LEAST]] : i32
// CHECK-NEXT: %[[B:.*]] = arith.xori %b, %[[LEAST]] : i32
// CHECK-NEXT: scf.for %[[J:.*]] = %[[A]] to %[[B]] step %s : i32 {
// CHECK-NEXT: %[[I:.*]] = arith.xori %[[J]], %[[LEAST]] : i32
// CHECK-NEXT: tt.store %p, %[[I]] : !tt.ptr<i32>
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func public @unsigned(%p: !tt.ptr<i32>, %a: i32, %b: i32, %s: i32) {
  scf.for unsigned %i = %a to %b step %s : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// What is no unsigned loop stays.
// CHECK-LABEL: tt.func public @signed
// CHECK-NEXT: scf.for %i = %a to %b step %s : i32 {
tt.func public @signed(%p: !tt.ptr<i32>, %a: i32, %b: i32, %s: i32) {
  scf.for %i = %a to %b step %s : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}
