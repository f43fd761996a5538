"""Row reductions and softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, axis=0))


@triton.jit
def row_max_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=-float("inf"))
    tl.store(out_ptr + row, tl.max(x, axis=0))


@triton.jit
def row_min_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=float("inf"))
    tl.store(out_ptr + row, tl.min(x, axis=0))


@triton.jit
def long_row_sum_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr, STEPS: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for step in tl.static_range(STEPS):
        columns = step * BLOCK + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(acc, axis=0))


@triton.jit
def softmax_kernel(out_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * row_stride + columns, mask=mask, other=-float("inf"))
    shifted = x - tl.max(x, axis=0)
    numerator = tl.exp(shifted)
    tl.store(out_ptr + row * row_stride + columns, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def tile_reduce_kernel(x_ptr, rows_ptr, columns_ptr, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    tl.store(rows_ptr + m, tl.sum(x, axis=1))
    tl.store(columns_ptr + n, tl.max(x, axis=0))


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def product_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.reduce(x, 0, multiply))


@triton.jit
def later(a_value, a_index, b_value, b_index):
    keep = a_index >= b_index
    return tl.where(keep, a_value, b_value), tl.where(keep, a_index, b_index)


@triton.jit
def last_element_kernel(x_ptr, out_ptr, N: tl.constexpr):
    index = tl.arange(0, N)
    x = tl.load(x_ptr + index)
    value, _ = tl.reduce((x, index), 0, later)
    tl.store(out_ptr, value)


def matrix(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(rows * 1000 + columns).standard_normal((rows, columns)).astype(np.float32)


REDUCTIONS = [(row_sum_kernel, np.sum), (row_max_kernel, np.max), (row_min_kernel, np.min)]


@pytest.mark.parametrize(("kernel", "reference"), REDUCTIONS)
@pytest.mark.parametrize(("columns", "block"), [(1, 1), (3, 4), (100, 128), (100, 100), (33, 48), (1000, 1024)])
def test_row_reductions(kernel: Any, reference: Any, columns: int, block: int) -> None:
    x = matrix(5, columns)
    wanted = reference(x.astype(np.float64), axis=1)
    out = np.empty(5, np.float32)
    check(kernel, (5,), [x, columns], [out], [wanted], order=[0, 2, 1], BLOCK=block, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("columns", "block"), [(1, 16), (1000, 256), (4096, 512), (777, 100)])
def test_long_row_sum(columns: int, block: int) -> None:
    x = matrix(3, columns)
    wanted = x.astype(np.float64).sum(axis=1)
    check(
        long_row_sum_kernel,
        (3,),
        [x, columns],
        [np.empty(3, np.float32)],
        [wanted],
        order=[0, 2, 1],
        BLOCK=block,
        STEPS=triton.cdiv(columns, block),
        rtol=1e-5,
        atol=1e-4,
    )


@pytest.mark.parametrize(("columns", "block"), [(1, 1), (5, 8), (100, 128), (781, 1024), (96, 96), (33, 100)])
def test_softmax(columns: int, block: int) -> None:
    x = matrix(4, columns) * 5
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    out = np.empty_like(x)
    wanted = e / e.sum(axis=1, keepdims=True)
    check(softmax_kernel, (4,), [x, columns, columns], [out], [wanted], order=[3, 0, 1, 2], BLOCK=block)


@pytest.mark.parametrize("shape", [(1, 1), (4, 8), (16, 1), (1, 16), (64, 32), (12, 20), (3, 5), (8, 200)])
def test_tile_reductions(shape: tuple[int, int]) -> None:
    m, n = shape
    x = matrix(m, n)
    check(
        tile_reduce_kernel,
        (1,),
        [x],
        [np.empty(m, np.float32), np.empty(n, np.float32)],
        [x.astype(np.float64).sum(axis=1), x.max(axis=0)],
        M=m,
        N=n,
        rtol=1e-5,
        atol=1e-5,
    )


@pytest.mark.parametrize("n", [1, 2, 7, 32, 48, 96, 128])
def test_reduce_with_a_function_of_the_user(n: int) -> None:
    x = np.random.default_rng(n).uniform(0.9, 1.1, n).astype(np.float32)
    check(product_kernel, (1,), [x], [np.empty(1, np.float32)], [x.astype(np.float64).prod(keepdims=True)], N=n)


@pytest.mark.parametrize("n", [1, 3, 5, 33, 48, 96, 256])
def test_reduce_of_several_operands(n: int) -> None:
    x = np.arange(n, dtype=np.float32) + 0.5
    check(last_element_kernel, (1,), [x], [np.empty(1, np.float32)], [x[-1:]], N=n)


@pytest.mark.parametrize("n", [3, 5, 33, 48, 96])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integer_sum_of_sizes_that_are_no_power_of_two(n: int, dtype: type) -> None:
    x = np.arange(1, n + 1, dtype=dtype)[None]
    check(row_sum_int_kernel, (1,), [x], [np.empty(1, dtype), np.empty(1, dtype)], [x.sum(axis=1), x.max(axis=1)], N=n)


@triton.jit
def row_sum_int_kernel(x_ptr, sum_ptr, max_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(sum_ptr, tl.sum(x, axis=0))
    tl.store(max_ptr, tl.max(x, axis=0))


def test_reductions_compile_for_every_gpu() -> None:
    for kernel, _ in REDUCTIONS:
        compiles(kernel, "*fp32", "*fp32", "i32", BLOCK=1024)
    compiles(long_row_sum_kernel, "*fp32", "*fp32", "i32", BLOCK=1024, STEPS=4)
    compiles(softmax_kernel, "*fp32", "*fp32", "i32", "i32", BLOCK=1024)
    compiles(tile_reduce_kernel, "*fp32", "*fp32", "*fp32", M=64, N=48)
