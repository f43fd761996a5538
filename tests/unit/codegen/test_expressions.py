"""Parentheses and mixed signs: random expressions, written in one line each, give what their operations say."""

from __future__ import annotations

import random

import pytest
from xdsl.dialects.builtin import IntegerType, i1, i32, i64
from xdsl.ir import Operation, SSAValue

from mytriton.codegen.expression import Expression, assignment, binary, cast, conditional, logical_not, negation
from mytriton.dialects import arith
from tests.unit.codegen.running import compute, needs_compiler
from tests.unit.codegen.test_integers import BINARY, COMPARISONS, as_array, as_list, samples, signed, unsigned

A, B, C = Expression("a"), Expression("b"), Expression("c")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (binary(binary(A, "+", B), "+", C), "a + b + c"),
        (binary(A, "+", binary(B, "+", C)), "a + (b + c)"),
        (binary(A, "-", binary(B, "-", C)), "a - (b - c)"),
        (binary(binary(A, "*", B), "/", C), "a * b / c"),
        (binary(A, "*", binary(B, "/", C)), "a * (b / c)"),
        (binary(binary(A, "+", B), "*", C), "(a + b) * c"),
        (binary(binary(A, "*", B), "+", C), "a * b + c"),
        (binary(binary(A, "+", B), "<<", C), "(a + b) << c"),
        (binary(binary(A, "<<", B), "<<", C), "(a << b) << c"),
        (binary(binary(A, "<<", B), "+", C), "(a << b) + c"),
        (binary(binary(A, "&", B), "&", C), "a & b & c"),
        (binary(binary(A, "+", B), "&", C), "(a + b) & c"),
        (binary(binary(A, "&", B), "|", C), "(a & b) | c"),
        (binary(binary(A, "&", B), "==", C), "(a & b) == c"),
        (binary(binary(A, "<", B), "==", C), "(a < b) == c"),
        (binary(binary(A, "<", B), "&&", binary(B, "<", C)), "a < b && b < c"),
        (binary(binary(A, "&&", B), "||", C), "(a && b) || c"),
        (binary(binary(A, "||", B), "&&", C), "(a || b) && c"),
        (binary(binary(A, "<", B), "||", C), "a < b || c"),
        (negation(negation(A)), "-(-a)"),
        (negation(binary(A, "+", B)), "-(a + b)"),
        (binary(A, "-", negation(B)), "a - -b"),
        (logical_not(binary(A, "<", B)), "!(a < b)"),
        (cast("int", binary(A, "+", B)), "(int)(a + b)"),
        (binary(cast("int", A), "*", B), "(int)a * b"),
        (conditional(A, B, conditional(B, A, C)), "a ? b : b ? a : c"),
        (conditional(conditional(A, B, C), B, C), "(a ? b : c) ? b : c"),
        (conditional(A, conditional(A, B, C), C), "a ? (a ? b : c) : c"),
        (binary(conditional(A, B, C), "+", C), "(a ? b : c) + c"),
    ],
)
def test_parentheses(expression: Expression, text: str):
    assert expression.text == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (binary(A, "+", B), "a += b;"),
        (binary(A, "-", binary(B, "-", C)), "a -= b - c;"),
        (binary(A, "*", binary(binary(B, "+", C), "*", binary(B, "+", C))), "a *= (b + c) * (b + c);"),
        (binary(binary(A, "+", B), "+", C), "a = a + b + c;"),
        (binary(B, "+", A), "a = b + a;"),
        (binary(A, "&&", B), "a = a && b;"),
        (cast("int", binary(A, "+", B)), "a = (int)(a + b);"),
        (B, "a = b;"),
    ],
)
def test_assignments(value: Expression, text: str):
    assert assignment("a", value) == text


class RandomTree:
    """A random expression on three i32 values: its operations, and what it evaluates to."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self.operations: list[Operation] = []

    def build(self, *leaves: SSAValue) -> list[Operation]:
        self.operations = []
        self._leaves = leaves
        self.root = self._value(32, 5)
        if self.root in leaves:
            self.root = self._add(arith.AddiOp(self.root, self.root))
        return self.operations

    def _add(self, op: Operation) -> SSAValue:
        self.operations.append(op)
        return op.results[0]

    def _value(self, bits: int, depth: int) -> SSAValue:
        kind = self._random.random()
        if depth == 0 or kind < 0.1:
            return self._leaf(bits)
        if bits == 1 or kind > 0.93:
            return self._condition(depth) if bits == 1 else self._select(bits, depth)
        if kind < 0.3:
            return self._converted(bits, depth)
        lhs, rhs = self._value(bits, depth - 1), self._value(bits, depth - 1)
        return self._add(self._random.choice(list(BINARY))(lhs, rhs))

    def _leaf(self, bits: int) -> SSAValue:
        if bits == 32 and self._random.random() < 0.6:
            return self._random.choice(self._leaves)
        return self._add(arith.ConstantOp.of(IntegerType(bits), self._random.choice(samples(bits))))

    def _condition(self, depth: int) -> SSAValue:
        if self._random.random() < 0.4:
            op = self._random.choice((arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.AddiOp, arith.MaxSIOp))
            return self._add(op(self._value(1, depth - 1), self._value(1, depth - 1)))
        bits = self._random.choice((8, 32, 64))
        predicate = self._random.choice(list(arith.CMPI_PREDICATES))
        return self._add(arith.CmpiOp(self._value(bits, depth - 1), self._value(bits, depth - 1), predicate))

    def _select(self, bits: int, depth: int) -> SSAValue:
        condition = self._value(1, depth - 1)
        return self._add(arith.SelectOp(condition, self._value(bits, depth - 1), self._value(bits, depth - 1)))

    def _converted(self, bits: int, depth: int) -> SSAValue:
        other = self._random.choice([width for width in (1, 8, 16, 32, 64) if width != bits])
        value = self._value(other, depth - 1)
        if other > bits:
            return self._add(arith.TruncIOp(value, IntegerType(bits)))
        return self._add(self._random.choice((arith.ExtSIOp, arith.ExtUIOp))(value, IntegerType(bits)))

    def evaluate(self, leaves: tuple[int, ...]) -> int:
        values: dict[SSAValue, int] = dict(zip(self._leaves, leaves, strict=True))
        for op in self.operations:
            values[op.results[0]] = signed(self._one(op, values), width(op.results[0]))
        return values[self.root]

    def _one(self, op: Operation, values: dict[SSAValue, int]) -> int:
        if isinstance(op, arith.ConstantOp):
            constant = arith.integer_constant(op.result)
            assert constant is not None
            return constant
        operands = [values[operand] for operand in op.operands]
        match op:
            case arith.CmpiOp():
                read = unsigned if op.predicate_name.startswith("u") else signed
                a, b = (read(operand, width(op.lhs)) for operand in operands)
                return int(COMPARISONS[op.predicate_name[-2:]](a, b))
            case arith.SelectOp():
                return operands[1] if operands[0] else operands[2]
            case arith.ExtUIOp():
                return unsigned(operands[0], width(op.input))
            case arith.ExtSIOp() | arith.TruncIOp():
                return operands[0]
            case arith.IntegerBinaryOp():
                return BINARY[op.__class__](operands[0], operands[1], width(op.result))
            case _:
                raise AssertionError(op.name)


def width(value: SSAValue) -> int:
    return {i1: 1, IntegerType(8): 8, IntegerType(16): 16, i32: 32, i64: 64}[value.type]  # pyright: ignore


@needs_compiler
def test_random_expressions():
    values = samples(32)
    generator = random.Random(1)
    inputs = [tuple(generator.choice(values) for _ in range(3)) for _ in range(64)]
    columns = [as_array([row[i] for row in inputs], 32) for i in range(3)]
    trees = [RandomTree(seed) for seed in range(60)]
    results = compute(columns, [i32] * 3, [tree.build for tree in trees])
    for seed, (tree, result) in enumerate(zip(trees, results, strict=True)):
        assert as_list(result) == [tree.evaluate(row) for row in inputs], seed
