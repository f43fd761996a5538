"""Types that programs around kernels name: those of constants and tuples, and types written as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mytriton.language.constexpr import unwrap
from mytriton.language.descriptors import tensor_descriptor_type
from mytriton.language.dtypes import block_type, type_from_signature


class const:
    """Annotates a parameter that is a pointer to data which the kernel does not change: `x_ptr: tl.const`."""


class constexpr_type:
    """The type of a value that is known when a kernel is compiled, which is that value."""

    def __init__(self, value: Any):
        self.value = unwrap(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self) -> int:
        return hash((constexpr_type, self.value))

    def __repr__(self) -> str:
        return f"constexpr_type[{self.value}]"


class tuple_type:
    """The type of a tuple: those of its values, and their names if it is a named tuple."""

    def __init__(self, types: Sequence[Any], fields: Sequence[str] | None = None):
        self.types = tuple(types)
        self.fields = tuple(fields or ())

    @property
    def name(self) -> str:
        names = [f"{field}:" for field in self.fields] or [""] * len(self.types)
        return "[" + ",".join(f"{name}{type}" for name, type in zip(names, self.types, strict=True)) + "]"

    def __getitem__(self, index: int) -> Any:
        return self.types[index]

    def __len__(self) -> int:
        return len(self.types)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple_type) and (self.types, self.fields) == (other.types, other.fields)

    def __hash__(self) -> int:
        return hash((self.types, self.fields))

    def __repr__(self) -> str:
        return self.name


def str_to_ty(name: Any, c: Any = None) -> Any:
    """The type that a signature writes so: `"*fp32"`, `"i32"`, `"tensordesc<fp16[64, 32]>"`, or a tuple of such.

    `"constexpr"` is the type of the constant `c`.
    """
    if isinstance(name, tuple):
        parts: list[Any] = [str_to_ty(part, c) for part in name]  # pyright: ignore[reportUnknownVariableType]
        return tuple_type(parts, getattr(name, "_fields", None))  # pyright: ignore[reportUnknownArgumentType]
    if name == "constexpr":
        return constexpr_type(c)
    if name.startswith("tensordesc<"):
        element, _, shape = name.removeprefix("tensordesc<").rstrip(">").partition("[")
        extents = [int(extent) for extent in shape.partition("]")[0].split(",")]
        return tensor_descriptor_type(block_type(type_from_signature(element), extents))
    return type_from_signature(name)
