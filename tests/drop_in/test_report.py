"""`--report`: the table at the end."""

from __future__ import annotations

from pathlib import Path

from mytriton.drop_in.report import refusal, table
from mytriton.errors import ArgumentError, CompilationError, PassError, SourceLocation
from tests.drop_in.running import run_mytriton

SCRIPT = """\
import numpy as np
import triton
import triton.language as tl


@triton.jit
def good(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i, mask=i < n)


@triton.autotune([triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 16, "too small")
    tl.store(x + tl.arange(0, BLOCK), 1, mask=tl.arange(0, BLOCK) < n)


@triton.jit
def bad(x):
    tl.store(x, tl.no_such_function(x))


x = np.zeros(40, np.int32)
for n in (3, 5, 7):
    good[(1,)](x, n, BLOCK=8)
good[(1,)](x, 3, BLOCK=32)
compiled = good.warmup(x, 3, BLOCK=4, grid=(1,))
compiled[(1,)](x, 3, 4)
good[(0,)](x, 3, BLOCK=8)
tuned[(1,)](x, 9)
for _ in range(2):
    try:
        bad[(1,)](x)
    except triton.CompilationError:
        pass
try:
    good[(1,)](x, BLOCK=8)
except TypeError:
    pass
1 / 0
"""


def rows(text: str) -> dict[str, list[str]]:
    """The cells of each kernel's row, by its name."""
    lines = text[text.index("kernel  at") :].splitlines()[2:]
    return {line.split()[0]: line.split(maxsplit=6) for line in lines if line[0] != " "}


def test_counts_and_reasons(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    for variables in ({}, {"TRITON_INTERPRET": "1"}):
        result = run_mytriton("--device", "cpu", "--report", "script.py", cwd=tmp_path, **variables)
        assert result.returncode == 1 and "ZeroDivisionError" in result.stderr
        found = rows(result.stderr)
        # Three block sizes; three launches, one, and that of the compiled kernel itself, which has no interpreter.
        assert found["good"][1:3] == ["script.py:7", "3"] and found["good"][4] == "5"
        assert found["good"][6].startswith("1 x kernel good is missing the argument 'n'")
        assert found["tuned"][2] == "1" and found["tuned"][4] == "1"
        assert found["tuned"][6] == "1 x script.py:15: assertion failed: too small"
        assert found["bad"][2] == "0" and found["bad"][4] == "0"
        assert found["bad"][6].startswith("2 x script.py:21: ") and "no_such_function" in found["bad"][6]
        assert float(found["good"][3]) > 0 and float(found["good"][5]) > 0


TTIR_SCRIPT = """\
import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from mytriton import MytritonError, compile_ttir

TEXT = '''
module {
  tt.func public @number(%p: !tt.ptr<i32>, %n: i32) {
    tt.store %p, %n : !tt.ptr<i32>
    tt.return
  }
}
'''
open("kernel.ttir", "w").write(TEXT)
x = np.zeros(4, np.int32)
compile_ttir(TEXT)[(1,)](x, 7)
kernel = triton.compile("kernel.ttir", target=GPUTarget("cuda", 80, 32))
for n in (8, 9):
    kernel[(1,)](x, n)
assert x.tolist() == [9, 0, 0, 0]
for text, arguments in ((TEXT, (x,)), (TEXT.replace("i32", "f31"), (x, 1))):
    try:
        compile_ttir(text)[(1,)](*arguments)
    except MytritonError:
        pass
"""


def test_kernels_of_ttir(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(TTIR_SCRIPT)
    for variables in ({}, {"TRITON_INTERPRET": "1"}):
        result = run_mytriton("--report", "script.py", cwd=tmp_path, **variables)
        assert result.returncode == 0, result.stderr
        lines = [line.split(maxsplit=6) for line in result.stderr.splitlines() if "ttir" in line]
        given, read, wrong = lines
        assert (given[0], given[1], given[2], given[4]) == ("number", "<ttir>", "2", "1")
        assert given[6].startswith("1 x ") and "takes 2 arguments" in given[6]
        assert (read[0], read[1], read[2], read[4], len(read)) == ("number", "kernel.ttir", "1", "2", 6)
        assert wrong[0] == wrong[1] == "<ttir>" and wrong[2] == wrong[4] == "0" and "1 x <ttir>:3:" in wrong[6]


def test_a_program_without_kernels(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import triton; print('out')")
    result = run_mytriton("--report", "script.py", cwd=tmp_path)
    assert (result.stdout, result.stderr) == ("out\n", "mytriton: no kernel was used\n")


def test_the_table_is_aligned() -> None:
    assert table(("name", "n", "text"), [("a", "1", "x"), ("long one", "20.5", "")]) == [
        "name         n  text",
        "--------  ----  ----",
        "a            1  x",
        "long one  20.5",
    ]


def test_a_refusal_is_one_line() -> None:
    location = SourceLocation("/elsewhere/kernel.py", 3, 5, 6, "    x = y")
    assert refusal(CompilationError("no y\nmore", location)) == "/elsewhere/kernel.py:3: no y"
    assert refusal(CompilationError("no y")) == "no y"
    assert refusal(PassError("too wide", location, "a-pass")) == "/elsewhere/kernel.py:3: too wide"
    assert refusal(ArgumentError("first\nsecond")) == "first"
