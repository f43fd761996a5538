"""Kernels that are given as text: a test writes the body, and marks with «...» where an error is expected."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from mytriton.frontend import build_module

HEADER = """\
import math

import numpy as np

import mytriton.language as tl
from mytriton.runtime.jit import jit

LIMIT = 5
SEVEN = tl.constexpr(7)


def plain(x):
    return x


@jit
def recursive(x):
    return recursive(x)


@jit
def ones(x, SIZE: tl.constexpr):
    return tl.full((SIZE,), 1.0, tl.float32) + x


@jit
def keeps_half(x):
    if x > 0:
        return x


@jit
def fails_inside(x):
    y = x + 1
    return tl.nothing(y)


@jit
def adds(x, y):
    return x + y


@jit
def returns_other_type(x, y):
    return (x + y).to(tl.int64)


@jit
def kernel(p, q, n, m, f, BLOCK: tl.constexpr):
"""

SIGNATURE = {"p": "*fp32", "q": "*i32", "n": "i32", "m": "i64", "f": "fp32"}
CONSTANTS = {"BLOCK": 16}

_numbers = itertools.count()


@dataclass(frozen=True)
class Marked:
    """A text, and the place of the part of it that was marked; line and column count from 1."""

    text: str
    line: int
    column: int
    width: int


def without_marks(text: str) -> Marked:
    before, _, rest = text.partition("«")
    marked, _, after = rest.partition("»")
    first_line = marked.splitlines()[0] if marked else ""
    column = len(before) - (before.rfind("\n") + 1) + 1
    return Marked(before + marked + after, before.count("\n") + 1, column, len(first_line.rstrip()))


def load(text: str, folder: Path) -> ModuleType:
    """The module with this text; it stands in a file, since a kernel is compiled from its source."""
    path = folder / f"kernels_{next(_numbers)}.py"
    path.write_text(text, encoding="utf-8")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    return module


def kernel_text(body: str) -> str:
    """The header, and the body as that of `kernel`."""
    return HEADER + "".join(f"    {line}\n" if line else "\n" for line in body.strip("\n").splitlines())


def compile_body(body: str, folder: Path, **constants: Any) -> ModuleOp:
    """The `tt` module of `kernel` with this body."""
    module = load(kernel_text(body), folder)
    return build_module(module.kernel, SIGNATURE, CONSTANTS | constants)
