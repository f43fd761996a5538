"""Register arrays: loops over registers, and arrays filled with one value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue

from mytriton.codegen import memory
from mytriton.codegen.expression import Expression, assignment, element
from mytriton.codegen.literals import element_bits
from mytriton.codegen.types import is_vector
from mytriton.codegen.variables import ARGUMENTS, DECLARED, RESULTS, TEMPORARIES, expect_names, get_names
from mytriton.dialects import arith, cuda
from mytriton.dialects.building import operations

if TYPE_CHECKING:
    from mytriton.codegen.statements import Statements


def write_map(out: Statements, op: cuda.MapOp) -> None:
    names = expect_names(op, RESULTS, len(op.outputs))
    size, step = op.size.value.data, op.step.value.data
    index = "0"
    if size != step:
        (index,) = expect_names(op, ARGUMENTS, 1)
        out.bind(op.body.block.args, [index])
    out.in_map = True
    body = out.captured(lambda: _map_region(out, op, names, index))
    out.in_map = False
    _raise_comment(out, body)
    out.declare_results(op, op.outputs, names)
    if size == step:
        out.lines += out.unindented(body)
    else:
        out.unroll()
        advance = f"++{index}" if step == 1 else f"{index} += {step}"
        out.line(f"for (int {index} = 0; {index} < {size}; {advance}) {{")
        out.lines += body
        out.line("}")
    out.bind(op.outputs, names)


def _raise_comment(out: Statements, body: list[str]) -> None:
    """A comment at the start of a loop over registers that is the only one in it goes in front of the loop."""
    comments = [line for line in body if line.lstrip().startswith("//")]
    if len(comments) == 1 and body[0] is comments[0]:
        out.line(body.pop(0).strip())


def _map_region(out: Statements, op: cuda.MapOp, names: Sequence[str], index: str) -> None:
    """The statements that make the registers from `index` on."""
    for inner in operations(op.body.block):
        if not isinstance(inner, cuda.YieldOp):
            out.operation(inner)
            continue
        if inner.values:
            out.comment(inner)
        temporaries = get_names(inner, TEMPORARIES)
        for value, temporary in zip(inner.values, temporaries, strict=False):
            if temporary:
                out.copy_to_temporary(inner, value, temporary)
                out.bind([value], [temporary])
        for value, name in zip(inner.values, names, strict=True):
            place = element(Expression(name), Expression(index))
            if is_vector(value.type):
                place = memory.vector_place(value.type, place, False)
            made = out.expressions.of(value)
            if made.text != place.text:
                out.line(assignment(place.text, made))


def write_splat(out: Statements, op: cuda.SplatOp) -> None:
    out.comment(op)
    (name,) = expect_names(op, RESULTS, 1)
    assert isinstance(op.result.type, cuda.RegsType)
    declares = name in get_names(op, DECLARED)
    if declares and _is_all_zero_bits(op.value):
        out.line(f"{out.declared(op, op.result.type, name)} = {{}};")
    else:
        out.declare_results(op, [op.result], [name])
        (index,) = expect_names(op, ARGUMENTS, 1)
        out.fill_registers(
            op.result.type, out.check_name(name), out.check_name(index), out.expressions.of(op.value).text
        )
    out.bind([op.result], [name])


def _is_all_zero_bits(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr | FloatAttr):
        return False
    return element_bits(owner.value) == 0
