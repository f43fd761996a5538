"""What each level allows, checked: no layout in `tt`, a fitting one on every tensor in `ttg`, no tensor in `cuda`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, NoneAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from mytriton.dialects import cuda, tt, ttg
from mytriton.dialects.attribute_names import NUM_WARPS
from mytriton.dialects.layouts import DistributedEncodingAttr, layout_of
from mytriton.dialects.linear_layout import LinearLayout, padded_shape
from mytriton.errors import PassError
from mytriton.passes.assign_layouts import terminator_values
from mytriton.passes.encodings import (
    ATOMICS,
    is_elementwise,
    shape_of_tensor,
    tensor_type,
)


def check_tt(module: ModuleOp) -> None:
    """Raises PassError at the first operation that has a tensor with a layout."""
    for op in module.walk():
        for value in values_of(op):
            type = tensor_type(value)
            if type is not None and not isinstance(type.encoding, NoneAttr):
                raise PassError(f"'{op.name}': expected no layout at the tt level, found {type}", op.location)


def check_ttg(module: ModuleOp) -> None:
    """Raises PassError at the first operation whose tensors lack a layout or have layouts that do not fit together."""
    num_warps = module.attributes.get(NUM_WARPS)
    if not isinstance(num_warps, IntegerAttr):
        raise PassError(f"expected the module attribute {NUM_WARPS} at the ttg level", module.location)
    for op in module.walk():
        for value in values_of(op):
            check_tensor(op, value, num_warps.value.data)
        reason = mismatch(op)
        if reason is not None:
            raise PassError(f"'{op.name}': {reason}", op.location)


def check_cuda(module: ModuleOp) -> None:
    """Raises PassError at the first function that is not a kernel, and at the first tensor."""
    for op in module.ops:
        if not isinstance(op, cuda.FuncOp):
            raise PassError(f"expected cuda.func at the cuda level, found {op.name}", op.location)
    for op in module.walk():
        for value in values_of(op):
            if tensor_type(value) is not None:
                raise PassError(f"'{op.name}': expected no tensor at the cuda level, found {value.type}", op.location)


def values_of(op: Operation) -> Iterator[SSAValue]:
    """The values that an operation defines: its results and the arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def check_tensor(op: Operation, value: SSAValue, num_warps: int) -> None:
    type = tensor_type(value)
    if type is None:
        return
    encoding = type.encoding
    if not isinstance(encoding, DistributedEncodingAttr):
        raise PassError(f"'{op.name}': expected a tensor with a layout at the ttg level, found {type}", op.location)
    if encoding.rank != len(type.shape):
        raise PassError(f"'{op.name}': expected a layout of rank {len(type.shape)}, found {type}", op.location)
    if encoding.num_warps != num_warps:
        raise PassError(f"'{op.name}': expected a layout of {num_warps} warps, found {type}", op.location)


def mismatch(op: Operation) -> str | None:
    """How the layouts of an operation fail to fit together; None where they fit."""
    match op:
        case tt.LoadOp() | tt.StoreOp():
            return unequal([*op.operands, *op.results])
        case _ if isinstance(op, ATOMICS):
            return unequal([*op.operands, *op.results])
        case ttg.CheckOp():
            return unequal(op.operands)
        case tt.ScanOp() | tt.SortOp() | tt.CompareExchangeOp() | tt.HistogramOp():
            results = () if isinstance(op, tt.HistogramOp) else op.results
            return unequal([*op.operands, *results])
        case tt.GatherOp():
            return unequal([op.indices, op.result])
        case tt.DotOp():
            return unequal([op.c, op.d])
        case ttg.DotOp():
            return unequal([op.acc, op.result])
        case tt.ReduceOp():
            return unequal(op.srcs) or unsliced(op)
        case tt.BroadcastOp():
            shape = shape_of_tensor(op.src)
            return moved(op.src, projected(layout_of_value(op.result), shape))
        case tt.ExpandDimsOp():
            return moved(op.src, layout_of_value(op.result).slice(op.axis.value.data))
        case tt.TransOp():
            return moved(op.result, layout_of_value(op.src).permute(op.permutation))
        case tt.JoinOp():
            return moved(op.lhs, layout_of_value(op.result).slice(len(shape_of_tensor(op.lhs))))
        case tt.SplitOp():
            return moved(op.lhs, layout_of_value(op.src).slice(len(shape_of_tensor(op.lhs))))
        case scf.ForOp():
            carried = zip(op.iter_args, op.body.block.args[1:], op.results, terminator_values(op.body), strict=True)
            return next(filter(None, map(unequal, carried)), None)
        case scf.WhileOp():
            before, after = op.before_region, op.after_region
            carried = zip(op.arguments, before.block.args, terminator_values(after), strict=True)
            passed = zip(op.results, after.block.args, terminator_values(before), strict=True)
            return next(filter(None, map(unequal, [*carried, *passed])), None)
        case scf.IfOp():
            branches = [terminator_values(region) for region in op.regions if region.blocks]
            return (
                next(filter(None, map(unequal, zip(op.results, *branches, strict=True))), None) if op.results else None
            )
        case _ if is_elementwise(op):
            return unequal([*op.operands, *op.results])
        case _:
            return None


def unequal(values: Sequence[SSAValue]) -> str | None:
    encodings = list(dict.fromkeys(value.type.encoding for value in values if isa(value.type, TensorType)))
    return None if len(encodings) < 2 else f"expected tensors of one layout, found {encodings[0]} and {encodings[1]}"


def unsliced(op: tt.ReduceOp) -> str | None:
    expected = layout_of_value(op.srcs[0]).slice(op.axis.value.data)
    reasons = [moved(result, expected) for result in op.results if tensor_type(result) is not None]
    return next(filter(None, reasons), None)


def layout_of_value(value: SSAValue) -> LinearLayout:
    type = tensor_type(value)
    assert type is not None
    return layout_of(type)


def projected(layout: LinearLayout, shape: Sequence[int]) -> LinearLayout:
    """The layout of a tensor of which the dimensions of size 1 are repeated to give one of `layout`."""
    keep = [size != 1 for size in shape]
    bases = {
        name: [tuple(value * kept for value, kept in zip(basis, keep, strict=True)) for basis in vectors]
        for name, vectors in layout.bases.items()
    }
    return LinearLayout(bases, padded_shape(shape)).canonical


def moved(value: SSAValue, expected: LinearLayout) -> str | None:
    """Says so if the elements of a value do not lie where they are expected."""
    found = layout_of_value(value)
    return None if found.equivalent(expected) else f"expected the layout {expected}, found {found}"
