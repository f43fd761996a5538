"""Tensors of zeros and ones that are sums, modulo 2, of indices along axes of extent 2."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.constants import splat_value
from mytriton.dialects.tensor_types import bit_width, element_type, is_tensor_type


@dataclass(frozen=True)
class IndexSum:
    """Of the indices along some axes, and 1 if `constant`, modulo 2."""

    axes: frozenset[int]
    constant: bool

    def plus(self, other: IndexSum) -> IndexSum:
        return IndexSum(self.axes ^ other.axes, self.constant != other.constant)


class IndexBits:
    """Which sum each value is."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, IndexSum | None] = {}

    def of(self, value: SSAValue) -> IndexSum | None:
        """None for what is not known to be one."""
        if value not in self._known:
            self._known[value] = self._computed(value)
        return self._known[value]

    def _computed(self, value: SSAValue) -> IndexSum | None:
        match value.owner:
            case tt.MakeRangeOp(start=start, end=end):
                return IndexSum(frozenset([0]), False) if (start.value.data, end.value.data) == (0, 2) else None
            case arith.ConstantOp(value=attribute):
                return constant_sum(value, attribute)
            case tt.SplatOp(src=src):
                return self.of(src)
            case tt.BroadcastOp(src=src):
                return self.of(src)
            case tt.ExpandDimsOp(src=src, axis=axis):
                return self._moved(src, [at + (at >= axis.value.data) for at in range(rank(src))])
            case tt.ReshapeOp(src=src, allow_reorder=None):
                return self._reshaped(src, value)
            case arith.XOrIOp(lhs=lhs, rhs=rhs):
                return self._added(lhs, rhs, False)
            case arith.CmpiOp(predicate_name="ne" | "eq" as predicate, lhs=lhs, rhs=rhs):
                return self._added(lhs, rhs, predicate == "eq")
            case arith.ExtUIOp(input=src) | arith.TruncIOp(input=src):
                return self.of(src)
            case _:
                return None

    def _added(self, lhs: SSAValue, rhs: SSAValue, constant: bool) -> IndexSum | None:
        left, right = self.of(lhs), self.of(rhs)
        return None if left is None or right is None else left.plus(right).plus(IndexSum(frozenset(), constant))

    def _reshaped(self, src: SSAValue, value: SSAValue) -> IndexSum | None:
        """Where the two shapes differ in extents of 1 only."""
        assert is_tensor_type(src.type) and is_tensor_type(value.type)
        before = [(axis, size) for axis, size in enumerate(src.type.get_shape()) if size != 1]
        after = [(axis, size) for axis, size in enumerate(value.type.get_shape()) if size != 1]
        if [size for _, size in before] != [size for _, size in after]:
            return None
        places = dict(zip([axis for axis, _ in before], [axis for axis, _ in after], strict=True))
        return self._moved(src, [places.get(axis, 0) for axis in range(rank(src))])

    def _moved(self, src: SSAValue, places: list[int]) -> IndexSum | None:
        found = self.of(src)
        return None if found is None else IndexSum(frozenset(places[axis] for axis in found.axes), found.constant)


def rank(value: SSAValue) -> int:
    return len(value.type.get_shape()) if is_tensor_type(value.type) else 0


def constant_sum(value: SSAValue, attribute: object) -> IndexSum | None:
    number = splat_value(attribute)  # pyright: ignore[reportArgumentType]
    if number == -1 and bit_width(element_type(value.type)) == 1:
        number = 1
    return IndexSum(frozenset(), number == 1) if isinstance(number, int) and number in (0, 1) else None
