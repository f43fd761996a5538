"""Elements picked by number along an axis, and histograms."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles


@triton.jit
def gather_rows_kernel(x_ptr, index_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)[None, :]
    index = tl.load(index_ptr + m * K + k)
    tl.store(out_ptr + m * K + k, tl.gather(tl.load(x_ptr + m * N + n), index, 1))


@triton.jit
def gather_columns_kernel(x_ptr, index_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)[:, None]
    index = tl.load(index_ptr + k * N + n)
    tl.store(out_ptr + k * N + n, tl.load(x_ptr + m * N + n).gather(index, -2))


@triton.jit
def rotate_kernel(x_ptr, out_ptr, turns, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    for _ in range(turns):
        x = tl.gather(x, (at + 1) % N, 0)
    tl.store(out_ptr + at, x)


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, BINS: tl.constexpr, MASKED: tl.constexpr):
    at, bins = tl.arange(0, BLOCK), tl.arange(0, BINS)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + bins, tl.histogram(x, BINS, mask=at < n) if MASKED else x.histogram(BINS))


@triton.jit
def sum_of_histograms_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    total = tl.zeros((BINS,), tl.int32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.histogram(tl.load(x_ptr + at, mask=at < n, other=-1), BINS)
    tl.store(out_ptr + tl.arange(0, BINS), total)


def gathered(x: np.ndarray, index: np.ndarray, axis: int) -> np.ndarray:
    inside = (index >= 0) & (index < x.shape[axis])
    return np.where(inside, np.take_along_axis(x, np.where(inside, index, 0), axis), x.dtype.type(0))


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (1, 64, 64), (4, 16, 5), (5, 3, 32), (16, 32, 8)])
def test_gather(m: int, n: int, k: int) -> None:
    rng = np.random.default_rng(m * n)
    x = rng.standard_normal((m, n)).astype(np.float32)
    rows, columns = (rng.integers(-1, size + 1, shape).astype(np.int32) for size, shape in ((n, (m, k)), (m, (k, n))))
    sizes = {"M": m, "N": n, "K": k, "num_warps": (1, 4), "rtol": 0.0}
    check(gather_rows_kernel, (1,), [x, rows], [np.empty((m, k), x.dtype)], [gathered(x, rows, 1)], **sizes)
    check(gather_columns_kernel, (1,), [x, columns], [np.empty((k, n), x.dtype)], [gathered(x, columns, 0)], **sizes)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, ml_dtypes.bfloat16, np.int64, np.float64])
@pytest.mark.parametrize("index_dtype", [np.uint8, np.int64])
def test_dtypes(dtype: Any, index_dtype: Any) -> None:
    x = (np.arange(256) % 120).astype(dtype)[None]
    index = np.random.default_rng(0).integers(0, 256, (1, 100)).astype(index_dtype)
    out = np.empty((1, 100), dtype)
    check(gather_rows_kernel, (1,), [x, index], [out], [x[:, index[0]]], num_warps=(2,), M=1, N=256, K=100)


@pytest.mark.parametrize("n", [8, 100, 256])
def test_gather_in_a_loop(n: int) -> None:
    x = np.arange(n, dtype=np.int32)
    out = np.empty_like(x)
    check(rotate_kernel, (1,), [x, 5], [out], [np.roll(x, -5)], order=[0, 2, 1], num_warps=(1, 4), N=n)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize(("n", "block", "bins"), [(300, 512, 4), (256, 256, 16), (5, 7, 100), (1000, 1000, 3)])
def test_histogram(dtype: Any, n: int, block: int, bins: int, masked: bool) -> None:
    x = np.random.default_rng(bins).integers(0, min(bins + 3, 127), block).astype(dtype)
    counted = x[:n] if masked else np.where(np.arange(block) < n, x, 0)
    wanted = np.bincount(counted[counted < bins].astype(np.int64), minlength=bins).astype(np.int32)
    options = {"BLOCK": block, "BINS": bins, "MASKED": masked}
    out = np.empty(bins, np.int32)
    check(histogram_kernel, (1,), [x, n], [out], [wanted], order=[0, 2, 1], num_warps=(1, 4), **options)


def test_many_elements_of_one_bin() -> None:
    x = np.zeros(300, np.int8)
    out = np.empty(4, np.int32)
    wanted = np.array([300, 0, 0, 0], np.int32)
    options = {"BLOCK": 300, "BINS": 4, "MASKED": False}
    check(histogram_kernel, (1,), [x, 300], [out], [wanted], order=[0, 2, 1], **options)


def test_histogram_in_a_loop() -> None:
    x = np.random.default_rng(4).integers(-5, 20, 1000).astype(np.int32)
    wanted = np.bincount(x[(x >= 0) & (x < 16)], minlength=16).astype(np.int32)
    out = np.empty(16, np.int32)
    check(sum_of_histograms_kernel, (1,), [x, 1000], [out], [wanted], order=[0, 2, 1], BLOCK=128, BINS=16)


def test_gathers_compile_for_every_gpu() -> None:
    compiles(gather_rows_kernel, "*fp32", "*i32", "*fp32", M=16, N=64, K=32)
    compiles(histogram_kernel, "*i8", "*i32", "i32", BLOCK=512, BINS=64, MASKED=True)
