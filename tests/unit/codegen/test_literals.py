"""Literals of constants read back as exactly the same number."""

from __future__ import annotations

import math
import re
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import BFloat16Type, Float16Type, bf16, f16, f32, f64

from mytriton.codegen.literals import float_bits, float_literal, integer_literal, unsigned_literal


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_floats_read_back(value: float):
    literal = float_literal(value, f32)
    assert re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?f", literal) and re.search(r"[.e]", literal)
    read = np.float32(literal.removesuffix("f"))
    assert read.tobytes() == np.float32(value).tobytes()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_read_back(value: float):
    literal = float_literal(value, f64)
    assert re.search(r"[.e]", literal)
    assert struct.pack("<d", float(literal)) == struct.pack("<d", value)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_no_shorter_decimal_would_do(value: float):
    digits = re.sub(r"e.*|[-.f]", "", float_literal(value, f32)).strip("0")
    shortest = re.sub(r"e.*|[-.]", "", str(np.float32(value))).strip("0")
    assert len(digits) <= max(1, len(shortest))


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (math.inf, f32, "__int_as_float(0x7f800000)"),
        (-math.inf, f32, "__int_as_float(0xff800000)"),
        (math.nan, f32, "__int_as_float(0x7fc00000)"),
        (-math.inf, f64, "__longlong_as_double(0xfff0000000000000)"),
        (math.nan, f64, "__longlong_as_double(0x7ff8000000000000)"),
        (1.0, f16, "half{0x3c00}"),
        (-math.inf, f16, "half{0xfc00}"),
        (math.nan, f16, "half{0x7e00}"),
        (-0.0, f16, "half{0x8000}"),
        (1.0, bf16, "bfloat16{0x3f80}"),
        (math.inf, bf16, "bfloat16{0x7f80}"),
        (math.nan, bf16, "bfloat16{0x7fc0}"),
        (-0.0, f32, "-0.0f"),
        (16777216.0, f32, "16777216.0f"),
        (1e20, f64, "1e+20"),
    ],
)
def test_special_floats(value: float, type: Float16Type | BFloat16Type, expected: str):
    assert float_literal(value, type) == expected


@given(st.integers(0, 0xFFFF))
def test_bits_of_halves(bits: int):
    value = float(np.array([bits], np.uint16).view(np.float16)[0])
    if not math.isnan(value):
        assert float_bits(value, f16) == bits


def c_integer(text: str) -> int:
    """The value of a literal of C, which may be a difference of two."""
    return eval(re.sub(r"(?<=\d)(u|LL|ULL)\b", "", text))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@given(st.integers(-(1 << 63), (1 << 64) - 1))
def test_integers_read_back(bits: int, value: int):
    half = 1 << (bits - 1)
    literal = integer_literal(value, bits)
    assert c_integer(literal) == (value + half) % (2 * half) - half
    # The digits alone must fit the type: C reads the minus sign on its own.
    assert all(int(digits) < max(half, 1 << 31) for digits in re.findall(r"\d+", literal))
    assert re.match(r"-?\d+LL", literal) if bits == 64 else "L" not in literal
    assert c_integer(unsigned_literal(value, bits)) == value % (1 << bits)


def test_booleans():
    assert [integer_literal(value, 1) for value in (0, 1, -1)] == ["false", "true", "true"]
