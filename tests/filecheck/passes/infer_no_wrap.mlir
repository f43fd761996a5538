// RUN: mytriton-opt %s -p infer-no-wrap | filecheck %s

// Addresses and their masks.
// CHECK-LABEL: @addresses
// CHECK: %start = arith.muli %pid, %{{.*}} overflow<nsw>
// CHECK: %offset = arith.addi %start, %tid overflow<nsw>
cuda.func @addresses(%x: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c32 = arith.constant 32 : i32
  %tid = cuda.thread_id : i32
  %pid = cuda.block_id x : i32
  %start = arith.muli %pid, %c32 : i32
  %offset = arith.addi %start, %tid : i32
  %mask = arith.cmpi slt, %offset, %n : i32
  %v = cuda.load %x[%offset] if %mask : !tt.ptr<f32>, i32 -> f32
  cuda.store %v, %x[%offset] if %mask : f32, !tt.ptr<f32>, i32
  cuda.return
}

// A value that is stored wraps.
// CHECK-LABEL: @data
// CHECK: %hash = arith.muli %v, %{{.*}} : i32
cuda.func @data(%x: !tt.ptr<i32>) attributes {num_warps = 1 : i32} {
  %tid = cuda.thread_id : i32
  %prime = arith.constant 16777619 : i32
  %v = cuda.load %x[%tid] : !tt.ptr<i32>, i32 -> i32
  %hash = arith.muli %v, %prime : i32
  cuda.store %hash, %x[%tid] : i32, !tt.ptr<i32>, i32
  cuda.return
}

// An address that is also stored as a value wraps.
// CHECK-LABEL: @both
// CHECK: %offset = arith.addi %tid, %n : i32
cuda.func @both(%x: !tt.ptr<i32>, %n: i32) attributes {num_warps = 1 : i32} {
  %tid = cuda.thread_id : i32
  %offset = arith.addi %tid, %n : i32
  cuda.store %offset, %x[%offset] : i32, !tt.ptr<i32>, i32
  cuda.return
}

// A comparison that is no mask may be the user's own test for overflow.
// CHECK-LABEL: @overflow_test
// CHECK: %sum = arith.addi %n, %m : i32
cuda.func @overflow_test(%x: !tt.ptr<i1>, %n: i32, %m: i32) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %sum = arith.addi %n, %m : i32
  %wrapped = arith.cmpi slt, %sum, %n : i32
  cuda.store %wrapped, %x[%zero] : i1, !tt.ptr<i1>, i32
  cuda.return
}

// What may make a valid index of a number that has wrapped keeps it from being marked.
// CHECK-LABEL: @table
// CHECK: %hash = arith.muli %n, %{{.*}} : i32
// CHECK: %start = arith.muli %n, %{{.*}} : i32
// CHECK: %index = arith.addi %entry, %clamped overflow<nsw>
cuda.func @table(%x: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %prime = arith.constant 16777619 : i32
  %size = arith.constant 97 : i32
  %zero = arith.constant 0 : i32
  %hash = arith.muli %n, %prime : i32
  %entry = arith.remsi %hash, %size : i32
  %start = arith.muli %n, %size : i32
  %clamped = arith.maxsi %start, %zero : i32
  %index = arith.addi %entry, %clamped : i32
  %v = cuda.load %x[%index] : !tt.ptr<f32>, i32 -> f32
  cuda.store %v, %x[%zero] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// A counter that only serves addresses is index arithmetic; one that is stored is not.
// CHECK-LABEL: @loop_over_addresses
// CHECK: scf.for
// CHECK-NOT: cuda.may_overflow
// CHECK-LABEL: @loop_over_numbers
// CHECK: cuda.may_overflow
cuda.func @loop_over_addresses(%x: !tt.ptr<f32>, %n: i32, %v: f32) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  scf.for %k = %zero to %n step %step : i32 {
    %i = arith.addi %k, %step : i32
    cuda.store %v, %x[%i] : f32, !tt.ptr<f32>, i32
    scf.yield
  } {cuda.may_overflow}
  cuda.return
}
cuda.func @loop_over_numbers(%x: !tt.ptr<i32>, %n: i32) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  scf.for %k = %zero to %n step %step : i32 {
    cuda.store %k, %x[%zero] : i32, !tt.ptr<i32>, i32
    scf.yield
  } {cuda.may_overflow}
  cuda.return
}

// A mask that no address is computed with: counts are marked, hashes are not.
// CHECK-LABEL: @masks
// CHECK: %left = arith.subi %n, %pid overflow<nsw>
// CHECK: %scaled = arith.muli %tid, %c32 overflow<nsw>
// CHECK: %hash = arith.muli %tid, %prime : i32
// CHECK: %product = arith.muli %tid, %n : i32
cuda.func @masks(%x: !tt.ptr<f32>, %n: i32, %v: f32) attributes {num_warps = 1 : i32} {
  %c32 = arith.constant 32 : i32
  %prime = arith.constant 16777619 : i32
  %tid = cuda.thread_id : i32
  %pid = cuda.block_id x : i32
  %left = arith.subi %n, %pid : i32
  %scaled = arith.muli %tid, %c32 : i32
  %in_left = arith.cmpi slt, %scaled, %left : i32
  cuda.store %v, %x[%tid] if %in_left : f32, !tt.ptr<f32>, i32
  %hash = arith.muli %tid, %prime : i32
  %in_hash = arith.cmpi slt, %hash, %n : i32
  cuda.store %v, %x[%tid] if %in_hash : f32, !tt.ptr<f32>, i32
  %product = arith.muli %tid, %n : i32
  %in_product = arith.cmpi slt, %product, %n : i32
  cuda.store %v, %x[%tid] if %in_product : f32, !tt.ptr<f32>, i32
  cuda.return
}
