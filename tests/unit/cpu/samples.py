"""CUDA C texts in the manner of the printed ones, with what must be known of each kernel."""

from __future__ import annotations

from mytriton.runtime.cpu import KernelMetadata

VECTOR_ADD = r"""
extern "C" __global__ void __launch_bounds__(128)
vector_add(float *x, float *y, float *out, int n) {
    const int tid = threadIdx.x;
    const int start = blockIdx.x * 1024;
    float4 a[2];
    float4 b[2];
    if (start + 1024 <= n) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            a[r] = *reinterpret_cast<const float4 *>(&x[start + r * 512 + tid * 4]);
            b[r] = *reinterpret_cast<const float4 *>(&y[start + r * 512 + tid * 4]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            *reinterpret_cast<float4 *>(&out[start + r * 512 + tid * 4]) =
                make_float4(a[r].x + b[r].x, a[r].y + b[r].y, a[r].z + b[r].z, a[r].w + b[r].w);
        }
    } else {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            const int offset = start + r * 128 + tid;
            if (offset < n) out[offset] = x[offset] + y[offset];
        }
    }
}
"""
VECTOR_ADD_KERNEL = KernelMetadata(
    "vector_add", [("x", "float *"), ("y", "float *"), ("out", "float *"), ("n", "int")], num_warps=4
)

# The narrow form: one register array for each tile, a mask for each element.
VECTOR_ADD_MASKED = r"""
extern "C" __global__ void __launch_bounds__(128)
vector_add(float *x, float *y, float *out, int n) {
    const int tid = threadIdx.x;
    const int start = (int)blockIdx.x * 1024;
    int offsets[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        offsets[r] = start + ((tid & 127) * 4 + (r & 3) + (r / 4) * 512);
    }
    bool mask[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        mask[r] = offsets[r] < n;
    }
    float a[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        a[r] = mask[r] ? x[offsets[r]] : 0.0f;
    }
    float b[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        b[r] = mask[r] ? y[offsets[r]] : 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (mask[r]) out[offsets[r]] = a[r] + b[r];
    }
}
"""

SOFTMAX = r"""
extern "C" __global__ void __launch_bounds__(128)
softmax(float *x, float *out, int columns) {
    __shared__ __align__(16) float scratch[4];
    const int tid = threadIdx.x;
    const int row = blockIdx.x;
    float value[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int column = r * 128 + tid;
        value[r] = column < columns ? x[row * columns + column] : -__int_as_float(0x7f800000);
    }
    float maximum = value[0];
    #pragma unroll
    for (int r = 1; r < 8; ++r) {
        maximum = fmaxf(maximum, value[r]);
    }
    #pragma unroll
    for (int m = 16; m > 0; m /= 2) {
        maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffff, maximum, m));
    }
    if (tid % 32 == 0) scratch[tid / 32] = maximum;
    __syncthreads();
    maximum = fmaxf(fmaxf(scratch[0], scratch[1]), fmaxf(scratch[2], scratch[3]));
    __syncthreads();
    float sum = 0.0f;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        value[r] = expf(value[r] - maximum);
        sum += value[r];
    }
    #pragma unroll
    for (int m = 16; m > 0; m /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, m);
    }
    if (tid % 32 == 0) scratch[tid / 32] = sum;
    __syncthreads();
    sum = (scratch[0] + scratch[1]) + (scratch[2] + scratch[3]);
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int column = r * 128 + tid;
        if (column < columns) out[row * columns + column] = value[r] / sum;
    }
}
"""
SOFTMAX_KERNEL = KernelMetadata("softmax", [("x", "float *"), ("out", "float *"), ("columns", "int")], num_warps=4)

# Tiles of 64x64x16 by 128 threads; each thread has 4 rows and 8 columns of the result.
SGEMM = r"""
extern "C" __global__ void __launch_bounds__(128)
sgemm(float *a, float *b, float *c, int M, int N, int K) {
    __shared__ __align__(16) float a_tile[64][16];
    __shared__ __align__(16) float b_tile[16][64];
    const int tid = threadIdx.x;
    const int first_row = blockIdx.x * 64;
    const int first_column = blockIdx.y * 64;
    const int thread_row = tid / 8 * 4;
    const int thread_column = tid % 8 * 8;
    float acc[4][8];
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            acc[i][j] = 0.0f;
        }
    }
    for (int k = 0; k < K; k += 16) {
        #pragma unroll
        for (int i = tid; i < 1024; i += 128) {
            const int row = i / 16;
            const int column = i % 16;
            a_tile[row][column] =
                first_row + row < M && k + column < K ? a[(first_row + row) * K + k + column] : 0.0f;
        }
        #pragma unroll
        for (int i = tid; i < 1024; i += 128) {
            const int row = i / 64;
            const int column = i % 64;
            b_tile[row][column] =
                k + row < K && first_column + column < N ? b[(k + row) * N + first_column + column] : 0.0f;
        }
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < 16; ++kk) {
            float lhs[4];
            float rhs[8];
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                lhs[i] = a_tile[thread_row + i][kk];
            }
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                rhs[j] = b_tile[kk][thread_column + j];
            }
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    acc[i][j] = fmaf(lhs[i], rhs[j], acc[i][j]);
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = first_row + thread_row + i;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int column = first_column + thread_column + j;
            if (row < M && column < N) c[row * N + column] = acc[i][j];
        }
    }
}
"""
SGEMM_KERNEL = KernelMetadata(
    "sgemm",
    [("a", "float *"), ("b", "float *"), ("c", "float *"), ("M", "int"), ("N", "int"), ("K", "int")],
    num_warps=4,
)

ALL = [VECTOR_ADD, VECTOR_ADD_MASKED, SOFTMAX, SGEMM]
NAMES = ["vector_add", "vector_add_masked", "softmax", "sgemm"]
