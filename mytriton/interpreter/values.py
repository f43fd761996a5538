"""How values of `tt` are held: NumPy arrays, of shape () for scalars.

Integers are signed arrays of their width, booleans `bool`. bfloat16, which NumPy does not have, is held in float32
arrays whose values are always rounded to bfloat16; `round_to` does that. So are the floats of 8 bits. Pointers are
int64 addresses.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IndexType, IntegerType
from xdsl.ir import Attribute

from mytriton.dialects import tt
from mytriton.dialects.float8 import float8_format
from mytriton.dialects.tensor_types import element_type
from mytriton.errors import UnsupportedError
from mytriton.float8 import Float8

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_INTEGERS = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


def dtype_of(value_type: Attribute) -> np.dtype[Any]:
    """The NumPy dtype in which values of a type (or of a tensor's element type) are held."""
    match element_type(value_type):
        case IntegerType(width=width) if width.data in _INTEGERS:
            return np.dtype(_INTEGERS[width.data])
        case IndexType() | tt.PointerType():
            return np.dtype(np.int64)
        case Float16Type():
            return np.dtype(np.float16)
        case BFloat16Type() | Float32Type():
            return np.dtype(np.float32)
        case float8 if float8_format(float8) is not None:
            return np.dtype(np.float32)
        case Float64Type():
            return np.dtype(np.float64)
        case other:
            raise UnsupportedError(f"the interpreter has no values of type {other}")


def unsigned(array: Array) -> Array:
    """The same bits as unsigned numbers; booleans as 0 and 1."""
    if array.dtype == np.bool_:
        return array.astype(np.uint8)
    return array.view(array.dtype.str.replace("i", "u"))


def signed(array: Array) -> Array:
    """The same integers; booleans as 0 and -1, as a signed number of one bit."""
    return -array.astype(np.int8) if array.dtype == np.bool_ else array


def round_to(value_type: Attribute, array: Array) -> Array:
    """A float array rounded once, to nearest even, to a float type."""
    element = element_type(value_type)
    if isinstance(element, BFloat16Type):
        return round_to_bfloat16(array)
    if (format := float8_format(element)) is not None:
        return decode_float8(format, encode_float8(format, array))
    return array.astype(dtype_of(element), copy=False)


def round_to_bfloat16(array: Array) -> Array:
    """Rounded to nearest even; float64 values are rounded once, not by way of float32."""
    if array.dtype == np.float64:
        array = _round_to_odd(array)
    single = np.ascontiguousarray(array, np.float32)
    bits = single.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) & np.uint32(0xFFFF0000)
    quiet = bits & np.uint32(0xFFFF0000) | np.uint32(0x00400000)
    return np.where(np.isnan(single), quiet, rounded).astype(np.uint32).view(np.float32).reshape(array.shape)


def _round_to_odd(array: Array) -> Array:
    """float64 as float32, with the last bit set where digits were lost: rounding that again is rounding once."""
    single = np.ascontiguousarray(array.astype(np.float32))
    exact = single.astype(np.float64)
    finite = np.isfinite(array)
    with np.errstate(invalid="ignore"):
        toward_zero = np.where(
            finite & (np.abs(exact) > np.abs(array)), np.nextafter(single, np.float32(0)), single
        ).astype(np.float32)
    bits = np.ascontiguousarray(toward_zero).view(np.uint32)
    inexact = finite & (toward_zero.astype(np.float64) != array)
    return np.where(inexact, bits | np.uint32(1), bits).astype(np.uint32).view(np.float32).reshape(array.shape)


def round_towards_zero(value_type: Attribute, array: Array) -> Array:
    """A float array in a narrower float type: the nearest number to each that is not farther from zero."""
    element = element_type(value_type)
    nearest = round_to(element, array)
    if dtype_of(element) != np.float32 or isinstance(element, Float32Type):
        before = np.nextafter(nearest, nearest.dtype.type(0))
    elif isinstance(element, BFloat16Type):
        before = (np.ascontiguousarray(nearest).view(np.uint32) - np.uint32(0x10000)).view(np.float32)
    else:
        format = float8_format(element)
        assert format is not None
        codes = float8_codes(format, nearest)
        is_last = (codes == 0x81) & (not format.has_negative_zero)
        before = decode_float8(format, np.where(is_last, 0, codes - 1).astype(np.uint8))
    is_beyond = np.abs(nearest.astype(np.float64)) > np.abs(array.astype(np.float64))
    return np.where(is_beyond, before.reshape(nearest.shape), nearest)


@cache
def _float8_tables(format: Float8) -> tuple[Array, Array]:
    """The numbers that are half way between two neighbours, and the float32 for each pattern of bits.

    A NaN keeps the sign and the mantissa of its pattern, so that it can be written back as it was.
    """
    magnitudes = np.array(format.magnitudes)
    values = np.array([format.decode(code) for code in range(256)], np.float32)
    codes = np.arange(256, dtype=np.uint32)
    payload = (codes & np.uint32((1 << format.mantissa_bits) - 1)) << np.uint32(23 - format.mantissa_bits)
    special = (codes >> np.uint32(7) << np.uint32(31)) | np.uint32(0x7F800000) | payload
    quiet = np.uint32(0x7FC00000)
    nan_bits = special if format.has_negative_zero else quiet
    bits = np.where(np.isnan(values), nan_bits, values.view(np.uint32)).astype(np.uint32)
    return (magnitudes[:-1] + magnitudes[1:]) / 2, bits.view(np.float32)


def decode_float8(format: Float8, codes: Array) -> Array:
    """The float32 values of patterns of 8 bits."""
    return _float8_tables(format)[1][codes]


def encode_float8(format: Float8, array: Array) -> Array:
    """The bits of floats rounded once, to nearest even; what is beyond the largest number becomes that."""
    middles, _ = _float8_tables(format)
    wide = array.astype(np.float64)
    magnitude = np.abs(wide)
    codes = np.searchsorted(middles, magnitude)
    is_tie = middles[np.minimum(codes, len(middles) - 1)] == magnitude
    codes = codes + (is_tie & (codes & 1 == 1))
    is_negative = np.signbit(wide) & ((codes != 0) | format.has_negative_zero)
    return np.where(np.isnan(wide), format.nan_code, codes | np.where(is_negative, 0x80, 0)).astype(np.uint8)


def float8_codes(format: Float8, array: Array) -> Array:
    """The bits of values that a format holds, those of a NaN included."""
    codes = encode_float8(format, array)
    if not format.has_negative_zero:
        return codes
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32).reshape(array.shape)
    magnitude = bits >> np.uint32(23 - format.mantissa_bits) & np.uint32(0x7F)
    special = (bits >> np.uint32(24) & np.uint32(0x80)) | magnitude
    return np.where(np.isfinite(array), codes, special).astype(np.uint8)


def bytes_of(value_type: Attribute) -> int:
    """Bytes of one element in memory."""
    element = element_type(value_type)
    if float8_format(element) is not None:
        return 1
    return 2 if isinstance(element, BFloat16Type) else dtype_of(element).itemsize


def from_memory(value_type: Attribute, raw: Array) -> Array:
    """Values from their bytes in memory, one row of bytes an element."""
    element = element_type(value_type)
    if isinstance(element, BFloat16Type):
        return (raw.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)[..., 0]
    if (format := float8_format(element)) is not None:
        return decode_float8(format, raw[..., 0])
    dtype = dtype_of(element)
    if dtype == np.bool_:
        return raw[..., 0] != 0
    return raw.view(dtype)[..., 0]


def to_memory(value_type: Attribute, array: Array) -> Array:
    """The bytes of values, one row an element."""
    element = element_type(value_type)
    if isinstance(element, BFloat16Type):
        array = (np.ascontiguousarray(array, np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    elif (format := float8_format(element)) is not None:
        array = float8_codes(format, array)
    array = np.ascontiguousarray(array)
    return array.reshape(-1, 1).view(np.uint8)
