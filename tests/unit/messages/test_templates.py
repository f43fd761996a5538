"""Every template of `mytriton.messages`: what raises it, where it points, its words, and the calls that led there."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton import messages
from mytriton.errors import CompilationError
from tests.unit.frontend.kernel_text import load
from tests.unit.messages import functions, shapes, statements, values
from tests.unit.messages.case import Case

CASES: dict[str, Case] = values.CASES | shapes.CASES | functions.CASES | statements.CASES
"""A kernel for each template that a kernel's text is enough for."""

TEMPLATES = [
    name
    for name, found in inspect.getmembers(messages, inspect.isfunction)
    if found.__module__ == messages.__name__ and not name.startswith("_") and name != "described"
]

covered: set[str] = set()
"""The templates that have a test of their own below."""


def covers(template: str) -> Callable[[Any], Any]:
    """Says that a test raises the template."""
    assert template in TEMPLATES and template not in CASES
    covered.add(template)
    return lambda test: test


def launch(kernel: Any, *arguments: Any) -> str:
    """What the error says when the kernel is launched as its author would."""
    with pytest.raises(CompilationError) as caught:
        kernel[(1,)](*arguments)
    return str(caught.value)


ARGUMENTS = np.zeros(4096, np.float32), np.zeros(4096, np.int32), 5, 2**40, 2.5, 16


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the templates that are filled in, in order."""
    names: list[str] = []

    def recorder(name: str, template: Callable[..., Any]) -> Callable[..., Any]:
        def filled(*args: Any, **kwargs: Any) -> Any:
            names.append(name)
            return template(*args, **kwargs)

        return filled

    for name in TEMPLATES:
        monkeypatch.setattr(messages, name, recorder(name, getattr(messages, name)))
    return names


PLACES = [
    *((name, False) for name, case in CASES.items() if case.in_kernel),
    *((name, True) for name, case in CASES.items() if case.in_function),
]


@pytest.mark.parametrize(("template", "is_called"), PLACES)
def test_error(template: str, is_called: bool, tmp_path: Path, raised: list[str]) -> None:
    """The error in a kernel, and in a function that a kernel calls, where it can occur."""
    module, expected = CASES[template].module(tmp_path, is_called)
    assert launch(module.kernel, *ARGUMENTS) == expected
    assert template in raised


def test_every_template_has_a_test() -> None:
    assert set(TEMPLATES) == CASES.keys() | covered


# What takes more than the text of a kernel


@covers("outside_of_kernel")
def test_the_language_outside_of_a_kernel() -> None:
    with pytest.raises(CompilationError, match="work inside a kernel only") as caught:
        tl.program_id(0)
    assert caught.value.hint == "call it from a function decorated with @triton.jit, and launch that"


@covers("range_outside_of_for")
def test_a_range_of_the_language_outside_of_a_kernel() -> None:
    with pytest.raises(CompilationError, match=r"tl\.range stands for the bounds of a `for` loop"):
        list(tl.range(3))


@covers("unknown_signature_type")
def test_the_name_of_no_type() -> None:
    with pytest.raises(CompilationError, match=r"'fp33' is not the type of an argument") as caught:
        tl.str_to_ty("*fp33", None)
    assert caught.value.hint is not None and "fp32, " in caught.value.hint


@covers("returns_differ")
def test_paths_that_return_different_types(tmp_path: Path) -> None:
    text = (
        "import mytriton as triton\n"
        "import mytriton.language as tl\n"
        "@triton.jit\n"
        "def half(x):\n"
        "    if x > 3:\n"
        "        return x\n"
        "    return 0.5\n"
        "@triton.jit\n"
        "def kernel(out, n):\n"
        "    tl.store(out, half(n))\n"
    )
    module = load(text, tmp_path)
    assert launch(module.kernel, np.zeros(1, np.float32), 5).splitlines() == [
        f"{module.__file__}:5:5: error: the function returns a value of type int32 on one side of this `if` and 0.5 on "
        "the other",
        "    if x > 3:",
        "    ^~~~~~~~~",
        "hint: return values of one type on every path",
        f"{module.__file__}:10:19: note: in half called from here",
        "    tl.store(out, half(n))",
        "                  ^~~~~~~",
    ]


@covers("calls_too_deep")
def test_too_many_calls_inside_of_each_other(tmp_path: Path) -> None:
    functions = ["import mytriton as triton\n@triton.jit\ndef f0(x):\n    return x\n"]
    functions += [f"@triton.jit\ndef f{i}(x):\n    return f{i - 1}(x)\n" for i in range(1, 64)]
    module = load("".join(functions) + "@triton.jit\ndef kernel(x):\n    f63(x)\n", tmp_path)
    place, line, caret, *calls = launch(module.kernel, np.zeros(1, np.float32)).splitlines()
    assert place == f"{module.__file__}:7:12: error: more than 64 calls inside of each other"
    assert (line, caret) == ("    return f0(x)", "           ^~~~~")
    assert calls[0] == f"{module.__file__}:10:12: note: in f1 called from here"
    assert "note: 55 more calls in between" in calls
    assert calls[-2:] == ["    f63(x)", "    ^~~~~~"]


@covers("nested_too_deeply")
def test_an_expression_that_is_nested_too_deeply(tmp_path: Path) -> None:
    text = "import mytriton as triton\n@triton.jit\ndef kernel(n):\n    x = " + "-" * 900 + "n\n"
    place, line, caret = launch(load(text, tmp_path).kernel, 5).splitlines()
    assert ".py:4:" in place and place.endswith(": error: this is nested too deeply to compile")
    assert line.startswith("    x = ---") and "^" in caret


@covers("changed_since_compiled")
def test_the_text_of_a_kernel_that_has_changed(tmp_path: Path) -> None:
    text = (
        "import mytriton as triton\n"
        "import mytriton.language as tl\n"
        "SIZE = tl.constexpr(1)\n"
        "@triton.jit\n"
        "def kernel(out):\n"
        "    tl.store(out, SIZE)\n"
    )
    module: Any = load(text, tmp_path)
    compiled = module.kernel.warmup("*i32", grid=(1,))
    module.SIZE = tl.constexpr(2)
    with pytest.raises(triton.MytritonError, match="kernel"):
        _ = compiled.asm["tt"]
