"""Floats of 8 bits: every pattern of bits, every float16, and arithmetic on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check, compiles

ml_dtypes = pytest.importorskip("ml_dtypes")

FORMATS = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}
LANGUAGE = {"e4m3": tl.float8e4nv, "e5m2": tl.float8e5, "e4m3fnuz": tl.float8e4b8, "e5m2fnuz": tl.float8e5b16}

every_format = pytest.mark.parametrize("format", FORMATS)


def round_to_odd(values: np.ndarray) -> np.ndarray:
    """float64 as float32 such that a second rounding gives what one would: ml_dtypes rounds float64 twice."""
    near = values.astype(np.float32)
    other = np.nextafter(near, np.where(near < values, np.float32(np.inf), np.float32(-np.inf)))
    return np.where((near == values) | (near.view(np.uint32) & 1 == 1) | np.isnan(values), near, other)


def converted(values: np.ndarray, format: Any) -> np.ndarray:
    """The bits of float64 values rounded to nearest even; what is too large becomes the largest finite number."""
    largest = float(ml_dtypes.finfo(format).max)
    with np.errstate(invalid="ignore"):
        bits = round_to_odd(np.clip(values, -largest, largest)).astype(format).view(np.uint8)
    is_unsigned_zero = "fnuz" in np.dtype(format).name
    return np.where(np.isnan(values), 0x80 if is_unsigned_zero else 0x7F, bits).astype(np.uint8)


def cut(values: np.ndarray, format: Any) -> np.ndarray:
    """The bits of float64 values rounded towards zero."""
    bits = converted(values, format)
    back = bits.view(format).astype(np.float64)
    is_unsigned_zero = "fnuz" in np.dtype(format).name
    before = np.where(is_unsigned_zero & (bits == 0x81), 0, bits - 1)
    return np.where(np.abs(back) > np.abs(values), before, bits).astype(np.uint8)


def float32_samples(format: Any) -> np.ndarray:
    """Numbers around every place where the rounding changes, and others of all sizes."""
    finite = np.arange(256, dtype=np.uint8).view(format).astype(np.float32)
    finite = np.unique(finite[np.isfinite(finite)])
    places = np.concatenate(
        [finite, (finite[1:] + finite[:-1]) / 2, [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e-30]]
    )
    places = places.astype(np.float32)
    rng = np.random.default_rng(0)
    noise = (rng.standard_normal(500) * np.exp2(rng.integers(-20, 20, 500))).astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        neighbours = [np.nextafter(places, np.float32(limit)) for limit in (-np.inf, np.inf)]
    return np.concatenate([places, *neighbours, noise])


@triton.jit
def convert_kernel(x_ptr, out_ptr, N, DTYPE: tl.constexpr, ROUNDING: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < N)
    tl.store(out_ptr + i, x.to(DTYPE, fp_downcast_rounding=ROUNDING), mask=i < N)


def check_conversion(
    x: np.ndarray, out_dtype: Any, expected: np.ndarray, dtype: Any, rounding: str | None = None
) -> None:
    """The bits of every result; a NaN may have any of its patterns."""
    results: list[np.ndarray] = []
    grid = ((len(x) + 1023) // 1024,)
    for interpreted in (True, False):
        out = np.full(len(x), 0x5A, np.uint8).repeat(np.dtype(out_dtype).itemsize).view(out_dtype)
        if interpreted:
            with triton.interpret():
                convert_kernel[grid](x, out, len(x), dtype, rounding, BLOCK=1024)
        else:
            convert_kernel[grid](x, out, len(x), dtype, rounding, BLOCK=1024)
        results.append(out)
    for where, out in zip(("interpreter", "cpu"), results, strict=True):
        bits = out.view(f"u{out.dtype.itemsize}")
        is_nan = np.isnan(expected.view(out_dtype).astype(np.float64))
        with np.errstate(invalid="ignore"):  # a signalling NaN is one too
            np.testing.assert_array_equal(np.isnan(out.astype(np.float64)), is_nan, err_msg=where)
        np.testing.assert_array_equal(bits[~is_nan], expected.view(bits.dtype)[~is_nan], err_msg=where)


@every_format
def test_every_float16_becomes_a_float8(format: str) -> None:
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    expected = converted(x.astype(np.float64), FORMATS[format])
    check_conversion(x, FORMATS[format], expected, LANGUAGE[format])


@every_format
@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
def test_wider_floats_become_a_float8(format: str, dtype: Any) -> None:
    x = float32_samples(FORMATS[format])
    if dtype is np.float64:
        x = np.concatenate([x.astype(np.float64), np.nextafter(x.astype(np.float64), 0.0)])
    x = x.astype(dtype)
    check_conversion(x, FORMATS[format], converted(x.astype(np.float64), FORMATS[format]), LANGUAGE[format])


@every_format
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rounding_towards_zero(format: str, dtype: Any) -> None:
    with np.errstate(over="ignore"):
        x = float32_samples(FORMATS[format]).astype(dtype)
    check_conversion(x, FORMATS[format], cut(x.astype(np.float64), FORMATS[format]), LANGUAGE[format], "rtz")


@every_format
@pytest.mark.parametrize(
    ("dtype", "target"),
    [(np.float16, tl.float16), (np.float32, tl.float32), (np.float64, tl.float64), (ml_dtypes.bfloat16, tl.bfloat16)],
)
def test_every_float8_becomes_a_wider_float(format: str, dtype: Any, target: Any) -> None:
    x = np.arange(256, dtype=np.uint8).view(FORMATS[format])
    check_conversion(x, dtype, x.astype(np.float64).astype(dtype), target)


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_float8_to_another_float8(source: str, target: str) -> None:
    x = np.arange(256, dtype=np.uint8).view(FORMATS[source])
    expected = x.view(np.uint8) if source == target else converted(x.astype(np.float64), FORMATS[target])
    check_conversion(x, FORMATS[target], expected, LANGUAGE[target])


def test_reported_conversions() -> None:
    x = np.array([1.125, 1.0625001, 1.0625, 126.24], np.float32)
    nearest = np.array([1.125, 1.125, 1.0, 128.0]).astype(FORMATS["e4m3"]).view(np.uint8)
    check_conversion(x, FORMATS["e4m3"], nearest, tl.float8e4nv)
    check_conversion(x[:1], FORMATS["e5m2"], np.array([1.0]).astype(FORMATS["e5m2"]).view(np.uint8), tl.float8e5)


@triton.jit
def copy_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i != 3, other=1.0))


@every_format
def test_copies_keep_every_pattern(format: str) -> None:
    x = np.arange(256, dtype=np.uint8)
    expected = x.copy()
    expected[3] = np.array([1.0]).astype(FORMATS[format]).view(np.uint8)[0]
    for interpreted in (True, False):
        out = np.zeros(256, FORMATS[format])
        if interpreted:
            with triton.interpret():
                copy_kernel[(1,)](x.view(FORMATS[format]), out, N=256)
        else:
            copy_kernel[(1,)](x.view(FORMATS[format]), out, N=256)
        np.testing.assert_array_equal(out.view(np.uint8), expected)


@triton.jit
def arithmetic_kernel(x_ptr, y_ptr, sum_ptr, scaled_ptr, quotient_ptr, less_ptr, negative_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.static_assert((x + y).dtype == x.dtype and (x / y).dtype == tl.float32 and (x * 2.0).dtype == x.dtype)
    tl.store(sum_ptr + i, x + y)
    tl.store(scaled_ptr + i, x * 2.0 + 0.25)
    tl.store(quotient_ptr + i, x / y)
    tl.store(less_ptr + i, x < y)
    tl.store(negative_ptr + i, -tl.abs(x))


@every_format
def test_arithmetic_is_rounded_after_each_operation(format: str) -> None:
    dtype = FORMATS[format]
    rng = np.random.default_rng(3)
    x, y = (rng.standard_normal(300).astype(np.float32).astype(dtype) for _ in range(2))
    y[y.astype(np.float32) == 0] = 1.0
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    scaled = converted(2 * wide_x, dtype).view(dtype).astype(np.float64) + 0.25
    expected = [
        converted(wide_x + wide_y, dtype).view(dtype),
        converted(scaled, dtype).view(dtype),
        (wide_x / wide_y).astype(np.float32),
        wide_x < wide_y,
        converted(-np.abs(wide_x), dtype).view(dtype),
    ]
    outputs = [np.empty(300, array.dtype) for array in expected]
    check(arithmetic_kernel, (1,), [x, y], outputs, expected, N=300, num_warps=(1, 4))


@triton.jit
def dot_kernel(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@pytest.mark.parametrize(("left", "right"), [("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3fnuz", "e5m2fnuz")])
@pytest.mark.parametrize("shape", [(16, 16, 32), (5, 7, 9)])
def test_dot(left: str, right: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    rng = np.random.default_rng(4)
    a = rng.standard_normal((m, k)).astype(np.float32).astype(FORMATS[left])
    b = rng.standard_normal((k, n)).astype(np.float32).astype(FORMATS[right])
    out = np.empty((m, n), np.float32)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    check(dot_kernel, (1,), [a, b], [out], [expected], M=m, N=n, K=k, rtol=1e-4, atol=1e-4)


@triton.jit
def reduction_kernel(x_ptr, out_ptr, largest_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum(x.to(tl.float32)))
    tl.store(largest_ptr, tl.max(x))


@every_format
def test_reductions(format: str) -> None:
    x = np.random.default_rng(5).standard_normal(100).astype(np.float32).astype(FORMATS[format])
    wide = x.astype(np.float32)
    outputs = [np.empty(1, np.float32), np.empty(1, np.float32)]
    check(reduction_kernel, (1,), [x], outputs, [wide.sum(keepdims=True), wide.max(keepdims=True)], N=100, rtol=1e-4)


@triton.jit
def constants_kernel(x_ptr, out_ptr, N: tl.constexpr, DTYPE: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    limited = tl.where(i < 2, tl.full([N], 1e6, DTYPE), x.to(DTYPE))
    limited = tl.where(i == 2, tl.full([N], -float("inf"), DTYPE), limited)
    tl.store(out_ptr + i, tl.where(i == 3, tl.cast(300000, DTYPE), limited).to(tl.float32))


@every_format
def test_constants_and_integers(format: str) -> None:
    x = np.array([0, 0, 0, 0, 5, -7, 100000, -100000], np.int32)
    largest = float(ml_dtypes.finfo(FORMATS[format]).max)
    expected = np.array([largest, largest, -largest, largest, 5, -7, largest, -largest], np.float32)
    check(constants_kernel, (1,), [x], [np.empty(8, np.float32)], [expected], N=8, DTYPE=LANGUAGE[format])


# The format that Triton has for GPUs without any other: float16 without some bits.


def encode_e4b15(x: np.ndarray) -> np.ndarray:
    bits = x.astype(np.float16).view(np.uint16).astype(np.int64)
    magnitude = np.minimum(bits & 0x7FFF, 0x3F00)
    return (((magnitude * 2 + 0x80) | (bits & 0x8000)) >> 8).astype(np.uint8)


def decode_e4b15(codes: np.ndarray) -> np.ndarray:
    wide = codes.astype(np.uint16)
    return ((wide & 0x7F) << 7 | (wide & 0x80) << 8).view(np.float16)


@triton.jit
def e4b15_kernel(x_ptr, codes_ptr, back_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    small = tl.load(x_ptr + i).to(tl.float8e4b15)
    tl.store(codes_ptr.to(tl.pointer_type(tl.float8e4b15)) + i, small)
    tl.store(back_ptr + i, small.to(tl.float32))


def test_e4b15() -> None:
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    codes = encode_e4b15(x)
    outputs = [np.empty(65536, np.uint8), np.empty(65536, np.float32)]
    expected = [codes, decode_e4b15(codes).astype(np.float32)]
    check(e4b15_kernel, (64,), [x], outputs, expected, N=1024, num_warps=(4,))


def test_e4b15_of_float32_is_cut_first() -> None:
    x = np.array([1.0, 1.0624, 1.0626, 0.1, -3.0, 1e-9, np.nan, np.inf], np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        half = x.astype(np.float16)
    beyond = np.abs(half.astype(np.float64)) > np.abs(x)
    half[beyond] = np.nextafter(half[beyond], np.float16(0))
    codes = encode_e4b15(half)
    outputs = [np.empty(8, np.uint8), np.empty(8, np.float32)]
    check(e4b15_kernel, (1,), [x], outputs, [codes, decode_e4b15(codes).astype(np.float32)], N=8, num_warps=(1,))


@triton.jit
def e4b15_sum_kernel(x_ptr):
    x = tl.load(x_ptr.to(tl.pointer_type(tl.float8e4b15)) + tl.arange(0, 8))
    tl.store(x_ptr, x + x)


def test_e4b15_has_no_arithmetic() -> None:
    with pytest.raises(CompilationError, match="cast it to float16"):
        e4b15_sum_kernel.warmup("*u8")


def test_float8_compiles() -> None:
    for name in ("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16"):
        compiles(arithmetic_kernel, f"*{name}", f"*{name}", f"*{name}", f"*{name}", "*fp32", "*i1", f"*{name}", N=256)
        compiles(dot_kernel, f"*{name}", f"*{name}", "*fp32", M=32, N=32, K=32)
        compiles(reduction_kernel, f"*{name}", "*fp32", "*fp32", N=100)
