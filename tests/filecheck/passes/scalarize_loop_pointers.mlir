// RUN: mytriton-opt %s -p scalarize-loop-pointers | filecheck %s

// CHECK-LABEL: @moved_tile
// CHECK: %{{.*}} = scf.for %k = %{{.*}} to %n step %{{.*}} iter_args(%ptrs = %p, %acc = %{{.*}}) -> (!tt.ptr<f32>, tensor<64xf32>)
// CHECK-NEXT: %[[SPLAT:.*]] = tt.splat %ptrs : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
// CHECK-NEXT: %[[TILE:.*]] = tt.addptr %[[SPLAT]], %offsets
// CHECK-NEXT: tt.load %[[TILE]]
// CHECK: %[[NEXT:.*]] = tt.addptr %ptrs, %stride : !tt.ptr<f32>, i32
// CHECK: scf.yield %[[NEXT]]
tt.func @moved_tile(%p: !tt.ptr<f32>, %n: i32, %stride: i32) -> tensor<64xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.000000e+00> : tensor<64xf32>
  %offsets = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %first = tt.addptr %s, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %step = tt.splat %stride : i32 -> tensor<64xi32>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%ptrs = %first, %acc = %zeros) -> (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) : i32 {
    %x = tt.load %ptrs : tensor<64x!tt.ptr<f32>>
    %sum = arith.addf %acc, %x : tensor<64xf32>
    %next = tt.addptr %ptrs, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %next, %sum : tensor<64x!tt.ptr<f32>>, tensor<64xf32>
  }
  tt.return %r#1 : tensor<64xf32>
}

// A constant step, two steps in one turn, and the tile used between them and after the loop.
// CHECK-LABEL: @used_everywhere
// CHECK: scf.for {{.*}} iter_args(%ptrs = %p)
// CHECK: tt.store
// CHECK: %[[ONE:.*]] = tt.addptr %ptrs, %{{.*}} : !tt.ptr<f32>, i32
// CHECK: tt.addptr %[[ONE]], %{{.*}} : !tt.ptr<f32>, i32
// CHECK: tt.store
// CHECK: scf.yield %{{.*}} : !tt.ptr<f32>
// CHECK: tt.splat %{{.*}} : !tt.ptr<f32>
// CHECK: tt.addptr {{.*}}, %offsets
// CHECK: tt.store
tt.func @used_everywhere(%p: !tt.ptr<f32>, %n: i32, %v: tensor<64xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sixteen = arith.constant dense<16> : tensor<64xi32>
  %offsets = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %first = tt.addptr %s, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %r = scf.for %k = %zero to %n step %one iter_args(%ptrs = %first) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    tt.store %ptrs, %v : tensor<64x!tt.ptr<f32>>
    %next = tt.addptr %ptrs, %sixteen : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %after = tt.addptr %next, %sixteen : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %next, %v : tensor<64x!tt.ptr<f32>>
    scf.yield %after : tensor<64x!tt.ptr<f32>>
  }
  tt.store %r, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Steps that differ from element to element: nothing to do.
// CHECK-LABEL: @uneven_steps
// CHECK: iter_args(%ptrs = %first) -> (tensor<64x!tt.ptr<f32>>)
tt.func @uneven_steps(%p: !tt.ptr<f32>, %n: i32, %v: tensor<64xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %offsets = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %first = tt.addptr %s, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %r = scf.for %k = %zero to %n step %one iter_args(%ptrs = %first) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    tt.store %ptrs, %v : tensor<64x!tt.ptr<f32>>
    %next = tt.addptr %ptrs, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// Pointers that come from memory: nothing to do.
// CHECK-LABEL: @loaded_pointers
// CHECK: iter_args(%ptrs = %first) -> (tensor<64x!tt.ptr<f32>>)
tt.func @loaded_pointers(%first: tensor<64x!tt.ptr<f32>>, %n: i32, %v: tensor<64xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = arith.constant dense<1> : tensor<64xi32>
  %r = scf.for %k = %zero to %n step %one iter_args(%ptrs = %first) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    tt.store %ptrs, %v : tensor<64x!tt.ptr<f32>>
    %next = tt.addptr %ptrs, %ones : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}
