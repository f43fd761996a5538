"""Where pointers come from, and which are only loaded through."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import cuda, tt
from mytriton.passes.pointer_roots import PointerRoots, is_only_loaded
from mytriton.ttir import parse_module

LOAD_OR_STORE = (tt.LoadOp, tt.StoreOp, cuda.LoadOp, cuda.StoreOp)


def function_of(body: str) -> tt.FuncOp:
    """A function of four pointers (`%p` to `%s`), a number, a condition and an integer."""
    arguments = ", ".join(f"%{name}: !tt.ptr<f32>" for name in "pqrs")
    module = parse_module(f"tt.func @f({arguments}, %n: i32, %c: i1, %a: i64, %x: f32) {{\n{body}\n  tt.return\n}}")
    (function,) = module.body.block.ops
    assert isinstance(function, tt.FuncOp)
    return function


def accessed(function: tt.FuncOp) -> list[SSAValue]:
    """The pointers of the loads and stores, in the order of the text."""
    return [op.operands[0] for op in function.walk() if isinstance(op, LOAD_OR_STORE)]


def names(roots: frozenset[SSAValue]) -> str:
    return " ".join(sorted(str(root.name_hint) for root in roots))


def roots_of_accesses(body: str) -> list[str]:
    roots = PointerRoots()
    return [names(roots.of(pointer)) for pointer in accessed(function_of(body))]


CHAINS = {
    "a parameter": ("%y = tt.load %p : !tt.ptr<f32>", ["p"]),
    "a step": (
        """%t = tt.addptr %q, %n : !tt.ptr<f32>, i32
        %y = tt.load %t : !tt.ptr<f32>""",
        ["q"],
    ),
    "a tile": (
        """%t = tt.splat %q : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
        %u = tt.expand_dims %t {axis = 0 : i32} : tensor<4x!tt.ptr<f32>> -> tensor<1x4x!tt.ptr<f32>>
        %v = tt.broadcast %u : tensor<1x4x!tt.ptr<f32>> -> tensor<2x4x!tt.ptr<f32>>
        %w = tt.trans %v {order = array<i32: 1, 0>} : tensor<2x4x!tt.ptr<f32>> -> tensor<4x2x!tt.ptr<f32>>
        %z = tt.reshape %w : tensor<4x2x!tt.ptr<f32>> -> tensor<8x!tt.ptr<f32>>
        %b = tt.bitcast %z : tensor<8x!tt.ptr<f32>> -> tensor<8x!tt.ptr<i32>>
        %y = tt.load %b : tensor<8x!tt.ptr<i32>>""",
        ["q"],
    ),
    "a choice": (
        """%t = arith.select %c, %p, %q : !tt.ptr<f32>
        %y = tt.load %t : !tt.ptr<f32>""",
        ["p q"],
    ),
    "two tiles in one": (
        """%t = tt.splat %q : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
        %u = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
        %v = tt.join %t, %u : tensor<4x!tt.ptr<f32>> -> tensor<4x2x!tt.ptr<f32>>
        %d, %e = tt.split %v : tensor<4x2x!tt.ptr<f32>> -> tensor<4x!tt.ptr<f32>>
        %y = tt.load %e : tensor<4x!tt.ptr<f32>>
        %w = tt.cat %t, %t : tensor<4x!tt.ptr<f32>> -> tensor<8x!tt.ptr<f32>>
        %z = tt.load %w : tensor<8x!tt.ptr<f32>>""",
        ["p q", "q"],
    ),
    "a function on each element": (
        """%t = tt.splat %q : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
        %u = "tt.map_elementwise"(%t) <{pack = 1 : i32}> ({
        ^bb0(%e: !tt.ptr<f32>):
          %y = tt.load %e : !tt.ptr<f32>
          tt.map_elementwise.return %e : !tt.ptr<f32>
        }) : (tensor<4x!tt.ptr<f32>>) -> tensor<4x!tt.ptr<f32>>
        %z = tt.load %u : tensor<4x!tt.ptr<f32>>""",
        ["q", "q"],
    ),
    "a buffer": (
        """%t = tt.splat %q : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
        %b = ttg.local_alloc : !ttg.memdesc<4x!tt.ptr<f32>>
        ttg.local_store %t, %b : tensor<4x!tt.ptr<f32>> -> !ttg.memdesc<4x!tt.ptr<f32>>
        %u = ttg.local_load %b : !ttg.memdesc<4x!tt.ptr<f32>> -> tensor<4x!tt.ptr<f32>>
        %y = tt.load %u : tensor<4x!tt.ptr<f32>>""",
        ["q"],
    ),
    "branches": (
        """%t = scf.if %c -> (!tt.ptr<f32>) {
          %u = tt.addptr %r, %n : !tt.ptr<f32>, i32
          scf.yield %u : !tt.ptr<f32>
        } else {
          scf.yield %q : !tt.ptr<f32>
        }
        %y = tt.load %t : !tt.ptr<f32>""",
        ["q r"],
    ),
    "an integer": (
        """%t = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
        %u = tt.addptr %t, %n : !tt.ptr<f32>, i32
        %y = tt.load %u : !tt.ptr<f32>""",
        ["t"],
    ),
    "a loop that moves a pointer": (
        """%t = scf.for %i = %n to %n step %n iter_args(%u = %p) -> (!tt.ptr<f32>) : i32 {
          %y = tt.load %u : !tt.ptr<f32>
          %v = tt.addptr %u, %n : !tt.ptr<f32>, i32
          scf.yield %v : !tt.ptr<f32>
        }
        tt.store %t, %x : !tt.ptr<f32>""",
        ["p", "p"],
    ),
    "a loop that keeps a pointer": (
        """%t = scf.for %i = %n to %n step %n iter_args(%u = %p) -> (!tt.ptr<f32>) : i32 {
          scf.yield %u : !tt.ptr<f32>
        }
        tt.store %t, %x : !tt.ptr<f32>""",
        ["p"],
    ),
    "loops in which pointers change places": (
        """%t:3 = scf.for %i = %n to %n step %n iter_args(%u = %p, %v = %q, %w = %r)
            -> (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) : i32 {
          %y = tt.load %u : !tt.ptr<f32>
          %d:2 = scf.for %j = %n to %n step %n iter_args(%e = %v, %f = %s) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
            %z = tt.load %f : !tt.ptr<f32>
            scf.yield %f, %e : !tt.ptr<f32>, !tt.ptr<f32>
          }
          scf.yield %d#0, %u, %w : !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>
        }
        tt.store %t#1, %x : !tt.ptr<f32>
        tt.store %t#2, %x : !tt.ptr<f32>""",
        ["p q s", "p q s", "p q s", "r"],
    ),
    "a loop with a condition": (
        """%t:2 = scf.while (%u = %p, %v = %q) : (!tt.ptr<f32>, !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
          %y = tt.load %u : !tt.ptr<f32>
          %w = tt.addptr %u, %n : !tt.ptr<f32>, i32
          scf.condition(%c) %v, %w : !tt.ptr<f32>, !tt.ptr<f32>
        } do {
        ^bb0(%d: !tt.ptr<f32>, %e: !tt.ptr<f32>):
          %z = tt.load %d : !tt.ptr<f32>
          scf.yield %e, %r : !tt.ptr<f32>, !tt.ptr<f32>
        }
        tt.store %t#0, %x : !tt.ptr<f32>
        tt.store %t#1, %x : !tt.ptr<f32>""",
        ["p", "q r", "q r", "p"],
    ),
}


@pytest.mark.parametrize("case", CHAINS)
def test_roots(case: str) -> None:
    body, expected = CHAINS[case]
    assert roots_of_accesses(body) == expected


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("case", CHAINS)
def test_the_order_of_the_questions_changes_nothing(case: str, backwards: bool) -> None:
    body, expected = CHAINS[case]
    pointers = accessed(function_of(body))
    order = range(len(pointers))
    roots = PointerRoots()
    found = {number: names(roots.of(pointers[number])) for number in (reversed(order) if backwards else order)}
    assert [found[number] for number in order] == expected


def test_a_chain_that_is_longer_than_the_stack_of_python() -> None:
    steps = "\n".join(
        f"%t{number + 1} = tt.addptr {f'%t{number}' if number else '%p'}, %n : !tt.ptr<f32>, i32"
        for number in range(3000)
    )
    function = function_of(f"{steps}\n%y = tt.load %t3000 : !tt.ptr<f32>")
    assert names(PointerRoots().of(accessed(function)[0])) == "p"
    assert is_only_loaded(function.body.block.args[0])


def test_each_step_of_a_chain_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from mytriton.passes import pointer_roots

    looked_at: list[SSAValue] = []
    one_step = pointer_roots.sources

    def counted(pointer: SSAValue) -> Sequence[SSAValue]:
        looked_at.append(pointer)
        return one_step(pointer)

    monkeypatch.setattr(pointer_roots, "sources", counted)
    steps = ["%t0 = tt.addptr %p, %n : !tt.ptr<f32>, i32"]
    for number in range(50):
        steps.append(f"%t{number + 1} = tt.addptr %t{number}, %n : !tt.ptr<f32>, i32")
        steps.append(f"%y{number} = tt.load %t{number} : !tt.ptr<f32>")
    roots = PointerRoots()
    for pointer in reversed(accessed(function_of("\n".join(steps)))):
        roots.of(pointer)
    assert len(looked_at) == len(set(looked_at)) == 51


ONLY_LOADED = {
    "not used": ("", True),
    "loaded": ("%y = tt.load %p : !tt.ptr<f32>", True),
    "loaded from a tile": (
        """%t = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
        %u = tt.reshape %t : tensor<4x!tt.ptr<f32>> -> tensor<2x2x!tt.ptr<f32>>
        %y = tt.load %u : tensor<2x2x!tt.ptr<f32>>""",
        True,
    ),
    "loaded and stored": (
        """%y = tt.load %p : !tt.ptr<f32>
        %t = tt.addptr %p, %n : !tt.ptr<f32>, i32
        tt.store %t, %x : !tt.ptr<f32>""",
        False,
    ),
    "made an integer": ("%y = tt.ptr_to_int %p : !tt.ptr<f32> -> i64", False),
    "chosen": (
        """%t = arith.select %c, %p, %q : !tt.ptr<f32>
        %y = tt.load %t : !tt.ptr<f32>""",
        False,
    ),
    "carried": (
        """%t = scf.for %i = %n to %n step %n iter_args(%u = %p) -> (!tt.ptr<f32>) : i32 {
          scf.yield %u : !tt.ptr<f32>
        }""",
        False,
    ),
    "added to": (
        "%y = tt.atomic_rmw fadd, relaxed, gpu, %p, %x, %c : (!tt.ptr<f32>, f32, i1) -> f32",
        False,
    ),
}


@pytest.mark.parametrize("case", ONLY_LOADED)
def test_only_loaded(case: str) -> None:
    body, expected = ONLY_LOADED[case]
    assert is_only_loaded(function_of(body).body.block.args[0]) is expected


def test_constant_memory_is_that_of_parameters_alone() -> None:
    body = """%t = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
        %y = tt.load %t : !tt.ptr<f32>
        %z = tt.load %p : !tt.ptr<f32>
        %w = tt.load %q : !tt.ptr<f32>
        tt.store %q, %w : !tt.ptr<f32>"""
    roots = PointerRoots()
    loads: list[Operation] = [op for op in function_of(body).walk() if isinstance(op, tt.LoadOp)]
    assert [roots.is_constant_memory(load.operands[0]) for load in loads] == [False, True, False]
