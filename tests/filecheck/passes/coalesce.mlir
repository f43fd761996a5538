// RUN: mytriton-opt %s -p coalesce | filecheck %s
// RUN: mytriton-opt %s -p 'coalesce{num-warps=1}' | filecheck %s --check-prefix=ONE
// RUN: mytriton-opt %s -p 'coalesce{num-warps=1},assign-layouts{num-warps=1}' | filecheck %s --check-prefix=ASSIGNED

// Aligned and contiguous: 16 bytes in each thread. The store is through a pointer of which nothing is known, but takes
// the same layout as the load, which is as good for it.
// CHECK-LABEL: @wide
// CHECK: tt.load %p {ttg.access_layout = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>} : tensor<512x!tt.ptr<f32>>
// CHECK: tt.store %q, %v {ttg.access_layout = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>}
// ONE-LABEL: @wide
// ONE: tt.load %p {ttg.access_layout = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>}
// ASSIGNED-LABEL: @wide
// ASSIGNED: %v = tt.load %p : tensor<512x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
tt.func @wide(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  %t = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %q = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %q, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Rows are contiguous in the load and columns in the store, each of 8 bytes that a thread moves at once.
// CHECK-LABEL: @transpose
// CHECK: tt.load {{.*}} {ttg.access_layout = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>}
// CHECK: tt.store {{.*}} {ttg.access_layout = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>}
tt.func @transpose(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c100 = arith.constant dense<100> : tensor<64x1xi32>
  %c100_row = arith.constant dense<100> : tensor<1x64xi32>
  %scaled_rows = arith.muli %rows, %c100 : tensor<64x1xi32>
  %scaled_columns = arith.muli %columns, %c100_row : tensor<1x64xi32>
  %a = tt.broadcast %scaled_rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %b = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %c = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %d = tt.broadcast %scaled_columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %by_row = arith.addi %a, %b : tensor<64x64xi32>
  %by_column = arith.addi %c, %d : tensor<64x64xi32>
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %p = tt.addptr %s, %by_row : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %q = tt.addptr %s, %by_column : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %v = tt.load %p : tensor<64x64x!tt.ptr<f16>>
  tt.store %q, %v : tensor<64x64x!tt.ptr<f16>>
  tt.return
}

// Indices that wrap around at a bound are contiguous in runs of what divides it, 16 here, where they are assumed not to be
// negative. Without the assumption nothing is known: -1 % N is -1.
// CHECK-LABEL: @wrapping
// CHECK: tt.load %p {ttg.access_layout = #ttg.blocked<{sizePerThread = [4],
// CHECK-LABEL: @wrapping_or_negative
// CHECK: tt.load %p {ttg.access_layout = #ttg.blocked<{sizePerThread = [1],
tt.func @wrapping(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %N: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %nonnegative = arith.cmpi sge, %n, %zero : i32
  llvm.intr.assume %nonnegative : i1
  %size = arith.constant 512 : i32
  %first = arith.muli %n, %size : i32
  %start = tt.splat %first : i32 -> tensor<512xi32>
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %i = arith.addi %start, %r : tensor<512xi32>
  %bound = tt.splat %N : i32 -> tensor<512xi32>
  %wrapped = arith.remsi %i, %bound : tensor<512xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %s, %wrapped : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.return
}
tt.func @wrapping_or_negative(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %N: i32 {tt.divisibility = 16 : i32}) {
  %size = arith.constant 512 : i32
  %first = arith.muli %n, %size : i32
  %start = tt.splat %first : i32 -> tensor<512xi32>
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %i = arith.addi %start, %r : tensor<512xi32>
  %bound = tt.splat %N : i32 -> tensor<512xi32>
  %wrapped = arith.remsi %i, %bound : tensor<512xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %s, %wrapped : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Nothing to do: no tensor is loaded or stored.
// CHECK-LABEL: @scalar
// CHECK-NOT: ttg.access_layout
tt.func @scalar(%x: !tt.ptr<f32>) -> f32 {
  %v = tt.load %x : !tt.ptr<f32>
  tt.store %x, %v : !tt.ptr<f32>
  tt.return %v : f32
}
