// RUN: mytriton-opt %s --split-input-file | filecheck %s
// RUN: mytriton-opt %s --split-input-file --print-debuginfo | filecheck %s --check-prefix=LOC
// RUN: mytriton-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect | filecheck %s

%one = arith.constant 1 : i32

// -----

%two = arith.constant 2 : i32

// CHECK:      builtin.module {
// CHECK-NEXT:   %one = arith.constant 1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: // -----
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   %two = arith.constant 2 : i32
// CHECK-NEXT: }

// LOC: %one = arith.constant 1 : i32 loc("{{.*}}split_input.mlir":5:1)
// LOC: %two = arith.constant 2 : i32 loc("{{.*}}split_input.mlir":9:1)
