"""The source text of a function, and where it stands."""

from __future__ import annotations

import inspect
import re
import types
from dataclasses import dataclass

from mytriton.errors import MytritonError

_DEF = re.compile(r"[ \t]*def\b")


@dataclass(frozen=True)
class FunctionSource:
    """`text` begins with `def` in its first column; in `file` it is on line `line`, `indent` columns to the right."""

    text: str
    file: str
    line: int
    indent: int


def source_of(function: types.FunctionType) -> FunctionSource:
    """The text of `function` without its decorators; raises `MytritonError` where there is none."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise MytritonError(
            f"jit needs the source text of {function.__qualname__}, which is not available ({error}): "
            "define the function in a file or a notebook cell"
        ) from error
    is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    skipped = None if is_async else next((index for index, line in enumerate(lines) if _DEF.match(line)), None)
    if skipped is None:
        raise MytritonError(f"jit takes a function that is made by a def statement, found {function.__qualname__}")
    lines = lines[skipped:]
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    # Lines of a string or within brackets may stand further to the left.
    text = "".join(line.removeprefix(margin) for line in lines)
    return FunctionSource(text, inspect.getsourcefile(function) or "<unknown>", first + skipped, len(margin))
