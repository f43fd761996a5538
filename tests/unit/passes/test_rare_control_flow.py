"""Control flow that only text has: unsigned loops, switches and regions without results, weights, deep nesting."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import mytriton as triton
from mytriton.errors import CompilationError
from mytriton.ttir import parse_module, print_module


def results_of(text: str, *arguments: int, size: int = 8, dtype: str = "int32") -> list[list[int]]:
    """What the kernel leaves in an array of `size`: on the CPU device, on it as printed, and on the interpreter."""
    printed = print_module(parse_module(text))
    assert print_module(parse_module(printed)) == printed
    found: list[list[int]] = []
    for source in (text, printed):
        out = np.zeros(size, dtype)
        triton.compile_ttir(source)[(1,)](out, *arguments)
        found.append(out.tolist())
    out = np.zeros(size, dtype)
    with triton.interpret():
        triton.compile_ttir(text)[(1,)](out, *arguments)
    return [*found, out.tolist()]


def kernel(lines: str) -> str:
    return f"tt.func public @kernel(%out: !tt.ptr<i32>, %n: i32) {{\n{lines}\ntt.return\n}}"


UNSIGNED_LOOP = """tt.func public @kernel(%out: !tt.ptr<T>, %a: T, %b: T, %s: T) {
  %one = arith.constant 1 : T
  %zero = arith.constant 0 : T
  %count = scf.for unsigned %i = %a to %b step %s iter_args(%at = %zero) -> (T) : T {
    %p = tt.addptr %out, %at : !tt.ptr<T>, T
    tt.store %p, %i : !tt.ptr<T>
    %next = arith.addi %at, %one : T
    scf.yield %next : T
  }
  tt.return
}"""


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("case", ["small", "across the middle", "above", "none", "wide steps"])
def test_unsigned_loops(case: str, bits: int) -> None:
    half = 1 << (bits - 1)
    start, end, step = {
        "small": (1, 6, 2),
        "across the middle": (half - 2, half + 3, 2),
        "above": (2 * half - 9, 2 * half - 1, 3),
        "none": (2 * half - 1, 0, 1),
        "wide steps": (3, half + half // 2, half // 2),
    }[case]
    wanted = np.zeros(8, f"uint{bits}")
    numbers = list(range(start, end, step))
    wanted[: len(numbers)] = numbers
    text = UNSIGNED_LOOP.replace("T", f"i{bits}")
    dtype = f"int{bits}"
    signed = [number - 2 * half if number >= half else number for number in (start, end, step)]
    for found in results_of(text, *signed, dtype=dtype):
        assert found == wanted.astype(dtype).tolist()


def test_unsigned_loops_of_indices_are_refused() -> None:
    text = kernel("%i = arith.index_cast %n : i32 to index\nscf.for unsigned %j = %i to %i step %i {\n}")
    with pytest.raises(triton.PassError, match=r"scf\.for unsigned of type index is not supported: use i32 or i64"):
        triton.compile_ttir(text)


def test_switches_without_results() -> None:
    text = kernel("""%x = arith.index_cast %n : i32 to index
%c7 = arith.constant 7 : i32
scf.index_switch %x
case 2 {
  tt.store %out, %c7 : !tt.ptr<i32>
  scf.yield
}
case 5 {
  scf.yield
}
default {
  tt.store %out, %n : !tt.ptr<i32>
  scf.yield
}""")
    for n, wanted in {2: 7, 5: 0, 3: 3, -4: -4}.items():
        assert results_of(text, n, size=1) == [[wanted]] * 3


@pytest.mark.parametrize("word", ["", "no_inline "])
def test_regions_without_results(word: str) -> None:
    text = kernel(f"scf.execute_region {word}{{\ntt.store %out, %n : !tt.ptr<i32>\nscf.yield\n}}")
    assert results_of(text, 11, size=1) == [[11]] * 3
    text = kernel(
        f"%r, %s = scf.execute_region -> (i32, i32) {word}{{\nscf.yield %n, %n : i32, i32\n}}\n"
        "%t = arith.addi %r, %s : i32\ntt.store %out, %t : !tt.ptr<i32>"
    )
    assert results_of(text, 11, size=1) == [[22]] * 3


def test_weights_of_branches() -> None:
    text = kernel("""%c3 = arith.constant 3 : i32
%c = arith.cmpi slt, %n, %c3 : i32
cf.cond_br %c weights([7, 1]), ^small, ^end(%n, %c3 : i32, i32)
^small:
cf.br ^end(%c3, %n : i32, i32)
^end(%x: i32, %y: i32):
%d = arith.subi %x, %y : i32
tt.store %out, %d : !tt.ptr<i32>""")
    for n, wanted in {1: 2, 8: 5}.items():
        assert results_of(text, n, size=1) == [[wanted]] * 3


@pytest.mark.parametrize("flags", ["", " fastmath<contract>"])
def test_rounding_to_nearest_even(flags: str) -> None:
    text = kernel(f"""%f = arith.sitofp %n : i32 to f32
%h = arith.truncf %f to_nearest_even{flags} : f32 to f16
%e = arith.extf %h : f16 to f32
%i = arith.fptosi %e : f32 to i32
tt.store %out, %i : !tt.ptr<i32>""")
    # Of f16 every second integer from 2048 on.
    for n, wanted in {2049: 2048, 2051: 2052, 2050: 2050}.items():
        assert results_of(text, n, size=1) == [[wanted]] * 3


def nested(depth: int) -> str:
    inner = "tt.store %out, %n : !tt.ptr<i32>\n"
    return kernel("%c = arith.cmpi sgt, %n, %n : i32\n" + "scf.if %c {\n" * depth + inner + "}\n" * depth)


def test_deep_nesting() -> None:
    usual = sys.getrecursionlimit()
    compiled = triton.compile_ttir(nested(400))
    assert compiled.asm["cuda"].count("if (") >= 1
    assert sys.getrecursionlimit() == usual
    with pytest.raises(CompilationError, match="the text nests too deeply") as caught:
        triton.compile_ttir(nested(5000), filename="deep.ttir")
    place = caught.value.location
    assert place is not None and place.file == "deep.ttir" and 400 < place.line < 5003
    assert sys.getrecursionlimit() == usual
