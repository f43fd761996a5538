"""One thing that a kernel gets wrong, and how it is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tests.unit.frontend.kernel_text import load, without_marks

HEADER = """\
import math

import mytriton as triton
import mytriton.language as tl

LIMIT = 5


@triton.jit
def ones(x, SIZE: tl.constexpr):
    return tl.full((SIZE,), 1.0, tl.float32) + x


@triton.jit
def adds(x, y):
    return x + y


@triton.jit
def whole(x):
    return tl.arange(0, 4)


@triton.jit
def returns_other_type(x, y):
    return (x + y).to(tl.int64)


@triton.jit
def {name}(p, q, n, m, f, BLOCK: tl.constexpr):
"""

CALLER = """

@triton.jit
def kernel(p, q, n, m, f, BLOCK: tl.constexpr):
    outer(p, q, n, m, f, BLOCK)
"""


@dataclass(frozen=True)
class Case:
    """The body of a kernel, with the culprit marked as «...», and the error.

    The kernel has a pointer `p` to float32 and `q` to int32, numbers `n` (int32), `m` (int64) and `f` (float32), and a
    constant `BLOCK` of 16. `@2` in the message is the number of the body's second line.
    """

    body: str
    message: str
    hint: str | None = None
    in_kernel: bool = True
    """Whether it is wrong in the kernel itself."""
    in_function: bool = True
    """Whether it is wrong in a function that a kernel calls."""

    def module(self, folder: Path, is_called: bool) -> tuple[ModuleType, str]:
        """A module whose `kernel` has the body, or a call of a function `outer` that has it; and the whole error."""
        start = HEADER.format(name="outer" if is_called else "kernel")
        body = "".join(f"    {line}\n" for line in self.body.splitlines())
        marked = without_marks(start + body)
        text = marked.text + (CALLER if is_called else "")
        module = load(text, folder)
        first_line = start.count("\n") + 1
        message = re.sub(r"@(\d+)", lambda match: str(first_line + int(match[1]) - 1), self.message)
        culprit = text.splitlines()[marked.line - 1]
        lines = [
            f"{module.__file__}:{marked.line}:{marked.column}: error: {message}",
            culprit,
            " " * (marked.column - 1) + "^" + "~" * (marked.width - 1),
        ]
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        if is_called:
            call = "    outer(p, q, n, m, f, BLOCK)"
            place = f"{module.__file__}:{text.count(chr(10))}:5: note: in outer called from here"
            lines += [place, call, "    ^" + "~" * (len(call) - 5)]
        return module, "\n".join(lines)
