"""docs/checker.md: its programs are those of docs/checker, and each report is what the program makes.

`python -m tests.unit.checker.test_docs` writes both anew.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

import mytriton as triton
from mytriton.checker import KernelFault
from mytriton.checker.faults import FAULT_CLASSES
from mytriton.runtime.cpu import DeadlockError
from tests.unit.checker.broken import (
    launch_broken,
    with_threads_that_leave,
    without_first_write,
    without_second_barrier,
)

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs" / "checker.md"
PROGRAMS = ROOT / "docs" / "checker"
OPTIONS = {"value_not_finite": {"nonfinite": True}}

HEADER = "import numpy as np\n\nimport mytriton as triton\nimport mytriton.language as tl\n\n\n"
"""What every program begins with; the document leaves it out."""

BROKEN: dict[str, Callable[[str], str]] = {
    "shared_race": without_second_barrier,
    "uninitialised_shared": without_first_write,
    "deadlock": with_threads_that_leave,
}

BLOCKS = re.compile(
    r"<!-- example: (\w+) -->\n(?:```python\n(?P<program>.*?)```\n\n)?```text\n(?P<report>.*?)```\n", re.DOTALL
)


def program_of(name: str) -> str | None:
    """The program as the document has it; None for a kernel whose text was broken by hand."""
    if name in BROKEN:
        return None
    text = (PROGRAMS / f"{name}.py").read_text()
    assert text.startswith(HEADER), name
    return text.removeprefix(HEADER)


def error_of(name: str) -> KernelFault | DeadlockError:
    """What the program, or the launch of the broken kernel, raises."""
    with pytest.raises((KernelFault, DeadlockError)) as caught:
        if name in BROKEN:
            launch_broken(BROKEN[name])
        else:
            with triton.sanitize(**OPTIONS.get(name, {})):
                runpy.run_path(str(PROGRAMS / f"{name}.py"))
    assert isinstance(caught.value, KernelFault | DeadlockError)
    return caught.value


def report_of(name: str) -> str:
    """The error as the document shows it: paths from the root."""
    error = error_of(name)
    return f"{type(error).__name__}: {str(error).replace(f'{ROOT}/', '')}\n"


def examples() -> list[re.Match[str]]:
    return list(BLOCKS.finditer(DOCUMENT.read_text()))


@pytest.mark.parametrize("example", examples(), ids=lambda example: example[1])
def test_example(example: re.Match[str]) -> None:
    assert example["program"] == program_of(example[1])
    assert example["report"] == report_of(example[1])


def test_every_program_is_an_example() -> None:
    named = [example[1] for example in examples()]
    assert sorted(named) == sorted([*(path.stem for path in PROGRAMS.glob("*.py")), *BROKEN])


def test_every_class_is_explained() -> None:
    text = DOCUMENT.read_text()
    for kind in FAULT_CLASSES:
        assert f"`{kind.__name__}`" in text


def write() -> None:
    """Writes the programs and their reports into the document."""

    def block(example: re.Match[str]) -> str:
        program = program_of(example[1])
        shown = "" if program is None else f"```python\n{program}```\n\n"
        return f"<!-- example: {example[1]} -->\n{shown}```text\n{report_of(example[1])}```\n"

    DOCUMENT.write_text(BLOCKS.sub(block, DOCUMENT.read_text()))


if __name__ == "__main__":
    write()
