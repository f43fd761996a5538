"""Kernels that work on each element for itself."""

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles

SIZES = (0, 1, 31, 128, 1000, 4096, 4097)
BLOCKS = (1, 16, 100, 128, 1024)


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    output = x + y
    tl.store(out_ptr + offsets, output, mask=mask)


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, tl.maximum(x, 0.0), mask=mask)


@triton.jit
def leaky_relu_kernel(x_ptr, out_ptr, n, slope, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, tl.where(x >= 0, x, slope * x), mask=mask)


@triton.jit
def sigmoid_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, tl.sigmoid(x), mask=mask)


@triton.jit
def matrix_add_kernel(x_ptr, y_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    mask = (rows < M) & (columns < N)
    offsets = rows * N + columns
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def grid_of(n: int, block: int) -> tuple[int]:
    return (triton.cdiv(n, block),)


def numbers(n: int, dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng(n).standard_normal(n).astype(dtype)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("block", (100, 1024))
def test_copy(n: int, block: int) -> None:
    x = numbers(n)
    out = np.empty_like(x)
    check(copy_kernel, grid_of(n, block), [x, n], [out], [x], order=[0, 2, 1], BLOCK=block)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.bool_, np.float16, np.float64]
)
def test_copy_of_every_type(dtype: type) -> None:
    x = (np.random.default_rng(0).standard_normal(300) * 100).astype(dtype)
    check(copy_kernel, (3,), [x, 300], [np.empty_like(x)], [x], order=[0, 2, 1], BLOCK=128, num_warps=(1, 4))


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("n", SIZES)
def test_add(n: int, block: int) -> None:
    x, y = numbers(n), numbers(n)[::-1].copy()
    warps = (1, 2, 4, 8) if n < 4000 else (4,)
    if triton.cdiv(n, block) > 1000:
        warps = (1,)
    check(
        add_kernel,
        grid_of(n, block),
        [x, y, n],
        [np.empty_like(x)],
        [x + y],
        order=[0, 1, 3, 2],
        BLOCK_SIZE=block,
        num_warps=warps,
    )


@pytest.mark.parametrize("n", (0, 1, 1000, 4096))
@pytest.mark.parametrize("block", (96, 1024))
def test_relu_by_maximum(n: int, block: int) -> None:
    x = numbers(n)
    check(relu_kernel, grid_of(n, block), [x, n], [np.empty_like(x)], [np.maximum(x, 0)], order=[0, 2, 1], BLOCK=block)


@pytest.mark.parametrize("n", (0, 1, 1000, 4096))
@pytest.mark.parametrize("block", (96, 1024))
def test_leaky_relu_by_where(n: int, block: int) -> None:
    x = numbers(n)
    wanted = np.where(x >= 0, x, np.float32(0.1) * x)
    out = np.empty_like(x)
    check(leaky_relu_kernel, grid_of(n, block), [x, n, 0.1], [out], [wanted], order=[0, 3, 1, 2], BLOCK=block)


@pytest.mark.parametrize("n", (0, 1, 1000, 4096))
@pytest.mark.parametrize("block", (96, 1024))
def test_sigmoid(n: int, block: int) -> None:
    x = numbers(n) * 10
    wanted = 1 / (1 + np.exp(-x.astype(np.float64)))
    out = np.empty_like(x)
    check(sigmoid_kernel, grid_of(n, block), [x, n], [out], [wanted], order=[0, 2, 1], BLOCK=block, rtol=1e-5)


@pytest.mark.parametrize("shape", [(1, 1), (7, 130), (64, 64), (33, 1), (1, 257)])
@pytest.mark.parametrize("tile", [(1, 32), (16, 16), (12, 20), (32, 64)])
def test_matrix_add(shape: tuple[int, int], tile: tuple[int, int]) -> None:
    m, n = shape
    x, y = numbers(m * n).reshape(shape), numbers(m * n + 1)[1:].reshape(shape).copy()
    grid = (triton.cdiv(m, tile[0]), triton.cdiv(n, tile[1]))
    out = np.empty_like(x)
    check(
        matrix_add_kernel,
        grid,
        [x, y, m, n],
        [out],
        [x + y],
        order=[0, 1, 4, 2, 3],
        BM=tile[0],
        BN=tile[1],
        num_warps=(1, 4, 8),
    )


def test_elementwise_kernels_compile_for_every_gpu() -> None:
    compiles(copy_kernel, "*fp32", "*fp32", "i32", BLOCK=1024)
    compiles(copy_kernel, "*fp16", "*fp16", "i32", BLOCK=100)
    compiles(add_kernel, "*fp32", "*fp32", "*fp32", "i32", BLOCK_SIZE=1024)
    compiles(add_kernel, "*bf16", "*bf16", "*bf16", "i32", BLOCK_SIZE=1024)
    compiles(relu_kernel, "*fp32", "*fp32", "i32", BLOCK=1024)
    compiles(leaky_relu_kernel, "*fp32", "*fp32", "i32", "fp32", BLOCK=1024)
    compiles(sigmoid_kernel, "*fp32", "*fp32", "i32", BLOCK=1024)
    compiles(matrix_add_kernel, "*fp32", "*fp32", "*fp32", "i32", "i32", BM=32, BN=64)
