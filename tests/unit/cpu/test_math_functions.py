"""The functions of the header on numbers, against NumPy. NVRTC accepts the same text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mytriton.runtime import nvrtc
from tests.unit.cpu.running import compile_body, kernel_text, launch

Reference = Callable[[Any], Any]
ReferenceOfTwo = Callable[[Any, Any], Any]
F, D, I, U, L, UL = np.float32, np.float64, np.int32, np.uint32, np.int64, np.uint64  # noqa: E741
C_TYPES = {F: "float", D: "double", I: "int", U: "unsigned", L: "long long", UL: "unsigned long long"}

erf: Reference = np.vectorize(math.erf)
erfc: Reference = np.vectorize(math.erfc)
lgamma: Reference = np.vectorize(math.lgamma)
tgamma: Reference = np.vectorize(math.gamma)

# Name without the `f` of float, the function, and the range of the arguments.
LIBRARY: list[tuple[str, Reference, float, float]] = [
    ("acos", np.arccos, -1, 1),
    ("acosh", np.arccosh, 1, 50),
    ("asin", np.arcsin, -1, 1),
    ("asinh", np.arcsinh, -50, 50),
    ("atan", np.arctan, -50, 50),
    ("atanh", np.arctanh, -0.99, 0.99),
    ("cbrt", np.cbrt, -50, 50),
    ("ceil", np.ceil, -50, 50),
    ("cos", np.cos, -9, 9),
    ("cosh", np.cosh, -9, 9),
    ("erf", erf, -3, 3),
    ("erfc", erfc, -3, 3),
    ("exp", np.exp, -50, 50),
    ("exp10", lambda x: 10.0**x, -9, 9),
    ("exp2", np.exp2, -50, 50),
    ("expm1", np.expm1, -3, 3),
    ("fabs", np.abs, -50, 50),
    ("floor", np.floor, -50, 50),
    ("lgamma", lgamma, 0.1, 50),
    ("log", np.log, 1e-3, 50),
    ("log10", np.log10, 1e-3, 50),
    ("log1p", np.log1p, -0.9, 50),
    ("log2", np.log2, 1e-3, 50),
    ("nearbyint", np.rint, -50, 50),
    ("rcbrt", lambda x: 1 / np.cbrt(x), 0.1, 50),
    ("rint", np.rint, -50, 50),
    ("round", lambda x: np.trunc(x + np.copysign(0.5, x)), -50, 50),
    ("rsqrt", lambda x: 1 / np.sqrt(x), 0.1, 50),
    ("sin", np.sin, -9, 9),
    ("sinh", np.sinh, -9, 9),
    ("sqrt", np.sqrt, 0, 50),
    ("tan", np.tan, -1.5, 1.5),
    ("tanh", np.tanh, -9, 9),
    ("tgamma", tgamma, 0.5, 9),
    ("trunc", np.trunc, -50, 50),
]
PAIRS: list[tuple[str, ReferenceOfTwo]] = [
    ("atan2", np.arctan2),
    ("copysign", np.copysign),
    ("fdim", lambda x, y: np.maximum(x - y, 0)),
    ("fmod", np.fmod),
    ("hypot", np.hypot),
    ("pow", lambda x, y: np.power(np.abs(x), y)),
]
FAST: list[tuple[str, Reference]] = [
    ("__expf(x)", np.exp),
    ("__logf(x)", np.log),
    ("__log2f(x)", np.log2),
    ("__log10f(x)", np.log10),
    ("__sinf(x)", np.sin),
    ("__cosf(x)", np.cos),
    ("__tanf(x)", np.tan),
    ("__powf(x, 1.5f)", lambda x: x**1.5),
    ("__fdividef(x, 3.0f)", lambda x: x / 3),
    ("__frcp_rn(x)", lambda x: 1 / x),
    ("__fsqrt_rn(x)", np.sqrt),
    ("__frsqrt_rn(x)", lambda x: 1 / np.sqrt(x)),
    ("__fmaf_rn(x, x, x)", lambda x: x * x + x),
    ("__saturatef(x)", lambda x: np.clip(x, 0, 1)),
    ("abs(-x)", lambda x: x),
]


def evaluate(expressions: list[str], result: Any, **inputs: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Each expression of `x`, `y`, ... for all elements, in one kernel; and NVRTC takes the same text."""
    n = len(next(iter(inputs.values())))
    params = ", ".join(f"{C_TYPES[array.dtype.type]} *in_{name}" for name, array in inputs.items())
    params += f", {C_TYPES[result]} *out, int n"
    loads = "".join(f"const {C_TYPES[array.dtype.type]} {name} = in_{name}[i];\n" for name, array in inputs.items())
    stores = "".join(f"out[{k} * n + i] = {expression};\n" for k, expression in enumerate(expressions))
    body = f"const int i = blockIdx.x * 32 + threadIdx.x;\nif (i >= n) return;\n{loads}{stores}"
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text(params, body), "sm_80")
    out = np.zeros((len(expressions), n), result)
    launch(compile_body(params, body), (-(-n // 32),), *inputs.values(), out, n)
    return list(out)


@pytest.mark.parametrize("dtype", [F, D], ids=["float", "double"])
def test_library(dtype: Any) -> None:
    suffix = "f" if dtype is F else ""
    rng = np.random.default_rng(0)
    unit = rng.random(500).astype(dtype)
    # Each function gets its own range.
    expressions = [f"{name}{suffix}({dtype(low)!r} + x * {dtype(high - low)!r})" for name, _, low, high in LIBRARY]
    expressions = [e.replace("np.float32(", "float(").replace("np.float64(", "double(") for e in expressions]
    tolerance = 4e-6 if dtype is F else 1e-13
    for (name, function, low, high), actual in zip(LIBRARY, evaluate(expressions, dtype, x=unit), strict=True):
        points = dtype(low) + unit * dtype(high - low)
        expected = function(points.astype(np.float64))
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("dtype", [F, D], ids=["float", "double"])
def test_pairs(dtype: Any) -> None:
    suffix = "f" if dtype is F else ""
    x, y = np.random.default_rng(1).uniform(-5, 5, (2, 500)).astype(dtype)
    expressions = [f"{name}{suffix}({'fabs(x)' if name == 'pow' else 'x'}, y)" for name, _ in PAIRS]
    for (name, function), actual in zip(PAIRS, evaluate(expressions, dtype, x=x, y=y), strict=True):
        expected = function(x.astype(np.float64), y.astype(np.float64))
        np.testing.assert_allclose(actual, expected, rtol=1e-5 if dtype is F else 1e-13, err_msg=name)


def test_fast_forms() -> None:
    x = np.random.default_rng(2).uniform(0.1, 1.4, 500).astype(F)
    for (name, function), actual in zip(FAST, evaluate([e for e, _ in FAST], F, x=x), strict=True):
        np.testing.assert_allclose(actual, function(x.astype(np.float64)), rtol=2e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("dtype", [F, D], ids=["float", "double"])
def test_fused_multiply_add_rounds_once(dtype: Any) -> None:
    x = np.array([1 + np.finfo(dtype).eps], dtype)
    suffix, type_name = ("f", "float") if dtype is F else ("", "double")
    fused, apart = evaluate([f"fma{suffix}(x, x, {type_name}(-1))", f"x * x + {type_name}(-1)"], dtype, x=x)
    eps = float(np.finfo(dtype).eps)
    assert fused[0] == dtype(2 * eps + eps * eps)
    assert apart[0] == dtype(2 * eps)


@pytest.mark.parametrize("dtype", [F, D], ids=["float", "double"])
def test_extrema_with_nan_and_zeros(dtype: Any) -> None:
    values = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan], dtype)
    x, y = (grid.ravel().copy() for grid in np.meshgrid(values, values))
    f, bits = ("f", "_f32") if dtype is F else ("", "_f64")
    names = [f"fmin{f}", f"fmax{f}", "min", "max"]
    zeros = (x == 0) & (y == 0)
    lower = np.where(zeros, np.where(np.signbit(x) | np.signbit(y), dtype(-0.0), dtype(0.0)), np.fmin(x, y))
    upper = np.where(zeros, np.where(np.signbit(x) & np.signbit(y), dtype(-0.0), dtype(0.0)), np.fmax(x, y))
    results = evaluate([f"{name}(x, y)" for name in names], dtype, x=x, y=y)
    for name, actual, expected in zip(names, results, [lower, upper, lower, upper], strict=True):
        np.testing.assert_array_equal(actual, expected, err_msg=name)
        np.testing.assert_array_equal(np.signbit(actual[~np.isnan(actual)]), np.signbit(expected[~np.isnan(expected)]))
    any_nan = np.isnan(x) | np.isnan(y)
    body = f"out[threadIdx.x] = {{}}{bits}(x[threadIdx.x], y[threadIdx.x]);"
    for word, expected in (("minimum", lower), ("maximum", upper)):
        out = np.zeros(64, dtype)
        padded = [np.concatenate([array, np.zeros(15, dtype)]) for array in (x, y)]
        c_type = C_TYPES[dtype]
        kernel = compile_body(f"{c_type} *x, {c_type} *y, {c_type} *out", body.format(word), num_warps=2)
        launch(kernel, (1,), *padded, out)
        np.testing.assert_array_equal(out[:49], np.where(any_nan, np.nan, expected))


def test_classes_and_bits() -> None:
    x = np.array([0.0, -0.0, 1.5, -np.inf, np.inf, np.nan, 1e-45], F)
    expressions = [
        "isnan(x)",
        "isinf(x)",
        "isfinite(x)",
        "signbit(x) ? 1 : 0",
        "__float_as_int(x)",
        "(int)__float_as_uint(x)",
        "__float_as_int(__int_as_float(__float_as_int(x)))",
        "__float_as_int(__uint_as_float(__float_as_uint(x)))",
    ]
    results = evaluate(expressions, I, x=x)
    np.testing.assert_array_equal(results[0], np.isnan(x))
    np.testing.assert_array_equal(results[1], np.isinf(x))
    np.testing.assert_array_equal(results[2], np.isfinite(x))
    np.testing.assert_array_equal(results[3][:5], np.signbit(x)[:5])
    for bits in results[4:]:
        np.testing.assert_array_equal(bits, x.view(I))
    d = np.array([0.0, -1.25, np.inf], D)
    expressions = [
        "__double_as_longlong(x)",
        "__double_as_longlong(__longlong_as_double(__double_as_longlong(x)))",
        "__double_as_longlong(__hiloint2double(__double2hiint(x), __double2loint(x)))",
    ]
    for bits in evaluate(expressions, L, x=d):
        np.testing.assert_array_equal(bits, d.view(L))


WIDTHS: list[tuple[str, Any]] = [("s32", I), ("u32", U), ("s64", L), ("u64", UL)]
NARROW: list[tuple[str, Any]] = [("s8", np.int8), ("u8", np.uint8), ("s16", np.int16), ("u16", np.uint16)]


def saturated(values: np.ndarray[Any, Any], dtype: Any) -> list[int]:
    """Towards zero, to the nearest value of the type; 0 for NaN."""
    limits = np.iinfo(dtype)
    whole = [0 if math.isnan(v) else v if math.isinf(v) else math.trunc(v) for v in values.tolist()]
    return [int(min(max(v, limits.min), limits.max)) for v in whole]


@pytest.mark.parametrize("dtype", [F, D], ids=["float", "double"])
def test_to_integers_saturates(dtype: Any) -> None:
    powers = np.array([2.0**k for k in (0, 7, 8, 15, 16, 31, 32, 63, 64, 100)], dtype)
    near = np.concatenate([powers, np.nextafter(powers, dtype(0)), np.nextafter(powers, dtype(np.inf))])
    x = np.concatenate([near, -near, np.array([0.0, -0.0, 0.5, -0.5, 2.5, -3.7, np.inf, -np.inf, np.nan], dtype)])
    x = np.concatenate([x, np.array([127.5, -128.5, -129, 255.5, 32767.5, -32769], dtype)])
    c_type = C_TYPES[dtype]
    cuda = {"s32": "int", "u32": "uint", "s64": "ll", "u64": "ull"}
    forms = [(f"__{c_type}2{cuda[kind]}_{mode}", mode, result) for kind, result in WIDTHS for mode in ("rz", "rn")]
    results = evaluate([f"(long long){name}(x)" for name, _, _ in forms], L, x=x)
    for (name, mode, result), actual in zip(forms, results, strict=True):
        expected = saturated(x if mode == "rz" else np.rint(x), result)
        assert actual.astype(result).tolist() == expected, name
    names = [*WIDTHS, *NARROW]
    stores = "".join(f"out[{k} * n + i] = (long long){c_type}_to_{kind}(v);\n" for k, (kind, _) in enumerate(names))
    body = f"const int i = blockIdx.x * 32 + threadIdx.x;\nif (i >= n) return;\nconst {c_type} v = x[i];\n{stores}"
    out = np.zeros((len(names), len(x)), L)
    kernel = compile_body(f"{c_type} *x, long long *out, int n", body)
    launch(kernel, (-(-len(x) // 32),), x, out, len(x))
    for (kind, result), row in zip(names, out, strict=True):
        assert row.astype(result).tolist() == saturated(x, result), kind


def test_conversions_from_integers() -> None:
    x = np.array([0, 1, -1, 16777217, -16777219, 2**31 - 1, -(2**31)], I)
    (actual,) = evaluate(["__int2float_rn(x)"], F, x=x)
    np.testing.assert_array_equal(actual, x.astype(F))
    wide = np.array([0, 2**53 + 1, -(2**62) - 3, 2**63 - 1], L)
    single, double = evaluate(["(double)__ll2float_rn(x)", "__ll2double_rn(x)"], D, x=wide)
    np.testing.assert_array_equal(single, wide.astype(F).astype(D))
    np.testing.assert_array_equal(double, wide.astype(D))
