"""A matrix product whose programs are ordered for the cache, with an activation fused into it.

    python examples/grouped_matmul.py

Programs that run at the same time work on tiles of a few rows of tiles, column by column, so that they share what they
read of both operands.
"""

from __future__ import annotations

import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul_kernel(
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
    ACTIVATION: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    tiles_in_group = GROUP_M * tiles_n
    group = pid // tiles_in_group
    first_m = group * GROUP_M
    rows_of_group = min(tiles_m - first_m, GROUP_M)
    pid_m = first_m + (pid % tiles_in_group) % rows_of_group
    pid_n = (pid % tiles_in_group) // rows_of_group
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)

    # Rows and columns beyond the matrix wrap around: they are computed and not stored, so only K needs a mask.
    rows = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    ks = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + ks[None, :] * stride_ak
    b_ptrs = b_ptr + ks[:, None] * stride_bk + columns[None, :] * stride_bn

    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        a = tl.load(a_ptrs, mask=ks[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < left, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    c = accumulator.to(c_ptr.dtype.element_ty)

    c_rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    c_columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * c_rows[:, None] + stride_cn * c_columns[None, :]
    tl.store(c_ptrs, c, mask=(c_rows[:, None] < M) & (c_columns[None, :] < N))


def strides(x: np.ndarray) -> tuple[int, ...]:
    """The strides of an array in elements."""
    return tuple(stride // x.itemsize for stride in x.strides)


def matmul(a: np.ndarray, b: np.ndarray, activation: str = "", tile: tuple[int, int, int] = (32, 64, 32)) -> np.ndarray:
    """a [M, K] @ b [K, N] of one dtype, of any strides, then the activation."""
    (m, k), (_, n) = a.shape, b.shape
    bm, bn, bk = tile
    c = np.empty((m, n), a.dtype)
    grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn),)
    meta = {"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "GROUP_M": 8}
    matmul_kernel[grid](a, b, c, m, n, k, *strides(a), *strides(b), *strides(c), **meta, ACTIVATION=activation)
    return c


def main(m: int = 130, n: int = 150, k: int = 70) -> float:
    """The largest difference from NumPy, over both dtypes, a transposed operand and the activation."""
    rng = np.random.default_rng(0)
    differences: list[float] = []
    for dtype, activation in ((np.float32, ""), (np.float16, "leaky_relu")):
        a = (rng.standard_normal((m, k)) / 8).astype(dtype)
        b = (rng.standard_normal((n, k)) / 8).astype(dtype).T
        wanted = a.astype(np.float64) @ b.astype(np.float64)
        if activation:
            wanted = np.where(wanted >= 0, wanted, 0.01 * wanted)
        differences.append(float(np.abs(matmul(a, b, activation) - wanted).max()))
        name = f"{np.dtype(dtype).name} {activation}".strip()
        print(f"matmul {m}x{k} by {k}x{n}, {name}: the largest difference is {differences[-1]:.2e}")
    return max(differences)


if __name__ == "__main__":
    main()
