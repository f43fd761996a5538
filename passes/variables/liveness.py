"""How long values are needed, in structured control flow, and which values must not share a variable.

Operations are numbered in the order of the text. A value is needed after a point if control can reach a use of it
from there without passing its definition: a later use, or any use in a loop around the point that the value was
defined outside of. A use counts where the statement stands that it is written in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from mytriton.codegen.types import is_vector
from mytriton.dialects import cuda
from mytriton.dialects.building import operations
from mytriton.passes.variables.inlining import Inlining

CARRIERS = (scf.ForOp, scf.WhileOp, scf.IfOp, cuda.ButterflyOp)
"""Operations that pass values into and out of their regions by copying."""


class Liveness:
    """Answers for one kernel; every answer takes time in the nesting depth and the logarithm of the number of uses."""

    def __init__(self, function: cuda.FuncOp, inlining: Inlining):
        self._inlining = inlining
        self._begin: dict[Operation, int] = {}
        self._end: dict[Operation, int] = {}
        self._uses: dict[SSAValue, list[int]] = {}
        self._count = 0
        self._number(function)

    def _number(self, op: Operation) -> None:
        count = self._count
        self._begin[op] = count
        self._count += 1
        if not op.regions:
            self._end[op] = count
            return
        for region in op.regions:
            for block in region.blocks:
                for inner in operations(block):
                    self._number(inner)
        self._end[op] = self._count - 1

    def inner_first(self, ops: Sequence[Operation]) -> list[Operation]:
        """Operations in the order of the text, each behind those inside it."""
        return sorted(ops, key=lambda op: (self._end[op], -self._begin[op]))

    def interfere(self, left: SSAValue, right: SSAValue) -> bool:
        """Whether one of the values changes its variable while the other is still needed."""
        return self._overwrites(left, right) or self._overwrites(right, left)

    def _overwrites(self, written: SSAValue, needed: SSAValue) -> bool:
        """Whether `needed` would be lost if `written` were put into its variable."""
        op, definer = _definer(written), _definer(needed)
        if definer is op:
            return not _are_apart(op, written, needed)
        if self._begin[op] < self._begin[definer] <= self._end[op]:
            return False
        if self._is_needed_after(needed, op):
            return True
        if op.__class__ in _REPEATED:
            return self._is_used_inside(needed, op)
        return isinstance(op, cuda.MapOp) and self._is_read_out_of_order(needed, op)

    def span(self, value: SSAValue) -> tuple[int, int]:
        """From and to which operation the value lives or is written, at most; no two values clash outside of theirs."""
        op = _definer(value)
        end = self._end[op]
        if isinstance(value, BlockArgument):
            return self._begin[op], end
        for use in value.uses:
            for statement in self._inlining.statements(use):
                inner = statement.operation
                end = max(end, self._end[inner])
                while inner.parent is not op.parent and (outer := inner.parent_op()) is not None:
                    inner = outer
                    if not isinstance(inner, scf.IfOp):
                        end = max(end, self._end[inner])
        return self._begin[op], end

    def _is_needed_after(self, value: SSAValue, op: Operation) -> bool:
        home = value.owner if isinstance(value, BlockArgument) else _definer(value).parent
        current = op
        needed = False
        while (block := current.parent) is not None:
            last = block.last_op
            assert last is not None
            needed = needed or self._is_used_between(value, self._end[current], self._end[last])
            if block is home:
                # A result does not exist inside its own operation, and not before it.
                is_defined = isinstance(value, BlockArgument) or self._begin[_definer(value)] < self._begin[current]
                return needed and is_defined
            parent = block.parent_op()
            if parent is None or isinstance(parent, cuda.FuncOp):
                break
            needed = needed or (not isinstance(parent, scf.IfOp) and self._is_used_inside(value, parent))
            current = parent
        # The value is defined in a block that does not hold the operation: it is not known there.
        return False

    def _is_used_inside(self, value: SSAValue, op: Operation) -> bool:
        return self._is_used_between(value, self._begin[op], self._end[op])

    def _is_used_between(self, value: SSAValue, after: int, last: int) -> bool:
        points = self._points(value)
        index = bisect_right(points, after)
        return index < len(points) and points[index] <= last

    def _points(self, value: SSAValue) -> list[int]:
        if value not in self._uses:
            points: list[int] = []
            for use in value.uses:
                for statement in self._inlining.statements(use):
                    op = statement.operation
                    points.append(self._begin[op])
                    if isinstance(op, scf.ForOp) and statement.index < 3:
                        # The bounds and the step are read as long as the loop runs.
                        points.append(self._end[op])
            self._uses[value] = sorted(points)
        return self._uses[value]

    def _is_read_out_of_order(self, array: SSAValue, op: cuda.MapOp) -> bool:
        """Whether the map reads registers of the array other than those that it writes next."""
        for use in array.uses:
            reader = use.operation
            if not self._begin[op] < self._begin[reader] <= self._end[op]:
                continue
            if not isinstance(reader, cuda.GetOp):
                return True
            if op.size == op.step:
                # All reads come before the only writes.
                continue
            if reader.index is not op.index:
                return True
            if _width(reader.result.type) > op.step.value.data:
                return True
        return False


_REPEATED = frozenset((scf.ForOp, scf.WhileOp, cuda.ButterflyOp))


def _definer(value: SSAValue) -> Operation:
    """The operation that makes a value, or that passes it into a region."""
    if isinstance(value, OpResult):
        return value.op
    assert isinstance(value, BlockArgument)
    op = value.block.parent_op()
    assert op is not None
    return op


def _are_apart(op: Operation, left: SSAValue, right: SSAValue) -> bool:
    """Whether two values of one operation are never needed together: not if they are carried side by side."""
    if isinstance(op, scf.WhileOp):
        # What goes into the condition is no longer needed when the body and the results get theirs.
        return _is_argument_of(op.before_region.block, left) != _is_argument_of(op.before_region.block, right)
    if isinstance(op, scf.ForOp):
        return _carried_index(op, left) == _carried_index(op, right)
    if isinstance(op, cuda.ButterflyOp):
        return _position(left) == _position(right)
    return left is right


def _is_argument_of(block: Block, value: SSAValue) -> bool:
    return value.owner is block


def _carried_index(op: scf.ForOp, value: SSAValue) -> int:
    return _position(value) - (1 if value.owner is op.body.block else 0)


def _position(value: SSAValue) -> int:
    if isinstance(value, BlockArgument):
        return value.index
    return value.owner.results.index(value)  # pyright: ignore


def _width(type: Attribute) -> int:
    return type.get_shape()[0] if is_vector(type) else 1
