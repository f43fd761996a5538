// RUN: mytriton-opt %s -p dce | filecheck %s --check-prefix=DCE
// RUN: mytriton-opt %s -p cse | filecheck %s --check-prefix=CSE

// Loads whose value is not used go; volatile loads, stores and calls stay.
// DCE-LABEL: tt.func @unused
// DCE-NEXT: tt.load %p {isVolatile = true}
// DCE-NEXT: tt.store
// DCE-NEXT: tt.call
// DCE-NEXT: tt.return
tt.func private @callee() -> i32
tt.func @unused(%p: !tt.ptr<f32>, %v: f32, %t: tensor<8x8xf32>) {
  %0 = tt.get_program_id x : i32
  %1 = tt.get_num_programs y : i32
  %2 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %3 = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %4 = tt.addptr %3, %2 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %5 = tt.load %4 : tensor<8x!tt.ptr<f32>>
  %6 = tt.dot %t, %t, %t : tensor<8x8xf32> * tensor<8x8xf32> -> tensor<8x8xf32>
  %7 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<8x8xf32>) -> tensor<8xf32>
  %8 = tt.precise_sqrt %t : tensor<8x8xf32>
  %9 = tt.clampf %v, %v, %v, propagateNan = none : f32
  %10 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  tt.store %p, %v : !tt.ptr<f32>
  %11 = tt.call @callee() : () -> i32
  tt.return
}

// A load is done once as long as nothing is stored between; a volatile one is done every time.
// CSE-LABEL: tt.func @twice
// CSE-NEXT: %[[pid:.*]] = tt.get_program_id x
// CSE-NEXT: %[[first:.*]] = tt.load %p :
// CSE-NEXT: tt.store %p, %[[first]] :
// CSE-NEXT: %[[second:.*]] = tt.load %p :
// CSE-NEXT: %[[third:.*]] = tt.load %p {isVolatile = true} :
// CSE-NEXT: %[[fourth:.*]] = tt.load %p {isVolatile = true} :
// CSE-NEXT: %[[sum:.*]] = "tt.reduce"(%t)
// CSE-NOT: tt.reduce"
// CSE: tt.return %[[pid]], %[[pid]], %[[first]], %[[first]], %[[second]], %[[third]], %[[fourth]], %[[sum]], %[[sum]]
tt.func @twice(%p: !tt.ptr<f32>, %t: tensor<8xf32>) -> (i32, i32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = tt.get_program_id x : i32
  %1 = tt.get_program_id x : i32
  %2 = tt.load %p : !tt.ptr<f32>
  %3 = tt.load %p : !tt.ptr<f32>
  tt.store %p, %3 : !tt.ptr<f32>
  %4 = tt.load %p : !tt.ptr<f32>
  %5 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %6 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %7 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  %8 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  tt.return %0, %1, %2, %3, %4, %5, %6, %7, %8 : i32, i32, f32, f32, f32, f32, f32, f32, f32
}
