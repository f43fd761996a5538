"""Whether the elements of a tensor of pointers, or of offsets, are all different, as far as that can be proved.

Offsets are written as one number for the whole tensor plus, for each axis, a constant times the index along it. They
are different if the constants are like the strides of a row-major array: each is larger than what the axes with smaller
ones can add up to.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.constants import splat_value
from mytriton.dialects.tensor_types import is_tensor_type

MOST_REACH = 2**31
"""Offsets further apart may be equal in 32 bits."""

Strides = tuple[int, ...]
"""For each axis, by how much the offset grows from one index to the next."""


class Addresses:
    """What is known of the tensors of pointers and offsets of a function, found when asked for and then kept."""

    def __init__(self) -> None:
        self._strides: dict[SSAValue, Strides | None] = {}

    def are_distinct(self, value: SSAValue) -> bool:
        """Whether no two elements are equal; never true by mistake, and true for a scalar."""
        if not is_tensor_type(value.type):
            return True
        strides = self.strides(value)
        if strides is None:
            return False
        reach = 0
        for stride, extent in sorted(
            (abs(stride), extent) for stride, extent in zip(strides, value.type.get_shape(), strict=True) if extent > 1
        ):
            if stride <= reach:
                return False
            reach += stride * (extent - 1)
        return reach < MOST_REACH

    def strides(self, value: SSAValue) -> Strides | None:
        """The strides of a tensor of pointers or integers; None where it has none, or they are not known."""
        pending = [value]
        while pending:
            current = pending[-1]
            if current in self._strides:
                pending.pop()
                continue
            sources = _sources(current)
            if unknown := [source for source in sources if source not in self._strides]:
                pending += unknown
                continue
            self._strides[current] = _strides(current, [self._strides[source] for source in sources])
            pending.pop()
        return self._strides[value]


def _sources(value: SSAValue) -> list[SSAValue]:
    """The tensors from whose strides those of `value` follow."""
    op = value.owner
    if isinstance(op, Block):
        loop = op.parent_op()
        # A tile that a loop moves keeps its strides if what is added is the same number everywhere.
        if isinstance(loop, scf.ForOp) and is_tensor_type(value.type) and _moved_uniformly(loop, value):
            return [loop.iter_args[_number(value) - 1]]
        return []
    if op.__class__ in _RULES:
        return [operand for operand in op.operands if is_tensor_type(operand.type)]
    return []


def _strides(value: SSAValue, found: list[Strides | None]) -> Strides | None:
    if not is_tensor_type(value.type):
        return None
    op = value.owner
    if isinstance(op, Block):
        return found[0] if found else None
    rule = _RULES.get(op.__class__)
    known = [strides for strides in found if strides is not None]
    return None if rule is None or len(known) < len(found) else rule(op, known)


def _number(argument: SSAValue) -> int:
    assert isinstance(argument, BlockArgument)
    return argument.index


def _moved_uniformly(loop: scf.ForOp, argument: SSAValue) -> bool:
    last = loop.body.block.last_op
    assert last is not None
    moved = last.operands[_number(argument) - 1]
    while moved is not argument:
        if not isinstance(moved.owner, tt.AddPtrOp | arith.AddiOp):
            return False
        added = moved.owner.operands[1]
        if is_tensor_type(added.type) and not _is_uniform(added):
            return False
        moved = moved.owner.operands[0]
    return True


def _is_uniform(value: SSAValue) -> bool:
    return isinstance(value.owner, tt.SplatOp) or _constant(value) is not None


def _constant(value: SSAValue) -> int | None:
    """The number that all elements of a constant are."""
    if not isinstance(value.owner, arith.ConstantOp):
        return None
    number = splat_value(value.owner.value)
    return number if isinstance(number, int) else None


def _zeros(op: Operation, _: list[Strides]) -> Strides:
    type = op.results[0].type
    assert is_tensor_type(type)
    return (0,) * len(type.get_shape())


def _constants(op: Operation, _: list[Strides]) -> Strides | None:
    return None if _constant(op.results[0]) is None else _zeros(op, _)


def _sum(_: Operation, operands: list[Strides]) -> Strides:
    first, second = operands
    return tuple(a + b for a, b in zip(first, second, strict=True))


def _difference(_: Operation, operands: list[Strides]) -> Strides:
    first, second = operands
    return tuple(a - b for a, b in zip(first, second, strict=True))


def _product(op: Operation, operands: list[Strides]) -> Strides | None:
    for factor, strides in zip(op.operands, reversed(operands), strict=True):
        if (number := _constant(factor)) is not None:
            return tuple(number * stride for stride in strides)
    # A product of two numbers that are the same everywhere is one, too.
    return operands[0] if not any(operands[0]) and not any(operands[1]) else None


def _expanded(op: Operation, operands: list[Strides]) -> Strides:
    assert isinstance(op, tt.ExpandDimsOp)
    axis = op.axis.value.data
    (strides,) = operands
    return (*strides[:axis], 0, *strides[axis:])


def _broadcast(op: Operation, operands: list[Strides]) -> Strides:
    source = op.operands[0].type
    assert is_tensor_type(source)
    return tuple(0 if extent == 1 else stride for stride, extent in zip(operands[0], source.get_shape(), strict=True))


def _transposed(op: Operation, operands: list[Strides]) -> Strides:
    assert isinstance(op, tt.TransOp)
    return tuple(operands[0][axis] for axis in op.order.get_values())


_RULES: dict[type[Operation], Callable[[Operation, list[Strides]], Strides | None]] = {
    arith.ConstantOp: _constants,
    tt.SplatOp: _zeros,
    tt.MakeRangeOp: lambda op, _: (1,),
    tt.AddPtrOp: _sum,
    arith.AddiOp: _sum,
    arith.SubiOp: _difference,
    arith.MuliOp: _product,
    arith.ExtSIOp: lambda _, operands: operands[0],
    tt.ExpandDimsOp: _expanded,
    tt.BroadcastOp: _broadcast,
    tt.TransOp: _transposed,
    ttg.ConvertLayoutOp: lambda _, operands: operands[0],
}
