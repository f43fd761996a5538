"""`lower-dot-fma`: a dot of two shared buffers as outer products on CUDA cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    UnitAttr,
    f32,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.attribute_names import UNROLL
from mytriton.dialects.building import operations_of, region_of, rewrite_each
from mytriton.dialects.layouts import registers_per_thread
from mytriton.dialects.structured import for_loop, yield_values
from mytriton.dialects.tensor_types import bit_width, is_tensor_type
from mytriton.errors import CompilationError
from mytriton.passes.encodings import require_layouts
from mytriton.passes.locations import location_of

MAX_UNROLLED_OPERATIONS = 2048
"""Multiply-adds of one thread in the unrolled body; beyond that the loop over k is unrolled in part."""

ENOUGH_STEPS = 16
ENOUGH_OPERATIONS = 512
"""Where a body has both that many steps and that many multiply-adds, more of them do not pay: they hide no more
latency, and NVRTC takes time that grows with the square of the steps."""


class OuterProducts(RewritePattern):
    """dot(a, b, acc) -> for k: acc += column k of a * row k of b, each thread on its register tile of acc."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ttg.DotOp, rewriter: PatternRewriter) -> None:
        acc_type = op.acc.type
        if not is_tensor_type(acc_type):
            raise CompilationError(f"lower-dot-fma: expected an accumulator tensor, got {acc_type}", location_of(op))
        compute_type = TensorType(compute_element(acc_type.element_type), acc_type.get_shape(), acc_type.encoding)
        insert = _Inserter(op, rewriter)
        zero, one = insert.constant(0), insert.constant(1)
        count = insert.constant(_depth(op))
        acc = insert.cast(op.acc, compute_type)

        body = Block(arg_types=[i32, compute_type])
        k, carried = body.args
        k.name_hint, carried.name_hint = "k", op.acc.name_hint
        loop_insert = _Inserter(op, rewriter, body)
        rank = len(acc_type.get_shape())
        batch = [zero] * (rank - 2)
        column = loop_insert.load(op.a, (*batch, zero, k), compute_type, rank - 1)
        row = loop_insert.load(op.b, (*batch, k, zero), compute_type, rank - 2)
        product = loop_insert.multiply_add(column, row, carried)
        product.name_hint = op.result.name_hint
        loop_insert.add(yield_values((product,)))

        loop = for_loop(zero, count, one, (acc,), region_of(body))
        loop.attributes[UNROLL] = unroll_factor(_depth(op), registers_per_thread(acc_type))
        loop.results[0].name_hint = op.result.name_hint
        insert.add(loop)
        result = insert.cast(loop.results[0], acc_type)
        rewriter.replace(op, [], [result])


class _Inserter:
    """Adds operations before the dot, or at the end of a block."""

    def __init__(self, dot: ttg.DotOp, rewriter: PatternRewriter, block: Block | None = None):
        self.dot, self.rewriter, self.block = dot, rewriter, block

    def add(self, op: Operation) -> SSAValue:
        op.location = self.dot.location
        if self.block is not None:
            self.block.add_op(op)
        else:
            self.rewriter.insert(op)
        return op.results[0] if op.results else self.dot.result

    def constant(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, i32)))

    def cast(self, value: SSAValue, result_type: Attribute) -> SSAValue:
        """The value as a float or integer type of another width, of the same shape."""
        if value.type == result_type:
            return value
        assert is_tensor_type(value.type) and is_tensor_type(result_type)
        element: Attribute = result_type.element_type
        widens = bit_width(element) > bit_width(value.type.element_type)
        if isinstance(element, IntegerType):
            op = (arith.ExtSIOp if widens else arith.TruncIOp)(value, result_type)
        else:
            op = (arith.ExtFOp if widens else arith.TruncFOp)(value, result_type)
        result = self.add(op)
        result.name_hint = value.name_hint
        return result

    def load(self, buffer: SSAValue, offsets: Sequence[SSAValue], like: TensorType[Attribute], dim: int) -> SSAValue:
        """The part of a buffer that is one element wide along `dim`, spread over the accumulator's tile."""
        assert isinstance(buffer.type, ttg.MemDescType)
        shape = [1 if d == dim else size for d, size in enumerate(like.get_shape())]
        part_type = TensorType(buffer.type.element_type, shape, like.encoding)
        part = self.add(ttg.LocalLoadOp(buffer, part_type, offsets))
        part.name_hint = "a_column" if dim == len(shape) - 1 else "b_row"
        wide = self.cast(part, TensorType(like.element_type, shape, like.encoding))
        spread = self.add(tt.BroadcastOp(wide, like))
        spread.name_hint = part.name_hint
        return spread

    def multiply_add(self, a: SSAValue, b: SSAValue, acc: SSAValue) -> SSAValue:
        assert is_tensor_type(acc.type)
        if isinstance(acc.type.element_type, IntegerType):
            return self.add(arith.AddiOp(acc, self.add(arith.MuliOp(a, b))))
        return self.add(math.FmaOp(a, b, acc))


def compute_element(element_type: Attribute) -> Attribute:
    """What the multiply-adds are done in: the accumulator's type, f32 for the 16-bit floats."""
    return f32 if isinstance(element_type, Float16Type | BFloat16Type) else element_type


def unroll_factor(depth: int, registers: int) -> UnitAttr | IntegerAttr:
    """Full unrolling while the body stays small, else a power-of-two factor."""
    factor = depth
    while factor > 1 and _is_too_long(factor, factor * registers):
        factor //= 2
    return UnitAttr() if factor == depth else IntegerAttr(factor, i32)


def _is_too_long(steps: int, operations: int) -> bool:
    return operations > (ENOUGH_OPERATIONS if steps > ENOUGH_STEPS else MAX_UNROLLED_OPERATIONS)


def _depth(op: ttg.DotOp) -> int:
    assert isinstance(op.a.type, ttg.MemDescType)
    return op.a.type.columns


@dataclass(frozen=True)
class LowerDotFma(ModulePass):
    """Each thread adds outer products over k to its register tile; the operands come from shared memory."""

    name = "lower-dot-fma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        dots = operations_of(op, ttg.DotOp)
        require_layouts(dots)
        rewrite_each(dots, OuterProducts())
