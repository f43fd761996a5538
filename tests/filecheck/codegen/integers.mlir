// RUN: mytriton-opt %s -t cuda | filecheck %s

// Additions, subtractions and products that are known not to wrap are plain; others go through unsigned.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) wrapping(
// CHECK-NEXT:     int *out, long long *wide, int a, int b, long long c)
// CHECK-NEXT: {
// CHECK-NEXT:     out[0] = a * b + 4;
// CHECK-NEXT:     out[0] = a * 4u + b;
// CHECK-NEXT:     int sum = a + (unsigned)b;
// CHECK-NEXT:     out[sum] = sum / 4;
// CHECK-NEXT:     out[0] = a - 3;
// CHECK-NEXT:     out[0] = a + 3u;
// CHECK-NEXT:     out[(int)(a + (unsigned)b)] = a;
// CHECK-NEXT:     wide[0] = c + (unsigned long long)c;
// CHECK-NEXT: }
cuda.func @wrapping(%out: !tt.ptr<i32>, %wide: !tt.ptr<i64>, %a: i32, %b: i32, %c: i64) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %minus = arith.constant -3 : i32
  %plain = arith.muli %a, %b overflow<nsw> : i32
  %plain_sum = arith.addi %plain, %c4 overflow<nsw> : i32
  cuda.store %plain_sum, %out[%c0] : i32, !tt.ptr<i32>, i32
  %wrapped = arith.muli %a, %c4 : i32
  %wrapped_sum = arith.addi %wrapped, %b : i32
  cuda.store %wrapped_sum, %out[%c0] : i32, !tt.ptr<i32>, i32
  %sum = arith.addi %a, %b : i32
  %half = arith.divsi %sum, %c4 : i32
  cuda.store %half, %out[%sum] : i32, !tt.ptr<i32>, i32
  %less = arith.addi %a, %minus overflow<nsw> : i32
  cuda.store %less, %out[%c0] : i32, !tt.ptr<i32>, i32
  %more = arith.subi %a, %minus : i32
  cuda.store %more, %out[%c0] : i32, !tt.ptr<i32>, i32
  %index = arith.addi %a, %b : i32
  cuda.store %a, %out[%index] : i32, !tt.ptr<i32>, i32
  %long = arith.addi %c, %c : i64
  cuda.store %long, %wide[%c0] : i64, !tt.ptr<i64>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) division(int *out, int a, int b) {
// CHECK-NEXT:     out[0] = a / 8 % 8;
// CHECK-NEXT:     out[0] = (unsigned)a / 8u;
// CHECK-NEXT:     out[0] = divide_s32(a, b);
// CHECK-NEXT:     out[0] = remainder_u32((unsigned)a, (unsigned)b);
// CHECK-NEXT:     out[0] = divide_s32(a, -1);
// CHECK-NEXT: }
cuda.func @division(%out: !tt.ptr<i32>, %a: i32, %b: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %minus = arith.constant -1 : i32
  %0 = arith.divsi %a, %c8 : i32
  %1 = arith.remsi %0, %c8 : i32
  cuda.store %1, %out[%c0] : i32, !tt.ptr<i32>, i32
  %2 = arith.divui %a, %c8 : i32
  cuda.store %2, %out[%c0] : i32, !tt.ptr<i32>, i32
  %3 = arith.divsi %a, %b : i32
  cuda.store %3, %out[%c0] : i32, !tt.ptr<i32>, i32
  %4 = arith.remui %a, %b : i32
  cuda.store %4, %out[%c0] : i32, !tt.ptr<i32>, i32
  %5 = arith.divsi %a, %minus : i32
  cuda.store %5, %out[%c0] : i32, !tt.ptr<i32>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) bits(int *out, int a, int b) {
// CHECK-NEXT:     out[0] = ((unsigned)a << 3) | b;
// CHECK-NEXT:     out[0] = ((unsigned)a >> 3) & (b >> 3);
// CHECK-NEXT:     out[0] = shift_right_s32(a, (unsigned)b);
// CHECK-NEXT:     out[0] = ~a;
// CHECK-NEXT:     out[0] = max((unsigned)min(a, b), 3u);
// CHECK-NEXT: }
cuda.func @bits(%out: !tt.ptr<i32>, %a: i32, %b: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %ones = arith.constant -1 : i32
  %0 = arith.shli %a, %c3 : i32
  %1 = arith.ori %0, %b : i32
  cuda.store %1, %out[%c0] : i32, !tt.ptr<i32>, i32
  %2 = arith.shrui %a, %c3 : i32
  %3 = arith.shrsi %b, %c3 : i32
  %4 = arith.andi %2, %3 : i32
  cuda.store %4, %out[%c0] : i32, !tt.ptr<i32>, i32
  %5 = arith.shrsi %a, %b : i32
  cuda.store %5, %out[%c0] : i32, !tt.ptr<i32>, i32
  %6 = arith.xori %a, %ones : i32
  cuda.store %6, %out[%c0] : i32, !tt.ptr<i32>, i32
  %7 = arith.minsi %a, %b : i32
  %8 = arith.maxui %7, %c3 : i32
  cuda.store %8, %out[%c0] : i32, !tt.ptr<i32>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) small(signed char *out, signed char a, signed char b) {
// CHECK-NEXT:     out[0] = (signed char)((signed char)(a + b) * b);
// CHECK-NEXT:     out[0] = (signed char)shift_right_u32((unsigned char)a, (unsigned char)b);
// CHECK-NEXT:     out[0] = (signed char)divide_u32((unsigned char)a, (unsigned char)b);
// CHECK-NEXT: }
cuda.func @small(%out: !tt.ptr<i8>, %a: i8, %b: i8) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = arith.addi %a, %b : i8
  %1 = arith.muli %0, %b : i8
  cuda.store %1, %out[%c0] : i8, !tt.ptr<i8>, i32
  %2 = arith.shrui %a, %b : i8
  cuda.store %2, %out[%c0] : i8, !tt.ptr<i8>, i32
  %3 = arith.divui %a, %b : i8
  cuda.store %3, %out[%c0] : i8, !tt.ptr<i8>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) booleans(bool *out, int a, int b, bool p) {
// CHECK-NEXT:     out[0] = (a < b && (unsigned)a < (unsigned)b) || p;
// CHECK-NEXT:     out[0] = !(a == b) != p;
// CHECK-NEXT: }
cuda.func @booleans(%out: !tt.ptr<i1>, %a: i32, %b: i32, %p: i1) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %less = arith.cmpi slt, %a, %b : i32
  %below = arith.cmpi ult, %a, %b : i32
  %both = arith.andi %less, %below : i1
  %any = arith.ori %both, %p : i1
  cuda.store %any, %out[%c0] : i1, !tt.ptr<i1>, i32
  %equal = arith.cmpi eq, %a, %b : i32
  %not = arith.xori %equal, %true : i1
  %differ = arith.xori %not, %p : i1
  cuda.store %differ, %out[%c0] : i1, !tt.ptr<i1>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) conversions(long long *out, int a, signed char b, bool p) {
// CHECK-NEXT:     long long index = (long long)a;
// CHECK-NEXT:     out[0] = index;
// CHECK-NEXT:     long long index_1 = (long long)(unsigned)a;
// CHECK-NEXT:     out[0] = index_1;
// CHECK-NEXT:     out[0] = (long long)(unsigned char)b;
// CHECK-NEXT:     out[0] = p ? -1LL : 0LL;
// CHECK-NEXT:     out[0] = (long long)(signed char)index;
// CHECK-NEXT:     out[0] = p ? index : index_1;
// CHECK-NEXT: }
cuda.func @conversions(%out: !tt.ptr<i64>, %a: i32, %b: i8, %p: i1) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = arith.extsi %a : i32 to i64
  cuda.store %0, %out[%c0] : i64, !tt.ptr<i64>, i32
  %1 = arith.extui %a : i32 to i64
  cuda.store %1, %out[%c0] : i64, !tt.ptr<i64>, i32
  %2 = arith.extui %b : i8 to i64
  cuda.store %2, %out[%c0] : i64, !tt.ptr<i64>, i32
  %3 = arith.extsi %p : i1 to i64
  cuda.store %3, %out[%c0] : i64, !tt.ptr<i64>, i32
  %4 = arith.trunci %0 : i64 to i8
  %5 = arith.extsi %4 : i8 to i64
  cuda.store %5, %out[%c0] : i64, !tt.ptr<i64>, i32
  %6 = arith.select %p, %0, %1 : i64
  cuda.store %6, %out[%c0] : i64, !tt.ptr<i64>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) literals(
// CHECK-NEXT:     int *out, long long *wide, signed char *byte, bool *flag)
// CHECK-NEXT: {
// CHECK-NEXT:     out[0] = -2147483647 - 1;
// CHECK-NEXT:     wide[0] = 9223372036854775807LL;
// CHECK-NEXT:     byte[0] = -128;
// CHECK-NEXT:     flag[0] = false;
// CHECK-NEXT: }
cuda.func @literals(%out: !tt.ptr<i32>, %wide: !tt.ptr<i64>, %byte: !tt.ptr<i8>, %flag: !tt.ptr<i1>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %0 = arith.constant -2147483648 : i32
  cuda.store %0, %out[%c0] : i32, !tt.ptr<i32>, i32
  %1 = arith.constant 9223372036854775807 : i64
  cuda.store %1, %wide[%c0] : i64, !tt.ptr<i64>, i32
  %2 = arith.constant -128 : i8
  cuda.store %2, %byte[%c0] : i8, !tt.ptr<i8>, i32
  %3 = arith.constant false
  cuda.store %3, %flag[%c0] : i1, !tt.ptr<i1>, i32
  cuda.return
}
