"""`decompose-gathers`: what picks or counts elements by number does so in buffers in shared memory.

Only `tl.flip`, which is a gather too, is done by shuffles where it can be.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.building import operations_of, rewrite_each
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.layouts import layout_of
from mytriton.dialects.linear_layout import is_power_of_two, unit_basis
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.passes.encodings import require_layouts, shape_of_tensor
from mytriton.passes.lane_exchange import distance_in_warp


class FlipInWarps(RewritePattern):
    """gather(x, n - 1 - range(n)) -> flip(x), where n is a power of two and the axis is not spread over warps"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.GatherOp, rewriter: PatternRewriter) -> None:
        assert is_tensor_type(op.src.type)
        shape, axis = op.src.type.get_shape(), op.axis.value.data
        if op.src.type != op.result.type or not is_power_of_two(shape[axis]) or not is_flipped(op.indices, axis):
            return
        layout = layout_of(op.src.type)
        if distance_in_warp(layout, unit_basis(layout.rank, axis, shape[axis] - 1)) is None:
            return
        flip = ttg.FlipOp(op.src, axis)
        flip.result.name_hint = op.result.name_hint
        replace_located(op, [flip], rewriter)


def is_flipped(indices: SSAValue, axis: int) -> bool:
    """Whether the indices along an axis are n - 1, n - 2, ..., 0."""
    extent = shape_of_tensor(indices)[axis]
    while isinstance(indices.owner, ttg.ConvertLayoutOp):
        indices = indices.owner.src
    match indices.owner:
        case arith.SubiOp(lhs=last, rhs=position):
            return arith.integer_constant(last) == extent - 1 and is_position(position, axis, extent)
        case _:
            return False


def is_position(value: SSAValue, axis: int, extent: int) -> bool:
    """Whether each element of a tensor is its index along an axis of `extent`."""
    match value.owner:
        case ttg.ConvertLayoutOp(src=src):
            return is_position(src, axis, extent)
        case tt.BroadcastOp(src=src):
            return shape_of_tensor(src)[axis] == extent and is_position(src, axis, extent)
        case tt.ExpandDimsOp(src=src, axis=added):
            place = added.value.data
            return place != axis and is_position(src, axis - (place < axis), extent)
        case tt.MakeRangeOp(start=start, end=end):
            return start.value.data == 0 and end.value.data == extent
        case _:
            return False


class GatherFromBuffer(RewritePattern):
    """gather(x, i) -> local_gather(buffer, i) after local_store(x, buffer)"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.GatherOp, rewriter: PatternRewriter) -> None:
        assert is_tensor_type(op.src.type)
        memdesc = ttg.MemDescType(op.src.type.get_shape(), op.src.type.element_type)
        buffer = new_buffer(op, memdesc, f"{op.src.name_hint or 'gathered'}_shared")
        gather = ttg.LocalGatherOp(buffer, op.indices, op.axis.value.data, op.result.type)
        gather.result.name_hint = op.result.name_hint
        replace_located(op, [ttg.LocalStoreOp(op.src, buffer), gather], rewriter)


class HistogramInBuffer(RewritePattern):
    """histogram(x, m) -> local_load(buffer) after local_store(0, buffer) and local_histogram(x, buffer, m)"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.HistogramOp, rewriter: PatternRewriter) -> None:
        assert is_tensor_type(op.result.type)
        memdesc = ttg.MemDescType(op.result.type.get_shape(), op.result.type.element_type)
        buffer = new_buffer(op, memdesc, f"{op.result.name_hint or 'histogram'}_shared")
        zero = arith.ConstantOp(constant_attr(op.result.type, 0))
        load = ttg.LocalLoadOp(buffer, op.result.type)
        load.result.name_hint = op.result.name_hint
        new_ops: list[Operation] = [
            zero,
            ttg.LocalStoreOp(zero.result, buffer),
            ttg.LocalHistogramOp(op.src, buffer, op.mask),
            load,
        ]
        replace_located(op, new_ops, rewriter)


def new_buffer(op: Operation, memdesc: ttg.MemDescType, name: str) -> OpResult:
    """A buffer at the top of the function around `op`."""
    alloc = ttg.LocalAllocOp(memdesc, name)
    alloc.location = op.location
    alloc.result.name_hint = name
    function = op
    while not isinstance(function, tt.FuncOp):
        parent = function.parent_op()
        assert parent is not None
        function = parent
    entry = function.body.blocks[0]
    assert entry.first_op is not None
    entry.insert_op_before(alloc, entry.first_op)
    return alloc.result


def replace_located(op: Operation, new_ops: list[Operation], rewriter: PatternRewriter) -> None:
    for new in new_ops:
        new.location = op.location
    rewriter.replace(op, new_ops, list(new_ops[-1].results))


@dataclass(frozen=True)
class DecomposeGathers(ModulePass):
    """Leaves no tt.gather and no tt.histogram."""

    name = "decompose-gathers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = operations_of(op, tt.GatherOp, tt.HistogramOp)
        require_layouts(found)
        gathers = [inner for inner in found if isinstance(inner, tt.GatherOp)]
        rewrite_each(gathers, FlipInWarps())
        rewrite_each([gather for gather in gathers if gather.parent is not None], GatherFromBuffer())
        rewrite_each([inner for inner in found if isinstance(inner, tt.HistogramOp)], HistogramInBuffer())
