"""Operations that are put together without irdl, and their quick descriptors, against what xDSL itself does."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr, f32, i1, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl.operations import BaseAccessor, BaseAttrAccessor

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.building import (
    append,
    clone,
    create,
    detach,
    erase,
    initialize,
    insert_before,
    operations,
    operations_of,
    region_of,
    replace_uses,
    set_name,
    walk,
)
from mytriton.dialects.structured import for_loop, if_branch, yield_values
from mytriton.ttir import parse_module

DIALECTS = Path(__file__).resolve().parents[1] / "filecheck" / "dialects"
MODULES = sorted(str(path.relative_to(DIALECTS)) for path in DIALECTS.glob("*/*.mlir") if "invalid" not in path.name)


def module_of(name: str) -> ModuleOp:
    return parse_module((DIALECTS / name).read_text(encoding="utf-8"), name)


def uses_of(value: SSAValue) -> list[tuple[Operation, int]]:
    return [(use.operation, use.index) for use in value.uses]


def check_links(block: Block) -> None:
    """A block's operations are the same from both ends, and know their block."""
    forwards, backwards = list(block.ops), list(reversed(block.ops))
    assert forwards == backwards[::-1]
    assert all(op.parent is block for op in forwards)


def values_made_by(op: Operation) -> list[SSAValue]:
    return [*op.results, *(argument for region in op.regions for argument in region.block.args)]


def constants(count: int) -> tuple[Block, list[Operation]]:
    ops: list[Operation] = [arith.ConstantOp.of(i32, number) for number in range(count)]
    return Block(ops), ops


def test_initialize_fills_in_what_create_does() -> None:
    operands = [arith.ConstantOp.of(i32, 1).result, arith.ConstantOp.of(i32, 2).result]
    operands.append(operands[0])
    properties = {"a": UnitAttr()}
    regions = [Region(Block()), Region()]
    theirs = cuda.CallOp.create(operands=operands, result_types=[i32, f32], properties=properties, regions=regions)
    expected = [uses_of(operand) for operand in operands]
    for use in [use for operand in operands for use in operand.uses]:
        use.operation.operands = []
    ours = cuda.CallOp.__new__(cuda.CallOp)
    other_regions = [Region(Block()), Region()]
    initialize(ours, operands, [i32, f32], dict(properties), other_regions)
    assert vars(ours).keys() <= vars(theirs).keys()
    assert [uses_of(operand) for operand in operands] == [[(ours, i) for _, i in uses] for uses in expected]
    assert [result.type for result in ours.results] == [i32, f32]
    assert all(result.op is ours and result.index == index for index, result in enumerate(ours.results))
    assert (ours.properties, ours.attributes, ours.location) == (properties, {}, theirs.location)
    assert ours.regions == tuple(other_regions) and all(region.parent is ours for region in other_regions)
    assert list(ours.operands) == operands


def test_create_makes_an_operation_that_verifies() -> None:
    one = arith.ConstantOp.of(i32, 1).result
    op = create(arith.AddiOp, (one, one), (i32,), {"overflowFlags": arith.NO_OVERFLOW_FLAGS})
    op.verify()
    assert op.is_structurally_equivalent(arith.AddiOp(one, one))


@pytest.mark.parametrize("name", MODULES)
def test_clone_is_the_same_operation_on_other_values(name: str) -> None:
    for function in module_of(name).body.block.ops:
        if any(len(region.blocks) != 1 for op in function.walk() for region in op.regions) or not function.regions:
            continue
        for op in operations(function.regions[0].block):
            inside = {value for inner in op.walk() for value in values_made_by(inner)}
            outside = {operand for inner in op.walk() for operand in inner.operands} - inside
            new: dict[SSAValue, SSAValue] = {value: arith.ConstantOp.of(i32, 0).result for value in outside}
            ours, theirs = clone(op, dict(new)), op.clone(dict(new))
            assert ours.is_structurally_equivalent(theirs)
            for left, right in zip(ours.walk(), theirs.walk(), strict=True):
                assert left.location == right.location
                names = [[value.name_hint for value in values_made_by(made)] for made in (left, right)]
                assert names[0] == names[1]
                for region in left.regions:
                    assert region.parent is left
                    check_links(region.block)


@pytest.mark.parametrize("name", MODULES)
def test_walk_goes_through_all_in_order(name: str) -> None:
    module = module_of(name)
    for op in module.walk():
        assert walk(op) == list(op.walk())
    found = operations_of(module, arith.ConstantOp, scf.ForOp)
    assert found == [op for op in module.walk() if isinstance(op, arith.ConstantOp | scf.ForOp)]


def test_walk_goes_through_all_blocks() -> None:
    inner = [Block([arith.ConstantOp.of(i32, number)]) for number in range(3)]
    ops: list[Operation] = [cuda.BarrierOp.create(regions=[Region(inner), Region()]), arith.ConstantOp.of(i32, 7)]
    outer = ModuleOp(ops)
    assert walk(outer) == list(outer.walk())


def test_append_and_insert_before() -> None:
    block, ops = constants(2)
    new: list[Operation] = [arith.ConstantOp.of(i32, number) for number in range(10, 15)]
    insert_before(new[:2], ops[1])
    insert_before(new[2:3], ops[0])
    insert_before([], ops[0])
    append(block, new[3])
    empty = Block()
    append(empty, new[4])
    assert list(block.ops) == [new[2], ops[0], new[0], new[1], ops[1], new[3]]
    assert list(empty.ops) == [new[4]]
    check_links(block)
    check_links(empty)


def test_detach_and_erase() -> None:
    block, ops = constants(3)
    total = arith.AddiOp(ops[0].results[0], ops[1].results[0])
    append(block, total)
    detach(ops[2])
    assert ops[2].parent is None
    with pytest.raises(AssertionError, match="still used"):
        erase(ops[0])
    erase(total)
    erase(ops[0])
    assert list(block.ops) == [ops[1]] and ops[1].results[0].first_use is None
    check_links(block)


def test_replace_uses_keeps_their_order() -> None:
    def example() -> tuple[SSAValue, SSAValue, list[Operation]]:
        old, new = arith.ConstantOp.of(i32, 1).result, arith.ConstantOp.of(i32, 2).result
        users: list[Operation] = [arith.AddiOp(old, new), arith.AddiOp(old, old), arith.SubiOp(new, old)]
        return old, new, users

    old, new, users = example()
    replace_uses(old, new)
    other, expected, others = example()
    other.replace_all_uses_with(expected)
    number = {op: index for index, op in enumerate((*users, *others))}
    ours = [(number[op], index) for op, index in uses_of(new)]
    assert ours == [(number[op] - len(users), index) for op, index in uses_of(expected)]
    assert old.first_use is None
    assert all(list(op.operands) == [new, new] for op in users)
    replace_uses(new, new)
    assert [(number[op], index) for op, index in uses_of(new)] == ours
    for op in users:
        op.operands = []
    assert new.first_use is None


def test_structured_control_flow_is_that_of_scf() -> None:
    _, ops = constants(3)
    lower, upper, step = (op.results[0] for op in ops)
    carried, condition = arith.ConstantOp.of(f32, 1.0).result, arith.ConstantOp.of(i1, 1).result

    def body(types: list[Attribute], values: list[SSAValue]) -> Region:
        return Region(Block([yield_values(values)], arg_types=types))

    loops = [make(lower, upper, step, [carried], body([i32, f32], [carried])) for make in (for_loop, scf.ForOp)]
    branches = [make(condition, [f32], body([], [carried]), body([], [carried])) for make in (if_branch, scf.IfOp)]
    for ours, theirs in (loops, branches, (yield_values([carried, lower]), scf.YieldOp(carried, lower))):
        ours.verify(verify_nested_ops=False)
        assert ours.is_structurally_equivalent(theirs)
    without_else = if_branch(condition, [], body([], []), Region())
    without_else.verify()
    assert not without_else.false_region.blocks


def test_region_of_is_a_region() -> None:
    block = Block()
    region = region_of(block)
    assert region.block is block and list(region.blocks) == [block] and block.parent is region


def test_set_name_is_that_of_xdsl() -> None:
    left, right = arith.ConstantOp.of(i32, 1).result, arith.ConstantOp.of(i32, 1).result
    for name in ("x", "x_1", "x_1_2", "_", None):
        set_name(left, name)
        right.name_hint = name
        assert left.name_hint == right.name_hint
    with pytest.raises(ValueError):
        set_name(left, "1x")


def quick_descriptors(op: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, descriptor in vars(type(op)).items():
        if isinstance(descriptor, BaseAccessor | BaseAttrAccessor):
            found[name] = descriptor
    return found


@pytest.mark.parametrize("name", MODULES)
def test_quick_descriptors_read_what_irdl_reads(name: str) -> None:
    for op in module_of(name).walk():
        for field, descriptor in quick_descriptors(op).items():
            base: Any = type(descriptor).__mro__[1]
            slow: Any = base.__get__(descriptor, op)
            quick = getattr(op, field)
            assert type(quick) is type(slow) or type(slow).__name__ == "OpOperands"
            assert quick is slow or list(quick) == list(slow), (op.name, field)


def test_descriptors_are_quick() -> None:
    for operation in (*arith.Arith.operations, *cuda.CUDA.operations, *tt.TT.operations, *ttg.TTG.operations):
        for descriptor in vars(operation).values():
            if isinstance(descriptor, BaseAccessor | BaseAttrAccessor):
                assert type(descriptor).__module__ == "mytriton.dialects.quick_access", (operation, descriptor)
