"""`vectorize-accesses`: how many neighbouring elements each load and store may move at once."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mytriton.dialects import tt
from mytriton.dialects.attribute_names import VECTOR_WIDTH
from mytriton.dialects.building import i32_attribute, operations, operations_of
from mytriton.dialects.layouts import DistributedEncodingAttr, layout_of
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.passes.axis_info import AxisInfoAnalysis


@dataclass(frozen=True)
class VectorizeAccesses(ModulePass):
    """Annotates loads and stores with `ttg.vector`, where a wide access is proved to be aligned and wholly in or out.

    The width is bounded by the neighbours that one thread holds, by what is known of the pointers' contiguity and
    alignment, by the mask's constancy, and by 16 bytes.
    """

    name = "vectorize-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in operations(op.body.block):
            if isinstance(function, tt.FuncOp) and (accesses := operations_of(function, tt.LoadOp, tt.StoreOp)):
                facts = AxisInfoAnalysis(function)
                for access in accesses:
                    width = proved_width(access, facts)
                    if width > 1:
                        access.attributes[VECTOR_WIDTH] = i32_attribute(width)


def proved_width(access: tt.LoadOp | tt.StoreOp, facts: AxisInfoAnalysis) -> int:
    """The elements that one access may move, from the layout and the facts; 1 for a scalar and for a volatile load."""
    if isinstance(access, tt.LoadOp) and access.is_volatile:
        return 1
    pointer_type = access.ptr.type
    if not is_tensor_type(pointer_type) or not isinstance(pointer_type.encoding, DistributedEncodingAttr):
        return 1
    layout = layout_of(pointer_type)
    widths = [
        min(layout.contiguous_registers(dim), facts.access_width(access.ptr, access.mask, dim))
        for dim in range(layout.rank)
    ]
    return max(widths)
