// RUN: mytriton-opt %s -t cuda | filecheck %s

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(128) empty() {
// CHECK-NEXT: }
cuda.func @empty() attributes {num_warps = 4 : i32} {
  cuda.return
}

// A pointer that is not stored through points to constant data, and so does what is computed from it.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(64) copy(const float *x_ptr, float *out_ptr, int n) {
// CHECK-NEXT:     int tid = threadIdx.x;
// CHECK-NEXT:     bool in_range = tid < n;
// CHECK-NEXT:     float x = in_range ? x_ptr[tid] : 0.0f;
// CHECK-NEXT:     if (in_range) out_ptr[tid] = x;
// CHECK-NEXT: }
cuda.func @copy(%x_ptr: !tt.ptr<f32> {cuda.const, tt.divisibility = 16 : i32}, %out_ptr: !tt.ptr<f32>, %n: i32) attributes {num_warps = 2 : i32} {
  %tid = cuda.thread_id : i32
  %in_range = arith.cmpi slt, %tid, %n : i32
  %x = cuda.load %x_ptr[%tid] if %in_range : !tt.ptr<f32>, i32 -> f32
  cuda.store %x, %out_ptr[%tid] if %in_range : f32, !tt.ptr<f32>, i32
  cuda.return
}

// Every scalar type; long lists of parameters go on lines of their own.
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(1024) types(
// CHECK-NEXT:     bool a, signed char b, short c, int d, long long e, half f, bfloat16 g, float h, double i, bool *j,
// CHECK-NEXT:     bfloat16 *k, short *l)
// CHECK-NEXT: {
// CHECK-NEXT: }
cuda.func @types(%a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16, %h: f32, %i: f64, %j: !tt.ptr<i1>, %k: !tt.ptr<bf16>, %l: !tt.ptr<i16>) attributes {num_warps = 32 : i32} {
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) grid(int *out) {
// CHECK-NEXT:     int tid = threadIdx.x;
// CHECK-NEXT:     int block_x = blockIdx.x;
// CHECK-NEXT:     int pid_n = blockIdx.y;
// CHECK-NEXT:     int block_z = blockIdx.z;
// CHECK-NEXT:     int num_x = gridDim.x;
// CHECK-NEXT:     int grid_y = gridDim.y;
// CHECK-NEXT:     out[block_x] = tid;
// CHECK-NEXT:     out[block_z] = pid_n;
// CHECK-NEXT:     out[grid_y] = num_x;
// CHECK-NEXT: }
cuda.func @grid(%out: !tt.ptr<i32>) attributes {num_warps = 1 : i32} {
  %0 = cuda.thread_id : i32
  %1 = cuda.block_id x : i32
  %pid_n = cuda.block_id y : i32
  %2 = cuda.block_id z : i32
  %num_x = cuda.grid_dim x : i32
  %3 = cuda.grid_dim y : i32
  cuda.store %0, %out[%1] : i32, !tt.ptr<i32>, i32
  cuda.store %pid_n, %out[%2] : i32, !tt.ptr<i32>, i32
  cuda.store %num_x, %out[%3] : i32, !tt.ptr<i32>, i32
  cuda.return
}
