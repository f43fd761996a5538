// RUN: mytriton-opt %s -p inline-maps | filecheck %s

// Index arithmetic is computed where it is used, also in other registers' order.
// CHECK-LABEL: @indices
// CHECK-NOT: cuda.map 4
// CHECK: cuda.map 8
// CHECK: %[[ROW:.*]] = arith.divsi %r
// CHECK: %[[SCALED:.*]] = arith.muli %[[ROW]], %n
// CHECK: cuda.load %x[%[[SCALED]]]
cuda.func @indices(%x: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c2 = arith.constant 2 : i32
  %rows = cuda.map 4 -> !cuda.regs<4xi32> {
  ^bb0(%r: i32):
    %row = arith.muli %r, %n : i32
    cuda.yield %row : i32
  }
  %v = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %half = arith.divsi %r, %c2 : i32
    %row = cuda.get %rows[%half] : !cuda.regs<4xi32> -> i32
    %e = cuda.load %x[%row] : !tt.ptr<f32>, i32 -> f32
    cuda.yield %e : f32
  }
  cuda.map 8 {
  ^bb0(%r: i32):
    %e = cuda.get %v[%r] : !cuda.regs<8xf32> -> f32
    cuda.store %e, %x[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// A load and the arithmetic on it become one loop; the store stays in a loop of its own.
// CHECK-LABEL: @load_and_add
// CHECK: cuda.map 8 ->
// CHECK: cuda.load
// CHECK-NEXT: arith.addf
// CHECK: cuda.map 8 {
// CHECK: cuda.store
// CHECK-NOT: cuda.map
cuda.func @load_and_add(%x: !tt.ptr<f32>) attributes {num_warps = 1 : i32} {
  %v = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %e = cuda.load %x[%r] : !tt.ptr<f32>, i32 -> f32
    cuda.yield %e : f32
  }
  %w = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %e = cuda.get %v[%r] : !cuda.regs<8xf32> -> f32
    %s = arith.addf %e, %e : f32
    cuda.yield %s : f32
  }
  cuda.map 8 {
  ^bb0(%r: i32):
    %e = cuda.get %w[%r] : !cuda.regs<8xf32> -> f32
    cuda.store %e, %x[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// A store lies between the load and its use: the load stays where it is.
// CHECK-LABEL: @store_between
// CHECK: cuda.map 8 ->
// CHECK: cuda.load
// CHECK: cuda.map 8 {
// CHECK: cuda.store %z
// CHECK: cuda.map 8 {
// CHECK: arith.negf
// CHECK-NEXT: cuda.store
cuda.func @store_between(%x: !tt.ptr<f32>, %z: f32) attributes {num_warps = 1 : i32} {
  %v = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %e = cuda.load %x[%r] : !tt.ptr<f32>, i32 -> f32
    cuda.yield %e : f32
  }
  cuda.map 8 {
  ^bb0(%r: i32):
    cuda.store %z, %x[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  %w = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %e = cuda.get %v[%r] : !cuda.regs<8xf32> -> f32
    %n = arith.negf %e : f32
    cuda.yield %n : f32
  }
  cuda.map 8 {
  ^bb0(%r: i32):
    %e = cuda.get %w[%r] : !cuda.regs<8xf32> -> f32
    cuda.store %e, %x[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// Arithmetic on elements that is needed twice is done once.
// CHECK-LABEL: @needed_twice
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
cuda.func @needed_twice(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %s: f32) attributes {num_warps = 1 : i32} {
  %v = cuda.map 8 -> !cuda.regs<8xf32> {
  ^bb0(%r: i32):
    %e = math.exp %s : f32
    cuda.yield %e : f32
  }
  cuda.map 8 {
  ^bb0(%r: i32):
    %e = cuda.get %v[%r] : !cuda.regs<8xf32> -> f32
    cuda.store %e, %x[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.map 8 {
  ^bb0(%r: i32):
    %e = cuda.get %v[%r] : !cuda.regs<8xf32> -> f32
    cuda.store %e, %y[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// CHECK-LABEL: @splat
// CHECK-NOT: cuda.splat
// CHECK: cuda.store %s
cuda.func @splat(%x: !tt.ptr<f32>, %s: f32) attributes {num_warps = 1 : i32} {
  %v = cuda.splat %s : f32 -> !cuda.regs<8xf32>
  cuda.map 8 {
  ^bb0(%r: i32):
    %e = cuda.get %v[%r] : !cuda.regs<8xf32> -> f32
    cuda.store %e, %x[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// A vector is read from an array that stays.
// CHECK-LABEL: @vector
// CHECK: cuda.splat
// CHECK: cuda.get {{.*}} -> vector<4xf32>
cuda.func @vector(%x: !tt.ptr<f32>, %s: f32) attributes {num_warps = 1 : i32} {
  %v = cuda.splat %s : f32 -> !cuda.regs<8xf32>
  cuda.map 8 step 4 {
  ^bb0(%r: i32):
    %e = cuda.get %v[%r] : !cuda.regs<8xf32> -> vector<4xf32>
    cuda.store %e, %x[%r] : vector<4xf32>, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// A division by a number that is not known here is done once, not again in each turn of the loop.
// CHECK-LABEL: @division
// CHECK: %wrapped = cuda.map 8 -> !cuda.regs<8xi32>
// CHECK: arith.remsi
// CHECK: scf.for
// CHECK-NOT: arith.remsi
// CHECK: cuda.get %wrapped
cuda.func @division(%x: !tt.ptr<f32>, %n: i32, %v: f32) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %wrapped = cuda.map 8 -> !cuda.regs<8xi32> {
  ^bb0(%r: i32):
    %w = arith.remsi %r, %n : i32
    cuda.yield %w : i32
  }
  scf.for %k = %zero to %n step %one : i32 {
    cuda.map 8 {
    ^bb0(%r: i32):
      %i = cuda.get %wrapped[%r] : !cuda.regs<8xi32> -> i32
      cuda.store %v, %x[%i] : f32, !tt.ptr<f32>, i32
      cuda.yield
    }
    scf.yield
  }
  cuda.return
}

// A map that reads memory without need stays, with all that it reads.
// CHECK-LABEL: @volatile
// CHECK: cuda.map 8
// CHECK: %[[WIDE:.*]] = arith.extui
// CHECK: arith.remui %[[WIDE]],
// CHECK: cuda.load {{.*}}is_volatile
// CHECK-NOT: cuda.map
cuda.func @volatile(%x: !tt.ptr<i8>, %y: !tt.ptr<i32>) attributes {num_warps = 1 : i32} {
  %hundred = arith.constant 100 : i32
  %bytes = cuda.map 8 -> !cuda.regs<8xi8> {
  ^bb0(%r: i32):
    %b = cuda.load %x[%r] : !tt.ptr<i8>, i32 -> i8
    cuda.yield %b : i8
  }
  %rest = cuda.map 8 -> !cuda.regs<8xi32> {
  ^bb0(%r: i32):
    %b = cuda.get %bytes[%r] : !cuda.regs<8xi8> -> i8
    %wide = arith.extui %b : i8 to i32
    %i = arith.remui %wide, %hundred : i32
    cuda.yield %i : i32
  }
  %unused = cuda.map 8 -> !cuda.regs<8xi32> {
  ^bb0(%r: i32):
    %i = cuda.get %rest[%r] : !cuda.regs<8xi32> -> i32
    %v = cuda.load %y[%i] {is_volatile = true} : !tt.ptr<i32>, i32 -> i32
    cuda.yield %v : i32
  }
  cuda.return
}
