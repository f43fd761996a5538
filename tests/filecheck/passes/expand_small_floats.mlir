// RUN: mytriton-opt %s -p expand-small-floats | filecheck %s

// CHECK-LABEL: cuda.func @arithmetic
// CHECK-NEXT: %0 = arith.extf %a : f16 to f32
// CHECK-NEXT: %1 = arith.extf %b : f16 to f32
// CHECK-NEXT: %2 = arith.addf %0, %1 : f32
// CHECK-NEXT: %sum = arith.truncf %2 : f32 to f16
// CHECK-NEXT: %3 = arith.extf %sum : f16 to f32
// CHECK-NEXT: %4 = math.exp %3 : f32
// CHECK-NEXT: %exp = arith.truncf %4 : f32 to f16
// CHECK-NEXT: %5 = arith.extf %exp : f16 to f32
// CHECK-NEXT: %6 = arith.extf %a : f16 to f32
// CHECK-NEXT: %less = arith.cmpf olt, %5, %6 : f32
// CHECK-NEXT: %chosen = arith.select %less, %exp, %a : f16
// CHECK-NEXT: cuda.store %chosen
cuda.func @arithmetic(%a: f16, %b: f16, %p: !tt.ptr<f16>, %i: i32) attributes {num_warps = 1 : i32} {
  %sum = arith.addf %a, %b : f16
  %exp = math.exp %sum : f16
  %less = arith.cmpf olt, %exp, %a : f16
  %chosen = arith.select %less, %exp, %a : f16
  cuda.store %chosen, %p[%i] : f16, !tt.ptr<f16>, i32
  cuda.return
}

// Signs are bits.
// CHECK-LABEL: cuda.func @signs
// CHECK-NEXT: %0 = arith.bitcast %a : bf16 to i16
// CHECK-NEXT: %1 = arith.constant -32768 : i16
// CHECK-NEXT: %2 = arith.xori %0, %1 : i16
// CHECK-NEXT: %negative = arith.bitcast %2 : i16 to bf16
// CHECK-NEXT: %3 = arith.bitcast %negative : bf16 to i16
// CHECK-NEXT: %4 = arith.constant 32767 : i16
// CHECK-NEXT: %5 = arith.andi %3, %4 : i16
// CHECK-NEXT: %absolute = arith.bitcast %5 : i16 to bf16
cuda.func @signs(%a: bf16, %p: !tt.ptr<bf16>, %i: i32) attributes {num_warps = 1 : i32} {
  %negative = arith.negf %a : bf16
  %absolute = math.absf %negative : bf16
  cuda.store %absolute, %p[%i] : bf16, !tt.ptr<bf16>, i32
  cuda.return
}

// Each conversion rounds once.
// CHECK-LABEL: cuda.func @conversions
// CHECK-NEXT: %0 = arith.sitofp %i : i32 to f32
// CHECK-NEXT: %half = arith.truncf %0 : f32 to f16
// CHECK-NEXT: %1 = arith.uitofp %i : i32 to f64
// CHECK-NEXT: %brain = arith.truncf %1 : f64 to bf16
// CHECK-NEXT: %2 = arith.extf %half : f16 to f32
// CHECK-NEXT: %integer = arith.fptosi %2 : f32 to i32
// CHECK-NEXT: %3 = arith.extf %half : f16 to f32
// CHECK-NEXT: %cast = arith.truncf %3 : f32 to bf16
// CHECK-NEXT: %once = arith.truncf %d : f64 to bf16
// CHECK-NEXT: %wide = arith.extf %brain : bf16 to f64
cuda.func @conversions(%i: i32, %d: f64, %p: !tt.ptr<bf16>, %q: !tt.ptr<f64>) attributes {num_warps = 1 : i32} {
  %half = arith.sitofp %i : i32 to f16
  %brain = arith.uitofp %i : i32 to bf16
  %integer = arith.fptosi %half : f16 to i32
  %cast = tt.fp_to_fp %half, rounding = rtne : f16 -> bf16
  %once = tt.fp_to_fp %d, rounding = rtne : f64 -> bf16
  %wide = tt.fp_to_fp %brain : bf16 -> f64
  cuda.store %cast, %p[%integer] : bf16, !tt.ptr<bf16>, i32
  cuda.store %once, %p[%i] : bf16, !tt.ptr<bf16>, i32
  cuda.store %wide, %q[%i] : f64, !tt.ptr<f64>, i32
  cuda.return
}

// CHECK-LABEL: cuda.func @towards_zero
// CHECK-NEXT: %0 = arith.bitcast %x : f32 to i32
// CHECK-NEXT: %1 = arith.constant 16 : i32
// CHECK-NEXT: %2 = arith.shrui %0, %1 : i32
// CHECK-NEXT: %3 = arith.trunci %2 : i32 to i16
// CHECK-NEXT: %4 = arith.cmpf uno, %x, %x : f32
// CHECK-NEXT: %5 = arith.constant 32767 : i16
// CHECK-NEXT: %6 = arith.select %4, %5, %3 : i16
// CHECK-NEXT: %cut = arith.bitcast %6 : i16 to bf16
cuda.func @towards_zero(%x: f32, %p: !tt.ptr<bf16>, %i: i32) attributes {num_warps = 1 : i32} {
  %cut = tt.fp_to_fp %x, rounding = rtz : f32 -> bf16
  cuda.store %cut, %p[%i] : bf16, !tt.ptr<bf16>, i32
  cuda.return
}

// CHECK-LABEL: cuda.func @clamps
// CHECK-NEXT: %0 = arith.maxnumf %x, %low : f32
// CHECK-NEXT: %a = arith.minnumf %0, %high : f32
// CHECK-NEXT: %1 = arith.maximumf %a, %low : f32
// CHECK-NEXT: %b = arith.minimumf %1, %high : f32
cuda.func @clamps(%x: f32, %low: f32, %high: f32, %p: !tt.ptr<f32>, %i: i32) attributes {num_warps = 1 : i32} {
  %a = tt.clampf %x, %low, %high, propagateNan = none : f32
  %b = tt.clampf %a, %low, %high, propagateNan = all : f32
  cuda.store %b, %p[%i] : f32, !tt.ptr<f32>, i32
  cuda.return
}

// Tensors are treated like scalars.
// CHECK-LABEL: tt.func @tensors
// CHECK-NEXT: %0 = arith.extf %x : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT: %1 = arith.extf %x : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT: %2 = arith.mulf %0, %1 : tensor<4xf32>
// CHECK-NEXT: %square = arith.truncf %2 : tensor<4xf32> to tensor<4xf16>
tt.func @tensors(%x: tensor<4xf16>) -> tensor<4xf16> {
  %square = arith.mulf %x, %x : tensor<4xf16>
  tt.return %square : tensor<4xf16>
}

// Nothing to do.
// CHECK-LABEL: cuda.func @wide
// CHECK-NEXT: %sum = arith.addf %x, %x : f32
// CHECK-NEXT: %negative = arith.negf %y : f64
// CHECK-NEXT: cuda.store
cuda.func @wide(%x: f32, %y: f64, %p: !tt.ptr<f32>, %q: !tt.ptr<f64>, %i: i32) attributes {num_warps = 1 : i32} {
  %sum = arith.addf %x, %x : f32
  %negative = arith.negf %y : f64
  cuda.store %sum, %p[%i] : f32, !tt.ptr<f32>, i32
  cuda.store %negative, %q[%i] : f64, !tt.ptr<f64>, i32
  cuda.return
}

// Floats of 8 bits are small too; a change of sign is one of a bit only where there is a -0.0.
// CHECK-LABEL: cuda.func @eight_bits
// CHECK-NEXT: %[[wide:.*]] = arith.extf %x : f8E4M3FN to f32
// CHECK-NEXT: %[[half:.*]] = arith.truncf %[[wide]] : f32 to f16
// CHECK: arith.bitcast %x : f8E4M3FN to i8
// CHECK: arith.xori
// CHECK: %[[other:.*]] = arith.extf %y : f8E4M3FNUZ to f32
// CHECK-NEXT: %[[negative:.*]] = arith.negf %[[other]] : f32
// CHECK-NEXT: arith.truncf %[[negative]] : f32 to f8E4M3FNUZ
cuda.func @eight_bits(%x: f8E4M3FN, %y: f8E4M3FNUZ, %p: !tt.ptr<f16>, %q: !tt.ptr<f8E4M3FN>, %r: !tt.ptr<f8E4M3FNUZ>,
    %i: i32) attributes {num_warps = 1 : i32} {
  %half = tt.fp_to_fp %x : f8E4M3FN -> f16
  cuda.store %half, %p[%i] : f16, !tt.ptr<f16>, i32
  %a = arith.negf %x : f8E4M3FN
  cuda.store %a, %q[%i] : f8E4M3FN, !tt.ptr<f8E4M3FN>, i32
  %b = arith.negf %y : f8E4M3FNUZ
  cuda.store %b, %r[%i] : f8E4M3FNUZ, !tt.ptr<f8E4M3FNUZ>, i32
  cuda.return
}

// Towards zero: the nearest number, or the one before it where that is too large.
// CHECK-LABEL: cuda.func @half_towards_zero
// CHECK: %[[nearest:.*]] = arith.truncf %x : f32 to f16
// CHECK: %[[bits:.*]] = arith.bitcast %[[nearest]] : f16 to i16
// CHECK: %[[before:.*]] = arith.subi %[[bits]],
// CHECK: %[[beyond:.*]] = arith.cmpf ogt
// CHECK: %[[chosen:.*]] = arith.select %[[beyond]], %[[before]], %[[bits]]
// CHECK: arith.bitcast %[[chosen]] : i16 to f16
cuda.func @half_towards_zero(%x: f32, %p: !tt.ptr<f16>, %i: i32) attributes {num_warps = 1 : i32} {
  %cut = tt.fp_to_fp %x, rounding = rtz : f32 -> f16
  cuda.store %cut, %p[%i] : f16, !tt.ptr<f16>, i32
  cuda.return
}
