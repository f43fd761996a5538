"""Every pass on input of every level: it does its work, has nothing to do, or says what it needs."""

from __future__ import annotations

import re

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mytriton.errors import CompilationError, InternalError, PassError
from mytriton.pass_manager import run_passes
from mytriton.passes.pipeline import PASS_NAMES, get_all_passes
from mytriton.ttir import make_context, parse_module

EVERYTHING = """\
tt.func @everything(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %base, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %i, %bound : tensor<128xi32>
  %v = tt.load %p, %mask : tensor<128x!tt.ptr<f32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32>) -> f32
  %scan = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  %ints = arith.fptosi %scan : tensor<128xf32> to tensor<128xi32>
  %sorted_ints = tt.sort %ints {axis = 0 : i32} : tensor<128xi32>
  %pairs = tt.reshape %sorted_ints : tensor<128xi32> -> tensor<64x2xi32>
  %ordered_pairs = tt.compare_exchange %pairs {axis = 1 : i32} : tensor<64x2xi32>
  %ordered = tt.reshape %ordered_pairs : tensor<64x2xi32> -> tensor<128xi32>
  %sorted = arith.sitofp %ordered : tensor<128xi32> to tensor<128xf32>
  %g = tt.gather %sorted[%i] {axis = 0 : i32} : (tensor<128xf32>, tensor<128xi32>) -> tensor<128xf32>
  %m = tt.reshape %g : tensor<128xf32> -> tensor<8x16xf32>
  %t = tt.trans %m {order = array<i32: 1, 0>} : tensor<8x16xf32> -> tensor<16x8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<8x8xf32>) : i32 {
    %e = tt.dot %m, %t, %acc : tensor<8x16xf32> * tensor<16x8xf32> -> tensor<8x8xf32>
    scf.yield %e : tensor<8x8xf32>
  }
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.reshape %d : tensor<8x8xf32> -> tensor<64xf32>
  %q_base = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_base, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sums = tt.splat %sum : f32 -> tensor<64xf32>
  %z = arith.addf %r, %sums : tensor<64xf32>
  tt.store %q, %z : tensor<64x!tt.ptr<f32>>
  %ones = arith.constant dense<1> : tensor<128xi32>
  %y_base = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %y_base, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %all = arith.constant dense<true> : tensor<128xi1>
  %old = tt.atomic_rmw add, acq_rel, gpu, %yp, %ones, %all : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  tt.store %yp, %old : tensor<128x!tt.ptr<i32>>
  tt.return
}
"""  # noqa: E501

TENSOR_ARGUMENT = """\
tt.func @reduce(%x: tensor<4x16xf32>, %p: !tt.ptr<f32>) {
  %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x16xf32>) -> tensor<4xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  tt.store %q, %sum : tensor<4x!tt.ptr<f32>>
  tt.return
}
"""

BUFFERS = """\
tt.func @dot(%a: !ttg.memdesc<4x16xf32>, %b: !ttg.memdesc<16x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %d = ttg.dot %a, %b, %c : !ttg.memdesc<4x16xf32> * !ttg.memdesc<16x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %e = ttg.convert_layout %d : tensor<4x8xf32> -> tensor<4x8xf32>
  ttg.barrier
  tt.return %e : tensor<4x8xf32>
}
"""

LEVELS = {
    "tt": (EVERYTHING, ()),
    "ttg": (EVERYTHING, ("assign-layouts",)),
    "cuda": (EVERYTHING, ("tt-to-cuda",)),
    "tensor argument": (TENSOR_ARGUMENT, ()),
    "buffers without layouts": (BUFFERS, ()),
}
NEED_LAYOUTS = ("decompose-reductions", "decompose-scans", "decompose-sorts", "decompose-gathers", "allocate-shared")


def module_after(text: str, passes: tuple[str, ...]) -> ModuleOp:
    module = parse_module(text, "in.mlir")
    run(module, passes)
    return module


def run(module: ModuleOp, passes: tuple[str, ...]) -> None:
    run_passes(make_context(), module, [get_all_passes()[name]()() for name in passes])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", PASS_NAMES)
def test_no_pass_fails_on_input_of_any_level(name: str, level: str):
    module = module_after(*LEVELS[level])
    try:
        run(module, (name,))
    except InternalError:
        raise
    except (CompilationError, PassError):
        pass


@pytest.mark.parametrize("name", NEED_LAYOUTS)
def test_a_pass_that_needs_layouts_says_so(name: str):
    module = module_after(EVERYTHING, ())
    with pytest.raises(CompilationError, match=r"^in\.mlir:\d+:\d+: error: tt\.\w+: tensor<.*> has no layout; run "):
        run(module, (name,))


def test_a_dot_without_a_layout_is_refused():
    module = module_after(BUFFERS, ())
    with pytest.raises(CompilationError, match=r"^in\.mlir:2:3: error: ttg\.dot: tensor<4x8xf32> has no layout"):
        run(module, ("lower-dot-fma",))


TILE = """\
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @tile(%x: !tt.ptr<f32>, %n: i32) {
    %buffer = ttg.local_alloc : !ttg.memdesc<4x16xf32>
    %zero = arith.constant 0 : i32
    %other = arith.constant 0.0 : f32
    %tile = ttg.global_tile %x[%zero, %zero] stride %n bounds [%n, %n] other %other : !tt.ptr<f32>, i32, i32, i32, i32, i32, f32 -> !ttg.global_tile<4x16xf32>
    ttg.copy_tile %tile, %buffer : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
    tt.return
  }
}
"""  # noqa: E501


def test_a_leftover_names_the_pass_that_removes_it():
    from mytriton.passes.convert_to_cuda import ConvertToCuda

    module = parse_module(TILE, "in.mlir")
    with pytest.raises(CompilationError, match=re.escape("the pass lower-cooperative-copy should have removed it")):
        ConvertToCuda().apply(Context(), module)


def test_a_reduction_of_two_registers_is_no_loop():
    layout = "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>"
    text = f"""\
module attributes {{"ttg.num-warps" = 1 : i32}} {{
  tt.func @sum(%p: !tt.ptr<f32>, %x: f32) {{
    %v = tt.splat %x : f32 -> tensor<64xf32, {layout}>
    %sum = "tt.reduce"(%v) <{{axis = 0 : i32}}> ({{
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }}) : (tensor<64xf32, {layout}>) -> f32
    tt.store %p, %sum : !tt.ptr<f32>
    tt.return
  }}
}}
"""
    module = module_after(text, ("convert-to-cuda",))
    assert not any(op.name == "scf.for" for op in module.walk())
