// RUN: mytriton-opt %s | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | mytriton-opt | filecheck %s

// CHECK-LABEL: cuda.func @signature(%x: !tt.ptr<f32> {cuda.const}, %n: i32) attributes {num_warps = 4 : i32} {
// CHECK-NEXT: cuda.return
// CHECK-NEXT: }
cuda.func @signature(%x: !tt.ptr<f32> {cuda.const}, %n: i32) attributes {num_warps = 4 : i32} {
  cuda.return
}

// CHECK-LABEL: cuda.func @extra_attributes() attributes {num_warps = 8 : i32, tt.source_line = 3 : i32} {
cuda.func @extra_attributes() attributes {num_warps = 8 : i32, tt.source_line = 3 : i32} {
  cuda.return
}

// CHECK-LABEL: cuda.func @positions
// CHECK-NEXT: %tid = cuda.thread_id : i32
// CHECK-NEXT: %bx = cuda.block_id x : i32
// CHECK-NEXT: %by = cuda.block_id y : i32
// CHECK-NEXT: %bz = cuda.block_id z {note} : i32
// CHECK-NEXT: %gx = cuda.grid_dim x : i32
// CHECK-NEXT: %gy = cuda.grid_dim y : i32
// CHECK-NEXT: %gz = cuda.grid_dim z : i32
cuda.func @positions() attributes {num_warps = 1 : i32} {
  %tid = cuda.thread_id : i32
  %bx = cuda.block_id x : i32
  %by = cuda.block_id y : i32
  %bz = cuda.block_id z {note} : i32
  %gx = cuda.grid_dim x : i32
  %gy = cuda.grid_dim y : i32
  %gz = cuda.grid_dim z : i32
  cuda.return
}

// CHECK-LABEL: cuda.func @registers
// CHECK-NEXT: %zero = arith.constant 0 : i32
// CHECK-NEXT: %filled = cuda.splat %x : f32 -> !cuda.regs<8xf32>
// CHECK-NEXT: %doubled = cuda.map 8 -> !cuda.regs<8xf32> {
// CHECK-NEXT: ^bb0(%r: i32):
// CHECK-NEXT:   %e = cuda.get %filled[%r] : !cuda.regs<8xf32> -> f32
// CHECK-NEXT:   %s = arith.addf %e, %e : f32
// CHECK-NEXT:   cuda.yield %s : f32
// CHECK-NEXT: }
// CHECK-NEXT: %a, %b = cuda.map 8 step 4 -> !cuda.regs<8xf32>, !cuda.regs<8xf32> {
// CHECK-NEXT: ^bb0(%r_1: i32):
// CHECK-NEXT:   %v = cuda.get %doubled[%r_1] : !cuda.regs<8xf32> -> vector<4xf32>
// CHECK-NEXT:   cuda.yield %v, %v : vector<4xf32>, vector<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: cuda.map 2 attributes {note = "kept"} {
// CHECK-NEXT: ^bb0(%r_2: i32):
// CHECK-NEXT:   %e_1 = cuda.get %a[%r_2] : !cuda.regs<8xf32> -> f32
// CHECK-NEXT:   cuda.store %e_1, %p[%r_2] : f32, !tt.ptr<f32>, i32
// CHECK-NEXT:   cuda.yield
// CHECK-NEXT: }
cuda.func @registers(%x: f32, %p: !tt.ptr<f32>) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %filled = cuda.splat %x : f32 -> !cuda.regs<8xf32>
  %doubled = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %e = cuda.get %filled[%r] : !cuda.regs<8xf32> -> f32
    %s = arith.addf %e, %e : f32
    cuda.yield %s : f32
  }
  %a, %b = cuda.map 8 step 4 -> !cuda.regs<8xf32>, !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %v = cuda.get %doubled[%r] : !cuda.regs<8xf32> -> vector<4xf32>
    cuda.yield %v, %v : vector<4xf32>, vector<4xf32>
  }
  cuda.map 2 attributes {note = "kept"} {
  ^bb0(%r: i32):
    %e = cuda.get %a[%r] : !cuda.regs<8xf32> -> f32
    cuda.store %e, %p[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// CHECK-LABEL: cuda.func @accesses
// CHECK-NEXT: %0 = cuda.load %p[%i] : !tt.ptr<f32>, i32 -> f32
// CHECK-NEXT: %1 = cuda.load %p[%i] if %m : !tt.ptr<f32>, i32 -> f32
// CHECK-NEXT: %2 = cuda.load %p[%i] if %m else %x : f32 : !tt.ptr<f32>, i32 -> f32
// CHECK-NEXT: %3 = cuda.load %p[%j] {cache = "cg", is_volatile = true} : !tt.ptr<f32>, i64 -> f32
// CHECK-NEXT: %4 = cuda.load %p[%i] if %m : !tt.ptr<f32>, i32 -> vector<4xf32>
// CHECK-NEXT: cuda.store %x, %p[%i] : f32, !tt.ptr<f32>, i32
// CHECK-NEXT: cuda.store %4, %p[%i] if %m {cache = "wt"} : vector<4xf32>, !tt.ptr<f32>, i32
cuda.func @accesses(%p: !tt.ptr<f32>, %i: i32, %j: i64, %m: i1, %x: f32) attributes {num_warps = 1 : i32} {
  %0 = cuda.load %p[%i] : !tt.ptr<f32>, i32 -> f32
  %1 = cuda.load %p[%i] if %m : !tt.ptr<f32>, i32 -> f32
  %2 = cuda.load %p[%i] if %m else %x : f32 : !tt.ptr<f32>, i32 -> f32
  %3 = cuda.load %p[%j] {cache = "cg", is_volatile = true} : !tt.ptr<f32>, i64 -> f32
  %4 = cuda.load %p[%i] if %m : !tt.ptr<f32>, i32 -> vector<4xf32>
  cuda.store %x, %p[%i] : f32, !tt.ptr<f32>, i32
  cuda.store %4, %p[%i] if %m {cache = "wt"} : vector<4xf32>, !tt.ptr<f32>, i32
  cuda.return
}

// CHECK-LABEL: cuda.func @shared
// CHECK-NEXT: %tile = cuda.shared_array "tile" : !cuda.shared<64x16xf32>
// CHECK-NEXT: %pool = cuda.shared_array "pool" {alignment = 128 : i32, dynamic = true} : !cuda.shared<4096xi8>
// CHECK-NEXT: %view = cuda.shared_view %pool "view" 1024 : !cuda.shared<4096xi8> -> !cuda.shared<8x2x4xf16>
// CHECK-NEXT: %x = cuda.load %tile[%i, %i] : !cuda.shared<64x16xf32>, i32, i32 -> f32
// CHECK-NEXT: cuda.store %h, %view[%i, %i, %i] : f16, !cuda.shared<8x2x4xf16>, i32, i32, i32
// CHECK-NEXT: cuda.barrier
cuda.func @shared(%i: i32, %h: f16) attributes {num_warps = 1 : i32} {
  %tile = cuda.shared_array "tile" : !cuda.shared<64x16xf32>
  %pool = cuda.shared_array "pool" {alignment = 128 : i32, dynamic = true} : !cuda.shared<4096xi8>
  %view = cuda.shared_view %pool "view" 1024 : !cuda.shared<4096xi8> -> !cuda.shared<8x2x4xf16>
  %x = cuda.load %tile[%i, %i] : !cuda.shared<64x16xf32>, i32, i32 -> f32
  cuda.store %h, %view[%i, %i, %i] : f16, !cuda.shared<8x2x4xf16>, i32, i32, i32
  cuda.barrier
  cuda.return
}

// CHECK-LABEL: cuda.func @lanes
// CHECK-NEXT: %0 = cuda.shuffle_xor %x, %m : f32
// CHECK-NEXT: %z = cuda.shuffle %x, %m : f32
// CHECK-NEXT: %1 = cuda.butterfly %x masks [16, 8] : f32 -> f32 {
// CHECK-NEXT: ^bb0(%own: f32, %partner: f32):
// CHECK-NEXT:   %sum = arith.addf %own, %partner : f32
// CHECK-NEXT:   cuda.yield %sum : f32
// CHECK-NEXT: }
// CHECK-NEXT: %2, %3 = cuda.butterfly %x, %m masks [1] : f32, i32 -> f32, i32 {
cuda.func @lanes(%x: f32, %m: i32) attributes {num_warps = 1 : i32} {
  %0 = cuda.shuffle_xor %x, %m : f32
  %z = cuda.shuffle %x, %m : f32
  %1 = cuda.butterfly %x masks [16, 8] : f32 -> f32 {
  ^bb0(%own: f32, %partner: f32):
    %sum = arith.addf %own, %partner : f32
    cuda.yield %sum : f32
  }
  %2, %3 = cuda.butterfly %x, %m masks [1] : f32, i32 -> f32, i32 {
  ^bb0(%own_x: f32, %own_m: i32, %partner_x: f32, %partner_m: i32):
    cuda.yield %own_x, %partner_m : f32, i32
  }
  cuda.return
}

// CHECK-LABEL: cuda.func @pointers
// CHECK-NEXT: %0 = cuda.ptr_add %p, %i : !tt.ptr<f32>, i64
// CHECK-NEXT: %1 = cuda.ptr_cast %0 : !tt.ptr<f32> -> !tt.ptr<i8>
// CHECK-NEXT: %2 = cuda.ptr_to_int %1 : !tt.ptr<i8> -> i64
// CHECK-NEXT: %3 = cuda.int_to_ptr %2 : i64 -> !tt.ptr<f64>
cuda.func @pointers(%p: !tt.ptr<f32>, %i: i64) attributes {num_warps = 1 : i32} {
  %0 = cuda.ptr_add %p, %i : !tt.ptr<f32>, i64
  %1 = cuda.ptr_cast %0 : !tt.ptr<f32> -> !tt.ptr<i8>
  %2 = cuda.ptr_to_int %1 : !tt.ptr<i8> -> i64
  %3 = cuda.int_to_ptr %2 : i64 -> !tt.ptr<f64>
  cuda.return
}

// CHECK-LABEL: cuda.func @precise
// CHECK-NEXT: %0 = cuda.precise_div %x, %x : f32
// CHECK-NEXT: %1 = cuda.precise_sqrt %x : f32
// CHECK-NEXT: %2 = cuda.mulhiui %i, %i : i64
cuda.func @precise(%x: f32, %i: i64) attributes {num_warps = 1 : i32} {
  %0 = cuda.precise_div %x, %x : f32
  %1 = cuda.precise_sqrt %x : f32
  %2 = cuda.mulhiui %i, %i : i64
  cuda.return
}

// CHECK-LABEL: cuda.func @reports
// CHECK-NEXT: cuda.report %n if %m {sink = 0 : i32}
// CHECK-NEXT: cuda.report %n if %m at %p : !tt.ptr<f32> {sink = 1 : i32}
cuda.func @reports(%n: i32, %m: i1, %p: !tt.ptr<f32>) attributes {num_warps = 1 : i32} {
  cuda.report %n if %m {sink = 0 : i32}
  cuda.report %n if %m at %p : !tt.ptr<f32> {sink = 1 : i32}
  cuda.return
}
