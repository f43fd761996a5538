"""Constants as C literals, exactly."""

from __future__ import annotations

import math
import struct

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
)
from xdsl.ir import Attribute

from mytriton.codegen.types import SMALL_FLOATS, bits_of, no_c_type
from mytriton.dialects.float8 import float8_format


def integer_literal(value: int, bits: int) -> str:
    """A signed integer of `bits` bits; a boolean for one bit."""
    if bits == 1:
        return "true" if value & 1 else "false"
    half = 1 << (bits - 1)
    value = (value + half) % (2 * half) - half
    suffix = "LL" if bits == 64 else ""
    # The smallest number has no literal: C reads the minus sign on its own.
    if bits >= 32 and value == -half:
        return f"{value + 1}{suffix} - 1"
    return f"{value}{suffix}"


def unsigned_literal(value: int, bits: int) -> str:
    """The same bits as an unsigned integer of 32 or 64 bits; one of fewer bits is not negative and an int."""
    value &= (1 << bits) - 1
    return f"{value}{'ULL' if bits == 64 else 'u' if bits == 32 else ''}"


def float_bits(value: float, type: Attribute) -> int:
    """The bits of a float type, as an unsigned integer. A NaN is the positive quiet one."""
    match type:
        case Float16Type():
            return 0x7E00 if math.isnan(value) else struct.unpack("<H", struct.pack("<e", value))[0]
        case BFloat16Type():
            return 0x7FC0 if math.isnan(value) else struct.unpack("<I", struct.pack("<f", value))[0] >> 16
        case Float32Type():
            return 0x7FC00000 if math.isnan(value) else struct.unpack("<I", struct.pack("<f", value))[0]
        case Float64Type():
            return 0x7FF8000000000000 if math.isnan(value) else struct.unpack("<Q", struct.pack("<d", value))[0]
        case _ if (format := float8_format(type)) is not None:
            return format.exact(value)
        case _:
            raise no_c_type(type)


def float_literal(value: float, type: Attribute) -> str:
    """A float of exactly this value, which the type holds: the shortest decimal, or its bits if it is not finite."""
    match type:
        case _ if (name := SMALL_FLOATS.get(type.__class__)) is not None:
            return f"{name}{{{float_bits(value, type):#0{bits_of(type) // 4 + 2}x}}}"
        case Float32Type() if math.isfinite(value):
            return f"{_shortest_float(value)}f"
        case Float32Type():
            return f"__int_as_float({float_bits(value, type):#010x})"
        case Float64Type() if math.isfinite(value):
            return repr(value)
        case Float64Type():
            return f"__longlong_as_double({float_bits(value, type):#018x})"
        case _:
            raise no_c_type(type)


def _shortest_float(value: float) -> str:
    """The shortest decimal that reads back as the same float; it has a point or an exponent."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if _round_to_float(float(text)) == value:
            break
    else:
        raise AssertionError(f"{value!r} is not a float")
    return repr(float(text)) if abs(float(text)) < 1e16 else text


def _round_to_float(value: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.inf


def element_bits(attr: IntegerAttr | FloatAttr) -> int:
    """The bits of a constant as they lie in memory."""
    if isinstance(attr, FloatAttr):
        return float_bits(attr.value.data, attr.type)
    return attr.value.data & ((1 << bits_of(attr.type)) - 1)


def literal(attr: IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr) -> str:
    """A scalar constant."""
    if isinstance(attr, DenseIntOrFPElementsAttr):
        raise no_c_type(attr.type)
    if isinstance(attr, FloatAttr):
        return float_literal(attr.value.data, attr.type)
    return integer_literal(attr.value.data, bits_of(attr.type))
