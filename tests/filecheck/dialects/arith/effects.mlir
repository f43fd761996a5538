// RUN: mytriton-opt %s -p dce | filecheck %s --check-prefix=DCE
// RUN: mytriton-opt %s -p cse | filecheck %s --check-prefix=CSE

// Nothing that is not used stays, divisions and extensions included.
// DCE-LABEL: tt.func @unused
// DCE-NEXT: tt.return
tt.func @unused(%x: i32, %y: f32) {
  %0 = arith.constant 1 : i32
  %1 = arith.divsi %x, %x : i32
  %2 = arith.remui %x, %x : i32
  %3 = arith.extsi %x : i32 to i64
  %4 = arith.fptosi %y : f32 to i32
  %5 = arith.divf %y, %y : f32
  %6 = arith.cmpf olt, %y, %y : f32
  tt.return
}

// The same operation on the same values is done once; one with other flags is another.
// CSE-LABEL: tt.func @twice
// CSE-NEXT: %[[a:.*]] = arith.extsi
// CSE-NEXT: %[[b:.*]] = arith.remui
// CSE-NEXT: %[[c:.*]] = arith.addi %x, %x :
// CSE-NEXT: %[[d:.*]] = arith.addi %x, %x overflow<nsw> :
// CSE-NEXT: tt.return %[[a]], %[[a]], %[[b]], %[[b]], %[[c]], %[[d]] :
tt.func @twice(%x: i32) -> (i64, i64, i32, i32, i32, i32) {
  %0 = arith.extsi %x : i32 to i64
  %1 = arith.extsi %x : i32 to i64
  %2 = arith.remui %x, %x : i32
  %3 = arith.remui %x, %x : i32
  %4 = arith.addi %x, %x : i32
  %5 = arith.addi %x, %x overflow<nsw> : i32
  tt.return %0, %1, %2, %3, %4, %5 : i64, i64, i32, i32, i32, i32
}
