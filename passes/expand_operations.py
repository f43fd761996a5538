"""`expand-operations`: operations that no later pass knows, as those that they know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mytriton.dialects import arith, tt
from mytriton.dialects.building import erase, i32_attribute, replace_uses, walk
from mytriton.dialects.constants import splat_value
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.errors import PassError
from mytriton.passes.placeholders import placeholder_before
from mytriton.passes.rare_control_flow import RARE_CONTROL_FLOW
from mytriton.passes.rare_operations import RARE_EXPANSIONS
from mytriton.passes.scaled_dots import expand_scaled_dot
from mytriton.passes.tile_builder import TileBuilder

MAXIMUM_SELECTED_ELEMENTS = 64
"""How many elements of a constant may differ from the most common one."""


@dataclass(frozen=True)
class ExpandOperations(ModulePass):
    """Scaled products, approximate divisions, values that nobody may read, dense constants, and `cf.assert`.

    With `keeps_poison` values that nobody may read stay, for `insert-checks`.
    """

    name = "expand-operations"

    keeps_poison: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kept = 0
        for inner in walk(op):
            expand = EXPANSIONS.get(inner.name)
            if expand is expand_poison and self.keeps_poison:
                # No two are to become one.
                inner.attributes["tt.number"] = i32_attribute(kept := kept + 1)
            elif expand is not None:
                expand(inner)


def expand_approximate_division(op: Operation) -> None:
    """approx_divf x, y -> divf x, y, which is not wrong at all"""
    assert isinstance(op, tt.ApproxDivFOp)
    quotient = TileBuilder(op).add(arith.DivfOp(op.x, op.y))
    quotient.name_hint = op.result.name_hint
    replace_uses(op.result, quotient)
    erase(op)


def expand_poison(op: Operation) -> None:
    """poison -> 0"""
    (result,) = op.results
    replace_uses(result, placeholder_before(op, result.type))
    erase(op)


def expand_assertion(op: Operation) -> None:
    """cf.assert -> tt.assert"""
    from xdsl.dialects import cf

    assert isinstance(op, cf.AssertOp)
    TileBuilder(op).insert(tt.AssertOp(op.arg, op.msg.data))
    erase(op)


def refuse_rank_zero(op: Operation) -> None:
    """A tensor without an axis, which only text has, is refused where it is made."""
    type = op.results[0].type
    if is_tensor_type(type) and not type.get_shape():
        raise PassError("a tensor of rank 0 is not supported: write a scalar", op.location)


def expand_constant(op: Operation) -> None:
    """A dense constant -> a selection by the number of the element, for each element that is not the most common one.

    Larger ones stay, and are refused where they cannot be printed.
    """
    assert isinstance(op, arith.ConstantOp)
    refuse_rank_zero(op)
    value, type = op.value, op.result.type
    if not isinstance(value, DenseIntOrFPElementsAttr) or not is_tensor_type(type) or splat_value(value) is not None:
        return
    # Compared by their bits, as NaN is not equal to itself and 0 is to -0.
    size = value.get_element_type().compile_time_size
    data = value.data.data
    elements = [data[at : at + size] for at in range(0, len(data), size)]
    (common, count), *_ = Counter(elements).most_common(1)
    if len(elements) - count > MAXIMUM_SELECTED_ELEMENTS:
        return
    builder = TileBuilder(op)
    index = builder.reshape(builder.range(len(elements)), type.get_shape())

    def filled(bits: bytes) -> SSAValue:
        attribute = DenseIntOrFPElementsAttr(value.type, BytesAttr(bits * len(elements)))
        return builder.add(arith.ConstantOp(attribute))

    selected = filled(common)
    for number, bits in enumerate(elements):
        if bits != common:
            is_element = builder.add(arith.CmpiOp(index, builder.like(index, number), "eq"))
            selected = builder.add(arith.SelectOp(is_element, filled(bits), selected))
    selected.name_hint = op.result.name_hint
    replace_uses(op.result, selected)
    erase(op)


EXPANSIONS: dict[str, Callable[[Operation], None]] = {
    "tt.dot_scaled": expand_scaled_dot,
    "tt.approx_divf": expand_approximate_division,
    "ub.poison": expand_poison,
    "cf.assert": expand_assertion,
    "arith.constant": expand_constant,
    "tt.splat": refuse_rank_zero,
    **RARE_EXPANSIONS,
    **RARE_CONTROL_FLOW,
}
"""By name, so that `cf` and `ub` are imported where the text has them."""
