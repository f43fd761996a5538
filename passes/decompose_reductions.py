"""`decompose-reductions`: a reduction across warps in steps that stay within a warp, and padding made harmless."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, nan

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, TensorType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.building import clone_region, operations_of, rewrite_each
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.layouts import LinearEncodingAttr, layout_of
from mytriton.dialects.linear_layout import LANE, REGISTER, WARP, Basis, LinearLayout, is_power_of_two
from mytriton.dialects.tensor_types import bit_width, element_type, is_tensor_type, with_element_type
from mytriton.passes.encodings import require_layouts
from mytriton.passes.to_cuda.reduction import warp_reduced_layout


class PaddedReduction(RewritePattern):
    """reduce(x) along a size that is no power of two -> reduce(x, the padding replaced by the neutral element).

    Where the combination has no known neutral element, each element carries along whether it is one.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.ReduceOp, rewriter: PatternRewriter) -> None:
        first = op.srcs[0]
        assert is_tensor_type(first.type)
        if is_power_of_two(first.type.get_shape()[op.axis.value.data]) or _is_padded_with_neutral(op):
            return
        exists = ttg.InBoundsOp(with_element_type(first.type, i1))
        exists.location = op.location
        rewriter.insert(exists)
        neutral = neutral_element(op.combine_op.block)
        if neutral is not None:
            padded = replace_padding(op, first, exists.result, neutral, rewriter)
            reduction = tt.ReduceOp([padded], op.axis.value.data, clone_region(op.combine_op, {}), op.result_types)
            results = list(reduction.results)
        else:
            region = combine_existing(op.combine_op.block)
            valid_type = with_element_type(op.result_types[0], i1)
            reduction = tt.ReduceOp(
                [*op.srcs, exists.result], op.axis.value.data, region, [*op.result_types, valid_type]
            )
            results = list(reduction.results)[:-1]
        reduction.location = op.location
        for old, new in zip(op.results, results, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, reduction, results)


def _is_padded_with_neutral(op: tt.ReduceOp) -> bool:
    """Whether this reduction is already the result of the pattern."""
    for src in op.srcs:
        condition = src.owner.cond if isinstance(src.owner, arith.SelectOp) else src
        if isinstance(condition.owner, ttg.InBoundsOp):
            return True
    return False


def replace_padding(
    op: Operation,
    src: SSAValue,
    exists: SSAValue,
    neutral: Callable[[Attribute], int | float],
    rewriter: PatternRewriter,
) -> SSAValue:
    """An operand of `op` with the neutral element where it has no element."""
    assert is_tensor_type(src.type)
    constant = arith.ConstantOp(constant_attr(src.type, neutral(src.type.element_type)))
    select = arith.SelectOp(exists, src, constant.result)
    select.result.name_hint = src.name_hint
    for new in (constant, select):
        new.location = op.location
        rewriter.insert(new)
    return select.result


def smallest(element_type: Attribute) -> int:
    return -(1 << bit_width(element_type) - 1)


def largest(element_type: Attribute) -> int:
    return (1 << bit_width(element_type) - 1) - 1


# x op neutral = x for every x; -0.0 keeps the sign of a zero sum, NaN is what maxnum and minnum ignore.
_NEUTRAL: dict[type[Operation], Callable[[Attribute], int | float]] = {
    arith.AddfOp: lambda _: -0.0,
    arith.AddiOp: lambda _: 0,
    arith.MulfOp: lambda _: 1.0,
    arith.MuliOp: lambda _: 1,
    arith.MaxnumfOp: lambda _: nan,
    arith.MinnumfOp: lambda _: nan,
    arith.MaximumfOp: lambda _: -inf,
    arith.MinimumfOp: lambda _: inf,
    arith.MaxSIOp: smallest,
    arith.MinSIOp: largest,
    arith.MaxUIOp: lambda _: 0,
    arith.MinUIOp: lambda _: -1,
    arith.AndIOp: lambda _: -1,
    arith.OrIOp: lambda _: 0,
    arith.XOrIOp: lambda _: 0,
}


def neutral_element(body: Block) -> Callable[[Attribute], int | float] | None:
    """The neutral element of a combination that is one operation on both arguments, by element type."""
    ops = list(body.ops)
    if len(ops) != 2 or len(body.args) != 2:
        return None
    combine, end = ops
    if set(combine.operands) != set(body.args) or list(end.operands) != list(combine.results):
        return None
    if not isinstance(body.args[0].type, IntegerType | AnyFloat):
        return None
    return _NEUTRAL.get(type(combine))


def combine_existing(body: Block) -> Region:
    """The combination of (values, exists) pairs: of both where both exist, else the one that does."""
    types = [arg.type for arg in body.args[: len(body.args) // 2]]
    block = Block(arg_types=[*types, i1, *types, i1])
    left, left_exists = block.args[: len(types)], block.args[len(types)]
    right, right_exists = block.args[len(types) + 1 : -1], block.args[-1]
    mapping: dict[SSAValue, SSAValue] = dict(zip(body.args, (*left, *right), strict=True))
    combined: Sequence[SSAValue] = ()
    for op in body.ops:
        if isinstance(op, tt.ReduceReturnOp | tt.ScanReturnOp):
            combined = [mapping.get(operand, operand) for operand in op.operands]
            break
        block.add_op(op.clone(mapping))
    both, either = arith.AndIOp(left_exists, right_exists), arith.OrIOp(left_exists, right_exists)
    block.add_ops([both, either])
    results: list[SSAValue] = []
    for value, own, partner in zip(combined, left, right, strict=True):
        single = arith.SelectOp(left_exists, own, partner)
        chosen = arith.SelectOp(both.result, value, single.result)
        block.add_ops([single, chosen])
        results.append(chosen.result)
    end = tt.ScanReturnOp if isinstance(body.last_op, tt.ScanReturnOp) else tt.ReduceReturnOp
    block.add_op(end(*results, either.result))
    return Region(block)


class ReductionAcrossWarps(RewritePattern):
    """reduce(x) over warps -> reduce(convert_layout(warp_reduce(x))), the warps' parts brought into each thread."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tt.ReduceOp, rewriter: PatternRewriter) -> None:
        axis = op.axis.value.data
        first = op.srcs[0]
        assert is_tensor_type(first.type)
        source = layout_of(first.type)
        if not any(basis[axis] for basis in source.bases.get(WARP, ())):
            return
        partial = warp_reduced_layout(source, axis)
        shape = [*first.type.get_shape()]
        shape[axis] = partial.shape[axis]
        gathered = gathered_layout(op.results[0].type, partial, axis)
        partial_encoding, gathered_encoding = LinearEncodingAttr.of(partial), LinearEncodingAttr.of(gathered)

        def tensors(encoding: Attribute) -> list[TensorType[Attribute]]:
            return [TensorType(element_type(src.type), shape, encoding) for src in op.srcs]

        parts = ttg.WarpReduceOp(list(op.srcs), axis, tensors(partial_encoding), clone_region(op.combine_op, {}))
        new_ops: list[Operation] = [parts]
        for part, gathered_type in zip(parts.outputs, tensors(gathered_encoding), strict=True):
            new_ops.append(ttg.ConvertLayoutOp(part, gathered_type))
        reduction = tt.ReduceOp(
            [convert.results[0] for convert in new_ops[1:]], axis, clone_region(op.combine_op, {}), op.result_types
        )
        new_ops.append(reduction)
        for new in new_ops:
            new.location = op.location
        for old, new in zip(op.results, reduction.results, strict=True):
            new.name_hint = old.name_hint
        for convert, old in zip(new_ops[1:-1], op.results, strict=True):
            convert.results[0].name_hint = f"{old.name_hint}_parts" if old.name_hint else None
        rewriter.replace(op, new_ops, list(reduction.results))


def gathered_layout(result_type: Attribute, partial: LinearLayout, axis: int) -> LinearLayout:
    """The layout of the warps' parts in which each thread has all parts of the result elements that it is to hold."""
    if is_tensor_type(result_type):
        result = layout_of(result_type)
        bases: dict[str, list[Basis]] = {
            name: [(*basis[:axis], 0, *basis[axis:]) for basis in vectors] for name, vectors in result.bases.items()
        }
    else:
        bases = {name: [(0,)] * partial.input_bits(name) for name in (LANE, WARP)}
        bases[REGISTER] = []
    parts = partial.shape[axis].bit_length() - 1
    rank = partial.rank
    along = [tuple(1 << bit if dim == axis else 0 for dim in range(rank)) for bit in range(parts)]
    return LinearLayout({**bases, REGISTER: [*bases[REGISTER], *along]}, partial.shape)


@dataclass(frozen=True)
class DecomposeReductions(ModulePass):
    """Leaves only reductions whose axis lies within a warp, and none that would take padding for elements."""

    name = "decompose-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        reductions = operations_of(op, tt.ReduceOp)
        if not reductions:
            return
        require_layouts(reductions)
        rewrite_each(reductions, PaddedReduction())
        rewrite_each(operations_of(op, tt.ReduceOp), ReductionAcrossWarps())
