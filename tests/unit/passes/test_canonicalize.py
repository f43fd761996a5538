"""canonicalize visits again what has come in reach of a rewrite, wherever in the program it stands."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure

from mytriton.passes.canonicalize import Canonicalize


class OnlyUse(RewritePattern):
    """alone(x) -> marked(x), where x has no other use"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.operands[0].has_one_use():
            rewriter.replace(op, MarkedOp.create(operands=op.operands, result_types=[i32]))


class FirstOfTwo(RewritePattern):
    """dropping(x, y) -> x"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, (), (op.operands[0],))


class OfMarked(RewritePattern):
    """watching(between(marked(x))) -> x"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        between = op.operands[0].owner
        assert isinstance(between, BetweenOp)
        if isinstance(marked := between.operands[0].owner, MarkedOp):
            rewriter.replace(op, (), (marked.operands[0],))


class OnlyUseTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (OnlyUse(),)


class FirstOfTwoTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FirstOfTwo(),)


class OfMarkedTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (OfMarked(),)


@irdl_op_definition
class AloneOp(IRDLOperation):
    name = "test.alone"
    operand = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure(), OnlyUseTrait())


@irdl_op_definition
class DroppingOp(IRDLOperation):
    name = "test.dropping"
    first = operand_def(i32)
    second = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure(), FirstOfTwoTrait())


@irdl_op_definition
class WatchingOp(IRDLOperation):
    name = "test.watching"
    operand = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure(), OfMarkedTrait())


@irdl_op_definition
class BetweenOp(IRDLOperation):
    name = "test.between"
    operand = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure())


@irdl_op_definition
class MarkedOp(IRDLOperation):
    name = "test.marked"
    operand = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure())


def after(*ops: Operation) -> list[str]:
    """The names of what is left of a program."""
    module = ModuleOp(list(ops))
    Canonicalize().apply(Context(), module)
    return [op.name for op in module.body.ops]


def applied(kind: type[Operation], operand: Operation) -> Operation:
    return kind.create(operands=[operand.results[0]], result_types=[i32])


def test_what_has_come_in_reach_later_is_visited_again() -> None:
    """`alone` has the only use of `shared` when `dropping` is gone, and `watching` sees it two operations away."""
    source = test.TestOp(result_types=[i32])
    shared = applied(BetweenOp, source)
    alone = applied(AloneOp, shared)
    between = applied(BetweenOp, alone)
    watching = applied(WatchingOp, between)
    first = test.TestOp(operands=[watching.results[0]])
    dropping = DroppingOp.create(operands=[source.results[0], shared.results[0]], result_types=[i32])
    second = test.TestOp(operands=[dropping.results[0]])
    assert after(source, shared, alone, between, watching, first, dropping, second) == [
        "test.op",
        "test.between",
        "test.op",
        "test.op",
    ]
    assert first.operands[0] is shared.results[0]
    assert second.operands[0] is source.results[0]
