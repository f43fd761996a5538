"""Integer arithmetic of printed kernels, run on the CPU, against Python's integers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, f32, f64, i1, i32, i64
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, cuda
from tests.unit.codegen.running import DTYPES, Array, Build, compute, needs_compiler

pytestmark = needs_compiler

WIDTHS = (1, 8, 16, 32, 64)


def samples(bits: int) -> list[int]:
    """Signed numbers of that many bits: the ends of the range, small ones, some random ones."""
    if bits == 1:
        return [0, -1]
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    generator = random.Random(bits)
    return [low, low + 1, -17, -2, -1, 0, 1, 2, 5, 16, bits - 1, bits, high - 1, high] + [
        generator.randint(low, high) for _ in range(4)
    ]


def signed(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def unsigned(value: int, bits: int) -> int:
    return value % (1 << bits)


def quotient(a: int, b: int) -> int:
    """Rounded towards zero; all ones for a divisor of zero."""
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def modulo(a: int, b: int) -> int:
    return -1 if b == 0 else a - quotient(a, b) * b


BINARY: dict[type[arith.IntegerBinaryOp], Callable[[int, int, int], int]] = {
    arith.AddiOp: lambda a, b, bits: a + b,
    arith.SubiOp: lambda a, b, bits: a - b,
    arith.MuliOp: lambda a, b, bits: a * b,
    arith.DivSIOp: lambda a, b, bits: quotient(a, b),
    arith.RemSIOp: lambda a, b, bits: modulo(a, b),
    arith.DivUIOp: lambda a, b, bits: quotient(unsigned(a, bits), unsigned(b, bits)),
    arith.RemUIOp: lambda a, b, bits: modulo(unsigned(a, bits), unsigned(b, bits)),
    arith.AndIOp: lambda a, b, bits: a & b,
    arith.OrIOp: lambda a, b, bits: a | b,
    arith.XOrIOp: lambda a, b, bits: a ^ b,
    arith.ShLIOp: lambda a, b, bits: a << n if (n := unsigned(b, bits)) < bits else 0,
    arith.ShRUIOp: lambda a, b, bits: unsigned(a, bits) >> n if (n := unsigned(b, bits)) < bits else 0,
    arith.ShRSIOp: lambda a, b, bits: a >> min(unsigned(b, bits), bits - 1),
    arith.MinSIOp: lambda a, b, bits: min(a, b),
    arith.MaxSIOp: lambda a, b, bits: max(a, b),
    arith.MinUIOp: lambda a, b, bits: min(unsigned(a, bits), unsigned(b, bits)),
    arith.MaxUIOp: lambda a, b, bits: max(unsigned(a, bits), unsigned(b, bits)),
}


def as_array(values: list[int], bits: int) -> Array:
    type = DTYPES[IntegerType(bits)]
    return np.array([value != 0 for value in values] if bits == 1 else values, dtype=type)


def as_list(array: Array) -> list[int]:
    return [-int(value) if array.dtype == np.bool_ else int(value) for value in array]


@pytest.mark.parametrize("bits", WIDTHS)
def test_binary_operations(bits: int):
    type, values = IntegerType(bits), samples(bits)
    pairs = [(a, b) for a in values for b in values]
    lhs, rhs = ([pair[side] for pair in pairs] for side in (0, 1))
    results = compute([as_array(lhs, bits), as_array(rhs, bits)], [type, type], list(BINARY))
    for (op, expected), result in zip(BINARY.items(), results, strict=True):
        assert as_list(result) == [signed(expected(a, b, bits), bits) for a, b in pairs], op.name


def with_constant(op: type[arith.IntegerBinaryOp], type: IntegerType, number: int, constant_first: bool) -> Build:
    def build(value: SSAValue) -> list[Operation]:
        constant = arith.ConstantOp.of(type, number)
        operands = (constant.result, value) if constant_first else (value, constant.result)
        return [constant, op(*operands)]

    return build


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("constant_first", [False, True])
def test_operations_with_constants(bits: int, constant_first: bool):
    """Constants choose other forms: plain division, no clamp of shifts, a - 1 for a + -1."""
    type, values = IntegerType(bits), samples(bits)
    cases = [(op, number) for op in BINARY for number in values[:14]]
    builds = [with_constant(op, type, number, constant_first) for op, number in cases]
    results = compute([as_array(values, bits)], [type], builds)
    for (op, number), result in zip(cases, results, strict=True):
        pairs = [(number, value) if constant_first else (value, number) for value in values]
        assert as_list(result) == [signed(BINARY[op](a, b, bits), bits) for a, b in pairs], (op.name, number)


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def comparison(predicate: str) -> Build:
    return lambda a, b: arith.CmpiOp(a, b, predicate)


@pytest.mark.parametrize("bits", WIDTHS)
def test_comparisons(bits: int):
    type, values = IntegerType(bits), samples(bits)
    pairs = [(a, b) for a in values for b in values]
    lhs, rhs = ([pair[side] for pair in pairs] for side in (0, 1))
    results = compute(
        [as_array(lhs, bits), as_array(rhs, bits)],
        [type, type],
        [comparison(predicate) for predicate in arith.CMPI_PREDICATES],
    )
    for predicate, result in zip(arith.CMPI_PREDICATES, results, strict=True):
        read = unsigned if predicate.startswith("u") else signed
        holds = COMPARISONS[predicate[-2:]]
        assert list(result) == [holds(read(a, bits), read(b, bits)) for a, b in pairs], predicate


def conversion(op: type[arith.CastOp], target: IntegerType) -> Build:
    return lambda value: op(value, target)


@pytest.mark.parametrize("bits", WIDTHS)
def test_width_conversions(bits: int):
    values = samples(bits)
    cases: list[tuple[type[arith.CastOp], int]] = []
    for other in WIDTHS:
        if other > bits:
            cases += [(arith.ExtSIOp, other), (arith.ExtUIOp, other)]
        elif other < bits:
            cases.append((arith.TruncIOp, other))
    builds = [conversion(op, IntegerType(width)) for op, width in cases]
    results = compute([as_array(values, bits)], [IntegerType(bits)], builds)
    for (op, width), result in zip(cases, results, strict=True):
        read = unsigned if op is arith.ExtUIOp else signed
        assert as_list(result) == [signed(read(value, bits), width) for value in values], (op.name, width)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("target", [f32, f64])
def test_conversions_to_floats(bits: int, target: Any):
    values = samples(bits)
    source = IntegerType(bits)
    of_signed, of_unsigned = compute(
        [as_array(values, bits)],
        [source],
        [lambda v: arith.SIToFPOp(v, target), lambda v: arith.UIToFPOp(v, target)],
    )
    # NumPy rounds 64-bit integers to either type once, as C does.
    exact = np.array(values, dtype=np.int64)
    as_unsigned = np.array([unsigned(value, bits) for value in values], dtype=np.uint64)
    assert of_signed.tolist() == exact.astype(DTYPES[target]).tolist()
    assert of_unsigned.tolist() == as_unsigned.astype(DTYPES[target]).tolist()


@pytest.mark.parametrize("bits", [32, 64])
def test_high_half_of_the_product(bits: int):
    type, values = IntegerType(bits), samples(bits)
    pairs = [(a, b) for a in values for b in values]
    lhs, rhs = ([pair[side] for pair in pairs] for side in (0, 1))
    (result,) = compute([as_array(lhs, bits), as_array(rhs, bits)], [type, type], [cuda.MulhiUIOp])
    assert as_list(result) == [signed(unsigned(a, bits) * unsigned(b, bits) >> bits, bits) for a, b in pairs]


def test_chains_of_wrapping_operations_stay_exact():
    """Inlined chains mix unsigned and signed forms; every operator must read its operands as the IR says."""
    values = samples(32)
    triples = [(a, b, c) for a in values for b in values for c in values]
    columns = [as_array([triple[i] for triple in triples], 32) for i in range(3)]

    def build(a: SSAValue, b: SSAValue, c: SSAValue) -> list[Operation]:
        total = arith.AddiOp(a, b)
        product = arith.MuliOp(total, c)
        shifted = arith.ShRSIOp(product, arith_one := arith.ConstantOp.of(i32, 3))
        less = arith.CmpiOp(shifted, total, "slt")
        wide = arith.ExtSIOp(arith.SubiOp(shifted, c), i64)
        chosen = arith.SelectOp(less, shifted, total)
        sum_ = arith.AddiOp(arith.ExtSIOp(chosen, i64), wide)
        ops = [total, product, arith_one, shifted, less, wide.input.owner, wide, chosen, sum_.lhs.owner, sum_]
        return [op for op in ops if isinstance(op, Operation)]

    (result,) = compute(columns, [i32] * 3, [build])
    expected: list[int] = []
    for a, b, c in triples:
        total = signed(a + b, 32)
        shifted = signed(total * c, 32) >> 3
        chosen = shifted if shifted < total else total
        expected.append(chosen + signed(shifted - c, 32))
    assert as_list(result) == expected


def test_selects_and_boolean_logic():
    cases = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    columns = [np.array([case[i] for case in cases], dtype=np.bool_) for i in range(3)]

    def nested(a: SSAValue, b: SSAValue, c: SSAValue) -> list[Operation]:
        either = arith.OrIOp(a, b)
        both = arith.AndIOp(either, c)
        true = arith.ConstantOp.of(i1, 1)
        negated = arith.XOrIOp(both, true)
        return [either, both, true, negated, arith.SelectOp(negated, a, c)]

    (result,) = compute(columns, [i1] * 3, [nested])
    assert result.tolist() == [bool(c if (a or b) and c else a) for a, b, c in cases]
