"""How values of `tt` are held: NumPy arrays, of shape () for scalars.

Integers are signed arrays of their width, booleans `bool`. bfloat16, which NumPy does not have, is held in float32
arrays whose values are always rounded to bfloat16; `round_to` does that. Pointers are int64 addresses.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IndexType, IntegerType
from xdsl.ir import Attribute

from mytriton.dialects import tt
from mytriton.dialects.tensor_types import element_type
from mytriton.errors import UnsupportedError

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


def cut_to_bfloat16(array: Array) -> Array:
    """float16 or float32 rounded to bfloat16 towards zero."""
    single = np.ascontiguousarray(array, np.float32)
    cut = (single.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(single), np.float32(np.nan), cut).reshape(array.shape)


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


def bytes_of(value_type: Attribute) -> int:
    """Bytes of one element in memory."""
    element = element_type(value_type)
    return 2 if isinstance(element, BFloat16Type) else dtype_of(element).itemsize


def from_memory(value_type: Attribute, raw: Array) -> Array:
    """Values from their bytes in memory, one row of bytes an element."""
    element = element_type(value_type)
    if isinstance(element, BFloat16Type):
        return (raw.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)[..., 0]
    dtype = dtype_of(element)
    if dtype == np.bool_:
        return raw[..., 0] != 0
    return raw.view(dtype)[..., 0]


def to_memory(value_type: Attribute, array: Array) -> Array:
    """The bytes of values, one row an element."""
    element = element_type(value_type)
    if isinstance(element, BFloat16Type):
        array = (np.ascontiguousarray(array, np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    array = np.ascontiguousarray(array)
    return array.reshape(-1, 1).view(np.uint8)
