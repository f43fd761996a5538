// RUN: mytriton-opt %s -p insert-barriers --split-input-file --verify-diagnostics

tt.func @exchange_where_threads_differ(%e: f32, %n: i32) {
  %a = ttg.local_alloc : !ttg.memdesc<64xf32>
  %tid = cuda.thread_id : i32
  %is_first = arith.cmpi slt, %tid, %n : i32
  scf.if %is_first {
    cuda.store %e, %a[%tid] : f32, !ttg.memdesc<64xf32>, i32
    // expected-error@+1 {{threads exchange data through shared memory where not all of them come}}
    %x = cuda.load %a[%n] : !ttg.memdesc<64xf32>, i32 -> f32
  }
  tt.return
}

// -----

tt.func @barrier_where_threads_differ(%e: f32, %n: i32) {
  %a = ttg.local_alloc : !ttg.memdesc<64xf32>
  %tid = cuda.thread_id : i32
  scf.for %i = %tid to %n step %n : i32 {
    cuda.store %e, %a[%i] : f32, !ttg.memdesc<64xf32>, i32
    // expected-error@+1 {{a barrier that not all threads of the block reach}}
    ttg.barrier
  }
  tt.return
}
