"""Arithmetic on floats and functions of floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check
from tests.semantics.elementwise import bfloat16, check_each, check_one

FLOATS: tuple[Any, ...] = (np.float16, bfloat16, np.float32, np.float64)
INF, NAN = math.inf, math.nan


@triton.jit
def added(x, y):
    return x + y


@triton.jit
def multiplied(x, y):
    return x * y


@triton.jit
def divided(x, y):
    return x / y


@triton.jit
def product_and_sum(x, y, z):
    return x * y + z


@triton.jit
def fused(x, y, z):
    return tl.fma(x, y, z)


@triton.jit
def remainder(x, y):
    return x % y


@triton.jit
def rounded_quotient(x, y):
    return x // y


# Rounding


@pytest.mark.rule("float-arithmetic")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_each_operation_is_rounded_to_nearest_even(dtype: Any) -> None:
    unit = np.finfo(dtype).eps
    x, y = np.array([1, 1 + unit, 0.1, 1e30], dtype), np.array([unit / 2, unit / 2, 0.2, 1], dtype)
    check_each(added, [x, y], x + y)
    assert (x + y)[0] == 1
    assert (x + y)[1] == 1 + 2 * unit
    check_each(multiplied, [x, y], x * y)


@pytest.mark.rule("float-arithmetic")
def test_denormals_and_infinities_are_kept() -> None:
    x, y = np.array([1e-30, 1e-45, 3e38, INF, INF], np.float32), np.array([1e-10, 0.5, 10, 0, -INF], np.float32)
    with np.errstate(all="ignore"):
        check_each(multiplied, [x, y], x * y)
        check_each(added, [x, y], x + y)
        assert 0 < (x * y)[0] < np.finfo(np.float32).tiny


@pytest.mark.rule("small-floats")
@pytest.mark.parametrize("dtype", [np.dtype(np.float16), bfloat16])
def test_small_floats_are_rounded_after_each_operation(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    x, y, z = (rng.standard_normal(200).astype(dtype) for _ in range(3))
    single = [a.astype(np.float32) for a in (x, y, z)]
    product = (single[0] * single[1]).astype(dtype)
    wanted = (product.astype(np.float32) + single[2]).astype(dtype)
    check_each(product_and_sum, [x, y, z], wanted)
    assert np.any(wanted != (single[0] * single[1] + single[2]).astype(dtype))


@pytest.mark.rule("fma")
def test_fma_rounds_once() -> None:
    unit = 2.0**-23
    x = np.array([1 + unit, 3, 0.1], np.float32)
    z = np.array([-(1 + 2 * unit), 1, -0.01], np.float32)
    exact = x.astype(np.float64) * x.astype(np.float64) + z.astype(np.float64)
    check_each(fused, [x, x, z], exact.astype(np.float32))
    # x * x is 1 + 2 * unit + unit * unit, of which a product that is rounded by itself has lost the end.
    assert exact[0] == unit * unit


@pytest.mark.rule("fma")
def test_fma_of_small_floats_is_that_of_float32_rounded() -> None:
    # 7 * 37 is half way between two bfloat16, and float32 has no digit left for what is subtracted.
    x, y, z = (np.array([value], bfloat16) for value in (7, 37, -(2.0**-20)))
    check_each(fused, [x, y, z], np.array([260], bfloat16))
    x, y, z = (np.array([value], np.float16) for value in (3, 683, 2.0**-15))
    check_each(fused, [x, y, z], np.array([2048], np.float16))


@triton.jit
def separate_kernel(x_ptr, y_ptr, z_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * tl.load(y_ptr + i) + tl.load(z_ptr + i))


@pytest.mark.rule("contraction")
def test_product_and_sum_are_fused_on_no_cpu() -> None:
    unit = np.float32(2.0**-23)
    x, z = np.array([1 + unit], np.float32), np.array([-(1 + 2 * unit)], np.float32)
    check_each(product_and_sum, [x, x, z], np.array([0], np.float32))


@pytest.mark.rule("contraction")
def test_option_decides_on_the_gpu() -> None:
    signature = ("*fp32", "*fp32", "*fp32", "*fp32")
    for fuses in (True, False):
        compiled = separate_kernel.warmup(*signature, N=32, enable_fp_fusion=fuses)
        try:
            ptx = compiled.asm["ptx"]
        except triton.NvrtcMissingError as error:
            pytest.skip(f"NVRTC is not installed: {error}")
        assert ("fma.rn.f32" in ptx) == fuses
        assert ("mul.f32" in ptx or "mul.rn.f32" in ptx) != fuses


@pytest.mark.rule("float-remainder")
def test_remainder_has_the_sign_of_the_dividend() -> None:
    x = np.array([5.5, -5.5, 5.5, -5.5, 1e20, INF, 1, 1, -0.0, NAN])
    y = np.array([2, 2, -2, -2, 3, 2, INF, 0, 1, 1.0])
    with np.errstate(all="ignore"):
        check_each(remainder, [x, y], np.fmod(x, y))
        single = [x.astype(np.float32), y.astype(np.float32)]
        check_each(remainder, single, np.fmod(*single))


@pytest.mark.rule("float-floor-division")
def test_floats_have_no_floor_division() -> None:
    x = np.ones(1, np.float32)
    with pytest.raises(CompilationError, match=r"//.*tl.floor|tl.floor|//"):
        check_each(rounded_quotient, [x, x], x)


@pytest.mark.rule("division-by-float-zero")
def test_division_by_zero() -> None:
    x, y = np.array([1, -1, 1, 0, INF, NAN]), np.array([0, 0, -0.0, 0, INF, 1])
    wanted = np.array([INF, -INF, -INF, NAN, NAN, NAN])
    check_each(divided, [x, y], wanted)
    check_each(divided, [x.astype(np.float32), y.astype(np.float32)], wanted.astype(np.float32))


# NaN and the sign of zero


@triton.jit
def comparisons_kernel(x_ptr, y_ptr, eq_ptr, ne_ptr, lt_ptr, le_ptr, gt_ptr, ge_ptr, not_lt_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(eq_ptr + i, x == y)
    tl.store(ne_ptr + i, x != y)
    tl.store(lt_ptr + i, x < y)
    tl.store(le_ptr + i, x <= y)
    tl.store(gt_ptr + i, x > y)
    tl.store(ge_ptr + i, x >= y)
    tl.store(not_lt_ptr + i, not x < y)


@pytest.mark.rule("compare-nan")
@pytest.mark.parametrize("dtype", FLOATS)
def test_comparisons_with_nan(dtype: Any) -> None:
    x, y = np.array([NAN, NAN, 1, 1, -0.0, INF], dtype), np.array([NAN, 1, NAN, 2, 0.0, INF], dtype)
    with np.errstate(invalid="ignore"):
        wanted = [x == y, x != y, x < y, x <= y, x > y, x >= y, ~(x < y)]
    assert wanted[1].tolist() == [True, True, True, True, False, False]
    outputs = [np.empty(len(x), np.bool_) for _ in wanted]
    check(comparisons_kernel, (1,), [x, y], outputs, wanted, num_warps=(1,), N=len(x))


@triton.jit
def smaller(x, y):
    return tl.minimum(x, y)


@triton.jit
def larger(x, y):
    return tl.maximum(x, y)


@triton.jit
def smaller_or_nan(x, y):
    return tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def larger_or_nan(x, y):
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@pytest.mark.rule("extremum-nan")
@pytest.mark.parametrize("dtype", FLOATS)
def test_extremum_with_nan(dtype: Any) -> None:
    x, y = np.array([NAN, 1, NAN, 2, -INF], dtype), np.array([1, NAN, NAN, 3, INF], dtype)
    check_each(smaller, [x, y], np.array([1, 1, NAN, 2, -INF], dtype))
    check_each(larger, [x, y], np.array([1, 1, NAN, 3, INF], dtype))
    check_each(smaller_or_nan, [x, y], np.array([NAN, NAN, NAN, 2, -INF], dtype))
    check_each(larger_or_nan, [x, y], np.array([NAN, NAN, NAN, 3, INF], dtype))


@triton.jit
def extrema_bits_kernel(x_ptr, y_ptr, min_ptr, max_ptr, min_nan_ptr, max_nan_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(min_ptr + i, tl.minimum(x, y).to(tl.int32, bitcast=True))
    tl.store(max_ptr + i, tl.maximum(x, y).to(tl.int32, bitcast=True))
    tl.store(min_nan_ptr + i, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL).to(tl.int32, bitcast=True))
    tl.store(max_nan_ptr + i, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL).to(tl.int32, bitcast=True))


@pytest.mark.rule("extremum-zero")
@pytest.mark.parametrize("n", [4, 64])
def test_minus_zero_is_less_than_zero(n: int) -> None:
    x = np.tile(np.array([0.0, -0.0, 0.0, -0.0], np.float32), n // 4)
    y = np.tile(np.array([-0.0, 0.0, 0.0, -0.0], np.float32), n // 4)
    minus, plus = np.array([-0.0, 0.0], np.float32).view(np.int32).tolist()
    least = np.tile(np.array([minus, minus, plus, minus], np.int32), n // 4)
    most = np.tile(np.array([plus, plus, plus, minus], np.int32), n // 4)
    outputs = [np.empty(n, np.int32) for _ in range(4)]
    check(extrema_bits_kernel, (1,), [x, y], outputs, [least, most, least, most], num_warps=(1,), N=n)


@triton.jit
def extremum_of_integers_kernel(x_ptr, y_ptr, out_ptr):
    x, y = tl.load(x_ptr), tl.load(y_ptr)
    tl.store(out_ptr, tl.maximum(x, y))
    tl.store(out_ptr + 1, tl.maximum(x.to(tl.uint8), y.to(tl.uint8)).to(tl.int32))
    tl.store(out_ptr + 2, tl.minimum(x, 3).to(tl.int32))
    tl.static_assert(tl.minimum(x, 3).dtype == tl.int8)


@pytest.mark.rule("extremum-integers")
def test_extremum_of_integers() -> None:
    check_one(extremum_of_integers_kernel, [np.array([-1], np.int8), np.array([1], np.int8)], [1, 255, -1])


@triton.jit
def clamped(x, low, high):
    return tl.clamp(x, low, high)


@triton.jit
def clamped_or_nan(x, low, high):
    return tl.clamp(x, low, high, propagate_nan=tl.PropagateNan.ALL)


@pytest.mark.rule("clamp")
@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp(dtype: Any) -> None:
    x = np.array([-5, 0.5, 5, NAN, 0.5, 0.5], dtype)
    low, high = np.array([-1, -1, -1, -1, 2, NAN], dtype), np.array([1, 1, 1, 1, 1, 1], dtype)
    check_each(clamped, [x, low, high], np.array([-1, 0.5, 1, -1, 1, 0.5], dtype))
    check_each(clamped_or_nan, [x, low, high], np.array([-1, 0.5, 1, NAN, 1, NAN], dtype))


@triton.jit
def negated_bits_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, (-x).to(tl.int32, bitcast=True))
    tl.store(out_ptr + 1, tl.abs(-x).to(tl.int32, bitcast=True))
    tl.store(out_ptr + 2, (0.0 - x).to(tl.int32, bitcast=True))


@pytest.mark.rule("float-negation")
def test_negation_changes_the_sign_bit() -> None:
    check_one(negated_bits_kernel, [np.zeros(1, np.float32)], [-(2**31), 0, 0])


# Functions


@triton.jit
def exponential(x):
    return tl.exp(x)


@triton.jit
def exponential_2(x):
    return tl.exp2(x)


@triton.jit
def logarithm(x):
    return tl.log(x)


@triton.jit
def logarithm_2(x):
    return tl.log2(x)


@triton.jit
def root(x):
    return tl.sqrt(x)


@triton.jit
def reciprocal_root(x):
    return tl.rsqrt(x)


@triton.jit
def sine(x):
    return tl.sin(x)


@triton.jit
def cosine(x):
    return tl.cos(x)


@triton.jit
def error_function(x):
    return tl.erf(x)


@triton.jit
def sigmoid(x):
    return tl.sigmoid(x)


@triton.jit
def exact_root(x):
    return tl.sqrt_rn(x)


@triton.jit
def exact_quotient(x, y):
    return tl.div_rn(x, y)


def logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


POSITIVE = np.array([1e-30, 0.001, 0.5, 1, 2, 3.7, 100, 1e30])
ANY = np.array([-80, -3.3, -1, -0.1, 0, 0.1, 1, 3.3, 80.0])
FUNCTIONS: list[tuple[Any, Callable[[Any], Any], np.ndarray]] = [
    (exponential, np.exp, ANY),
    (exponential_2, np.exp2, ANY),
    (logarithm, np.log, POSITIVE),
    (logarithm_2, np.log2, POSITIVE),
    (root, np.sqrt, POSITIVE),
    (reciprocal_root, lambda x: 1 / np.sqrt(x), POSITIVE),
    (sine, np.sin, ANY),
    (cosine, np.cos, ANY),
    (error_function, np.vectorize(math.erf), ANY),
    (sigmoid, logistic, ANY),
]


@pytest.mark.rule("accuracy")
@pytest.mark.parametrize(
    ("function", "reference", "values"), FUNCTIONS, ids=lambda value: getattr(value, "__name__", "")
)
def test_functions_are_right_to_a_few_units(function: Any, reference: Any, values: np.ndarray) -> None:
    single = values.astype(np.float32)
    wanted = reference(single.astype(np.float64))
    # Near a zero of the function the bound is an absolute one.
    check_each(function, [single], wanted.astype(np.float32), rtol=4 * 2.0**-23, atol=2.0**-22 * (function is sine))
    check_each(function, [values], reference(values), rtol=4 * 2.0**-52, atol=2.0**-51 * (function is sine))


@pytest.mark.rule("accuracy")
def test_which_functions_are_approximated_on_the_gpu() -> None:
    def text_of(function: Any) -> str:
        from tests.semantics.elementwise import unary_kernel

        return unary_kernel.warmup("*fp32", "*fp32", N=32, F=function).asm["cuda"]

    for function, instruction in [
        (exponential, "ex2.approx.f32"),
        (exponential_2, "ex2.approx.ftz.f32"),
        (root, "sqrt.approx.f32"),
        (sigmoid, "div.full.f32"),
    ]:
        assert instruction in text_of(function)
    for function in (logarithm, logarithm_2, sine, cosine, error_function, exact_root):
        assert "asm" not in text_of(function)


@pytest.mark.rule("rounded-functions")
def test_functions_that_are_rounded_to_nearest() -> None:
    x, y = np.array([2, 3, 10, 1e-3], np.float32), np.array([3, 7, 0.3, 1.7], np.float32)
    check_each(exact_root, [x], np.sqrt(x))
    check_each(exact_quotient, [x, y], x / y)


@pytest.mark.rule("special-values")
def test_functions_of_special_values() -> None:
    x = np.array([-INF, INF, NAN, 0, -1])
    for dtype in (np.float32, np.float64):
        values = x.astype(dtype)
        with np.errstate(all="ignore"):
            for function, reference in [
                (exponential, np.exp),
                (exponential_2, np.exp2),
                (logarithm, np.log),
                (logarithm_2, np.log2),
                (root, np.sqrt),
                (reciprocal_root, lambda v: 1 / np.sqrt(v)),
                (sine, np.sin),
            ]:
                check_each(function, [values], reference(values).astype(dtype), rtol=1e-6)


@triton.jit
def floored(x):
    return tl.floor(x)


@triton.jit
def raised(x):
    return tl.ceil(x)


@pytest.mark.rule("function-dtypes")
def test_functions_take_float32_and_float64() -> None:
    for dtype in (np.dtype(np.float16), bfloat16, np.dtype(np.int32)):
        x = np.ones(1, dtype)
        for function in (exponential, root, sine):
            with pytest.raises(CompilationError, match="fp32"):
                check_each(function, [x], x)
    x = np.array([-1.5, -0.5, 0.5, 2.5], np.float32)
    check_each(floored, [x], np.floor(x))
    check_each(raised, [x], np.ceil(x))


@triton.jit
def nan_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, x != x)
    tl.store(out_ptr + 1, x + 1 != x + 1)
    tl.store(out_ptr + 2, x.to(tl.float16).to(tl.float32) != x)
    tl.store(out_ptr + 3, tl.abs(x) == x)


@pytest.mark.rule("nan-bits")
def test_nan_stays_one() -> None:
    payload = np.array([0x7FC01234], np.uint32).view(np.float32)
    check_one(nan_kernel, [payload], [True, True, True, False], np.bool_)
