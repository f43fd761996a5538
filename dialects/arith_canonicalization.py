"""The rewrites of `arith` that make new operations; what folds to an existing value or a constant is in `arith`."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mytriton.dialects import arith
from mytriton.dialects.tensor_types import bit_width, element_type


def replace(op: Operation, new_op: Operation, rewriter: PatternRewriter) -> None:
    """Replaces an operation by another one, which gets its source location."""
    new_op.location = op.location
    rewriter.replace(op, new_op)


class ConstantOnTheRight(RewritePattern):
    """`op constant, x -> op x, constant` for a commutative op."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        lhs, rhs = op.operands
        if type(lhs.owner) is arith.ConstantOp and type(rhs.owner) is not arith.ConstantOp:
            op.operands = (rhs, lhs)
            rewriter.notify_op_modified(op)


class CombineConstants(RewritePattern):
    """`op (op x, constant1), constant2 -> op x, (op constant1, constant2)` for an associative op on integers."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        lhs, rhs = op.operands
        inner = lhs.owner
        if type(inner) is not type(op) or type(rhs.owner) is not arith.ConstantOp:
            return
        assert isinstance(op, arith.IntegerBinaryOp) and isinstance(inner, arith.IntegerBinaryOp)
        constant1, constant2 = arith.integer_constant(inner.rhs), arith.integer_constant(rhs)
        if constant1 is None or constant2 is None:
            return
        result_type = op.result.type
        combined = op.compute(constant1, constant2, bit_width(element_type(result_type)))
        constant = arith.ConstantOp.of(result_type, combined)
        constant.location = op.rhs.owner.location if isinstance(op.rhs.owner, Operation) else op.location
        new_op = op.__class__(inner.lhs, constant)
        new_op.location = op.location
        rewriter.replace(op, (constant, new_op))


_SWAPPED = {
    "eq": "eq",
    "ne": "ne",
    "slt": "sgt",
    "sle": "sge",
    "sgt": "slt",
    "sge": "sle",
    "ult": "ugt",
    "ule": "uge",
    "ugt": "ult",
    "uge": "ule",
}


class CompareWithConstantOnTheRight(RewritePattern):
    """`cmpi predicate, constant, x -> cmpi swapped predicate, x, constant`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert type(op) is arith.CmpiOp
        if type(op.lhs.owner) is arith.ConstantOp and type(op.rhs.owner) is not arith.ConstantOp:
            replace(op, arith.CmpiOp(op.rhs, op.lhs, _SWAPPED[op.predicate_name]), rewriter)


class CompareExtendedBoolWithZero(RewritePattern):
    """`cmpi ne, (extui x : i1), 0 -> x`, and the same for `extsi`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, arith.CmpiOp)
        extension = op.lhs.owner
        if op.predicate_name != "ne" or not isinstance(extension, arith.ExtUIOp | arith.ExtSIOp):
            return
        if element_type(extension.input.type) == i1 and arith.integer_constant(op.rhs) == 0:
            rewriter.replace(op, (), (extension.input,))


_INVERSE = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sle": "sgt",
    "sgt": "sle",
    "sge": "slt",
    "ult": "uge",
    "ule": "ugt",
    "ugt": "ule",
    "uge": "ult",
}


class InverseOfCompare(RewritePattern):
    """`xori (cmpi predicate, x, y), true -> cmpi inverse predicate, x, y`; for floats NaN makes it another question"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert type(op) is arith.XOrIOp
        compare = op.lhs.owner
        if type(compare) is arith.CmpiOp and arith.integer_constant(op.rhs) == -1 and op.lhs.has_one_use():
            replace(op, arith.CmpiOp(compare.lhs, compare.rhs, _INVERSE[compare.predicate_name]), rewriter)


_CAST_PAIRS: dict[tuple[type[Operation], type[Operation]], type[arith.CastOp]] = {
    (arith.ExtSIOp, arith.ExtSIOp): arith.ExtSIOp,
    # What was widened with zeros is not negative.
    (arith.ExtSIOp, arith.ExtUIOp): arith.ExtUIOp,
    (arith.ExtUIOp, arith.ExtUIOp): arith.ExtUIOp,
    (arith.TruncIOp, arith.TruncIOp): arith.TruncIOp,
    (arith.ExtFOp, arith.ExtFOp): arith.ExtFOp,
    (arith.SIToFPOp, arith.ExtSIOp): arith.SIToFPOp,
    (arith.SIToFPOp, arith.ExtUIOp): arith.UIToFPOp,
    (arith.UIToFPOp, arith.ExtUIOp): arith.UIToFPOp,
    (arith.FPToSIOp, arith.ExtFOp): arith.FPToSIOp,
    (arith.FPToUIOp, arith.ExtFOp): arith.FPToUIOp,
    (arith.BitcastOp, arith.BitcastOp): arith.BitcastOp,
}


class CombineCasts(RewritePattern):
    """`cast2 (cast1 x) -> cast x` where one cast gives the same; two roundings to a narrower float do not."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, arith.CastOp)
        inner = op.input.owner
        if not isinstance(inner, arith.CastOp):
            return
        if (combined := _CAST_PAIRS.get((type(op), type(inner)))) is not None:
            replace(op, combined(inner.input, op.result.type), rewriter)


class CastBack(RewritePattern):
    """`trunci (ext x) -> x`, or a shorter `trunci x` or `ext x`; the same for `truncf (extf x)`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, arith.TruncIOp | arith.TruncFOp)
        extension = op.input.owner
        extensions = (arith.ExtFOp,) if isinstance(op, arith.TruncFOp) else (arith.ExtSIOp, arith.ExtUIOp)
        if not isinstance(extension, extensions):
            return
        source, target = element_type(extension.input.type), element_type(op.result.type)
        if source == target:
            rewriter.replace(op, (), (extension.input,))
        elif bit_width(source) > bit_width(target):
            replace(op, type(op)(extension.input, op.result.type), rewriter)
        elif bit_width(source) < bit_width(target):
            replace(op, type(extension)(extension.input, op.result.type), rewriter)


class IndexCastBack(RewritePattern):
    """`index_cast (index_cast x) -> x` where nothing was cut off between"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, arith.IndexCastOp)
        inner = op.input.owner
        if not isinstance(inner, arith.IndexCastOp) or inner.input.type != op.result.type:
            return
        if _keeps_all_bits(inner.input, inner.result.type):
            rewriter.replace(op, (), (inner.input,))


def _keeps_all_bits(value: SSAValue, type: Attribute) -> bool:
    return bit_width(element_type(type)) >= bit_width(element_type(value.type))


class SelectBool(RewritePattern):
    """`select c, false, true -> xori c, true` on `i1`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, arith.SelectOp)
        if op.cond.type != op.result.type or not isinstance(element_type(op.result.type), IntegerType):
            return
        if arith.integer_constant(op.lhs) == 0 and arith.integer_constant(op.rhs) == -1:
            replace(op, arith.XOrIOp(op.cond, op.rhs), rewriter)


_COMMUTATIVE = (ConstantOnTheRight(),)
_ASSOCIATIVE = (ConstantOnTheRight(), CombineConstants())

PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    arith.AddiOp: _ASSOCIATIVE,
    arith.MuliOp: _ASSOCIATIVE,
    arith.AndIOp: _ASSOCIATIVE,
    arith.OrIOp: _ASSOCIATIVE,
    arith.XOrIOp: (*_ASSOCIATIVE, InverseOfCompare()),
    arith.MinSIOp: _ASSOCIATIVE,
    arith.MaxSIOp: _ASSOCIATIVE,
    arith.MinUIOp: _ASSOCIATIVE,
    arith.MaxUIOp: _ASSOCIATIVE,
    arith.AddfOp: _COMMUTATIVE,
    arith.MulfOp: _COMMUTATIVE,
    arith.MinimumfOp: _COMMUTATIVE,
    arith.MaximumfOp: _COMMUTATIVE,
    arith.MinnumfOp: _COMMUTATIVE,
    arith.MaxnumfOp: _COMMUTATIVE,
    arith.CmpiOp: (CompareWithConstantOnTheRight(), CompareExtendedBoolWithZero()),
    arith.SelectOp: (SelectBool(),),
    arith.ExtSIOp: (CombineCasts(),),
    arith.ExtUIOp: (CombineCasts(),),
    arith.TruncIOp: (CombineCasts(), CastBack()),
    arith.ExtFOp: (CombineCasts(),),
    arith.TruncFOp: (CastBack(),),
    arith.SIToFPOp: (CombineCasts(),),
    arith.UIToFPOp: (CombineCasts(),),
    arith.FPToSIOp: (CombineCasts(),),
    arith.FPToUIOp: (CombineCasts(),),
    arith.BitcastOp: (CombineCasts(),),
    arith.IndexCastOp: (IndexCastBack(),),
}
