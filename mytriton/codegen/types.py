"""The C types of the values of the `cuda` dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute

from mytriton.dialects.float8 import FORMATS
from mytriton.dialects.tt import PointerType
from mytriton.errors import CompilationError

_INTEGERS = {1: "bool", 8: "signed char", 16: "short", 32: "int", 64: "long long"}
_UNSIGNED = {8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}
SMALL_FLOATS: dict[type[Attribute], str] = {
    Float16Type: "half",
    BFloat16Type: "bfloat16",
    **{type: format.c_name for type, format in FORMATS.items()},
}
"""The floats that are structs of their bits in C, without arithmetic."""

_FLOATS: dict[type[Attribute], str] = {**SMALL_FLOATS, Float32Type: "float", Float64Type: "double"}
BITS: dict[type[Attribute], int] = {
    **dict.fromkeys(FORMATS, 8),
    Float16Type: 16,
    BFloat16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
    IndexType: 64,
}


@dataclass(frozen=True)
class VectorForm:
    """How a vector is held: a C type of `count` parts, each of which holds `per_part` elements."""

    c_type: str
    count: int
    per_part: int


# `isinstance` alone leaves the type's own parameters unknown and is slow for what is not an instance, `isa` always is.


def is_vector(type: Attribute) -> TypeGuard[VectorType[Attribute]]:
    return type.__class__ is VectorType


def is_integer(type: Attribute) -> TypeGuard[IntegerType]:
    return type.__class__ is IntegerType


def no_c_type(type: Attribute) -> CompilationError:
    return CompilationError(f"no C type holds a value of type {type}")


def scalar_type(type: Attribute) -> str:
    """The C type of a scalar or pointer."""
    if is_integer(type) and type.width.data in _INTEGERS:
        return _INTEGERS[type.width.data]
    if (name := _FLOATS.get(type.__class__)) is not None:
        return name
    if isinstance(type, PointerType):
        return f"{scalar_type(type.pointee)} *"
    if isinstance(type, IndexType):
        return "long long"
    raise no_c_type(type)


def bits_of(type: Attribute) -> int:
    """How many bits a scalar has; a pointer has 64."""
    if is_integer(type):
        return type.width.data
    if isinstance(type, PointerType):
        return 64
    if (bits := BITS.get(type.__class__)) is not None:
        return bits
    raise no_c_type(type)


def bytes_of(type: Attribute) -> int:
    """How many bytes a scalar takes in memory."""
    return max(1, bits_of(type) // 8)


def is_small_float(type: Attribute) -> bool:
    """Whether C has no arithmetic on values of this type, which are structs of their bits."""
    return type.__class__ in SMALL_FLOATS


def unsigned_type(bits: int) -> str:
    return _UNSIGNED[bits]


def signed_type(bits: int) -> str:
    return _INTEGERS[bits]


def vector_form(type: VectorType[Attribute]) -> VectorForm:
    """The CUDA vector, or the unsigned integer, that one access moves for a vector of up to 16 bytes."""
    element, (width,) = type.element_type, type.get_shape()
    total = width * bytes_of(element)
    if total not in (2, 4, 8, 16) or bits_of(element) == 1 or isinstance(element, PointerType):
        raise no_c_type(type)
    scalar = scalar_type(element)
    if scalar in ("float", "int", "double") and width > 1:
        return VectorForm(f"{scalar}{width}", width, 1)
    if scalar == "long long" and width > 1:
        return VectorForm("longlong2", 2, 1)
    if total <= 4:
        return VectorForm(unsigned_type(8 * total), 1, width)
    return VectorForm(f"uint{total // 4}", total // 4, 4 // bytes_of(element))


def value_type(type: Attribute) -> str:
    """The C type of a scalar, a pointer or a vector."""
    if is_vector(type):
        return vector_form(type).c_type
    return scalar_type(type)


def declaration(type: str, name: str) -> str:
    """`float x`, `float *x`."""
    return f"{type}{name}" if type.endswith("*") else f"{type} {name}"
