# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUndefinedVariable=false
"""What makes a kernel be compiled anew: its text, the globals it uses, the functions it calls."""

from __future__ import annotations

import ast
import importlib.util
import itertools
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mytriton.language.constexpr import constexpr
from mytriton.runtime.dependencies import names_used
from mytriton.runtime.jit import jit

SIZE = constexpr(4)
UNUSED = constexpr(1)
settings = ModuleType("settings")
settings.FACTOR = constexpr(2)  # pyright: ignore[reportAttributeAccessIssue]


class Modes:
    FAST = constexpr(1)


@jit
def innermost(x):
    return x + SIZE


@jit
def helper(x):
    return innermost(x) * 2


@jit
def kernel(x_ptr, n):
    helper(x_ptr + settings.FACTOR + Modes.FAST + math.pi)
    size_of_this = n
    return size_of_this


@pytest.fixture(autouse=True)
def unchanged_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets each test start from the values above."""
    monkeypatch.setattr(kernel, "_dependencies", None)


def test_the_fingerprint_stays_while_nothing_changes():
    assert kernel.fingerprint() == kernel.fingerprint()
    assert kernel.has_lasting_fingerprint()


def test_a_global_of_a_function_that_is_called_through_another(monkeypatch: pytest.MonkeyPatch):
    before = kernel.fingerprint()
    monkeypatch.setitem(globals(), "SIZE", constexpr(8))
    assert kernel.fingerprint() != before
    monkeypatch.setitem(globals(), "SIZE", constexpr(4))
    assert kernel.fingerprint() == before
    monkeypatch.setitem(globals(), "SIZE", constexpr(4.0))
    assert kernel.fingerprint() != before
    monkeypatch.delitem(globals(), "SIZE")
    assert kernel.fingerprint() != before


def test_an_attribute_of_a_module_and_of_a_class(monkeypatch: pytest.MonkeyPatch):
    before = kernel.fingerprint()
    monkeypatch.setattr(settings, "FACTOR", constexpr(3))
    other = kernel.fingerprint()
    assert other != before
    monkeypatch.setattr(Modes, "FAST", constexpr(0))
    assert kernel.fingerprint() not in (before, other)


def test_a_global_that_is_not_used(monkeypatch: pytest.MonkeyPatch):
    before = kernel.fingerprint()
    monkeypatch.setitem(globals(), "UNUSED", constexpr(2))
    assert kernel.fingerprint() == before


def test_another_function_in_the_place_of_one_that_is_called(monkeypatch: pytest.MonkeyPatch):
    before = kernel.fingerprint()

    @jit
    def helper(x):
        return innermost(x) * 3

    monkeypatch.setitem(globals(), "helper", helper)
    assert kernel.fingerprint() != before


def test_a_variable_of_an_enclosing_function():
    def make(width: Any) -> Any:
        @jit
        def inner(x):
            return x + width

        return inner

    assert make(constexpr(4)).fingerprint() == make(constexpr(4)).fingerprint()
    assert make(constexpr(4)).fingerprint() != make(constexpr(5)).fingerprint()


def test_the_default_of_a_parameter():
    def make(value: Any) -> Any:
        @jit
        def inner(x, scale=value):
            return x * scale

        return inner

    assert make(1).fingerprint() != make(2).fingerprint()
    assert make(1).fingerprint() != make(1.0).fingerprint()


def test_functions_that_call_each_other():
    assert even.fingerprint() != odd.fingerprint()


@jit
def even(n):
    return odd(n - 1)


@jit
def odd(n):
    return even(n - 1)


def test_an_object_that_only_this_process_knows():
    thing = object()

    @jit
    def inner(x):
        return x + thing

    assert not inner.has_lasting_fingerprint()


PROGRAM = """\
from mytriton.language.constexpr import constexpr
from mytriton.runtime.jit import jit

WIDTH = constexpr(4)

@jit
def helper(x):
    return x + WIDTH

@jit
def kernel(x):
    return helper(x) * 2

if __name__ == "__main__":
    print(kernel.fingerprint())
"""


def run(path: Path) -> str:
    result = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True, env=environment())
    return result.stdout


def environment() -> dict[str, str]:
    root = Path(__file__).parents[3]
    return {"PYTHONPATH": str(root), "PYTHONHASHSEED": "random"}


def test_every_process_computes_the_same_fingerprint(tmp_path: Path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    first = run(path)
    assert run(path) == first
    path.write_text(PROGRAM.replace("WIDTH = constexpr(4)", "WIDTH = constexpr(5)"))
    second = run(path)
    path.write_text(PROGRAM.replace("x + WIDTH", "x - WIDTH"))
    third = run(path)
    assert len({first, second, third}) == 3


_numbers = itertools.count()


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"program_{next(_numbers)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_line_where_a_function_stands_counts_since_errors_and_comments_show_it(tmp_path: Path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    before = load(path).kernel.fingerprint()
    path.write_text("\n" + PROGRAM)
    assert load(path).kernel.fingerprint() != before


def test_names_used():
    tree = ast.parse("a.b.c(d)[e.f].g + (lambda h: i)(j).k")
    assert names_used(tree) == {("a", "b", "c"), ("d",), ("e", "f"), ("i",), ("j",)}
