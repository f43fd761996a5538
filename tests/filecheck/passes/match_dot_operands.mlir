// RUN: mytriton-opt %s -p match-dot-operands | filecheck %s

// The tiled matrix multiplication. What only the loads need vanishes: the tensors of pointers and masks, and the rows
// of B and columns of A. The rows and columns that the store shares with the loads stay.
// CHECK-LABEL: @matmul
// CHECK: %[[BLOCK_M:.*]] = arith.muli %pid_m
// CHECK: %[[ROWS:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<16x1xi32>
// CHECK: %[[BLOCK_N:.*]] = arith.muli %pid_n
// CHECK: %[[COLUMNS:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<1x32xi32>
// CHECK-NOT: tensor<8x
// CHECK: scf.for %k =
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %a_values_tile = ttg.global_tile %a[%[[BLOCK_M]], %k] stride %K bounds[%M, %K] other %[[ZERO]]
// CHECK-SAME: -> !ttg.global_tile<16x8xf32>
// CHECK-NEXT: %a_values = ttg.load_tile %a_values_tile : !ttg.global_tile<16x8xf32> -> tensor<16x8xf32>
// CHECK-NEXT: %[[ZERO_B:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %b_values_tile = ttg.global_tile %b[%k, %[[BLOCK_N]]] stride %N bounds[%K, %N] other %[[ZERO_B]]
// CHECK-SAME: -> !ttg.global_tile<8x32xf32>
// CHECK-NEXT: %b_values = ttg.load_tile %b_values_tile : !ttg.global_tile<8x32xf32> -> tensor<8x32xf32>
// CHECK-NEXT: tt.dot %a_values, %b_values, %acc
// CHECK-NEXT: scf.yield
// CHECK: tt.addptr
// CHECK: arith.cmpi slt, %[[ROWS]]
// CHECK: arith.cmpi slt, %[[COLUMNS]]
// CHECK: tt.store
tt.func @matmul(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %out: !tt.ptr<f32>, %M: i32, %N: i32, %K: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %zeros = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
  %a_zeros = arith.constant dense<0.000000e+00> : tensor<16x8xf32>
  %b_zeros = arith.constant dense<0.000000e+00> : tensor<8x32xf32>
  %pid_m = tt.get_program_id x : i32
  %block_m = arith.muli %pid_m, %c16 : i32
  %range_m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %range_m_2d = tt.expand_dims %range_m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %block_m_splat = tt.splat %block_m : i32 -> tensor<16x1xi32>
  %offsets_m = arith.addi %block_m_splat, %range_m_2d : tensor<16x1xi32>
  %pid_n = tt.get_program_id y : i32
  %block_n = arith.muli %pid_n, %c32 : i32
  %range_n = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %range_n_2d = tt.expand_dims %range_n {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %block_n_splat = tt.splat %block_n : i32 -> tensor<1x32xi32>
  %offsets_n = arith.addi %block_n_splat, %range_n_2d : tensor<1x32xi32>
  %offsets_k = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %sum = scf.for %k = %c0 to %K step %c8 iter_args(%acc = %zeros) -> (tensor<16x32xf32>) : i32 {
    %k_row = tt.expand_dims %offsets_k {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
    %k_splat_row = tt.splat %k : i32 -> tensor<1x8xi32>
    %a_columns = arith.addi %k_splat_row, %k_row : tensor<1x8xi32>
    %M_splat = tt.splat %M : i32 -> tensor<16x1xi32>
    %a_row_mask = arith.cmpi slt, %offsets_m, %M_splat : tensor<16x1xi32>
    %K_splat_row = tt.splat %K : i32 -> tensor<1x8xi32>
    %a_column_mask = arith.cmpi slt, %a_columns, %K_splat_row : tensor<1x8xi32>
    %a_row_mask_tile = tt.broadcast %a_row_mask : tensor<16x1xi1> -> tensor<16x8xi1>
    %a_column_mask_tile = tt.broadcast %a_column_mask : tensor<1x8xi1> -> tensor<16x8xi1>
    %a_mask = arith.andi %a_row_mask_tile, %a_column_mask_tile : tensor<16x8xi1>
    %K_splat = tt.splat %K : i32 -> tensor<16x1xi32>
    %a_scaled = arith.muli %offsets_m, %K_splat : tensor<16x1xi32>
    %a_base = tt.splat %a : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %a_row_pointers = tt.addptr %a_base, %a_scaled : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %a_row_tile = tt.broadcast %a_row_pointers : tensor<16x1x!tt.ptr<f32>> -> tensor<16x8x!tt.ptr<f32>>
    %a_column_tile = tt.broadcast %a_columns : tensor<1x8xi32> -> tensor<16x8xi32>
    %a_pointers = tt.addptr %a_row_tile, %a_column_tile : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
    %a_values = tt.load %a_pointers, %a_mask, %a_zeros : tensor<16x8x!tt.ptr<f32>>
    %k_column = tt.expand_dims %offsets_k {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %k_splat = tt.splat %k : i32 -> tensor<8x1xi32>
    %b_rows = arith.addi %k_splat, %k_column : tensor<8x1xi32>
    %K_splat_column = tt.splat %K : i32 -> tensor<8x1xi32>
    %b_row_mask = arith.cmpi slt, %b_rows, %K_splat_column : tensor<8x1xi32>
    %N_splat_row = tt.splat %N : i32 -> tensor<1x32xi32>
    %b_column_mask = arith.cmpi slt, %offsets_n, %N_splat_row : tensor<1x32xi32>
    %b_row_mask_tile = tt.broadcast %b_row_mask : tensor<8x1xi1> -> tensor<8x32xi1>
    %b_column_mask_tile = tt.broadcast %b_column_mask : tensor<1x32xi1> -> tensor<8x32xi1>
    %b_mask = arith.andi %b_row_mask_tile, %b_column_mask_tile : tensor<8x32xi1>
    %N_splat = tt.splat %N : i32 -> tensor<8x1xi32>
    %b_scaled = arith.muli %b_rows, %N_splat : tensor<8x1xi32>
    %b_base = tt.splat %b : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
    %b_row_pointers = tt.addptr %b_base, %b_scaled : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
    %b_row_tile = tt.broadcast %b_row_pointers : tensor<8x1x!tt.ptr<f32>> -> tensor<8x32x!tt.ptr<f32>>
    %b_column_tile = tt.broadcast %offsets_n : tensor<1x32xi32> -> tensor<8x32xi32>
    %b_pointers = tt.addptr %b_row_tile, %b_column_tile : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
    %b_values = tt.load %b_pointers, %b_mask, %b_zeros : tensor<8x32x!tt.ptr<f32>>
    %next = tt.dot %a_values, %b_values, %acc : tensor<16x8xf32> * tensor<8x32xf32> -> tensor<16x32xf32>
    scf.yield %next : tensor<16x32xf32>
  }
  %out_N = tt.splat %N : i32 -> tensor<16x1xi32>
  %out_scaled = arith.muli %offsets_m, %out_N : tensor<16x1xi32>
  %out_base = tt.splat %out : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
  %out_row_pointers = tt.addptr %out_base, %out_scaled : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
  %out_row_tile = tt.broadcast %out_row_pointers : tensor<16x1x!tt.ptr<f32>> -> tensor<16x32x!tt.ptr<f32>>
  %out_column_tile = tt.broadcast %offsets_n : tensor<1x32xi32> -> tensor<16x32xi32>
  %out_pointers = tt.addptr %out_row_tile, %out_column_tile : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %out_M = tt.splat %M : i32 -> tensor<16x1xi32>
  %out_row_mask = arith.cmpi slt, %offsets_m, %out_M : tensor<16x1xi32>
  %out_N_row = tt.splat %N : i32 -> tensor<1x32xi32>
  %out_column_mask = arith.cmpi slt, %offsets_n, %out_N_row : tensor<1x32xi32>
  %out_row_mask_tile = tt.broadcast %out_row_mask : tensor<16x1xi1> -> tensor<16x32xi1>
  %out_column_mask_tile = tt.broadcast %out_column_mask : tensor<1x32xi1> -> tensor<16x32xi1>
  %out_mask = arith.andi %out_row_mask_tile, %out_column_mask_tile : tensor<16x32xi1>
  tt.store %out_pointers, %sum, %out_mask : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// Several scalars are summed; offsets and a stride that are missing become constants; i64 indices stay i64.
// CHECK-LABEL: @scalars
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[COLUMN:.*]] = arith.constant 0 : i64
// CHECK: %[[STRIDE:.*]] = arith.constant 1 : i32
// CHECK: %[[BOUND:.*]] = arith.extsi %C : i32 to i64
// CHECK: ttg.global_tile %a[%[[ROW]], %[[COLUMN]]] stride %[[STRIDE]] bounds[%R, %[[BOUND]]]
// CHECK-SAME: : !tt.ptr<f16>, i32, i64, i32, i32, i64, f16 -> !ttg.global_tile<4x8xf16>
tt.func @scalars(%a: !tt.ptr<f16>, %i: i32, %j: i32, %R: i32, %C: i32, %b: tensor<8x4xf16>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zeros = arith.constant dense<0.000000e+00> : tensor<4x8xf16>
  %range_4 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %i_splat = tt.splat %i : i32 -> tensor<4xi32>
  %with_i = arith.addi %range_4, %i_splat : tensor<4xi32>
  %j_splat = tt.splat %j : i32 -> tensor<4xi32>
  %with_j = arith.addi %j_splat, %with_i : tensor<4xi32>
  %rows = tt.expand_dims %with_j {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %range_8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %range_wide = arith.extsi %range_8 : tensor<8xi32> to tensor<8xi64>
  %columns = tt.expand_dims %range_wide {axis = 0 : i32} : tensor<8xi64> -> tensor<1x8xi64>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<4x1x!tt.ptr<f16>>
  %row_pointers = tt.addptr %base, %rows : tensor<4x1x!tt.ptr<f16>>, tensor<4x1xi32>
  %row_tile = tt.broadcast %row_pointers : tensor<4x1x!tt.ptr<f16>> -> tensor<4x8x!tt.ptr<f16>>
  %column_tile = tt.broadcast %columns : tensor<1x8xi64> -> tensor<4x8xi64>
  %pointers = tt.addptr %row_tile, %column_tile : tensor<4x8x!tt.ptr<f16>>, tensor<4x8xi64>
  %R_splat = tt.splat %R : i32 -> tensor<4x1xi32>
  %row_mask = arith.cmpi slt, %rows, %R_splat : tensor<4x1xi32>
  %C_splat = tt.splat %C : i32 -> tensor<1x8xi32>
  %C_wide = arith.extsi %C_splat : tensor<1x8xi32> to tensor<1x8xi64>
  %column_mask = arith.cmpi sgt, %C_wide, %columns : tensor<1x8xi64>
  %row_mask_tile = tt.broadcast %row_mask : tensor<4x1xi1> -> tensor<4x8xi1>
  %column_mask_tile = tt.broadcast %column_mask : tensor<1x8xi1> -> tensor<4x8xi1>
  %mask = arith.andi %column_mask_tile, %row_mask_tile : tensor<4x8xi1>
  %x = tt.load %pointers, %mask, %zeros : tensor<4x8x!tt.ptr<f16>>
  %d = tt.dot %x, %b, %acc : tensor<4x8xf16> * tensor<8x4xf16> -> tensor<4x4xf32>
  tt.return %d : tensor<4x4xf32>
}

// Nothing to do: a load that no dot uses, and a dot of values that are no loads.
// CHECK-LABEL: @no_dot
// CHECK: tt.load
// CHECK-NOT: ttg
tt.func @no_dot(%p: tensor<4x8x!tt.ptr<f32>>) -> tensor<4x8xf32> {
  %x = tt.load %p : tensor<4x8x!tt.ptr<f32>>
  tt.return %x : tensor<4x8xf32>
}

// CHECK-LABEL: @no_load
// CHECK-NEXT: tt.dot %a, %b, %c
// CHECK-NOT: ttg
tt.func @no_load(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %d = tt.dot %a, %b, %c : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  tt.return %d : tensor<4x4xf32>
}
