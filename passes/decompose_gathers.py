"""`decompose-gathers`: what picks or counts elements by number does so in buffers in shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.passes.encodings import require_layouts


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
        found = [inner for inner in op.walk() if isinstance(inner, tt.GatherOp | tt.HistogramOp)]
        require_layouts(found)
        if found:
            for pattern in (GatherFromBuffer(), HistogramInBuffer()):
                PatternRewriteWalker(pattern, apply_recursively=False).rewrite_module(op)
