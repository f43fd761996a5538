"""Text of operations that MLIR reads and xDSL's operations do not: words in their midst, and operations to refuse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import UnitAttr, i1

from mytriton.dialects.attribute_names import UNSIGNED

if TYPE_CHECKING:
    from xdsl.dialects.cf import ConditionalBranchOp
    from xdsl.dialects.scf import ExecuteRegionOp, ForOp
    from xdsl.ir import Attribute, Block, Operation, SSAValue
    from xdsl.parser import Parser

    from mytriton.dialects.arith import TruncFOp

UNSUPPORTED = {
    "arith.scaling_extf": "use tt.dot_scaled, or arith.extf and a product with the scale",
    "arith.scaling_truncf": "use a quotient by the scale and arith.truncf",
    "scf.forall": "use scf.for, or a program of the grid for each iteration",
    "scf.parallel": "use scf.for, or a program of the grid for each iteration",
    "scf.reduce": "use scf.for with iter_args, or tt.reduce on a tensor",
    "scf.reduce.return": "use scf.for with iter_args, or tt.reduce on a tensor",
}
"""Operations that are not compiled, with what does the same."""

_ROUNDED = re.compile(r"\s*%[\w$.#-]+\s+(?:to_nearest_even|downward|upward|toward_zero|to_nearest_away)\b")
_WEIGHTS = re.compile(r"\s*%[\w$.#-]+\s+weights\b")


class UnsignedFor:
    """`scf.for unsigned ...`"""

    @staticmethod
    def dialect_name() -> str:
        return "scf"

    @staticmethod
    def parse(parser: Parser) -> ForOp:
        from xdsl.dialects.scf import ForOp

        parser.parse_keyword("unsigned")
        loop = ForOp.parse(parser)
        loop.attributes[UNSIGNED] = UnitAttr()
        return loop


class ExecuteRegion:
    """`scf.execute_region -> (types) no_inline { ... }`; that it is not to be inlined is no part of its meaning."""

    @staticmethod
    def dialect_name() -> str:
        return "scf"

    @staticmethod
    def parse(parser: Parser) -> ExecuteRegionOp:
        from xdsl.dialects.scf import ExecuteRegionOp

        types = []
        if parser.parse_optional_punctuation("->"):
            types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            types = [parser.parse_type()] if types is None else types
        parser.parse_optional_keyword("no_inline")
        region = parser.parse_region()
        op = ExecuteRegionOp(types, region)
        op.attributes |= parser.parse_optional_attr_dict()
        return op


class RoundedTruncation:
    """`arith.truncf %x to_nearest_even : f32 to f16`, and those which round in other ways, to be refused."""

    @staticmethod
    def dialect_name() -> str:
        return "arith"

    @staticmethod
    def parse(parser: Parser) -> TruncFOp:
        from xdsl.dialects.arith import FastMathFlagsAttr

        from mytriton.dialects.arith import TruncFOp

        operand = parser.parse_unresolved_operand()
        start = parser.pos
        mode = parser.parse_identifier()
        if mode != "to_nearest_even":
            parser.raise_error(
                f"arith.truncf does not round {mode}; leave that out where to_nearest_even will do",
                start,
                start + len(mode),
            )
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("fastmath"):
            properties["fastmath"] = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        value = parser.resolve_operand(operand, parser.parse_type())
        parser.parse_keyword("to")
        type = parser.parse_type()
        return TruncFOp.create(operands=[value], result_types=[type], properties=properties, attributes=attributes)


class WeightedBranch:
    """`cf.cond_br %c weights([1, 2]), ^a(%x : i32), ^b`; the weights say how often which way is taken."""

    @staticmethod
    def dialect_name() -> str:
        return "cf"

    @staticmethod
    def parse(parser: Parser) -> ConditionalBranchOp:
        from xdsl.dialects.cf import ConditionalBranchOp

        condition = parser.parse_operand(i1)
        parser.parse_keyword("weights")
        parser.parse_punctuation("(")
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        parser.parse_punctuation(")")
        parser.parse_punctuation(",")
        then_block, then_values = _target(parser)
        parser.parse_punctuation(",")
        else_block, else_values = _target(parser)
        branch = ConditionalBranchOp(condition, then_block, then_values, else_block, else_values)
        branch.attributes |= parser.parse_optional_attr_dict()
        return branch


def _target(parser: Parser) -> tuple[Block, list[SSAValue]]:
    block = parser.parse_successor()
    if not parser.parse_optional_punctuation("("):
        return block, []
    start = parser.pos
    delimiter = parser.Delimiter.NONE
    operands = parser.parse_comma_separated_list(delimiter, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(delimiter, parser.parse_type)
    values = parser.resolve_operands(operands, types, start)
    parser.parse_punctuation(")")
    return block, list(values)


RareText = type[UnsignedFor] | type[ExecuteRegion] | type[RoundedTruncation] | type[WeightedBranch]


def reader_of(operation: type[Operation], following: str, text: str, position: int) -> RareText | None:
    """What reads an operation in the place of xDSL's class; `following` is the token after its name."""
    match operation.name:
        case "scf.for" if following == "unsigned":
            return UnsignedFor
        case "scf.execute_region" if following != "(":
            return ExecuteRegion
        case "arith.truncf" if _ROUNDED.match(text, position):
            return RoundedTruncation
        case "cf.cond_br" if _WEIGHTS.match(text, position):
            return WeightedBranch
        case _:
            return None
