"""Which values share a variable.

The values that a loop or branch carries are copied at its borders. Two sides of such a copy share a variable, and the
copy is not made, where neither overwrites the other while it is still needed: the way out of SSA of Boissinot et al.,
"Revisiting Out-of-SSA Translation for Correctness, Code Quality, and Efficiency".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import accumulate

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from mytriton.dialects import cuda
from mytriton.passes.variables.inlining import Inlining
from mytriton.passes.variables.liveness import Liveness


class Variable:
    """A variable of the printed text, and the values that it holds in turn.

    `spans` are where these values live, from and to which operation, in the order of the text; `reach` is for each of
    them how far it and those before it reach at most.
    """

    def __init__(self, value: SSAValue, span: tuple[int, int]):
        self.values = [value]
        self.spans = [(*span, value)]
        self.reach = [span[1]]
        self.name = ""

    def absorb(self, other: Variable) -> None:
        self.values += other.values
        self.spans = list(merge(self.spans, other.spans, key=lambda span: span[0]))
        self.reach = list(accumulate((end for _, end, _ in self.spans), max))

    def overlapping(self, start: int, end: int) -> Iterator[SSAValue]:
        """The values that may live at the same time as another from `start` to `end`."""
        position = bisect_right(self.spans, end, key=lambda span: span[0]) - 1
        while position >= 0 and self.reach[position] >= start:
            if self.spans[position][1] >= start:
                yield self.spans[position][2]
            position -= 1

    def __repr__(self) -> str:
        return f"Variable({self.values})"


class Variables:
    """The variables of one kernel, by value; values written in place have none."""

    def __init__(self, ops: Sequence[Operation], inlining: Inlining, liveness: Liveness):
        self._by_value: dict[SSAValue, Variable] = {}
        self._inlining = inlining
        self._liveness = liveness
        carriers = liveness.inner_first([op for op in ops if op.__class__ in _CARRIERS])
        butterflies = [op for op in ops if op.__class__ is cuda.ButterflyOp]
        for op in (*carriers, *butterflies):
            for left, right in _one_variable(op):
                self._unite(left, right)
        for op in (*carriers, *butterflies):
            for left, right in _copies(op):
                self._share(left, right)

    def of(self, value: SSAValue) -> Variable | None:
        """The variable that holds a value."""
        variable = self._by_value.get(value)
        if variable is None and value not in self._inlining.in_place:
            variable = self._by_value[value] = Variable(value, self._liveness.span(value))
        return variable

    def _share(self, left: SSAValue, right: SSAValue) -> None:
        """Let both sides of a copy share a variable if they may."""
        if not self._is_assignable(left) or not self._is_assignable(right):
            return
        first, second = self.of(left), self.of(right)
        if first is second or first is None or second is None:
            return
        few, many = (first, second) if len(first.values) < len(second.values) else (second, first)
        for start, end, value in few.spans:
            if any(self._liveness.interfere(value, other) for other in many.overlapping(start, end)):
                return
        self._unite(left, right)

    def _unite(self, left: SSAValue, right: SSAValue) -> None:
        first, second = self.of(left), self.of(right)
        if first is second or first is None or second is None:
            return
        first.absorb(second)
        for value in second.values:
            self._by_value[value] = first

    def _is_assignable(self, value: SSAValue) -> bool:
        """Whether the value's variable may be assigned again: no parameter, loop index or shared array."""
        if value in self._inlining.in_place:
            return False
        if not isinstance(value, BlockArgument):
            return not isinstance(value.owner, cuda.SharedArrayOp | cuda.SharedViewOp)
        match value.owner.parent_op():
            case scf.ForOp():
                return value.index > 0
            case scf.WhileOp():
                return True
            case _:
                return False


_CARRIERS = frozenset((scf.ForOp, scf.WhileOp, scf.IfOp))


def _one_variable(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The pairs of values of an operation that are one variable by how it is printed."""
    match op:
        case scf.ForOp():
            yield from zip(op.body.block.args[1:], op.res, strict=True)
        case scf.WhileOp():
            yield from zip(op.after_region.block.args, op.res, strict=True)
        case cuda.ButterflyOp() if is_commutative(op.body.block):
            yield from zip(op.body.block.args, op.outputs, strict=False)
        case _:
            return


def _copies(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The pairs of values between which an operation copies, those of every iteration first."""
    match op:
        case scf.ForOp():
            arguments = op.body.block.args[1:]
            yield from zip(yielded(op.body.block.last_op), arguments, strict=True)
            yield from zip(op.iter_args, arguments, strict=True)
        case scf.IfOp():
            pairs: list[tuple[SSAValue, SSAValue]] = []
            for region in op.regions:
                if region.blocks:
                    pairs += zip(yielded(region.block.last_op), op.output, strict=True)
            # What a loop carries comes first: `if (x > best) best = x;`.
            yield from sorted(pairs, key=lambda pair: not isinstance(pair[0], BlockArgument))
        case scf.WhileOp():
            before, after = op.before_region.block, op.after_region.block
            yield from zip(yielded(after.last_op), before.args, strict=True)
            condition = before.last_op
            assert isinstance(condition, scf.ConditionOp)
            yield from zip(condition.args, after.args, strict=True)
            yield from zip(op.arguments, before.args, strict=True)
        case cuda.ButterflyOp():
            yield from zip(yielded(op.body.block.last_op), op.outputs, strict=True)
            yield from zip(op.values, op.outputs, strict=True)
        case _:
            return


def yielded(op: Operation | None) -> list[SSAValue]:
    """What the terminator of a region passes on to the operation around it."""
    if isinstance(op, scf.ConditionOp):
        return list(op.args)
    return [] if op is None else list(op.operands)


def is_commutative(block: Block) -> bool:
    """Whether a combination does not change if partners change places: one commutative operation for each value."""
    from xdsl.traits import Commutative

    count = len(block.args) // 2
    terminator = block.last_op
    for index, value in enumerate(yielded(terminator)):
        combined = value.owner
        if not isinstance(combined, Operation) or not combined.has_trait(Commutative) or combined.parent is not block:
            return False
        if {*combined.operands} != {block.args[index], block.args[count + index]}:
            return False
    return True
