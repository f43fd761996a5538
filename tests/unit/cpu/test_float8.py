"""Every float of 8 bits, both ways, by the CPU header and by the text for GPUs that have no instruction for it."""

from __future__ import annotations

import functools
import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from mytriton.codegen.prologue import HELPERS
from mytriton.float8 import FLOAT8, Float8
from mytriton.runtime import cpu
from tests.unit.cpu.running import compile_body, launch

TYPES: dict[str, Any] = {
    "fp8e4nv": ml_dtypes.float8_e4m3fn,
    "fp8e5": ml_dtypes.float8_e5m2,
    "fp8e4b8": ml_dtypes.float8_e4m3fnuz,
    "fp8e5b16": ml_dtypes.float8_e5m2fnuz,
}


def software_text(format: Float8) -> str:
    """The helpers of the prologue as host code under other names, as on a GPU before sm_89."""
    names = [f"{format.c_name}_to_float", f"float_to_{format.c_name}"]
    text = "\n".join(HELPERS[name].text for name in names)
    text = text.replace("static __device__ __forceinline__", "static inline")
    text = re.sub(r" *#if __CUDA_ARCH__.*?#else\n(.*?) *#endif\n", r"\1", text, flags=re.DOTALL)
    for name in names:
        text = re.sub(rf"\b{name}\b", f"printed_{name}", text)
    return text


@functools.cache
def kernel_of(name: str) -> cpu.CpuKernel:
    """Converts in the way that `which` says."""
    format = FLOAT8[name]
    to_float, from_float = f"{format.c_name}_to_float", f"float_to_{format.c_name}"
    body = f"""
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    const {format.c_name} *small = reinterpret_cast<const {format.c_name} *>(in);
    {format.c_name} *small_out = reinterpret_cast<{format.c_name} *>(out);
    const float *floats = reinterpret_cast<const float *>(in);
    float *floats_out = reinterpret_cast<float *>(out);
    switch (which) {{
    case 0: floats_out[i] = {to_float}(small[i]); break;
    case 1: floats_out[i] = printed_{to_float}(small[i]); break;
    case 2: small_out[i] = {from_float}(floats[i]); break;
    case 3: small_out[i] = printed_{from_float}(floats[i]); break;
    }}"""
    return compile_body("void *in, void *out, int n, int which", body, before=software_text(format))


def convert(name: str, which: int, values: np.ndarray[Any, Any], to: Any) -> np.ndarray[Any, Any]:
    out = np.zeros(len(values), to)
    launch(kernel_of(name), (-(-len(values) // 32),), np.ascontiguousarray(values), out, len(values), which)
    return out


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("which", [0, 1])
def test_to_float(name: str, which: int) -> None:
    codes = np.arange(256, dtype=np.uint8)
    expected = codes.view(TYPES[name]).astype(np.float32)
    np.testing.assert_array_equal(convert(name, which, codes, np.float32), expected)
    np.testing.assert_array_equal([FLOAT8[name].decode(code) for code in range(256)], expected)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("which", [2, 3])
def test_from_float(name: str, which: int) -> None:
    values = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    rng = np.random.default_rng(0)
    random = rng.integers(0, 2**32, 20000, dtype=np.uint32).view(np.float32)
    values = np.concatenate([values, np.nextafter(values[:31744], np.float32(0)), random])
    format = FLOAT8[name]
    largest = format.largest
    is_nan = np.isnan(values)
    with np.errstate(invalid="ignore"):
        expected = np.clip(values, -largest, largest).astype(TYPES[name]).view(np.uint8)
    actual = convert(name, which, values, np.uint8)
    np.testing.assert_array_equal(actual[~is_nan], expected[~is_nan])
    assert (actual[is_nan] == format.nan_code).all()
    some = slice(0, len(values), 37)
    assert [format.encode(float(value)) for value in values[some]] == actual[some].tolist()
