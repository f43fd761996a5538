"""Blocks: their place in the grid, their shared memory, and how many run at the same time."""

from __future__ import annotations

import numpy as np
import pytest

from mytriton.runtime import nvrtc
from tests.unit.cpu.running import compile_body, kernel_text, launch


@pytest.mark.parametrize("grid", [(5,), (3, 4), (2, 3, 4), (1, 1, 7), (1000, 3)])
@pytest.mark.parametrize("workers", [1, 2, None])
def test_grids(grid: tuple[int, ...], workers: int | None) -> None:
    """Every block runs once, and knows its place."""
    body = """
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (threadIdx.x == 7) {
        atomicAdd(&out[block * 4], 1);
        out[block * 4 + 1] = blockIdx.x;
        out[block * 4 + 2] = blockIdx.y;
        out[block * 4 + 3] = blockIdx.z;
    }"""
    x, y, z = (*grid, 1, 1)[:3]
    out = np.zeros((z, y, x, 4), np.int32)
    launch(compile_body("int *out", body), grid, out, workers=workers)
    assert (out[..., 0] == 1).all()
    for axis, indices in enumerate(np.indices((z, y, x))[::-1]):
        np.testing.assert_array_equal(out[..., axis + 1], indices)


def test_threads_in_a_plain_loop() -> None:
    body = """
    const int tid = threadIdx.x;
    const int ones = threadIdx.y + threadIdx.z + blockDim.y;
    out[blockIdx.x * blockDim.x + tid] = tid / 32 * 1000 + tid % 32 + ones + warpSize;"""
    kernel = compile_body("int *out", body, num_warps=4)
    out = np.zeros((3, 4, 32), np.int32)
    launch(kernel, (3,), out)
    np.testing.assert_array_equal(out[1], np.arange(4)[:, None] * 1000 + np.arange(32) + 33)
    assert (out == out[0]).all()


def test_early_return() -> None:
    body = "if (threadIdx.x >= n) return;\nout[threadIdx.x] = 1;"
    out = np.zeros(64, np.int32)
    launch(compile_body("int *out, unsigned n", body, num_warps=2), (1,), out, 40)
    assert out[:40].all() and not out[40:].any()


def test_shared_memory_of_each_block() -> None:
    """Blocks that run at the same time have different shared memory; each finds its own values in it."""
    body = """
    __shared__ __align__(16) int a[2][3][32];
    const int tid = threadIdx.x;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 3; ++j) a[i][j][tid] = blockIdx.x * 100 + i * 10 + j;
    }
    for (int round = 0; round < 50; ++round) __syncthreads();
    int wrong = 0;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 3; ++j) wrong += a[i][j][31 - tid] != blockIdx.x * 100 + i * 10 + j;
    }
    out[blockIdx.x * 32 + tid] = wrong;"""
    out = np.full((200, 32), -1, np.int32)
    launch(compile_body("int *out", body), (200,), out, workers=4)
    assert not out.any()


def test_shared_memory_is_reused() -> None:
    """The next block of a worker finds what the one before left: there is one arena, and it is not cleared."""
    body = """
    __shared__ int left[32];
    out[blockIdx.x * 32 + threadIdx.x] = left[threadIdx.x];
    __syncthreads();
    left[threadIdx.x] = blockIdx.x + 1;"""
    kernel = compile_body("int *out", body)
    out = np.zeros((5, 32), np.int32)
    launch(kernel, (5,), out, workers=1)
    np.testing.assert_array_equal(out[1:], np.arange(1, 5)[:, None] + np.zeros((4, 32)))


def test_shared_arrays_anywhere() -> None:
    """In nested scopes, of the same name twice, in a function, with dynamic shared memory, and large."""
    before = """
static __device__ int reversed(int v) {
    __shared__ int a[64];
    a[threadIdx.x] = v;
    __syncthreads();
    return a[63 - threadIdx.x];
}
"""
    body = """
    extern __shared__ __align__(16) unsigned char dynamic_shared[];
    __shared__ __align__(16) float a[4][64];
    const int tid = threadIdx.x;
    int *whole = reinterpret_cast<int *>(dynamic_shared);
    for (int i = 0; i < 400; ++i) whole[i * 64 + tid] = i;
    a[1][tid] = tid;
    int sum = 0;
    {
        __shared__ int b[64];
        b[tid] = tid * 2;
        __syncthreads();
        sum += b[tid ^ 1];
    }
    {
        __shared__ int b[64];
        b[tid] = tid * 3;
        __syncthreads();
        sum += b[tid ^ 2];
    }
    sum += (int)a[1][tid ^ 3] + reversed(tid);
    __syncthreads();
    out[tid] = sum * 1000 + whole[399 * 64 + (tid ^ 5)];"""
    out = np.zeros(64, np.int32)
    kernel = compile_body("int *out", body, 2, before, shared_bytes=400 * 64 * 4)
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text("int *out", body, 2, before), "sm_80")
    launch(kernel, (1,), out)
    tid = np.arange(64)
    np.testing.assert_array_equal(out, ((tid ^ 1) * 2 + (tid ^ 2) * 3 + (tid ^ 3) + 63 - tid) * 1000 + 399)


def test_vector_accesses() -> None:
    body = """
    __shared__ __align__(16) float tile[128];
    const int tid = threadIdx.x;
    *reinterpret_cast<float4 *>(&tile[tid * 4]) = *reinterpret_cast<const float4 *>(&x[tid * 4]);
    __syncthreads();
    const float4 v = *reinterpret_cast<const float4 *>(&tile[(31 - tid) * 4]);
    *reinterpret_cast<float4 *>(&out[tid * 4]) = make_float4(v.w, v.z, v.y, v.x);"""
    x = np.arange(128, dtype=np.float32)
    out = np.zeros_like(x)
    launch(compile_body("float *x, float *out", body), (1,), x, out)
    np.testing.assert_array_equal(out, x[::-1])


def test_vector_types() -> None:
    """Sizes and alignments are CUDA's, which the same text checks under NVRTC."""
    kinds = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4}
    kinds |= {"longlong": 8, "ulonglong": 8, "double": 8}
    lines: list[str] = []
    for name, size in kinds.items():
        for count in (1, 2, 3, 4) if size < 8 else (1, 2):
            alignment = size if count in (1, 3) else min(16, size * count)
            lines.append(f'static_assert(sizeof({name}{count}) == {size * count}, "{name}{count}");')
            lines.append(f'static_assert(alignof({name}{count}) == {alignment}, "{name}{count}");')
            values = ", ".join(str(k + 1) for k in range(count))
            lines.append(f"sum += (int)make_{name}{count}({values}).{'xyzw'[count - 1]};")
    body = "\n".join(["int sum = 0;", *lines, "out[threadIdx.x] = sum;"])
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text("int *out", body), "sm_80")
    out = np.zeros(32, np.int32)
    launch(compile_body("int *out", body), (1,), out)
    assert (out == 7 * 10 + 3 * 3).all()


def test_large_register_arrays() -> None:
    """Arrays that the usual stacks have no room for, in threads that wait for each other and in a plain loop."""
    body = """
    double a[12000];
    for (int i = 0; i < 12000; ++i) a[i] = i + threadIdx.x;
    {barrier}
    double sum = 0;
    for (int i = 0; i < 12000; ++i) sum += a[(i * 7 + n) % 12000];
    out[threadIdx.x] = sum;"""
    expected = np.arange(12000).sum() + 12000.0 * np.arange(64)
    for barrier in ("__syncthreads();", ""):
        out = np.zeros(64)
        kernel = compile_body("double *out, int n", body.replace("{barrier}", barrier), num_warps=2)
        launch(kernel, (1,), out, 3)
        np.testing.assert_array_equal(out, expected)
