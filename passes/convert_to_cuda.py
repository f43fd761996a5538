"""`convert-to-cuda`: tensors with layouts become registers of one thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.attribute_names import NUM_WARPS, READ_ONLY
from mytriton.dialects.building import walk
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.errors import CompilationError
from mytriton.passes.encodings import require_layouts
from mytriton.passes.locations import location_of
from mytriton.passes.pointer_roots import is_only_loaded
from mytriton.passes.to_cuda import (
    atomics,
    checks,
    control,
    elementwise,
    gathering,
    inline_asm,
    memory,
    messages,
    scan,
    shuffles,
    sort,
)
from mytriton.passes.to_cuda.converter import Converter, Handler
from mytriton.passes.to_cuda.emitter import Emitter
from mytriton.passes.to_cuda.reduction import convert_reduce
from mytriton.passes.to_cuda.shared import make_shared_arrays


@dataclass(frozen=True)
class ConvertToCuda(ModulePass):
    """Every tt.func becomes a cuda.func.

    Tensors become register arrays, elementwise operations `cuda.map`, reductions loops over registers and butterflies
    over lanes, buffers shared arrays. A `ttg.dot` must have been lowered before.
    """

    name = "convert-to-cuda"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        num_warps = op.attributes.get(NUM_WARPS)
        if not isinstance(num_warps, IntegerAttr):
            raise CompilationError(
                f"convert-to-cuda: the module has no attribute {NUM_WARPS}", hint="assign-layouts sets it"
            )
        for function in list(op.body.block.ops):
            if isinstance(function, tt.FuncOp):
                kernel = convert_function(function, num_warps.value.data)
                op.body.block.insert_op_before(kernel, function)
                function.detach()


def convert_function(function: tt.FuncOp, num_warps: int) -> cuda.FuncOp:
    """The kernel that one thread runs."""
    if len(function.body.blocks) != 1:
        raise CompilationError(
            "convert-to-cuda: a kernel with unstructured control flow (cf branches)", location_of(function)
        )
    source = function.body.block
    for arg in source.args:
        if is_tensor_type(arg.type) or isinstance(arg.type, ttg.MemDescType | ttg.GlobalTileType):
            raise CompilationError(
                f"convert-to-cuda: a kernel takes pointers and scalars, no {arg.type}", location_of(function)
            )
    ops = walk(function)
    require_layouts(ops)
    block = Block(arg_types=[arg.type for arg in source.args])
    emitter = Emitter(block, num_warps)
    converter = Converter(function, emitter, handlers())
    for old, new in zip(source.args, block.args, strict=True):
        new.location = old.location
        converter.set(old, new)
    buffers = [op for op in ops if isinstance(op, ttg.LocalAllocOp)]
    converter.values.update(make_shared_arrays(emitter, buffers))
    converter.convert_block(source)
    emitter.finish(block)
    kernel = cuda.FuncOp(
        function.sym_name.data,
        FunctionType.from_lists([arg.type for arg in block.args], []),
        num_warps,
        Region(block),
        _argument_attributes(function, block.args),
    )
    kernel.attributes.update({name: value for name, value in function.attributes.items() if name.startswith("tt.")})
    kernel.location = function.location
    return kernel


def _argument_attributes(function: tt.FuncOp, args: Sequence[SSAValue]) -> ArrayAttr[DictionaryAttr]:
    """The arguments' attributes, with `cuda.const` on pointers through which nothing is stored."""
    given = function.arg_attrs.data if function.arg_attrs is not None else [DictionaryAttr({})] * len(args)
    attributes: list[DictionaryAttr] = []
    for arg, own in zip(args, given, strict=True):
        data = dict(own.data)
        if isinstance(arg.type, tt.PointerType) and is_only_loaded(arg):
            data[READ_ONLY] = UnitAttr()
        attributes.append(DictionaryAttr(data))
    return ArrayAttr(attributes)


def _skip(converter: Converter, op: Operation) -> None:
    """Converted with the function, or of use only before."""


def _staged_dot(converter: Converter, op: Operation) -> None:
    raise CompilationError(
        "CUDA shared-memory staging for tl.dot is implemented, but CUDA computation for tl.dot is not implemented",
        location_of(op),
        hint="lower-dot-fma computes it",
    )


def _plain_dot(converter: Converter, op: Operation) -> None:
    raise CompilationError(
        "CUDA lowering for tl.dot is not implemented", location_of(op), hint="allocate-shared stages its operands"
    )


def _keep(converter: Converter, op: Operation) -> None:
    converter.clone_scalar_op(op)


_RENAMING = (
    tt.BroadcastOp,
    tt.ExpandDimsOp,
    tt.TransOp,
    tt.ReshapeOp,
    tt.SplitOp,
    tt.ExtractSliceOp,
    ttg.ConvertLayoutOp,
)
_ELEMENTWISE_TT = (
    tt.AddPtrOp,
    tt.BitcastOp,
    tt.FpToFpOp,
    tt.IntToPtrOp,
    tt.PtrToIntOp,
    tt.PreciseSqrtOp,
    tt.PreciseDivFOp,
    tt.ClampFOp,
    tt.MulhiUIOp,
    tt.ExternElementwiseOp,
)
_KEPT = (cuda.ThreadIdOp, cuda.BlockIdOp, cuda.GridDimOp, cuda.LoadOp, cuda.StoreOp, cuda.PtrAddOp, cuda.BarrierOp)

_handlers: dict[type[Operation], Handler] = {}


def handlers() -> dict[type[Operation], Handler]:
    """The conversion of each kind of operation."""
    if _handlers:
        return _handlers
    from xdsl.dialects import math

    for op in (*arith.Arith.operations, *math.Math.operations, *_ELEMENTWISE_TT):
        _handlers[op] = elementwise.convert_elementwise
    for op in _RENAMING:
        _handlers[op] = elementwise.convert_renaming
    for op in _KEPT:
        _handlers[op] = _keep
    _handlers.update(
        {
            arith.ConstantOp: elementwise.convert_constant,
            tt.SplatOp: elementwise.convert_splat,
            tt.MakeRangeOp: elementwise.convert_make_range,
            tt.JoinOp: elementwise.convert_join,
            tt.UnsplatOp: elementwise.convert_unsplat,
            ttg.InBoundsOp: elementwise.convert_in_bounds,
            tt.LoadOp: memory.convert_load,
            tt.StoreOp: memory.convert_store,
            tt.AtomicRMWOp: atomics.convert_atomic_rmw,
            tt.AtomicCASOp: atomics.convert_atomic_cas,
            tt.AtomicLoadOp: atomics.convert_atomic_load,
            tt.AtomicStoreOp: atomics.convert_atomic_store,
            tt.AtomicPollOp: atomics.convert_atomic_poll,
            ttg.LocalStoreOp: memory.convert_local_store,
            ttg.LocalLoadOp: memory.convert_local_load,
            ttg.LocalAllocOp: _skip,
            tt.AssumeOp: _skip,
            ttg.BarrierOp: control.convert_barrier,
            tt.PrintOp: messages.convert_print,
            tt.ElementwiseInlineAsmOp: inline_asm.convert_inline_asm,
            tt.MapElementwiseOp: elementwise.convert_map_elementwise,
            tt.AssertOp: messages.convert_assert,
            ttg.CheckOp: checks.convert_check,
            tt.GridDependencyWaitOp: messages.convert_grid_dependency,
            tt.GridDependencyLaunchDependentsOp: messages.convert_grid_dependency,
            ttg.DotOp: _staged_dot,
            tt.DotOp: _plain_dot,
            tt.ReduceOp: convert_reduce,
            ttg.WarpReduceOp: convert_reduce,
            tt.ScanOp: scan.convert_scan,
            ttg.WarpScanOp: scan.convert_scan,
            ttg.WarpPrefixOp: scan.convert_warp_prefix,
            ttg.CompareExchangeOp: sort.convert_compare_exchange,
            ttg.FlipOp: shuffles.convert_flip,
            ttg.RepadOp: sort.convert_repad,
            ttg.LocalGatherOp: gathering.convert_local_gather,
            ttg.LocalHistogramOp: gathering.convert_local_histogram,
            scf.ForOp: control.convert_for,
            scf.IfOp: control.convert_if,
            scf.WhileOp: control.convert_while,
            scf.YieldOp: control.convert_yield,
            scf.ConditionOp: control.convert_condition,
            tt.GetProgramIdOp: control.convert_program_id,
            tt.GetNumProgramsOp: control.convert_num_programs,
            tt.CallOp: control.convert_call,
            tt.ReturnOp: control.convert_return,
        }
    )
    return _handlers
