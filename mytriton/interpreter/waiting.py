"""Loops that wait for ever: programs run one after the other, so nothing changes while one of them waits.

What the turns of a loop do depends on the values that it carries and on memory. If both are what they were at an
earlier turn, and no clock was read in between, the loop does again what it did since then, without end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from mytriton.errors import LaunchError
from mytriton.interpreter.marker_ops import MarkerOp
from mytriton.interpreter.memory import Memory
from mytriton.interpreter.values import Array
from mytriton.passes.branch_edges import terminator_of

PATIENCE = 1000
"""The turns after which values that only count along are left out of what is compared."""


class Watch:
    """Follows the turns of one loop, and finds repetitions of any length at the cost of one comparison a turn.

    It keeps one earlier state, that of turn 1, 2, 4, 8, ..., as Brent's algorithm does.
    """

    def __init__(self, memory: Memory, loop: scf.WhileOp):
        self._memory, self._loop = memory, loop
        self._compared: Sequence[int] = range(len(loop.arguments))
        self._kept: list[Array] | None = None
        self._changes = 0
        self._turn = 0
        self._next_kept = 1

    def turn(self, carried: Sequence[Array]) -> None:
        """Notes the values at the beginning of a turn; raises `LaunchError` where there was the same state before."""
        kept, changes = self._kept, self._memory.changes
        if kept is not None and changes == self._changes and all(_is_same(kept[i], carried[i]) for i in self._compared):
            raise LaunchError(
                "the loop waits for a value that no program will write: the interpreter runs programs one after another"
            )
        self._turn += 1
        if self._turn == PATIENCE:
            self._compared = deciding(self._loop)
        if self._turn == self._next_kept:
            self._kept, self._changes, self._next_kept = list(carried), changes, 2 * self._turn


def _is_same(one: Array, other: Array) -> bool:
    """Whether two arrays of one type have the same bits."""
    if one is other:
        return True
    return np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()


def deciding(loop: scf.WhileOp) -> Sequence[int]:
    """The positions of the carried values on which depends whether and how the loop goes on.

    The others, such as how often it has waited, serve nothing but their own next values and what follows the loop.
    """
    condition, *passed = terminator_of(loop.before_region.block).operands
    yielded = terminator_of(loop.after_region.block).operands

    def sources(value: SSAValue) -> Iterable[SSAValue]:
        if isinstance(value, BlockArgument):
            if value.owner is loop.before_region.block:
                return (yielded[value.index],)
            if value.owner is loop.after_region.block:
                return (passed[value.index],)
        op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
        # What is from outside does not change.
        return _used_in(op) if op is not None and loop.is_ancestor(op) else ()

    needed: set[SSAValue] = set()
    pending = [condition, *(operand for op in loop.walk() if op is not loop and _acts(op) for operand in op.operands)]
    while pending:
        value = pending.pop()
        if value not in needed:
            needed.add(value)
            pending += sources(value)
    return [index for index, argument in enumerate(loop.before_region.block.args) if argument in needed]


def _used_in(op: Operation) -> Iterator[SSAValue]:
    """What an operation uses, also in its regions."""
    return (operand for inner in op.walk() if not isinstance(inner, MarkerOp) for operand in inner.operands)


def _acts(op: Operation) -> bool:
    """Whether an operation does more than compute; a load does, as it may be outside of the arrays."""
    if op.regions:
        return any(_acts(inner) for region in op.regions for block in region.blocks for inner in block.ops)
    return not (isinstance(op, MarkerOp) or op.has_trait(IsTerminator) or is_side_effect_free(op))
