"""The integer functions of the header, against Python's integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.cpu.running import compile_body, launch
from tests.unit.cpu.test_math_functions import C_TYPES, evaluate

I, U, L, UL = np.int32, np.uint32, np.int64, np.uint64  # noqa: E741

EDGES = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
WIDE_EDGES = [*EDGES, 0x123456789ABCDEF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF]


def wrapped(values: list[int], dtype: Any) -> np.ndarray[Any, Any]:
    """Integers modulo two to the width of the type."""
    unsigned = U if dtype in (I, U) else UL
    return np.array([value % (1 << (8 * unsigned().itemsize)) for value in values], unsigned).view(dtype)


def pairs(dtype: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Every pair of interesting values."""
    values = wrapped(EDGES if dtype in (I, U) else WIDE_EDGES, dtype)
    x, y = np.meshgrid(values, values)
    return x.ravel().copy(), y.ravel().copy()


def divide(a: int, b: int) -> int:
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return -1 if b == 0 else a - divide(a, b) * b


@pytest.mark.parametrize("dtype", [I, U, L, UL], ids=lambda dtype: np.dtype(dtype).name)
def test_guarded_division_and_shifts(dtype: Any) -> None:
    x, y = pairs(dtype)
    bits, signed = 8 * x.itemsize, dtype in (I, L)
    kind = f"{'s' if signed else 'u'}{bits}"
    names = [f"divide_{kind}", f"remainder_{kind}", f"shift_right_{kind}", f"shift_left_{bits}"]
    stores = "".join(f"out[{k} * n + i] = {name}(x[i], y[i]);\n" for k, name in enumerate(names))
    body = f"const int i = blockIdx.x * 32 + threadIdx.x;\nif (i >= n) return;\n{stores}"
    out = np.zeros((len(names), len(x)), dtype)
    c_type = C_TYPES[dtype]
    launch(
        compile_body(f"{c_type} *x, {c_type} *y, {c_type} *out, int n", body), (-(-len(x) // 32),), x, y, out, len(x)
    )
    a, b = x.tolist(), y.tolist()
    amounts = [value % (1 << bits) for value in b]
    expected = [
        [divide(p, q) for p, q in zip(a, b, strict=True)],
        [remainder(p, q) for p, q in zip(a, b, strict=True)],
        [p >> min(n, bits) for p, n in zip(a, amounts, strict=True)],
        [p << n if n < bits else 0 for p, n in zip(a, amounts, strict=True)],
    ]
    for name, actual, values in zip(names, out, expected, strict=True):
        np.testing.assert_array_equal(actual, wrapped(values, dtype), err_msg=name)


def test_bits() -> None:
    x = wrapped(EDGES, I)
    unsigned = [value % 2**32 for value in x.tolist()]
    results = evaluate(["__popc((unsigned)x)", "__clz(x)", "__ffs(x)", "(int)__brev((unsigned)x)", "abs(x)"], I, x=x)
    assert results[0].tolist() == [v.bit_count() for v in unsigned]
    assert results[1].tolist() == [32 - v.bit_length() for v in unsigned]
    assert results[2].tolist() == [(v & -v).bit_length() for v in unsigned]
    np.testing.assert_array_equal(results[3], wrapped([int(f"{v:032b}"[::-1], 2) for v in unsigned], I))
    np.testing.assert_array_equal(results[4], wrapped([abs(v) for v in x.tolist()], I))
    w = wrapped(WIDE_EDGES, L)
    unsigned = [value % 2**64 for value in w.tolist()]
    expressions = [
        "__popcll((unsigned long long)x)",
        "__clzll(x)",
        "__ffsll(x)",
        "(long long)__brevll((unsigned long long)x)",
        "llabs(x)",
    ]
    results = evaluate(expressions, L, x=w)
    assert results[0].tolist() == [v.bit_count() for v in unsigned]
    assert results[1].tolist() == [64 - v.bit_length() for v in unsigned]
    assert results[2].tolist() == [(v & -v).bit_length() for v in unsigned]
    np.testing.assert_array_equal(results[3], wrapped([int(f"{v:064b}"[::-1], 2) for v in unsigned], L))
    np.testing.assert_array_equal(results[4], wrapped([abs(v) for v in w.tolist()], L))


@pytest.mark.parametrize(("name", "dtype"), [("__mulhi", I), ("__umulhi", U), ("__mul64hi", L), ("__umul64hi", UL)])
def test_high_products(name: str, dtype: Any) -> None:
    x, y = pairs(dtype)
    (actual,) = evaluate([f"{name}(x, y)"], dtype, x=x, y=y)
    expected = [a * b >> (8 * x.itemsize) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    np.testing.assert_array_equal(actual, wrapped(expected, dtype))


@pytest.mark.parametrize("dtype", [I, U, L, UL], ids=lambda dtype: np.dtype(dtype).name)
def test_extrema(dtype: Any) -> None:
    x, y = pairs(dtype)
    lower, upper = evaluate(["min(x, y)", "max(x, y)"], dtype, x=x, y=y)
    np.testing.assert_array_equal(lower, np.minimum(x, y))
    np.testing.assert_array_equal(upper, np.maximum(x, y))


def test_shifts_of_two_words_and_bytes() -> None:
    x, y = pairs(U)
    left, right, permuted = evaluate(
        ["__funnelshift_l(x, y, 37u)", "__funnelshift_r(x, y, 37u)", "__byte_perm(x, y, 0x0b53u)"], U, x=x, y=y
    )
    both = [(high << 32) | low for low, high in zip(x.tolist(), y.tolist(), strict=True)]
    assert left.tolist() == [(v << 5 >> 32) % 2**32 for v in both]
    assert right.tolist() == [(v >> 5) % 2**32 for v in both]
    for value, result in zip(both, permuted.tolist(), strict=True):
        source = value.to_bytes(8, "little")
        sign = 0xFF if source[3] & 0x80 else 0
        assert list(result.to_bytes(4, "little")) == [source[3], source[5], sign, source[0]]
