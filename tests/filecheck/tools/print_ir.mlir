// RUN: mytriton-opt %s -p canonicalize,dce --print-ir-after-all -o %t.mlir 2>&1 | filecheck %s --check-prefix=ALL
// RUN: filecheck %s --check-prefix=RESULT --input-file %t.mlir
// RUN: mytriton-opt %s -p canonicalize,dce --print-ir-after dce -o %t.mlir 2>&1 | filecheck %s --check-prefix=DCE
// RUN: rm -rf %t.dump
// RUN: mytriton-opt %s -p canonicalize,dce --dump-dir %t.dump -o %t.mlir
// RUN: filecheck %s --check-prefix=INPUT --input-file %t.dump/00-input.mlir
// RUN: filecheck %s --check-prefix=RESULT --input-file %t.dump/02-dce.mlir
// RUN: rm -rf %t.dump
// RUN: env MYTRITON_DUMP_DIR=%t.dump mytriton-opt %s -p canonicalize,dce -o %t.mlir
// RUN: filecheck %s --check-prefix=RESULT --input-file %t.dump/01-canonicalize.mlir

func.func @f(%x: i32) -> i32 {
  %unused = arith.constant 7 : i32
  func.return %x : i32
}

// ALL:      // IR after canonicalize:
// ALL-NEXT: builtin.module {
// ALL-NEXT:   func.func @f(%x: i32) -> i32 {
// ALL-NEXT:     func.return %x : i32
// ALL:      // IR after dce:

// DCE-NOT: canonicalize
// DCE: // IR after dce:

// INPUT: %unused = arith.constant 7 : i32

// RESULT-NOT: %unused
// RESULT: func.return %x : i32
