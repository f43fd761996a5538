"""Tiles of an array in memory: the pointers to their elements, and which of the elements are in the array."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.creation import arange
from mytriton.language.dtypes import dtype, int64, uint64
from mytriton.language.operators import add, and_, constant, less_than, mul
from mytriton.language.shapes import broadcast_to_shape, insert_axis
from mytriton.language.values import Operand, is_sequence, tensor


@dataclass(frozen=True)
class Array:
    """An array: the pointer to its first element, and of each axis the extent and the stride, in elements."""

    base: tensor
    shape: tuple[Operand, ...]
    strides: tuple[Operand, ...]

    def access(self, positions: Sequence[tensor], checked: Collection[int]) -> tuple[tensor, tensor | None]:
        """The pointers to the elements at `positions`, and which of these are in the array along the `checked` axes.

        There is one tensor of positions, of `int64`, for each axis; they are broadcast against each other.
        """
        pointer: tensor = self.base
        mask: tensor | None = None
        for axis, position in enumerate(positions):
            pointer = add(pointer, mul(position, _wide(self.strides[axis])))
            if axis in checked:
                # A position before the array is a large one as an unsigned number.
                inside = less_than(cast_to(position, uint64), _unsigned(self.shape[axis]))
                mask = inside if mask is None else and_(mask, inside)
        if mask is not None:
            mask = broadcast_to_shape(mask, pointer.shape)
        return pointer, mask


def names_of_axes(rank: int, *names: str) -> list[str]:
    """`["shape0", "shape1", ...]` for the names of what there is for each axis."""
    return [f"{name}{axis}" for name in names for axis in range(rank)]


def positions(offset: tensor, size: int, axis: int, rank: int) -> tensor:
    """`size` positions from `offset` on, along one of `rank` axes."""
    found = add(cast_to(arange(0, size), int64), offset)
    return along(found, axis, rank)


def along(positions: tensor, axis: int, rank: int) -> tensor:
    """A tensor of rank 1 as one of a higher rank that only varies along `axis`."""
    for other in range(rank):
        if other != axis:
            positions = insert_axis(positions, other)
    return positions


def scalars(values: Any, what: str, function: str) -> tuple[Operand, ...]:
    """Integers that a kernel gives for each axis, in a tuple or a list; numbers stay numbers."""
    values = unwrap(values)
    if isinstance(values, tensor | int):
        values = (values,)
    if not is_sequence(values):
        raise messages.integers_expected(function, what, values)
    found: list[Operand] = []
    for value in values:
        value = unwrap(value)
        if isinstance(value, tensor) and value.constant is not None:
            value = value.constant
        is_integer = not value.is_block and value.dtype.is_int() if isinstance(value, tensor) else type(value) is int
        if not is_integer:
            raise messages.integers_expected(function, what, value)
        found.append(value)
    return tuple(found)


def as_integer(value: Operand, type: dtype) -> tensor:
    """An integer as a tensor of an integer dtype."""
    return cast_to(value, type) if isinstance(value, tensor) else constant(value, type)


def check_ranks(function: str, **lengths: int) -> None:
    """Raises `CompilationError` unless all arguments have as many entries as the first."""
    if len(set(lengths.values())) != 1:
        raise messages.different_ranks(function, lengths)


def _wide(value: Operand) -> Operand:
    return cast_to(value, int64) if isinstance(value, tensor) else value


def _unsigned(value: Operand) -> tensor:
    return cast_to(as_integer(value, int64), uint64)
