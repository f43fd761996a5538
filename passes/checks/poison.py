"""Faults that are known before a kernel runs, kept from the passes that would compute with them."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from mytriton.dialects import arith
from mytriton.dialects.building import erase, i32_attribute, replace_uses
from mytriton.dialects.tensor_types import bit_width, element_type
from mytriton.passes.checks.descriptions import described
from mytriton.passes.locations import text_of
from mytriton.passes.tile_builder import TileBuilder

NUMBER, KIND, DESCRIPTION = "tt.number", "tt.kind", "tt.description"
"""Of a poison that is kept: no two have one number, so that they stay two; which fault it is, and how it is written."""

DIVISIONS = frozenset((arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp))
ROUNDED_DIVISIONS = frozenset(("arith.ceildivsi", "arith.ceildivui", "arith.floordivsi"))
SHIFTS = frozenset((arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp))


def keep_fault(op: Operation, number: int) -> bool:
    """x / 0 -> poison, x << width -> poison, with what they were; whether this is one of them, or is poison itself."""
    kind = "poison" if op.name == "ub.poison" else _constant_fault(op)
    if kind is None:
        return False
    if kind != "poison":
        from xdsl.dialects import ub

        poison = ub.PoisonOp(op.results[0].type)
        poison.attributes[DESCRIPTION] = StringAttr(described(op))
        result = TileBuilder(op).add(poison)
        result.name_hint = op.results[0].name_hint
        replace_uses(op.results[0], result)
        erase(op)
        op = poison
    op.attributes[NUMBER] = i32_attribute(number)
    op.attributes[KIND] = StringAttr(kind)
    return True


def _constant_fault(op: Operation) -> str | None:
    kind = type(op)
    is_division = kind in DIVISIONS or op.name in ROUNDED_DIVISIONS
    if not is_division and kind not in SHIFTS:
        return None
    number = arith.integer_constant(op.operands[1])
    if number is None:
        return None
    if is_division:
        return "division by zero" if number == 0 else None
    return None if 0 <= number < bit_width(element_type(op.results[0].type)) else "shift"


def fault_of(poison: Operation) -> tuple[str, str]:
    """The kind of a poison's fault, and how it is written."""
    kind = text_of(poison.attributes.get(KIND)) or "poison"
    return kind, text_of(poison.attributes.get(DESCRIPTION)) or described(poison)
