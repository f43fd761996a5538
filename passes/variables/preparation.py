"""What is tidied before variables are assigned, so that the text has nothing in it that it does not need."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mytriton.dialects import arith, cuda
from mytriton.dialects.building import erase, of_class
from mytriton.passes.effects import is_unused


def settle_single_iterations(ops: Sequence[Operation]) -> None:
    """In a map that runs its region once the index is 0; one without results is no longer needed."""
    for op in of_class(ops, cuda.MapOp):
        if op.size != op.step:
            continue
        if op.index.first_use is not None:
            zero = arith.ConstantOp.of(i32, 0)
            Rewriter.insert_op(zero, InsertPoint.at_start(op.body.block))
            op.index.replace_all_uses_with(zero.result)
            _fold(op.body.block)
        if not op.results:
            inner = [inner for inner in op.body.block.ops if not isinstance(inner, cuda.YieldOp)]
            for moved in inner:
                moved.detach()
            Rewriter.insert_op(inner, InsertPoint.before(op))
            Rewriter.erase_op(op)


def erase_dead(block: Block) -> None:
    """Remove the operations of a block, and of those inside it, whose results nobody reads."""
    op = block.last_op
    while op is not None:
        previous = op.prev_op
        if is_unused(op):
            erase(op)
        elif op.regions:
            for region in op.regions:
                for inner in region.blocks:
                    erase_dead(inner)
        op = previous


def repeat_splats(ops: Sequence[Operation]) -> None:
    """A splat that several loops start from is made for each, so that each can update its own in place."""
    for op in of_class(ops, cuda.SplatOp):
        if not op.result.has_more_than_one_use():
            continue
        for use in list(op.result.uses):
            user = use.operation
            if isinstance(user, scf.ForOp | scf.WhileOp | scf.YieldOp | scf.ConditionOp):
                copy = op.clone()
                Rewriter.insert_op(copy, InsertPoint.before(user))
                user.operands[use.index] = copy.result
        if op.result.first_use is None:
            Rewriter.erase_op(op)


def _fold(block: Block) -> None:
    """Replace operations whose result is known: x + 0 -> x, 0 * 4 -> 0."""
    for op in list(block.ops):
        if not isinstance(op, HasFolderInterface) or isinstance(op, arith.ConstantOp):
            continue
        for folded, result in zip(op.fold() or (), op.results, strict=False):
            if isinstance(folded, SSAValue):
                Rewriter.replace_op(op, [], [folded])
            elif constant := arith.ArithConstantMaterialization().materialize_constant(folded, result.type):
                Rewriter.replace_op(op, constant)
