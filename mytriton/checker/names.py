"""What a kernel calls the parts of its arguments: `x_ptr`, `pair[1]`, `shape.rows`, or a descriptor as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from mytriton.runtime.specialize import Specialization
from mytriton.structures import DESCRIPTOR, Structure


def names_in_kernel(specialization: Specialization) -> dict[str, str]:
    """For each parameter of the compiled code that is a part of an argument, what the kernel's source calls it."""
    found: dict[str, str] = {}
    for parameter, argument in zip(specialization.parameters, specialization.arguments, strict=True):
        if isinstance(argument.value, Structure):
            found.update(_parts(argument.value, parameter.name))
    return found


def _parts(structure: Structure, name: str) -> Iterator[tuple[str, str]]:
    fields = getattr(structure.kind, "_fields", None)
    for index, part in enumerate(structure.parts):
        if structure.kind == DESCRIPTOR:
            inner = name if index == 0 else f"{name}.{_descriptor_field(index, len(structure.parts))}"
        else:
            inner = f"{name}.{fields[index]}" if fields else f"{name}[{index}]"
        if isinstance(part, Structure):
            yield from _parts(part, inner)
        else:
            yield part, inner


def _descriptor_field(index: int, count: int) -> str:
    rank = (count - 1) // 2
    return f"shape[{index - 1}]" if index <= rank else f"strides[{index - 1 - rank}]"
