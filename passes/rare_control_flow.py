"""Control flow of `scf` that only text has, as `scf.if` and straight-line code."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region

from mytriton.dialects import arith
from mytriton.dialects.attribute_names import UNSIGNED
from mytriton.dialects.building import erase, insert_before, region_of, replace_uses
from mytriton.dialects.tensor_types import bit_width
from mytriton.errors import PassError
from mytriton.passes.tile_builder import TileBuilder


def expand_index_switch(op: Operation) -> None:
    """index_switch x, case 2 { a } case 5 { b } default { c } -> if x == 2 { a } else { if x == 5 { b } else { c } }"""
    assert isinstance(op, scf.IndexSwitchOp)
    builder, types = TileBuilder(op), op.result_types
    conditions = [
        builder.add(arith.CmpiOp(op.arg, builder.like(op.arg, number), "eq")) for number in op.cases.iter_values()
    ]
    regions = list(op.case_regions)
    default = op.default_region
    otherwise = moved(default)
    for condition, region in reversed(list(zip(conditions, regions, strict=True))):
        branch = scf.IfOp(condition, types, moved(region), otherwise)
        branch.location = op.location
        otherwise = region_of(Block([branch, scf.YieldOp(*branch.results)]))
    place_of_block(op, otherwise.block)


def expand_execute_region(op: Operation) -> None:
    """execute_region { a } -> a"""
    assert isinstance(op, scf.ExecuteRegionOp)
    if len(op.region.blocks) != 1:
        message = "branches between the blocks of scf.execute_region are not supported: put them into the function"
        raise PassError(message, op.location)
    place_of_block(op, op.region.block)


def expand_unsigned_for(op: Operation) -> None:
    """for unsigned i = a to b step s { f(i) } -> for j = a ^ min to b ^ min step s { f(j ^ min) }

    `min` is the least signed number: with it, numbers are in the order that they have as unsigned ones.
    """
    if UNSIGNED not in op.attributes:
        return
    assert isinstance(op, scf.ForOp)
    if isinstance(op.lb.type, IndexType):
        raise PassError("scf.for unsigned of type index is not supported: use i32 or i64", op.location)
    del op.attributes[UNSIGNED]
    builder = TileBuilder(op)
    least = builder.like(op.lb, -1 << (bit_width(op.lb.type) - 1))
    for index in range(2):
        op.operands[index] = builder.add(arith.XOrIOp(op.operands[index], least))
    counter = op.body.block.args[0]
    first = op.body.block.first_op
    assert first is not None
    number = arith.XOrIOp(counter, least)
    number.location = op.location
    insert_before((number,), first)
    number.result.name_hint = counter.name_hint
    for use in list(counter.uses):
        if use.operation is not number:
            use.operation.operands[use.index] = number.result


def moved(region: Region) -> Region:
    """The blocks of a region in a new one, so that they can go elsewhere."""
    new = Region()
    region.move_blocks(new)
    return new


def place_of_block(op: Operation, block: Block) -> None:
    """The operations of a block in front of `op`, whose results become what the block yields."""
    end = block.last_op
    assert isinstance(end, scf.YieldOp) and op.parent is not None
    for inner in list(block.ops)[:-1]:
        inner.detach()
        op.parent.insert_op_before(inner, op)
    for result, value in zip(op.results, end.operands, strict=True):
        if value.name_hint is None:
            value.name_hint = result.name_hint
        replace_uses(result, value)
    erase(end)
    erase(op)


RARE_CONTROL_FLOW: dict[str, Callable[[Operation], None]] = {
    "scf.index_switch": expand_index_switch,
    "scf.execute_region": expand_execute_region,
    "scf.for": expand_unsigned_for,
}
