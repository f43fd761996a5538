"""Float arithmetic and the conversions from and to floats as C."""

from __future__ import annotations

from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation

from mytriton.codegen.errors import codegen_error
from mytriton.codegen.expression import PRIMARY, UNARY, Expression, binary, cast, conditional, logical_not, negation
from mytriton.codegen.expressions import Expressions, Handler, is_double
from mytriton.codegen.functions import MATH
from mytriton.codegen.types import SMALL_FLOATS, bits_of, is_small_float, scalar_type, unsigned_type
from mytriton.dialects import arith, cuda


def _operator(text: str) -> Handler:
    def write(expressions: Expressions, op: arith.FloatBinaryOp) -> Expression:
        is_double(op, op.result.type)
        return binary(expressions.of(op.lhs), text, expressions.of(op.rhs))

    return write


def _divide(expressions: Expressions, op: arith.DivfOp) -> Expression:
    """Triton's `/` on f32 is the approximate division of PTX; see the prologue."""
    left, right = expressions.of(op.lhs), expressions.of(op.rhs)
    if is_double(op, op.result.type):
        return binary(left, "/", right)
    return expressions.call("div_full", left, right)


def _negate(expressions: Expressions, op: arith.NegfOp) -> Expression:
    is_double(op, op.result.type)
    return negation(expressions.of(op.operand))


def _function(expressions: Expressions, op: Operation) -> Expression:
    names = MATH[op.name]
    name = names[is_double(op, op.results[0].type)]
    return expressions.call(name, *(expressions.of(operand) for operand in op.operands))


_COMPARISONS = {"oeq": "==", "ogt": ">", "oge": ">=", "olt": "<", "ole": "<=", "une": "!="}
# An unordered comparison is the opposite of an ordered one.
_OPPOSITES = {"ugt": "<=", "uge": "<", "ult": ">=", "ule": ">"}

REPEATING_PREDICATES = frozenset({"one", "ueq", "ord", "uno"})
"""The float comparisons whose text has each operand twice."""


def _compare(expressions: Expressions, op: arith.CmpfOp) -> Expression:
    """C's comparisons are false where an operand is NaN, except for `!=`."""
    is_double(op, op.lhs.type)
    predicate = op.predicate_name
    if predicate in ("false", "true"):
        return Expression(predicate)
    left, right = expressions.of(op.lhs), expressions.of(op.rhs)
    if predicate in _COMPARISONS:
        return binary(left, _COMPARISONS[predicate], right)
    if predicate in _OPPOSITES:
        return logical_not(binary(left, _OPPOSITES[predicate], right))
    if predicate in ("one", "ueq"):
        differ = binary(binary(left, "<", right), "||", binary(left, ">", right))
        return differ if predicate == "one" else logical_not(differ)
    if op.lhs is op.rhs:
        return binary(left, "==" if predicate == "ord" else "!=", left)
    if predicate == "ord":
        return binary(binary(left, "==", left), "&&", binary(right, "==", right))
    return binary(binary(left, "!=", left), "||", binary(right, "!=", right))


# Conversions


def _extend(expressions: Expressions, op: arith.ExtFOp) -> Expression:
    operand = expressions.of(op.input)
    if (small := SMALL_FLOATS.get(op.input.type.__class__)) is not None:
        operand = expressions.call(f"{small}_to_float", operand)
    return cast("double", operand) if is_double(op, op.result.type) else operand


def _truncate(expressions: Expressions, op: arith.TruncFOp) -> Expression:
    operand = expressions.of(op.input)
    source = "double" if is_double(op, op.input.type) else "float"
    if (small := SMALL_FLOATS.get(op.result.type.__class__)) is not None:
        return expressions.call(f"{source}_to_{small}", operand)
    return cast(scalar_type(op.result.type), operand)


def _from_signed(expressions: Expressions, op: arith.SIToFPOp) -> Expression:
    suffix = "" if is_double(op, op.result.type) else "f"
    if bits_of(op.input.type) == 1:
        minus_one, zero = Expression(f"-1.0{suffix}", UNARY), Expression(f"0.0{suffix}")
        return conditional(expressions.of(op.input), minus_one, zero)
    return cast(scalar_type(op.result.type), expressions.signed(op.input))


def _from_unsigned(expressions: Expressions, op: arith.UIToFPOp) -> Expression:
    is_double(op, op.result.type)
    return cast(scalar_type(op.result.type), expressions.unsigned(op.input))


def _to_integer(is_signed: bool) -> Handler:
    def write(expressions: Expressions, op: arith.FPToSIOp | arith.FPToUIOp) -> Expression:
        bits, double = bits_of(op.result.type), is_double(op, op.input.type)
        operand = expressions.of(op.input)
        if bits == 1:
            return binary(operand, "!=", Expression("0.0" if double else "0.0f"))
        name = f"{'double' if double else 'float'}_to_{'s' if is_signed else 'u'}{bits}"
        converted = expressions.call(name, operand)._replace(unsigned=not is_signed and bits >= 32)
        return converted if is_signed or bits >= 32 else cast(scalar_type(op.result.type), converted)

    return write


def _bitcast(expressions: Expressions, op: arith.BitcastOp) -> Expression:
    source, target = op.input.type, op.result.type
    operand = expressions.of(op.input)
    if source == target:
        return operand
    if (small := SMALL_FLOATS.get(target.__class__)) is not None:
        return small_float(expressions, small, _small_bits(operand, source))
    if is_small_float(source):
        return cast(scalar_type(target), _small_bits(operand, source))
    to_integer = isinstance(target, IntegerType)
    if to_integer == isinstance(source, IntegerType):
        raise codegen_error(op, f"arith.bitcast from {source} to {target} cannot be written as CUDA C")
    if bits_of(source) == 64:
        return expressions.call("__double_as_longlong" if to_integer else "__longlong_as_double", operand)
    return expressions.call("__float_as_int" if to_integer else "__int_as_float", operand)


def _small_bits(operand: Expression, type: Attribute) -> Expression:
    """The bits of a small float or integer as an unsigned integer of its width."""
    if is_small_float(type):
        return Expression(f"{operand.at_least(PRIMARY)}.bits")
    return cast(unsigned_type(bits_of(type)), operand)


def small_float(expressions: Expressions, name: str, bits: Expression) -> Expression:
    """A small float with the given bits, an expression of an unsigned integer type of its width."""
    expressions.use(name)
    return Expression(f"{name}{{{bits.text}}}")


HANDLERS: dict[type[Operation], Handler] = {
    arith.AddfOp: _operator("+"),
    arith.SubfOp: _operator("-"),
    arith.MulfOp: _operator("*"),
    arith.DivfOp: _divide,
    arith.NegfOp: _negate,
    cuda.PreciseDivOp: _operator("/"),
    arith.CmpfOp: _compare,
    arith.ExtFOp: _extend,
    arith.TruncFOp: _truncate,
    arith.SIToFPOp: _from_signed,
    arith.UIToFPOp: _from_unsigned,
    arith.FPToSIOp: _to_integer(True),
    arith.FPToUIOp: _to_integer(False),
    arith.BitcastOp: _bitcast,
    **{
        op: _function
        for op in (*math_dialect.Math.operations, *arith.Arith.operations, cuda.PreciseSqrtOp)
        if op.name in MATH
    },
}
