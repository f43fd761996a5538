// RUN: mytriton-opt %s -p insert-checks,canonicalize,cse | filecheck %s

// What a mask leaves out of a load is not stored where that mask is true.
// CHECK-LABEL: @stored_under_the_mask
// CHECK-NOT: ttg.check
tt.func @stored_under_the_mask(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %k: tensor<8xi1>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %y = arith.addf %x, %x : tensor<8xf32>
  tt.store %p, %y, %m : tensor<8x!tt.ptr<f32>>
  %both = arith.andi %k, %m : tensor<8xi1>
  tt.store %p, %y, %both : tensor<8x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @stored_under_another_mask
// CHECK-SAME: tt.check_origins = [{kind = "masked load", description = "tl.load", file = "{{[^"]*}}insert_checks.mlir", line = {{[0-9]+}} : i32, column = 3 : i32}]
// CHECK-SAME: tt.check_sinks = [{what = "is stored", file = "{{[^"]*}}insert_checks.mlir", line = {{[0-9]+}} : i32, column = 3 : i32, parameter = 0 : i32}]
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : tensor<8xi32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : tensor<8xi32>
// CHECK: %[[FAULT:.*]] = arith.select %m, %[[ZERO]], %[[ONE]] : tensor<8xi1>, tensor<8xi32>
// CHECK-NEXT: ttg.check %[[FAULT]] at %p : tensor<8x!tt.ptr<f32>> if %k {sink = 0 : i32} : tensor<8xi32>
// CHECK-NEXT: tt.store %p, %x, %k
tt.func @stored_under_another_mask(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %k: tensor<8xi1>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.store %p, %x, %k : tensor<8x!tt.ptr<f32>>
  tt.return
}

// The mask of the second store says nothing of the load's.
// CHECK-LABEL: @repeated
// CHECK: tt.store %q, %all, %both
// CHECK: %[[ROW:.*]] = arith.select %m,
// CHECK: %[[ONE_ROW:.*]] = tt.expand_dims %[[ROW]] {axis = 0 : i32}
// CHECK: %[[ALL:.*]] = tt.broadcast %[[ONE_ROW]] : tensor<1x8xi32> -> tensor<4x8xi32>
// CHECK-NEXT: ttg.check %[[ALL]] at %q : tensor<4x8x!tt.ptr<f32>> if %kall
tt.func @repeated(%p: tensor<8x!tt.ptr<f32>>, %q: tensor<4x8x!tt.ptr<f32>>, %m: tensor<8xi1>, %k: tensor<4x1xi1>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %row = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %all = tt.broadcast %row : tensor<1x8xf32> -> tensor<4x8xf32>
  %mrow = tt.expand_dims %m {axis = 0 : i32} : tensor<8xi1> -> tensor<1x8xi1>
  %mall = tt.broadcast %mrow : tensor<1x8xi1> -> tensor<4x8xi1>
  %kall = tt.broadcast %k : tensor<4x1xi1> -> tensor<4x8xi1>
  %both = arith.andi %mall, %kall : tensor<4x8xi1>
  tt.store %q, %all, %both : tensor<4x8x!tt.ptr<f32>>
  tt.store %q, %all, %kall : tensor<4x8x!tt.ptr<f32>>
  tt.return
}

// Where the mask is false, what is loaded is `other`, which may be undefined itself.
// CHECK-LABEL: @other
// CHECK: tt.load %p, %m, %o
// CHECK-NEXT: tt.store
// CHECK: %[[OTHER:.*]] = arith.select %k,
// CHECK: %[[FAULT:.*]] = arith.select %m, %{{.*}}, %[[OTHER]]
// CHECK-NEXT: ttg.check %[[FAULT]] at %p
tt.func @other(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %k: tensor<8xi1>, %o: tensor<8xf32>) {
  %x = tt.load %p, %m, %o : tensor<8x!tt.ptr<f32>>
  tt.store %p, %x : tensor<8x!tt.ptr<f32>>
  %y = tt.load %p, %k : tensor<8x!tt.ptr<f32>>
  %z = tt.load %p, %m, %y : tensor<8x!tt.ptr<f32>>
  tt.store %p, %z : tensor<8x!tt.ptr<f32>>
  tt.return
}

// A constant divisor is known, one that is the same for all elements is looked at once, and others one by one.
// CHECK-LABEL: @division
// CHECK-SAME: [{kind = "division by zero", description = "%", {{[^}]*}}}, {kind = "division by zero", description = "//", {{[^}]*}}}]
// CHECK: tt.store %p, %a
// CHECK: %[[IS_ZERO:.*]] = arith.cmpi eq, %n, %[[ZERO:.*]] : i32
// CHECK: %[[FAULT:.*]] = arith.select %[[IS_ZERO]], %{{.*}}, %[[ZERO]] : i32
// CHECK: %[[IS_FAULT:.*]] = arith.cmpi ne, %[[FAULT]], %[[ZERO]] : i32
// CHECK: scf.if %[[IS_FAULT]] {
// CHECK-NEXT: %[[ALL:.*]] = tt.splat %[[FAULT]] : i32 -> tensor<8xi32>
// CHECK-NEXT: ttg.check %[[ALL]] at %p
// CHECK: %[[ARE_ZERO:.*]] = arith.cmpi eq, %y, %{{.*}} : tensor<8xi32>
// CHECK: %[[FAULTS:.*]] = arith.select %[[ARE_ZERO]], %{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xi32>
// CHECK: ttg.check %[[FAULTS]] at %p
tt.func @division(%p: tensor<8x!tt.ptr<i32>>, %x: tensor<8xi32>, %y: tensor<8xi32>, %n: i32) {
  %seven = arith.constant dense<7> : tensor<8xi32>
  %a = arith.divsi %x, %seven : tensor<8xi32>
  tt.store %p, %a : tensor<8x!tt.ptr<i32>>
  %nn = tt.splat %n : i32 -> tensor<8xi32>
  %b = arith.remsi %x, %nn : tensor<8xi32>
  tt.store %p, %b : tensor<8x!tt.ptr<i32>>
  %c = arith.divui %x, %y : tensor<8xi32>
  tt.store %p, %c : tensor<8x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: @shift
// CHECK: tt.store %p, %a
// CHECK-NOT: ttg.check
// CHECK: tt.store %p, %b
// CHECK: ttg.check %{{.*}} at %p
// CHECK-NEXT: tt.store %p, %c
// CHECK: %[[WIDTH:.*]] = arith.constant dense<32> : tensor<8xi32>
// CHECK: %[[TOO_MANY:.*]] = arith.cmpi uge, %y, %[[WIDTH]]
// CHECK: %[[FAULT:.*]] = arith.select %[[TOO_MANY]],
// CHECK: ttg.check %[[FAULT]] at %p
tt.func @shift(%p: tensor<8x!tt.ptr<i32>>, %x: tensor<8xi32>, %y: tensor<8xi32>) {
  %31 = arith.constant dense<31> : tensor<8xi32>
  %a = arith.shli %x, %31 : tensor<8xi32>
  tt.store %p, %a : tensor<8x!tt.ptr<i32>>
  %few = arith.andi %y, %31 : tensor<8xi32>
  %b = arith.shrsi %x, %few : tensor<8xi32>
  tt.store %p, %b : tensor<8x!tt.ptr<i32>>
  %32 = arith.constant dense<32> : tensor<8xi32>
  %c = arith.shrui %x, %32 : tensor<8xi32>
  tt.store %p, %c : tensor<8x!tt.ptr<i32>>
  %d = arith.shli %x, %y : tensor<8xi32>
  tt.store %p, %d : tensor<8x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: @selection
// CHECK: %a = arith.select %m, %x, %z
// CHECK-NEXT: tt.store %p, %a
// CHECK: %[[LOADED:.*]] = arith.select %m, %[[ZERO:.*]], %{{.*}} : tensor<8xi1>, tensor<8xi32>
// CHECK: %[[CHOSEN:.*]] = arith.select %k, %[[LOADED]], %[[ZERO]] : tensor<8xi1>, tensor<8xi32>
// CHECK-NEXT: ttg.check %[[CHOSEN]]
// CHECK: %c = arith.select %u, %z, %a
// CHECK-NEXT: ttg.check %[[LOADED]]
tt.func @selection(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %k: tensor<8xi1>, %z: tensor<8xf32>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %a = arith.select %m, %x, %z : tensor<8xi1>, tensor<8xf32>
  tt.store %p, %a : tensor<8x!tt.ptr<f32>>
  %b = arith.select %k, %x, %z : tensor<8xi1>, tensor<8xf32>
  tt.store %p, %b : tensor<8x!tt.ptr<f32>>
  %u = arith.cmpf olt, %x, %z : tensor<8xf32>
  %c = arith.select %u, %z, %a : tensor<8xi1>, tensor<8xf32>
  tt.store %p, %c : tensor<8x!tt.ptr<f32>>
  tt.return
}

// `m and x` is false where m is, whatever x is; and true with `or`.
// CHECK-LABEL: @logical
// CHECK: %both = arith.andi %m, %u
// CHECK-NEXT: tt.store %p, %n, %both
// CHECK: %other = arith.andi %k, %u
// CHECK: %[[IS_DEFINED:.*]] = arith.cmpi eq, %[[LOADED:.*]], %[[ZERO:.*]] : tensor<8xi32>
// CHECK: %[[IS_FALSE:.*]] = arith.xori %u,
// CHECK: %[[DECIDES:.*]] = arith.andi %[[IS_DEFINED]], %[[IS_FALSE]]
// CHECK: %[[WHERE_K:.*]] = arith.select %k, %[[LOADED]], %[[ZERO]]
// CHECK: %[[FAULT:.*]] = arith.select %[[DECIDES]], %[[ZERO]], %[[WHERE_K]]
// CHECK-NEXT: ttg.check %[[FAULT]] {sink
// CHECK: %either = arith.ori %k, %u
// CHECK: %[[DECIDES_TOO:.*]] = arith.andi %[[IS_DEFINED]], %u
// CHECK: %[[NOT_WHERE_K:.*]] = arith.select %k, %[[ZERO]], %[[LOADED]]
// CHECK: %[[FAULT_TOO:.*]] = arith.select %[[DECIDES_TOO]], %[[ZERO]], %[[NOT_WHERE_K]]
// CHECK-NEXT: ttg.check %[[FAULT_TOO]] {sink
tt.func @logical(%p: tensor<8x!tt.ptr<i32>>, %m: tensor<8xi1>, %n: tensor<8xi32>, %k: tensor<8xi1>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<i32>>
  %u = arith.cmpi slt, %x, %n : tensor<8xi32>
  %both = arith.andi %m, %u : tensor<8xi1>
  tt.store %p, %n, %both : tensor<8x!tt.ptr<i32>>
  %other = arith.andi %k, %u : tensor<8xi1>
  tt.store %p, %n, %other : tensor<8x!tt.ptr<i32>>
  %either = arith.ori %k, %u : tensor<8xi1>
  tt.store %p, %n, %either : tensor<8x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: @reduction
// CHECK: %[[LOADED:.*]] = arith.select %m,
// CHECK: %[[FAULT:.*]] = "tt.reduce"(%[[LOADED]]) <{axis = 0 : i32}> ({
// CHECK: arith.maxsi
// CHECK: }) : (tensor<8xi32>) -> i32
// CHECK-NEXT: ttg.check %[[FAULT]] at %q : !tt.ptr<f32> {sink = 0 : i32} : i32
tt.func @reduction(%p: tensor<8x!tt.ptr<f32>>, %q: !tt.ptr<f32>, %m: tensor<8xi1>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %q, %s : !tt.ptr<f32>
  tt.return
}

// A combination that may make a fault itself computes the shadows as well.
// CHECK-LABEL: @reduction_with_division
// CHECK: %s, %[[FAULT:.*]] = "tt.reduce"(%x, %{{.*}}) <{axis = 0 : i32}> ({
// CHECK-NEXT: ^bb0(%a: i32, %[[A:.*]]: i32, %b: i32, %[[B:.*]]: i32):
// CHECK-NEXT: %t = arith.divsi %a, %b
// CHECK-NEXT: %[[BOTH:.*]] = arith.maxsi %[[A]], %[[B]]
// CHECK: %[[IS_ZERO:.*]] = arith.cmpi eq, %b,
// CHECK: %[[OWN:.*]] = arith.select %[[IS_ZERO]],
// CHECK: %[[ALL:.*]] = arith.maxsi %[[BOTH]], %[[OWN]]
// CHECK: tt.reduce.return %t, %[[ALL]] : i32, i32
// CHECK: ttg.check %[[FAULT]] at %q
tt.func @reduction_with_division(%p: tensor<8x!tt.ptr<i32>>, %q: !tt.ptr<i32>) {
  %x = tt.load %p : tensor<8x!tt.ptr<i32>>
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %t = arith.divsi %a, %b : i32
    tt.reduce.return %t : i32
  }) : (tensor<8xi32>) -> i32
  tt.store %q, %s : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @scan
// CHECK: %[[LOADED:.*]] = arith.select %m,
// CHECK: %[[FAULT:.*]] = "tt.scan"(%[[LOADED]]) <{axis = 0 : i32, reverse = true}> ({
// CHECK: ttg.check %[[FAULT]] at %p : tensor<8x!tt.ptr<f32>> if %m
tt.func @scan(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.scan.return %t : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.store %p, %s, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}

// An element of a product depends on a row and on a column.
// CHECK-LABEL: @dot
// CHECK: %[[A:.*]] = arith.select %m,
// CHECK: %[[B:.*]] = arith.select %k,
// CHECK: %[[ROWS:.*]] = "tt.reduce"(%[[A]]) <{axis = 1 : i32}>
// CHECK: %[[COLUMN:.*]] = tt.expand_dims %[[ROWS]] {axis = 1 : i32}
// CHECK: %[[LEFT:.*]] = tt.broadcast %[[COLUMN]]
// CHECK: %[[COLUMNS:.*]] = "tt.reduce"(%[[B]]) <{axis = 0 : i32}>
// CHECK: %[[ROW:.*]] = tt.expand_dims %[[COLUMNS]] {axis = 0 : i32}
// CHECK: %[[RIGHT:.*]] = tt.broadcast %[[ROW]]
// CHECK: %[[FAULT:.*]] = arith.maxsi %[[LEFT]], %[[RIGHT]]
// CHECK-NEXT: ttg.check %[[FAULT]] at %p : tensor<16x16x!tt.ptr<f32>> if %m
tt.func @dot(%p: tensor<16x16x!tt.ptr<f32>>, %m: tensor<16x16xi1>, %k: tensor<16x16xi1>, %c: tensor<16x16xf32>) {
  %a = tt.load %p, %m : tensor<16x16x!tt.ptr<f32>>
  %b = tt.load %p, %k : tensor<16x16x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %p, %d, %m : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @movements
// CHECK: %[[LOADED:.*]] = arith.select %m, %[[ZERO:.*]], %{{.*}} : tensor<4xi1>, tensor<4xi32>
// CHECK: %[[JOINED:.*]] = tt.join %[[LOADED]], %[[ZERO]] : tensor<4xi32> -> tensor<4x2xi32>
// CHECK: %[[TURNED:.*]] = tt.trans %[[JOINED]]
// CHECK: ttg.check %[[TURNED]] at %q
// CHECK: ttg.check %[[LOADED]] at %p
// CHECK-NEXT: tt.store %p, %g
// CHECK: %[[GATHERED:.*]] = tt.gather %[[LOADED]][%i]
// CHECK-NEXT: ttg.check %[[GATHERED]] at %p
// CHECK-NEXT: tt.store %p, %h
// CHECK: %[[LARGEST:.*]] = "tt.reduce"(%[[LOADED]])
// CHECK: tt.splat %[[LARGEST]]
// CHECK: tt.store %p, %s
// CHECK-NEXT: tt.histogram %x, %m
// CHECK-NEXT: tt.store %p, %n
// CHECK-NEXT: tt.histogram %x :
// CHECK: tt.splat %[[LARGEST]]
// CHECK: tt.store %p, %o
tt.func @movements(%p: tensor<4x!tt.ptr<i32>>, %q: tensor<2x4x!tt.ptr<i32>>, %m: tensor<4xi1>, %i: tensor<4xi32>) {
  %x = tt.load %p, %m : tensor<4x!tt.ptr<i32>>
  %j = tt.join %x, %i : tensor<4xi32> -> tensor<4x2xi32>
  %t = tt.trans %j {order = array<i32: 1, 0>} : tensor<4x2xi32> -> tensor<2x4xi32>
  tt.store %q, %t : tensor<2x4x!tt.ptr<i32>>
  %g = tt.gather %i[%x] {axis = 0 : i32} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  tt.store %p, %g : tensor<4x!tt.ptr<i32>>
  %h = tt.gather %x[%i] {axis = 0 : i32} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  tt.store %p, %h : tensor<4x!tt.ptr<i32>>
  %s = tt.sort %x {axis = 0 : i32} : tensor<4xi32>
  tt.store %p, %s : tensor<4x!tt.ptr<i32>>
  %n = tt.histogram %x, %m : tensor<4xi32> -> tensor<4xi32>
  tt.store %p, %n : tensor<4x!tt.ptr<i32>>
  %o = tt.histogram %x : tensor<4xi32> -> tensor<4xi32>
  tt.store %p, %o : tensor<4x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: @loop
// CHECK: %acc, %[[RESULT:.*]] = scf.for {{.*}} iter_args(%a = %z, %[[CARRIED:.*]] = %{{.*}}) -> (tensor<8xf32>, tensor<8xi32>)
// CHECK: %[[LOADED:.*]] = arith.select %m,
// CHECK: %[[NEXT:.*]] = arith.maxsi %[[CARRIED]], %[[LOADED]]
// CHECK: scf.yield %s, %[[NEXT]]
// CHECK: ttg.check %[[RESULT]] at %p
tt.func @loop(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %n: i32) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %acc = scf.for %i = %0 to %n step %1 iter_args(%a = %z) -> (tensor<8xf32>) : i32 {
    %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    %s = arith.addf %a, %x : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  tt.store %p, %acc : tensor<8x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @branch
// CHECK: %[[LOADED:.*]] = arith.select %m, %[[ZERO:.*]], %{{.*}} : i32
// CHECK: %y, %[[FAULT:.*]] = scf.if %c -> (i32, i32) {
// CHECK-NEXT: scf.yield %x, %[[LOADED]] : i32, i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ZERO]], %[[ZERO]] : i32, i32
// CHECK: ttg.check %[[FAULT]] at %p
// CHECK: ttg.check %[[LOADED]] {sink = 1 : i32, by_all} : i32
// CHECK-NEXT: scf.if %u
tt.func @branch(%p: !tt.ptr<i32>, %m: i1, %c: i1) {
  %0 = arith.constant 0 : i32
  %x = tt.load %p, %m : !tt.ptr<i32>
  %y = scf.if %c -> (i32) {
    scf.yield %x : i32
  } else {
    scf.yield %0 : i32
  }
  tt.store %p, %y : !tt.ptr<i32>
  %u = arith.cmpi slt, %x, %0 : i32
  scf.if %u {
    tt.store %p, %0 : !tt.ptr<i32>
  }
  tt.return
}

// CHECK-LABEL: @while_loop
// CHECK: %[[LOADED:.*]] = arith.select %m,
// CHECK: %r, %[[RESULT:.*]] = scf.while (%a = %{{.*}}, %[[CARRIED:.*]] = %{{.*}}) : (i32, i32) -> (i32, i32) {
// CHECK: %[[CONDITION:.*]] = arith.maxsi %[[CARRIED]], %[[LOADED]]
// CHECK-NEXT: ttg.check %[[CONDITION]] {sink = 0 : i32, by_all} : i32
// CHECK-NEXT: scf.condition(%u) %a, %[[CARRIED]]
// CHECK: ^bb0(%b: i32, %[[PASSED:.*]]: i32):
// CHECK: %[[NEXT:.*]] = arith.maxsi %[[PASSED]], %[[LOADED]]
// CHECK: scf.yield %c, %[[NEXT]]
// CHECK: ttg.check %[[RESULT]] at %p
tt.func @while_loop(%p: !tt.ptr<i32>, %m: i1) {
  %0 = arith.constant 0 : i32
  %x = tt.load %p, %m : !tt.ptr<i32>
  %r = scf.while (%a = %0) : (i32) -> i32 {
    %u = arith.cmpi slt, %a, %x : i32
    scf.condition(%u) %a : i32
  } do {
  ^bb0(%b: i32):
    %c = arith.addi %b, %x : i32
    scf.yield %c : i32
  }
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @bounds
// CHECK-SAME: what = "is a bound of a loop"
// CHECK: ttg.check
// CHECK-NEXT: scf.for
tt.func @bounds(%p: !tt.ptr<i32>, %m: i1, %n: i32) {
  %0 = arith.constant 0 : i32
  %x = tt.load %p, %m : !tt.ptr<i32>
  scf.for %i = %0 to %x step %n : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// In a region that maps elements nothing is reported: the result of a branch depends on its condition.
// CHECK-LABEL: @map
// CHECK: %y, %[[FAULT:.*]] = "tt.map_elementwise"(%x, %x, %[[LOADED:.*]], %[[LOADED]]) <{pack = 1 : i32}> ({
// CHECK-NEXT: ^bb0(%a: i32, %b: i32, %[[A:.*]]: i32, %[[B:.*]]: i32):
// CHECK: %r, %[[BRANCH:.*]] = scf.if %c -> (i32, i32) {
// CHECK: %[[OWN:.*]] = arith.maxsi %[[BRANCH]], %[[A]]
// CHECK-NEXT: tt.map_elementwise.return %r, %[[OWN]]
// CHECK: ttg.check %[[FAULT]] at %p
tt.func @map(%p: tensor<8x!tt.ptr<i32>>, %m: tensor<8xi1>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<i32>>
  %y = "tt.map_elementwise"(%x, %x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %0 = arith.constant 0 : i32
    %c = arith.cmpi sgt, %a, %0 : i32
    %r = scf.if %c -> (i32) {
      %d = arith.divsi %a, %b : i32
      scf.yield %d : i32
    } else {
      scf.yield %0 : i32
    }
    tt.map_elementwise.return %r : i32
  }) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  tt.store %p, %y : tensor<8x!tt.ptr<i32>>
  tt.return
}

// What is in memory is defined, and so is what an atomic operation finds there.
// CHECK-LABEL: @atomic
// CHECK-SAME: [{what = "is the address of an atomic operation", {{[^}]*}}}, {what = "is an operand of an atomic operation", {{[^}]*}}}, {what = "is the condition of an assertion"
// CHECK: ttg.check %[[LOADED:.*]] if %k {sink = 0 : i32}
// CHECK-NEXT: ttg.check %[[LOADED]] at %r : tensor<8x!tt.ptr<i32>> if %k {sink = 1 : i32}
// CHECK-NEXT: tt.atomic_rmw
// CHECK-NEXT: tt.store %q, %old
// CHECK: ttg.check %[[LOADED]] {sink = 2 : i32, by_all}
// CHECK-NEXT: tt.assert
tt.func @atomic(%p: tensor<8x!tt.ptr<i32>>, %q: tensor<8x!tt.ptr<i32>>, %m: tensor<8xi1>, %k: tensor<8xi1>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<i32>>
  %r = tt.addptr %q, %x : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %r, %x, %k : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  tt.store %q, %old : tensor<8x!tt.ptr<i32>>
  %u = arith.cmpi slt, %x, %old : tensor<8xi32>
  tt.assert %u, "message" : tensor<8xi1>
  tt.return
}

// CHECK-LABEL: @poison
// CHECK-SAME: kind = "poison"
// CHECK-NOT: ub.poison
// CHECK: ttg.check
tt.func @poison(%p: !tt.ptr<i32>) {
  %x = ub.poison : i32
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}

// What tl.empty makes, which is called so.
// CHECK-LABEL: @empty
// CHECK-SAME: [{kind = "empty", description = "tl.empty", {{[^}]*}}}, {kind = "empty", description = "tl.empty", {{[^}]*}}}]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT: %z = arith.select %c, %[[ZERO]], %[[ZERO]] : i32
// CHECK-NEXT: %[[FAULT:.*]] = arith.select %c, %[[ONE]], %[[TWO]] : i32
// CHECK-NEXT: ttg.check %[[FAULT]] at %p
// CHECK-NEXT: tt.store %p, %z
// CHECK-NEXT: tt.return
tt.func @empty(%p: !tt.ptr<i32>, %c: i1) {
  %x = ub.poison {tt.empty} : i32
  %y = ub.poison {tt.empty} : i32
  %z = arith.select %c, %x, %y : i32
  tt.store %p, %z : !tt.ptr<i32>
  tt.return
}

// A block's first offset may wrap; it is divisible by the size of the block, so that the sum with the range does not.
// What has been said of an address is not said again.
// CHECK-LABEL: @offsets
// CHECK-SAME: {kind = "wrapped", description = "*", {{[^}]*}}}]
// CHECK: %[[WIDE:.*]] = arith.extsi %pid : i32 to i64
// CHECK: %[[EXACT:.*]] = arith.muli %[[WIDE]],
// CHECK: %[[FOUND:.*]] = arith.extsi %start : i32 to i64
// CHECK: %[[DIFFER:.*]] = arith.cmpi ne, %[[EXACT]], %[[FOUND]]
// CHECK: %[[FAULT:.*]] = arith.select %[[DIFFER]],
// CHECK: scf.if
// CHECK-NEXT: %[[ALL:.*]] = tt.splat %[[FAULT]]
// CHECK-NEXT: ttg.check %[[ALL]] at %q : tensor<128x!tt.ptr<f32>> if %m {sink = 0 : i32, by_all}
// CHECK-NEXT: }
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.store
tt.func @offsets(%p: !tt.ptr<f32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %block = arith.constant 128 : i32
  %start = arith.muli %pid, %block : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %starts = tt.splat %start : i32 -> tensor<128xi32>
  %o = arith.addi %starts, %range : tensor<128xi32>
  %nn = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %o, %nn : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %base, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %q, %m : tensor<128x!tt.ptr<f32>>
  tt.store %q, %x, %m : tensor<128x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @only_a_range
// CHECK-NOT: ttg.check
tt.func @only_a_range(%p: !tt.ptr<f32>, %v: tensor<128xf32>) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %c = arith.constant dense<1000> : tensor<128xi32>
  %a = arith.addi %range, %c : tensor<128xi32>
  %b = arith.muli %a, %c : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %base, %b : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %q, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @each_element
// CHECK: %[[WIDE:.*]] = arith.extsi %x : tensor<128xi32> to tensor<128xi64>
// CHECK: ttg.check
// CHECK: arith.extsi %y : tensor<128xi16> to tensor<128xi32>
// CHECK: ttg.check
// CHECK: %[[FIRST:.*]] = arith.xori %x, %s
// CHECK: %[[SECOND:.*]] = arith.xori %m, %s
// CHECK: %[[SIGNS:.*]] = arith.andi %[[FIRST]], %[[SECOND]]
// CHECK: arith.cmpi slt, %[[SIGNS]],
// CHECK: %[[FIRST:.*]] = arith.xori %x, %d
// CHECK: %[[SECOND:.*]] = arith.xori %m, %x
// CHECK: arith.andi %[[FIRST]], %[[SECOND]]
tt.func @each_element(%p: !tt.ptr<f32>, %x: tensor<128xi32>, %y: tensor<128xi16>, %v: tensor<128xf32>) {
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %m = arith.muli %x, %x : tensor<128xi32>
  %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %q, %v : tensor<128x!tt.ptr<f32>>
  %m16 = arith.muli %y, %y : tensor<128xi16>
  %wide = arith.extsi %m16 : tensor<128xi16> to tensor<128xi64>
  %sum = arith.addi %wide, %wide : tensor<128xi64>
  %r = tt.addptr %base, %sum : tensor<128x!tt.ptr<f32>>, tensor<128xi64>
  tt.store %r, %v : tensor<128x!tt.ptr<f32>>
  %s = arith.addi %x, %m : tensor<128xi32>
  %t = tt.addptr %base, %s : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %t, %v : tensor<128x!tt.ptr<f32>>
  %d = arith.subi %x, %m : tensor<128xi32>
  %u = tt.addptr %base, %d : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %u, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A remainder, an unsigned number and what is only stored may be of numbers that have wrapped.
// CHECK-LABEL: @not_on_the_way
// CHECK-NOT: kind = "wrapped"
tt.func @not_on_the_way(%p: !tt.ptr<i32>, %x: i32, %y: i32) {
  %hash = arith.muli %x, %y : i32
  %place = arith.remsi %hash, %y : i32
  %a = tt.addptr %p, %place : !tt.ptr<i32>, i32
  tt.store %a, %hash : !tt.ptr<i32>
  %u = arith.extui %hash : i32 to i64
  %b = tt.addptr %p, %u : !tt.ptr<i32>, i64
  tt.store %b, %hash : !tt.ptr<i32>
  tt.return
}

// What is the same for all elements of a tile stays a scalar on its way around the loop.
// CHECK-LABEL: @carried
// CHECK: %end, %[[RESULT:.*]] = scf.for {{.*}} iter_args(%q = %first, %[[CARRIED:.*]] = %{{.*}}) -> (tensor<32x!tt.ptr<f32>>, i32)
// CHECK: tt.splat %[[CARRIED]]
// CHECK: %[[NEXT:.*]] = arith.maxsi %[[CARRIED]], %{{.*}} : i32
// CHECK: scf.yield %next, %[[NEXT]]
tt.func @carried(%p: !tt.ptr<f32>, %stride: i32, %n: i32, %v: tensor<32xf32>) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %32 = arith.constant 32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %first = tt.addptr %base, %range : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %end = scf.for %i = %0 to %n step %1 iter_args(%q = %first) -> (tensor<32x!tt.ptr<f32>>) : i32 {
    tt.store %q, %v : tensor<32x!tt.ptr<f32>>
    %step = arith.muli %stride, %32 : i32
    %steps = tt.splat %step : i32 -> tensor<32xi32>
    %next = tt.addptr %q, %steps : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    scf.yield %next : tensor<32x!tt.ptr<f32>>
  }
  tt.return
}

// CHECK-LABEL: @assumed
// CHECK-NOT: ttg.check
tt.func @assumed(%p: !tt.ptr<i32>, %n: i32) {
  %0 = arith.constant 0 : i32
  %c = arith.constant 100 : i32
  %k = arith.cmpi sge, %n, %0 : i32
  llvm.intr.assume %k : i1
  %d = arith.subi %n, %c : i32
  %a = tt.addptr %p, %d : !tt.ptr<i32>, i32
  tt.store %a, %n : !tt.ptr<i32>
  tt.return
}

// Nothing may be faulty here.
// CHECK-LABEL: @nothing
// CHECK-SAME: tt.check_origins = [], tt.check_sinks = []
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.store
tt.func @nothing(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) {
  %x = tt.load %p, %m, %o : tensor<8x!tt.ptr<f32>>
  tt.store %p, %x : tensor<8x!tt.ptr<f32>>
  tt.return
}
