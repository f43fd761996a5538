"""Chains of `elif` that are cut in two, since they are long, and `raise`."""

# A kernel is no Python to a type checker: both sides of a branch may be compiled.
# pyright: reportUnnecessaryComparison=false, reportConstantRedefinition=false

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from mytriton.options import VERIFY_VARIABLE
from tests.kernels.harness import check
from tests.kernels.python_reference import check_like_python
from tests.unit.frontend.kernel_text import load

# Long chains of `elif`


def chain_of(count: int, body: str, last: str) -> str:
    """An `elif` for each number; `#` in the body is the number."""
    lines: list[str] = []
    for number in range(count):
        lines.append(f"    {'if' if number == 0 else 'elif'} a == {number}:")
        lines += [f"        {line.replace('#', str(number))}" for line in body.split("\n")]
    return "\n".join([*lines, last])


CHAINS = {
    "assigns": ("x = # * 7 % 100\ny = x + b", "    else:\n        x = -1\n        y = b\n    return x, y"),
    "assigns some": ("x = x + #\nif b > 3:\n    y += #", "    return x, y"),
    "returns": ("return # * 7 % 100, b", "    return -1, -2"),
    "returns sometimes": ("x = # * 3\nif # % 2 == b % 2:\n    return x, 5", "    return x + 1, 6"),
}


def chain_module(count: int, kind: str, folder: Path) -> Any:
    body, last = CHAINS[kind]
    text = chain_of(count, body, last)
    return load(
        "import mytriton as triton\nimport mytriton.language as tl\n\n\n"
        f"@triton.jit\ndef function(a, b):\n    x, y = 5, 6\n{text}\n",
        folder,
    )


@pytest.fixture
def without_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out the checks between the passes, which take long for long kernels."""
    monkeypatch.delenv(VERIFY_VARIABLE, raising=False)


@pytest.mark.parametrize("kind", CHAINS)
def test_long_chain(kind: str, tmp_path: Path) -> None:
    """Around the places where a chain is cut, and at its ends."""
    module = chain_module(70, kind, tmp_path)
    for a in (1, 31, 32, 33, 64, 69, 70):
        check_like_python(module.function, a, 5 if a % 3 else 2, num_warps=(4,))


@triton.jit(do_not_specialize=["a", "b"])
def chain_kernel(out_ptr, a, b, F: tl.constexpr):
    x, y = F(a, b)
    tl.store(out_ptr, x)
    tl.store(out_ptr + 1, y)


@pytest.mark.usefixtures("without_checks")
def test_chain_of_a_thousand(tmp_path: Path) -> None:
    module = chain_module(1000, "assigns", tmp_path)
    out = np.empty(2, np.int32)
    for a, x in ((0, 0), (2, 14), (33, 31), (500, 0), (999, 93), (1002, -1)):
        chain_kernel[(1,)](out, a, 3, F=module.function)
        assert out.tolist() == [x, x + 3 if x >= 0 else 3]


def test_long_chain_in_a_loop_with_tiles_and_tuples(tmp_path: Path) -> None:
    count = 70
    lines: list[str] = []
    for number in range(count):
        lines.append(f"        {'if' if number == 0 else 'elif'} i == {number}:")
        lines.append(f"            tile, pair = tile + {number}, (pair[1], {number})")
        if number % 50 == 49:
            lines.append("            break")
    module = load(
        "import mytriton as triton\nimport mytriton.language as tl\n\n\n"
        "@triton.jit(do_not_specialize=['first', 'last'])\ndef kernel(out, first, last):\n"
        "    tile, pair = tl.zeros((4,), tl.int32), (0, 1)\n"
        "    for i in range(first, last):\n" + "\n".join(lines) + "\n        else:\n            continue\n"
        "        tile += 1000\n"
        "    tl.store(out + tl.arange(0, 4), tile)\n"
        "    tl.store(out + 4, pair[0])\n"
        "    tl.store(out + 5, pair[1])\n",
        tmp_path,
    )
    for first, last in ((0, 3), (30, 35), (45, 60), (68, 300), (-5, 0)):
        tile, pair = 0, (0, 1)
        for i in range(first, last):
            if not 0 <= i < count:
                continue
            tile, pair = tile + i, (pair[1], i)
            if i % 50 == 49:
                break
            tile += 1000
        wanted = np.array([*[tile] * 4, *pair], np.int32)
        check(module.kernel, (1,), [first, last], [np.empty_like(wanted)], [wanted], order=[2, 0, 1], num_warps=(4,))


def test_a_variable_that_only_one_part_of_a_long_chain_assigns(tmp_path: Path) -> None:
    lines = [f"    {'elif' if i else 'if'} n == {i}:\n        {'x' if i != 40 else 'y'} = {i}" for i in range(70)]
    text = "\n".join(lines)
    module = load(
        "import mytriton as triton\nimport mytriton.language as tl\n\n\n"
        f"@triton.jit\ndef kernel(out, n):\n{text}\n    else:\n        x = 3\n    tl.store(out, x)\n",
        tmp_path,
    )
    with pytest.raises(CompilationError, match="'x' may be undefined here") as caught:
        module.kernel.warmup("*i32", "i32")
    assert caught.value.source_line == "    tl.store(out, x)"


# `raise`


@triton.jit
def checked_size(SIZE: tl.constexpr):
    if SIZE == 4:
        return 40
    elif SIZE == 8:
        return 80
    else:
        raise ValueError(f"SIZE must be 4 or 8, found {SIZE}")


@triton.jit
def raising_kernel(out_ptr, n, SIZE: tl.constexpr):
    tl.store(out_ptr, checked_size(SIZE) + n)


def test_raise_that_is_not_reached_is_ignored() -> None:
    for size in (4, 8):
        wanted = np.array([size * 10 + 7], np.int32)
        check(raising_kernel, (1,), [7], [np.empty_like(wanted)], [wanted], order=[1, 0], num_warps=(1,), SIZE=size)


def test_raise_that_is_reached_is_an_error_with_its_text() -> None:
    with pytest.raises(CompilationError) as caught:
        raising_kernel.warmup("*i32", "i32", SIZE=5)
    error = caught.value
    assert error.message == "the kernel raises ValueError: SIZE must be 4 or 8, found 5"
    assert error.line == checked_size.fn.__code__.co_firstlineno + 7
    assert [call.line for call in error.calls] == [raising_kernel.fn.__code__.co_firstlineno + 2]
