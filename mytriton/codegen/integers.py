"""Integer arithmetic as C: wide integers wrap through unsigned, narrow ones are cast back, booleans are logic."""

from __future__ import annotations

from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.math import AbsIOp, CountLeadingZerosOp, CtPopOp
from xdsl.ir import Operation, SSAValue

from mytriton.codegen.errors import codegen_error
from mytriton.codegen.expression import Expression, binary, call, cast, complement, conditional, logical_not
from mytriton.codegen.expressions import Expressions, Handler
from mytriton.codegen.literals import integer_literal, unsigned_literal
from mytriton.codegen.types import bits_of, signed_type
from mytriton.dialects import arith, cuda

BinaryOp = arith.IntegerBinaryOp


def narrowed(expression: Expression, bits: int) -> Expression:
    """The value in the range of a type of fewer than 32 bits; a wider one as it is."""
    return cast(signed_type(bits), expression) if bits < 32 else expression


def _wrapping(operator: str, on_booleans: str) -> Handler:
    def write(expressions: Expressions, op: arith.OverflowingIntegerBinaryOp) -> Expression:
        bits = bits_of(op.result.type)
        left, right = expressions.of(op.lhs), expressions.of(op.rhs)
        if bits == 1:
            return binary(left, on_booleans, right)
        sign, constant = operator, arith.integer_constant(op.rhs)
        if constant is not None and constant < 0 and operator in "+-" and constant != -(1 << (bits - 1)):
            sign, constant = "-" if operator == "+" else "+", -constant
            right = Expression(integer_literal(constant, bits))
        wraps = bits >= 32 and IntegerOverflowFlag.NSW not in op.overflow_flags.data
        if wraps and not left.unsigned and not right.unsigned:
            if constant is not None and constant >= 0:
                right = Expression(unsigned_literal(constant, bits), unsigned=True)
            elif constant is not None:
                left = expressions.unsigned(op.lhs)
            else:
                right = expressions.unsigned(op.rhs)
        return narrowed(binary(left, sign, right), bits)

    return write


def _divide(operator: str, word: str, is_signed: bool) -> Handler:
    def write(expressions: Expressions, op: BinaryOp) -> Expression:
        bits = bits_of(op.result.type)
        if bits == 1:
            return _divide_booleans(expressions, op)
        divisor = arith.integer_constant(op.rhs)
        operand = expressions.signed if is_signed else expressions.unsigned
        left, right = operand(op.lhs), operand(op.rhs)
        if divisor in (None, 0) or (is_signed and divisor == -1):
            helper = f"{word}_{'s' if is_signed else 'u'}{max(bits, 32)}"
            quotient = expressions.call(helper, left, right)._replace(unsigned=not is_signed and bits >= 32)
            return narrowed(quotient, bits)
        quotient = binary(left, operator, right)
        return quotient if is_signed else narrowed(quotient, bits)

    return write


def _divide_booleans(expressions: Expressions, op: Operation) -> Expression:
    """a / 1 is a and a % 1 is 0; by 0, both are all ones. Signed and unsigned are the same."""
    lhs, rhs = op.operands
    not_divisor = logical_not(expressions.of(rhs))
    if isinstance(op, arith.RemSIOp | arith.RemUIOp):
        return not_divisor
    return binary(expressions.of(lhs), "||", not_divisor)


def _bitwise(operator: str, on_booleans: str) -> Handler:
    def write(expressions: Expressions, op: BinaryOp) -> Expression:
        is_boolean = bits_of(op.result.type) == 1
        left, right = expressions.of(op.lhs), expressions.of(op.rhs)
        if operator == "^" and arith.integer_constant(op.rhs) == -1:
            return logical_not(left) if is_boolean else complement(left)
        return binary(left, on_booleans if is_boolean else operator, right)

    return write


def _shift(operator: str, helper: str, is_signed: bool) -> Handler:
    def write(expressions: Expressions, op: BinaryOp) -> Expression:
        bits, amount = bits_of(op.result.type), arith.integer_constant(op.rhs)
        if bits == 1:
            return _shift_boolean(expressions, op, is_signed)
        keeps_sign = isinstance(op, arith.ShLIOp) and IntegerOverflowFlag.NSW in op.overflow_flags.data
        left = expressions.signed(op.lhs) if is_signed or keeps_sign else expressions.unsigned(op.lhs)
        if amount is not None and 0 <= amount < bits:
            shifted = binary(left, operator, Expression(str(amount)))
        else:
            name = f"{helper}{max(bits, 32)}"
            shifted = expressions.call(name, left, expressions.unsigned(op.rhs))
            shifted = shifted._replace(unsigned=not is_signed and bits >= 32)
        return shifted if is_signed else narrowed(shifted, bits)

    return write


def _shift_boolean(expressions: Expressions, op: BinaryOp, is_signed: bool) -> Expression:
    """By 0 nothing changes; by 1, which is the width, only the sign is left if there is one."""
    left = expressions.of(op.lhs)
    return left if is_signed else binary(left, "&&", logical_not(expressions.of(op.rhs)))


def _extremum(function: str, is_signed: bool) -> Handler:
    # A true boolean is -1 as a signed number.
    on_booleans = "||" if (function == "min") == is_signed else "&&"

    def write(expressions: Expressions, op: BinaryOp) -> Expression:
        bits = bits_of(op.result.type)
        if bits == 1:
            return binary(expressions.of(op.lhs), on_booleans, expressions.of(op.rhs))
        operand = expressions.signed if is_signed else expressions.unsigned
        result = expressions.call(function, operand(op.lhs), operand(op.rhs))
        if is_signed:
            return result
        return narrowed(result._replace(unsigned=bits >= 32), bits)

    return write


_RELATIONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _compare(expressions: Expressions, op: arith.CmpiOp) -> Expression:
    predicate, lhs, rhs = op.predicate_name, op.lhs, op.rhs
    relation, is_boolean = _RELATIONS[predicate[-2:]], bits_of(lhs.type) == 1
    if predicate in ("eq", "ne"):
        if is_boolean and (constant := arith.integer_constant(rhs)) is not None:
            operand = expressions.of(lhs)
            return operand if (constant != 0) == (predicate == "eq") else logical_not(operand)
        return binary(expressions.of(lhs), relation, expressions.of(rhs))
    if is_boolean:
        # A true boolean is -1 as a signed number and 1 as an unsigned one.
        left, right = (rhs, lhs) if predicate.startswith("s") else (lhs, rhs)
        return binary(expressions.of(left), relation, expressions.of(right))
    operand = expressions.signed if predicate.startswith("s") else expressions.unsigned
    return binary(operand(lhs), relation, operand(rhs))


def _select(expressions: Expressions, op: arith.SelectOp) -> Expression:
    return conditional(expressions.of(op.cond), expressions.of(op.lhs), expressions.of(op.rhs))


def _extend_signed(expressions: Expressions, op: arith.ExtSIOp) -> Expression:
    wide, narrow = bits_of(op.result.type), bits_of(op.input.type)
    if narrow == 1:
        minus_one, zero = Expression(integer_literal(-1, wide)), Expression(integer_literal(0, wide))
        return conditional(expressions.of(op.input), minus_one, zero)
    operand = expressions.signed(op.input)
    return cast("long long", operand) if wide == 64 else operand


def _extend_unsigned(expressions: Expressions, op: arith.ExtUIOp) -> Expression:
    wide = bits_of(op.result.type)
    if bits_of(op.input.type) == 1:
        return cast(signed_type(wide), expressions.of(op.input))
    operand = expressions.unsigned(op.input)
    return cast("long long", operand) if wide == 64 else operand


def _truncate(expressions: Expressions, op: arith.TruncIOp) -> Expression:
    operand, bits = expressions.of(op.input), bits_of(op.result.type)
    if bits == 1:
        return binary(binary(operand, "&", Expression("1")), "!=", Expression("0"))
    return cast(signed_type(bits), operand)


def _index_cast(expressions: Expressions, op: arith.IndexCastOp) -> Expression:
    operand = expressions.signed(op.input)
    if bits_of(op.input.type) == bits_of(op.result.type):
        return operand
    return cast(signed_type(bits_of(op.result.type)), operand)


def _absolute(expressions: Expressions, op: AbsIOp) -> Expression:
    bits = bits_of(op.result.type)
    if bits == 1:
        return expressions.of(op.operand)
    return narrowed(call("llabs" if bits == 64 else "abs", expressions.signed(op.operand)), bits)


def _count_bits(narrow: str, wide: str) -> Handler:
    def write(expressions: Expressions, op: CtPopOp | CountLeadingZerosOp) -> Expression:
        bits = bits_of(op.result.type)
        if bits < 32:
            raise codegen_error(op, f"{op.name} on {op.result.type} cannot be written as CUDA C")
        count = call(narrow if bits == 32 else wide, expressions.of(op.operand))
        return cast("long long", count) if bits == 64 else count

    return write


def _high_product(expressions: Expressions, op: cuda.MulhiUIOp) -> Expression:
    bits = bits_of(op.result.type)
    if bits < 32:
        raise codegen_error(op, f"{op.name} on {op.result.type} cannot be written as CUDA C")
    operands: tuple[SSAValue, ...] = (op.lhs, op.rhs)
    product = call("__umulhi" if bits == 32 else "__umul64hi", *(expressions.unsigned(o) for o in operands))
    return product._replace(unsigned=True)


HANDLERS: dict[type[Operation], Handler] = {
    arith.AddiOp: _wrapping("+", "!="),
    arith.SubiOp: _wrapping("-", "!="),
    arith.MuliOp: _wrapping("*", "&&"),
    arith.DivSIOp: _divide("/", "divide", True),
    arith.DivUIOp: _divide("/", "divide", False),
    arith.RemSIOp: _divide("%", "remainder", True),
    arith.RemUIOp: _divide("%", "remainder", False),
    arith.AndIOp: _bitwise("&", "&&"),
    arith.OrIOp: _bitwise("|", "||"),
    arith.XOrIOp: _bitwise("^", "!="),
    arith.ShLIOp: _shift("<<", "shift_left_", False),
    arith.ShRUIOp: _shift(">>", "shift_right_u", False),
    arith.ShRSIOp: _shift(">>", "shift_right_s", True),
    arith.MinSIOp: _extremum("min", True),
    arith.MinUIOp: _extremum("min", False),
    arith.MaxSIOp: _extremum("max", True),
    arith.MaxUIOp: _extremum("max", False),
    arith.CmpiOp: _compare,
    arith.SelectOp: _select,
    arith.ExtSIOp: _extend_signed,
    arith.ExtUIOp: _extend_unsigned,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: _index_cast,
    AbsIOp: _absolute,
    CtPopOp: _count_bits("__popc", "__popcll"),
    CountLeadingZerosOp: _count_bits("__clz", "__clzll"),
    cuda.MulhiUIOp: _high_product,
}
