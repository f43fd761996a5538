"""The bits of 16-bit float scalars."""

from __future__ import annotations

import math

import pytest

from mytriton.runtime.small_floats import bfloat16_bits, half_bits


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3F80),
        (-2.0, 0xC000),
        (1.00390625, 0x3F80),  # half way between two values: to the even one, below
        (1.01171875, 0x3F82),  # above
        (math.inf, 0x7F80),
        (-math.inf, 0xFF80),
        (math.nan, 0x7FC0),
        (3.4e38, 0x7F80),
        (1e300, 0x7F80),
        (-1e300, 0xFF80),
        (-0.0, 0x8000),
    ],
)
def test_bfloat16(value: float, bits: int):
    assert bfloat16_bits(value) == bits


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3C00),
        (-2.0, 0xC000),
        (65504.0, 0x7BFF),
        (1e6, 0x7C00),
        (-1e6, 0xFC00),
        (math.inf, 0x7C00),
        (-0.0, 0x8000),
    ],
)
def test_half(value: float, bits: int):
    assert half_bits(value) == bits
