// RUN: mytriton-opt %s -p canonicalize --allow-unregistered-dialect --split-input-file | filecheck %s

// What only dead operations use is dead, also a loop around nothing that anybody can see.
// CHECK-LABEL: @dead
// CHECK-NEXT:  tt.return
tt.func @dead(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.load %p : !tt.ptr<f32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (f32) : i32 {
    %y = tt.load %p : !tt.ptr<f32>
    %next = arith.addf %acc, %y : f32
    scf.yield %next : f32
  }
  %twice = arith.addf %sum, %sum : f32
  tt.return
}

// A store is seen, and what it stores is needed; a volatile load is an event of its own.
// CHECK-LABEL: @effects
// CHECK:       scf.for
// CHECK-NEXT:    %x = tt.load %p {isVolatile = true}
// CHECK-NEXT:    tt.store %p, %v
// CHECK-NEXT:  }
tt.func @effects(%p: !tt.ptr<f32>, %n: i32, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    %y = tt.load %p : !tt.ptr<f32>
    tt.store %p, %v : !tt.ptr<f32>
  }
  tt.return
}

// The store goes, so the loop does nothing any more, so its bounds are not needed either.
// CHECK-LABEL: @dead_after_a_rewrite
// CHECK-NEXT:  tt.return
tt.func @dead_after_a_rewrite(%p: !tt.ptr<f32>, %n: i32, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = arith.addi %n, %n : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %false = arith.constant false
    tt.store %p, %v, %false : !tt.ptr<f32>
  }
  tt.return
}

// A constant is made before the loops directly around it; a condition stays between it and a loop.
// CHECK-LABEL: @constants_in_loops
// CHECK:         %c5 = arith.constant 5 : i32
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        tt.store %p, %c5
// CHECK:         scf.for
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        %c7 = arith.constant 7 : i32
tt.func @constants_in_loops(%p: !tt.ptr<i32>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c5 = arith.addi %c2, %c3 : i32
      tt.store %p, %c5 : !tt.ptr<i32>
    }
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.if %c {
      %c7 = arith.constant 7 : i32
      tt.store %p, %c7 : !tt.ptr<i32>
    }
  }
  tt.return
}

// One rewrite makes the next possible, against the order of the text as well: when %b is known to be 0, the addition of
// it folds, and %a is left with one use, so that its comparison can be turned round.
// CHECK-LABEL: @chains
// CHECK-NEXT:  %not = arith.cmpi sge, %x, %y : i32
// CHECK-NEXT:  tt.return %not, %x
tt.func @chains(%x: i32, %y: i32) -> (i1, i32) {
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %a = arith.cmpi slt, %x, %y : i32
  %not = arith.xori %a, %true : i1
  %wide = arith.extui %a : i1 to i32
  %b = arith.muli %wide, %zero : i32
  %same = arith.addi %x, %b : i32
  tt.return %not, %same : i1, i32
}

// -----

// Of several blocks, those that nothing reaches go.
// CHECK-LABEL: @unreachable
// CHECK-NOT:   "other.op"
// CHECK:       func.return
func.func @unreachable() {
  cf.br ^end
^never:
  "other.op"() : () -> ()
  cf.br ^end
^end:
  func.return
}

// -----

// Nothing is known of what an operation of an unknown dialect does.
// CHECK-LABEL: @unknown
// CHECK-NEXT:  "other.op"() : () -> i32
// CHECK-NEXT:  tt.return
tt.func @unknown() {
  %x = "other.op"() : () -> i32
  %y = arith.addi %x, %x : i32
  tt.return
}

// Nothing to do.
// CHECK-LABEL: @simplest
// CHECK-NEXT:  %sum = arith.addi %x, %y : i32
// CHECK-NEXT:  tt.return %sum : i32
tt.func @simplest(%x: i32, %y: i32) -> i32 {
  %sum = arith.addi %x, %y : i32
  tt.return %sum : i32
}
