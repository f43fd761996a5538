"""Exchanges between the lanes of a warp."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from mytriton.codegen import memory
from mytriton.codegen.expression import Expression
from mytriton.codegen.literals import integer_literal
from mytriton.codegen.variables import ARGUMENTS, RESULTS, TEMPORARIES, expect_names, get_names
from mytriton.dialects import cuda

if TYPE_CHECKING:
    from mytriton.codegen.statements import Statements


def write_butterfly(out: Statements, op: cuda.ButterflyOp) -> None:
    out.comment(op)
    names, arguments = expect_names(op, RESULTS, len(op.outputs)), get_names(op, ARGUMENTS)
    out.pass_on(op, op.values, names, get_names(op, TEMPORARIES), declaring=True)
    mask, *others = (out.check_name(name) for name in arguments)
    for loop, mask_text in _mask_loops(mask, list(op.masks.get_values())):
        if loop:
            out.unroll()
        out.open(loop)
        _exchange(out, op, names, others, mask_text)
        out.close()
    out.bind(op.outputs, names)


def _exchange(out: Statements, op: cuda.ButterflyOp, names: Sequence[str], others: Sequence[str], mask: str) -> None:
    """One step: each lane combines its own values with those of its partner, in the order of the lanes if it counts."""
    count = len(names)
    own_args, partner_args = op.body.block.args[:count], op.body.block.args[count:]
    received, ordered = others[:count], others[count:]
    for value, own, partner in zip(op.values, names, received, strict=True):
        text = memory.shuffle(out.expressions, value.type, Expression(own), mask).text
        out.line(f"{out.typed(value.type, partner)} = {text};")
    if not ordered:
        out.bind([*own_args, *partner_args], [*names, *received])
    else:
        is_upper, first, second = ordered[0], ordered[1 : count + 1], ordered[count + 1 :]
        out.line(f"bool {is_upper} = (threadIdx.x & {mask}) != 0;")
        for value, own, partner, left, right in zip(op.values, names, received, first, second, strict=True):
            out.line(f"{out.typed(value.type, left)} = {is_upper} ? {partner} : {own};")
            out.line(f"{out.typed(value.type, right)} = {is_upper} ? {own} : {partner};")
        out.bind([*own_args, *partner_args], [*first, *second])
    for inner in op.body.block.ops:
        if isinstance(inner, cuda.YieldOp):
            out.pass_on(inner, inner.values, names, get_names(inner, TEMPORARIES))
        else:
            out.operation(inner)


def _mask_loops(name: str, masks: Sequence[int]) -> list[tuple[str, str]]:
    """A loop over masks that halve or double, else a block for each; with how the mask is written inside."""
    if len(masks) > 1:
        first, last = masks[0], masks[-1]
        if all(left == 2 * right for left, right in pairwise(masks)):
            return [(f"for (int {name} = {first}; {name} >= {last}; {name} /= 2)", name)]
        if all(2 * left == right for left, right in pairwise(masks)):
            return [(f"for (int {name} = {first}; {name} <= {last}; {name} *= 2)", name)]
    return [("", integer_literal(mask, 32)) for mask in masks]
