"""Tracebacks without the frames of mytriton, for errors whose message says all about the program."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any

from mytriton.errors import InternalError, MytritonError

DEBUG_VARIABLE = "MYTRITON_DEBUG"
"""The environment variable that, set to 1, has every frame shown."""

_HERE = str(Path(__file__).parent) + os.sep


def is_about_the_program(error: BaseException) -> bool:
    """Whether frames of mytriton say nothing to whoever reads the error."""
    is_ours = isinstance(error, MytritonError) and not isinstance(error, InternalError)
    return is_ours and os.environ.get(DEBUG_VARIABLE) != "1"


def shortened(error: MytritonError) -> MytritonError:
    """The error, with the traceback of it, and of those that led to it, without frames of mytriton."""
    shorten(error)
    return error


def shorten(error: BaseException) -> None:
    """Takes the frames of mytriton out of the tracebacks of an error and of those that led to it."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        if is_about_the_program(found):
            found.__traceback__ = without_frames_of_mytriton(found.__traceback__)
        waiting += [found.__cause__, found.__context__]


def without_frames_of_mytriton(traceback: TracebackType | None) -> TracebackType | None:
    """The same traceback, where only frames of other code are left."""
    others: list[TracebackType] = []
    while traceback is not None:
        if not is_internal(traceback):
            others.append(traceback)
        traceback = traceback.tb_next
    result: TracebackType | None = None
    for found in reversed(others):
        result = TracebackType(result, found.tb_frame, found.tb_lasti, found.tb_lineno)
    return result


def is_internal(traceback: TracebackType) -> bool:
    """Whether the outermost frame of a traceback is of mytriton, or of a method that a dataclass of it was given."""
    file = traceback.tb_frame.f_code.co_filename
    if file == "<string>":
        return str(traceback.tb_frame.f_globals.get("__name__")).startswith("mytriton.")
    return file.startswith(_HERE)


def hide_in_pytest(excinfo: Any) -> bool:
    """What a module has as `__tracebackhide__`, for pytest to leave out its frames."""
    return is_about_the_program(excinfo.value)
