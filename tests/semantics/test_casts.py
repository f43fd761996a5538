"""Conversions between dtypes."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check
from tests.semantics.elementwise import bfloat16, check_one

LANGUAGE: dict[Any, Any] = {
    np.dtype(np.bool_): tl.int1,
    np.dtype(np.int8): tl.int8,
    np.dtype(np.int16): tl.int16,
    np.dtype(np.int32): tl.int32,
    np.dtype(np.int64): tl.int64,
    np.dtype(np.uint8): tl.uint8,
    np.dtype(np.uint16): tl.uint16,
    np.dtype(np.uint32): tl.uint32,
    np.dtype(np.uint64): tl.uint64,
    np.dtype(np.float16): tl.float16,
    bfloat16: tl.bfloat16,
    np.dtype(ml_dtypes.float8_e4m3fn): tl.float8e4nv,
    np.dtype(ml_dtypes.float8_e5m2): tl.float8e5,
    np.dtype(np.float32): tl.float32,
    np.dtype(np.float64): tl.float64,
}
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@triton.jit
def cast_kernel(x_ptr, out_ptr, N: tl.constexpr, DTYPE: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(DTYPE))


def check_cast(x: np.ndarray, expected: np.ndarray) -> None:
    """The elements of `x` cast to the dtype of `expected` are `expected`."""
    out = np.empty_like(expected)
    dtype = LANGUAGE[expected.dtype]
    check(cast_kernel, (1,), [x], [out], [expected], num_warps=(1,), rtol=0, atol=0, N=len(x), DTYPE=dtype)


@pytest.mark.rule("cast-integer")
@pytest.mark.parametrize("target", INTEGERS)
def test_integers_keep_the_low_bits(target: Any) -> None:
    for source in (np.int32, np.uint8, np.int64):
        limits = np.iinfo(source)
        x = np.array([0, 1, 127, limits.max, limits.min, limits.max - 1, limits.max // 3], source)
        check_cast(x, x.astype(target))


@pytest.mark.rule("cast-float-to-integer")
@pytest.mark.parametrize("target", INTEGERS)
def test_floats_are_cut_off_and_saturate(target: Any) -> None:
    low, high = int(np.iinfo(target).min), int(np.iinfo(target).max)
    for source in (np.float32, np.float64):
        values = [0.0, 0.9, -0.9, 2.5, -2.5, 100.7, 1e30, -1e30, np.inf, -np.inf, np.nan, float(high), float(low)]
        x = np.array(values, source)
        wanted = [0 if np.isnan(v) else high if v >= high else low if v <= low else int(v) for v in x.tolist()]
        check_cast(x, np.array(wanted, target))


@pytest.mark.rule("cast-float-to-integer")
def test_small_floats_are_cut_off() -> None:
    for source in (np.dtype(np.float16), bfloat16):
        x = np.array([1.5, -1.5, np.inf, np.nan, 300], source)
        check_cast(x, np.array([1, -1, 127, 0, 127], np.int8))


@pytest.mark.rule("cast-integer-to-float")
def test_integers_are_rounded_once() -> None:
    x = np.array([2**24 + 1, 2**24 + 3, -(2**24) - 1, 2**31 - 1], np.int32)
    check_cast(x, np.array([2**24, 2**24 + 4, -(2**24), 2**31], np.float32))
    check_cast(x, x.astype(np.float64))
    x = np.array([2**53 + 1, 2**62 + 2**38 + 1, 2**63 - 1], np.int64)
    check_cast(x, np.array([2**53, 2**62 + 2**39, 2**63], np.float32))
    check_cast(x, x.astype(np.float64))
    x = np.array([2**64 - 1, 2**63 + 2**39 + 1], np.uint64)
    check_cast(x, np.array([2.0**64, 2.0**63 + 2.0**40], np.float32))
    # A second rounding would find these half way between two numbers, and go down.
    x = np.array([2**24 + 2**16 + 1, 257, -259, 65520], np.int32)
    check_cast(x, np.array([2**24 + 2**17, 256, -260, 65536], bfloat16))
    x = np.array([2**62 + 2**54 + 1, -(2**62) - 2**54 - 1, 2**62 + 2**54], np.int64)
    check_cast(x, np.array([2.0**62 + 2.0**55, -(2.0**62) - 2.0**55, 2.0**62], bfloat16))
    x = np.array([2**63 + 2**55 + 1, 2**40 + 2**32 + 1], np.uint64)
    check_cast(x, np.array([2.0**63 + 2.0**56, 2.0**40 + 2.0**33], bfloat16))
    check_cast(np.array([2049, 2051, 65519, 65520], np.int32), np.array([2048, 2052, 65504, np.inf], np.float16))


@pytest.mark.rule("cast-float")
def test_floats_are_rounded_to_nearest_even_once() -> None:
    half, quarter = 2.0**-11, 2.0**-12
    x = np.array([1 + half, 1 + half + 2.0**-23, 1 + 3 * half, 1 + quarter, 65519, 65520, 1e-8, np.nan], np.float32)
    wanted = np.array([1, 1 + 2 * half, 1 + 4 * half, 1, 65504, np.inf, 0, np.nan], np.float16)
    check_cast(x, wanted)
    x = np.array([1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-23, 1 + 3 * 2.0**-8, 3.4e38, np.nan], np.float32)
    check_cast(x, np.array([1, 1 + 2.0**-7, 1 + 2.0**-6, np.inf, np.nan], bfloat16))
    # By way of float32 these would be rounded twice.
    x = np.array([1 + half + 2.0**-40, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-24 + 2.0**-50])
    check_cast(x, np.array([1 + 2 * half, 1 + 2.0**-8, 1], np.float16))
    check_cast(x, np.array([1, 1 + 2.0**-7, 1], bfloat16))
    check_cast(x, np.array([1 + half, 1 + 2.0**-8, 1 + 2.0**-23], np.float32))


@pytest.mark.rule("cast-float")
def test_wider_floats_hold_every_value() -> None:
    every = np.arange(65536, dtype=np.uint16)
    for dtype in (np.dtype(np.float16), bfloat16):
        x = every.view(dtype)
        with np.errstate(invalid="ignore"):
            check_cast(x, x.astype(np.float32))
    x = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 65504, 2.0**-24, -0.5], np.float16)
    check_cast(x, np.array([1, 1 + 2.0**-6, 65536, 2.0**-24, -0.5], bfloat16))


@triton.jit
def towards_zero_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(tl.bfloat16, fp_downcast_rounding="rtz"))


@triton.jit
def half_towards_zero_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(tl.float16, fp_downcast_rounding="rtz"))


@pytest.mark.rule("cast-towards-zero")
def test_rounding_towards_zero_is_asked_for() -> None:
    x = np.array([1 + 2.0**-7 - 2.0**-20, -1.999, 3.4e38, np.nan], np.float32)
    wanted = (x.view(np.uint32) & 0xFFFF0000).view(np.float32).astype(bfloat16)
    check(towards_zero_kernel, (1,), [x], [np.empty_like(wanted)], [wanted], num_warps=(1,), rtol=0, N=len(x))
    for dtype in (np.float32, np.float64):
        x = np.array([1 + 2.0**-10 - 2.0**-20, -1.9999, 1e6, -1e-8, np.inf, np.nan], dtype)
        wanted = np.array([1, -2 + 2.0**-10, 65504, -0.0, np.inf, np.nan], np.float16)
        kernel = half_towards_zero_kernel
        check(kernel, (1,), [x], [np.empty_like(wanted)], [wanted], num_warps=(1,), rtol=0, N=len(x))


@triton.jit
def to_storage_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(tl.float8e4b15).to(tl.float32))


@pytest.mark.rule("cast-fp8")
def test_floats_of_8_bits_hold_nothing_beyond_their_largest_number() -> None:
    x = np.array([1.0625, 1.0625001, 1.1875, 448, 1e9, np.inf, -np.inf, np.nan, 2.0**-10], np.float32)
    wanted = [1, 1.125, 1.25, 448, 448, 448, -448, np.nan, 0]
    check_cast(x, np.array(wanted, ml_dtypes.float8_e4m3fn))
    x = np.array([1.125, 1.125001, 57344, 61440, np.inf, np.nan, 2.0**-17], np.float32)
    check_cast(x, np.array([1, 1.25, 57344, 57344, 57344, np.nan, 0], ml_dtypes.float8_e5m2))
    with np.errstate(invalid="ignore"):
        every = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e5m2)
        check_cast(every, every.astype(np.float32))
    x = np.array([1.0624, 1.0625, -5, np.nan], np.float32)
    check(to_storage_kernel, (1,), [x], [np.empty_like(x)], [np.array([1, 1.125, -1.75, 1.75])], num_warps=(1,), N=4)


@pytest.mark.rule("cast-to-boolean")
def test_whether_it_is_not_zero() -> None:
    check_cast(np.array([0, 1, 2, 256, -1], np.int32), np.array([False, True, True, True, True]))
    x = np.array([0.0, -0.0, 0.25, -1, np.nan, np.inf, 1e-45], np.float32)
    wanted = np.array([False, False, True, True, True, True, True])
    check_cast(x, wanted)
    for dtype in (np.dtype(np.float16), bfloat16):
        check_cast(x[:-1].astype(dtype), wanted[:-1])


@pytest.mark.rule("cast-from-boolean")
@pytest.mark.parametrize("target", [np.int8, np.int64, np.uint8, np.float16, np.float32, bfloat16])
def test_true_is_one(target: Any) -> None:
    x = np.array([False, True])
    check_cast(x, x.astype(target))


@triton.jit
def cast_numbers_kernel(out_ptr, C: tl.constexpr):
    tl.store(out_ptr, tl.cast(300, tl.int8))
    tl.store(out_ptr + 1, tl.cast(-1, tl.uint8))
    tl.store(out_ptr + 2, tl.cast(-2.7, tl.int32))
    tl.store(out_ptr + 3, C.to(tl.int8))
    tl.store(out_ptr + 4, tl.cast(1e10, tl.int32))
    tl.store(out_ptr + 5, tl.cast(0.1, tl.float16))
    tl.store(out_ptr + 6, tl.cast(0.1, tl.float64))
    tl.store(out_ptr + 7, tl.full((), 0.1, tl.float64) * 1)


@pytest.mark.rule("cast-number")
def test_numbers_are_cast_like_values() -> None:
    wanted = [44, 255, -2, -128, 2**31 - 1, float(np.float16(0.1)), float(np.float32(0.1)), 0.1]
    check_one(cast_numbers_kernel, [], wanted, np.float64, C=128)


@triton.jit
def bitcast_kernel(float_ptr, int_ptr, out_ptr):
    x, n = tl.load(float_ptr), tl.load(int_ptr)
    tl.store(out_ptr, x.to(tl.int32, bitcast=True))
    tl.store(out_ptr + 1, n.to(tl.float32, bitcast=True).to(tl.int32))
    tl.store(out_ptr + 2, x.to(tl.bfloat16).to(tl.uint16, bitcast=True).to(tl.int32))
    tl.store(out_ptr + 3, n.to(tl.int8).to(tl.uint8, bitcast=True).to(tl.int32))


@triton.jit
def bitcast_of_other_size_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr).to(tl.int64, bitcast=True))


@pytest.mark.rule("bitcast")
def test_bitcast_keeps_the_bits() -> None:
    x, n = np.array([-1.5], np.float32), np.array([0x42280080], np.int32)
    bits = int(x.view(np.int32)[0])
    check_one(bitcast_kernel, [x, n], [bits, 42, (bits >> 16) & 0xFFFF, 0x80])
    with pytest.raises(CompilationError, match="bit"):
        bitcast_of_other_size_kernel.warmup("*fp32", "*i64")


@triton.jit
def pointer_casts_kernel(x_ptr, out_ptr):
    as_bytes = x_ptr.to(tl.pointer_type(tl.uint8))
    tl.store(out_ptr, tl.load(as_bytes + 1))
    address = x_ptr.to(tl.int64)
    tl.store(out_ptr + 1, tl.load((address + 4).to(tl.pointer_type(tl.int32))))
    tl.store(out_ptr + 2, ((x_ptr + 3).to(tl.int64) - address).to(tl.int32))


@pytest.mark.rule("cast-pointer")
def test_casts_of_pointers() -> None:
    check_one(pointer_casts_kernel, [np.array([0x1234, 77], np.int32)], [0x12, 77, 12])
