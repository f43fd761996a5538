// RUN: mytriton-opt %s -t cuda | filecheck %s

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) arrays(int i, int j) {
// CHECK-NEXT:     __shared__ __align__(16) float a_tile[64][16];
// CHECK-NEXT:     __shared__ __align__(128) bfloat16 b_tile[16];
// CHECK-NEXT:     __shared__ __align__(16) bool flags[4];
// CHECK-NEXT:     float x = a_tile[i][j];
// CHECK-NEXT:     __syncthreads();
// CHECK-NEXT:     a_tile[j][i] = x;
// CHECK-NEXT:     float4 v = *(const float4 *)&a_tile[i][j];
// CHECK-NEXT:     *(float4 *)&a_tile[j][i] = v;
// CHECK-NEXT:     bfloat16 y = b_tile[i];
// CHECK-NEXT:     b_tile[j] = y;
// CHECK-NEXT:     bool f = flags[i];
// CHECK-NEXT:     flags[j] = f;
// CHECK-NEXT: }
cuda.func @arrays(%i: i32, %j: i32) attributes {num_warps = 1 : i32} {
  %a_tile = cuda.shared_array "a_tile" : !cuda.shared<64x16xf32>
  %b_tile = cuda.shared_array "b_tile" {alignment = 128 : i32} : !cuda.shared<16xbf16>
  %flags = cuda.shared_array "flags" : !cuda.shared<4xi1>
  %x = cuda.load %a_tile[%i, %j] : !cuda.shared<64x16xf32>, i32, i32 -> f32
  cuda.barrier
  cuda.store %x, %a_tile[%j, %i] : f32, !cuda.shared<64x16xf32>, i32, i32
  %v = cuda.load %a_tile[%i, %j] : !cuda.shared<64x16xf32>, i32, i32 -> vector<4xf32>
  cuda.store %v, %a_tile[%j, %i] : vector<4xf32>, !cuda.shared<64x16xf32>, i32, i32
  %y = cuda.load %b_tile[%i] : !cuda.shared<16xbf16>, i32 -> bf16
  cuda.store %y, %b_tile[%j] : bf16, !cuda.shared<16xbf16>, i32
  %f = cuda.load %flags[%i] : !cuda.shared<4xi1>, i32 -> i1
  cuda.store %f, %flags[%j] : i1, !cuda.shared<4xi1>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) views(int i) {
// CHECK-NEXT:     __shared__ __align__(16) unsigned char pool[1024];
// CHECK-NEXT:     float (*rows)[4] = (float (*)[4])pool;
// CHECK-NEXT:     half (*cube)[3][4] = (half (*)[3][4])(pool + 128);
// CHECK-NEXT:     int *line = (int *)pool;
// CHECK-NEXT:     float x = rows[i][i];
// CHECK-NEXT:     rows[i][i] = x;
// CHECK-NEXT:     half y = cube[i][i][i];
// CHECK-NEXT:     cube[i][i][i] = y;
// CHECK-NEXT:     line[i] = i;
// CHECK-NEXT: }
cuda.func @views(%i: i32) attributes {num_warps = 1 : i32} {
  %pool = cuda.shared_array "pool" : !cuda.shared<1024xi8>
  %rows = cuda.shared_view %pool "rows" 0 : !cuda.shared<1024xi8> -> !cuda.shared<8x4xf32>
  %cube = cuda.shared_view %pool "cube" 128 : !cuda.shared<1024xi8> -> !cuda.shared<2x3x4xf16>
  %line = cuda.shared_view %pool "line" 0 : !cuda.shared<1024xi8> -> !cuda.shared<32xi32>
  %x = cuda.load %rows[%i, %i] : !cuda.shared<8x4xf32>, i32, i32 -> f32
  cuda.store %x, %rows[%i, %i] : f32, !cuda.shared<8x4xf32>, i32, i32
  %y = cuda.load %cube[%i, %i, %i] : !cuda.shared<2x3x4xf16>, i32, i32, i32 -> f16
  cuda.store %y, %cube[%i, %i, %i] : f16, !cuda.shared<2x3x4xf16>, i32, i32, i32
  cuda.store %i, %line[%i] : i32, !cuda.shared<32xi32>, i32
  cuda.return
}

// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) dynamic(int i) {
// CHECK-NEXT:     extern __shared__ __align__(16) unsigned char dynamic_shared[];
// CHECK-NEXT:     int *line = (int *)(dynamic_shared + 32768);
// CHECK-NEXT:     line[i] = i;
// CHECK-NEXT: }
cuda.func @dynamic(%i: i32) attributes {num_warps = 1 : i32} {
  %pool = cuda.shared_array "pool" {dynamic = true} : !cuda.shared<65536xi8>
  %line = cuda.shared_view %pool "line" 32768 : !cuda.shared<65536xi8> -> !cuda.shared<32xi32>
  cuda.store %i, %line[%i] : i32, !cuda.shared<32xi32>, i32
  cuda.return
}
