// RUN: mytriton-opt %s -p 'lower-cooperative-copy{num-warps=1}' --split-input-file | filecheck %s
// RUN: mytriton-opt %s -p lower-cooperative-copy --split-input-file | filecheck %s --check-prefix=MODULE

// 64 elements by 32 threads: two trips for every thread, of two rows each.
// CHECK-LABEL: @two_trips
// CHECK-NEXT: %buffer = ttg.local_alloc
// CHECK-NEXT: %tid = cuda.thread_id : i32
// CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[START:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[TRIPS:.*]] = arith.constant 2 : i32
// CHECK-NEXT: %[[STEP:.*]] = arith.constant 1 : i32
// CHECK-NEXT: scf.for %trip = %[[START]] to %[[TRIPS]] step %[[STEP]] : i32 {
// CHECK-NEXT: %[[COLUMNS:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[ROW_0:.*]] = arith.divsi %tid, %[[COLUMNS]] : i32
// CHECK-NEXT: %column = arith.remsi %tid, %[[COLUMNS]] : i32
// CHECK-NEXT: %[[ROWS:.*]] = arith.constant 2 : i32
// CHECK-NEXT: %[[START_ROW:.*]] = arith.muli %trip, %[[ROWS]] : i32
// CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[ROW_0]], %[[START_ROW]] : i32
// CHECK-NEXT: %global_row = arith.addi %m, %[[ROW]] : i32
// CHECK-NEXT: %global_column = arith.addi %k, %column : i32
// CHECK-NEXT: %[[ROW_OK:.*]] = arith.cmpi slt, %global_row, %M : i32
// CHECK-NEXT: %[[COLUMN_OK:.*]] = arith.cmpi slt, %global_column, %K : i32
// CHECK-NEXT: %in_bounds = arith.andi %[[ROW_OK]], %[[COLUMN_OK]] : i1
// CHECK-NEXT: %row_start = arith.muli %global_row, %K : i32
// CHECK-NEXT: %row_pointer = cuda.ptr_add %a, %row_start : !tt.ptr<f32>, i32
// CHECK-NEXT: %element = cuda.load %row_pointer[%global_column] if %in_bounds else %zero : f32 : !tt.ptr<f32>, i32 -> f32
// CHECK-NEXT: cuda.store %element, %buffer[%[[ROW]], %column] : f32, !ttg.memdesc<4x16xf32>, i32, i32
// CHECK-NEXT: } {cuda.unroll}
// CHECK-NEXT: tt.return
tt.func @two_trips(%a: !tt.ptr<f32>, %m: i32, %k: i32, %M: i32, %K: i32) {
  %buffer = ttg.local_alloc : !ttg.memdesc<4x16xf32>
  %zero = arith.constant 0.000000e+00 : f32
  %tile = ttg.global_tile %a[%m, %k] stride %K bounds[%M, %K] other %zero : !tt.ptr<f32>, i32, i32, i32, i32, i32, f32 -> !ttg.global_tile<4x16xf32>
  ttg.copy_tile %tile, %buffer : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
  tt.return
}

// Bounds that are compared as unsigned numbers keep out what is before the matrix too.
// CHECK-LABEL: @unsigned
// CHECK: arith.cmpi ult, %global_row, %M : i64
// CHECK: arith.cmpi ult, %global_column, %K : i64
// CHECK-NOT: slt, %global
tt.func @unsigned(%a: !tt.ptr<f32>, %m: i64, %k: i64, %M: i64, %K: i64) {
  %buffer = ttg.local_alloc : !ttg.memdesc<4x16xf32>
  %zero = arith.constant 0.000000e+00 : f32
  %tile = ttg.global_tile %a[%m, %k] stride %K bounds[%M, %K] other %zero {unsigned} : !tt.ptr<f32>, i64, i64, i64, i64, i64, f32 -> !ttg.global_tile<4x16xf32>
  ttg.copy_tile %tile, %buffer : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
  tt.return
}

// -----

// A size that the threads do not divide: a loop from the thread's index in steps of the threads. A tile that is smaller
// than the block: a condition.
// CHECK-LABEL: @ragged
// CHECK: %[[SIZE:.*]] = arith.constant 35 : i32
// CHECK: %[[THREADS:.*]] = arith.constant 32 : i32
// CHECK: scf.for %index = %tid to %[[SIZE]] step %[[THREADS]] : i32 {
// CHECK-NEXT: %[[COLUMNS:.*]] = arith.constant 5 : i32
// CHECK-NEXT: %row = arith.divsi %index, %[[COLUMNS]] : i32
// CHECK-NOT: cuda.unroll
// CHECK: %[[SMALL:.*]] = arith.constant 4 : i32
// CHECK: %[[NEEDED:.*]] = arith.cmpi slt, %tid, %[[SMALL]] : i32
// CHECK: scf.if %[[NEEDED]] {
// CHECK: arith.divsi %tid
// CHECK: tt.return
tt.func @ragged(%a: !tt.ptr<f16>, %m: i32, %k: i32, %M: i32, %K: i32) {
  %odd = ttg.local_alloc : !ttg.memdesc<7x5xf16>
  %small = ttg.local_alloc : !ttg.memdesc<2x2xf16>
  %zero = arith.constant 0.000000e+00 : f16
  %tile = ttg.global_tile %a[%m, %k] stride %K bounds[%M, %K] other %zero : !tt.ptr<f16>, i32, i32, i32, i32, i32, f16 -> !ttg.global_tile<7x5xf16>
  ttg.copy_tile %tile, %odd : !ttg.global_tile<7x5xf16> -> !ttg.memdesc<7x5xf16>
  %tile_2 = ttg.global_tile %a[%m, %k] stride %K bounds[%M, %K] other %zero : !tt.ptr<f16>, i32, i32, i32, i32, i32, f16 -> !ttg.global_tile<2x2xf16>
  ttg.copy_tile %tile_2, %small : !ttg.global_tile<2x2xf16> -> !ttg.memdesc<2x2xf16>
  tt.return
}

// Everything that moves a vector is known to be a multiple of it: 16 bytes a thread, in one trip without a loop.
// CHECK-LABEL: @vectors
// CHECK: %[[VECTORS:.*]] = arith.constant 4 : i32
// CHECK: %row = arith.divsi %tid, %[[VECTORS]] : i32
// CHECK: %[[VECTOR:.*]] = arith.remsi %tid, %{{.*}} : i32
// CHECK: %[[WIDTH:.*]] = arith.constant 8 : i32
// CHECK: %[[COLUMN:.*]] = arith.muli %[[VECTOR]], %[[WIDTH]] : i32
// CHECK: %elements = cuda.load %row_pointer[%{{.*}}] if %in_bounds : !tt.ptr<f16>, i32 -> vector<8xf16>
// CHECK: cuda.store %elements, %buffer[%row, %[[COLUMN]]] : vector<8xf16>, !ttg.memdesc<8x32xf16>, i32, i32
// CHECK-NOT: scf.for
tt.func @vectors(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32 {tt.divisibility = 16 : i32}, %M: i32, %K: i32 {tt.divisibility = 16 : i32}) {
  %buffer = ttg.local_alloc : !ttg.memdesc<8x32xf16>
  %zero = arith.constant 0.000000e+00 : f16
  %tile = ttg.global_tile %a[%m, %k] stride %K bounds[%M, %K] other %zero : !tt.ptr<f16>, i32, i32, i32, i32, i32, f16 -> !ttg.global_tile<8x32xf16>
  ttg.copy_tile %tile, %buffer : !ttg.global_tile<8x32xf16> -> !ttg.memdesc<8x32xf16>
  tt.return
}

// The user's widths: the product is one of 64 bits where the stride is, the row is not.
// CHECK-LABEL: @wide_stride
// CHECK: %[[ROW:.*]] = arith.addi %m, %{{.*}} : i32
// CHECK: arith.cmpi slt, %[[ROW]], %M : i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[ROW]] : i32 to i64
// CHECK: %row_start = arith.muli %[[WIDE]], %stride : i64
// CHECK: cuda.ptr_add %a, %row_start : !tt.ptr<f32>, i64
tt.func @wide_stride(%a: !tt.ptr<f32>, %m: i32, %k: i32, %M: i32, %K: i32, %stride: i64) {
  %buffer = ttg.local_alloc : !ttg.memdesc<4x16xf32>
  %zero = arith.constant 0.000000e+00 : f32
  %tile = ttg.global_tile %a[%m, %k] stride %stride bounds[%M, %K] other %zero : !tt.ptr<f32>, i32, i32, i64, i32, i32, f32 -> !ttg.global_tile<4x16xf32>
  ttg.copy_tile %tile, %buffer : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
  tt.return
}

// Nothing to do.
// CHECK-LABEL: @no_copy
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: tt.return
tt.func @no_copy() {
  %buffer = ttg.local_alloc : !ttg.memdesc<4x16xf32>
  tt.return
}

// -----

// The module says how many warps there are; an option would go first.
// MODULE-LABEL: module attributes {"ttg.num-warps" = 8 : i32}
// MODULE: arith.constant 4 : i32
// MODULE: scf.for %trip =
module attributes {"ttg.num-warps" = 8 : i32} {
  tt.func @module_warps(%a: !tt.ptr<f32>, %m: i32) {
    %buffer = ttg.local_alloc : !ttg.memdesc<32x32xf32>
    %zero = arith.constant 0.000000e+00 : f32
    %tile = ttg.global_tile %a[%m, %m] stride %m bounds[%m, %m] other %zero : !tt.ptr<f32>, i32, i32, i32, i32, i32, f32 -> !ttg.global_tile<32x32xf32>
    ttg.copy_tile %tile, %buffer : !ttg.global_tile<32x32xf32> -> !ttg.memdesc<32x32xf32>
    tt.return
  }
}
