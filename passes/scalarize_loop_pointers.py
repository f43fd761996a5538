"""`scalarize-loop-pointers`: a tile of pointers that a loop moves as a whole is carried as one pointer."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from mytriton.dialects import arith, tt
from mytriton.dialects.building import walk
from mytriton.dialects.constants import constant_attr, splat_value
from mytriton.dialects.tensor_types import element_type, is_tensor_type


@dataclass(frozen=True)
class ScalarizeLoopPointers(ModulePass):
    """`ptrs += step` in a loop, with the same step for all elements, moves the base and leaves the offsets alone.

    The loop then carries one pointer in place of one for each element, and the accesses in it are again a uniform base
    with offsets, whose contiguity and alignment can be proved.
    """

    name = "scalarize-loop-pointers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = CarriedPointers()
        for loop in walk(op):
            if type(loop) is scf.ForOp:
                pattern.match_and_rewrite(loop, PatternRewriter(loop))


@dataclass(frozen=True)
class Tile:
    """A tile of pointers as a scalar base and the operations that make the tile of it, the innermost first."""

    base: SSAValue
    ops: tuple[Operation, ...]

    def rebuilt(self, base: SSAValue, rewriter: PatternRewriter, point: InsertPoint, hint: str | None) -> SSAValue:
        """The same tile at another base."""
        mapping: dict[SSAValue, SSAValue] = {self.base: base}
        clones = [op.clone(mapping) for op in self.ops]
        rewriter.insert(clones, point)
        result = clones[-1].results[0]
        result.name_hint = hint or result.name_hint
        return result


@dataclass(frozen=True)
class Carried:
    """A carried tile: its number among the carried values, what it is at first, and the steps that one turn adds."""

    index: int
    tile: Tile
    steps: tuple[tt.AddPtrOp, ...]


class CarriedPointers(RewritePattern):
    """for (ptrs = base + offsets) { ...; yield ptrs + splat step } -> for (p = base) { ...; yield p + step }"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        carried = [found for index in range(len(op.iter_args)) if (found := carried_tile(op, index)) is not None]
        if not carried:
            return
        bases = {found.index: found.tile.base for found in carried}
        initial = [bases.get(index, value) for index, value in enumerate(op.iter_args)]
        old = op.body.block
        block = Block(arg_types=[old.args[0].type, *(value.type for value in initial)])
        for old_arg, new_arg in zip(old.args, block.args, strict=True):
            new_arg.name_hint = old_arg.name_hint
        for found in carried:
            self._move_steps(op, found, block.args[found.index + 1], rewriter)
        for number, old_arg in enumerate(old.args):
            if number - 1 not in bases:
                old_arg.replace_all_uses_with(block.args[number])
        _move_ops(old, block)
        loop = scf.ForOp(op.lb, op.ub, op.step, initial, Region(block))
        loop.attributes = dict(op.attributes)
        loop.location = op.location
        rewriter.insert(loop)
        results: list[SSAValue] = []
        by_index = {found.index: found for found in carried}
        for index, (old_result, new_result) in enumerate(zip(op.results, loop.results, strict=True)):
            new_result.name_hint = old_result.name_hint
            if index in by_index and old_result.first_use is not None:
                tile = by_index[index].tile
                results.append(tile.rebuilt(new_result, rewriter, InsertPoint.after(loop), old_result.name_hint))
            else:
                results.append(new_result)
        for old_result, result in zip(op.results, results, strict=True):
            if old_result.first_use is not None:
                old_result.replace_all_uses_with(result)
        rewriter.erase(op)

    def _move_steps(self, op: scf.ForOp, found: Carried, base: SSAValue, rewriter: PatternRewriter) -> None:
        """Puts the scalar pointer in place of the tile in the body of the old loop."""
        block = op.body.block
        tile_arg = block.args[found.index + 1]
        first = block.first_op
        assert first is not None
        start = found.tile.rebuilt(base, rewriter, InsertPoint.before(first), tile_arg.name_hint)
        tile_arg.replace_all_uses_with(start)
        pointer = base
        for step in found.steps:
            moved = tt.AddPtrOp(pointer, uniform(step.offset, rewriter, step))
            moved.location = step.location
            moved.result.name_hint = step.result.name_hint
            rewriter.insert(moved, InsertPoint.before(step))
            pointer = moved.result
        last = block.last_op
        assert last is not None
        last.operands[found.index] = pointer
        for step in reversed(found.steps):
            if step.result.first_use is None:
                rewriter.erase(step)


def _move_ops(source: Block, target: Block) -> None:
    for op in list(source.ops):
        op.detach()
        target.add_op(op)


def carried_tile(op: scf.ForOp, index: int) -> Carried | None:
    """What is known of a carried value that is a tile of pointers moved by uniform steps; None for any other."""
    initial, arg = op.iter_args[index], op.body.block.args[index + 1]
    if not is_tensor_type(arg.type) or not isinstance(element_type(arg.type), tt.PointerType):
        return None
    last = op.body.block.last_op
    assert last is not None
    steps: list[tt.AddPtrOp] = []
    value: SSAValue = last.operands[index]
    while value is not arg:
        step = value.owner
        if not isinstance(step, tt.AddPtrOp) or step.parent is not op.body.block or not is_uniform(step.offset):
            return None
        steps.append(step)
        value = step.ptr
    tile = tile_of(initial)
    return None if tile is None else Carried(index, tile, tuple(reversed(steps)))


def tile_of(value: SSAValue) -> Tile | None:
    """The way from a scalar pointer to a tile of pointers: a splat, then additions of offsets and broadcasts."""
    ops: list[Operation] = []
    while True:
        op = value.owner
        if not isinstance(op, tt.SplatOp | tt.AddPtrOp | tt.BroadcastOp | tt.ExpandDimsOp):
            return None
        ops.append(op)
        value = op.operands[0]
        if isinstance(op, tt.SplatOp):
            return Tile(value, tuple(reversed(ops)))


def is_uniform(offset: SSAValue) -> bool:
    """Whether all elements are one scalar."""
    match offset.owner:
        case tt.SplatOp():
            return True
        case arith.ConstantOp() as constant:
            return splat_value(constant.value) is not None
        case _:
            return False


def uniform(offset: SSAValue, rewriter: PatternRewriter, before: Operation) -> SSAValue:
    """The scalar that all elements of a uniform offset are."""
    match offset.owner:
        case tt.SplatOp(src=src):
            return src
        case arith.ConstantOp() as constant:
            number = splat_value(constant.value)
            assert number is not None
            scalar = constant_attr(element_type(offset.type), number)
            assert isinstance(scalar, IntegerAttr)
            op = arith.ConstantOp(scalar)
            op.location = constant.location
            rewriter.insert(op, InsertPoint.before(before))
            return op.result
        case other:
            raise AssertionError(f"not uniform: {other}")
