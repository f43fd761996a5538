"""A matrix product by a fixed number of programs, each of which computes many tiles.

    python examples/persistent_matmul.py

Two kernels: one computes pointers, the other reads and writes tiles through tensor descriptors.
"""

from __future__ import annotations

import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def place_of_tile(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    tiles_in_group = GROUP_M * tiles_n
    first_m = (tile // tiles_in_group) * GROUP_M
    rows_of_group = min(tiles_m - first_m, GROUP_M)
    return first_m + tile % rows_of_group, (tile % tiles_in_group) // rows_of_group


@triton.jit
def persistent_matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    PROGRAMS: tl.constexpr,
):
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS, flatten=True):
        pid_m, pid_n = place_of_tile(tile, tiles_m, tiles_n, GROUP_M)
        rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        a_rows = tl.where(rows < M, rows, 0)
        b_columns = tl.where(columns < N, columns, 0)
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            at = k * BLOCK_K + ks
            a = tl.load(a_ptr + a_rows[:, None] * stride_am + at[None, :] * stride_ak, mask=at[None, :] < K, other=0.0)
            b = tl.load(
                b_ptr + at[:, None] * stride_bk + b_columns[None, :] * stride_bn, mask=at[:, None] < K, other=0.0
            )
            accumulator = tl.dot(a, b, accumulator)
        c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        tl.store(c_ptrs, accumulator.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def descriptor_matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    PROGRAMS: tl.constexpr,
):
    # b is given transposed, [N, K].
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS):
        pid_m, pid_n = place_of_tile(tile, tiles_m, tiles_n, GROUP_M)
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            a = a_desc.load([pid_m * BLOCK_M, k * BLOCK_K])
            b = b_desc.load([pid_n * BLOCK_N, k * BLOCK_K])
            accumulator = tl.dot(a, b.T, accumulator)
        c_desc.store([pid_m * BLOCK_M, pid_n * BLOCK_N], accumulator.to(c_ptr.dtype.element_ty))


TILE = {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32, "GROUP_M": 4}


def strides(x: np.ndarray) -> tuple[int, ...]:
    """The strides of an array in elements."""
    return tuple(stride // x.itemsize for stride in x.strides)


def persistent_matmul(a: np.ndarray, b: np.ndarray, programs: int = 6) -> np.ndarray:
    """a [M, K] @ b [K, N] of one dtype, of any strides."""
    (m, k), (_, n) = a.shape, b.shape
    c = np.empty((m, n), a.dtype)
    persistent_matmul_kernel[(programs,)](
        a, b, c, m, n, k, *strides(a), *strides(b), *strides(c), **TILE, PROGRAMS=programs
    )
    return c


def descriptor_matmul(a: np.ndarray, b: np.ndarray, programs: int = 6) -> np.ndarray:
    """a [M, K] @ the transpose of b [N, K], both contiguous and of one dtype."""
    (m, k), (n, _) = a.shape, b.shape
    c = np.empty((m, n), a.dtype)
    descriptor_matmul_kernel[(programs,)](a, b, c, m, n, k, **TILE, PROGRAMS=programs)
    return c


def main(m: int = 150, n: int = 104, k: int = 72) -> float:
    """The largest difference from NumPy, over both kernels."""
    rng = np.random.default_rng(0)
    a = (rng.standard_normal((m, k)) / 8).astype(np.float16)
    b = (rng.standard_normal((n, k)) / 8).astype(np.float16)
    wanted = a.astype(np.float32) @ b.astype(np.float32).T
    results = {"pointers": persistent_matmul(a, b.T), "descriptors": descriptor_matmul(a, b)}
    differences = {name: float(np.abs(result - wanted).max()) for name, result in results.items()}
    for name, difference in differences.items():
        print(f"persistent matmul {m}x{k} by {k}x{n} with {name}: the largest difference is {difference:.2e}")
    return max(differences.values())


if __name__ == "__main__":
    main()
