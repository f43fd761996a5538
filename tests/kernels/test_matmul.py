"""Matrix products: without a dot, and with one whose operands are staged in shared memory."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles

TILES = [(4, 8, 16), (16, 16, 16), (64, 64, 16), (128, 128, 16), (12, 20, 6)]
DTYPES = {"fp32": np.float32, "fp16": np.float16, "bf16": ml_dtypes.bfloat16}


@triton.jit
def static_matmul_kernel(a, b, out, M, N, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.static_range(K):
        left = tl.load(a + rows * K + k, mask=rows < M, other=0.0)
        right = tl.load(b + k * N + columns, mask=columns < N, other=0.0)
        acc += left * right
    tl.store(out + rows * N + columns, acc, mask=(rows < M) & (columns < N))


@triton.jit
def runtime_matmul_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(K):
        left = tl.load(a + rows * K + k, mask=rows < M, other=0.0)
        right = tl.load(b + k * N + columns, mask=columns < N, other=0.0)
        acc += left * right
    tl.store(out + rows * N + columns, acc, mask=(rows < M) & (columns < N))


@triton.jit
def staged_matmul_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    offsets_m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    offsets_n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    offsets_k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k_base in range(0, K, BK):
        a_rows = offsets_m
        a_columns = k_base + offsets_k[None, :]
        a_values = tl.load(a + a_rows * K + a_columns, mask=(a_rows < M) & (a_columns < K), other=0.0)
        b_rows = k_base + offsets_k[:, None]
        b_columns = offsets_n
        b_values = tl.load(b + b_rows * N + b_columns, mask=(b_rows < K) & (b_columns < N), other=0.0)
        acc = acc + tl.dot(a_values, b_values)
    output_pointers = out + offsets_m * N + offsets_n
    output_mask = (offsets_m < M) & (offsets_n < N)
    tl.store(output_pointers, acc, mask=output_mask)


@triton.jit
def unmasked_dot_kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + m[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(out + m[:, None] * N + n[None, :], tl.dot(left * 2.0, right))


def operands(m: int, n: int, k: int, dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(m * 10007 + n * 101 + k)
    a = rng.standard_normal((m, k)).astype(dtype)
    b = rng.standard_normal((k, n)).astype(dtype)
    return a, b, a.astype(np.float64) @ b.astype(np.float64)


@pytest.mark.parametrize("kernel", [static_matmul_kernel, runtime_matmul_kernel])
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (16, 16, 8), (17, 33, 5), (40, 20, 0)])
@pytest.mark.parametrize("tile", [(16, 16), (12, 20), (1, 32)])
def test_matmul_without_dot(kernel: Any, m: int, n: int, k: int, tile: tuple[int, int]) -> None:
    a, b, wanted = operands(m, n, k)
    grid = (triton.cdiv(m, tile[0]), triton.cdiv(n, tile[1]))
    out = np.empty((m, n), np.float32)
    check(
        kernel,
        grid,
        [a, b, m, n, k],
        [out],
        [wanted],
        order=[0, 1, 5, 2, 3, 4],
        BM=tile[0],
        BN=tile[1],
        num_warps=(1, 4),
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_staged_matmul(tile: tuple[int, int, int], dtype: str) -> None:
    bm, bn, bk = tile
    m, n, k = 2 * bm - 1, bn + 3, 2 * bk + 5
    a, b, wanted = operands(m, n, k, DTYPES[dtype])
    check(
        staged_matmul_kernel,
        (triton.cdiv(m, bm), triton.cdiv(n, bn)),
        [a, b, m, n, k],
        [np.empty((m, n), np.float32)],
        [wanted],
        order=[0, 1, 5, 2, 3, 4],
        BM=bm,
        BN=bn,
        BK=bk,
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (64, 64, 64), (65, 63, 1), (3, 70, 0), (64, 128, 16)])
def test_staged_matmul_of_other_sizes(m: int, n: int, k: int) -> None:
    a, b, wanted = operands(m, n, k)
    check(
        staged_matmul_kernel,
        (triton.cdiv(m, 64), triton.cdiv(n, 64)),
        [a, b, m, n, k],
        [np.empty((m, n), np.float32)],
        [wanted],
        order=[0, 1, 5, 2, 3, 4],
        BM=64,
        BN=64,
        BK=16,
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 16), (4, 8, 2), (12, 20, 6), (64, 32, 64), (1, 1, 1)])
def test_dot_of_computed_operands(m: int, n: int, k: int) -> None:
    a, b, wanted = operands(m, n, k)
    out = np.empty((m, n), np.float32)
    check(unmasked_dot_kernel, (1,), [a, b], [out], [2 * wanted], M=m, N=n, K=k, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_staged_matmul_compiles_for_every_gpu(tile: tuple[int, int, int], dtype: str) -> None:
    bm, bn, bk = tile
    pointer, warps = f"*{dtype}", 8 if bm == 128 else 4
    compiles(staged_matmul_kernel, pointer, pointer, "*fp32", "i32", "i32", "i32", BM=bm, BN=bn, BK=bk, num_warps=warps)


def test_matmul_without_dot_compiles_for_every_gpu() -> None:
    compiles(static_matmul_kernel, "*fp32", "*fp32", "*fp32", "i32", "i32", K=8, BM=16, BN=16)
    compiles(runtime_matmul_kernel, "*fp32", "*fp32", "*fp32", "i32", "i32", "i32", BM=16, BN=16)
