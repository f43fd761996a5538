// RUN: mytriton-opt %s -p assign-layouts | filecheck %s
// RUN: mytriton-opt %s -p 'assign-layouts{num-warps=1}' | filecheck %s --check-prefix=ONE

// CHECK: builtin.module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32}
// ONE: builtin.module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32}

// Aligned and unmasked: four neighbours in each thread; the index arithmetic has the same layout.
// CHECK-LABEL: @wide
// CHECK: tt.make_range {{.*}} : tensor<512xi32, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
// CHECK: %v = tt.load %p : tensor<512x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
// CHECK-NOT: convert_layout
// CHECK: tt.store
// ONE-LABEL: @wide
// ONE: %v = tt.load %p : tensor<512x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
tt.func @wide(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<512xf32>
  tt.store %p, %w : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Nothing is known of the pointer: one element at a time, neighbouring threads on neighbouring elements.
// CHECK-LABEL: @narrow
// CHECK: tt.load {{.*}}sizePerThread = [1], threadsPerWarp = [32]
tt.func @narrow(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// No wider than leaves every thread busy: 128 elements for 128 threads. Sizes that are no powers of two are padded.
// CHECK-LABEL: @small
// CHECK: tensor<128xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
// CHECK: tensor<12x20xf32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
tt.func @small(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  tt.store %p, %v : tensor<128x!tt.ptr<f32>>
  %c = arith.constant dense<1.0> : tensor<12x20xf32>
  tt.return
}

// Rows and columns of a tile are slices of its layout; the fastest dimension is the one in which pointers are contiguous.
// CHECK-LABEL: @column_major
// CHECK: %r = tt.make_range {{.*}}#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>}>>
// CHECK: %c = tt.make_range {{.*}}#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>}>>
// CHECK: tt.load {{.*}}#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func @column_major(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %ns = tt.splat %n : i32 -> tensor<1x16xi32>
  %cn = arith.muli %c1, %ns : tensor<1x16xi32>
  %rb = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %cb = tt.broadcast %cn : tensor<1x16xi32> -> tensor<32x16xi32>
  %o = arith.addi %rb, %cb : tensor<32x16xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
  %p = tt.addptr %s, %o : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
  %v = tt.load %p : tensor<32x16x!tt.ptr<f32>>
  tt.store %p, %v : tensor<32x16x!tt.ptr<f32>>
  tt.return
}

// A dot has a register tile; its accumulator is carried in it from the start, and only the store converts.
// CHECK-LABEL: @accumulate
// CHECK: %zero = arith.constant {{.*}} : tensor<64x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>>
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>>)
// CHECK-NEXT: ttg.load_tile
// CHECK-NEXT: %d = tt.dot
// CHECK-NEXT: %next = arith.addf
// CHECK-NEXT: scf.yield %next
// CHECK: %{{.*}} = ttg.convert_layout %sum
// CHECK-NEXT: tt.store
tt.func @accumulate(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tile: !ttg.global_tile<64x64xf32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = ttg.load_tile %tile : !ttg.global_tile<64x64xf32> -> tensor<64x64xf32>
    %d = tt.dot %a, %a, %zero : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %next = arith.addf %acc, %d : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %o = tt.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %p = tt.addptr %s, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %p, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A reduction gives a slice of its operand's layout; a transposed tensor has the permuted layout; a reshaped one keeps its
// elements where they are, unless the sizes are padded.
// CHECK-LABEL: @shapes
// CHECK: "tt.reduce"(%x)
// CHECK: (tensor<16x64xf32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>}>>
// CHECK: %t = tt.trans {{.*}} -> tensor<64x16xf32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], order = [0, 1]}>>
// CHECK: %f = tt.reshape {{.*}} -> tensor<1024xf32, #ttg.linear<{register = {{\[\[128\], \[256\], \[512\]\]}}, lane = {{\[\[1\], \[2\], \[4\], \[8\], \[16\]\]}}, warp = {{\[\[32\], \[64\]\]}}, block = []}>>
// CHECK: %u = tt.unsplat
tt.func @shapes(%x: tensor<16x64xf32>) {
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %sum = arith.addf %l, %r : f32
    tt.reduce.return %sum : f32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x64xf32> -> tensor<64x16xf32>
  %f = tt.reshape %x : tensor<16x64xf32> -> tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1x1xf32>
  %u = tt.unsplat %one : tensor<1x1xf32>
  tt.return
}

// Both branches of an if, and the values of a while loop, have one layout.
// CHECK-LABEL: @control
// CHECK: scf.if %c -> (tensor<64xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>)
// CHECK: scf.while (%a = %y) : (tensor<64xf32, #ttg.blocked{{.*}}) -> tensor<64xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32]
tt.func @control(%x: tensor<64xf32>, %c: i1) {
  %y = scf.if %c -> (tensor<64xf32>) {
    %z = arith.constant dense<0.0> : tensor<64xf32>
    scf.yield %z : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %w = scf.while (%a = %y) : (tensor<64xf32>) -> tensor<64xf32> {
    scf.condition(%c) %a : tensor<64xf32>
  } do {
  ^bb0(%b: tensor<64xf32>):
    %d = arith.addf %b, %b : tensor<64xf32>
    scf.yield %d : tensor<64xf32>
  }
  tt.return
}

// Nothing to do without tensors.
// CHECK-LABEL: @scalars
// CHECK-NEXT: %sum = arith.addi %n, %n : i32
// CHECK-NEXT: tt.return
tt.func @scalars(%n: i32) {
  %sum = arith.addi %n, %n : i32
  tt.return
}

// Joined tensors have both elements of a pair in one thread, side by side; halves are what is left of them.
// CHECK-LABEL: @joined
// CHECK: %x = tt.load {{.*}} #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
// CHECK: %pairs = tt.join %x, %x : {{.*}} -> tensor<512x2xf32, #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>>
// CHECK: %a, %b = tt.split %twice : {{.*}} -> tensor<512xf32, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func @joined(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %q : tensor<512x!tt.ptr<f32>>
  %pairs = tt.join %x, %x : tensor<512xf32> -> tensor<512x2xf32>
  %twice = arith.addf %pairs, %pairs : tensor<512x2xf32>
  %a, %b = tt.split %twice : tensor<512x2xf32> -> tensor<512xf32>
  %sum = arith.addf %a, %b : tensor<512xf32>
  tt.store %q, %sum : tensor<512x!tt.ptr<f32>>
  tt.return
}

// A slice that starts at a multiple of its size, along a dimension that only registers hold, moves nothing.
// CHECK-LABEL: @sliced
// CHECK: %half = tt.extract_slice %x[%{{.*}}] : {{.*}} -> tensor<256xf32, #ttg.blocked<{sizePerThread = [1], {{.*}}>
// CHECK: %one = tt.extract_slice %x[%i] : {{.*}} -> tensor<1xf32, #ttg.blocked
// ONE-LABEL: @sliced
// ONE: %half = tt.extract_slice %x[%{{.*}}] : {{.*}} -> tensor<256xf32, #ttg.linear<{register = {{\[}}[1], [2], [128]], lane = {{\[}}[4], [8], [16], [32], [64]], warp = [], block = []}>>
tt.func @sliced(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %i: i32) -> f32 {
  %c256 = arith.constant 256 : i32
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %q : tensor<512x!tt.ptr<f32>>
  %half = tt.extract_slice %x[%c256] : tensor<512xf32> -> tensor<256xf32>
  %one = tt.extract_slice %x[%i] : tensor<512xf32> -> tensor<1xf32>
  %element = tt.unsplat %one : tensor<1xf32>
  tt.return %element : f32
}
