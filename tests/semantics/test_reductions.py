"""Reductions along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check
from tests.semantics.elementwise import bfloat16, check_one

WARPS = (1, 4)
NAN = float("nan")


@triton.jit
def sum_kernel(x_ptr, out_ptr, N: tl.constexpr, DTYPE: tl.constexpr):
    total = tl.sum(tl.load(x_ptr + tl.arange(0, N)))
    tl.static_assert(total.dtype == DTYPE)
    tl.store(out_ptr, total)


@triton.jit
def sum_in_kernel(x_ptr, out_ptr, N: tl.constexpr, DTYPE: tl.constexpr):
    total = tl.sum(tl.load(x_ptr + tl.arange(0, N)), dtype=DTYPE)
    tl.static_assert(total.dtype == DTYPE)
    tl.store(out_ptr, total)


@triton.jit
def max_kernel(x_ptr, out_ptr, N: tl.constexpr, DTYPE: tl.constexpr):
    largest = tl.max(tl.load(x_ptr + tl.arange(0, N)))
    tl.static_assert(largest.dtype == DTYPE)
    tl.store(out_ptr, largest)


@triton.jit
def min_kernel(x_ptr, out_ptr, N: tl.constexpr, DTYPE: tl.constexpr):
    smallest = tl.min(tl.load(x_ptr + tl.arange(0, N)))
    tl.static_assert(smallest.dtype == DTYPE)
    tl.store(out_ptr, smallest)


def check_reduced(kernel: Any, x: np.ndarray, expected: Any, output: Any, dtype: Any, atol: float = 0.0) -> None:
    """The kernel reduces `x` to `expected`, of the dtype `dtype` of the language, stored as `output`."""
    wanted = np.array([expected], output)
    check(
        kernel, (1,), [x], [np.empty_like(wanted)], [wanted], num_warps=WARPS, N=len(x), DTYPE=dtype, rtol=0, atol=atol
    )


SUMS = [
    (np.bool_, np.uint32, tl.uint32),
    (np.int8, np.int32, tl.int32),
    (np.uint8, np.uint32, tl.uint32),
    (np.int16, np.int32, tl.int32),
    (np.int32, np.int32, tl.int32),
    (np.int64, np.int64, tl.int64),
    (np.uint64, np.uint64, tl.uint64),
]


@pytest.mark.rule("sum-dtype")
@pytest.mark.parametrize(("dtype", "output", "result"), SUMS)
def test_dtype_of_sums(dtype: Any, output: Any, result: Any) -> None:
    largest = 1 if dtype is np.bool_ else np.iinfo(dtype).max
    x = np.full(100, largest, dtype)
    # What does not fit into the dtype of the sum wraps.
    total = int(largest) * 100 & (1 << 8 * np.dtype(output).itemsize) - 1
    check_reduced(sum_kernel, x, np.array([total], np.uint64).astype(output)[0], output, result)


@pytest.mark.rule("sum-dtype")
def test_sum_in_another_dtype() -> None:
    x = np.full(100, 127, np.int8)
    check_reduced(sum_in_kernel, x, 12700, np.int64, tl.int64)
    check_reduced(sum_in_kernel, x, 12700 % 256 - 256, np.int8, tl.int8)
    check_reduced(sum_in_kernel, x, 12700, np.float32, tl.float32)


@pytest.mark.rule("sum-small-floats")
@pytest.mark.parametrize(("dtype", "result"), [(np.dtype(np.float16), tl.float16), (bfloat16, tl.bfloat16)])
def test_small_floats_are_summed_in_their_own_dtype(dtype: Any, result: Any) -> None:
    # Exact in every order, then one that overflows and one that loses digits in every order.
    check_reduced(sum_kernel, np.ones(64, dtype), 64, np.float32, result)
    if dtype == np.float16:
        check_reduced(sum_kernel, np.full(64, 2000, dtype), np.inf, np.float32, result)
    x = np.array([2.0**12, 1], dtype)
    check_reduced(sum_kernel, x, 2.0**12, np.float32, result)
    check_reduced(sum_in_kernel, x, 2.0**12 + 1, np.float32, tl.float32)


@triton.jit
def twice_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum(x))


@pytest.mark.rule("reduction-order")
def test_order_is_not_defined_but_repeats() -> None:
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(1000) * 10.0 ** rng.integers(-3, 4, 1000)).astype(np.float32)
    bound = float(np.abs(x).sum(dtype=np.float64)) * 1000 * 2.0**-24
    check_reduced(sum_kernel, x, x.sum(dtype=np.float64), np.float32, tl.float32, atol=bound)
    for warps in WARPS:
        results = {float(sums[0]) for sums in (summed(x, warps) for _ in range(3))}
        assert len(results) == 1


def summed(x: np.ndarray, warps: int) -> np.ndarray:
    out = np.empty(1, np.float32)
    twice_kernel[(1,)](x, out, N=len(x), num_warps=warps)
    return out


EXTREMA = [
    (np.int8, np.int32, tl.int32),
    (np.uint8, np.int32, tl.int32),
    (np.bool_, np.int32, tl.int32),
    (np.int32, np.int32, tl.int32),
    (np.uint32, np.uint32, tl.uint32),
    (np.int64, np.int64, tl.int64),
    (np.dtype(np.float16), np.float32, tl.float32),
    (bfloat16, np.float32, tl.float32),
    (np.float64, np.float64, tl.float64),
]


@pytest.mark.rule("max-dtype")
@pytest.mark.parametrize(("dtype", "output", "result"), EXTREMA)
def test_dtype_of_extrema(dtype: Any, output: Any, result: Any) -> None:
    kind = np.dtype(dtype).kind
    values = [1, 0] if kind == "b" else [3, np.iinfo(dtype).max, np.iinfo(dtype).min, 7] if kind in "iu" else [3, 9, -5]
    x = np.array(values, dtype)
    check_reduced(max_kernel, x, max(values), output, result)
    check_reduced(min_kernel, x, min(values), output, result)


@pytest.mark.rule("max-nan")
@pytest.mark.parametrize("n", [3, 4, 100])
def test_nan_loses_to_every_number(n: int) -> None:
    x = np.full(n, NAN, np.float32)
    check_reduced(max_kernel, x, NAN, np.float32, tl.float32)
    x[n // 2] = -np.inf
    check_reduced(max_kernel, x, -np.inf, np.float32, tl.float32)
    x[0] = 5
    check_reduced(max_kernel, x, 5, np.float32, tl.float32)
    check_reduced(min_kernel, x, -np.inf, np.float32, tl.float32)
    check_reduced(sum_kernel, x, NAN, np.float32, tl.float32)


@triton.jit
def zeros_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.max(x).to(tl.int32, bitcast=True))
    tl.store(out_ptr + 1, tl.min(x).to(tl.int32, bitcast=True))


@pytest.mark.rule("extremum-zero")
@pytest.mark.parametrize("n", [2, 7, 64])
def test_minus_zero_is_less_than_zero(n: int) -> None:
    x = np.zeros(n, np.float32)
    x[n // 2] = -0.0
    check_one(zeros_kernel, [x], [0, -(2**31)], N=n)
    check_one(zeros_kernel, [-x], [0, -(2**31)], N=n)


@triton.jit
def with_index_kernel(x_ptr, value_ptr, index_ptr, argmin_ptr, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    x = tl.load(x_ptr + m[:, None] * N + tl.arange(0, N)[None, :])
    value, index = tl.max(x, axis=1, return_indices=True)
    tl.static_assert(value.dtype == x.dtype)
    tl.static_assert(index.dtype == tl.int32)
    tl.store(value_ptr + m, value)
    tl.store(index_ptr + m, index)
    tl.store(argmin_ptr + m, tl.argmin(x, axis=1))


@pytest.mark.rule("argmax")
@pytest.mark.parametrize("dtype", [np.float32, np.int8])
@pytest.mark.parametrize("n", [1, 6, 64])
def test_index_of_the_first_of_equal_elements(dtype: Any, n: int) -> None:
    x = np.random.default_rng(n).integers(0, 4, (8, n)).astype(dtype)
    outputs = [np.empty(8, dtype), np.empty(8, np.int32), np.empty(8, np.int32)]
    wanted = [x.max(axis=1), x.argmax(axis=1).astype(np.int32), x.argmin(axis=1).astype(np.int32)]
    check(with_index_kernel, (1,), [x], outputs, wanted, num_warps=WARPS, M=8, N=n)


@triton.jit
def whole_index_kernel(x_ptr, value_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    value, index = tl.max(x, return_indices=True, return_indices_tie_break_left=False)
    tl.store(value_ptr, value)
    tl.store(out_ptr, index)
    tl.store(out_ptr + 1, tl.argmin(x, None, tie_break_left=False))


@pytest.mark.rule("argmax")
@pytest.mark.parametrize(
    ("x", "value", "indices"),
    [
        ([[NAN, 1, 1], [-2, 1, -2]], 1, (1, 3)),
        ([[NAN, NAN]], NAN, (0, 0)),
        ([[NAN], [-np.inf], [np.inf]], np.inf, (2, 1)),
    ],
)
def test_nan_loses_with_an_index(x: list[list[float]], value: float, indices: tuple[int, int]) -> None:
    array = np.array(x, np.float32)
    wanted = [np.array([value], np.float32), np.array(indices, np.int32)]
    outputs = [np.empty_like(w) for w in wanted]
    m, n = array.shape
    check(whole_index_kernel, (1,), [array], outputs, wanted, num_warps=WARPS, M=m, N=n)


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def whole_kernel(x_ptr, whole_ptr, rows_ptr, kept_ptr, last_ptr, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    tl.store(whole_ptr, tl.sum(x))
    rows = tl.sum(x, axis=0)
    tl.static_assert(rows.shape == (N,))
    tl.store(rows_ptr + n, rows)
    kept = tl.sum(x, axis=-1, keep_dims=True)
    tl.static_assert(kept.shape == (M, 1))
    tl.store(kept_ptr + m[:, None], kept)
    tl.store(last_ptr, tl.sum(x, keep_dims=True).reshape(1).item())


@pytest.mark.rule("reduction-axis")
def test_axes_of_reductions() -> None:
    x = np.arange(15, dtype=np.int32).reshape(5, 3)
    wanted = [np.array([x.sum()]), x.sum(axis=0), x.sum(axis=1), np.array([x.sum()])]
    wanted = [array.astype(np.int32) for array in wanted]
    check(whole_kernel, (1,), [x], [np.empty_like(w) for w in wanted], wanted, num_warps=WARPS, M=5, N=3)


@pytest.mark.rule("reduction-sizes")
@pytest.mark.parametrize("n", [1, 3, 33, 100, 129])
def test_padding_is_no_element(n: int) -> None:
    x = -np.arange(1, n + 1, dtype=np.int32)
    check_reduced(sum_kernel, x, x.sum(), np.int32, tl.int32)
    check_reduced(max_kernel, x, -1, np.int32, tl.int32)
    single = -np.ones(n, np.float32)
    check_reduced(max_kernel, single, -1, np.float32, tl.float32)
    check_reduced(min_kernel, -single, 1, np.float32, tl.float32)


@triton.jit
def weighted(value, weight, other_value, other_weight):
    return value + other_value, weight * other_weight


@triton.jit
def user_reduction_kernel(x_ptr, product_ptr, pair_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(product_ptr, tl.reduce(x, 0, product))
    total, weight = tl.reduce((x, x.to(tl.int64)), 0, weighted)
    tl.store(pair_ptr, total.to(tl.int64) * 1000 + weight)


@triton.jit
def wrong_dtype(a, b):
    return (a + b).to(tl.int64)


@triton.jit
def wrong_reduction_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, 4)), 0, wrong_dtype))


@pytest.mark.rule("reduce-function")
@pytest.mark.parametrize("x", [[7], [2, 3, 5], [1, 2, 3, 4]])
def test_reduction_by_a_function_of_the_user(x: list[int]) -> None:
    values = np.array(x, np.int32)
    whole = int(np.prod(values))
    wanted = [np.array([whole], np.int32), np.array([int(values.sum()) * 1000 + whole], np.int64)]
    outputs = [np.empty_like(w) for w in wanted]
    check(user_reduction_kernel, (1,), [values], outputs, wanted, num_warps=WARPS, N=len(x))


@pytest.mark.rule("reduce-function")
def test_function_must_return_its_own_dtypes() -> None:
    with pytest.raises(CompilationError, match="int64"):
        wrong_reduction_kernel.warmup("*i32", "*i32")


@triton.jit
def bits_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.static_assert(tl.xor_sum(x).dtype == tl.uint8)
    tl.store(out_ptr, tl.xor_sum(x))
    tl.store(out_ptr + 1, tl.reduce_or(x, 0))


@triton.jit
def xor_of_floats_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.xor_sum(tl.load(x_ptr + tl.arange(0, 4))))


@pytest.mark.rule("reduction-bits")
def test_reductions_of_bits() -> None:
    x = np.array([1, 2, 6, 200, 7], np.uint8)
    check_one(bits_kernel, [x], [np.bitwise_xor.reduce(x), np.bitwise_or.reduce(x)], np.uint8, N=5)
    with pytest.raises(CompilationError, match="fp32"):
        xor_of_floats_kernel.warmup("*fp32", "*fp32")


@triton.jit
def softmax_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.softmax(tl.load(x_ptr + at)))


@pytest.mark.rule("softmax")
def test_softmax_is_along_the_first_axis() -> None:
    x = np.array([[1, 1000, -np.inf], [2, 1000, 0], [3, 1001, 0]], np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=0))
    wanted = (e / e.sum(axis=0)).astype(np.float32)
    check(softmax_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=(1,), M=3, N=3)
