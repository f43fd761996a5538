"""`coalesce`: the layout in which each load and store of a tensor accesses memory best.

The threads of a warp access neighbouring elements, along the dimension that is contiguous, and each thread as many of
them at once as is proved. `assign-layouts` gives the layouts to the tensors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mytriton.dialects import tt
from mytriton.dialects.attribute_names import ACCESS_LAYOUT
from mytriton.dialects.building import walk
from mytriton.dialects.layouts import BlockedEncodingAttr
from mytriton.passes.axis_info import AxisInfoAnalysis
from mytriton.passes.encodings import (
    MAX_ACCESS_BYTES,
    blocked_encoding,
    refuse_warps,
    shape_of_tensor,
    tensor_type,
)

_LOOKED_AT = frozenset((tt.LoadOp.name, tt.StoreOp.name, tt.ReduceOp.name))

Shape = tuple[int, ...]
Order = tuple[int, ...]


@dataclass(frozen=True)
class Coalesce(ModulePass):
    """tt.load %p -> tt.load %p {ttg.access_layout = #ttg.blocked<...>} for every load and store of a tensor"""

    name: ClassVar[str] = "coalesce"

    num_warps: int = 4

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse_warps(self.num_warps)
        for function in walk(op):
            if type(function) is tt.FuncOp:
                for access, encoding in access_layouts(function, self.num_warps).items():
                    access.attributes[ACCESS_LAYOUT] = encoding


def access_layouts(function: tt.FuncOp, num_warps: int) -> dict[Operation, BlockedEncodingAttr]:
    """The layout of each load and store of a tensor, in the order of the text.

    Those of one shape and order of dimensions share the layout of the widest access among them. Where a tensor of the
    shape is reduced, warps are spread along the other dimensions first.
    """
    accesses: list[tt.LoadOp | tt.StoreOp] = []
    reduced: dict[Shape, int] = {}
    for op in walk(function):
        if op.name not in _LOOKED_AT:
            continue
        if isinstance(op, tt.LoadOp | tt.StoreOp):
            if tensor_type(op.ptr) is not None:
                accesses.append(op)
        elif isinstance(op, tt.ReduceOp):
            reduced.setdefault(shape_of_tensor(op.srcs[0]), op.axis.value.data)
    if not accesses:
        return {}
    facts = AxisInfoAnalysis(function)
    widths: dict[tuple[Shape, Order], int] = {}
    keys: list[tuple[Shape, Order]] = []
    for access in accesses:
        shape = shape_of_tensor(access.ptr)
        contiguity = facts.info(access.ptr).contiguity
        order = tuple(sorted(range(len(shape)), key=lambda dim: (-contiguity[dim], -dim)))
        keys.append((shape, order))
        width = facts.access_width(access.ptr, access.mask, order[0], MAX_ACCESS_BYTES)
        widths[shape, order] = max(width, widths.get((shape, order), 1))
    return {
        access: blocked_encoding(shape, num_warps, widths[shape, order], order, reduced.get(shape))
        for access, (shape, order) in zip(accesses, keys, strict=True)
    }
