"""canonicalize and cse on functions that are long, deep or widely used: no recursion, and no work that grows faster."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest
from xdsl.dialects.builtin import ModuleOp, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from mytriton.dialects import arith, tt
from mytriton.passes.canonicalize import Canonicalize
from mytriton.passes.cse import CommonSubexpressionElimination
from mytriton.ttir import make_context
from mytriton.verify import verify_module

Body = Callable[[tt.FuncOp, int], SSAValue]
POINTER = tt.PointerType(i32)


def function_of(body: Body, size: int) -> tuple[ModuleOp, tt.FuncOp]:
    function = tt.FuncOp("kernel", ([i32, POINTER], [i32]))
    add(function, tt.ReturnOp(body(function, size)))
    return ModuleOp([function]), function


def add(function: tt.FuncOp, op: Operation) -> Operation:
    function.body.block.add_op(op)
    return op


def arguments(function: tt.FuncOp) -> tuple[SSAValue, SSAValue]:
    number, pointer = function.body.block.args
    return number, pointer


def foldable_chain(function: tt.FuncOp, size: int) -> SSAValue:
    """x + 1 + 1 + ..., which is x + size."""
    value = arguments(function)[0]
    one = add(function, arith.ConstantOp.of(i32, 1)).results[0]
    for _ in range(size):
        value = add(function, arith.AddiOp(value, one)).results[0]
    return value


def dead_chain(function: tt.FuncOp, size: int) -> SSAValue:
    """A chain of squares that nothing uses."""
    number = value = arguments(function)[0]
    for _ in range(size):
        value = add(function, arith.MuliOp(value, value)).results[0]
    return number


def chain_that_becomes_dead(function: tt.FuncOp, size: int) -> SSAValue:
    """A chain of squares times 0."""
    value = arguments(function)[0]
    for _ in range(size):
        value = add(function, arith.MuliOp(value, value)).results[0]
    zero = add(function, arith.ConstantOp.of(i32, 0)).results[0]
    return add(function, arith.MuliOp(value, zero)).results[0]


def equal_chains(function: tt.FuncOp, size: int) -> SSAValue:
    """Two equal chains of squares, and their difference."""
    ends: list[SSAValue] = []
    for _ in range(2):
        value = arguments(function)[0]
        for _ in range(size // 2):
            value = add(function, arith.MuliOp(value, value)).results[0]
        ends.append(value)
    return add(function, arith.SubiOp(ends[0], ends[1])).results[0]


def loads_and_stores(function: tt.FuncOp, size: int) -> SSAValue:
    """p[0] = p[0] + p[0], time and again."""
    number, pointer = arguments(function)
    for _ in range(size // 4):
        first, second = (add(function, tt.LoadOp(pointer)).results[0] for _ in range(2))
        add(function, tt.StoreOp(pointer, add(function, arith.AddiOp(first, second)).results[0]))
    return number


def many_uses(function: tt.FuncOp, size: int) -> SSAValue:
    """A sum of x + 0, where each addend is folded alone."""
    number = arguments(function)[0]
    zero = add(function, arith.ConstantOp.of(i32, 0)).results[0]
    total = number
    for _ in range(size // 2):
        total = add(function, arith.MuliOp(total, add(function, arith.AddiOp(number, zero)).results[0])).results[0]
    return total


EXPECTED: list[tuple[type[ModulePass], Body, Callable[[int], int]]] = [
    (Canonicalize, foldable_chain, lambda size: 3),
    (Canonicalize, dead_chain, lambda size: 1),
    (Canonicalize, chain_that_becomes_dead, lambda size: 2),
    (Canonicalize, equal_chains, lambda size: size + 2),
    (Canonicalize, loads_and_stores, lambda size: size + 1),
    (Canonicalize, many_uses, lambda size: size // 2 + 1),
    (CommonSubexpressionElimination, foldable_chain, lambda size: size + 2),
    (CommonSubexpressionElimination, dead_chain, lambda size: 1),
    (CommonSubexpressionElimination, equal_chains, lambda size: size // 2 + 2),
    (CommonSubexpressionElimination, loads_and_stores, lambda size: size // 4 * 3 + 1),
    (CommonSubexpressionElimination, many_uses, lambda size: size // 2 + 3),
]
"""How many operations each pass leaves in the function, its return included."""


@contextmanager
def counted_visits(monkeypatch: pytest.MonkeyPatch) -> Generator[list[int], None, None]:
    """Counts how often a pass asks whether an operation is unused, which it does at each visit."""
    from mytriton.passes import canonicalize, cse, effects

    visits = [0]

    def counting(op: Operation) -> bool:
        visits[0] += 1
        return effects.is_unused(op)

    with monkeypatch.context() as context:
        context.setattr(canonicalize, "is_unused", counting)
        context.setattr(cse, "is_unused", counting)
        yield visits


@pytest.mark.parametrize(("kind", "body", "left"), EXPECTED, ids=lambda part: getattr(part, "__name__", ""))
def test_five_thousand_statements(
    kind: type[ModulePass], body: Body, left: Callable[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    visits: dict[int, int] = {}
    for size in (500, 5000):
        module, function = function_of(body, size)
        with counted_visits(monkeypatch) as count:
            kind().apply(make_context(), module)
        visits[size] = count[0]
        assert len(function.body.block.ops) == left(size)
        verify_module(module)
    assert visits[5000] <= 11 * visits[500]


def test_a_value_of_other_type_is_not_reused() -> None:
    function = tt.FuncOp("kernel", ([i32], [i1, i32]))
    results: list[SSAValue] = []
    types: list[Attribute] = [i1, i32]
    for type in types:
        results.append(add(function, arith.ConstantOp.of(type, 0)).results[0])
    add(function, tt.ReturnOp(*results))
    CommonSubexpressionElimination().apply(make_context(), ModuleOp([function]))
    assert len(function.body.block.ops) == 3
