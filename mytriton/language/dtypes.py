"""The types of the language: scalar dtypes, pointers, and blocks of either.

Signedness lives here and in the choice of operation only; the IR's integers are signless.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import cast

from mytriton import messages
from mytriton.language.constexpr import unwrap

MAX_TENSOR_NUMEL = 1048576
"""The most elements that one tensor may have, as in Triton."""


class dtype:
    """A scalar type; `name` is Triton's short name, such as `fp32` or `int8`."""

    class SIGNEDNESS(Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(Enum):
        """What a Python number may not change: a number of the same or a lower kind adopts the tensor's dtype."""

        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name: str):
        facts = _FACTS.get(name)
        if facts is None and type(self) is dtype:
            raise messages.unknown_dtype(name, list(_FACTS))
        self.name = name
        self.primitive_bitwidth, kind, self._mantissa, self._bias = facts or (64, "", 0, 0)
        self._signed = kind == "int"
        self._unsigned = kind == "uint"
        self._float = kind in ("float", "fp8")
        self._fp8 = kind == "fp8"

    @property
    def itemsize(self) -> int:
        """Bytes of one element in memory."""
        return (self.primitive_bitwidth + 7) // 8

    @property
    def int_bitwidth(self) -> int:
        return self.primitive_bitwidth

    @property
    def int_signedness(self) -> dtype.SIGNEDNESS:
        return dtype.SIGNEDNESS.SIGNED if self._signed else dtype.SIGNEDNESS.UNSIGNED

    @property
    def fp_mantissa_width(self) -> int:
        return self._mantissa

    @property
    def exponent_bias(self) -> int:
        return self._bias

    @property
    def scalar(self) -> dtype:
        """The type of one element."""
        return self

    @property
    def element_ty(self) -> dtype:
        """What a pointer points to, or a block holds; a scalar type is its own."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def numel(self) -> int:
        return math.prod(self.shape)

    def kind(self) -> dtype.KIND:
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        return dtype.KIND.INTEGRAL if self.is_int() else dtype.KIND.FLOATING

    def is_ptr(self) -> bool:
        return False

    def is_block(self) -> bool:
        return False

    def is_const(self) -> bool:
        return False

    def is_void(self) -> bool:
        return self.name == "void"

    def is_floating(self) -> bool:
        return self._float

    def is_standard_floating(self) -> bool:
        return self._float and not self._fp8

    def is_int(self) -> bool:
        return self._signed or self._unsigned

    def is_int_signed(self) -> bool:
        return self._signed

    def is_int_unsigned(self) -> bool:
        """Whether this is an unsigned integer; `int1` is one."""
        return self._unsigned

    def is_bool(self) -> bool:
        return self.name == "int1"

    def is_fp8(self) -> bool:
        return self._fp8

    def is_fp8e4nv(self) -> bool:
        return self.name == "fp8e4nv"

    def is_fp8e4b8(self) -> bool:
        return self.name == "fp8e4b8"

    def is_fp8e4b15(self) -> bool:
        return self.name == "fp8e4b15"

    def is_fp8e5(self) -> bool:
        return self.name == "fp8e5"

    def is_fp8e5b16(self) -> bool:
        return self.name == "fp8e5b16"

    def is_fp16(self) -> bool:
        return self.name == "fp16"

    def is_bf16(self) -> bool:
        return self.name == "bf16"

    def is_fp32(self) -> bool:
        return self.name == "fp32"

    def is_fp64(self) -> bool:
        return self.name == "fp64"

    def is_int1(self) -> bool:
        return self.name == "int1"

    def is_int8(self) -> bool:
        return self.name == "int8"

    def is_int16(self) -> bool:
        return self.name == "int16"

    def is_int32(self) -> bool:
        return self.name == "int32"

    def is_int64(self) -> bool:
        return self.name == "int64"

    def is_uint8(self) -> bool:
        return self.name == "uint8"

    def is_uint16(self) -> bool:
        return self.name == "uint16"

    def is_uint32(self) -> bool:
        return self.name == "uint32"

    def is_uint64(self) -> bool:
        return self.name == "uint64"

    def get_int_max_value(self) -> int:
        return (1 << (self.primitive_bitwidth - self._signed)) - 1

    def get_int_min_value(self) -> int:
        return -(1 << (self.primitive_bitwidth - 1)) if self._signed else 0

    def with_element_ty(self, element_ty: dtype) -> dtype:
        """A type of the same shape with elements of another type."""
        return element_ty

    def __eq__(self, other: object) -> bool:
        other = unwrap(other)
        return type(other) is type(self) and cast(dtype, other).name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"mytriton.language.{LONG_NAMES.get(self.name, self.name)}"


class pointer_type(dtype):
    """A pointer to elements of `element_ty`."""

    def __init__(self, element_ty: dtype, address_space: int = 1, const: bool = False):
        element_ty = unwrap(element_ty)
        if not isinstance(element_ty, dtype):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise messages.not_a_dtype(element_ty)
        self._element = element_ty
        self.address_space = address_space
        self.const = const
        super().__init__(f"{'const_' if const else ''}pointer<{element_ty}>")

    @property
    def element_ty(self) -> dtype:
        return self._element

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self.const

    def __repr__(self) -> str:
        return self.name


class block_type(dtype):
    """A tensor of `shape` with elements of `element_ty`; each extent is any positive integer."""

    def __init__(self, element_ty: dtype, shape: Sequence[int]):
        self._element = element_ty
        self._shape = checked_shape(shape)
        super().__init__(f"{element_ty}[{', '.join(map(str, self._shape))}]")

    @property
    def scalar(self) -> dtype:
        return self._element

    @property
    def element_ty(self) -> dtype:
        return self._element

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def is_block(self) -> bool:
        return True

    def get_block_shapes(self) -> tuple[int, ...]:
        return self._shape

    def with_element_ty(self, element_ty: dtype) -> dtype:
        return block_type(element_ty, self._shape)

    @property
    def nbytes(self) -> int:
        return self.numel * self._element.itemsize

    def __repr__(self) -> str:
        return self.name


class descriptor_handle_type(dtype):
    """What a tensor descriptor is when the kernel runs: one value, by which tiles of the type `tile` are accessed."""

    def __init__(self, tile: block_type):
        self.tile = tile
        super().__init__(f"tensor_descriptor<{tile}>")


def checked_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape as a tuple of integers; raises `CompilationError` for an extent that is not a positive integer."""
    extents = tuple(unwrap(extent) for extent in shape)
    for extent in extents:
        if not isinstance(extent, int) or isinstance(extent, bool):
            raise messages.extent_not_constexpr(extent)
        if extent <= 0:
            raise messages.extent_not_positive(extent, extents)
    if (numel := math.prod(extents)) > MAX_TENSOR_NUMEL:
        raise messages.tensor_too_large(extents, numel, MAX_TENSOR_NUMEL)
    return extents


def type_of_number(value: bool | int | float) -> dtype:
    """The dtype that a Python number gets where nothing else decides it."""
    if isinstance(value, bool):
        return int1
    if isinstance(value, int):
        for candidate in (int32, uint32, int64, uint64):
            if candidate.get_int_min_value() <= value <= candidate.get_int_max_value():
                return candidate
        raise messages.integer_too_large(value)
    magnitude = abs(value)
    if magnitude == 0.0 or not math.isfinite(value) or 2.0**-126 <= magnitude <= (2 - 2.0**-23) * 2.0**127:
        return float32
    return float64


def type_from_signature(text: str) -> dtype:
    """The type that a signature string such as `"*fp32"`, `"i32"` or `"u8"` stands for; `"*k..."` is read-only."""
    if text.startswith("*"):
        const = text.startswith("*k")
        return pointer_type(type_from_signature(text[2 if const else 1 :]), const=const)
    found = _SIGNATURE_TYPES.get(text)
    if found is None:
        raise messages.unknown_signature_type(text, list(_SIGNATURE_TYPES))
    return found


# name: bits, kind, mantissa bits, exponent bias
_FACTS: dict[str, tuple[int, str, int, int]] = {
    "void": (0, "", 0, 0),
    "int1": (1, "uint", 0, 0),
    "int8": (8, "int", 0, 0),
    "int16": (16, "int", 0, 0),
    "int32": (32, "int", 0, 0),
    "int64": (64, "int", 0, 0),
    "uint8": (8, "uint", 0, 0),
    "uint16": (16, "uint", 0, 0),
    "uint32": (32, "uint", 0, 0),
    "uint64": (64, "uint", 0, 0),
    "fp8e4b15": (8, "fp8", 3, 15),
    "fp8e4nv": (8, "fp8", 3, 7),
    "fp8e4b8": (8, "fp8", 3, 8),
    "fp8e5": (8, "fp8", 2, 15),
    "fp8e5b16": (8, "fp8", 2, 16),
    "fp16": (16, "float", 10, 15),
    "bf16": (16, "float", 7, 127),
    "fp32": (32, "float", 23, 127),
    "fp64": (64, "float", 52, 1023),
}

LONG_NAMES = {
    "fp8e4b15": "float8e4b15",
    "fp8e4nv": "float8e4nv",
    "fp8e4b8": "float8e4b8",
    "fp8e5": "float8e5",
    "fp8e5b16": "float8e5b16",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}
"""The names under which `mytriton.language` has the dtypes whose short name differs."""

void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e4b15 = dtype("fp8e4b15")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
pi32_t = pointer_type(int32)

_SIGNATURE_TYPES = {
    "i1": int1,
    "u1": int1,
    "B": int1,
    "i8": int8,
    "i16": int16,
    "i32": int32,
    "i64": int64,
    "u8": uint8,
    "u16": uint16,
    "u32": uint32,
    "u64": uint64,
    "fp16": float16,
    "bf16": bfloat16,
    "fp32": float32,
    "fp64": float64,
    "fp8e4nv": float8e4nv,
    "fp8e4b8": float8e4b8,
    "fp8e4b15": float8e4b15,
    "fp8e5": float8e5,
    "fp8e5b16": float8e5b16,
}


def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer dtype of a width in bits; the one of 1 bit is `int1` whatever `signed` says."""
    return int1 if bitwidth == 1 else dtype(f"{'' if signed else 'u'}int{bitwidth}")
