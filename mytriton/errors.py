"""Every error that a user of mytriton can meet, and how each one is shown.

All of them derive from `MytritonError`. An error about a line of a kernel is a `CompilationError`; it shows
`file:line:column: error: message`, the source line, a caret, what to do about it, and the calls that led there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

REPORT_REQUEST = "this is a bug in mytriton, not in your program: please report it together with the text above"

MAX_EXCERPT_COLUMNS = 120
"""A longer source line is cut around the caret."""

MAX_CALLS_SHOWN = 8
"""Of more nested calls, those in the middle are left out of the error."""

_ELLIPSIS = "..."


class MytritonError(Exception):
    """The base of every error that mytriton raises on purpose."""


@dataclass(frozen=True)
class SourceLocation:
    """A place in a Python or .mlir file; `line` and the columns count from 1, `end_column` is one past the end."""

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    source_line: str = ""
    function: str = ""

    def __str__(self) -> str:
        if not self.line:
            return self.file
        if not self.column:
            return f"{self.file}:{self.line}"
        return f"{self.file}:{self.line}:{self.column}"

    def excerpt(self) -> list[str]:
        """The source line and, below it, the caret; nothing where the source is not known."""
        if not self.source_line.strip():
            return []
        line, column, end = self.source_line.rstrip(), self.column, self.end_column
        if len(line) > MAX_EXCERPT_COLUMNS:
            line, cut = _shortened(line, column)
            column, end = max(column - cut, 0), max(end - cut, 0)
        if not column:
            return [line]
        # Tabs stay tabs, so that the caret stands under its column whatever the width of a tab.
        padding = "".join("\t" if character == "\t" else " " for character in line[: column - 1])
        width = max(1, min(end, len(line) + 1) - column)
        return [line, padding + "^" + "~" * (width - 1)]


def _shortened(line: str, column: int) -> tuple[str, int]:
    """The part of a long line around the column, and by how much the column moves to the left in it."""
    start = max(0, min(column - 1 - MAX_EXCERPT_COLUMNS // 2, len(line) - MAX_EXCERPT_COLUMNS))
    part = line[start : start + MAX_EXCERPT_COLUMNS]
    if start:
        part = _ELLIPSIS + part[len(_ELLIPSIS) :]
    if start + MAX_EXCERPT_COLUMNS < len(line):
        part = part[: -len(_ELLIPSIS)] + _ELLIPSIS
    return part, start


class CompilationError(MytritonError):
    """A kernel cannot be compiled; says where, why, and what to do.

    `calls` holds the calls that were being inlined, the outermost first. `text_location` is the place in the IR text
    that was read, where `location` is one in the file from which that text was made.
    """

    text_location: SourceLocation | None = None

    def __init__(
        self,
        message: str,
        location: SourceLocation | None = None,
        hint: str | None = None,
        calls: Sequence[SourceLocation] = (),
    ):
        super().__init__(message, location, hint, tuple(calls))
        self.message = message
        self.location = location
        self.hint = hint
        self.calls = tuple(calls)

    def set_place(self, location: SourceLocation, calls: Sequence[SourceLocation] = ()) -> None:
        """Adds where in the kernel it happened, for code that raises an error without knowing that."""
        self.location = location
        self.calls = tuple(calls)
        self.args = (self.message, location, self.hint, self.calls)

    @property
    def file(self) -> str | None:
        return self.location.file if self.location else None

    @property
    def line(self) -> int | None:
        return self.location.line if self.location else None

    @property
    def column(self) -> int | None:
        return self.location.column if self.location else None

    @property
    def source_line(self) -> str | None:
        return self.location.source_line if self.location else None

    def __str__(self) -> str:
        if self.location is None:
            lines = [f"error: {self.message}"]
        else:
            lines = [f"{self.location}: error: {self.message}", *self.location.excerpt()]
        lines.extend(_text_note(self.text_location))
        if self.hint:
            lines.append(f"hint: {self.hint}")
        callee = self.location.function if self.location else ""
        left_out = len(self.calls) - MAX_CALLS_SHOWN
        for index, call in enumerate(reversed(self.calls)):
            if index == MAX_CALLS_SHOWN // 2 and left_out > 0:
                lines.append(f"note: {left_out} more call{'s' if left_out > 1 else ''} in between")
            if not 0 <= index - MAX_CALLS_SHOWN // 2 < left_out:
                lines.append(f"{call}: note: in {callee or 'a function'} called from here")
                lines.extend(call.excerpt())
            callee = call.function
        return "\n".join(lines)


def _text_note(location: SourceLocation | None) -> list[str]:
    return [] if location is None else [f"{location}: note: in the text that was read", *location.excerpt()]


class UnsupportedError(CompilationError):
    """A construct or a function of the language that mytriton knows of and does not compile."""


class BreakpointError(UnsupportedError):
    """A kernel that is to stop for a debugger is compiled."""


class InternalError(CompilationError):
    """mytriton itself failed while it compiled this line."""

    def __init__(
        self,
        message: str,
        location: SourceLocation | None = None,
        hint: str | None = None,
        calls: Sequence[SourceLocation] = (),
    ):
        message = message if message.startswith("internal error: ") else f"internal error: {message}"
        super().__init__(message, location, hint or REPORT_REQUEST, calls)


class PassError(MytritonError):
    """A pass refuses the module; `location` is the operation's, `pass_name` the name of the pass on a command line.

    `text_location` is the place in the IR text that was read, where `location` is one in another file.
    """

    text_location: SourceLocation | None = None

    def __init__(self, message: str, location: object = None, pass_name: str | None = None):
        super().__init__(message, location, pass_name)
        self.message = message
        self.location = location_of_attribute(location)
        self.pass_name = pass_name

    def __str__(self) -> str:
        origin = f" [{self.pass_name}]" if self.pass_name else ""
        if self.location is None:
            return f"error: {self.message}{origin}"
        lines = [f"{self.location}: error: {self.message}{origin}", *self.location.excerpt()]
        return "\n".join([*lines, *_text_note(self.text_location)])


class OutOfResourcesError(MytritonError):
    """A kernel needs more of something than the GPU has; with another tile or fewer warps it may fit."""


class SharedMemoryError(OutOfResourcesError, PassError):
    """The buffers of a kernel do not fit into shared memory."""


class ArgumentError(MytritonError, TypeError):
    """A kernel was given arguments that it cannot take: a wrong count, name, type or dtype."""


class OptionError(MytritonError, ValueError):
    """A compile option has a value that it cannot have."""


class MissingToolError(MytritonError):
    """A library or a program that this step needs was not found; the rest of mytriton works without it."""


class NvrtcMissingError(MissingToolError):
    """NVRTC, or cuda-python through which it is called, was not found."""


class NvrtcError(MytritonError):
    """NVRTC refused the CUDA C text; shows its log and the lines of the text."""


class LaunchError(MytritonError):
    """A compiled kernel cannot be run: a bad grid, no device, or a failure that the device reports."""

    is_located = False
    """Whether the message begins with the line of the kernel."""


class DeviceResourcesError(OutOfResourcesError, LaunchError):
    """The driver says that a kernel needs more registers or shared memory than the device has."""


class DeviceAssertionError(LaunchError, AssertionError):
    """A condition that a kernel checks while it runs does not hold: `tl.device_assert`, or `assert`."""


def location_of_attribute(attribute: object) -> SourceLocation | None:
    """The file, line and column of an xDSL location, or None; looks through named, fused and call-site ones."""
    if attribute is None or isinstance(attribute, SourceLocation):
        return attribute
    filename = getattr(attribute, "filename", None)
    if filename is not None:
        line: int = getattr(getattr(attribute, "line", None), "data", 0)
        column: int = getattr(getattr(attribute, "column", None), "data", 0)
        return SourceLocation(str(getattr(filename, "data", filename)), line, column)
    for field in ("location", "callee"):
        if (inner := getattr(attribute, field, None)) is not None:
            return location_of_attribute(inner)
    for inner in getattr(getattr(attribute, "locations", None), "data", ()):
        if (found := location_of_attribute(inner)) is not None:
            return found
    return None
