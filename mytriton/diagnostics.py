"""Remarks, what a pass says about an operation that it left as it was and why; and source lines for errors.

A pass calls `emit_remark`; whoever runs passes decides with `collect_remarks` whether anyone listens.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from xdsl.ir import Operation

from mytriton.errors import SourceLocation, location_of_attribute


@dataclass(frozen=True)
class Remark:
    """One remark: its text, where the operation came from, the operation's name, and the pass that ran."""

    message: str
    location: SourceLocation | None
    operation: str
    pass_name: str | None = None

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        origin = f" [{self.pass_name}]" if self.pass_name else ""
        return f"{place}remark: {self.message}{origin}"


_collected: ContextVar[list[Remark] | None] = ContextVar("collected remarks", default=None)
_running_pass: ContextVar[str | None] = ContextVar("running pass", default=None)


def emit_remark(operation: Operation, message: str) -> None:
    """Say `message` about `operation`. Costs nothing where nobody collects remarks."""
    remarks = _collected.get()
    if remarks is None:
        return
    location = location_of_attribute(operation.location)
    remarks.append(Remark(message, location, operation.name, _running_pass.get()))


@contextmanager
def collect_remarks() -> Generator[list[Remark], None, None]:
    """The remarks emitted while the context is open, in order."""
    remarks: list[Remark] = []
    token = _collected.set(remarks)
    try:
        yield remarks
    finally:
        _collected.reset(token)


@contextmanager
def running_pass(name: str) -> Generator[None, None, None]:
    """Remarks emitted while the context is open carry `name` as the pass that made them."""
    token = _running_pass.set(name)
    try:
        yield
    finally:
        _running_pass.reset(token)


def with_source_line(location: SourceLocation | None, text: str | None) -> SourceLocation | None:
    """`location` with its line of `text`, the text of the file that it names."""
    if location is None or text is None or location.source_line or location.line < 1:
        return location
    lines = text.split("\n", location.line)
    if len(lines) < location.line:
        return location
    return replace(location, source_line=lines[location.line - 1].rstrip("\r"))
