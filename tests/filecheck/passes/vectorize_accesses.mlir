// RUN: mytriton-opt %s -p vectorize-accesses | filecheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#narrow = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Aligned pointer, contiguous offsets, no mask.
// CHECK-LABEL: @aligned
// CHECK: tt.load {{.*}}ttg.vector = 4 : i32
tt.func @aligned(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<512xf32, #line> {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #line>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>, #line>
  tt.return %x : tensor<512xf32, #line>
}

// A bound that is divisible by 16 keeps the mask the same for 4 neighbours.
// CHECK-LABEL: @masked
// CHECK: tt.store {{.*}}ttg.vector = 4 : i32
tt.func @masked(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %x: tensor<512xf32, #line>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #line>
  %ns = tt.splat %n : i32 -> tensor<512xi32, #line>
  %m = arith.cmpi slt, %r, %ns : tensor<512xi32, #line>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
  tt.store %a, %x, %m : tensor<512x!tt.ptr<f32>, #line>
  tt.return
}

// Nothing is known of the bound.
// CHECK-LABEL: @any_bound
// CHECK-NOT: ttg.vector
// CHECK: tt.return
tt.func @any_bound(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %x: tensor<512xf32, #line>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #line>
  %ns = tt.splat %n : i32 -> tensor<512xi32, #line>
  %m = arith.cmpi slt, %r, %ns : tensor<512xi32, #line>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
  tt.store %a, %x, %m : tensor<512x!tt.ptr<f32>, #line>
  tt.return
}

// Nothing is known of the pointer.
// CHECK-LABEL: @any_pointer
// CHECK-NOT: ttg.vector
// CHECK: tt.return
tt.func @any_pointer(%p: !tt.ptr<f32>) -> tensor<512xf32, #line> {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #line>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>, #line>
  tt.return %x : tensor<512xf32, #line>
}

// One element a thread.
// CHECK-LABEL: @narrow_layout
// CHECK-NOT: ttg.vector
// CHECK: tt.return
tt.func @narrow_layout(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<512xf32, #narrow> {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #narrow>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #narrow>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #narrow>, tensor<512xi32, #narrow>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>, #narrow>
  tt.return %x : tensor<512xf32, #narrow>
}

// A volatile load reads each element by itself.
// CHECK-LABEL: @volatile
// CHECK-NOT: ttg.vector
// CHECK: tt.return
tt.func @volatile(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<512xf32, #line> {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #line>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
  %x = tt.load %a {isVolatile = true} : tensor<512x!tt.ptr<f32>, #line>
  tt.return %x : tensor<512xf32, #line>
}
