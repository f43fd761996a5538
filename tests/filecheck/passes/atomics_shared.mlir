// RUN: mytriton-opt %s -p allocate-shared,insert-barriers | filecheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

module attributes {"ttg.num-warps" = 1 : i32} {

// One thread does it, and the others get the result through shared memory.
// CHECK-LABEL: @scalar
// CHECK-SAME: ttg.shared = 4 : i32
// CHECK-NEXT: %old_shared = ttg.local_alloc
// CHECK-NEXT: %old = tt.atomic_rmw
// CHECK-NEXT: %[[ONE:.*]] = tt.splat %old
// CHECK-NEXT: ttg.local_store %[[ONE]], %old_shared
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: %[[ALL:.*]] = ttg.local_load %old_shared
// CHECK-NEXT: %[[OLD:.*]] = tt.unsplat %[[ALL]]
// CHECK-NEXT: %{{.*}} = tt.splat %[[OLD]]
tt.func @scalar(%p: !tt.ptr<i32>, %v: i32, %c: tensor<32xi32, #line>, %ps: tensor<32x!tt.ptr<i32>, #line>) {
  %old = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  %s = tt.splat %old : i32 -> tensor<32xi32, #line>
  tt.store %ps, %s : tensor<32x!tt.ptr<i32>, #line>
  tt.return
}

// What only the thread that did it needs stays there.
// CHECK-LABEL: @stored
// CHECK-NOT: ttg
// CHECK: tt.return
tt.func @stored(%p: !tt.ptr<i32>, %v: i32) {
  %old = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  %more = arith.addi %old, %v : i32
  tt.store %p, %more : !tt.ptr<i32>
  tt.return
}

// Threads that hold copies of an element get the result; where there are none, nothing is exchanged.
// CHECK-LABEL: @copies
// CHECK-NEXT: %old = ttg.local_alloc
// CHECK-NEXT: %[[FEW:.*]] = tt.atomic_cas relaxed, gpu, %few
// CHECK-NEXT: ttg.local_store %[[FEW]], %old
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: %[[ALL:.*]] = ttg.local_load %old
// CHECK-NEXT: %[[MANY:.*]] = tt.atomic_cas relaxed, gpu, %many
// CHECK-NEXT: tt.return %[[ALL]], %[[MANY]]
tt.func @copies(%few: tensor<8x!tt.ptr<i32>, #line>, %many: tensor<64x!tt.ptr<i32>, #line>, %v: tensor<8xi32, #line>, %w: tensor<64xi32, #line>) -> (tensor<8xi32, #line>, tensor<64xi32, #line>) {
  %0 = tt.atomic_cas relaxed, gpu, %few, %v, %v : (tensor<8x!tt.ptr<i32>, #line>, tensor<8xi32, #line>, tensor<8xi32, #line>) -> tensor<8xi32, #line>
  %1 = tt.atomic_cas relaxed, gpu, %many, %w, %w : (tensor<64x!tt.ptr<i32>, #line>, tensor<64xi32, #line>, tensor<64xi32, #line>) -> tensor<64xi32, #line>
  tt.return %0, %1 : tensor<8xi32, #line>, tensor<64xi32, #line>
}

// In a loop that waits for a lock, the buffer is read before the next turn writes it.
// CHECK-LABEL: @lock
// CHECK: scf.while
// CHECK-NEXT: %old = tt.atomic_cas
// CHECK-NEXT: %{{.*}} = tt.splat
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: %{{.*}} = ttg.local_load
// CHECK-NEXT: %{{.*}} = tt.unsplat
tt.func @lock(%p: !tt.ptr<i32>, %zero: i32, %one: i32) {
  scf.while () : () -> () {
    %old = tt.atomic_cas relaxed, gpu, %p, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32
    %taken = arith.cmpi eq, %old, %one : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  tt.return
}
}
