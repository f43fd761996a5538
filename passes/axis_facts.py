"""The facts that the axis analysis keeps of a value, and what holds of a value that is one of two."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Attribute

from mytriton.dialects import tt
from mytriton.dialects.linear_layout import next_power_of_two
from mytriton.dialects.tensor_types import element_type, shape_of
from mytriton.dialects.ttg import element_bytes

HIGHEST = 1 << 30
"""The divisibility of zero, and the largest that is told apart."""


class AxisInfo(NamedTuple):
    """Facts of one value, per dimension (a scalar has one dimension of size 1); all numbers are powers of two.

    Along a dimension, cut the indices into groups of `contiguity` that start at its multiples: in a group each value
    is the one before plus 1 (pointers: plus one element), and the first value of each group is divisible by
    `divisibility` (pointers: in bytes). In groups of `constancy` all values are equal. `constant` is the value of all
    elements if known.
    """

    contiguity: tuple[int, ...]
    divisibility: tuple[int, ...]
    constancy: tuple[int, ...]
    constant: int | None = None
    nonnegative: bool = False

    def divisibility_of_groups(self, dim: int, size: int, unit: int = 1) -> int:
        """What divides the values at multiples of `size` along `dim`, where neighbours differ by `unit`."""
        divisibility = self.divisibility[dim]
        return divisibility if size >= self.contiguity[dim] else min(divisibility, size * unit)

    def divisibility_of_all(self, unit: int = 1) -> int:
        """What divides every element."""
        return max(self.divisibility_of_groups(dim, 1, unit) for dim in range(len(self.divisibility)))


def highest_divisor(value: int) -> int:
    """The largest power of two, up to `HIGHEST`, that divides a value."""
    return min(value & -value, HIGHEST) if value else HIGHEST


def extents(type: Attribute) -> tuple[int, ...]:
    """The group sizes that cover whole dimensions of a tensor; (1,) for a scalar."""
    shape = shape_of(type)
    return tuple(next_power_of_two(size) for size in shape) if shape else (1,)


def unknown(type: Attribute) -> AxisInfo:
    """No fact at all."""
    ones = (1,) * len(extents(type))
    return AxisInfo(ones, ones, ones)


def uniform(type: Attribute, divisibility: int, constant: int | None = None, nonnegative: bool = False) -> AxisInfo:
    """All elements are equal."""
    sizes = extents(type)
    return AxisInfo((1,) * len(sizes), (divisibility,) * len(sizes), sizes, constant, nonnegative)


def unit_of(type: Attribute) -> int:
    """By how much the next element differs: the size of a pointer's element, else 1."""
    element = element_type(type)
    return element_bytes(element.pointee) if isinstance(element, tt.PointerType) else 1


def meet(left: AxisInfo, right: AxisInfo, unit: int) -> AxisInfo:
    """What holds of a value that is one of two."""
    if left == right:
        return left
    contiguity = tuple(map(min, left.contiguity, right.contiguity))
    divisibility = tuple(
        min(
            left.divisibility_of_groups(dim, contiguity[dim], unit),
            right.divisibility_of_groups(dim, contiguity[dim], unit),
        )
        for dim in range(len(contiguity))
    )
    return AxisInfo(
        contiguity,
        divisibility,
        tuple(map(min, left.constancy, right.constancy)),
        left.constant if left.constant == right.constant else None,
        left.nonnegative and right.nonnegative,
    )
