// RUN: mytriton-opt %s -p remove-layout-conversions | filecheck %s

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#halves = #ttg.linear<{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = []}>
#pairs = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [], block = []}>
#columns = #ttg.slice<{dim = 0, parent = #a}>
#rows = #ttg.slice<{dim = 1, parent = #a}>

builtin.module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {

// What is made of ranges, splats and constants is made again in the wanted layout, once, where it was made.
// CHECK-LABEL: @ranges
// CHECK-NOT: convert_layout
// CHECK: %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0
// CHECK-NEXT: %s = tt.splat %n : i32 -> tensor<32xi32, #ttg.slice<{dim = 0
// CHECK-NEXT: %o = arith.addi %s, %r : tensor<32xi32, #ttg.slice<{dim = 0
// CHECK-NEXT: tt.expand_dims %o
// CHECK-NEXT: tt.expand_dims %o
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func @ranges(%n: i32) -> (tensor<1x32xi32, #a>, tensor<1x32xi32, #a>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #line>
  %s = tt.splat %n : i32 -> tensor<32xi32, #line>
  %o = arith.addi %s, %r : tensor<32xi32, #line>
  %c = ttg.convert_layout %o : tensor<32xi32, #line> -> tensor<32xi32, #columns>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #a>
  %d = ttg.convert_layout %o : tensor<32xi32, #line> -> tensor<32xi32, #columns>
  %f = tt.expand_dims %d {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #a>
  tt.return %e, %f : tensor<1x32xi32, #a>, tensor<1x32xi32, #a>
}

// A conversion of a conversion is one conversion, and none if it leads back.
// CHECK-LABEL: @chains
// CHECK-NEXT: %z = ttg.convert_layout %x : tensor<32x32xf32, #ttg.blocked<{sizePerThread = [1, 4]{{.*}} -> tensor<32x32xf32, #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [16, 2]
// CHECK-NEXT: tt.return %x, %z
tt.func @chains(%x: tensor<32x32xf32, #a>) -> (tensor<32x32xf32, #a>, tensor<32x32xf32, #t>) {
  %y = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
  %back = ttg.convert_layout %y : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>
  %z = ttg.convert_layout %y : tensor<32x32xf32, #b> -> tensor<32x32xf32, #t>
  tt.return %back, %z : tensor<32x32xf32, #a>, tensor<32x32xf32, #t>
}

// The store takes the layout of what is stored: the pointers and the mask are computed in it.
// CHECK-LABEL: @store
// CHECK-NOT: convert_layout
// CHECK: tt.store %p, %x, %m : tensor<32x32x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 4]
tt.func @store(%ptr: !tt.ptr<f32>, %n: i32, %x: tensor<32x32xf32, #a>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %e = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
  %o = tt.broadcast %e : tensor<1x32xi32, #b> -> tensor<32x32xi32, #b>
  %s = tt.splat %ptr : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #b>
  %p = tt.addptr %s, %o : tensor<32x32x!tt.ptr<f32>, #b>, tensor<32x32xi32, #b>
  %ns = tt.splat %n : i32 -> tensor<32x32xi32, #b>
  %m = arith.cmpi slt, %o, %ns : tensor<32x32xi32, #b>
  %y = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
  tt.store %p, %y, %m : tensor<32x32x!tt.ptr<f32>, #b>
  tt.return
}

// Not if a warp would then access memory in runs of two elements.
// CHECK-LABEL: @scattered_store
// CHECK: %y = ttg.convert_layout %x
// CHECK-NEXT: tt.store %p, %y
tt.func @scattered_store(%ptr: !tt.ptr<f32>, %x: tensor<32x32xf32, #t>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %e = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
  %o = tt.broadcast %e : tensor<1x32xi32, #b> -> tensor<32x32xi32, #b>
  %s = tt.splat %ptr : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #b>
  %p = tt.addptr %s, %o : tensor<32x32x!tt.ptr<f32>, #b>, tensor<32x32xi32, #b>
  %y = ttg.convert_layout %x : tensor<32x32xf32, #t> -> tensor<32x32xf32, #b>
  tt.store %p, %y : tensor<32x32x!tt.ptr<f32>, #b>
  tt.return
}

// A load whose only use wants another layout is loaded in that one.
// CHECK-LABEL: @load
// CHECK-NOT: convert_layout
// CHECK: %v = tt.load %s : tensor<32x32x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-NEXT: arith.addf %v, %x
tt.func @load(%ptr: !tt.ptr<f32>, %x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #a> {
  %s = tt.splat %ptr : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #b>
  %v = tt.load %s : tensor<32x32x!tt.ptr<f32>, #b>
  %w = ttg.convert_layout %v : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>
  %y = arith.addf %w, %x : tensor<32x32xf32, #a>
  tt.return %y : tensor<32x32xf32, #a>
}

// What is loaded is moved, but only the one row, not the tile that is made of it.
// CHECK-LABEL: @row
// CHECK: %r_1 = ttg.convert_layout %r : tensor<32xf32, #ttg.blocked
// CHECK-NEXT: %e = tt.expand_dims %r_1
// CHECK-NEXT: %b = tt.broadcast %e
// CHECK-NEXT: tt.return %r, %b
tt.func @row(%r: tensor<32xf32, #line>) -> (tensor<32xf32, #line>, tensor<32x32xf32, #a>) {
  %c = ttg.convert_layout %r : tensor<32xf32, #line> -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #b}>>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xf32, #b>
  %b = tt.broadcast %e : tensor<1x32xf32, #b> -> tensor<32x32xf32, #b>
  %y = ttg.convert_layout %b : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>
  tt.return %r, %y : tensor<32xf32, #line>, tensor<32x32xf32, #a>
}

// A loop carries its value in the layout in which it computes it.
// CHECK-LABEL: @loop
// CHECK: scf.for {{.*}} -> (tensor<32x32xf32, #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-NEXT: %y = arith.addf %acc, %x
// CHECK-NEXT: scf.yield %y
// CHECK: %sum_1 = ttg.convert_layout %sum
// CHECK-NEXT: tt.return %sum_1
tt.func @loop(%n: i32, %x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #b> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #b>
  %sum = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<32x32xf32, #b>) : i32 {
    %c = ttg.convert_layout %acc : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>
    %y = arith.addf %c, %x : tensor<32x32xf32, #a>
    %z = ttg.convert_layout %y : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    scf.yield %z : tensor<32x32xf32, #b>
  }
  tt.return %sum : tensor<32x32xf32, #b>
}

// Both branches compute in one layout: it is converted once, behind them.
// CHECK-LABEL: @branches
// CHECK: scf.if %c -> (tensor<32x32xf32, #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-NEXT: scf.yield %x
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %y
// CHECK-NEXT: }
// CHECK-NEXT: ttg.convert_layout %r
tt.func @branches(%c: i1, %x: tensor<32x32xf32, #a>, %y: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #b> {
  %r = scf.if %c -> (tensor<32x32xf32, #b>) {
    %u = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    scf.yield %u : tensor<32x32xf32, #b>
  } else {
    %v = ttg.convert_layout %y : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    scf.yield %v : tensor<32x32xf32, #b>
  }
  tt.return %r : tensor<32x32xf32, #b>
}

// Nothing to do: a value that is computed from an argument has to be moved.
// CHECK-LABEL: @needed
// CHECK-NEXT: %y = math.exp %x
// CHECK-NEXT: %z = ttg.convert_layout %y
// CHECK-NEXT: tt.return %y, %z
tt.func @needed(%x: tensor<32x32xf32, #a>) -> (tensor<32x32xf32, #a>, tensor<32x32xf32, #b>) {
  %y = math.exp %x : tensor<32x32xf32, #a>
  %z = ttg.convert_layout %y : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
  tt.return %y, %z : tensor<32x32xf32, #a>, tensor<32x32xf32, #b>
}

// A load takes the layout that is wanted after a reshape.
// CHECK-LABEL: @load_reshaped
// CHECK: %x = tt.load %a : tensor<64x!tt.ptr<f32>, #ttg.linear<{register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]]
// CHECK-NEXT: %y = tt.reshape %x
// CHECK-NEXT: tt.return %y
tt.func @load_reshaped(%p: !tt.ptr<f32>) -> tensor<2x32xf32, #pairs> {
  %at = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #line>
  %a = tt.addptr %s, %at : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
  %x = tt.load %a : tensor<64x!tt.ptr<f32>, #line>
  %y = tt.reshape %x : tensor<64xf32, #line> -> tensor<2x32xf32, #halves>
  %z = ttg.convert_layout %y : tensor<2x32xf32, #halves> -> tensor<2x32xf32, #pairs>
  tt.return %z : tensor<2x32xf32, #pairs>
}

}
