"""What a kind of shadow is: where its faults come from, how they spread, and which uses are checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from mytriton.dialects import tt
from mytriton.dialects.building import has_trait
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.passes.checks.builder import Shadow, ShadowBuilder
from mytriton.passes.checks.ranges import Ranges
from mytriton.passes.checks.tables import Tables

if TYPE_CHECKING:
    from mytriton.passes.checks.shadowing import Shadowing

CLEAN, UNIFORM, LANES = 0, 1, 2
"""What the shadow of a value is: always 0, a scalar for all elements, or one number for each element."""

Transfer: TypeAlias = "Callable[[Any, Any, ShadowBuilder], list[Shadow]]"

MOVEMENTS = (
    tt.BroadcastOp,
    tt.ExpandDimsOp,
    tt.TransOp,
    tt.ReshapeOp,
    tt.SplatOp,
    tt.UnsplatOp,
    tt.JoinOp,
    tt.SplitOp,
    tt.CatOp,
)
"""Operations whose results have the elements of the operands, whatever these are, in other places."""

WITH_REGIONS = (tt.ReduceOp, tt.ScanOp, tt.MapElementwiseOp)


class Kind(ABC):
    """One kind of faults in one function. Shadows of the operands are `of(value)`."""

    def __init__(self, shadowing: Shadowing, tables: Tables, ranges: Ranges):
        self.shadowing = shadowing
        self.tables = tables
        self.ranges = ranges

    def of(self, value: SSAValue) -> Shadow:
        return self.shadowing.shadows.get(value)

    def of_all(self, builder: ShadowBuilder, values: Sequence[SSAValue]) -> Shadow:
        return builder.all(map(self.of, values))

    @abstractmethod
    def used(self, op: Operation) -> Sequence[SSAValue]:
        """The operands of an operation that are checked."""

    @abstractmethod
    def check(self, op: Operation) -> None:
        """Puts checks of those operands in front of the operation."""

    @abstractmethod
    def spreads_from(self, op: Operation) -> Sequence[SSAValue]:
        """The operands whose faults are faults of the results."""

    @abstractmethod
    def is_origin(self, op: Operation) -> bool:
        """Whether the results may be faulty though the operands are not."""

    @abstractmethod
    def level(self, op: Operation, result: SSAValue, level_of: Callable[[SSAValue], int]) -> int:
        """The level of a result's shadow, from those of `spreads_from`; that of a scalar is taken to be `UNIFORM`."""

    @abstractmethod
    def shadows(self, op: Operation, builder: ShadowBuilder) -> list[Shadow]:
        """The shadows of the results; their levels are at most what `level` says."""

    def carries_shadows(self, op: Operation) -> bool:
        """Whether the region of an operation that combines or maps elements computes their shadows as well."""
        return False


def is_computation(op: Operation) -> bool:
    """Whether an operation only computes its results from its operands."""
    return has_trait(op, Pure) or isinstance(op, tt.ExternElementwiseOp | tt.ElementwiseInlineAsmOp)


def gives_tensor(op: Operation) -> bool:
    return is_tensor_type(op.results[0].type)


# What all kinds do alike


def through_movement(kind: Kind, op: Operation, builder: ShadowBuilder) -> list[Shadow]:
    """move(x) -> move(shadow of x)"""
    return builder.moved(op, [kind.of(operand) for operand in op.operands], ())


def through_slice(kind: Kind, op: tt.ExtractSliceOp, builder: ShadowBuilder) -> list[Shadow]:
    """extract_slice(x, i) -> extract_slice(shadow of x, i), and the shadows of i"""
    moved = builder.moved(op, [kind.of(op.src)], op.offsets)
    return [builder.both(moved[0], kind.of_all(builder, op.offsets))]


def through_gather(kind: Kind, op: tt.GatherOp, builder: ShadowBuilder) -> list[Shadow]:
    """gather(x, i) -> gather(shadow of x, i), and the shadow of i"""
    moved = builder.moved(op, [kind.of(op.src)], (op.indices,))
    return [builder.both(moved[0], kind.of(op.indices))]


def through_sort(kind: Kind, op: tt.SortOp | tt.CompareExchangeOp, builder: ShadowBuilder) -> list[Shadow]:
    """Any element may come to be anywhere along the axis."""
    assert is_tensor_type(op.src.type)
    axis = op.axis.value.data
    return [builder.spread(builder.largest(kind.of(op.src), axis), axis, op.src.type.get_shape())]
