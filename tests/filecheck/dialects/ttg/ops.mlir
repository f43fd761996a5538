// RUN: mytriton-opt %s | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | mytriton-opt | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// CHECK-LABEL: tt.func @global_tile
// CHECK: %tile = ttg.global_tile %p[%row, %column] stride %stride bounds[%m, %k] other %zero : !tt.ptr<f32>, i32, i32, i32, i32, i32, f32 -> !ttg.global_tile<4x16xf32>
// CHECK-NEXT: %loaded = ttg.load_tile %tile : !ttg.global_tile<4x16xf32> -> tensor<4x16xf32, #ttg.blocked<{{.*}}>>
tt.func @global_tile(%p: !tt.ptr<f32>, %row: i32, %column: i32, %stride: i32, %m: i32, %k: i32) {
  %zero = arith.constant 0.0 : f32
  %tile = ttg.global_tile %p[%row, %column] stride %stride bounds [%m, %k] other %zero : !tt.ptr<f32>, i32, i32, i32, i32, i32, f32 -> !ttg.global_tile<4x16xf32>
  %loaded = ttg.load_tile %tile : !ttg.global_tile<4x16xf32> -> tensor<4x16xf32, #blocked>
  tt.return
}

// CHECK-LABEL: tt.func @buffers
// CHECK-NEXT: %plain = ttg.local_alloc : !ttg.memdesc<4x16xf32>
// CHECK-NEXT: %named = ttg.local_alloc name "a_tile" : !ttg.memdesc<4x16xf32, #ttg.swizzled_shared<{{.*}}>>
// CHECK-NEXT: %placed = ttg.local_alloc name "b_tile" {offset = 256 : i32} : !ttg.memdesc<16xi8>
// CHECK-NEXT: ttg.copy_tile %tile, %plain : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
// CHECK-NEXT: ttg.local_store %x, %plain : tensor<4x16xf32, #ttg.blocked<{{.*}}>> -> !ttg.memdesc<4x16xf32>
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: %whole = ttg.local_load %plain : !ttg.memdesc<4x16xf32> -> tensor<4x16xf32, #ttg.blocked<{{.*}}>>
// CHECK-NEXT: %reshaped = ttg.local_load %plain : !ttg.memdesc<4x16xf32> -> tensor<64xf32>
// CHECK-NEXT: %part = ttg.local_load %plain[%i, %i] : !ttg.memdesc<4x16xf32> -> tensor<2x8xf32>
tt.func @buffers(%tile: !ttg.global_tile<4x16xf32>, %x: tensor<4x16xf32, #blocked>, %i: i32) {
  %plain = ttg.local_alloc : !ttg.memdesc<4x16xf32>
  %named = ttg.local_alloc name "a_tile" : !ttg.memdesc<4x16xf32, #shared>
  %placed = ttg.local_alloc name "b_tile" {offset = 256 : i32} : !ttg.memdesc<16xi8>
  ttg.copy_tile %tile, %plain : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
  ttg.local_store %x, %plain : tensor<4x16xf32, #blocked> -> !ttg.memdesc<4x16xf32>
  ttg.barrier
  %whole = ttg.local_load %plain : !ttg.memdesc<4x16xf32> -> tensor<4x16xf32, #blocked>
  %reshaped = ttg.local_load %plain : !ttg.memdesc<4x16xf32> -> tensor<64xf32>
  %part = ttg.local_load %plain[%i, %i] : !ttg.memdesc<4x16xf32> -> tensor<2x8xf32>
  tt.return
}

// CHECK-LABEL: tt.func @layouts
// CHECK-NEXT: %0 = ttg.convert_layout %x : tensor<4x16xf32, #ttg.blocked<{{.*}}>> -> tensor<4x16xf32, #ttg.blocked<{{.*}}>>
// CHECK-NEXT: %1 = ttg.in_bounds : tensor<4x12xi1, #ttg.blocked<{{.*}}>>
tt.func @layouts(%x: tensor<4x16xf32, #blocked>) {
  %0 = ttg.convert_layout %x : tensor<4x16xf32, #blocked> -> tensor<4x16xf32, #rows>
  %1 = ttg.in_bounds : tensor<4x12xi1, #blocked>
  tt.return
}

// CHECK-LABEL: tt.func @dots
// CHECK-NEXT: %0 = ttg.dot %a, %b, %acc : !ttg.memdesc<4x8xf16> * !ttg.memdesc<8x2xf16>, tensor<4x2xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %1 = ttg.dot %a, %b, %acc {input_precision = "tf32"} : !ttg.memdesc<4x8xf16> * !ttg.memdesc<8x2xf16>, tensor<4x2xf32> -> tensor<4x2xf32>
tt.func @dots(%a: !ttg.memdesc<4x8xf16>, %b: !ttg.memdesc<8x2xf16>, %acc: tensor<4x2xf32>) {
  %0 = ttg.dot %a, %b, %acc : !ttg.memdesc<4x8xf16> * !ttg.memdesc<8x2xf16>, tensor<4x2xf32> -> tensor<4x2xf32>
  %1 = ttg.dot %a, %b, %acc {input_precision = "tf32"} : !ttg.memdesc<4x8xf16> * !ttg.memdesc<8x2xf16>, tensor<4x2xf32> -> tensor<4x2xf32>
  tt.return
}

// CHECK-LABEL: tt.func @reductions
// CHECK-NEXT: %0 = "ttg.warp_reduce"(%x) <{axis = 1 : i32}> ({
// CHECK-NEXT: ^bb0(%left: f32, %right: f32):
// CHECK-NEXT:   %sum = arith.addf %left, %right : f32
// CHECK-NEXT:   tt.reduce.return %sum : f32
// CHECK-NEXT: }) : (tensor<4x16xf32>) -> tensor<4x2xf32>
tt.func @reductions(%x: tensor<4x16xf32>) {
  %0 = "ttg.warp_reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%left: f32, %right: f32):
    %sum = arith.addf %left, %right : f32
    tt.reduce.return %sum : f32
  }) : (tensor<4x16xf32>) -> tensor<4x2xf32>
  tt.return
}

// CHECK-LABEL: tt.func @order
// CHECK-NEXT: %0, %1 = "ttg.warp_scan"(%x) <{axis = 1 : i32, reverse = false}> ({
// CHECK: }) : (tensor<4x16xi32>) -> (tensor<4x16xi32>, tensor<4x2xi32>)
// CHECK-NEXT: %2 = "ttg.warp_prefix"(%0, %1) <{axis = 1 : i32, reverse = false}> ({
// CHECK: }) : (tensor<4x16xi32>, tensor<4x2xi32>) -> tensor<4x16xi32>
// CHECK-NEXT: %flipped = ttg.flip %x {axis = 1 : i32} : tensor<4x16xi32> -> tensor<4x16xi32>
// CHECK-NEXT: %3 = ttg.compare_exchange %x {axis = 1 : i32, distance = 4 : i32, block = 8 : i32} : tensor<4x16xi32> -> tensor<4x16xi32>
// CHECK-NEXT: %turned = ttg.compare_exchange %x {axis = 1 : i32, distance = 4 : i32, block = 1 : i32, block_axis = 0 : i32, descending, unsigned} : tensor<4x16xi32> -> tensor<4x16xi32>
// CHECK-NEXT: %4 = ttg.repad %x : tensor<4x16xi32> -> tensor<3x10xi32>
// CHECK-NEXT: %5 = ttg.local_alloc : !ttg.memdesc<4x16xi32>
// CHECK-NEXT: %6 = ttg.local_gather %5[%i] {axis = 1 : i32} : !ttg.memdesc<4x16xi32>, tensor<4x3xi32> -> tensor<4x3xi32>
// CHECK-NEXT: %7 = ttg.local_alloc : !ttg.memdesc<8xi32>
// CHECK-NEXT: ttg.local_histogram %v, %7 : tensor<16xi32> -> !ttg.memdesc<8xi32>
// CHECK-NEXT: ttg.local_histogram %v, %7 if %m : tensor<16xi1> : tensor<16xi32> -> !ttg.memdesc<8xi32>
tt.func @order(%x: tensor<4x16xi32>, %i: tensor<4x3xi32>, %v: tensor<16xi32>, %m: tensor<16xi1>) {
  %0, %1 = "ttg.warp_scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%left: i32, %right: i32):
    tt.scan.return %right : i32
  }) : (tensor<4x16xi32>) -> (tensor<4x16xi32>, tensor<4x2xi32>)
  %2 = "ttg.warp_prefix"(%0, %1) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%left: i32, %right: i32):
    tt.scan.return %right : i32
  }) : (tensor<4x16xi32>, tensor<4x2xi32>) -> tensor<4x16xi32>
  %flipped = ttg.flip %x {axis = 1 : i32} : tensor<4x16xi32> -> tensor<4x16xi32>
  %3 = ttg.compare_exchange %x {axis = 1 : i32, distance = 4 : i32, block = 8 : i32} : tensor<4x16xi32> -> tensor<4x16xi32>
  %turned = ttg.compare_exchange %x {axis = 1 : i32, distance = 4 : i32, block = 1 : i32, block_axis = 0 : i32, descending, unsigned} : tensor<4x16xi32> -> tensor<4x16xi32>
  %4 = ttg.repad %x : tensor<4x16xi32> -> tensor<3x10xi32>
  %5 = ttg.local_alloc : !ttg.memdesc<4x16xi32>
  %6 = ttg.local_gather %5[%i] {axis = 1 : i32} : !ttg.memdesc<4x16xi32>, tensor<4x3xi32> -> tensor<4x3xi32>
  %7 = ttg.local_alloc : !ttg.memdesc<8xi32>
  ttg.local_histogram %v, %7 : tensor<16xi32> -> !ttg.memdesc<8xi32>
  ttg.local_histogram %v, %7 if %m : tensor<16xi1> : tensor<16xi32> -> !ttg.memdesc<8xi32>
  tt.return
}

// CHECK-LABEL: tt.func @unsigned_tile
// CHECK: ttg.global_tile {{.*}} other %zero {unsigned} : !tt.ptr<f32>
tt.func @unsigned_tile(%p: !tt.ptr<f32>, %row: i64, %column: i64, %stride: i32, %m: i64, %k: i64) {
  %zero = arith.constant 0.000000e+00 : f32
  %tile = ttg.global_tile %p[%row, %column] stride %stride bounds[%m, %k] other %zero {unsigned} : !tt.ptr<f32>, i64, i64, i32, i64, i64, f32 -> !ttg.global_tile<4x16xf32>
  tt.return
}

// CHECK-LABEL: tt.func @batched_dot
// CHECK: ttg.dot %a, %b, %acc : !ttg.memdesc<3x4x8xf32> * !ttg.memdesc<3x8x2xf32>, tensor<3x4x2xf32> -> tensor<3x4x2xf32>
tt.func @batched_dot(%a: !ttg.memdesc<3x4x8xf32>, %b: !ttg.memdesc<3x8x2xf32>, %acc: tensor<3x4x2xf32>) {
  %0 = ttg.dot %a, %b, %acc : !ttg.memdesc<3x4x8xf32> * !ttg.memdesc<3x8x2xf32>, tensor<3x4x2xf32> -> tensor<3x4x2xf32>
  tt.return
}

// CHECK-LABEL: tt.func @checks
// CHECK-NEXT: ttg.check %x {sink = 0 : i32} : tensor<16xi32>
// CHECK-NEXT: ttg.check %x if %m {sink = 1 : i32} : tensor<16xi32>
// CHECK-NEXT: ttg.check %x at %p : tensor<16x!tt.ptr<f32>> if %m {sink = 2 : i32} : tensor<16xi32>
// CHECK-NEXT: ttg.check %s at %q : !tt.ptr<f32> {sink = 3 : i32} : i32
tt.func @checks(%x: tensor<16xi32>, %m: tensor<16xi1>, %p: tensor<16x!tt.ptr<f32>>, %s: i32, %q: !tt.ptr<f32>) {
  ttg.check %x {sink = 0 : i32} : tensor<16xi32>
  ttg.check %x if %m {sink = 1 : i32} : tensor<16xi32>
  ttg.check %x at %p : tensor<16x!tt.ptr<f32>> if %m {sink = 2 : i32} : tensor<16xi32>
  ttg.check %s at %q : !tt.ptr<f32> {sink = 3 : i32} : i32
  tt.return
}
