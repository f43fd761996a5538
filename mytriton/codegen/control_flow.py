"""Loops and branches, and the values that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block

from mytriton.codegen.expression import Expression, binary, logical_not
from mytriton.codegen.types import bits_of
from mytriton.codegen.variables import ARGUMENTS, RESULTS, TEMPORARIES, expect_names, get_names
from mytriton.dialects import arith
from mytriton.dialects.attribute_names import MAY_OVERFLOW, UNROLL

if TYPE_CHECKING:
    from mytriton.codegen.statements import Statements


def write_for(out: Statements, op: scf.ForOp) -> None:
    out.comment(op)
    names = expect_names(op, RESULTS, len(op.res))
    (index,) = expect_names(op, ARGUMENTS, 1)
    out.pass_on(op, op.iter_args, names, get_names(op, TEMPORARIES), declaring=True)
    arguments = op.body.block.args
    first, bound, step = (out.expressions.signed(value) for value in (op.lb, op.ub, op.step))
    out.bind(arguments, [index, *names])
    goes_on = binary(Expression(index), "<", bound)
    if UNROLL in op.attributes:
        factor = op.attributes[UNROLL]
        out.unroll(factor.value.data if isinstance(factor, IntegerAttr) else None)
    begin = f"{out.typed(arguments[0].type, index)} = {first.text}"
    advance = f"++{index}" if arith.integer_constant(op.step) == 1 else f"{index} += {step.text}"
    out.open(f"for ({begin}; {goes_on.text}; {advance})")
    _body(out, op.body.block, names)
    if MAY_OVERFLOW in op.attributes:
        out.line(f"if ({_is_last_turn(out, op, index).text}) break;")
    out.close()
    out.bind(op.res, names)


def _is_last_turn(out: Statements, op: scf.ForOp, index: str) -> Expression:
    """Whether the distance to the bound, which is greater than 0, is at most the step; it may need all bits."""
    lower = arith.integer_constant(op.lb)
    if bits_of(op.lb.type) < 32 or (lower is not None and lower >= 0):
        bound, step = out.expressions.signed(op.ub), out.expressions.signed(op.step)
    else:
        bound, step = out.expressions.unsigned(op.ub), out.expressions.unsigned(op.step)
    return binary(binary(bound, "-", Expression(index)), "<=", step)


def _body(out: Statements, block: Block, targets: Sequence[str]) -> None:
    """A block whose `scf.yield` passes its values on to `targets`."""
    for op in block.ops:
        if isinstance(op, scf.YieldOp):
            out.pass_on(op, op.arguments, targets, get_names(op, TEMPORARIES))
        else:
            out.operation(op)


def write_if(out: Statements, op: scf.IfOp) -> None:
    out.comment(op)
    names = expect_names(op, RESULTS, len(op.output))
    out.declare_results(op, op.output, names)
    condition = out.expressions.of(op.cond)
    then = out.captured(lambda: _body(out, op.true_region.block, names))
    otherwise: list[str] = []
    if op.false_region.blocks:
        otherwise = out.captured(lambda: _body(out, op.false_region.block, names))
    out.bind(op.output, names)
    if not then:
        condition, then, otherwise = logical_not(condition), otherwise, then
    if not then:
        return
    out.line(f"if ({condition.text}) {{")
    out.lines += then
    if otherwise:
        out.line("} else {")
        out.lines += otherwise
    out.line("}")


def write_while(out: Statements, op: scf.WhileOp) -> None:
    out.comment(op)
    carried = expect_names(op, ARGUMENTS, len(op.arguments))
    names = expect_names(op, RESULTS, len(op.res))
    only_results = [name if name not in carried else "" for name in names]
    out.declare_results(op, op.res, only_results)
    out.pass_on(op, op.arguments, carried, get_names(op, TEMPORARIES), declaring=True)
    before, after = op.before_region.block, op.after_region.block
    out.bind(before.args, carried)
    out.bind(after.args, names)
    conditions: list[Expression] = []

    def evaluate() -> None:
        for inner in before.ops:
            if isinstance(inner, scf.ConditionOp):
                conditions.append(_condition(out, inner, names))
            else:
                out.operation(inner)

    evaluated = out.captured(evaluate)
    (condition,) = conditions
    if evaluated:
        out.open("while (true)")
        out.lines += evaluated
        out.line(f"if ({logical_not(condition).text}) break;")
    else:
        out.open(f"while ({condition.text})")
    _body(out, after, carried)
    out.close()
    out.bind(op.res, names)


def _condition(out: Statements, op: scf.ConditionOp, targets: Sequence[str]) -> Expression:
    """Pass the values on that the loop's body and results have, and return whether the loop goes on."""
    condition, temporaries = out.expressions.of(op.condition), get_names(op, TEMPORARIES)
    if temporaries and temporaries[0]:
        out.copy_to_temporary(op, op.condition, temporaries[0])
        condition = Expression(temporaries[0])
    out.pass_on(op, op.args, targets, temporaries[1:])
    return condition
