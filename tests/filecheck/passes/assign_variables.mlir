// RUN: mytriton-opt %s -p assign-variables | filecheck %s
// RUN: mytriton-opt %s -p assign-variables,assign-variables | filecheck %s

// Values that are used once are written where they are used; dead ones vanish.
// CHECK-LABEL: cuda.func @scalars
// CHECK-SAME: cuda.args = ["p", "n", "x"]
// CHECK-SAME: cuda.assigned
// CHECK-NEXT: %c1 = arith.constant 1 : i32
// CHECK-NEXT: %tid = cuda.thread_id {cuda.declares = ["tid"], cuda.vars = ["tid"]} : i32
// CHECK-NEXT: %once = arith.addi %n, %c1 : i32
// CHECK-NEXT: %twice = arith.muli %once, %tid {cuda.declares = ["twice"], cuda.vars = ["twice"]} : i32
// CHECK-NEXT: %value = cuda.load %p[%twice] {cuda.declares = ["value"], cuda.vars = ["value"]} : !tt.ptr<f32>, i32 -> f32
// CHECK-NEXT: %sum = arith.addf %value, %x : f32
// CHECK-NEXT: cuda.store %sum, %p[%twice] : f32, !tt.ptr<f32>, i32
// CHECK-NEXT: cuda.return
cuda.func @scalars(%p: !tt.ptr<f32>, %n: i32, %x: f32) attributes {num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %tid = cuda.thread_id : i32
  %once = arith.addi %n, %c1 : i32
  %twice = arith.muli %once, %tid : i32
  %dead = arith.subi %twice, %n : i32
  %value = cuda.load %p[%twice] : !tt.ptr<f32>, i32 -> f32
  %sum = arith.addf %value, %x : f32
  cuda.store %sum, %p[%twice] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// One variable for an array from its start to the result of the loop.
// CHECK-LABEL: cuda.func @accumulate
// CHECK: cuda.splat %zero {cuda.declares = ["acc"], cuda.vars = ["acc"], cuda.args = ["r"]} : f32 -> !cuda.regs<4xf32>
// CHECK: %x = cuda.load %p[%k] {cuda.declares = ["x"], cuda.vars = ["x"]}
// CHECK: %acc_out = cuda.map 4 attributes {cuda.vars = ["acc"], cuda.args = ["r"]} -> !cuda.regs<4xf32> {
// CHECK: scf.yield %acc_out : !cuda.regs<4xf32>
// CHECK: } {cuda.vars = ["acc"], cuda.args = ["k"]}
cuda.func @accumulate(%p: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %zeros = cuda.splat %zero : f32 -> !cuda.regs<4xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%acc_in = %zeros) -> (!cuda.regs<4xf32>) : i32 {
    %x = cuda.load %p[%k] : !tt.ptr<f32>, i32 -> f32
    %acc_out = cuda.map 4 -> !cuda.regs<4xf32> {
    ^bb0(%r: i32):
      %e = cuda.get %acc_in[%r] : !cuda.regs<4xf32> -> f32
      %s = arith.addf %e, %x : f32
      cuda.yield %s : f32
    }
    scf.yield %acc_out : !cuda.regs<4xf32>
  }
  cuda.map 4 {
  ^bb0(%r: i32):
    %e = cuda.get %acc[%r] : !cuda.regs<4xf32> -> f32
    cuda.store %e, %p[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// The start is still needed after the loop, and both values change places in it.
// CHECK-LABEL: cuda.func @swap
// CHECK: %a = cuda.map 4 attributes {cuda.declares = ["a"], cuda.vars = ["a"], cuda.args = ["r"]}
// CHECK: %b = cuda.map 4 step 2 attributes {cuda.declares = ["y"], cuda.aligned = ["y"], cuda.vars = ["y"], cuda.args = ["r"]}
// CHECK: scf.yield {cuda.temps = ["", "y_next"]} %q, %p : !cuda.regs<4xf32>, !cuda.regs<4xf32>
// CHECK: } {cuda.declares = ["x"], cuda.vars = ["x", "y"], cuda.args = ["i"]}
cuda.func @swap(%in: !tt.ptr<f32> {cuda.const}, %out: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cuda.map 4 -> !cuda.regs<4xf32> {
  ^bb0(%r: i32):
    %e = cuda.load %in[%r] : !tt.ptr<f32>, i32 -> f32
    cuda.yield %e : f32
  }
  %b = cuda.map 4 step 2 -> !cuda.regs<4xf32> {
  ^bb0(%r: i32):
    %e = cuda.load %in[%r] : !tt.ptr<f32>, i32 -> vector<2xf32>
    cuda.yield %e : vector<2xf32>
  }
  %x, %y = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (!cuda.regs<4xf32>, !cuda.regs<4xf32>) : i32 {
    scf.yield %q, %p : !cuda.regs<4xf32>, !cuda.regs<4xf32>
  }
  cuda.map 4 {
  ^bb0(%r: i32):
    %e = cuda.get %x[%r] : !cuda.regs<4xf32> -> f32
    %f = cuda.get %y[%r] : !cuda.regs<4xf32> -> f32
    %g = cuda.get %a[%r] : !cuda.regs<4xf32> -> f32
    %h = arith.addf %e, %f : f32
    %sum = arith.addf %h, %g : f32
    cuda.store %sum, %out[%r] : f32, !tt.ptr<f32>, i32
    cuda.yield
  }
  cuda.return
}

// A pointer that comes from a constant one points to constant data as well.
// CHECK-LABEL: cuda.func @constant_pointers
// CHECK: %row = cuda.ptr_add %in, %n {cuda.declares = ["row"], cuda.constant = ["row"], cuda.vars = ["row"]}
// CHECK: %other = cuda.ptr_add %out, %n {cuda.declares = ["other"], cuda.vars = ["other"]}
// CHECK: } {cuda.declares = ["at"], cuda.constant = ["at"], cuda.vars = ["at"], cuda.args = ["i"]}
cuda.func @constant_pointers(%in: !tt.ptr<f32> {cuda.const}, %out: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %row = cuda.ptr_add %in, %n : !tt.ptr<f32>, i32
  %other = cuda.ptr_add %out, %n : !tt.ptr<f32>, i32
  %at = scf.for %i = %c0 to %n step %c1 iter_args(%p = %row) -> (!tt.ptr<f32>) : i32 {
    %x = cuda.load %p[%n] : !tt.ptr<f32>, i32 -> f32
    %y = cuda.load %row[%n] : !tt.ptr<f32>, i32 -> f32
    %sum = arith.addf %x, %y : f32
    cuda.store %sum, %other[%c0] : f32, !tt.ptr<f32>, i32
    cuda.store %sum, %other[%c1] : f32, !tt.ptr<f32>, i32
    %next = cuda.ptr_add %p, %n : !tt.ptr<f32>, i32
    scf.yield %next : !tt.ptr<f32>
  }
  %z = cuda.load %at[%c0] : !tt.ptr<f32>, i32 -> f32
  cuda.store %z, %out[%c0] : f32, !tt.ptr<f32>, i32
  cuda.return
}
