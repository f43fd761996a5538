"""Which scalars may differ from thread to thread."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from mytriton.dialects import cuda
from mytriton.dialects.building import walk

BY_THREAD = frozenset((cuda.ThreadIdOp, cuda.ShuffleXorOp, cuda.ShuffleOp, cuda.ButterflyOp))


def divergent_values(function: Operation) -> set[SSAValue]:
    """The values of a function that depend on the thread: on its index, or on what another lane holds.

    In `tt` and `ttg` a scalar is the same in all threads until a pass asks for the thread's index.
    """
    sources = [op for op in walk(function) if op.__class__ in BY_THREAD]
    divergent: set[SSAValue] = set()
    worklist = [result for op in sources for result in op.results]
    while worklist:
        value = worklist.pop()
        if value in divergent:
            continue
        divergent.add(value)
        for use in value.uses:
            worklist += affected_by(use.operation, use.index)
    return divergent


def affected_by(op: Operation, operand: int) -> list[SSAValue]:
    """The values that may differ because one operand of `op` does."""
    if isinstance(op, scf.ForOp):
        if operand < 3:
            return [*op.body.block.args, *op.results]
        return [op.body.block.args[operand - 2], op.results[operand - 3]]
    if isinstance(op, scf.WhileOp):
        return [op.before_region.block.args[operand]]
    parent = op.parent_op()
    if isinstance(op, scf.ConditionOp) and isinstance(parent, scf.WhileOp):
        if operand == 0:
            return [*parent.before_region.block.args, *parent.after_region.block.args, *parent.results]
        return [parent.after_region.block.args[operand - 1], parent.results[operand - 1]]
    if op.has_trait(IsTerminator) and parent is not None:
        if isinstance(parent, scf.ForOp):
            return [parent.body.block.args[operand + 1], parent.results[operand]]
        if isinstance(parent, scf.WhileOp):
            return [parent.before_region.block.args[operand]]
        return [parent.results[operand]] if operand < len(parent.results) else []
    return [*op.results, *(argument for region in op.regions for block in region.blocks for argument in block.args)]
