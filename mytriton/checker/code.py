"""A kernel compiled with checks, and what its text says of where it comes from."""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from mytriton.errors import SourceLocation

if TYPE_CHECKING:
    from mytriton.passes.checks.tables import Origin, Sink
    from mytriton.runtime.compiled import CompiledKernel
    from mytriton.runtime.cpu import CheckedKernel

Entry = TypeVar("Entry", "Origin", "Sink")


@dataclass
class CheckedCode:
    """A kernel that can be launched with checks, and its tables.

    `places` has the line of the kernel's source for lines of the CUDA C, and `callers` the calls that led to it, the
    innermost first. `origins` and `sinks` are what a faulty value counts, from 1 and from 0. `is_suspicious`: an
    earlier launch had to be made again for an exact answer.
    """

    kernel: CheckedKernel
    text: str
    places: Mapping[int, SourceLocation]
    callers: Mapping[int, Sequence[SourceLocation]] = field(default_factory=dict[int, Sequence[SourceLocation]])
    origins: Sequence[Origin] = ()
    sinks: Sequence[Sink] = ()
    is_suspicious: bool = False

    def line(self, number: int) -> str:
        """A line of the CUDA C, empty for 0."""
        lines = self.text.split("\n")
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def checked_code(compiled: CompiledKernel, nonfinite: bool) -> CheckedCode:
    """The kernel with checks; raises what compiling it for the CPU raises."""
    from mytriton.compiler import compile_checked
    from mytriton.runtime import cpu

    source = compiled.compilation.source
    assert source is not None, "a compilation without a source is not given to anybody"
    made = compile_checked(source, "nonfinite" if nonfinite else "default")
    kernel, printed = made.kernel, made.printed
    description = cpu.KernelMetadata(kernel.name, kernel.params, kernel.num_warps, kernel.dynamic_shared_bytes)
    return CheckedCode(
        cpu.compile_checked(made.cuda, description),
        made.cuda,
        printed.locations,
        printed.callers,
        [_with_line(origin) for origin in printed.origins],
        [_with_line(sink) for sink in printed.sinks],
    )


def _with_line(entry: Entry) -> Entry:
    """The entry, with the text of its line."""
    place = entry.location
    if place is None or place.source_line:
        return entry
    line = linecache.getline(place.file, place.line).rstrip()
    return replace(entry, location=replace(place, source_line=line))
