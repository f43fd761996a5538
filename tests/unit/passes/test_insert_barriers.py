"""Barriers, checked on small programs against every path through them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region

from mytriton.dialects import ttg
from mytriton.passes.allocate_shared import AllocateShared
from mytriton.passes.insert_barriers import InsertBarriers
from mytriton.passes.lower_cooperative_copy import LowerCooperativeCopy
from mytriton.passes.match_dot_operands import MatchDotOperands
from mytriton.ttir import parse_module, print_module

# Buffers by name, as [start, end) in bytes. `c` shares bytes with both others.
BUFFERS = {"a": (0, 64), "b": (64, 128), "c": (48, 112)}
NUMBERS = itertools.count()


@dataclass
class Program:
    """A statement: an access to a buffer, a loop or a branch of statements."""

    kind: str
    buffer: str = ""
    body: list[Program] = field(default_factory=list["Program"])
    other: list[Program] = field(default_factory=list["Program"])

    def text(self, indent: str = "  ") -> str:
        inner = "".join(statement.text(indent + "  ") for statement in self.body)
        match self.kind:
            case "write":
                return f"{indent}ttg.local_store %x, %{self.buffer} : tensor<16xf32> -> {memdesc(self.buffer)}\n"
            case "read":
                load = f"ttg.local_load %{self.buffer} : {memdesc(self.buffer)} -> tensor<16xf32>"
                return f"{indent}%y{next(NUMBERS)} = {load}\n"
            case "barrier":
                return f"{indent}ttg.barrier\n"
            case "for":
                return f"{indent}scf.for %i{next(NUMBERS)} = %n to %n step %n : i32 {{\n{inner}{indent}}}\n"
            case "while":
                before = "".join(statement.text(indent + "  ") for statement in self.other)
                condition = f"{indent}  scf.condition(%p)\n{indent}}} do {{\n"
                return (
                    f"{indent}scf.while () : () -> () {{\n{before}{condition}{inner}{indent}  scf.yield\n{indent}}}\n"
                )
            case _:
                other = "".join(statement.text(indent + "  ") for statement in self.other)
                end = f"{indent}}} else {{\n{other}{indent}}}\n" if self.other else f"{indent}}}\n"
                return f"{indent}scf.if %p {{\n{inner}{end}"


def memdesc(buffer: str) -> str:
    start, end = BUFFERS[buffer]
    return f"!ttg.memdesc<{(end - start) // 4}xf32>"


def module_of(program: list[Program]) -> ModuleOp:
    allocations = "".join(
        f"  %{name} = ttg.local_alloc {{offset = {start} : i32}} : {memdesc(name)}\n"
        for name, (start, _) in BUFFERS.items()
    )
    statements = "".join(statement.text() for statement in program)
    return parse_module(f"tt.func @f(%x: tensor<16xf32>, %n: i32, %p: i1) {{\n{allocations}{statements}  tt.return\n}}")


class Flow:
    """What may be executed after what: a graph of accesses, barriers and the heads of loops."""

    def __init__(self, function: Operation):
        self.after: dict[Operation, set[Operation]] = {function: set()}
        self._region(function.regions[0], {function})

    def _node(self, op: Operation, before: set[Operation]) -> set[Operation]:
        self.after.setdefault(op, set())
        for earlier in before:
            self.after[earlier].add(op)
        return {op}

    def _region(self, region: Region, before: set[Operation]) -> set[Operation]:
        for op in region.block.ops if region.blocks else ():
            match op:
                case scf.ForOp():
                    before = self._node(op, before)
                    self._node(op, self._region(op.body, before))
                case scf.WhileOp():
                    before = self._region(op.before_region, self._node(op, before))
                    self._node(op, self._region(op.after_region, before))
                case scf.IfOp():
                    before = self._region(op.true_region, before) | self._region(op.false_region, before)
                case ttg.LocalStoreOp() | ttg.LocalLoadOp() | ttg.BarrierOp():
                    before = self._node(op, before)
                case _:
                    pass
        return before

    def has_race(self, without: Operation | None = None) -> bool:
        """Whether a path without a barrier (and `without` is none) leads from an access to one that conflicts."""
        return any(
            is_access(op) and any(conflict(op, later) for later in self._reached(op, without)) for op in self.after
        )

    def _reached(self, op: Operation, without: Operation | None) -> set[Operation]:
        seen: set[Operation] = set()
        worklist = [op]
        while worklist:
            for later in self.after[worklist.pop()] - seen:
                seen.add(later)
                if later is without or not isinstance(later, ttg.BarrierOp):
                    worklist.append(later)
        return {later for later in seen if is_access(later)}


def is_access(op: Operation) -> bool:
    return isinstance(op, ttg.LocalStoreOp | ttg.LocalLoadOp)


def conflict(left: Operation, right: Operation) -> bool:
    assert isinstance(left, ttg.LocalStoreOp | ttg.LocalLoadOp) and isinstance(
        right, ttg.LocalStoreOp | ttg.LocalLoadOp
    )
    writes = [isinstance(op, ttg.LocalStoreOp) for op in (left, right)]
    if not any(writes) or (left is right):
        return False
    (left_start, left_end), (right_start, right_end) = (BUFFERS[op.buffer.name_hint or ""] for op in (left, right))
    return left_start < right_end and right_start < left_end


def check(program: list[Program]) -> None:
    """No race, and for every barrier that was added a race without it."""
    module = module_of(program)
    given_barriers = [op for op in module.walk() if isinstance(op, ttg.BarrierOp)]
    InsertBarriers().apply(Context(), module)
    module.verify()
    (function,) = module.body.block.ops
    flow = Flow(function)
    assert not flow.has_race()
    for barrier in module.walk():
        if isinstance(barrier, ttg.BarrierOp) and barrier not in given_barriers:
            assert flow.has_race(without=barrier), "a barrier that is not needed"


ACCESSES = st.builds(Program, st.sampled_from(["read", "write"]), st.sampled_from(sorted(BUFFERS)))
BARRIERS = st.just(Program("barrier"))


def extend(statements: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    bodies = st.lists(statements, min_size=1, max_size=3)
    return st.one_of(
        st.builds(Program, st.just("for"), st.just(""), bodies),
        st.builds(Program, st.just("if"), st.just(""), bodies, st.lists(statements, max_size=2)),
        st.builds(Program, st.just("while"), st.just(""), bodies, st.lists(statements, max_size=1)),
    )


STATEMENTS = st.recursive(ACCESSES | ACCESSES | BARRIERS, extend, max_leaves=5)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(STATEMENTS, min_size=1, max_size=4))
def test_no_race_and_no_barrier_too_many(program: list[Program]) -> None:
    check(program)


def test_two_nested_loops() -> None:
    inner = [Program("write", "a"), Program("read", "a")]
    check([Program("for", body=[Program("write", "b"), Program("for", body=inner), Program("read", "b")])])


def test_staged_matmul_has_two_barriers_an_iteration() -> None:
    """In the form with copies, and in the one with the loops that they become."""
    copies = """
tt.func @matmul(%ta: !ttg.global_tile<16x8xf32>, %tb: !ttg.global_tile<8x16xf32>, %zeros: tensor<16x16xf32>, %n: i32) {
  %sum = scf.for %k = %n to %n step %n iter_args(%acc = %zeros) -> (tensor<16x16xf32>) : i32 {
    %a = ttg.load_tile %ta : !ttg.global_tile<16x8xf32> -> tensor<16x8xf32>
    %b = ttg.load_tile %tb : !ttg.global_tile<8x16xf32> -> tensor<8x16xf32>
    %d = tt.dot %a, %b, %acc : tensor<16x8xf32> * tensor<8x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.return
}"""
    module = parse_module(copies)
    AllocateShared().apply(Context(), module)
    InsertBarriers().apply(Context(), module)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    names = [op.name for op in loop.body.block.ops]
    assert names == ["ttg.barrier", "ttg.copy_tile", "ttg.copy_tile", "ttg.barrier", "ttg.dot", "scf.yield"]


def test_no_barrier_in_a_copy_loop() -> None:
    text = """
tt.func @f(%p: !tt.ptr<f32>, %n: i32, %acc: tensor<16x16xf32>) {
  %zero = arith.constant 0.000000e+00 : f32
  %tile = ttg.global_tile %p[%n, %n] stride %n bounds[%n, %n] other %zero : !tt.ptr<f32>, i32, i32, i32, i32, i32, f32 \
-> !ttg.global_tile<16x16xf32>
  scf.for %i = %n to %n step %n : i32 {
    %x = ttg.load_tile %tile : !ttg.global_tile<16x16xf32> -> tensor<16x16xf32>
    %d = tt.dot %x, %x, %acc : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  }
  tt.return
}"""
    module = parse_module(text)
    for module_pass in (MatchDotOperands(), AllocateShared(), LowerCooperativeCopy(), InsertBarriers()):
        module_pass.apply(Context(), module)
        module.verify()
    barriers = [op for op in module.walk() if isinstance(op, ttg.BarrierOp)]
    outer, copy = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert [barrier.parent is outer.body.block for barrier in barriers] == [True, True]
    assert copy.parent is outer.body.block


def test_running_twice_adds_nothing() -> None:
    loop = Program("for", body=[Program("write", "a"), Program("read", "a"), Program("write", "c")])
    module = module_of([loop, Program("read", "b")])
    InsertBarriers().apply(Context(), module)
    once = print_module(module)
    InsertBarriers().apply(Context(), module)
    assert print_module(module) == once
