"""Which scalars depend on the thread."""

from __future__ import annotations

from mytriton.passes.divergence import divergent_values
from mytriton.ttir import parse_module


def divergent_names(body: str) -> set[str]:
    module = parse_module(f"tt.func @f(%p: !tt.ptr<i32>, %n: i32, %c: i1) {{\n{body}\n  tt.return\n}}")
    (function,) = module.body.block.ops
    return {value.name_hint for value in divergent_values(function) if value.name_hint is not None}


def test_what_is_computed_from_the_thread_index() -> None:
    names = divergent_names("""
  %tid = cuda.thread_id : i32
  %block = tt.get_program_id x : i32
  %sum = arith.addi %tid, %n : i32
  %other = arith.addi %block, %n : i32
  %loaded = cuda.load %p[%sum] : !tt.ptr<i32>, i32 -> i32
  %uniform = cuda.load %p[%other] : !tt.ptr<i32>, i32 -> i32""")
    assert names == {"tid", "sum", "loaded"}


def test_what_another_lane_holds() -> None:
    names = divergent_names("  %got = cuda.shuffle_xor %n, %n : i32\n  %given = cuda.shuffle %n, %n : i32")
    assert names == {"got", "given"}


def test_a_loop_from_the_thread_index() -> None:
    names = divergent_names("""
  %tid = cuda.thread_id : i32
  %last = scf.for %i = %tid to %n step %n iter_args(%carried = %n) -> (i32) : i32 {
    scf.yield %carried : i32
  }""")
    assert names == {"tid", "i", "carried", "last"}


def test_values_carried_around_a_loop() -> None:
    """Only the second one takes in the thread's index, and only through the yield."""
    names = divergent_names("""
  %tid = cuda.thread_id : i32
  %same, %own = scf.for %i = %n to %n step %n iter_args(%a = %n, %b = %n) -> (i32, i32) : i32 {
    %next = arith.addi %b, %tid : i32
    scf.yield %a, %next : i32, i32
  }""")
    assert names == {"tid", "own", "b", "next"}


def test_a_while_loop() -> None:
    names = divergent_names("""
  %tid = cuda.thread_id : i32
  %result, %fixed = scf.while (%a = %tid, %b = %n) : (i32, i32) -> (i32, i32) {
    scf.condition(%c) %a, %b : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    scf.yield %x, %y : i32, i32
  }
  %less = arith.cmpi slt, %tid, %n : i32
  %ends = scf.while (%d = %n) : (i32) -> (i32) {
    scf.condition(%less) %d : i32
  } do {
  ^bb0(%z: i32):
    scf.yield %z : i32
  }""")
    assert names == {"tid", "a", "x", "result", "less", "d", "z", "ends"}


def test_a_branch() -> None:
    """A result differs if the condition does, or what is yielded."""
    names = divergent_names("""
  %tid = cuda.thread_id : i32
  %less = arith.cmpi slt, %tid, %n : i32
  %chosen = scf.if %less -> (i32) {
    scf.yield %n : i32
  } else {
    scf.yield %n : i32
  }
  %same, %own = scf.if %c -> (i32, i32) {
    scf.yield %n, %tid : i32, i32
  } else {
    scf.yield %n, %n : i32, i32
  }""")
    assert names == {"tid", "less", "chosen", "own"}
