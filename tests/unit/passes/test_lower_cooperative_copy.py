"""The loop that copies a tile: run here, thread by thread, against a plain description of the tile."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, VectorType, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from mytriton.dialects import arith, cuda, ttg
from mytriton.errors import PassError
from mytriton.passes.lower_cooperative_copy import LowerCooperativeCopy
from mytriton.ttir import parse_module, print_module


@dataclass
class Thread:
    """Runs the scalar operations of one thread; `matrix` is the global memory, `written` what went to the buffer."""

    index: int
    matrix: dict[int, float]
    values: dict[SSAValue, Any]
    written: dict[tuple[int, int], float] = field(default_factory=dict[tuple[int, int], float])
    loads: int = 0

    def run(self, block: Block) -> None:
        for op in block.ops:
            operands: list[Any] = [self.values.get(operand) for operand in op.operands]
            result: Any = None
            match op:
                case arith.ConstantOp():
                    result = arith.constant_value(op.result)
                case cuda.ThreadIdOp():
                    result = self.index
                case arith.AddiOp() | cuda.PtrAddOp():
                    result = operands[0] + operands[1]
                case arith.MuliOp():
                    result = operands[0] * operands[1]
                case arith.DivSIOp():
                    result = operands[0] // operands[1]
                case arith.RemSIOp():
                    result = operands[0] % operands[1]
                case arith.AndIOp():
                    result = operands[0] and operands[1]
                case arith.ExtSIOp():
                    result = operands[0]
                case arith.CmpiOp():
                    assert op.predicate_name == "slt"
                    result = operands[0] < operands[1]
                case scf.IfOp():
                    if operands[0]:
                        self.run(op.true_region.block)
                case cuda.LoadOp():
                    self.loads += 1
                    result = self.load(op)
                case cuda.StoreOp():
                    self.store(op)
                case scf.ForOp():
                    for index in range(operands[0], operands[1], operands[2]):
                        self.values[op.body.block.args[0]] = index
                        self.run(op.body.block)
                case _:
                    pass
            if op.results:
                self.values[op.results[0]] = result

    def load(self, op: cuda.LoadOp) -> list[float]:
        assert op.mask is not None
        width = vector_width(op.result.type)
        if not self.values[op.mask]:
            return [self.values[op.other] if op.other is not None else 0.0] * width
        address = self.values[op.base] + self.values[op.indices[0]]
        assert address % width == 0, "a vector that is not aligned"
        return [self.matrix[address + i] for i in range(width)]

    def store(self, op: cuda.StoreOp) -> None:
        assert op.mask is None
        row, column = (self.values[index] for index in op.indices)
        for i, value in enumerate(self.values[op.value]):
            assert (row, column + i) not in self.written
            self.written[row, column + i] = value


def vector_width(value_type: Attribute) -> int:
    return value_type.get_shape()[0] if isa(value_type, VectorType[Attribute]) else 1


def copy_module(rows: int, columns: int, element: str = "f32", width: str = "i32", divisibility: int = 1) -> ModuleOp:
    known = f" {{tt.divisibility = {divisibility} : i32}}" if divisibility > 1 else ""
    scalars = ", ".join(f"%{name}: {width}{known}" for name in ("m", "k", "stride", "M", "K"))
    tile, buffer = f"!ttg.global_tile<{rows}x{columns}x{element}>", f"!ttg.memdesc<{rows}x{columns}x{element}>"
    return parse_module(f"""
tt.func @copy(%a: !tt.ptr<{element}>{known}, {scalars}) {{
  %buffer = ttg.local_alloc : {buffer}
  %zero = arith.constant 0.000000e+00 : {element}
  %tile = ttg.global_tile %a[%m, %k] stride %stride bounds[%M, %K] other %zero : !tt.ptr<{element}>, \
{width}, {width}, {width}, {width}, {width}, {element} -> {tile}
  ttg.copy_tile %tile, %buffer : {tile} -> {buffer}
  tt.return
}}""")


def run_copy(module: ModuleOp, threads: int, *arguments: int) -> tuple[dict[tuple[int, int], float], list[int]]:
    """What the block wrote to the buffer, and how many loads each thread made. The matrix holds 1000 + address."""
    LowerCooperativeCopy(num_warps=threads // 32).apply(Context(), module)
    module.verify()
    (function,) = module.body.block.ops
    body = function.regions[0].block
    m, k, stride, bound_m, bound_k = arguments
    inside = (i * stride + j for i in range(m, bound_m) for j in range(k, bound_k))
    matrix = {address: 1000.0 + address for address in inside}
    written: dict[tuple[int, int], float] = {}
    loads: list[int] = []
    for index in range(threads):
        thread = Thread(index, matrix, dict(zip(body.args, (0, m, k, stride, bound_m, bound_k), strict=True)))
        thread.run(body)
        assert not written.keys() & thread.written.keys()
        written |= thread.written
        loads.append(thread.loads)
    return written, loads


def expected(rows: int, columns: int, m: int, k: int, stride: int, bound_m: int, bound_k: int) -> dict[Any, float]:
    return {
        (i, j): 1000.0 + (m + i) * stride + k + j if m + i < bound_m and k + j < bound_k else 0.0
        for i in range(rows)
        for j in range(columns)
    }


ORIGINS = {
    "inside": (8, 32, 128, 512, 128),
    "rows cut": (8, 32, 128, 10, 128),
    "columns cut": (8, 32, 37, 512, 37),
    "both cut": (0, 0, 3, 2, 3),
    "all outside": (64, 0, 16, 64, 16),
    "empty matrix": (0, 0, 1, 0, 0),
}

SHAPES = {
    "64 elements by 32 threads": (4, 16, 32),
    "smaller than the block": (4, 8, 128),
    "one trip": (8, 16, 128),
    "trips in the middle of rows": (3, 64, 32),
    "many trips": (40, 32, 64),
    "not a multiple of the block": (12, 20, 128),
    "one element": (1, 1, 32),
    "one row": (1, 100, 64),
    "one column": (100, 1, 64),
}


@pytest.mark.parametrize("origin", ORIGINS.values(), ids=ORIGINS.keys())
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_every_element_is_written_once(shape: tuple[int, int, int], origin: tuple[int, ...]) -> None:
    rows, columns, threads = shape
    written, loads = run_copy(copy_module(rows, columns), threads, *origin)
    assert written == expected(rows, columns, *origin)
    assert sum(loads) == rows * columns
    assert max(loads) == math.ceil(rows * columns / threads)


@pytest.mark.parametrize(("element", "width"), [("f32", 4), ("f16", 8), ("bf16", 8), ("f64", 2)])
def test_vectors(element: str, width: int) -> None:
    """16 bytes at a time; columns that are cut are cut between vectors."""
    module = copy_module(8, 32, element, divisibility=16)
    origin = (8, 16, 48, 12, 32)
    written, loads = run_copy(module, 32, *origin)
    assert written == expected(8, 32, *origin)
    assert sum(loads) == 8 * 32 // width


@pytest.mark.parametrize(
    "unknown",
    ["%a: !tt.ptr<f32>", "%k: i32", "%stride: i32", "%K: i32"],
    ids=["base", "column offset", "stride", "column bound"],
)
def test_a_vector_needs_every_fact(unknown: str) -> None:
    text = print_module(copy_module(8, 32, divisibility=16))
    assert f"{unknown} {{tt.divisibility = 16 : i32}}" in text
    module = parse_module(text.replace(f"{unknown} {{tt.divisibility = 16 : i32}}", unknown))
    _, loads = run_copy(module, 32, 8, 16, 48, 12, 32)
    assert sum(loads) == 8 * 32


@pytest.mark.parametrize("known", ["%m: i32", "%M: i32"], ids=["row offset", "row bound"])
def test_a_vector_needs_no_fact_of_the_rows(known: str) -> None:
    text = print_module(copy_module(8, 32, divisibility=16))
    module = parse_module(text.replace(f"{known} {{tt.divisibility = 16 : i32}}", known))
    _, loads = run_copy(module, 32, 9, 16, 48, 11, 32)
    assert sum(loads) == 8 * 32 // 4


def test_vectors_do_not_cross_rows() -> None:
    """Rows of 6 elements hold no whole vectors of 4, but of 2."""
    written, loads = run_copy(copy_module(4, 6, divisibility=16), 32, 0, 0, 16, 4, 16)
    assert written == expected(4, 6, 0, 0, 16, 4, 16)
    assert sum(loads) == 4 * 6 // 2


def test_indices_of_64_bits() -> None:
    origin = (8, 32, 128, 10, 40)
    written, _ = run_copy(copy_module(4, 16, width="i64"), 32, *origin)
    assert written == expected(4, 16, *origin)


@pytest.mark.parametrize(
    ("rows", "columns", "threads", "control", "unrolled"),
    [
        (4, 16, 32, scf.ForOp, UnitAttr()),
        (16, 32, 32, scf.ForOp, UnitAttr()),
        (20, 32, 32, scf.ForOp, IntegerAttr(8, i32)),
        (3, 64, 32, scf.ForOp, UnitAttr()),
        (12, 20, 32, scf.ForOp, None),
        (4, 8, 64, scf.IfOp, None),
        (4, 16, 64, None, None),
    ],
    ids=["two trips", "16 trips", "20 trips", "trips in the middle of rows", "ragged", "small", "one trip"],
)
def test_control_flow(
    rows: int, columns: int, threads: int, control: type[Operation] | None, unrolled: Attribute | None
) -> None:
    """A loop that every thread runs as often is unrolled; one trip needs no loop, and part of one a condition."""
    module = copy_module(rows, columns)
    LowerCooperativeCopy(num_warps=threads // 32).apply(Context(), module)
    found = [op for op in module.walk() if isinstance(op, scf.ForOp | scf.IfOp)]
    assert [type(op) for op in found] == ([] if control is None else [control])
    assert [op.attributes.get("cuda.unroll") for op in found] == [unrolled] * len(found)


def test_a_fill_other_than_zero() -> None:
    text = print_module(copy_module(4, 16, divisibility=16)).replace("0.000000e+00", "2.500000e+00")
    written, loads = run_copy(parse_module(text), 32, 0, 0, 16, 2, 16)
    assert {written[row, 5] for row in (2, 3)} == {2.5}
    assert sum(loads) == 64


def test_locations_are_those_of_the_copy() -> None:
    module = copy_module(4, 16)
    (copy,) = (op for op in module.walk() if isinstance(op, ttg.CopyTileOp))
    location = copy.location
    LowerCooperativeCopy(num_warps=1).apply(Context(), module)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert {op.location for op in loop.walk()} == {location}


def test_other_orders_are_refused_and_nothing_is_changed() -> None:
    encoding = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>"
    text = print_module(copy_module(4, 16)).replace("!ttg.memdesc<4x16xf32>", f"!ttg.memdesc<4x16xf32, {encoding}>")
    module = parse_module(text)
    before = print_module(module)
    with pytest.raises(PassError, match="row-major"):
        LowerCooperativeCopy().apply(Context(), module)
    assert print_module(module) == before
