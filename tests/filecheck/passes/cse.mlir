// RUN: mytriton-opt %s -p cse --allow-unregistered-dialect | filecheck %s

// CHECK-LABEL: @equal
// CHECK-NEXT:  %a = arith.addi %x, %y : i32
// CHECK-NEXT:  %c = arith.addi %y, %x : i32
// CHECK-NEXT:  %product = arith.muli %a, %a : i32
// CHECK-NEXT:  tt.return %product, %c
tt.func @equal(%x: i32, %y: i32) -> (i32, i32) {
  %a = arith.addi %x, %y : i32
  %b = arith.addi %x, %y : i32
  %c = arith.addi %y, %x : i32
  %product = arith.muli %a, %b : i32
  tt.return %product, %c : i32, i32
}

// Other attributes, other types, other zeros: other operations.
// CHECK-LABEL: @different
// CHECK-COUNT-2: arith.cmpi
// CHECK-COUNT-2: arith.extsi
// CHECK-COUNT-2: arith.constant
// CHECK-COUNT-2: tt.make_range
tt.func @different(%x: i8, %y: i8) -> (i1, i1, i16, i32, f32, f32, tensor<4xi32>, tensor<4xi32>) {
  %0 = arith.cmpi slt, %x, %y : i8
  %1 = arith.cmpi ult, %x, %y : i8
  %2 = arith.extsi %x : i8 to i16
  %3 = arith.extsi %x : i8 to i32
  %4 = arith.constant 0.0 : f32
  %5 = arith.constant -0.0 : f32
  %6 = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %7 = tt.make_range {start = 0 : i32, end = 4 : i32, tt.note} : tensor<4xi32>
  tt.return %0, %1, %2, %3, %4, %5, %6, %7 : i1, i1, i16, i32, f32, f32, tensor<4xi32>, tensor<4xi32>
}

// What stands before a region is known in it; what is computed in a region is not known after it, nor in another one.
// CHECK-LABEL: @dominance
// CHECK-NEXT:  %a = arith.addi
// CHECK-NEXT:  scf.if
// CHECK-NEXT:    %m = arith.muli
// CHECK-NEXT:    tt.store %p, %a
// CHECK-NEXT:    tt.store %p, %m
// CHECK-NEXT:  } else {
// CHECK-NEXT:    %m_1 = arith.muli
// CHECK-NEXT:    tt.store %p, %m_1
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_2 = arith.muli
// CHECK-NEXT:  tt.store %p, %m_2
tt.func @dominance(%p: !tt.ptr<i32>, %x: i32, %y: i32, %c: i1) {
  %a = arith.addi %x, %y : i32
  scf.if %c {
    %b = arith.addi %x, %y : i32
    %m = arith.muli %x, %y : i32
    tt.store %p, %b : !tt.ptr<i32>
    tt.store %p, %m : !tt.ptr<i32>
  } else {
    %m = arith.muli %x, %y : i32
    tt.store %p, %m : !tt.ptr<i32>
  }
  %m = arith.muli %x, %y : i32
  tt.store %p, %m : !tt.ptr<i32>
  tt.store %p, %a : !tt.ptr<i32>
  tt.return
}

// Nothing is shared by two functions, or by a function and what is around it.
// CHECK-LABEL: @one_function
// CHECK:       arith.constant
// CHECK-LABEL: @another_function
// CHECK:       arith.constant
%outside = arith.constant 3 : i32
"other.op"(%outside) : (i32) -> ()
tt.func @one_function() -> i32 {
  %c = arith.constant 3 : i32
  tt.return %c : i32
}
tt.func @another_function() -> i32 {
  %c = arith.constant 3 : i32
  tt.return %c : i32
}

// A load is repeated after a store, also after one in a region, and in another block.
// CHECK-LABEL: @loads
// CHECK-NEXT:  %a = tt.load %p
// CHECK-NEXT:  tt.store %q, %a
// CHECK-NEXT:  %c = tt.load %p
// CHECK-NEXT:  scf.if
// CHECK-NEXT:    tt.store %q, %c
// CHECK-NEXT:  }
// CHECK-NEXT:  %d = tt.load %p
// CHECK-NEXT:  %sum = arith.addi %a, %a
// CHECK-NEXT:  %e = scf.if
// CHECK-NEXT:    %inner = tt.load %p
// CHECK:       tt.return %sum, %d, %d, %e
tt.func @loads(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %cond: i1) -> (i32, i32, i32, i32) {
  %a = tt.load %p : !tt.ptr<i32>
  %b = tt.load %p : !tt.ptr<i32>
  tt.store %q, %b : !tt.ptr<i32>
  %c = tt.load %p : !tt.ptr<i32>
  scf.if %cond {
    tt.store %q, %c : !tt.ptr<i32>
  }
  %d = tt.load %p : !tt.ptr<i32>
  %sum = arith.addi %a, %b : i32
  %e = scf.if %cond -> (i32) {
    %inner = tt.load %p : !tt.ptr<i32>
    scf.yield %inner : i32
  } else {
    scf.yield %sum : i32
  }
  %f = tt.load %p : !tt.ptr<i32>
  tt.return %sum, %d, %f, %e : i32, i32, i32, i32
}

// Nothing that writes, or of which nothing is known, happens once instead of twice.
// CHECK-LABEL: @writes
// CHECK-COUNT-2: tt.load %p {isVolatile = true}
// CHECK-COUNT-2: tt.atomic_rmw
// CHECK-COUNT-2: "other.op"
tt.func @writes(%p: !tt.ptr<i32>, %x: i32) -> (i32, i32) {
  %a = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %b = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %c = tt.atomic_rmw add, acq_rel, gpu, %p, %a : (!tt.ptr<i32>, i32) -> i32
  %d = tt.atomic_rmw add, acq_rel, gpu, %p, %a : (!tt.ptr<i32>, i32) -> i32
  %e = "other.op"(%c) : (i32) -> i32
  %f = "other.op"(%c) : (i32) -> i32
  tt.return %b, %d : i32, i32
}

// Operations with equal bodies are equal, whatever the values in them are called.
// CHECK-LABEL: @equal_bodies
// CHECK-COUNT-1: "tt.reduce"
// CHECK-NOT:   "tt.reduce"
// CHECK:       tt.return %s, %s
tt.func @equal_bodies(%x: tensor<8xf32>) -> (f32, f32) {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<8xf32>) -> f32
  %t = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%first: f32, %second: f32):
    %both = arith.addf %first, %second : f32
    tt.reduce.return %both : f32
  }) : (tensor<8xf32>) -> f32
  tt.return %s, %t : f32, f32
}

// These bodies differ in nothing but a type in between, the order of two operands, or a value from outside.
// CHECK-LABEL: @different_bodies
// CHECK-COUNT-5: "tt.reduce"
tt.func @different_bodies(%x: tensor<8xf32>, %y: f32, %z: f32) -> (f32, f32, f32, f32, f32) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %narrow = arith.truncf %a : f32 to f16
    %wide = arith.extf %narrow : f16 to f32
    %sum = arith.subf %wide, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<8xf32>) -> f32
  %1 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %narrow = arith.truncf %a : f32 to bf16
    %wide = arith.extf %narrow : bf16 to f32
    %sum = arith.subf %wide, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<8xf32>) -> f32
  %2 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %narrow = arith.truncf %a : f32 to f16
    %wide = arith.extf %narrow : f16 to f32
    %sum = arith.subf %b, %wide : f32
    tt.reduce.return %sum : f32
  }) : (tensor<8xf32>) -> f32
  %3 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %y : f32
    tt.reduce.return %sum : f32
  }) : (tensor<8xf32>) -> f32
  %4 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %z : f32
    tt.reduce.return %sum : f32
  }) : (tensor<8xf32>) -> f32
  tt.return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// Of several blocks, none is taken to stand before another one; what is around them all does.
// CHECK-LABEL: @blocks
// CHECK-NEXT:  %a = arith.addi
// CHECK:       ^next(%y: i32):
// CHECK-NEXT:    %b = arith.addi
// CHECK-NEXT:    %d = arith.muli %b, %b
func.func @blocks(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  cf.br ^next(%a : i32)
^next(%y: i32):
  %b = arith.addi %x, %x : i32
  %c = arith.addi %x, %x : i32
  %d = arith.muli %b, %c : i32
  func.return %d : i32
}
