// RUN: mytriton-opt %s -p allocate-shared --verify-diagnostics | filecheck %s

// Rows of 32 words begin in one bank: a warp takes 32 wavefronts for each of its 16 columns, beside one for each of its
// 16 rows. With one more word in each row no two lanes are in one bank.
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 2], order = [0, 1]}>
#other_rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 2], order = [1, 0]}>

// CHECK-LABEL: @transposed
// CHECK: ttg.local_alloc name "scratch" {offset = 0 : i32} : !ttg.memdesc<32x32xf32, #ttg.padded_shared<[32:+1]
tt.func @transposed(%x: tensor<32x32xf32, #rows>) -> tensor<32x32xf32, #columns> {
  // expected-remark@+1 {{goes through shared memory in 32 wavefronts for each warp, with 1 unused elements after every 32; without them it would be 528}}
  %c = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  tt.return %c : tensor<32x32xf32, #columns>
}

// CHECK-LABEL: @without_conflicts
// CHECK: ttg.local_alloc name "scratch" {offset = 0 : i32} : !ttg.memdesc<8x64xf32>
tt.func @without_conflicts(%x: tensor<8x64xf32, #rows>) -> tensor<8x64xf32, #other_rows> {
  // expected-remark@+1 {{goes through shared memory in 16 wavefronts for each warp}}
  %c = ttg.convert_layout %x : tensor<8x64xf32, #rows> -> tensor<8x64xf32, #other_rows>
  tt.return %c : tensor<8x64xf32, #other_rows>
}
