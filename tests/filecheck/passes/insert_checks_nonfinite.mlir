// RUN: mytriton-opt %s -p 'insert-checks{nonfinite=true},canonicalize,cse' | filecheck %s

// Not finite, though the operands are.
// CHECK-LABEL: @quotient
// CHECK-SAME: kind = "nonfinite", description = "/"
// CHECK: %[[X:.*]] = math.absf %x
// CHECK: %[[INF:.*]] = arith.constant dense<0x7F800000> : tensor<8xf32>
// CHECK: %[[X_FINITE:.*]] = arith.cmpf olt, %[[X]], %[[INF]]
// CHECK: %[[Y:.*]] = math.absf %y
// CHECK: %[[Y_FINITE:.*]] = arith.cmpf olt, %[[Y]], %[[INF]]
// CHECK: %[[FINITE:.*]] = arith.andi %[[X_FINITE]], %[[Y_FINITE]]
// CHECK: %[[D:.*]] = math.absf %d
// CHECK: %[[D_FINITE:.*]] = arith.cmpf olt, %[[D]], %[[INF]]
// CHECK: %[[OWN:.*]] = arith.select %[[FINITE]], %{{.*}}, %[[ZERO:.*]] : tensor<8xi1>, tensor<8xi32>
// CHECK: %[[FAULT:.*]] = arith.select %[[D_FINITE]], %[[ZERO]], %[[OWN]]
// CHECK-NEXT: ttg.check %[[FAULT]] at %p : tensor<8x!tt.ptr<f32>> if %m
tt.func @quotient(%p: tensor<8x!tt.ptr<f32>>, %x: tensor<8xf32>, %y: tensor<8xf32>, %m: tensor<8xi1>) {
  %d = arith.divf %x, %y : tensor<8xf32>
  tt.store %p, %d, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}

// A value that is repeated, negated and chosen is still that of the operation which made it.
// CHECK-LABEL: @moved_and_chosen
// CHECK: %[[OWN:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: %[[FAULT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[OWN]] : i32
// CHECK: %[[ALL:.*]] = tt.splat %[[FAULT]] : i32 -> tensor<8xi32>
// CHECK: %[[CHOSEN:.*]] = arith.select %m, %[[ALL]],
// CHECK: ttg.check %[[CHOSEN]] at %p
tt.func @moved_and_chosen(%p: tensor<8x!tt.ptr<f32>>, %x: f32, %m: tensor<8xi1>) {
  %e = math.exp %x : f32
  %n = arith.negf %e : f32
  %s = tt.splat %n : f32 -> tensor<8xf32>
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %c = arith.select %m, %s, %z : tensor<8xi1>, tensor<8xf32>
  tt.store %p, %c : tensor<8x!tt.ptr<f32>>
  tt.return
}

// A cast to a narrower float may make an infinity; one of an integer to f32 may not, and memory holds what it holds.
// CHECK-LABEL: @casts
// CHECK: arith.extf %h : tensor<8xf16> to tensor<8xf32>
// CHECK: ttg.check
// CHECK-NEXT: tt.store %p, %h
// CHECK-NOT: ttg.check
// CHECK: tt.return
tt.func @casts(%p: tensor<8x!tt.ptr<f16>>, %x: tensor<8xf32>, %i: tensor<8xi32>, %q: tensor<8x!tt.ptr<f32>>) {
  %h = arith.truncf %x : tensor<8xf32> to tensor<8xf16>
  tt.store %p, %h : tensor<8x!tt.ptr<f16>>
  %f = arith.sitofp %i : tensor<8xi32> to tensor<8xf32>
  tt.store %q, %f : tensor<8x!tt.ptr<f32>>
  tt.store %q, %x : tensor<8x!tt.ptr<f32>>
  tt.return
}

// A sum is to blame where all its elements are finite; a maximum never is.
// CHECK-LABEL: @reductions
// CHECK: %[[FLAWS:.*]] = arith.extui %{{.*}} : tensor<8xi1> to tensor<8xi32>
// CHECK: %[[FLAW:.*]] = "tt.reduce"(%[[FLAWS]])
// CHECK: arith.maxsi
// CHECK: %[[FINITE:.*]] = arith.cmpi eq, %[[FLAW]],
// CHECK: arith.select %[[FINITE]],
// CHECK: ttg.check
// CHECK-NEXT: tt.store %q, %s
// CHECK-NOT: ttg.check
// CHECK: tt.store %q, %m
tt.func @reductions(%q: !tt.ptr<f32>, %x: tensor<8xf32>) {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %q, %s : !tt.ptr<f32>
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.maxnumf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %q, %m : !tt.ptr<f32>
  tt.return
}

// The region of a mapped function says which of its operations is to blame, for each of the elements that it is given.
// CHECK-LABEL: @map
// CHECK-SAME: [{kind = "nonfinite", description = "/", {{[^}]*}}}]
// CHECK: %y, %[[FAULTS:.*]] = "tt.map_elementwise"(%x, %{{.*}}) <{pack = 2 : i32}> ({
// CHECK-NEXT: ^bb0(%a: f32, %b: f32, %[[A:.*]]: i32, %[[B:.*]]: i32):
// CHECK-NEXT: %q = arith.divf %a, %b : f32
// CHECK-NEXT: %[[SPREAD:.*]] = arith.maxsi %[[A]], %[[B]] : i32
// CHECK: arith.andi
// CHECK: %[[OWN:.*]] = arith.select %{{.*}}, %[[ORIGIN:.*]], %[[SPREAD]] : i32
// CHECK: %[[FAULT:.*]] = arith.select %{{.*}}, %[[ZERO:.*]], %[[OWN]] : i32
// CHECK-NEXT: tt.map_elementwise.return %q, %b, %[[FAULT]], %[[B]] : f32, f32, i32, i32
// CHECK: ttg.check %[[FAULTS]] at %p
tt.func @map(%p: tensor<8x!tt.ptr<f32>>, %x: tensor<8xf32>) {
  %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tt.map_elementwise.return %q, %b : f32, f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.store %p, %y : tensor<8x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @dot
// CHECK: %[[ROWS:.*]] = "tt.reduce"(%{{.*}}) <{axis = 1 : i32}>
// CHECK: %[[COLUMNS:.*]] = "tt.reduce"(%{{.*}}) <{axis = 0 : i32}>
// CHECK: %[[FLAWS:.*]] = arith.maxsi
// CHECK: %[[FINITE:.*]] = arith.cmpi eq, %{{.*}}, %[[ZERO:.*]] : tensor<16x16xi32>
// CHECK: math.absf %d
// CHECK: %[[OWN:.*]] = arith.select %[[FINITE]],
// CHECK: %[[FAULT:.*]] = arith.select %{{.*}}, %[[ZERO]], %[[OWN]]
// CHECK-NEXT: ttg.check %[[FAULT]] at %p
tt.func @dot(%p: tensor<16x16x!tt.ptr<f32>>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %p, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
