"""Every fact that the axis analysis claims, checked on the values of random programs; and facts known by hand."""

import math
from collections.abc import Callable
from typing import Any

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
    f16,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.tensor_types import element_type, shape_of, with_element_type
from mytriton.passes.axis_info import AxisInfo, AxisInfoAnalysis, highest_divisor, unit_of

Array = np.ndarray[Any, Any]


class OutOfContract(Exception):
    """The program overflows or divides by zero, of which nothing is claimed."""


def divide(x: Array, y: Array) -> Array:
    if np.any(y == 0):
        raise OutOfContract
    quotient: Array = np.abs(x) // np.abs(y)
    return np.copysign(1, x).astype(np.int64) * np.sign(y) * quotient


def remainder(x: Array, y: Array) -> Array:
    return x - divide(x, y) * y


def shift(x: Array, y: Array, by: Callable[[Array, Array], Array]) -> Array:
    if np.any((y < 0) | (y > 31)):
        raise OutOfContract
    return by(x, y)


BINARY: dict[type[Operation], Callable[[Array, Array], Array]] = {
    arith.AddiOp: np.add,
    arith.SubiOp: np.subtract,
    arith.MuliOp: np.multiply,
    arith.DivSIOp: divide,
    arith.RemSIOp: remainder,
    arith.ShLIOp: lambda x, y: shift(x, y, np.left_shift),
    arith.ShRSIOp: lambda x, y: shift(x, y, np.right_shift),
    arith.MinSIOp: np.minimum,
    arith.MaxSIOp: np.maximum,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
}
PREDICATES: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
}


class Evaluator:
    """Runs a function on arrays of exact 64-bit integers and checks the facts of each value when it is computed."""

    def __init__(self, function: tt.FuncOp, arguments: list[int], program_id: int, skip: bool = False):
        self.skip = skip
        self.analysis = AxisInfoAnalysis(function)
        self.values: dict[SSAValue, Array] = {}
        self.program_id = program_id
        for argument, value in zip(function.body.block.args, arguments, strict=True):
            self.set(argument, np.array(value, dtype=np.int64))
        self.run(function.body.block)

    def set(self, value: SSAValue, array: Array) -> None:
        if array.size and np.abs(array).max() >= 1 << 31:
            raise OutOfContract
        assert array.shape == (shape_of(value.type) or ())
        check_facts(self.analysis.info(value), array, unit_of(value.type), str(value.owner))
        self.values[value] = array

    def run(self, block: Block) -> tuple[Array, ...]:
        for op in block.ops:
            if isinstance(op, scf.YieldOp):
                return tuple(self.values[operand] for operand in op.operands)
            if isinstance(op, scf.ForOp):
                self.run_for(op)
            elif isinstance(op, scf.IfOp):
                region = op.true_region if self.values[op.cond] else op.false_region
                for result, array in zip(op.results, self.run(region.block), strict=True):
                    self.set(result, array)
            elif op.results:
                try:
                    self.set(op.results[0], self.evaluate(op, [self.values[operand] for operand in op.operands]))
                except OutOfContract:
                    if not self.skip:
                        raise
        return ()

    def run_for(self, op: scf.ForOp) -> None:
        index, *carried = op.body.block.args
        state = tuple(self.values[value] for value in op.iter_args)
        lower, upper, step = (int(self.values[bound]) for bound in (op.lb, op.ub, op.step))
        if step <= 0:
            raise OutOfContract
        for value in range(lower, upper, step):
            self.set(index, np.array(value))
            for argument, array in zip(carried, state, strict=True):
                self.set(argument, array)
            state = self.run(op.body.block)
        for result, array in zip(op.results, state, strict=True):
            self.set(result, array)

    def evaluate(self, op: Operation, operands: list[Array]) -> Array:
        shape = shape_of(op.results[0].type) or ()
        match op:
            case arith.ConstantOp():
                return np.full(shape, arith.integer_constant(op.result), dtype=np.int64)
            case tt.GetProgramIdOp():
                return np.array(self.program_id)
            case tt.MakeRangeOp():
                return np.arange(op.start.value.data, op.end.value.data)
            case tt.SplatOp() | tt.BroadcastOp():
                return np.broadcast_to(operands[0], shape)
            case tt.ExpandDimsOp() | tt.ReshapeOp():
                return operands[0].reshape(shape)
            case tt.TransOp():
                return operands[0].transpose(op.permutation)
            case arith.CmpiOp():
                return PREDICATES[op.predicate_name](*operands).astype(np.int64)
            case arith.SelectOp():
                return np.where(operands[0] != 0, operands[1], operands[2])
            case tt.AddPtrOp():
                return operands[0] + operands[1] * unit_of(op.ptr.type)
            case arith.ExtSIOp() | arith.TruncIOp():
                return operands[0]
            case tt.BitcastOp():
                return operands[0]
            case _:
                return BINARY[type(op)](*operands)


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


SIZES = [1, 2, 3, 4, 6, 8, 12, 16]
BASES = {f16: 2, f32: 4}


class ProgramMaker:
    """Draws the operations of a random function; `pool` holds the values that the next one may use."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.pool: list[SSAValue] = []

    def pick(self, wanted: Callable[[SSAValue], bool]) -> SSAValue | None:
        found = [value for value in self.pool if wanted(value)]
        return self.draw(st.sampled_from(found)) if found else None

    def of_type(self, type: Attribute) -> SSAValue | None:
        return self.pick(lambda value: value.type == type)

    def shape(self) -> tuple[int, ...]:
        """Mostly one that is there already, so that operations find operands of one shape."""
        if self.draw(st.integers(0, 3)):
            return shape_of(self.draw(st.sampled_from(self.pool)).type) or ()
        return tuple(self.draw(st.lists(st.sampled_from(SIZES), max_size=2)))

    def step(self, block: Block, depth: int) -> None:
        op = self.operation(depth)
        if op is None:
            return
        block.add_op(op)
        self.pool += op.results

    def operation(self, depth: int) -> Operation | None:
        draw = self.draw
        kinds = [
            "constant",
            "range",
            "splat",
            "shape",
            "binary",
            "binary",
            "binary",
            "compare",
            "select",
            "addptr",
            "cast",
        ]
        kind = draw(st.sampled_from(kinds if depth else [*kinds, "for", "if"]))
        if kind == "constant":
            shape = self.shape()
            value = draw(st.sampled_from([0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 32, -1, -4]))
            return arith.ConstantOp.of(TensorType(i32, shape) if shape else i32, value)
        if kind == "range":
            start = draw(st.sampled_from([0, 1, 4, 8, -8]))
            return tt.MakeRangeOp(start, start + draw(st.sampled_from(SIZES)))
        if kind == "splat":
            source = self.pick(lambda value: not isinstance(value.type, TensorType))
            return None if source is None else tt.SplatOp(source, TensorType(source.type, self.shape() or [8]))
        if kind == "shape":
            return self.shape_operation()
        if kind == "addptr":
            pointer = self.pick(lambda value: tt.is_pointer(value.type) and isinstance(value.type, TensorType))
            offset = None if pointer is None else self.of_type(with_element_type(pointer.type, i32))
            return None if pointer is None or offset is None else tt.AddPtrOp(pointer, offset)
        if kind == "cast":
            pointer = self.pick(lambda value: tt.is_pointer(value.type))
            if pointer is not None and draw(st.booleans()):
                other = draw(st.sampled_from([f16, f32]))
                return tt.BitcastOp(pointer, with_element_type(pointer.type, tt.PointerType(other)))
            return None
        wants_tensor = draw(st.booleans())
        lhs = self.pick(
            lambda value: element_type(value.type) == i32 and (not wants_tensor or isinstance(value.type, TensorType))
        )
        rhs = None if lhs is None else self.of_type(lhs.type)
        if lhs is None or rhs is None:
            return None
        if kind == "binary":
            return draw(st.sampled_from(list(BINARY)))(lhs, rhs)  # pyright: ignore[reportCallIssue]
        if kind == "compare":
            return arith.CmpiOp(lhs, rhs, draw(st.sampled_from(list(PREDICATES))))
        if kind == "for":
            return self.loop([lhs, rhs])
        condition = self.of_type(with_element_type(lhs.type, i1)) if kind == "select" else self.of_type(i1)
        if condition is None:
            return None
        if kind == "select":
            return arith.SelectOp(condition, lhs, rhs)
        return scf.IfOp(condition, [lhs.type], self.branch(lhs.type), self.branch(lhs.type))

    def shape_operation(self) -> Operation | None:
        source = self.pick(lambda value: isinstance(value.type, TensorType))
        shape = None if source is None else shape_of(source.type)
        if source is None or shape is None:
            return None
        draw = self.draw
        choice = draw(st.integers(0, 3))
        if choice == 0 and len(shape) < 3:
            return tt.ExpandDimsOp(source, draw(st.integers(0, len(shape))))
        if choice == 1 and 1 in shape:
            wide = [draw(st.sampled_from(SIZES)) if size == 1 else size for size in shape]
            return tt.BroadcastOp(source, TensorType(element_type(source.type), wide))
        if choice == 2:
            return tt.TransOp(source, draw(st.permutations(range(len(shape)))))
        total = math.prod(shape)
        rows = draw(st.sampled_from([size for size in range(1, total + 1) if total % size == 0]))
        target = draw(st.sampled_from([[total], [rows, total // rows], [1, total], [total, 1]]))
        return tt.ReshapeOp(source, TensorType(element_type(source.type), target))

    def nested(self, block: Block, types: list[Attribute]) -> Block:
        before = len(self.pool)
        self.pool += block.args
        for _ in range(self.draw(st.integers(0, 5))):
            self.step(block, 1)
        values = [self.of_type(type) for type in types]
        block.add_op(scf.YieldOp(*[value for value in values if value is not None]))
        del self.pool[before:]
        return block

    def branch(self, type: Attribute) -> Region:
        return Region(self.nested(Block(), [type]))

    def loop(self, initial: list[SSAValue]) -> Operation | None:
        bounds = [self.of_type(i32) for _ in range(3)]
        if any(bound is None for bound in bounds):
            return None
        lower, upper, step = (bound for bound in bounds if bound is not None)
        types = [value.type for value in initial]
        body = self.nested(Block(arg_types=[i32, *types]), types)
        return scf.ForOp(lower, upper, step, initial, body)


@st.composite
def programs(draw: st.DrawFn) -> tuple[tt.FuncOp, list[int]]:
    """A function of two pointers and two integers, and arguments that fit their divisibility."""
    divisors = [draw(st.sampled_from([1, 4, 16])) for _ in range(4)]
    types = [tt.PointerType(f32), tt.PointerType(f16), i32, i32]
    attrs = [DictionaryAttr({"tt.divisibility": IntegerAttr(divisor, i32)}) for divisor in divisors]
    arguments = [divisor * draw(st.integers(0, 9)) for divisor in divisors]
    function = tt.FuncOp("kernel", (types, []), arg_attrs=ArrayAttr(attrs))
    block = function.body.block
    maker = ProgramMaker(draw)
    program_id = tt.GetProgramIdOp(0)
    block.add_op(program_id)
    maker.pool += [*block.args, program_id.result]
    for size in draw(st.lists(st.sampled_from(SIZES), min_size=1, max_size=2)):
        ops = [
            tt.MakeRangeOp(0, size),
            tt.SplatOp(block.args[2], TensorType(i32, [size])),
            tt.SplatOp(block.args[0], TensorType(tt.PointerType(f32), [size])),
        ]
        block.add_ops(ops)
        maker.pool += [op.results[0] for op in ops]
    for _ in range(draw(st.integers(8, 24))):
        maker.step(block, 0)
    block.add_op(tt.ReturnOp())
    return function, arguments


@given(programs(), st.integers(0, 5))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_claim_holds(program: tuple[tt.FuncOp, list[int]], program_id: int):
    function, arguments = program
    function.verify()
    try:
        Evaluator(function, arguments, program_id)
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
    evaluated = Evaluator(function, [n, 7], program_id, skip=True)
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
