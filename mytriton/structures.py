"""Arguments of kernels that are made of others: a kernel is compiled with one parameter for each of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

DESCRIPTOR = "descriptor"


@dataclass(frozen=True)
class Structure:
    """How an argument is made of parts, of which each is the name of a parameter or a structure itself.

    `kind` is a class of tuples, or `DESCRIPTOR`, whose `details` are the shape and the padding of its tiles.
    """

    kind: type | str
    parts: tuple[str | Structure, ...]
    details: tuple[Any, ...] = ()

    def names(self) -> Iterator[str]:
        """The parameters that it is made of, in order."""
        for part in self.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from part.names()

    def is_like(self, other: str | Structure) -> bool:
        """Whether both are made in the same way, whatever the names of their parts are."""
        if isinstance(other, str) or (self.kind, self.details) != (other.kind, other.details):
            return False
        return len(self.parts) == len(other.parts) and all(
            isinstance(theirs, str) if isinstance(ours, str) else ours.is_like(theirs)
            for ours, theirs in zip(self.parts, other.parts, strict=True)
        )

    def text(self) -> str:
        """A text that is the same in every process for equal structures only."""
        kind = self.kind if isinstance(self.kind, str) else f"{self.kind.__module__}.{self.kind.__qualname__}"
        parts = [part if isinstance(part, str) else part.text() for part in self.parts]
        return f"structure {kind} {self.details!r} ({', '.join(parts)})"


_COMPOSITE: dict[type, bool] = {}
"""Of each class met so far, whether its values are made of others."""


def is_composite(value: object) -> bool:
    """Whether an argument is made of others."""
    kind = type(value)
    found = _COMPOSITE.get(kind)
    if found is None:
        found = issubclass(kind, tuple) or getattr(kind, "is_mytriton_tensor_descriptor", False) is True
        _COMPOSITE[kind] = found
    return found


class Part(NamedTuple):
    """One parameter of the compiled code, and what is passed to it."""

    name: str
    value: Any
    is_constant: bool = False


def structure_of(name: str, value: Any) -> tuple[Structure, list[Part]]:
    """The structure of the argument with a name, and its parts."""
    found: list[Part] = []
    return _structure(name, value, found), found


def _structure(name: str, value: Any, found: list[Part]) -> Structure:
    def part(suffix: object, value: Any, is_constant: bool = False) -> str | Structure:
        part_name = f"{name}_{suffix}"
        if is_composite(value):
            return _structure(part_name, value, found)
        found.append(Part(part_name, value, is_constant))
        return part_name

    if isinstance(value, tuple):
        values = cast("tuple[Any, ...]", value)
        fields: Iterable[object] = getattr(values, "_fields", range(len(values)))
        return Structure(type(values), tuple(part(field, one) for field, one in zip(fields, values, strict=True)))
    parts = [part("base", value.base)]
    parts += [part(f"shape{axis}", extent) for axis, extent in enumerate(value.shape)]
    last = len(value.strides) - 1
    parts += [part(f"stride{axis}", stride, axis == last) for axis, stride in enumerate(value.strides)]
    return Structure(DESCRIPTOR, tuple(parts), (tuple(value.block_shape), value.padding))
