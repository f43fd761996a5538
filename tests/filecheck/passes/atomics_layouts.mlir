// RUN: mytriton-opt %s -p assign-layouts | filecheck %s

// An atomic operation is done where its operands are, as a load left them, and its result is there too.
// CHECK-LABEL: @loaded
// CHECK: tt.load %xa : tensor<1024x!tt.ptr<i32>, #ttg.blocked<{sizePerThread = [4]
// CHECK-NOT: convert_layout
// CHECK: %old = tt.atomic_rmw add, relaxed, gpu, %ca, %one : {{.*}} -> tensor<1024xi32, #ttg.blocked<{sizePerThread = [4]
// CHECK-NOT: convert_layout
tt.func @loaded(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %counts: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %one = arith.constant dense<1> : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xa = tt.addptr %xs, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %bin = tt.load %xa : tensor<1024x!tt.ptr<i32>>
  %cs = tt.splat %counts : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %ca = tt.addptr %cs, %bin : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %old = tt.atomic_rmw add, relaxed, gpu, %ca, %one : (tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>) -> tensor<1024xi32>
  %sum = arith.addi %old, %bin : tensor<1024xi32>
  tt.store %ca, %sum : tensor<1024x!tt.ptr<i32>>
  tt.return
}
