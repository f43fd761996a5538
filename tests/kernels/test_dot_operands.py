"""Dots whose operands are loaded in other ways than the canonical one: whichever way is taken, the product is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.compiler import compile_function
from mytriton.diagnostics import collect_remarks
from mytriton.options import Options
from tests.kernels.harness import check

M, N, K = 21, 18, 37


@triton.jit
def strided_kernel(a, b, out, M, N, K, am, bk, cm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The canonical form, with strides of their own and the sums in another order."""
    m = tl.arange(0, BM) + tl.program_id(0) * BM
    n = tl.arange(0, BN) + BN * tl.program_id(1)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + (k[None, :] + am * m[:, None]), mask=(k[None, :] < K) & (m[:, None] < M), other=0)
        right = tl.load(b + n[None, :] + k[:, None] * bk, mask=(k[:, None] < K) & (n[None, :] < N))
        acc = tl.dot(left, right, acc)
    tl.store(out + m[:, None] * cm + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def moved_pointers_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The pointers are carried around the loop, and there is no mask for the rows of A and the columns of B."""
    m = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    n = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_pointers = a + m[:, None] * K + k[None, :]
    b_pointers = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a_pointers, mask=k[None, :] < K - start, other=0.0)
        right = tl.load(b_pointers, mask=k[:, None] < K - start, other=0.0)
        acc += tl.dot(left, right)
        a_pointers += BK
        b_pointers += BK * N
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    tl.store(out + rows * N + columns, acc, mask=(rows < M) & (columns < N))


@triton.jit
def derived_base_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The block's first row is added to the pointer, so the bounds count from there."""
    first = tl.program_id(0) * BM
    a += first * K
    m = tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m * K + k[None, :], mask=(m < M - first) & (k[None, :] < K), other=0.0)
        right = tl.load(b + k[:, None] * N + n, mask=(k[:, None] < K) & (n < N), other=0.0)
        acc += tl.dot(left, right)
    tl.store(out + (first + m) * N + n, acc, mask=(m < M - first) & (n < N))


@triton.jit
def other_comparisons_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """`<=`, and a fill that is subtracted again."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m * K + k[None, :], mask=(m <= M - 1) & (k[None, :] < K), other=0.0)
        inside = (k[:, None] < K) & (n < N)
        right = tl.load(b + k[:, None] * N + n, mask=inside, other=1.0)
        acc += tl.dot(left, tl.where(inside, right, 0.0))
    tl.store(out + m * N + n, acc, mask=(m < M) & (n < N))


@triton.jit
def transposed_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """B is read by columns (a column-major tile) and A through a transposed tile, from arrays of [N, K] and [M, K]."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m[None, :] * K + k[:, None], mask=(m[None, :] < M) & (k[:, None] < K), other=0.0)
        right = tl.load(b + k[:, None] + n[None, :] * K, mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(tl.trans(left), right)
    tl.store(out + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def shifted_range_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Ranges that do not start at zero."""
    m = tl.program_id(0) * BM - 4 + tl.arange(4, BM + 4)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start - BK + tl.arange(BK, 2 * BK)
        left = tl.load(a + m * K + k[None, :], mask=(m < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + k[:, None] * N + n, mask=(k[:, None] < K) & (n < N), other=0.0)
        acc += tl.dot(left, right)
    tl.store(out + m * N + n, acc, mask=(m < M) & (n < N))


@triton.jit
def shared_loads_kernel(a, b, out, sums, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """What is loaded for the dot is also summed, and stored by the programs of the first column."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(left, right)
        total += tl.sum(left, axis=1)
    tl.store(out + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
    tl.store(sums + m, total, mask=(m < M) & (tl.program_id(1) == 0))


@triton.jit
def chained_kernel(a, b, c, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """(A @ B) @ C with A loaded once: one operand stays in shared memory around the loop, one is computed in it."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    k = tl.arange(0, BK)
    n = tl.arange(0, BN)[None, :]
    left = tl.load(a + m * K + k[None, :], mask=(m < M) & (k[None, :] < K), other=0.0)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, N, BN):
        j = start + tl.arange(0, BN)
        middle = tl.load(b + k[:, None] * N + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        right = tl.load(c + j[:, None] * N + n, mask=(j[:, None] < N) & (n < N), other=0.0)
        product = tl.dot(left, middle)
        acc += tl.dot(product, right)
    tl.store(out + m * N + n, acc, mask=(m < M) & (n < N))


@triton.jit
def nested_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One program instance walks over all blocks of rows: two loops around the dot."""
    n = tl.program_id(0) * BN + tl.arange(0, BN)[None, :]
    for first in range(0, M, BM):
        m = first + tl.arange(0, BM)[:, None]
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, K, BK):
            k = start + tl.arange(0, BK)
            left = tl.load(a + m * K + k[None, :], mask=(m < M) & (k[None, :] < K), other=0.0)
            right = tl.load(b + k[:, None] * N + n, mask=(k[:, None] < K) & (n < N), other=0.0)
            acc += tl.dot(left, right)
        tl.store(out + m * N + n, acc, mask=(m < M) & (n < N))


def arrays(*shapes: tuple[int, int]) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


REMARKS = {
    moved_pointers_kernel: ["a value carried around a loop"],
    derived_base_kernel: ["the base pointer comes from tt.addptr"],
    other_comparisons_kernel: ["the mask compares with `<=`", "it comes from arith.select"],
    transposed_kernel: ["it comes from tt.trans", "a column-major tile"],
    shifted_range_kernel: ["tl.arange starts at 8"],
    nested_kernel: [],
    strided_kernel: [],
}


@pytest.mark.parametrize("kernel", REMARKS, ids=lambda kernel: kernel.__name__)
def test_remarks(kernel: Any) -> None:
    """The canonical forms are recognized, and of the others it is said why they are not."""
    tile = {"BM": 16, "BN": 16, "BK": 8}
    types = {name: "*fp32" if name in ("a", "b", "out") else "i32" for name in kernel.arg_names if name not in tile}
    with collect_remarks() as remarks:
        compile_function(kernel, types, tile, {}, Options())
    said = [remark.message for remark in remarks if remark.pass_name == "match-dot-operands"]
    assert all(any(expected in message for message in said) for expected in REMARKS[kernel]), said
    assert bool(said) == bool(REMARKS[kernel])


@pytest.mark.parametrize("kernel", [k for k in REMARKS if k is not strided_kernel], ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("tile", [(16, 16, 8), (12, 20, 8)], ids=str)
def test_product(kernel: Any, tile: tuple[int, int, int]) -> None:
    bm, bn, bk = tile
    is_transposed = kernel is transposed_kernel
    a, b = arrays((M, K), (N, K) if is_transposed else (K, N))
    grid = (triton.cdiv(N, bn),) if kernel is nested_kernel else (triton.cdiv(M, bm), triton.cdiv(N, bn))
    check(
        kernel,
        grid,
        [a, b, M, N, K],
        [np.empty((M, N), np.float32)],
        [a.astype(np.float64) @ (b.T if is_transposed else b).astype(np.float64)],
        order=[0, 1, 5, 2, 3, 4],
        num_warps=(1, 4),
        rtol=1e-4,
        atol=1e-5,
        BM=bm,
        BN=bn,
        BK=bk,
    )


@pytest.mark.mytriton_sanitize(False)  # multiplies elements that a mask leaves out
@pytest.mark.parametrize("tile", [(16, 16, 8), (12, 20, 6), (64, 32, 16)], ids=str)
def test_strides_that_are_arguments(tile: tuple[int, int, int]) -> None:
    """Both operands are parts of larger arrays."""
    bm, bn, bk = tile
    whole_a, whole_b = arrays((M, K + 5), (K, N + 6))
    a, b = whole_a[:, :K], whole_b[:, :N]
    check(
        strided_kernel,
        (triton.cdiv(M, bm), triton.cdiv(N, bn)),
        [whole_a, whole_b, M, N, K, K + 5, N + 6, N],
        [np.empty((M, N), np.float32)],
        [a.astype(np.float64) @ b.astype(np.float64)],
        order=[0, 1, 8, 2, 3, 4, 5, 6, 7],
        num_warps=(1, 4),
        rtol=1e-4,
        atol=1e-5,
        BM=bm,
        BN=bn,
        BK=bk,
    )


def test_a_load_that_is_also_summed() -> None:
    a, b = arrays((M, K), (K, N))
    check(
        shared_loads_kernel,
        (triton.cdiv(M, 16), triton.cdiv(N, 16)),
        [a, b, M, N, K],
        [np.empty((M, N), np.float32), np.empty(M, np.float32)],
        [a.astype(np.float64) @ b, a.astype(np.float64).sum(axis=1)],
        order=[0, 1, 5, 6, 2, 3, 4],
        num_warps=(1, 4),
        rtol=1e-4,
        atol=1e-5,
        BM=16,
        BN=16,
        BK=8,
    )


@pytest.mark.parametrize(("m", "n", "k"), [(20, 16, 8), (33, 32, 16), (5, 30, 7)])
def test_a_dot_of_a_dot(m: int, n: int, k: int) -> None:
    a, b, c = arrays((m, k), (k, n), (n, n))
    block_n = 16 if n == 16 else 32
    check(
        chained_kernel,
        (triton.cdiv(m, 16),),
        [a, b, c, m, n, k],
        [np.empty((m, n), np.float32)],
        [a.astype(np.float64) @ b @ c],
        order=[0, 1, 2, 6, 3, 4, 5],
        num_warps=(1, 4),
        rtol=1e-4,
        atol=1e-4,
        BM=16,
        BN=block_n,
        BK=16,
    )
