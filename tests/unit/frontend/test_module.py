"""The module that the frontend makes: its signature, names, locations and source, and how fast it is made."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, IntegerAttr, StringAttr
from xdsl.ir import Operation

import mytriton.language as tl
from mytriton.dialects import tt
from mytriton.errors import ArgumentError, CompilationError
from mytriton.frontend import build_module
from mytriton.options import Options
from mytriton.runtime.jit import jit
from tests.unit.frontend.harness import text_of


@jit
def double(x):
    return x * 2


@jit
def small(x_ptr, flag_ptr, n, scale, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    result = double(x) * scale
    tl.store(x_ptr + offsets, result, mask=offsets < n)
    tl.store(flag_ptr, n > 0)


SIGNATURE = {"x_ptr": "*fp32", "flag_ptr": "*i1", "n": "i32", "scale": "fp32"}


def function_of(module: Any) -> tt.FuncOp:
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    return function


def test_text():
    assert (
        text_of(small, SIGNATURE, BLOCK=12)
        == """\
builtin.module {
  tt.func public @small(%x_ptr: !tt.ptr<f32>, %flag_ptr: !tt.ptr<i1>, %n: i32, %scale: f32) {
    %c12_i32 = arith.constant 12 : i32
    %cst = arith.constant dense<2.000000e+00> : tensor<12xf32>
    %c0_i32 = arith.constant 0 : i32
    %pid = tt.get_program_id x : i32
    %0 = arith.muli %pid, %c12_i32 : i32
    %1 = tt.make_range {end = 12 : i32, start = 0 : i32} : tensor<12xi32>
    %2 = tt.splat %0 : i32 -> tensor<12xi32>
    %offsets = arith.addi %2, %1 : tensor<12xi32>
    %3 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<12x!tt.ptr<f32>>
    %4 = tt.addptr %3, %offsets : tensor<12x!tt.ptr<f32>>, tensor<12xi32>
    %5 = tt.splat %n : i32 -> tensor<12xi32>
    %6 = arith.cmpi slt, %offsets, %5 : tensor<12xi32>
    %x = tt.load %4, %6 : tensor<12x!tt.ptr<f32>>
    %7 = arith.mulf %x, %cst : tensor<12xf32>
    %8 = tt.splat %scale : f32 -> tensor<12xf32>
    %result = arith.mulf %7, %8 : tensor<12xf32>
    %9 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<12x!tt.ptr<f32>>
    %10 = tt.addptr %9, %offsets : tensor<12x!tt.ptr<f32>>, tensor<12xi32>
    %11 = tt.splat %n : i32 -> tensor<12xi32>
    %12 = arith.cmpi slt, %offsets, %11 : tensor<12xi32>
    tt.store %10, %result, %12 : tensor<12x!tt.ptr<f32>>
    %13 = arith.cmpi sgt, %n, %c0_i32 : i32
    %14 = tt.bitcast %flag_ptr : !tt.ptr<i1> -> !tt.ptr<i8>
    %15 = arith.extui %13 : i1 to i8
    tt.store %14, %15 : !tt.ptr<i8>
    tt.return
  }
}"""
    )


def test_what_is_known_of_arguments_is_written_on_them():
    module = build_module(small, SIGNATURE, {"BLOCK": 4}, {"x_ptr": {"divisibility": 16}})
    text = str(module)
    assert "%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %flag_ptr: !tt.ptr<i1>, " in text


def test_source_is_kept():
    function = function_of(build_module(small, SIGNATURE, {"BLOCK": 4}))
    source, line, file = (function.attributes[f"tt.{name}"] for name in ("source", "source_line", "source_file"))
    assert isinstance(source, StringAttr) and isinstance(line, IntegerAttr) and isinstance(file, StringAttr)
    assert source.data.startswith("def small(x_ptr")
    with open(__file__, encoding="utf-8") as lines:
        assert lines.read().splitlines()[line.value.data - 1].startswith("def small(x_ptr")
    assert file.data == inspect.getsourcefile(small.fn)


def locations(module: Any) -> dict[str, tuple[int, int]]:
    """The line and column of the last operation of each name."""
    found: dict[str, tuple[int, int]] = {}

    def visit(op: Operation) -> None:
        location = op.location
        if isinstance(location, FileLineColLoc):
            found[op.name] = (location.line.data, location.column.data)

    for op in module.walk():
        visit(op)
    return found


def test_operations_know_their_line_and_column():
    first = small.source_line
    found = locations(build_module(small, SIGNATURE, {"BLOCK": 4}))
    assert found["tt.get_program_id"] == (first + 1, 11)
    assert found["tt.load"] == (first + 3, 9)
    assert found["tt.store"] == (first + 6, 5)
    assert found["tt.func"] == (first, 1)
    # The line of a function that is called is its own, and the call is known.
    module = build_module(small, SIGNATURE, {"BLOCK": 4})
    called, own = (op.location for op in module.walk() if op.name == "arith.mulf")
    assert isinstance(own, FileLineColLoc) and own.line.data == first + 4
    assert isinstance(called, CallSiteLoc)
    lines = [place.line.data for place in (called.callee, called.caller) if isinstance(place, FileLineColLoc)]
    assert lines == [double.source_line + 1, first + 4]


def test_every_operation_has_a_location():
    module = build_module(small, SIGNATURE, {"BLOCK": 4})
    for op in function_of(module).walk():
        assert isinstance(op.location, FileLineColLoc | CallSiteLoc), op


def test_the_same_kernel_gives_the_same_text():
    texts = {str(build_module(small, SIGNATURE, {"BLOCK": 4})) for _ in range(3)}
    assert len(texts) == 1


def test_arguments_of_every_type():
    @jit
    def kernel(a, b, c, d, e, f, g, h, i, j, k, m):
        tl.static_assert(d.dtype == tl.uint32)

    types = ["*fp16", "*bf16", "i1", "u32", "i8", "u8", "i64", "u64", "fp16", "bf16", "fp64", "*u64"]
    text = text_of(kernel, dict(zip(kernel.arg_names, types, strict=True)))
    assert (
        "(%a: !tt.ptr<f16>, %b: !tt.ptr<bf16>, %c: i1, %d: i32, %e: i8, %f: i8, %g: i64, %h: i64, %i: f16, %j: bf16, "
        "%k: f64, %m: !tt.ptr<i64>)" in text
    )


def test_argument_equal_to_one_is_a_constant_and_keeps_its_methods():
    @jit
    def kernel(out, x, stride, scale):
        i = tl.arange(0, 4)
        tl.store(out + i * stride, tl.load(x + stride * i) * scale.to(tl.int64))

    text = text_of(kernel, {"out": "*i64", "x": "*i64"}, stride=1, scale=42)
    assert "arith.muli" in text
    assert text.count("arith.muli") == 1


def test_wrong_signatures():
    with pytest.raises(ArgumentError, match="parameter 'n' of kernel small has neither a type nor a value"):
        build_module(small, {name: SIGNATURE[name] for name in ("x_ptr", "flag_ptr", "scale")}, {"BLOCK": 4})
    with pytest.raises(
        ArgumentError, match="parameter 'n' of kernel small: error: 'i33' is not the type of an argument"
    ):
        build_module(small, SIGNATURE | {"n": "i33"}, {"BLOCK": 4})
    with pytest.raises(ArgumentError, match="kernel small has no parameter 'other'"):
        build_module(small, SIGNATURE | {"other": "i32"}, {"BLOCK": 4})
    with pytest.raises(ArgumentError, match="parameter 'BLOCK' of kernel small is a constexpr and needs a value"):
        build_module(small, SIGNATURE | {"BLOCK": "i32"}, {})


def test_default_precision_of_dot_is_an_option():
    @jit
    def kernel(p):
        x = tl.zeros((4, 4), tl.float32)
        tl.store(p + tl.arange(0, 4), tl.sum(tl.dot(x, x), 0))

    text = str(build_module(kernel, {"p": "*fp32"}, {}, {}, Options(input_precision="tf32")))
    assert "inputPrecision = tf32" in text
    assert "inputPrecision" not in text_of(kernel, {"p": "*fp32"})


def test_kernels_may_be_compiled_in_several_threads():
    texts: list[str] = []

    def compile() -> None:
        for size in (4, 5, 6):
            texts.append(str(build_module(small, SIGNATURE, {"BLOCK": size})))

    threads = [threading.Thread(target=compile) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 9
    assert len(set(texts)) == 3


def test_names_that_are_no_names_in_the_ir():
    @jit
    def kernel(out, größe, _x1, x_1):
        ß = größe + _x1
        x_2 = ß * x_1
        tl.store(out, x_2)

    text_of(kernel, {"out": "*i32", "größe": "i32", "_x1": "i32", "x_1": "i32"})


def test_importing_the_language_imports_no_compiler():
    script = "import sys, mytriton.language; sys.exit(any(name.partition('.')[0] == 'xdsl' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_failed_compilation_leaves_nothing_behind():
    @jit
    def wrong(out, n):
        tl.store(out, n + missing)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]

    for _ in range(2):
        with pytest.raises(CompilationError, match="'missing' is not defined"):
            build_module(wrong, {"out": "*i32", "n": "i32"}, {})
    assert text_of(small, SIGNATURE, BLOCK=4)


@jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k_base in range(0, K, BK):
        k = k_base + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = acc + tl.dot(a, b)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def test_work_does_not_grow_with_the_tile():
    signature = {"a_ptr": "*fp32", "b_ptr": "*fp32", "c_ptr": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    counts = [
        sum(1 for _ in build_module(matmul, signature, {"BM": size, "BN": size, "BK": 16}).walk()) for size in (64, 128)
    ]
    assert counts[0] == counts[1]
    start = time.perf_counter()
    build_module(matmul, signature, {"BM": 64, "BN": 64, "BK": 16})
    print(f"matmul to tt: {(time.perf_counter() - start) * 1e3:.1f} ms")
