"""How the values of a kernel look in a debugger: NumPy arrays, numbers, and pointers with the name of their argument.

Floats that NumPy does not have (bfloat16 and those of 8 bits) are shown as wider ones that they equal. The arrays are
copies: a debugger may change them, and the kernel does not see it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from mytriton.frontend.frame import UNNEEDED, Undefined
from mytriton.interpreter.values import Array, unsigned
from mytriton.language.dtypes import descriptor_handle_type, dtype
from mytriton.language.messages import with_its_value
from mytriton.language.values import composite, is_tuple, like_composite, parts_of, tensor

Origin: TypeAlias = "tuple[str, int] | None"
"""The name of the argument that a pointer comes from, and the address of its first element."""

Values: TypeAlias = Sequence[tuple[Array, Origin]]
"""What the operands of a marker are, with the origin of each that is a pointer."""

Form: TypeAlias = Callable[[Values], Any]
"""Makes what is shown of the values that a variable is made of."""

ABSENT: Any = object()
"""Stands in for a variable that has no value."""


class PointerTile:
    """A pointer, or a tile of pointers: `name` of the argument that it points into, and `offsets` in elements.

    `addresses` are in bytes. Where it is not known to which argument a pointer belongs, `name` is empty and `offsets`
    are those from address 0.
    """

    def __init__(self, addresses: Array, element_bytes: int, origin: Origin):
        self.addresses = addresses
        self.name, base = origin or ("", 0)
        self.offsets: Any = shown_array((addresses - base) // element_bytes if origin else addresses)
        self._element_bytes, self._origin = element_bytes, origin

    @property
    def shape(self) -> tuple[int, ...]:
        return self.addresses.shape

    def __getitem__(self, index: Any) -> PointerTile:
        return PointerTile(np.asarray(self.addresses[index]), self._element_bytes, self._origin)

    def __repr__(self) -> str:
        if not self.name:
            return f"address {np.array2string(self.addresses, formatter={'int': hex})}"
        return f"{self.name} + {self.offsets}"


@dataclass(frozen=True)
class Composite:
    """A value that is made of others: an aggregate, a descriptor, a block pointer. Its parts are attributes."""

    kind: str
    parts: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["parts"][name]
        except KeyError:
            raise AttributeError(f"{self.kind} has no {name!r}") from None

    def __dir__(self) -> list[str]:
        return list(self.parts)

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(f'{name}={part!r}' for name, part in self.parts.items())})"


def shown_array(array: Array) -> Any:
    """A copy; a single integer or boolean as Python's."""
    if array.shape:
        return np.array(array)
    return array.item() if array.dtype.kind in "iub" else array[()]


def form_of(value: Any, handles: list[SSAValue]) -> Form | None:
    """How a value of the language is shown, once the values of `handles` are known, to which its own are added.

    None for a variable that has no value. Operations may be added to the kernel that is being built.
    """
    if isinstance(value, Undefined) or value is UNNEEDED:
        return None
    if isinstance(value, tensor):
        return _form_of_tensor(value, handles)
    parts = parts_of(value)
    if parts is None:
        return lambda values: value
    forms: list[Form] = [form_of(part, handles) or _absent for part in parts]
    if is_tuple(value):
        return lambda values: like_composite(value, [form(values) for form in forms])
    assert isinstance(value, composite)
    kind, names = type(value).__name__, value.part_names
    return lambda values: Composite(kind, {name: form(values) for name, form in zip(names, forms, strict=True) if name})


def _absent(values: Values) -> Any:
    return ABSENT


def _form_of_tensor(value: tensor, handles: list[SSAValue]) -> Form:
    if isinstance(value.type, descriptor_handle_type):
        text = str(value.type)
        return lambda values: text
    value = with_its_value(value)
    index, element = len(handles), value.dtype
    handles.append(value.handle)
    return lambda values: shown(element, *values[index])


def shown(element: dtype, array: Array, origin: Origin = None) -> Any:
    """What a debugger shows of an array of elements of a type of the language."""
    if element.is_ptr():
        return PointerTile(array, bytes_of_pointee(element), origin)
    return shown_array(unsigned(array) if element.is_int_unsigned() and array.dtype != np.bool_ else array)


def bytes_of_pointee(pointer: Any) -> int:
    return max(1, pointer.element_ty.primitive_bitwidth // 8)
