// RUN: mytriton-opt %s -p insert-barriers | filecheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// After the copies and before the reads; and before the next iteration overwrites what is still being read.
// CHECK-LABEL: @staged_dot
// CHECK-NOT: ttg.barrier
// CHECK: scf.for
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.copy_tile %ta, %a
// CHECK-NEXT: ttg.copy_tile %tb, %b
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.dot %a, %b
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func @staged_dot(%ta: !ttg.global_tile<4x16xf32>, %tb: !ttg.global_tile<16x8xf32>, %c: tensor<4x8xf32>, %n: i32) -> tensor<4x8xf32> {
  %a = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<4x16xf32>
  %b = ttg.local_alloc {offset = 256 : i32} : !ttg.memdesc<16x8xf32>
  %sum = scf.for %i = %n to %n step %n iter_args(%acc = %c) -> (tensor<4x8xf32>) : i32 {
    ttg.copy_tile %ta, %a : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
    ttg.copy_tile %tb, %b : !ttg.global_tile<16x8xf32> -> !ttg.memdesc<16x8xf32>
    %d = ttg.dot %a, %b, %acc : !ttg.memdesc<4x16xf32> * !ttg.memdesc<16x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    scf.yield %d : tensor<4x8xf32>
  }
  tt.return %sum : tensor<4x8xf32>
}

// What is written before a loop and only read in it: one barrier, before the loop.
// CHECK-LABEL: @written_before_the_loop
// CHECK: ttg.local_store
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: ttg.barrier
tt.func @written_before_the_loop(%x: tensor<16x16xf32>, %n: i32) {
  %a = ttg.local_alloc : !ttg.memdesc<16x16xf32>
  ttg.local_store %x, %a : tensor<16x16xf32> -> !ttg.memdesc<16x16xf32>
  scf.for %i = %n to %n step %n : i32 {
    %y = ttg.local_load %a : !ttg.memdesc<16x16xf32> -> tensor<16x16xf32>
  }
  tt.return
}

// Buffers that share bytes wait for each other; buffers side by side do not.
// CHECK-LABEL: @shared_bytes
// CHECK: ttg.local_store %x, %a
// CHECK-NEXT: ttg.local_store %x, %beside
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.local_load %a
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.local_store %x, %over
// CHECK-NOT: ttg.barrier
tt.func @shared_bytes(%x: tensor<16xf32>) {
  %a = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<16xf32>
  %beside = ttg.local_alloc {offset = 64 : i32} : !ttg.memdesc<16xf32>
  %over = ttg.local_alloc {offset = 48 : i32} : !ttg.memdesc<16xf32>
  ttg.local_store %x, %a : tensor<16xf32> -> !ttg.memdesc<16xf32>
  ttg.local_store %x, %beside : tensor<16xf32> -> !ttg.memdesc<16xf32>
  %y = ttg.local_load %a : !ttg.memdesc<16xf32> -> tensor<16xf32>
  ttg.local_store %x, %over : tensor<16xf32> -> !ttg.memdesc<16xf32>
  tt.return
}

// A loop whose trips differ from thread to thread is one access: the barrier stands after it, not in it.
// CHECK-LABEL: @divergent
// CHECK: scf.for
// CHECK-NOT: ttg.barrier
// CHECK: }
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.local_load
tt.func @divergent(%n: i32, %step: i32, %e: f32) {
  %a = ttg.local_alloc : !ttg.memdesc<64xf32>
  %tid = cuda.thread_id : i32
  scf.for %i = %tid to %n step %step : i32 {
    cuda.store %e, %a[%i] : f32, !ttg.memdesc<64xf32>, i32
  }
  %y = ttg.local_load %a : !ttg.memdesc<64xf32> -> tensor<64xf32>
  tt.return
}

// All threads take the same branch of a condition on a scalar: a barrier may stand there.
// CHECK-LABEL: @uniform_branch
// CHECK: scf.if
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.local_load
// CHECK: } else {
// CHECK-NOT: ttg.barrier
// CHECK: }
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.local_store
tt.func @uniform_branch(%x: tensor<16xf32>, %condition: i1) {
  %a = ttg.local_alloc : !ttg.memdesc<16xf32>
  ttg.local_store %x, %a : tensor<16xf32> -> !ttg.memdesc<16xf32>
  %r = scf.if %condition -> (tensor<16xf32>) {
    %y = ttg.local_load %a : !ttg.memdesc<16xf32> -> tensor<16xf32>
    scf.yield %y : tensor<16xf32>
  } else {
    scf.yield %x : tensor<16xf32>
  }
  ttg.local_store %r, %a : tensor<16xf32> -> !ttg.memdesc<16xf32>
  tt.return
}

// Nothing to do: only reads, a barrier that is already there, and no shared memory at all.
// CHECK-LABEL: @reads
// CHECK-NOT: ttg.barrier
tt.func @reads() {
  %a = ttg.local_alloc : !ttg.memdesc<16xf32>
  %y = ttg.local_load %a : !ttg.memdesc<16xf32> -> tensor<16xf32>
  %z = ttg.local_load %a : !ttg.memdesc<16xf32> -> tensor<16xf32>
  tt.return
}

// CHECK-LABEL: @has_a_barrier
// CHECK: ttg.local_store
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: ttg.local_load
// CHECK-NOT: ttg.barrier
tt.func @has_a_barrier(%x: tensor<16xf32>) {
  %a = ttg.local_alloc : !ttg.memdesc<16xf32>
  ttg.local_store %x, %a : tensor<16xf32> -> !ttg.memdesc<16xf32>
  ttg.barrier
  %y = ttg.local_load %a : !ttg.memdesc<16xf32> -> tensor<16xf32>
  tt.return
}

// CHECK-LABEL: @no_shared_memory
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.return
tt.func @no_shared_memory(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %x = tt.load %p : !tt.ptr<f32>
  tt.store %q, %x : !tt.ptr<f32>
  tt.return
}

// All threads load the scalar before one of them stores over it.
// CHECK-LABEL: @counter
// CHECK-NEXT: tt.load
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.store
tt.func @counter(%p: !tt.ptr<f32>) {
  %x = tt.load %p : !tt.ptr<f32>
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}

// Each thread stores the elements that it has loaded.
// CHECK-LABEL: @in_place
// CHECK-NOT: barrier
// CHECK: tt.return
tt.func @in_place(%p: !tt.ptr<f32>) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
  %a = tt.addptr %base, %range : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
  %x = tt.load %a : tensor<128x!tt.ptr<f32>, #line>
  tt.store %a, %x : tensor<128x!tt.ptr<f32>, #line>
  tt.return
}

// Where two elements may have one address, a thread may store what another has yet to load.
// CHECK-LABEL: @repeated_in_place
// CHECK: tt.load
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.store
tt.func @repeated_in_place(%p: tensor<128x!tt.ptr<f32>, #line>) {
  %x = tt.load %p : tensor<128x!tt.ptr<f32>, #line>
  tt.store %p, %x : tensor<128x!tt.ptr<f32>, #line>
  tt.return
}

// Each thread stores elements that others load.
// CHECK-LABEL: @shifted
// CHECK: tt.load
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.store
tt.func @shifted(%p: !tt.ptr<f32>, %i: tensor<128xi32, #line>, %j: tensor<128xi32, #line>) {
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
  %a = tt.addptr %s, %i : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
  %b = tt.addptr %s, %j : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
  %x = tt.load %a : tensor<128x!tt.ptr<f32>, #line>
  tt.store %b, %x : tensor<128x!tt.ptr<f32>, #line>
  tt.return
}

// In the next turn the same expression is another address.
// CHECK-LABEL: @in_place_in_a_loop
// CHECK: scf.for
// CHECK: tt.addptr
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.store
tt.func @in_place_in_a_loop(%q: !tt.ptr<f32>, %n: i32) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>
  %base = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
  %p = tt.addptr %base, %range : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    %o = tt.splat %k : i32 -> tensor<128xi32, #line>
    %a = tt.addptr %p, %o : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>, #line>
    tt.store %a, %x : tensor<128x!tt.ptr<f32>, #line>
    scf.yield
  }
  tt.return
}

// Two parameters: whether they reach the same memory is the caller's affair.
// CHECK-LABEL: @two_pointers_in_a_loop
// CHECK-NOT: barrier
// CHECK: tt.return
tt.func @two_pointers_in_a_loop(%p: tensor<128x!tt.ptr<f32>, #line>, %q: tensor<128x!tt.ptr<f32>, #line>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    %x = tt.load %p : tensor<128x!tt.ptr<f32>, #line>
    tt.store %q, %x : tensor<128x!tt.ptr<f32>, #line>
    scf.yield
  }
  tt.return
}

// The layouts differ, so that an element is not stored by one thread: the later store wins all the same.
// CHECK-LABEL: @stored_in_two_layouts
// CHECK: tt.store
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.store
tt.func @stored_in_two_layouts(%p: !tt.ptr<f32>, %x: tensor<128xf32, #line>, %y: tensor<128xf32, #pairs>) {
  %a = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #pairs>
  tt.store %a, %x : tensor<128x!tt.ptr<f32>, #line>
  tt.store %b, %y : tensor<128x!tt.ptr<f32>, #pairs>
  tt.return
}

// In one layout a thread stores the elements in its own order.
// CHECK-LABEL: @stored_in_one_layout
// CHECK-NOT: barrier
// CHECK: tt.return
tt.func @stored_in_one_layout(%p: !tt.ptr<f32>, %x: tensor<128xf32, #line>, %y: tensor<128xf32, #line>) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
  %a = tt.addptr %base, %range : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
  tt.store %a, %x : tensor<128x!tt.ptr<f32>, #line>
  tt.store %a, %y : tensor<128x!tt.ptr<f32>, #line>
  tt.return
}

// Unless two elements may have one address: the later store wins there, too.
// CHECK-LABEL: @stored_at_repeated_addresses
// CHECK: tt.store
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.store
tt.func @stored_at_repeated_addresses(%p: tensor<128x!tt.ptr<f32>, #line>, %x: tensor<128xf32, #line>, %y: tensor<128xf32, #line>) {
  tt.store %p, %x : tensor<128x!tt.ptr<f32>, #line>
  tt.store %p, %y : tensor<128x!tt.ptr<f32>, #line>
  tt.return
}

// A pointer that a loop carries comes from what the loop began with.
// CHECK-LABEL: @carried
// CHECK: scf.while
// CHECK: ttg.barrier
// CHECK-NEXT: tt.load
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.store
// CHECK-NOT: barrier
// CHECK: tt.return
tt.func @carried(%p: !tt.ptr<f32>, %c: i1, %o: tensor<128xi32, #line>) {
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
  %end = scf.while (%a = %base) : (tensor<128x!tt.ptr<f32>, #line>) -> tensor<128x!tt.ptr<f32>, #line> {
    scf.condition(%c) %a : tensor<128x!tt.ptr<f32>, #line>
  } do {
  ^bb0(%a: tensor<128x!tt.ptr<f32>, #line>):
    %b = tt.addptr %base, %o : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>, #line>
    tt.store %b, %x : tensor<128x!tt.ptr<f32>, #line>
    scf.yield %b : tensor<128x!tt.ptr<f32>, #line>
  }
  tt.return
}

// In a kernel at the `cuda` level it is cuda.barrier.
// CHECK-LABEL: @kernel
// CHECK: cuda.store
// CHECK-NEXT: cuda.barrier
// CHECK-NEXT: cuda.load
// CHECK-NEXT: cuda.barrier
// CHECK-NEXT: cuda.store
// CHECK-NOT: barrier
cuda.func @kernel(%e: f32, %i: i32) attributes {num_warps = 4 : i32} {
  %pool = cuda.shared_array "pool" : !cuda.shared<512xi8>
  %a = cuda.shared_view %pool "a" 0 : !cuda.shared<512xi8> -> !cuda.shared<64xf32>
  %b = cuda.shared_view %pool "b" 128 : !cuda.shared<512xi8> -> !cuda.shared<64xf32>
  cuda.store %e, %a[%i] : f32, !cuda.shared<64xf32>, i32
  %x = cuda.load %a[%i] : !cuda.shared<64xf32>, i32 -> f32
  cuda.store %x, %b[%i] : f32, !cuda.shared<64xf32>, i32
  cuda.return
}
