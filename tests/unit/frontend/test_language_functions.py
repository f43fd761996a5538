"""Every function of the language against NumPy, on the interpreter."""

# A kernel is no Python to a type checker: its constants are numbers, and numbers have the methods of tensors.
# pyright: reportAttributeAccessIssue=false, reportUnnecessaryComparison=false, reportUnnecessaryIsInstance=false
# pyright: reportArgumentType=false, reportInvalidTypeForm=false, reportPossiblyUnboundVariable=false

from __future__ import annotations

import math

import numpy as np
import pytest

import mytriton.language as tl
from mytriton.runtime.jit import jit
from tests.unit.frontend.harness import run, text_of


@jit
def apply(out, x, y, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i), tl.load(y + i)))


def applied(function, x, y=None, dtype=None):
    """What a jit function of two tensors gives for two arrays."""
    y = x if y is None else y
    out = np.zeros(x.shape, dtype or x.dtype)
    run(apply, out, x, y, F=function, N=x.size)
    return out


FLOATS = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.75, -3.25, 10.0, 1e-3, 50.0, 7.5], np.float32)
INTS = np.array([0, 1, -1, 7, -7, 100, -100, 2**31 - 1, -(2**31), 12345], np.int32)


# Mathematics


@jit
def exp(x, y):
    return tl.exp(x)


@jit
def exp2(x, y):
    return tl.math.exp2(x)


@jit
def log(x, y):
    return x.log()


@jit
def log2(x, y):
    return tl.log2(x)


@jit
def sqrt(x, y):
    return tl.sqrt(x)


@jit
def sqrt_rn(x, y):
    return tl.sqrt_rn(x)


@jit
def rsqrt(x, y):
    return tl.rsqrt(x)


@jit
def sine(x, y):
    return tl.sin(x)


@jit
def cosine(x, y):
    return tl.cos(x)


@jit
def floor(x, y):
    return tl.floor(x)


@jit
def ceil(x, y):
    return tl.ceil(x)


@jit
def error_function(x, y):
    return tl.erf(x)


@jit
def absolute(x, y):
    return tl.abs(x)


@jit
def absolute_of_python(x, y):
    return abs(x)


@jit
def sigmoid(x, y):
    return tl.sigmoid(x)


@jit
def fused(x, y):
    return tl.fma(x, y, 1.5)


@jit
def clamped(x, y):
    return tl.clamp(x, -2.0, 3)


@jit
def divided(x, y):
    return tl.fdiv(x, 3.0) + tl.div_rn(x, 3.0) + x / 3


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (exp, np.exp),
        (exp2, np.exp2),
        (sine, np.sin),
        (cosine, np.cos),
        (floor, np.floor),
        (ceil, np.ceil),
        (absolute, np.abs),
        (absolute_of_python, np.abs),
        (error_function, np.vectorize(math.erf)),
        (sigmoid, lambda x: 1 / (1 + np.exp(-x))),
        (fused, lambda x: x * x + 1.5),
        (clamped, lambda x: np.clip(x, -2, 3)),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_floats(function, expected, dtype):
    x = FLOATS.astype(dtype)
    np.testing.assert_allclose(applied(function, x), expected(x.astype(np.float64)), rtol=2e-6)


@pytest.mark.parametrize(
    ("function", "expected"),
    [(log, np.log), (log2, np.log2), (sqrt, np.sqrt), (rsqrt, lambda x: 1 / np.sqrt(x))],
)
def test_functions_of_positive_floats(function, expected):
    x = np.array([1e-6, 0.5, 1.0, 2.0, 1e10], np.float32)
    np.testing.assert_allclose(applied(function, x), expected(x.astype(np.float64)), rtol=2e-6)


def test_rounded_functions():
    x = np.array([1e-6, 0.5, 1.0, 2.0, 1e10], np.float32)
    np.testing.assert_array_equal(applied(sqrt_rn, x), np.sqrt(x))
    third = x / np.float32(3)
    np.testing.assert_array_equal(applied(divided, x), third + third + third)


def test_absolute_value_of_integers():
    np.testing.assert_array_equal(applied(absolute, INTS), np.abs(INTS))
    x = np.array([0, 1, 255], np.uint8)
    np.testing.assert_array_equal(applied(absolute, x), x)


# Integers


@jit
def quotient(x, y):
    return x // y


@jit
def remainder(x, y):
    return x % y


@jit
def quotient_by_constant(x, y):
    return x // -3


@jit
def rounded_up(x, y):
    return tl.cdiv(x, y)


@jit
def rounded_up_by_constant(x, y):
    return x.cdiv(5)


@jit
def upper_half(x, y):
    return tl.math.umulhi(x, y)


def test_integer_division_is_that_of_c():
    y = np.array([3, -3, 2, -2, 2, 7, -7, 2, 3, 100], np.int32)
    exact = [int(math.copysign(abs(int(a)) // abs(int(b)), int(a) * int(b))) for a, b in zip(INTS, y, strict=True)]
    np.testing.assert_array_equal(applied(quotient, INTS, y), exact)
    rest = [int(a) - q * int(b) for a, q, b in zip(INTS, exact, y, strict=True)]
    np.testing.assert_array_equal(applied(remainder, INTS, y), rest)
    by_three = [int(math.copysign(abs(int(a)) // 3, -int(a))) for a in INTS]
    np.testing.assert_array_equal(applied(quotient_by_constant, INTS), by_three)


def test_unsigned_division():
    x = np.array([0, 1, 200, 255], np.uint8)
    y = np.array([1, 2, 7, 254], np.uint8)
    np.testing.assert_array_equal(applied(quotient, x, y), x // y)
    np.testing.assert_array_equal(applied(remainder, x, y), x % y)


def test_ceiling_division():
    x = np.array([-36, 36, 7, 2**31 - 1, -35, 0, 36, -36, -(2**31)], np.int32)
    y = np.array([5, 5, 7, 2, 5, 3, -5, -5, 3], np.int32)
    exact = [-(-int(a) // int(b)) for a, b in zip(x, y, strict=True)]
    assert exact[:4] == [-7, 8, 1, 1073741824]
    np.testing.assert_array_equal(applied(rounded_up, x, y), exact)
    np.testing.assert_array_equal(applied(rounded_up_by_constant, x), [-(-int(a) // 5) for a in x])
    unsigned = np.array([0, 1, 2**32 - 1, 10, 9], np.uint32)
    np.testing.assert_array_equal(applied(rounded_up_by_constant, unsigned), [-(-int(a) // 5) for a in unsigned])


def test_upper_half_of_a_product():
    x = np.array([0, 1, 2**32 - 1, 123456789], np.uint32)
    y = np.array([5, 2**32 - 1, 2**32 - 1, 987654321], np.uint32)
    exact = [int(a) * int(b) >> 32 for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(applied(upper_half, x, y), exact)


@jit
def shifted(x, y):
    return (x >> 1) ^ (x << 3)


@jit
def shifted_by(x, y):
    return x >> y


def test_shifts():
    x = np.array([-8, 8, -1, 2**31 - 1], np.int32)
    np.testing.assert_array_equal(applied(shifted, x), (x >> 1) ^ (x << 3))
    x = np.array([0xFFFFFFF8, 5], np.uint32)
    np.testing.assert_array_equal(applied(shifted, x), (x >> 1) ^ (x << 3))
    for value, amount, dtype, expected in [(0xFFFE, 5, np.uint16, 2047), (0xFE, 5, np.uint8, 7), (-8, 1, np.int32, -4)]:
        x, y = np.array([value], dtype), np.array([amount], dtype)
        assert applied(shifted_by, x, y)[0] == expected


@jit
def bits(x, y):
    return (x & y) + (x | y) - (x ^ y) + ~x - (-x)


def test_bitwise_operators():
    y = np.roll(INTS, 3)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(applied(bits, INTS, y), (INTS & y) + (INTS | y) - (INTS ^ y) + ~INTS - (-INTS))


@jit
def compared(x, y):
    return (
        (x < y).to(tl.int32)
        + (x <= y).to(tl.int32) * 2
        + (x > y).to(tl.int32) * 4
        + (x >= y).to(tl.int32) * 8
        + (x == y).to(tl.int32) * 16
        + (x != y).to(tl.int32) * 32
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.float32])
def test_comparisons(dtype):
    x = np.array([0, 1, -1, 5]).astype(dtype)
    y = np.array([1, 1, 0, 5], dtype)
    expected = (x < y) + (x <= y) * 2 + (x > y) * 4 + (x >= y) * 8 + (x == y) * 16 + (x != y) * 32
    np.testing.assert_array_equal(applied(compared, x, y, np.int32), expected)


def test_comparisons_with_nan():
    x = np.array([np.nan, np.nan, 1.0], np.float32)
    y = np.array([np.nan, 1.0, np.nan], np.float32)
    np.testing.assert_array_equal(applied(compared, x, y, np.int32), [32, 32, 32])


# Selection and NaN


@jit
def larger(x, y):
    return tl.maximum(x, y)


@jit
def smaller(x, y):
    return min(x, y)


@jit
def larger_or_nan(x, y):
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@jit
def chosen(x, y):
    return tl.where(x > y, x, 0)


def test_minimum_and_maximum():
    x = np.array([1.0, np.nan, 3.0, np.nan, -np.inf], np.float32)
    y = np.array([2.0, 5.0, np.nan, np.nan, 1.0], np.float32)
    np.testing.assert_array_equal(applied(larger, x, y), np.fmax(x, y))
    np.testing.assert_array_equal(applied(smaller, x, y), np.fmin(x, y))
    np.testing.assert_array_equal(applied(larger_or_nan, x, y), np.maximum(x, y))
    np.testing.assert_array_equal(applied(larger, INTS, np.roll(INTS, 1)), np.maximum(INTS, np.roll(INTS, 1)))
    x = np.array([255, 1], np.uint8)
    np.testing.assert_array_equal(applied(larger, x, x[::-1].copy()), [255, 255])


def test_where():
    np.testing.assert_array_equal(
        applied(chosen, FLOATS, FLOATS[::-1].copy()), np.where(FLOATS[::-1] < FLOATS, FLOATS, 0)
    )


# Conversions


@jit
def convert(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i))


def converted(x, dtype):
    out = np.zeros(x.shape, dtype)
    run(convert, out, x, N=x.size)
    return out


def test_stores_convert():
    np.testing.assert_array_equal(converted(np.array([1.9, -1.9, 300.5], np.float32), np.int32), [1, -1, 300])
    np.testing.assert_array_equal(converted(np.array([300, -1], np.int32), np.int8), [44, -1])
    np.testing.assert_array_equal(converted(np.array([255], np.uint8), np.int32), [255])
    np.testing.assert_array_equal(converted(np.array([-1], np.int8), np.uint32), [2**32 - 1])
    np.testing.assert_array_equal(converted(np.array([2**32 - 1], np.uint32), np.float32), [2.0**32])
    np.testing.assert_array_equal(converted(np.array([1.0 + 2**-12], np.float32), np.float16), [1.0])
    np.testing.assert_array_equal(converted(np.array([0.1], np.float32), np.float64), [np.float32(0.1)])


def test_a_boolean_in_memory_is_whether_the_byte_is_not_zero():
    x = np.array([256, 512, 0, -1, 2, 257], np.int32)
    np.testing.assert_array_equal(converted(x, np.bool_), [True, True, False, True, True, True])
    seven = np.array([7, 0, 1], np.uint8).view(np.bool_)
    np.testing.assert_array_equal(converted(seven, np.int32), [1, 0, 1])


@jit
def casts(out, x):
    value = tl.load(x)
    tl.store(out, value.to(tl.int32, bitcast=True))
    tl.store(out + 1, tl.cast(value, tl.float16, fp_downcast_rounding="rtne").to(tl.int16, bitcast=True))
    tl.store(out + 2, value.to(tl.float16).to(tl.int16, bitcast=True))
    tl.store(out + 3, value.to(tl.bfloat16).to(tl.int16, bitcast=True))
    tl.store(out + 4, (5).to(tl.int64))
    tl.store(out + 5, tl.cast(-1, tl.uint8))
    tl.store(out + 6, tl.cast(2.9, tl.int32))
    tl.store(out + 7, tl.cast(1e300, tl.float32) == float("inf"))


def test_casts():
    out = np.zeros(8, np.int32)
    value = np.array([1.9998], np.float32)
    run(casts, out, value)
    assert out[0] == value.view(np.int32)[0]
    assert out[1] == out[2] == np.float16(2.0).view(np.int16)
    assert out[3] == 0x4000  # 2.0
    assert out[4:].tolist() == [5, 255, 2, 1]


def test_rounding_towards_zero_is_asked_for():
    @jit
    def kernel(out, x):
        tl.store(out, tl.load(x).to(tl.float16, fp_downcast_rounding="rtz"))

    assert "rounding = rtz : f32 -> f16" in text_of(kernel, {"out": "*fp16", "x": "*fp32"})


# Shapes


@jit
def shapes(out, x, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + rows[:, None] * N + columns[None, :])
    flat = tl.arange(0, M * N)
    tl.store(out + columns[:, None] * M + rows[None, :], tile.T)
    tl.store(out + M * N + columns[:, None] * M + rows[None, :], tl.trans(tile))
    tl.store(out + 2 * M * N + flat, tl.ravel(tile))
    tl.store(out + 3 * M * N + flat, tl.reshape(tl.permute(tile, 1, 0), (M * N,)))
    tl.store(out + 4 * M * N + flat, tl.broadcast_to(tl.expand_dims(columns, 0), (M, N)).reshape(M * N))
    cube = tile[:, None, :] + tl.zeros((M, 2, N), tl.float32)
    tl.store(out + 5 * M * N + tl.arange(0, 2 * M * N), tl.ravel(cube))


def test_shapes():
    m, n = 3, 5
    x = np.arange(m * n, dtype=np.float32) ** 2
    out = np.zeros(7 * m * n, np.float32)
    run(shapes, out, x, M=m, N=n)
    tile = x.reshape(m, n)
    transposed = tile.T.ravel()
    columns = np.tile(np.arange(n, dtype=np.float32), m)
    cube = np.repeat(tile[:, None, :], 2, axis=1).ravel()
    np.testing.assert_array_equal(out, np.concatenate([transposed, transposed, x, transposed, columns, cube]))


@jit
def facts_of_shapes(out, p):
    x = tl.zeros((4, 6), tl.int16)
    y = tl.squeeze(x[None, :, :], 0) + tl.unsqueeze(tl.arange(0, 6), 0)
    tl.static_assert(x.shape == (4, 6) and x.shape[1] == 6 and x.numel == 24 and len(x.shape) == 2)
    tl.static_assert(x.dtype == tl.int16 and x.type.scalar == tl.int16 and x.dtype.primitive_bitwidth == 16)
    tl.static_assert(y.dtype == tl.int32 and y.shape == [4, 6] if False else y.shape == (4, 6))
    tl.static_assert(p.dtype.element_ty == tl.float32 and p.dtype.is_ptr() and not x.dtype.is_ptr())
    tl.static_assert((p + tl.arange(0, 4)).dtype.element_ty.is_fp32() and tl.float32.is_floating())
    tl.static_assert(tl.zeros_like(x).dtype == tl.int16 and tl.zeros((), tl.float32).shape == ())
    tl.static_assert(tl.view(x, 24).shape == (24,) and tl.view(x, (2, 12)).shape[0] == 2)
    tl.static_assert(isinstance(x, tl.tensor) and isinstance(3, tl.constexpr) and isinstance(3, int))
    tl.static_assert(min(3, 4) + max((1, 2)) + abs(-1) + len((1, 2)) + int(2.5) + round(1.6) == 12)
    tl.static_assert([i * 2 for i in range(4) if i != 1] == (0, 4, 6) and sum([1, 2]) == 3)
    tl.static_assert(f"{x.shape[0]:03d} {p.dtype}" == "004 pointer<fp32>")
    tl.store(out, tl.sum(y) + x.shape[0].value)
    tl.store(out + 1, tl.sum(tl.zeros((1,), tl.int32) + 3).to(tl.int32) + tl.full((1, 1), 4, tl.int32).item())


def test_facts_of_shapes():
    out = np.zeros(2, np.int32)
    run(facts_of_shapes, out, np.zeros(1, np.float32))
    assert out.tolist() == [4 * 15 + 4, 7]


# Reductions


@jit
def sum_of(x, AXIS: tl.constexpr):
    return tl.sum(x, axis=AXIS)


@jit
def max_of(x, AXIS: tl.constexpr):
    return tl.max(x, AXIS)


@jit
def min_of(x, AXIS: tl.constexpr):
    return x.min(axis=AXIS)


@jit
def product(a, b):
    return a * b


@jit
def product_of(x, AXIS: tl.constexpr):
    return tl.reduce(x, AXIS, product)


@jit
def xor_of(x, AXIS: tl.constexpr):
    return tl.xor_sum(x, AXIS)


@jit
def argmax_of(x, AXIS: tl.constexpr):
    return tl.argmax(x, AXIS)


@jit
def argmin_of(x, AXIS: tl.constexpr):
    return tl.argmin(x, AXIS)


@jit
def reduction(out, x, F: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    tile = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    result = F(tile, AXIS)
    if result.shape == ():
        tl.store(out, result)
    else:
        tl.store(out + tl.arange(0, result.shape[0]), result)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (sum_of, np.sum),
        (max_of, np.max),
        (min_of, np.min),
        (product_of, np.prod),
        (xor_of, np.bitwise_xor.reduce),
        (argmax_of, np.argmax),
        (argmin_of, np.argmin),
    ],
)
def test_reductions(function, expected):
    m, n = 3, 5
    x = np.random.default_rng(5).integers(-9, 9, (m, n)).astype(np.int32)
    for axis in (0, 1, -1, None):
        if axis is None and function in (argmax_of, argmin_of):
            continue
        wanted = np.atleast_1d(expected(x.reshape(-1) if axis is None else x, axis=0 if axis is None else axis))
        out = np.zeros(wanted.shape, np.int32)
        run(reduction, out, x.reshape(-1), F=function, AXIS=axis, M=m, N=n)
        np.testing.assert_array_equal(out, wanted)


@jit
def small_sums(out, x, N: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    total = tl.sum(value, axis=0)
    tl.static_assert(total.dtype.int_bitwidth == 32)
    tl.store(out, total)
    tl.store(out + 1, tl.max(value, axis=0))
    tl.store(out + 2, tl.sum(value > 0, axis=0))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16])
def test_small_integers_are_summed_in_32_bits(dtype):
    x = np.full(300, 100, dtype)
    out = np.zeros(3, np.int64)
    run(small_sums, out, x, N=300)
    assert out.tolist() == [30000, 100, 300]


@jit
def kept_axes(out, x):
    tile = tl.load(x + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :])
    centred = tile - tl.sum(tile, axis=1, keep_dims=True) / 4
    tl.static_assert(tl.sum(tile, keep_dims=True).shape == (1, 1))
    tl.store(out + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :], centred)


def test_keep_dims():
    x = np.arange(16, dtype=np.float32) ** 2
    out = np.zeros(16, np.float32)
    run(kept_axes, out, x)
    tile = x.reshape(4, 4)
    np.testing.assert_allclose(out.reshape(4, 4), tile - tile.mean(axis=1, keepdims=True))


@jit
def extremes_with_index(out, index, x, N: tl.constexpr, LEFT: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    largest, at = tl.max(value, axis=0, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(out, largest)
    tl.store(index, at)
    smallest, at = tl.min(value, 0, return_indices=True)
    tl.store(out + 1, smallest)
    tl.store(index + 1, at)


def test_extremes_with_their_index():
    x = np.array([3, 9, 1, 9, 1, 4], np.float32)
    out, index = np.zeros(2, np.float32), np.zeros(2, np.int32)
    run(extremes_with_index, out, index, x, N=6, LEFT=True)
    assert out.tolist() == [9, 1]
    assert index.tolist() == [1, 2]


@jit
def complex_product(a, b, c, d):
    return a * c - b * d, a * d + b * c


@jit
def complex_reduction(out, x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    real, imaginary = tl.reduce((tl.load(x + i), tl.load(y + i)), 0, complex_product)
    tl.store(out, real)
    tl.store(out + 1, imaginary)


def test_reduction_of_several_tensors():
    x = np.array([1.0, 2.0, -1.0, 0.5], np.float32)
    y = np.array([0.5, -1.0, 2.0, 1.0], np.float32)
    out = np.zeros(2, np.float32)
    run(complex_reduction, out, x, y, N=4)
    wanted = np.prod(x + 1j * y)
    np.testing.assert_allclose(out, [wanted.real, wanted.imag], rtol=1e-6)


@jit
def row_softmax(out, x, N: tl.constexpr):
    tile = tl.load(x + tl.arange(0, 3)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + tl.arange(0, 3)[:, None] * N + tl.arange(0, N)[None, :], tl.softmax(tile, dim=1))


def test_softmax():
    x = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32) * 5
    out = np.zeros_like(x)
    run(row_softmax, out.reshape(-1), x.reshape(-1), N=5)
    weights = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, weights / weights.sum(axis=1, keepdims=True), rtol=1e-6)


# Memory


@jit
def masked(out, x, n, N: tl.constexpr):
    i = tl.arange(0, N)
    plain = tl.load(x + i, mask=i < n)
    filled = tl.load(x + i, mask=i < n, other=7, cache_modifier=".ca", eviction_policy="evict_last")
    always = tl.load(x + i % 2, mask=True, other=3, volatile=True)
    never = tl.load(x + 1000, mask=n < 0, other=-5.0)
    tl.store(out + i, plain, mask=i != 2)
    tl.store(out + N + i, filled + never, cache_modifier=".cs")
    tl.store(out + 2 * N + i, always, i < N)
    tl.store(out + 3 * N, 2, mask=n > 0)
    (out + 3 * N + 1).store(tl.load(1 + x), n > 100)
    tl.store(out - (-3 * N - 2), tl.load(x + 3 - 2))


def test_loads_and_stores():
    x = np.array([10, 20, 30, 40], np.float32)
    out = np.full(15, -1, np.float32)
    run(masked, out, x, 3, N=4)
    assert out.tolist() == [10, 20, -1, 0, 5, 15, 25, 2, 10, 20, 10, 20, 2, -1, 20]


@jit
def unsigned_offsets(out, x):
    i = tl.arange(0, 256).to(tl.uint8)
    tl.store(out + i, tl.load(x + i))
    tl.store(out + 256, tl.load(x + 255 - tl.cast(200, tl.uint8)))


def test_unsigned_offsets_are_not_negative():
    x = np.arange(256, dtype=np.float32)
    out = np.zeros(257, np.float32)
    run(unsigned_offsets, out, x)
    assert out.tolist() == [*range(256), 55]


@jit
def broadcast_memory(out, x):
    rows, columns = tl.arange(0, 2)[:, None], tl.arange(0, 3)[None, :]
    tile = tl.load(x + columns, mask=(rows < 1) & (columns < 2), other=-1)
    tl.static_assert(tile.shape == (2, 3))
    tl.store(out + rows * 3 + columns, tile)
    tl.store(out + 6 + rows * 3 + columns, tl.arange(0, 3)[None, :], mask=rows == 1)


def test_masks_and_values_are_broadcast():
    out = np.full(12, 9, np.int32)
    run(broadcast_memory, out, np.array([5, 6, 7], np.int32))
    assert out.tolist() == [5, 6, -1, -1, -1, -1, 9, 9, 9, 0, 1, 2]


@jit
def pointers(out, x, n):
    address = x.to(tl.int64) + 4 * n
    tl.store(out, tl.load(address.to(tl.pointer_type(tl.int32))))
    bytes = x.to(tl.pointer_type(tl.int8))
    tl.store(out + 1, tl.load(bytes + 4))
    tl.store(out + 2, tl.load(tl.where(n > 1, x + 1, x)))
    p = x
    for _ in range(n):
        p += 1
    tl.store(out + 3, tl.load(p))


def test_pointers():
    out = np.zeros(4, np.int32)
    run(pointers, out, np.array([1, 0x0203, 5], np.int32), 2)
    assert out.tolist() == [5, 3, 0x0203, 5]


# The grid, and functions that are written in terms of others


@jit
def grid(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(axis=2)
    i = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + i, x * 100 + y * 10 + z)


def test_grid():
    out = np.zeros(2 * 3 * 4, np.int32)
    run(grid, out, grid=(2, 3, 4))
    assert out.reshape(4, 3, 2)[3, 2, 1] == 123
    assert out.reshape(4, 3, 2)[0, 1, 0] == 10


@jit
def swizzled(out, rows, columns, group):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), rows, columns, group)
    tl.store(out + tl.program_id(0) * columns + tl.program_id(1), i * 10 + j)


def test_swizzle():
    out = np.zeros(16, np.int32)
    run(swizzled, out, 4, 4, 2, grid=(4, 4))
    # Within a group of two rows, the programs in row-major order go down the columns.
    assert out.tolist() == [0, 10, 1, 11, 2, 12, 3, 13, 20, 30, 21, 31, 22, 32, 23, 33]


# dot


@jit
def product_of_matrices(c, a, b, F: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(c + m[:, None] * N + n[None, :], F(x, y))


@jit
def plain_dot(x, y):
    return tl.dot(x, y)


@jit
def accumulated_dot(x, y):
    return tl.dot(x, y, acc=tl.full((x.shape[0], y.shape[1]), 1, tl.float32)) + tl.dot(x, y, allow_tf32=False)


@jit
def half_dot(x, y):
    result = tl.dot(x.to(tl.float16), y.to(tl.float16), out_dtype=tl.float16)
    tl.static_assert(result.dtype == tl.float16)
    tl.static_assert(tl.dot(x.to(tl.bfloat16), y.to(tl.bfloat16)).dtype == tl.float32)
    return result


@pytest.mark.parametrize(
    ("function", "expected"),
    [(plain_dot, lambda p: p), (accumulated_dot, lambda p: 2 * p + 1), (half_dot, lambda p: p)],
)
def test_dot(function, expected):
    rng = np.random.default_rng(1)
    a = rng.integers(-4, 5, (3, 5)).astype(np.float32)
    b = rng.integers(-4, 5, (5, 6)).astype(np.float32)
    c = np.zeros((3, 6), np.float32)
    run(product_of_matrices, c.reshape(-1), a.reshape(-1), b.reshape(-1), F=function, M=3, N=6, K=5)
    np.testing.assert_array_equal(c, expected(a @ b))


def test_dot_of_int8_and_float64():
    a = np.array([[100, -100], [127, 127]], np.int8)
    c = np.zeros((2, 2), np.int32)
    run(product_of_matrices, c.reshape(-1), a.reshape(-1), a.reshape(-1), F=plain_dot, M=2, N=2, K=2)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ a.astype(np.int32))
    a, c = a.astype(np.float64) / 3, np.zeros((2, 2))
    run(product_of_matrices, c.reshape(-1), a.reshape(-1), a.reshape(-1), F=plain_dot, M=2, N=2, K=2)
    np.testing.assert_allclose(c, a @ a, rtol=1e-14)


def test_precision_of_dot():
    @jit
    def kernel(p):
        x = tl.zeros((4, 4), tl.float32)
        y = tl.dot(x, x, input_precision="tf32") + tl.dot(x, x, allow_tf32=True) + tl.dot(x, x, input_precision="ieee")
        tl.store(p + tl.arange(0, 4), tl.sum(y, 0))

    assert text_of(kernel, {"p": "*fp32"}).count("inputPrecision = tf32") == 2


# Hints and messages


def test_hints_go_through():
    @jit
    def kernel(p, n):
        n = tl.multiple_of(n, 16)
        i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 32) + n * 4, 8), 32)
        tl.assume(n > 0)
        p = tl.multiple_of(p, 8)
        tl.store(p + tl.max_constancy(i // 4, (4,)), 1.0)

    text = text_of(kernel, {"p": "*fp32", "n": "i32"})
    assert "%p: !tt.ptr<f32> {tt.divisibility = 8 : i32}, %n: i32 {tt.divisibility = 16 : i32}" in text
    assert "tt.divisibility = dense<8> : tensor<1xi32>" in text
    assert "tt.contiguity = dense<32> : tensor<1xi32>" in text
    assert "tt.constancy = dense<4> : tensor<1xi32>" in text


def test_hints_of_loops_are_written_on_the_loop():
    @jit
    def kernel(p, n, STAGES: tl.constexpr):
        for i in tl.range(0, n, 2, num_stages=STAGES, flatten=True):
            tl.store(p + i, 1.0)

    text = text_of(kernel, {"p": "*fp32", "n": "i32"}, STAGES=3)
    assert "tt.num_stages = 3 : i32" in text
    assert "tt.flatten" in text


def test_static_print(capsys):
    @jit
    def kernel(p, n, N: tl.constexpr):
        tl.static_print("N is", N, "and n is", n, sep="|")
        print("a value of the running kernel", N // 2)
        assert n > 0, "not checked"

    text_of(kernel, {"p": "*fp32", "n": "i32"}, N=8)
    assert capsys.readouterr().out == "N is|8|and n is|int32\n"
