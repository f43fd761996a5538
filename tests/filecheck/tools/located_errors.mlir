// RUN: not mytriton-opt %s 2>&1 | filecheck %s

func.func @f(%x: i32) -> i32 {
  %sum = arith.addi %x, %y : i32
  func.return %sum : i32
}

// CHECK:      located_errors.mlir:4:25: error: %y is used but not defined
// CHECK-NEXT:   %sum = arith.addi %x, %y : i32
// CHECK-NEXT:                         ^~
// CHECK-NOT:  Traceback
