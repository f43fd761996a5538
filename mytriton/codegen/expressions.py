"""Values of the `cuda` dialect as C expressions: a variable's name, a literal, or an operation's text in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects.builtin import AnyFloat, Float32Type, Float64Type, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from mytriton.codegen.errors import codegen_error
from mytriton.codegen.expression import ADD, PRIMARY, UNARY, Expression, call, cast
from mytriton.codegen.leftovers import leftover_error
from mytriton.codegen.literals import literal, unsigned_literal
from mytriton.codegen.prologue import HELPERS
from mytriton.codegen.types import bits_of, signed_type, unsigned_type
from mytriton.codegen.variables import stale_names
from mytriton.dialects import arith

Handler: TypeAlias = "Callable[[Expressions, Any], Expression]"


class Expressions:
    """Makes the expressions of one kernel and notes which helpers they use.

    `names` holds the variable of each value that has one; every other value is written in place.
    """

    def __init__(self, handlers: dict[type[Operation], Handler]):
        self.names: dict[SSAValue, str] = {}
        self.helpers: set[str] = set()
        self._handlers = handlers

    def of(self, value: SSAValue) -> Expression:
        """A value as its variable, literal or expression; a 32- or 64-bit integer may come out as unsigned."""
        if (name := self.names.get(value)) is not None:
            return Expression(name)
        if not isinstance(value, OpResult):
            raise stale_names("an argument of a block has no variable")
        return self.of_operation(value.op)

    def of_operation(self, op: Operation) -> Expression:
        """What an operation with one result computes."""
        if (handler := self._handlers.get(op.__class__)) is None:
            raise leftover_error(op)
        return handler(self, op)

    def signed(self, value: SSAValue) -> Expression:
        """An integer with its sign."""
        expression = self.of(value)
        return cast(signed_type(bits_of(value.type)), expression) if expression.unsigned else expression

    def unsigned(self, value: SSAValue) -> Expression:
        """An integer read as unsigned: of an unsigned C type, or not negative if it is narrower than 32 bits."""
        bits = bits_of(value.type)
        if (constant := arith.integer_constant(value)) is not None and bits > 1:
            return Expression(unsigned_literal(constant, bits), unsigned=bits >= 32)
        expression = self.of(value)
        return expression if expression.unsigned or bits == 1 else cast(unsigned_type(bits), expression)

    def call(self, function: str, *operands: Expression | str) -> Expression:
        """A call of one of CUDA's functions or of a helper, which is noted."""
        self.use(function)
        return call(function, *operands)

    def use(self, helper: str) -> None:
        """Note that the text uses a helper; a name that is none is CUDA's own."""
        if helper in HELPERS:
            self.helpers.add(helper)

    def use_type(self, c_type: str) -> None:
        """Note the helper types in a C type."""
        self.use(c_type.split(" ", 1)[0])


def constant_expression(expressions: Expressions, op: arith.ConstantOp) -> Expression:
    """A scalar constant."""
    attr = op.value
    if not isinstance(attr, IntegerAttr | FloatAttr):
        raise codegen_error(op, f"arith.constant of type {op.result.type} cannot be written as a C literal")
    text = literal(attr)
    expressions.use_type(text.split("{", 1)[0])
    if " " in text:
        return Expression(text, ADD)
    return Expression(text, UNARY if text.startswith("-") else PRIMARY)


def is_double(op: Operation, type: Attribute) -> bool:
    """Whether a float is a double and not a float; half and bfloat16 have no arithmetic in C."""
    if isinstance(type, Float32Type):
        return False
    if isinstance(type, Float64Type):
        return True
    hint = "run expand-small-floats before printing" if isinstance(type, AnyFloat) else None
    raise codegen_error(op, f"{op.name} on {type} cannot be written as CUDA C", hint)
