"""The dtype and the operation of every operator on every pair of dtypes, against facts recorded from Triton."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, OpResult

import mytriton.language as tl
from mytriton.dialects import arith
from mytriton.errors import CompilationError
from mytriton.frontend.builder import Builder
from mytriton.language import operators
from mytriton.language.casting import cast_to
from mytriton.language.context import building
from mytriton.language.dtypes import block_type

HERE = Path(__file__).parent
FACTS = (HERE / "data" / "promotion.txt").read_text()
RECORDER = HERE.parent / "oracle" / "record_promotion.py"

DTYPES = [
    "int1",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "fp16",
    "bf16",
    "fp32",
    "fp64",
]
NUMBERS: dict[str, bool | int | float] = {
    "True": True,
    "3": 3,
    "-1": -1,
    "300": 300,
    "2**31": 2**31,
    "2**40": 2**40,
    "2.5": 2.5,
    "1e300": 1e300,
}
BINARY: dict[str, Callable[[Any, Any], tl.tensor]] = {
    "add": operators.add,
    "sub": operators.sub,
    "mul": operators.mul,
    "truediv": operators.truediv,
    "floordiv": operators.floordiv,
    "mod": operators.mod,
    "and": operators.and_,
    "or": operators.or_,
    "xor": operators.xor,
    "lshift": operators.lshift,
    "rshift": operators.rshift,
    "lt": operators.less_than,
    "eq": operators.equal,
    "maximum": tl.maximum,
}
UNARY: dict[str, Callable[[Any], tl.tensor]] = {
    "neg": operators.negate,
    "invert": operators.invert,
    "abs": tl.abs,
    "exp": tl.exp,
    "floor": tl.floor,
    "sqrt": tl.sqrt,
}


def no_calls(function: Any, arguments: Any) -> Any:
    raise AssertionError("nothing here calls a kernel function")


def operand(builder: Builder, name: str, block: Block) -> Any:
    """A tensor of 4 elements of a dtype, or a number."""
    if name in NUMBERS:
        return NUMBERS[name]
    type = block_type(tl.dtype(name), (4,))
    return tl.tensor(block.insert_arg(builder.type(type), 0), type)


def found_fact(compute: Callable[[list[Any]], tl.tensor], *names: str) -> str:
    """What our language makes of it, in the form of the facts."""
    builder, block = Builder(no_calls), Block()
    builder.begin_function(block)
    with building(builder):
        try:
            result = compute([operand(builder, name, block) for name in names])
        except CompilationError:
            return "x"
    handle = result.handle
    if not isinstance(handle, OpResult):
        return f"{result.dtype}:"
    op = handle.op
    name = op.name.split(".")[1]
    if isinstance(op, arith.CmpiOp | arith.CmpfOp):
        predicate = op.predicate
        assert isinstance(predicate, IntegerAttr)
        name += str(predicate.value.data)
    return f"{result.dtype}:{name}"


def facts(text: str) -> list[tuple[str, tuple[str, ...], str]]:
    """Each fact as the operator, its operands, and what the operator gives."""
    found: list[tuple[str, tuple[str, ...], str]] = []
    for line in text.splitlines():
        operator, lhs, *results = line.split()
        others = DTYPES if len(results) == len(DTYPES) else [*DTYPES, *NUMBERS]
        for other, result in zip(others, results, strict=True):
            found.append((operator, (other,) if lhs == "-" else (lhs, other), result))
    return found


def differences(text: str) -> list[str]:
    wrong: list[str] = []
    for operator, operands, expected in facts(text):
        if operator == "cast":
            target = tl.dtype(operands[1])
            found = found_fact(lambda values, target=target: cast_to(values[0], target), operands[0])
        elif operator in UNARY:
            found = found_fact(lambda values, operator=operator: UNARY[operator](values[0]), *operands)
        else:
            found = found_fact(lambda values, operator=operator: BINARY[operator](values[0], values[1]), *operands)
        if operator == "lt" and operands[0] in NUMBERS:
            # Triton turns `number < tensor` round, we do not.
            found, expected = found.rstrip("0123456789"), expected.rstrip("0123456789")
        if found != expected:
            wrong.append(f"{operator} {' '.join(operands)}: found {found}, expected {expected}")
    return wrong


def test_there_is_a_fact_for_every_pair():
    pairs = len(DTYPES) * (len(DTYPES) + 2 * len(NUMBERS))
    assert len(facts(FACTS)) == len(BINARY) * pairs + len(UNARY) * len(DTYPES) + len(DTYPES) ** 2


def test_every_operator_gives_what_triton_gives():
    assert differences(FACTS) == []


@pytest.mark.oracle
def test_triton_still_gives_what_was_recorded(oracle: Callable[..., str]):
    assert oracle(RECORDER.read_text()) == FACTS
