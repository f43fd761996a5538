"""`combine-dot-add`: a dot that is added to something accumulates into it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mytriton.dialects import arith, tt
from mytriton.dialects.building import walk
from mytriton.dialects.constants import splat_value


class AddOfDot(RewritePattern):
    """acc + dot(a, b, 0) -> dot(a, b, acc), where that dot has no other use."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddfOp | arith.AddiOp, rewriter: PatternRewriter) -> None:
        for dot_result, acc in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            dot = dot_result.owner
            if not isinstance(dot, tt.DotOp) or dot.parent is not op.parent:
                continue
            if not dot_result.has_one_use() or not is_zero(dot.c):
                continue
            combined = tt.DotOp(
                dot.a, dot.b, acc, dot.precision, max_num_imprecise_acc=dot.max_num_imprecise_acc.value.data
            )
            combined.location = dot.location
            combined.d.name_hint = op.result.name_hint or dot.d.name_hint
            rewriter.replace(op, combined)
            rewriter.erase(dot)
            return


def is_zero(value: SSAValue) -> bool:
    """Whether every element is a constant zero."""
    match value.owner:
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            return splat_value(dense) == 0
        case tt.SplatOp(src=src):
            constant = src.owner
            return isinstance(constant, arith.ConstantOp) and splat_value(constant.value) == 0
        case _:
            return False


@dataclass(frozen=True)
class CombineDotAdd(ModulePass):
    """Turns `acc + tl.dot(a, b)` into a dot that accumulates, so that the sum stays in the accumulator's registers."""

    name = "combine-dot-add"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        operations = walk(op)
        if not any(type(inner) is tt.DotOp for inner in operations):
            return
        pattern = AddOfDot()
        for inner in operations:
            if type(inner) is arith.AddfOp or type(inner) is arith.AddiOp:
                pattern.match_and_rewrite(inner, PatternRewriter(inner))
