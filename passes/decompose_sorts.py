"""`decompose-sorts`: a sort as the steps of a bitonic network, each within a warp.

The network sorts runs of 2, 4, 8, ... elements, alternately up and down. Its steps compare elements whose positions
differ in one bit; where that is a bit of the warp's number, the tensor is first converted to a layout in which that bit
is one of the register's or lane's number. The number of steps grows with the square of the logarithm of the size.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, i1
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mytriton.dialects import tt, ttg
from mytriton.dialects.building import operations_of, rewrite_each
from mytriton.dialects.layouts import LinearEncodingAttr, layout_of
from mytriton.dialects.linear_layout import LANE, REGISTER, WARP, LinearLayout, is_power_of_two, padded_shape
from mytriton.dialects.tensor_types import is_tensor_type, with_element_type
from mytriton.passes.axis_order import AxisOrder
from mytriton.passes.decompose_reductions import largest, replace_padding, smallest
from mytriton.passes.decompose_scans import converted, warps_of_module
from mytriton.passes.encodings import ordered_encoding, require_layouts, shape_of_tensor
from mytriton.passes.exchange_steps import ExchangeSteps


@dataclass
class BitonicSort(RewritePattern):
    """sort(x) -> compare_exchange(... compare_exchange(x)), with the padding at the end"""

    num_warps: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.SortOp, rewriter: PatternRewriter) -> None:
        axis = op.axis.value.data
        assert is_tensor_type(op.src.type)
        own = op.src.type.encoding
        ordered = ordered_encoding(shape_of_tensor(op.src), self.num_warps, axis)
        value = op.src if own == ordered else converted(op.src, ordered, op, rewriter)
        own_type = value.type
        value = padded(value, op, rewriter)
        assert is_tensor_type(value.type)
        source = layout_of(value.type)
        order = AxisOrder.of(source, axis)
        assert order is not None
        for stage in range(1, source.shape[axis].bit_length()):
            value = merged(value, op, order, source, stage, rewriter)
        value.name_hint = op.result.name_hint
        if value.type != own_type:
            value = inserted(ttg.RepadOp(value, own_type), op, rewriter)
        if own != ordered:
            value = converted(value, own, op, rewriter)
        rewriter.replace(op, [], [value])


def padded(value: SSAValue, op: tt.SortOp, rewriter: PatternRewriter) -> SSAValue:
    """The value with its padding along the sorted axis, if it has any, as elements that come last."""
    assert is_tensor_type(value.type)
    shape, axis = list(value.type.get_shape()), op.axis.value.data
    if is_power_of_two(shape[axis]):
        return value
    shape[axis] = padded_shape(shape)[axis]
    exists = ttg.InBoundsOp(with_element_type(value.type, i1))
    inserted(exists, op, rewriter)
    last = largest if op.descending is None else smallest
    filled = replace_padding(op, value, exists.result, last, rewriter)
    type = TensorType(value.type.element_type, shape, value.type.encoding)
    return inserted(ttg.RepadOp(filled, type), op, rewriter)


def merged(
    value: SSAValue, op: tt.SortOp, order: AxisOrder, source: LinearLayout, stage: int, rewriter: PatternRewriter
) -> SSAValue:
    """Runs of 2**stage elements put in order, of which each goes up and then down, or down and then up.

    Only the last run, which is all of them, is `descending`: so sorts in both orders have the other stages in common.
    """
    axis = op.axis.value.data
    descending = op.descending is not None and 1 << stage == source.shape[axis]
    within_warp = len(order.registers) + len(order.lanes)
    encoding = None
    for bit in range(stage - 1, -1, -1):
        assert is_tensor_type(value.type)
        if bit >= within_warp and encoding is None:
            encoding = value.type.encoding
            value = converted(value, LinearEncodingAttr.of(with_warps_swapped(source, order)), op, rewriter)
        elif bit < within_warp and encoding is not None:
            value = converted(value, encoding, op, rewriter)
            encoding = None
        step = ttg.CompareExchangeOp(value, axis, 1 << bit, 1 << stage, descending)
        value = inserted(step, op, rewriter)
    return value


def with_warps_swapped(source: LinearLayout, order: AxisOrder) -> LinearLayout:
    """The layout in which the bits of the warp's number along the axis have changed places with others along it.

    Those are bits of the register's number if there are enough, else the highest bits of the lane's. A warp's bit moves
    along the axis only where all of the lane's do, so there are enough.
    """
    count = len(order.warps)
    name, bits = (REGISTER, order.registers) if len(order.registers) >= count else (LANE, order.lanes)
    bases = {input_name: list(vectors) for input_name, vectors in source.bases.items()}
    for warp_bit, bit in zip(order.warps, bits[-count:], strict=True):
        bases[WARP][warp_bit], bases[name][bit] = bases[name][bit], bases[WARP][warp_bit]
    return LinearLayout(bases, source.shape)


def inserted(new: Operation, op: Operation, rewriter: PatternRewriter) -> SSAValue:
    new.location = op.location
    rewriter.insert(new)
    return new.results[0]


@dataclass(frozen=True)
class DecomposeSorts(ModulePass):
    """Leaves no tt.sort and no tt.compare_exchange."""

    name = "decompose-sorts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = operations_of(op, tt.SortOp, tt.CompareExchangeOp)
        if not found:
            return
        require_layouts(found)
        num_warps = warps_of_module(op)
        rewrite_each([inner for inner in found if isinstance(inner, tt.SortOp)], BitonicSort(num_warps))
        ExchangeSteps(num_warps).lower([inner for inner in found if isinstance(inner, tt.CompareExchangeOp)])
