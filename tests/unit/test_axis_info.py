"""Every fact that the axis analysis claims, checked on the values of random programs; and facts known by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    TensorType,
    f32,
    i32,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.tensor_types import with_element_type
from mytriton.passes.axis_facts import AxisInfo, highest_divisor, unit_of
from mytriton.passes.axis_info import AxisInfoAnalysis
from mytriton.ttir import parse_module
from tests.unit.random_programs import BINARY, PREDICATES, Array, Evaluator, OutOfContract, Program, programs


def checker(function: tt.FuncOp) -> Callable[[SSAValue, Array], None]:
    """Checks the facts of each value when it is computed."""
    analysis = AxisInfoAnalysis(function)
    return lambda value, array: check_facts(analysis.info(value), array, unit_of(value.type), str(value.owner))


def check_facts(facts: AxisInfo, array: Array, unit: int, where: str) -> None:
    whole = array.reshape(1) if array.ndim == 0 else array
    assert len(facts.contiguity) == len(facts.divisibility) == len(facts.constancy) == whole.ndim
    for dim, size in enumerate(whole.shape):
        indices = np.arange(size)
        for known, step in ((facts.contiguity[dim], unit), (facts.constancy[dim], 0)):
            assert known & (known - 1) == 0
            first = np.take(whole, indices - indices % known, axis=dim)
            offset = np.expand_dims(indices % known * step, tuple(d for d in range(whole.ndim) if d != dim))
            assert np.array_equal(whole, first + offset), f"{where}: {facts} of {whole}"
        firsts = np.take(whole, indices[:: facts.contiguity[dim]], axis=dim)
        assert not np.any(firsts % facts.divisibility[dim]), f"{where}: {facts} of {whole}"
    if facts.constant is not None:
        assert np.all(whole == facts.constant), where
    if facts.nonnegative:
        assert np.all(whole >= 0), where


@given(programs(), st.integers(0, 5))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_claim_holds(program: Program, program_id: int):
    function, arguments = program.function, program.arguments
    function.verify()
    try:
        Evaluator(function, arguments, program_id, checker(function))
    except OutOfContract:
        return


@pytest.mark.parametrize("size", [12, 16])
@pytest.mark.parametrize("n, program_id", [(16, 0), (-32, 1), (8, 3), (48, 2)])
def test_every_operation_on_every_pair_of_typical_operands(size: int, n: int, program_id: int):
    """Counting up from zero, from a multiple, from anywhere, from below zero; and the same everywhere."""
    attrs = [DictionaryAttr({"tt.divisibility": IntegerAttr(divisor, i32)}) for divisor in (highest_divisor(n), 1)]
    function = tt.FuncOp("kernel", ([i32, i32], []), arg_attrs=ArrayAttr(attrs))
    block = function.body.block
    type = TensorType(i32, [size])
    counts = [add(block, tt.MakeRangeOp(start, start + size)) for start in (0, 1, 4, -16)]
    divisible, other = (add(block, tt.SplatOp(argument, type)) for argument in block.args)
    fixed = [divisible, other, *(add(block, arith.ConstantOp.of(type, value)) for value in (1, 4, 16, -8))]
    moved = [add(block, arith.AddiOp(counts[0], value)) for value in (divisible, other)]
    groups = [
        add(block, arith.DivSIOp(counts[0], add(block, arith.ConstantOp.of(type, divisor)))) for divisor in (2, 8)
    ]
    conditions = [
        add(block, arith.CmpiOp(value, add(block, arith.ConstantOp.of(type, 8)), "slt"))
        for value in (*counts, divisible)
    ]
    operands = [offsets(block, size), *counts, *moved, *fixed, *groups]
    for lhs in operands:
        for rhs in operands:
            block.add_ops([make(lhs, rhs) for make in BINARY])  # pyright: ignore[reportCallIssue]
            block.add_ops([arith.CmpiOp(lhs, rhs, predicate) for predicate in PREDICATES])
            block.add_ops([arith.SelectOp(condition, lhs, rhs) for condition in conditions])
    evaluated = Evaluator(function, [n, 7], program_id, checker(function), skip=True)
    assert len(evaluated.values) > 0.9 * len(list(block.ops))


# Facts by hand


def analyse(build: Callable[[tt.FuncOp, Block], SSAValue], **divisibility: int) -> AxisInfo:
    """The facts of the value that `build` makes in a function of x: f32 pointer, n: i32, stride: i32."""
    attrs = [
        DictionaryAttr({"tt.divisibility": IntegerAttr(divisibility[name], i32)} if name in divisibility else {})
        for name in ("x", "n", "stride")
    ]
    function = tt.FuncOp("kernel", ([tt.PointerType(f32), i32, i32], []), arg_attrs=ArrayAttr(attrs))
    value = build(function, function.body.block)
    return AxisInfoAnalysis(function).info(value)


def add(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def offsets(block: Block, size: int) -> SSAValue:
    """program_id * size + arange(0, size)"""
    start = add(block, arith.MuliOp(add(block, tt.GetProgramIdOp(0)), add(block, arith.ConstantOp.of(i32, size))))
    return add(
        block,
        arith.AddiOp(add(block, tt.SplatOp(start, TensorType(i32, [size]))), add(block, tt.MakeRangeOp(0, size))),
    )


def test_offsets_of_a_block():
    facts = analyse(lambda _, block: offsets(block, 1024))
    assert facts.contiguity == (1024,)
    assert facts.divisibility == (1024,)
    facts = analyse(lambda _, block: offsets(block, 12))
    assert (facts.contiguity, facts.divisibility) == ((16,), (4,))


@pytest.mark.parametrize("n, width", [(1, 1), (4, 4), (16, 4)])
def test_width_of_a_masked_access(n: int, width: int):
    function = tt.FuncOp(
        "kernel",
        ([tt.PointerType(f32), i32], []),
        arg_attrs=ArrayAttr([DictionaryAttr({"tt.divisibility": IntegerAttr(d, i32)}) for d in (16, n)]),
    )
    block = function.body.block
    index = offsets(block, 256)
    mask = add(block, arith.CmpiOp(index, add(block, tt.SplatOp(block.args[1], index.type)), "slt"))
    pointers = add(block, tt.SplatOp(block.args[0], with_element_type(index.type, tt.PointerType(f32))))
    pointers = add(block, tt.AddPtrOp(pointers, index))
    analysis = AxisInfoAnalysis(function)
    assert analysis.access_width(pointers, mask, 0) == width
    assert analysis.access_width(pointers, None, 0) == 4
    assert analysis.access_width(pointers, None, 0, max_bytes=8) == 2


def test_width_of_an_unaligned_pointer_is_one():
    function = tt.FuncOp("kernel", ([tt.PointerType(f32)], []))
    block = function.body.block
    index = offsets(block, 256)
    pointers = add(block, tt.SplatOp(block.args[0], with_element_type(index.type, tt.PointerType(f32))))
    pointers = add(block, tt.AddPtrOp(pointers, index))
    assert AxisInfoAnalysis(function).access_width(pointers, None, 0) == 1


def matrix_offsets(function: tt.FuncOp, block: Block) -> SSAValue:
    """rows[:, None] * stride + columns[None, :] of 8 x 32"""
    rows = add(block, tt.ExpandDimsOp(offsets(block, 8), 1))
    columns = add(block, tt.ExpandDimsOp(offsets(block, 32), 0))
    stride = add(block, tt.SplatOp(function.body.block.args[2], rows.type))
    scaled = add(block, tt.BroadcastOp(add(block, arith.MuliOp(rows, stride)), TensorType(i32, [8, 32])))
    return add(block, arith.AddiOp(scaled, add(block, tt.BroadcastOp(columns, TensorType(i32, [8, 32])))))


def test_offsets_of_a_matrix_tile():
    facts = analyse(matrix_offsets, stride=8)
    assert facts.contiguity == (1, 32)
    assert facts.divisibility == (1, 8)
    assert facts.constancy == (1, 1)
    assert analyse(matrix_offsets).divisibility == (1, 1)


def test_remainder_keeps_contiguity_of_a_divisible_bound():
    def build(function: tt.FuncOp, block: Block) -> SSAValue:
        index = offsets(block, 64)
        return add(block, arith.RemSIOp(index, add(block, tt.SplatOp(function.body.block.args[1], index.type))))

    assert analyse(build, n=16).contiguity == (16,)
    assert analyse(build, n=16).divisibility == (16,)
    assert analyse(build).contiguity == (1,)


def facts_of(body: str) -> dict[str, AxisInfo]:
    """The facts of the named values of a function of %n, %m : i32 and %w : i64."""
    module = parse_module(f"""
tt.func @f(%n: i32, %m: i32, %w: i64, %b: i1) {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c15 = arith.constant 15 : i32
  %c48 = arith.constant 48 : i32
  %minus_one = arith.constant -1 : i32
{body}
  tt.return
}}""")
    (function,) = (op for op in module.walk() if isinstance(op, tt.FuncOp))
    analysis = AxisInfoAnalysis(function)
    values = [*function.body.block.args, *(result for op in function.walk() for result in op.results)]
    return {value.name_hint: analysis.info(value) for value in values if value.name_hint}


@pytest.mark.parametrize(
    ("condition", "divisibility", "nonnegative", "constant"),
    [
        ("%r = arith.remsi %n, %c48 : i32\n %c = arith.cmpi eq, %r, %c0 : i32", 16, False, None),
        ("%r = arith.remui %n, %c48 : i32\n %c = arith.cmpi eq, %c0, %r : i32", 16, False, None),
        ("%r = arith.andi %n, %c15 : i32\n %c = arith.cmpi eq, %r, %c0 : i32", 16, False, None),
        ("%r = arith.remsi %n, %c48 : i32\n %c = arith.cmpi ne, %r, %c0 : i32", 1, False, None),
        ("%r = arith.remsi %n, %c48 : i32\n %c = arith.cmpi eq, %r, %c1 : i32", 1, False, None),
        ("%c = arith.cmpi sge, %n, %c0 : i32", 1, True, None),
        ("%c = arith.cmpi sgt, %n, %minus_one : i32", 1, True, None),
        ("%c = arith.cmpi sge, %n, %minus_one : i32", 1, False, None),
        ("%l = arith.constant -2 : i32\n %c = arith.cmpi sgt, %n, %l : i32", 1, False, None),
        ("%c = arith.cmpi slt, %c0, %n : i32", 1, True, None),
        ("%c = arith.cmpi sgt, %c0, %n : i32", 1, False, None),
        ("%c = arith.cmpi slt, %n, %c15 : i32", 1, False, None),
        ("%c = arith.cmpi eq, %n, %c48 : i32", 16, True, 48),
        ("%c = arith.cmpi eq, %n, %c0 : i32", 1 << 30, True, 0),
        ("%c = arith.cmpi eq, %n, %minus_one : i32", 1, False, -1),
        ("%c = arith.cmpi sge, %n, %m : i32", 1, False, None),
        (
            "%e = arith.extsi %n : i32 to i64\n %z = arith.constant 0 : i64\n %c = arith.cmpi sge, %e, %z : i64",
            1,
            True,
            None,
        ),
        (
            "%x = arith.cmpi sge, %n, %c0 : i32\n %r = arith.remsi %n, %c48 : i32\n"
            " %y = arith.cmpi eq, %r, %c0 : i32\n %c = arith.andi %x, %y : i1",
            16,
            True,
            None,
        ),
        ("%x = arith.cmpi sge, %n, %c0 : i32\n %c = arith.ori %x, %b : i1", 1, False, None),
    ],
)
def test_what_an_assumption_says(condition: str, divisibility: int, nonnegative: bool, constant: int | None):
    facts = facts_of(f"  {condition}\n  llvm.intr.assume %c : i1")["n"]
    assert (facts.divisibility, facts.nonnegative, facts.constant) == ((divisibility,), nonnegative, constant)


def test_an_assumption_says_nothing_of_what_is_used_without_it():
    """One in a branch counts for what the branch computes, and not for the parameter that is used outside too."""
    facts = facts_of("""
  scf.if %b {
    %inside = arith.addi %m, %n : i32
    %c = arith.cmpi sge, %n, %c0 : i32
    llvm.intr.assume %c : i1
    %d = arith.cmpi sge, %inside, %c0 : i32
    llvm.intr.assume %d : i1
    %twice = arith.addi %inside, %inside : i32
  }
  %after = arith.addi %n, %c1 : i32""")
    assert facts["inside"].nonnegative and facts["twice"].nonnegative
    assert not facts["n"].nonnegative and not facts["after"].nonnegative


def test_an_assumption_in_a_branch_says_nothing_of_a_value_around_it():
    """The body of a loop is looked at twice, since %x changes; the second time the assumption has been seen."""
    facts = facts_of("""
  %last = scf.for %i = %c0 to %c48 step %c1 iter_args(%x = %c48) -> (i32) : i32 {
    %v = arith.addi %n, %x : i32
    scf.if %b {
      %c = arith.cmpi sge, %v, %c0 : i32
      llvm.intr.assume %c : i1
    }
    %next = arith.addi %x, %c1 : i32
    scf.yield %next : i32
  }""")
    assert not facts["v"].nonnegative


def test_a_remainder_of_what_is_assumed_not_to_be_negative_keeps_contiguity():
    """(n * 64 + range) % m in runs of 16 where 16 divides m: a tile of rows that wrap around the end of a matrix."""
    body = """
  %r = arith.remsi %m, %c48 : i32
  %d = arith.cmpi eq, %r, %c0 : i32
  llvm.intr.assume %d : i1
  %c64 = arith.constant 64 : i32
  %start = arith.muli %n, %c64 : i32
  %splat = tt.splat %start : i32 -> tensor<64xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %index = arith.addi %splat, %range : tensor<64xi32>
  %bound = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %index, %bound : tensor<64xi32>"""
    assert facts_of(body)["wrapped"].contiguity == (1,)
    assumed = "  %c = arith.cmpi sge, %n, %c0 : i32\n  llvm.intr.assume %c : i1"
    facts = facts_of(assumed + body)["wrapped"]
    assert (facts.contiguity, facts.divisibility) == ((16,), (16,))


def test_quotient_of_a_count_is_constant_in_groups():
    def build(function: tt.FuncOp, block: Block) -> SSAValue:
        index = offsets(block, 64)
        return add(block, arith.DivSIOp(index, add(block, arith.ConstantOp.of(index.type, 8))))

    assert analyse(build).constancy == (8,)


@pytest.mark.parametrize("step, divisibility", [(16, 16), (4, 4), (6, 2)])
def test_pointers_carried_by_a_loop(step: int, divisibility: int):
    def build(function: tt.FuncOp, block: Block) -> SSAValue:
        zero, bound, step_value = (add(block, arith.ConstantOp.of(i32, value)) for value in (0, 100, step))
        type = TensorType(i32, [16])
        start = add(block, tt.MakeRangeOp(0, 16))
        body = Block(arg_types=[i32, type])
        moved = add(body, arith.AddiOp(body.args[1], add(body, arith.ConstantOp.of(type, step))))
        body.add_op(scf.YieldOp(moved))
        add(block, scf.ForOp(zero, bound, step_value, [start], body))
        return body.args[1]

    facts = analyse(build)
    assert facts.contiguity == (16,)
    assert facts.divisibility == (divisibility,)


def test_the_index_of_a_loop_is_divisible_by_start_and_step():
    def build(function: tt.FuncOp, block: Block) -> SSAValue:
        lower, upper, step = (add(block, arith.ConstantOp.of(i32, value)) for value in (8, 100, 12))
        body = Block(arg_types=[i32])
        body.add_op(scf.YieldOp())
        add_op = scf.ForOp(lower, upper, step, [], body)
        block.add_op(add_op)
        return body.args[0]

    facts = analyse(build)
    assert facts.divisibility == (4,)
    assert facts.nonnegative


def test_hints_on_an_operation_are_believed():
    def build(function: tt.FuncOp, block: Block) -> SSAValue:
        loaded = tt.AddPtrOp(function.body.block.args[0], function.body.block.args[1])
        loaded.attributes["tt.divisibility"] = IntegerAttr(16, i32)
        return add(block, loaded)

    def build_dense(function: tt.FuncOp, block: Block) -> SSAValue:
        index = arith.AddiOp(values := add(block, tt.MakeRangeOp(0, 8)), values)
        index.attributes["tt.contiguity"] = DenseIntOrFPElementsAttr.from_list(TensorType(i32, [1]), [4])
        index.attributes["tt.constancy"] = DenseArrayBase.from_list(i32, [2])
        return add(block, index)

    assert analyse(build).divisibility == (16,)
    assert analyse(build_dense).contiguity == (4,)
    assert analyse(build_dense).constancy == (2,)


def test_a_product_of_matrices_has_no_facts():
    def build(function: tt.FuncOp, block: Block) -> SSAValue:
        zeros = add(block, arith.ConstantOp.of(TensorType(i32, [16, 16]), 1))
        return add(block, tt.DotOp(zeros, zeros, zeros))

    assert analyse(build).constancy == (1, 1)


def test_sign_extension_keeps_facts():
    def build(function: tt.FuncOp, block: Block) -> SSAValue:
        index = offsets(block, 64)
        return add(block, arith.ExtSIOp(index, with_element_type(index.type, i64)))

    assert analyse(build).contiguity == (64,)


def test_highest_divisor():
    assert [highest_divisor(value) for value in (1, 6, -4, 48, 0)] == [1, 2, 4, 16, 1 << 30]
