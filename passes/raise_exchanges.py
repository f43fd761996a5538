"""`raise-exchanges`: sorting networks and reversals that Triton's library writes as sums, as operations of their own.

Triton has no operation that brings an element to where its neighbour is. For `tl.sort`, `tl.topk` and `tl.flip` its
library gives a tensor the shape 2x2x...x2 and writes `x ^ xor_sum(x, axis)`, in which the element itself is cancelled
and its partner along the axis is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mytriton.dialects import arith, tt
from mytriton.dialects.building import erase, replace_uses, walk
from mytriton.dialects.tensor_types import bit_width, element_type, is_float, is_tensor_type
from mytriton.passes.index_bits import IndexBits
from mytriton.passes.tile_builder import TileBuilder


@dataclass(frozen=True)
class Exchange:
    """A tensor that has the elements of `own` with the two indices along `axis` exchanged.

    It is that of `base`, too, with the indices along all of `axes` exchanged.
    """

    own: SSAValue
    axis: int
    base: SSAValue
    axes: frozenset[int]


@dataclass(frozen=True)
class RaiseExchanges(ModulePass):
    """Finds `tt.compare_exchange`, and `tt.gather` with the indices n - 1, ..., 1, 0, in what is written as sums."""

    name = "raise-exchanges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        operations = walk(op)
        if any(is_sum_of_pairs(inner) for inner in operations):
            Raising(operations).apply()


def is_sum_of_pairs(op: Operation) -> bool:
    """Whether this is a reduction by exclusive or along an axis of extent 2."""
    if op.__class__ is not tt.ReduceOp:
        return False
    assert isinstance(op, tt.ReduceOp)
    body = op.combine_op.block
    if len(op.srcs) != 1 or len(body.args) != 2 or extent(op.srcs[0], op.axis.value.data) != 2:
        return False
    match list(body.ops):
        case [arith.XOrIOp() as combined, tt.ReduceReturnOp() as end]:
            return set(combined.operands) == set(body.args) and end.operands[0] is combined.result
        case _:
            return False


class Raising:
    """The rewriting of one module."""

    def __init__(self, operations: list[Operation]):
        self.operations = operations
        self.exchanges: dict[SSAValue, Exchange] = {}
        self.bits = IndexBits()

    def apply(self) -> None:
        for op in self.operations:
            match op:
                case arith.XOrIOp():
                    self.note_exchange(op)
                case arith.SelectOp():
                    self.raise_compare_exchange(op)
                case tt.ReshapeOp():
                    self.raise_reversal(op)
                case _:
                    pass
        self.raise_others()

    def note_exchange(self, op: arith.XOrIOp) -> None:
        """x ^ broadcast(reduce_xor(x, axis)) is noted, where the extent of the axis is 2."""
        for own, total in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            axis = axis_of_sum(own, total)
            if axis is None:
                continue
            before = self.exchanges.get(own)
            base, axes = (own, frozenset[int]()) if before is None else (before.base, before.axes)
            self.exchanges[op.result] = Exchange(own, axis, base, axes ^ {axis})

    def raise_compare_exchange(self, op: arith.SelectOp) -> None:
        """select((x > y) != r, y, x) -> compare_exchange x

        Here y is x with the indices along an axis exchanged, and r the index along it, or that and the index along
        another one, added modulo 2.
        """
        if not is_tensor_type(op.cond.type):
            return
        for partner, own, is_negated in ((op.lhs, op.rhs, False), (op.rhs, op.lhs, True)):
            exchange = self.exchanges.get(without_casts(partner))
            if exchange is None or without_casts(exchange.own) is not without_casts(own):
                continue
            match op.cond.owner:
                case arith.CmpiOp(predicate_name="ne" | "eq" as relation, lhs=left, rhs=right):
                    is_negated ^= relation == "eq"
                case arith.XOrIOp(lhs=left, rhs=right):
                    pass
                case _:
                    continue
            for condition, direction in ((left, right), (right, left)):
                kind = is_greater(condition, own, partner)
                sum = self.bits.of(direction)
                if kind is None or sum is None or exchange.axis not in sum.axes or len(sum.axes) > 2:
                    continue
                falls = next(iter(sum.axes - {exchange.axis}), None)
                step = tt.CompareExchangeOp(own, exchange.axis, falls, sum.constant != is_negated, kind == "ugt")
                result = TileBuilder(op).add(step)
                result.name_hint = op.result.name_hint
                replace_uses(op.result, result)
                return

    def raise_reversal(self, op: tt.ReshapeOp) -> None:
        """reshape(x with the indices along some axes exchanged) -> reverse(reshape(x)), where these become one axis"""
        exchange = self.exchanges.get(op.src)
        if exchange is None or op.allow_reorder is not None:
            return
        assert is_tensor_type(op.src.type) and is_tensor_type(op.result.type)
        shape = op.result.type.get_shape()
        groups = grouped(op.src.type.get_shape(), shape)
        if groups is None:
            return
        reversed_axes = [axis for axis, group in enumerate(groups) if group & exchange.axes]
        if exchange.axes != frozenset[int]().union(*(groups[axis] for axis in reversed_axes)):
            return
        target, source = past_casts(op.result, exchange.base)
        builder = TileBuilder(op)
        value = builder.reshape(source, shape)
        for axis in reversed_axes:
            value = reversed_along(builder, value, axis)
        value.name_hint = target.name_hint
        replace_uses(target, value)

    def raise_others(self) -> None:
        """What is left and used: x ^ broadcast(reduce_xor(x, axis)) -> reverse(x). What is not used goes."""
        for op in reversed(self.operations):
            if op.__class__ not in SUMS or any(result.first_use is not None for result in op.results):
                continue
            erase(op)
            for result in op.results:
                self.exchanges.pop(result, None)
        for value, exchange in self.exchanges.items():
            assert isinstance(value.owner, Operation)
            builder, (target, source) = TileBuilder(value.owner), past_casts(value, exchange.own)
            found = reversed_along(builder, builder.reshape(source, extents(value)), exchange.axis)
            found.name_hint = target.name_hint
            replace_uses(target, found)


SUMS = frozenset[type[Operation]](
    [
        arith.CmpfOp,
        arith.CmpiOp,
        arith.SelectOp,
        arith.XOrIOp,
        tt.BitcastOp,
        tt.BroadcastOp,
        tt.ExpandDimsOp,
        tt.ReduceOp,
        tt.ReshapeOp,
        tt.SplatOp,
    ]
)
"""The operations that networks are made of, none of which has an effect."""


def extent(value: SSAValue, axis: int) -> int:
    assert is_tensor_type(value.type)
    return value.type.get_shape()[axis]


def without_casts(value: SSAValue) -> SSAValue:
    """A value whose bits are those of another one, without a change of shape; and that other one's."""
    while isinstance(value.owner, tt.BitcastOp):
        value = value.owner.src
    return value


def without_reshapes(value: SSAValue) -> SSAValue:
    """A value whose bits are those of another one, in row-major order; and that other one's."""
    while True:
        match value.owner:
            case tt.BitcastOp(src=src) | tt.ReshapeOp(src=src, allow_reorder=None):
                value = src
            case _:
                return value


def past_casts(target: SSAValue, source: SSAValue) -> tuple[SSAValue, SSAValue]:
    """A value that is only read as another type, as that type, and what it is computed from, before it was that type.

    The latter may have another shape. Values that are read otherwise are left as they are.
    """
    origin = without_reshapes(source)
    match [use.operation for use in target.uses]:
        case [tt.BitcastOp() as cast] if element_type(cast.result.type) == element_type(origin.type):
            return cast.result, origin
        case _:
            return target, source


def axis_of_sum(own: SSAValue, total: SSAValue) -> int | None:
    """The axis of extent 2 along which `total` is the sum modulo 2 of the elements of `own`, in its shape."""
    if not is_tensor_type(total.type):
        return None
    kept = total.owner.src if isinstance(total.owner, tt.BroadcastOp | tt.SplatOp) else None
    if kept is not None and isinstance(kept.owner, tt.ExpandDimsOp | tt.ReshapeOp | tt.SplatOp):
        kept = kept.owner.src
    if kept is None or not isinstance(kept.owner, tt.ReduceOp) or not is_sum_of_pairs(kept.owner):
        return None
    axis = kept.owner.axis.value.data
    if kept.owner.srcs[0] is not own or not keeps_dimension(total, kept.owner, axis):
        return None
    return axis


def keeps_dimension(total: SSAValue, reduction: tt.ReduceOp, axis: int) -> bool:
    """Whether `total` has the reduced axis where it was, and not among the other axes."""
    expanded = total.owner.src if isinstance(total.owner, tt.BroadcastOp) else None
    if expanded is None:
        return True  # of a scalar
    assert is_tensor_type(expanded.type)
    shape = list(extents(reduction.srcs[0]))
    shape[axis] = 1
    if list(expanded.type.get_shape()) != shape:
        return False
    match expanded.owner:
        case tt.ExpandDimsOp(axis=added):
            return added.value.data == axis
        case tt.ReshapeOp(allow_reorder=reorder):
            return reorder is None
        case _:
            return isinstance(expanded.owner, tt.SplatOp)


def extents(value: SSAValue) -> tuple[int, ...]:
    assert is_tensor_type(value.type)
    return value.type.get_shape()


def is_greater(condition: SSAValue, own: SSAValue, partner: SSAValue) -> str | None:
    """How two tensors are compared where a condition is that `own` is greater: "ogt", "sgt" or "ugt"."""
    match condition.owner:
        case arith.CmpfOp(predicate_name=predicate, lhs=left, rhs=right) if is_float(element_type(left.type)):
            pass
        case arith.CmpiOp(predicate_name=predicate, lhs=left, rhs=right) if bit_width(element_type(left.type)) > 1:
            pass
        case _:
            return None
    if (left, right) == (own, partner):
        return predicate if predicate in ("ogt", "sgt", "ugt") else None
    if (left, right) == (partner, own):
        return {"olt": "ogt", "slt": "sgt", "ult": "ugt"}.get(predicate)
    return None


def grouped(source: Iterable[int], target: Iterable[int]) -> list[frozenset[int]] | None:
    """For each axis of a shape, those axes of another one that become it, but for those of extent 1; None if one is
    split.
    """
    groups: list[frozenset[int]] = []
    rest = [(axis, size) for axis, size in enumerate(source) if size != 1]
    for size in target:
        group: set[int] = set()
        while size > 1:
            axis, part = rest.pop(0)
            if size % part:
                return None
            size //= part
            group.add(axis)
        groups.append(frozenset(group))
    return groups


def reversed_along(builder: TileBuilder, value: SSAValue, axis: int) -> SSAValue:
    """The elements along an axis in the opposite order: those with the indices n - 1, n - 2, ..., 0."""
    shape = extents(value)
    positions = builder.broadcast(builder.along(builder.range(shape[axis]), axis, len(shape)), shape)
    indices = builder.add(arith.SubiOp(builder.like(positions, shape[axis] - 1), positions))
    return builder.add(tt.GatherOp(value, indices, axis))
