"""
Exact arithmetic on the constants of a program: integers wrap, floats round once to nearest even.

An integer is held as the signed number with the same bits (true is -1), as xDSL's attributes hold it. A float is held
as a Python float, which holds every value of f8, f16, bf16, f32 and f64.
"""

from __future__ import annotations

import math
from typing import cast

from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from mytriton.dialects.float8 import float8_format
from mytriton.dialects.tensor_types import bit_width, element_type, is_float, is_integer, is_tensor_type

Constant = int | float
ConstantAttr = IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr


def splat_value(attr: Attribute | None) -> Constant | None:
    """The number that a scalar constant is, or that every element of a dense constant is; None if they differ."""
    if isinstance(attr, IntegerAttr):
        return attr.value.data
    if isinstance(attr, FloatAttr):
        return attr.value.data
    if not isa(attr, DenseIntOrFPElementsAttr):
        return None
    data = attr.data.data
    element = attr.get_element_type()
    size = element.compile_time_size
    first = data[:size]
    if not data or data != first * (len(data) // size):
        return None
    value = element.unpack(first, 1)[0]
    return None if isinstance(value, tuple) else value


def constant_attr(type: Attribute, value: Constant) -> ConstantAttr:
    """
    The attribute of a constant of a scalar or tensor type. An integer is wrapped to the width of the type, a float is
    converted to it. Raises ValueError for a type that has no constants, such as a pointer.
    """
    element = element_type(type)
    if is_integer(element):
        number = wrap(int(value), bit_width(element))
        if not is_tensor_type(type):
            return IntegerAttr(number, element)
        data = element.pack((number,))
    elif is_float(element):
        number = round_float(float(value), element)
        if not is_tensor_type(type):
            return FloatAttr(number, element)
        data = element.pack((number,))
    else:
        raise ValueError(f"{type} has no constants")
    elements = BytesAttr(data * math.prod(type.get_shape()))
    return DenseIntOrFPElementsAttr(cast("TensorType[AnyDenseElement]", type), elements)


# Integers


def wrap(value: int, width: int) -> int:
    """The signed number whose `width` bits are the low bits of `value`."""
    half = 1 << (width - 1)
    return ((value + half) & ((1 << width) - 1)) - half


def unsigned(value: int, width: int) -> int:
    """The unsigned number with the low `width` bits of `value`."""
    return value & ((1 << width) - 1)


def divide_signed(lhs: int, rhs: int) -> int:
    """The quotient rounded towards zero; -1 for a divisor of zero."""
    if rhs == 0:
        return -1
    quotient = abs(lhs) // abs(rhs)
    return quotient if (lhs < 0) == (rhs < 0) else -quotient


def remainder_signed(lhs: int, rhs: int) -> int:
    """The remainder with the sign of `lhs`; -1 for a divisor of zero."""
    if rhs == 0:
        return -1
    remainder = abs(lhs) % abs(rhs)
    return -remainder if lhs < 0 else remainder


# Floats


def divide_floats(lhs: float, rhs: float) -> float:
    if rhs != 0.0 or math.isnan(rhs):
        return lhs / rhs
    if lhs == 0.0 or math.isnan(lhs):
        return math.nan
    return math.copysign(math.inf, lhs) * math.copysign(1.0, rhs)


def remainder_floats(lhs: float, rhs: float) -> float:
    """The C function `fmod`."""
    if math.isinf(lhs) or rhs == 0.0:
        return math.nan
    return math.fmod(lhs, rhs)


def minimum(lhs: float, rhs: float) -> float:
    """The smaller number, NaN if either is NaN; -0.0 is smaller than 0.0."""
    if math.isnan(lhs) or math.isnan(rhs):
        return math.nan
    return lhs if _order(lhs) <= _order(rhs) else rhs


def maximum(lhs: float, rhs: float) -> float:
    """The larger number, NaN if either is NaN; -0.0 is smaller than 0.0."""
    if math.isnan(lhs) or math.isnan(rhs):
        return math.nan
    return lhs if _order(lhs) >= _order(rhs) else rhs


def minimum_number(lhs: float, rhs: float) -> float:
    """The smaller number; a NaN loses to a number."""
    if math.isnan(lhs):
        return rhs
    return lhs if math.isnan(rhs) else minimum(lhs, rhs)


def maximum_number(lhs: float, rhs: float) -> float:
    """The larger number; a NaN loses to a number."""
    if math.isnan(lhs):
        return rhs
    return lhs if math.isnan(rhs) else maximum(lhs, rhs)


def _order(value: float) -> tuple[float, float]:
    return value, math.copysign(1.0, value)


# Conversions


def integer_to_float(value: int) -> float:
    """
    A float from which rounding to any type of at most 51 bits of significand gives the value rounded once.

    A number of more than 53 bits is rounded to odd, so that the last bit remembers what was cut off (Boldo and
    Melquiond, "When double rounding is odd").
    """
    magnitude = abs(value)
    excess = magnitude.bit_length() - 53
    if excess <= 0:
        return float(value)
    kept = magnitude >> excess
    if kept << excess != magnitude:
        kept |= 1
    return math.ldexp(kept if value >= 0 else -kept, excess)


def round_float(value: float, type: AnyFloat) -> float:
    """The number rounded to nearest even to a float type; one of 8 bits has the largest number for all beyond it."""
    format = float8_format(type)
    return type.round(value if format is None else format.saturated(value))


def round_integer(value: int, type: AnyFloat) -> float:
    """The integer rounded once, to nearest even, to a float type."""
    return float(value) if bit_width(type) >= 64 else round_float(integer_to_float(value), type)


def float_to_integer(value: float, width: int, signed: bool) -> int:
    """Rounds towards zero and saturates to the range of the type; NaN gives 0. For `i1`, whether it is not zero."""
    if width == 1:
        return -1 if value != 0.0 else 0
    if math.isnan(value):
        return 0
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - 1 if signed else width)) - 1
    if math.isinf(value):
        return low if value < 0 else high
    return min(max(int(value), low), high)


def bitcast(value: Constant, source: Attribute, target: Attribute) -> Constant | None:
    """
    The number with the same bits in another type; None where a NaN is involved, whose bits a float loses, or an
    infinity of 8 bits, which no conversion gives.
    """
    if is_float(source):
        if math.isnan(value):
            return None
        data = source.pack((float(value),))
    else:
        width = bit_width(source)
        data = unsigned(int(value), width).to_bytes((width + 7) // 8, "little")
    if not is_float(target):
        return int.from_bytes(data, "little")
    (number,) = target.unpack(data, 1)
    is_special = math.isnan(number) or (math.isinf(number) and bit_width(target) == 8)
    return None if is_special else number
