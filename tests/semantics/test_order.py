"""Scans, sorting, and elements by number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check

WARPS = (1, 4)
INF, NAN = float("inf"), float("nan")


@triton.jit
def affine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def scan_kernel(a_ptr, b_ptr, a_out_ptr, b_out_ptr, N: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.associative_scan((tl.load(a_ptr + at), tl.load(b_ptr + at)), 0, affine, reverse=REVERSE)
    tl.store(a_out_ptr + at, a)
    tl.store(b_out_ptr + at, b)


@pytest.mark.rule("scan-order")
@pytest.mark.rule("scan-function")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 5, 32, 300])
def test_earlier_elements_are_the_first_operand(n: int, reverse: bool) -> None:
    rng = np.random.default_rng(n)
    a, b = (rng.integers(-3, 4, n).astype(np.int32) for _ in range(2))
    wanted = [np.empty_like(a), np.empty_like(b)]
    order = range(n - 1, -1, -1) if reverse else range(n)
    factor, total = np.int32(1), np.int32(0)
    with np.errstate(over="ignore"):
        for i in order:
            factor, total = factor * a[i], total * a[i] + b[i]
            wanted[0][i], wanted[1][i] = factor, total
    outputs = [np.empty_like(a), np.empty_like(b)]
    check(scan_kernel, (1,), [a, b], outputs, wanted, num_warps=WARPS, N=n, REVERSE=reverse)


@triton.jit
def widened(a, b):
    return (a + b).to(tl.int64)


@triton.jit
def wrong_scan_kernel(x_ptr, out_ptr):
    at = tl.arange(0, 4)
    tl.store(out_ptr + at, tl.associative_scan(tl.load(x_ptr + at), 0, widened))


@pytest.mark.rule("scan-function")
def test_function_must_return_its_own_dtypes() -> None:
    with pytest.raises(CompilationError, match="int64"):
        wrong_scan_kernel.warmup("*i32", "*i32")


@triton.jit
def cumulative_kernel(x_ptr, sum_ptr, product_ptr, M: tl.constexpr, N: tl.constexpr, DTYPE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    sums, products = tl.cumsum(x), x.cumprod()
    tl.static_assert(sums.dtype == DTYPE)
    tl.static_assert(products.dtype == DTYPE)
    tl.static_assert(tl.cumsum(x, dtype=tl.float32).dtype == tl.float32)
    tl.store(sum_ptr + at, sums)
    tl.store(product_ptr + at, products)


DTYPES = [
    (np.bool_, np.uint32, tl.uint32),
    (np.int8, np.int32, tl.int32),
    (np.uint16, np.uint32, tl.uint32),
    (np.int64, np.int64, tl.int64),
    (np.float16, np.float16, tl.float16),
]


@pytest.mark.rule("scan-dtype")
@pytest.mark.parametrize(("dtype", "output", "result"), DTYPES)
def test_dtype_and_axis_of_sums(dtype: Any, output: Any, result: Any) -> None:
    x = np.array([[1, 3], [2, 1], [2, 4]]).astype(dtype)
    wanted = [np.cumsum(x, 0, dtype=output), np.cumprod(x, 0, dtype=output)]
    outputs = [np.empty(x.shape, output), np.empty(x.shape, output)]
    check(cumulative_kernel, (1,), [x], outputs, wanted, num_warps=WARPS, M=3, N=2, DTYPE=result)


@triton.jit
def sort_kernel(x_ptr, up_ptr, down_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(up_ptr + at, tl.sort(x))
    tl.store(down_ptr + at, x.sort(descending=True))


@pytest.mark.rule("sort-order")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n", [6, 8, 50])
def test_order_of_special_floats(dtype: Any, n: int) -> None:
    x = np.array([INF, 0.0, NAN, -0.0, -1, -INF] + [1.5] * (n - 6)).astype(dtype)
    up = np.array([-INF, -1, -0.0, 0.0] + [1.5] * (n - 6) + [INF, NAN]).astype(dtype)
    outputs = [np.empty_like(x), np.empty_like(x)]
    check(sort_kernel, (1,), [x], outputs, [up, up[::-1]], num_warps=WARPS, rtol=0.0, N=n)
    assert np.array_equal(np.signbit(outputs[0][:4]), [True, True, True, False])


@triton.jit
def topk_kernel(x_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr):
    x, at = tl.load(x_ptr + tl.arange(0, N)), tl.arange(0, K)
    tl.store(out_ptr + at, tl.topk(x, K))
    tl.store(out_ptr + K + at, tl.topk(x, K, descending=False))


@pytest.mark.rule("topk")
@pytest.mark.parametrize(("n", "k"), [(8, 1), (8, 4), (7, 3), (5, 5)])
def test_topk(n: int, k: int) -> None:
    x = np.random.default_rng(n).permutation(n).astype(np.int32)
    wanted = np.array([*range(n - 1, n - 1 - k, -1), *range(k)], np.int32)
    check(topk_kernel, (1,), [x], [np.empty_like(wanted)], [wanted], num_warps=WARPS, N=n, K=k)


@triton.jit
def flip_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x.flip())
    tl.store(out_ptr + M * N + at, tl.flip(x, 0))


@pytest.mark.rule("flip")
def test_flip_keeps_every_element() -> None:
    x = np.array([[1, INF, NAN], [-0.0, -INF, 7]], np.float32)
    wanted = np.stack([x[:, ::-1], x[::-1]])
    check(flip_kernel, (1,), [x], [np.empty_like(wanted)], [wanted], num_warps=WARPS, M=2, N=3)


@triton.jit
def gather_kernel(x_ptr, index_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr):
    index = tl.load(index_ptr + tl.arange(0, K))
    tl.store(out_ptr + tl.arange(0, K), tl.gather(tl.load(x_ptr + tl.arange(0, N)), index, 0))


@pytest.mark.rule("gather")
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_index_out_of_range_gives_0(dtype: Any) -> None:
    x = np.arange(1, 6, dtype=np.float32)
    index = np.array([4, 0, 5, np.iinfo(dtype).max, np.iinfo(dtype).min, 2], np.object_).astype(dtype)
    inside = [0 <= int(i) < 5 for i in index]
    wanted = np.array([x[int(i)] if ok else 0 for i, ok in zip(index, inside, strict=True)], np.float32)
    check(gather_kernel, (1,), [x, index], [np.empty_like(wanted)], [wanted], num_warps=WARPS, N=5, K=6)


@triton.jit
def histogram_kernel(x_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    x, bins = tl.load(x_ptr + tl.arange(0, N)), tl.arange(0, BINS)
    tl.static_assert(tl.histogram(x, BINS).dtype == tl.int32)
    tl.store(out_ptr + bins, tl.histogram(x, BINS))
    tl.store(out_ptr + BINS + bins, x.histogram(BINS, mask=tl.arange(0, N) % 2 == 0))


@pytest.mark.rule("histogram")
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_elements_outside_of_the_bins_are_not_counted(dtype: Any) -> None:
    x = np.array([0, 2, 2, np.iinfo(dtype).max, np.iinfo(dtype).min, 3, 1], np.object_).astype(dtype)

    def counted(values: np.ndarray) -> list[int]:
        return [int((values == number).sum()) for number in range(3)]

    wanted = np.array([*counted(x), *counted(x[::2])], np.int32)
    check(histogram_kernel, (1,), [x], [np.empty_like(wanted)], [wanted], num_warps=WARPS, N=7, BINS=3)
