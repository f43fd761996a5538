"""Scalars of float types of 16 and 8 bits: a launch gives a kernel their bits."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from mytriton.float8 import FLOAT8


def half_bits(value: float) -> int:
    """The bits of `value` as a float16, rounded to nearest, ties to even; infinity beyond the range."""
    try:
        packed = struct.pack("<e", value)
    except OverflowError:
        packed = struct.pack("<e", math.copysign(math.inf, value))
    return int.from_bytes(packed, "little")


def bfloat16_bits(value: float) -> int:
    """The bits of `value` as a bfloat16, rounded to nearest, ties to even; infinity beyond the range."""
    if math.isnan(value):
        return 0x7FC0
    try:
        bits = int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return 0xFF80 if value < 0 else 0x7F80
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


TO_BITS: dict[str, Callable[[float], int]] = {
    "half": half_bits,
    "bfloat16": bfloat16_bits,
    **{format.c_name: format.encode for format in FLOAT8.values()},
}
"""By the C type of a parameter."""
