"""`decompose-scans`: a scan across warps in steps that stay within a warp, and padding made harmless."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mytriton.dialects import tt, ttg
from mytriton.dialects.attribute_names import NUM_WARPS
from mytriton.dialects.building import operations_of, rewrite_each
from mytriton.dialects.layouts import LinearEncodingAttr, layout_of
from mytriton.dialects.linear_layout import REGISTER, LinearLayout, is_power_of_two, unit_basis
from mytriton.dialects.tensor_types import element_type, is_tensor_type, with_element_type
from mytriton.errors import CompilationError
from mytriton.passes.axis_order import AxisOrder
from mytriton.passes.decompose_reductions import combine_existing, neutral_element, replace_padding
from mytriton.passes.encodings import ordered_encoding, require_layouts, shape_of_tensor, with_encoding
from mytriton.passes.to_cuda.reduction import warp_reduced_layout


@dataclass
class ScanInOrder(RewritePattern):
    """scan(x) -> convert_layout(scan(convert_layout(x))) where the axis of x goes over lanes before registers."""

    num_warps: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.ScanOp, rewriter: PatternRewriter) -> None:
        axis, first = op.axis.value.data, op.srcs[0]
        assert is_tensor_type(first.type)
        if AxisOrder.of(layout_of(first.type), axis) is not None:
            return
        encoding = ordered_encoding(shape_of_tensor(first), self.num_warps, axis)
        moved = [converted(src, encoding, op, rewriter) for src in op.srcs]
        scan = tt.ScanOp(moved, axis, op.is_reverse, op.combine_op.clone())
        scan.location = op.location
        rewriter.insert(scan)
        results: list[SSAValue] = []
        for old, new in zip(op.result, scan.result, strict=True):
            new.name_hint = old.name_hint
            assert is_tensor_type(old.type)
            results.append(converted(new, old.type.encoding, op, rewriter))
        rewriter.replace(op, [], results)


def converted(value: SSAValue, encoding: Attribute, op: Operation, rewriter: PatternRewriter) -> SSAValue:
    """A tensor in another layout, for `op`."""
    assert is_tensor_type(value.type)
    conversion = ttg.ConvertLayoutOp(value, with_encoding(value.type, encoding))
    conversion.location = op.location
    conversion.result.name_hint = value.name_hint
    rewriter.insert(conversion)
    return conversion.result


class PaddedScan(RewritePattern):
    """reverse scan(x) along a size that is no power of two -> scan(x, the padding replaced by the neutral element).

    Where the combination has no known neutral element, each element carries along whether it is one. A scan that is not
    reversed comes to the padding last.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.ScanOp, rewriter: PatternRewriter) -> None:
        first, axis = op.srcs[0], op.axis.value.data
        assert is_tensor_type(first.type)
        if not op.is_reverse or is_power_of_two(first.type.get_shape()[axis]):
            return
        exists = ttg.InBoundsOp(with_element_type(first.type, i1))
        exists.location = op.location
        rewriter.insert(exists)
        neutral = neutral_element(op.combine_op.block)
        if neutral is not None:
            padded = replace_padding(op, first, exists.result, neutral, rewriter)
            scan = tt.ScanOp([padded], axis, True, op.combine_op.clone())
        else:
            scan = tt.ScanOp([*op.srcs, exists.result], axis, True, combine_existing(op.combine_op.block))
        scan.location = op.location
        results = list(scan.results)[: len(op.results)]
        for old, new in zip(op.results, results, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, scan, results)


class ScanAcrossWarps(RewritePattern):
    """scan(x) over warps -> warp_prefix(s, convert_layout(t)) with s, t = warp_scan(x)

    Each thread gets the totals of all warps for the elements that it holds.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.ScanOp, rewriter: PatternRewriter) -> None:
        axis, first = op.axis.value.data, op.srcs[0]
        assert is_tensor_type(first.type)
        source = layout_of(first.type)
        order = AxisOrder.of(source, axis)
        if order is None or not order.warps:
            return
        partial = warp_reduced_layout(source, axis)
        shape = list(first.type.get_shape())
        shape[axis] = partial.shape[axis]
        gathered = totals_layout(partial, axis)

        def tensors(layout: LinearLayout) -> list[TensorType[Attribute]]:
            return [TensorType(element_type(src.type), shape, LinearEncodingAttr.of(layout)) for src in op.srcs]

        parts = ttg.WarpScanOp(list(op.srcs), axis, op.is_reverse, tensors(partial), op.combine_op.clone())
        conversions = [
            ttg.ConvertLayoutOp(total, type) for total, type in zip(parts.totals, tensors(gathered), strict=True)
        ]
        totals = [conversion.result for conversion in conversions]
        prefix = ttg.WarpPrefixOp(parts.scanned, totals, axis, op.is_reverse, op.combine_op.clone())
        new_ops: Sequence[Operation] = [parts, *conversions, prefix]
        for new in new_ops:
            new.location = op.location
        for old, scanned, total, result in zip(op.result, parts.scanned, totals, prefix.outputs, strict=True):
            result.name_hint = scanned.name_hint = old.name_hint
            total.name_hint = f"{old.name_hint}_totals" if old.name_hint else None
        rewriter.replace(op, new_ops, list(prefix.outputs))


def totals_layout(partial: LinearLayout, axis: int) -> LinearLayout:
    """The layout of the warps' totals in which each thread has the totals of all warps along the axis."""
    bases = {
        name: [(*basis[:axis], 0, *basis[axis + 1 :]) for basis in vectors] for name, vectors in partial.bases.items()
    }
    along = [unit_basis(partial.rank, axis, 1 << bit) for bit in range(partial.shape[axis].bit_length() - 1)]
    return LinearLayout({**bases, REGISTER: [*bases.get(REGISTER, ()), *along]}, partial.shape)


def warps_of_module(module: ModuleOp) -> int:
    num_warps = module.attributes.get(NUM_WARPS)
    if not isinstance(num_warps, IntegerAttr):
        raise CompilationError(f"the module has no attribute {NUM_WARPS}", hint="assign-layouts sets it")
    return num_warps.value.data


@dataclass(frozen=True)
class DecomposeScans(ModulePass):
    """Leaves only scans whose axis lies within a warp, and none that would take padding for elements."""

    name = "decompose-scans"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scans = operations_of(op, tt.ScanOp)
        if not scans:
            return
        require_layouts(scans)
        patterns: list[Callable[[], RewritePattern]] = [
            lambda: ScanInOrder(warps_of_module(op)),
            PaddedScan,
            ScanAcrossWarps,
        ]
        for pattern in patterns:
            rewrite_each(operations_of(op, tt.ScanOp), pattern())
