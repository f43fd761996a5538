"""Every half and bfloat16, both ways, against NumPy and ml_dtypes; by the processor's conversions and by our own."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from mytriton.runtime import cpu
from tests.unit.cpu.running import compile_body, launch

# Casting NaN from or to bfloat16 warns.
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in cast")

TYPES = {"half": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}


@functools.cache
def every_conversion() -> cpu.CpuKernel:
    """Converts in the way that `which` says."""
    body = """
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    const unsigned short *small = reinterpret_cast<const unsigned short *>(in);
    unsigned short *small_out = reinterpret_cast<unsigned short *>(out);
    const float *floats = reinterpret_cast<const float *>(in);
    const double *doubles = reinterpret_cast<const double *>(in);
    float *floats_out = reinterpret_cast<float *>(out);
    switch (which) {
    case 0: floats_out[i] = half_to_float(half{small[i]}); break;
    case 1: floats_out[i] = mytriton_software_half_to_float(half{small[i]}); break;
    case 2: floats_out[i] = bfloat16_to_float(bfloat16{small[i]}); break;
    case 3: small_out[i] = float_to_half(floats[i]).bits; break;
    case 4: small_out[i] = mytriton_software_float_to_half(floats[i]).bits; break;
    case 5: small_out[i] = float_to_bfloat16(floats[i]).bits; break;
    case 6: small_out[i] = double_to_half(doubles[i]).bits; break;
    case 7: small_out[i] = double_to_bfloat16(doubles[i]).bits; break;
    }"""
    return compile_body("void *in, void *out, int n, int which", body)


def convert(which: int, values: np.ndarray[Any, Any], to: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """`values` converted by case `which`."""
    values = np.ascontiguousarray(values)
    out = np.zeros(len(values), to)
    launch(every_conversion(), (-(-len(values) // 32),), values, out, len(values), which)
    return out


def assert_same(actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> None:
    """The same bits, or both NaN."""
    bits = f"u{expected.itemsize}"
    different = (actual.view(bits) != expected.view(bits)) & ~(np.isnan(actual) & np.isnan(expected))
    assert not different.any(), (np.flatnonzero(different)[:5], actual[different][:5], expected[different][:5])


@pytest.mark.parametrize(("which", "name"), [(0, "half"), (1, "half"), (2, "bfloat16")])
def test_to_float(which: int, name: str) -> None:
    values = np.arange(65536, dtype=np.uint16).view(TYPES[name])
    assert_same(convert(which, values, np.dtype(np.float32)), values.astype(np.float32))


def neighbourhoods(dtype: np.dtype[Any], wide: Any) -> np.ndarray[Any, Any]:
    """Every value of `dtype`, the middle between each two, and what is next to these, in the type `wide`."""
    values = np.arange(65536, dtype=np.uint16).view(dtype)
    finite = np.sort(values[np.isfinite(values.astype(np.float32))].astype(np.float64))
    # Beyond the largest value comes the one that would follow, were the exponent not at its end.
    finite = np.concatenate([finite, [2 * finite[-1] - finite[-2]]])
    points = np.concatenate([finite, (finite[1:] + finite[:-1]) / 2])
    with np.errstate(over="ignore"):
        points = np.concatenate([points, -points]).astype(wide)
        infinity = np.array(np.inf, wide)
        near = [np.nextafter(points, -infinity), points, np.nextafter(points, infinity)]
    return np.concatenate([*near, np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], wide)])


@pytest.mark.parametrize(("which", "name"), [(3, "half"), (4, "half"), (5, "bfloat16")])
def test_from_float(which: int, name: str) -> None:
    dtype = TYPES[name]
    values = neighbourhoods(dtype, np.float32)
    random = np.random.default_rng(which).integers(0, 1 << 32, 100000, dtype=np.uint32).view(np.float32)
    values = np.concatenate([values, random])
    with np.errstate(over="ignore"):
        assert_same(convert(which, values, dtype), values.astype(dtype))


def exactly_rounded(values: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Doubles rounded once to `dtype`, by looking at its values on both sides."""
    table = np.arange(0x8000, dtype=np.uint16).view(dtype).astype(np.float64)
    table = table[np.isfinite(table)]
    beyond = 2 * table[-1] - table[-2]
    table = np.concatenate([table, [beyond]])
    magnitude = np.abs(values)
    above = np.minimum(np.searchsorted(table, magnitude), len(table) - 1)
    below = np.maximum(above - 1, 0)
    # The doubles are near the values of a small type, so these differences are exact.
    nearer = table[above] - magnitude, magnitude - table[below]
    even = above % 2 == 0
    index = np.where((nearer[0] < nearer[1]) | ((nearer[0] == nearer[1]) & even), above, below)
    index = np.where(magnitude >= beyond, len(table) - 1, index)
    bits = index.astype(np.uint16) | np.where(np.signbit(values), np.uint16(0x8000), np.uint16(0))
    result = bits.astype(np.uint16).view(dtype)
    result[np.isnan(values)] = np.nan
    return result


@pytest.mark.parametrize(("which", "name"), [(6, "half"), (7, "bfloat16")])
def test_from_double(which: int, name: str) -> None:
    dtype = TYPES[name]
    values = neighbourhoods(dtype, np.float64)
    # What lies between float and double would be rounded twice by way of float.
    points = neighbourhoods(dtype, np.float32).astype(np.float64)
    values = np.concatenate([values, np.nextafter(points, np.inf), np.nextafter(points, -np.inf), [1e300, -1e-300]])
    assert_same(convert(which, values, dtype), exactly_rounded(values, dtype))
    if name == "half":
        with np.errstate(over="ignore"):
            assert_same(convert(which, values, dtype), values.astype(np.float16))
