// RUN: mytriton-opt %s -p insert-barriers | filecheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

// All threads have stored before one releases; none loads before one has acquired.
// CHECK-LABEL: @released
// CHECK-NEXT: tt.store
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.atomic_store
// CHECK-NEXT: %seen = tt.atomic_load
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: %x = tt.load
tt.func @released(%flag: !tt.ptr<i32>, %p: tensor<32x!tt.ptr<i32>, #line>, %v: tensor<32xi32, #line>, %one: i32) -> (i32, tensor<32xi32, #line>) {
  tt.store %p, %v : tensor<32x!tt.ptr<i32>, #line>
  tt.atomic_store release, gpu, %flag, %one : !tt.ptr<i32>
  %seen = tt.atomic_load acquire, gpu, %flag : (!tt.ptr<i32>) -> i32
  %x = tt.load %p : tensor<32x!tt.ptr<i32>, #line>
  tt.return %seen, %x : i32, tensor<32xi32, #line>
}

// Relaxed ones order nothing.
// CHECK-LABEL: @relaxed
// CHECK-NOT: ttg.barrier
tt.func @relaxed(%flag: !tt.ptr<i32>, %p: tensor<32x!tt.ptr<i32>, #line>, %q: tensor<32x!tt.ptr<i32>, #line>, %v: tensor<32xi32, #line>, %one: i32) {
  tt.store %p, %v : tensor<32x!tt.ptr<i32>, #line>
  tt.atomic_store relaxed, gpu, %flag, %one : !tt.ptr<i32>
  tt.store %q, %v : tensor<32x!tt.ptr<i32>, #line>
  tt.return
}

// Sums of what was loaded from memory that the kernel does not write: nobody could tell a difference. But who counts
// the programs that have added theirs must come after the sums.
// CHECK-LABEL: @sums
// CHECK: tt.load
// CHECK-NEXT: %{{.*}} = tt.atomic_rmw add, acq_rel, gpu, %p
// CHECK-NEXT: %{{.*}} = tt.atomic_rmw add, acq_rel, gpu, %p
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: %{{.*}} = tt.atomic_rmw add, acq_rel, gpu, %count
tt.func @sums(%x: !tt.ptr<i32>, %i: tensor<32xi32, #line>, %p: tensor<32x!tt.ptr<i32>, #line>, %count: !tt.ptr<i32>, %one: i32) -> i32 {
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #line>
  %xa = tt.addptr %xs, %i : tensor<32x!tt.ptr<i32>, #line>, tensor<32xi32, #line>
  %v = tt.load %xa : tensor<32x!tt.ptr<i32>, #line>
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (tensor<32x!tt.ptr<i32>, #line>, tensor<32xi32, #line>) -> tensor<32xi32, #line>
  %1 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (tensor<32x!tt.ptr<i32>, #line>, tensor<32xi32, #line>) -> tensor<32xi32, #line>
  %2 = tt.atomic_rmw add, acq_rel, gpu, %count, %one : (!tt.ptr<i32>, i32) -> i32
  tt.return %2 : i32
}

// A store before them is not like a sum.
// CHECK-LABEL: @sum_after_store
// CHECK-NEXT: tt.store
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: %{{.*}} = tt.atomic_rmw
tt.func @sum_after_store(%p: tensor<32x!tt.ptr<i32>, #line>, %v: tensor<32xi32, #line>) {
  tt.store %p, %v : tensor<32x!tt.ptr<i32>, #line>
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (tensor<32x!tt.ptr<i32>, #line>, tensor<32xi32, #line>) -> tensor<32xi32, #line>
  tt.return
}
