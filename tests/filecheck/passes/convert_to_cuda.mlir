// RUN: mytriton-opt %s -p convert-to-cuda | filecheck %s

#pairs = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], block = []}>
#swapped_pairs = #ttg.linear<{register = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [[0], [0]], block = []}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #tile}>

module attributes {"ttg.num-warps" = 4 : i32} {

// 1024 elements on 128 threads: 8 registers, in groups of 4 neighbours that are 512 apart.
// CHECK-LABEL: cuda.func @vector
// CHECK-SAME: %x: !tt.ptr<f32> {cuda.const}
// CHECK-SAME: attributes {num_warps = 4 : i32}
// CHECK: %tid = cuda.thread_id
// CHECK: %[[THREAD:.*]] = arith.muli %tid, %{{.*}} overflow<nsw>
// CHECK: cuda.block_id x
// CHECK: cuda.map 8 -> !cuda.regs<8xi32>
// CHECK: arith.remsi %[[R:.*]], %{{.*}}
// CHECK: arith.divsi %[[R]], %{{.*}}
// CHECK: cuda.map 8 -> !cuda.regs<8xf32>
// CHECK: cuda.load %x[%{{.*}}] if %{{.*}} : !tt.ptr<f32>, i32 -> f32
// CHECK: cuda.map 8 {
// CHECK: cuda.store %{{.*}}, %y[%{{.*}}] if %{{.*}}
// CHECK: cuda.return
tt.func @vector(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %size = arith.constant 1024 : i32
  %start = arith.muli %pid, %size : i32
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #line>
  %s = tt.splat %start : i32 -> tensor<1024xi32, #line>
  %i = arith.addi %s, %r : tensor<1024xi32, #line>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #line>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #line>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
  %xa = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #line>, tensor<1024xi32, #line>
  %v = tt.load %xa, %m : tensor<1024x!tt.ptr<f32>, #line>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
  %ya = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>, #line>, tensor<1024xi32, #line>
  tt.store %ya, %v, %m : tensor<1024x!tt.ptr<f32>, #line>
  tt.return
}

// A proved width moves 4 elements at once.
// CHECK-LABEL: cuda.func @wide
// CHECK: cuda.map 8 step 4 -> !cuda.regs<8xf32>
// CHECK: cuda.load %x[%{{.*}}] : !tt.ptr<f32>, i32 -> vector<4xf32>
tt.func @wide(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #line>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
  %xa = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #line>, tensor<1024xi32, #line>
  %v = tt.load %xa {ttg.vector = 4 : i32} : tensor<1024x!tt.ptr<f32>, #line>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
  %ya = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>, #line>, tensor<1024xi32, #line>
  tt.store %ya, %v : tensor<1024x!tt.ptr<f32>, #line>
  tt.return
}

// 16 elements on 128 threads: 4 threads own 4 elements each, the others hold copies and store nothing.
// CHECK-LABEL: cuda.func @copies
// CHECK: %[[OWN:.*]] = arith.cmpi slt, %tid, %{{.*}}
// CHECK: cuda.store %{{.*}}, %x[%{{.*}}] if %[[OWN]]
tt.func @copies(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #line>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #line>
  %xa = tt.addptr %xs, %r : tensor<16x!tt.ptr<i32>, #line>, tensor<16xi32, #line>
  tt.store %xa, %r : tensor<16x!tt.ptr<i32>, #line>
  tt.return
}

// 1000 elements are laid out as 1024; the last 24 are not stored.
// CHECK-LABEL: cuda.func @padding
// CHECK: %[[SIZE:.*]] = arith.constant 1000 : i32
// CHECK: cuda.map 8 {
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %{{.*}}, %[[SIZE]]
// CHECK: cuda.store %{{.*}}, %x[%{{.*}}] if %[[EXISTS]]
tt.func @padding(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1000 : i32, start = 0 : i32} : tensor<1000xi32, #line>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1000x!tt.ptr<i32>, #line>
  %xa = tt.addptr %xs, %r : tensor<1000x!tt.ptr<i32>, #line>, tensor<1000xi32, #line>
  tt.store %xa, %r : tensor<1000x!tt.ptr<i32>, #line>
  tt.return
}

// A row's register serves all registers of its row: 2 rows of 4 columns a thread.
// CHECK-LABEL: cuda.func @broadcast
// CHECK: %[[M:.*]] = cuda.map 2 -> !cuda.regs<2xi32>
// CHECK: cuda.map 8 -> !cuda.regs<8xi32>
// CHECK: %[[ROW:.*]] = arith.divsi %{{.*}}, %{{.*}}
// CHECK: cuda.get %[[M]][%[[ROW]]]
tt.func @broadcast(%x: !tt.ptr<i32>) {
  %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #rows>
  %e = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #tile>
  %b = tt.broadcast %e : tensor<32x1xi32, #tile> -> tensor<32x32xi32, #tile>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>, #tile>
  tt.store %xs, %b : tensor<32x32x!tt.ptr<i32>, #tile>
  tt.return
}

// Two offsets are added in 64 bits, as two additions to a pointer would be.
// CHECK-LABEL: cuda.func @two_offsets
// CHECK: arith.extsi %{{.*}} : i32 to i64
// CHECK: arith.extsi %{{.*}} : i32 to i64
// CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : i64
// CHECK: cuda.load %x[%{{.*}}] : !tt.ptr<f32>, i64 -> f32
tt.func @two_offsets(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #line>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #line>
  %q = arith.muli %r, %ns : tensor<1024xi32, #line>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
  %xa = tt.addptr %xs, %q : tensor<1024x!tt.ptr<f32>, #line>, tensor<1024xi32, #line>
  %xb = tt.addptr %xa, %r : tensor<1024x!tt.ptr<f32>, #line>, tensor<1024xi32, #line>
  %v = tt.load %xb : tensor<1024x!tt.ptr<f32>, #line>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
  tt.store %ys, %v : tensor<1024x!tt.ptr<f32>, #line>
  tt.return
}

// Registers first, then the 8 lanes of a row.
// CHECK-LABEL: cuda.func @row_sums
// CHECK: cuda.map 2 -> !cuda.regs<2xf32>
// CHECK: scf.for %i = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: arith.addf
// CHECK: cuda.unroll
// CHECK: cuda.butterfly %{{.*}} masks [4, 2, 1] : f32 -> f32
tt.func @row_sums(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #tile>
  %v = tt.load %xs : tensor<32x32x!tt.ptr<f32>, #tile>
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<32x32xf32, #tile>) -> tensor<32xf32, #rows>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #rows>
  tt.store %ys, %s : tensor<32x!tt.ptr<f32>, #rows>
  tt.return
}

// Buffers with offsets of their own are arrays of their own.
// CHECK-LABEL: cuda.func @buffers
// CHECK: cuda.shared_array "parts" {{.*}}: !cuda.shared<32x32xf32>
// CHECK: cuda.map 8 step 4 {
// CHECK: cuda.store %{{.*}}, %parts[%{{.*}}, %{{.*}}]{{.*}} : vector<4xf32>
// CHECK: cuda.barrier
// CHECK: cuda.load %parts[%{{.*}}, %{{.*}}]{{.*}} -> vector<4xf32>
tt.func @buffers(%x: !tt.ptr<f32>) {
  %parts = ttg.local_alloc name "parts" {offset = 0 : i32} : !ttg.memdesc<32x32xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #tile>
  %v = tt.load %xs : tensor<32x32x!tt.ptr<f32>, #tile>
  ttg.local_store %v, %parts : tensor<32x32xf32, #tile> -> !ttg.memdesc<32x32xf32>
  ttg.barrier
  %w = ttg.local_load %parts : !ttg.memdesc<32x32xf32> -> tensor<32x32xf32, #tile>
  tt.store %xs, %w : tensor<32x32x!tt.ptr<f32>, #tile>
  tt.return
}

// Buffers that share bytes are views into one array.
// CHECK-LABEL: cuda.func @shared_bytes
// CHECK: %[[POOL:.*]] = cuda.shared_array "shared_memory" {{.*}}: !cuda.shared<4096xi8>
// CHECK: cuda.shared_view %[[POOL]] "first" 0
// CHECK: cuda.shared_view %[[POOL]] "second" 0
tt.func @shared_bytes() {
  %first = ttg.local_alloc name "first" {offset = 0 : i32} : !ttg.memdesc<32x32xf32>
  %second = ttg.local_alloc name "second" {offset = 0 : i32} : !ttg.memdesc<16x16xf16>
  tt.return
}

// CHECK-LABEL: cuda.func @loop
// CHECK: scf.for %k = %{{.*}} to %n step %{{.*}} iter_args(%acc = %{{.*}}) -> (!cuda.regs<8xf32>)
// CHECK: scf.yield %{{.*}} : !cuda.regs<8xf32>
tt.func @loop(%x: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.000000e+00> : tensor<1024xf32, #line>
  %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<1024xf32, #line>) : i32 {
    %next = arith.addf %acc, %acc : tensor<1024xf32, #line>
    scf.yield %next : tensor<1024xf32, #line>
  }
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
  tt.store %xs, %sum : tensor<1024x!tt.ptr<f32>, #line>
  tt.return
}

// Two registers and two lanes change places: the upper lane of each pair sends its first register first, a shuffle for each
// register goes to the lane beside, and the upper lane has then received its second register first.
// CHECK-LABEL: cuda.func @lanes
// CHECK: %x = cuda.map 2 -> !cuda.regs<2xf32> {
// CHECK: %[[UPPER:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: %[[SENT:.*]] = cuda.map 2 -> !cuda.regs<2xf32> {
// CHECK: arith.select %[[UPPER]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[RECEIVED:.*]] = cuda.map 2 -> !cuda.regs<2xf32> {
// CHECK-NEXT: ^bb0(%[[STEP:.*]]: i32):
// CHECK-NEXT: %[[VALUE:.*]] = cuda.get %[[SENT]][%[[STEP]]]
// CHECK-NEXT: cuda.shuffle_xor %[[VALUE]], %[[STEP]] : f32
// CHECK: cuda.map 2 -> !cuda.regs<2xf32> {
// CHECK: cuda.get %[[RECEIVED]]
// CHECK: arith.select
tt.func @lanes(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #pairs>
  %x = tt.load %ps : tensor<64x!tt.ptr<f32>, #pairs>
  %y = ttg.convert_layout %x : tensor<64xf32, #pairs> -> tensor<64xf32, #swapped_pairs>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #swapped_pairs>
  tt.store %qs, %y : tensor<64x!tt.ptr<f32>, #swapped_pairs>
  tt.return
}
}
