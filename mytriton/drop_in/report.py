"""What a program did with its kernels: how often each was compiled, launched and refused, and the time it took."""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mytriton.compiler import Compilation
from mytriton.errors import CompilationError, MytritonError, PassError, SourceLocation
from mytriton.runtime import jit as launching
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.jit import JITFunction

TITLES = ("kernel", "at", "compiled", "compile ms", "launched", "run ms", "refused")

_BUILD_STEPS = ("cpu", "nvrtc")


@dataclass
class Entry:
    """What is known of one kernel; times are in seconds. `refusals` counts each message."""

    name: str
    place: str
    compiled: int = 0
    compile_seconds: float = 0.0
    launched: int = 0
    run_seconds: float = 0.0
    refusals: dict[str, int] = field(default_factory=dict[str, int])

    def refuse(self, error: MytritonError) -> None:
        message = refusal(error)
        self.refusals[message] = self.refusals.get(message, 0) + 1

    def rows(self) -> list[tuple[str, ...]]:
        """The cells of the entry, and a row more for each refusal after the first."""
        refusals = [f"{count} x {text}" for text, count in self.refusals.items()] or [""]
        numbers = (
            str(self.compiled),
            f"{self.compile_seconds * 1e3:.1f}",
            str(self.launched),
            f"{self.run_seconds * 1e3:.1f}",
        )
        return [(self.name, self.place, *numbers, refusals[0]), *((*[""] * 6, text) for text in refusals[1:])]


class _Running(threading.local):
    """The kernels whose launch this thread is in, the innermost last."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []


class Report:
    """Watches all kernels from `start` on. A kernel is a function at a place in a file."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], Entry] = {}
        self._of_compilation: dict[int, tuple[Compilation, Entry]] = {}
        self._running = _Running()

    def start(self) -> None:
        """Begins to watch, for good."""
        _wrap(JITFunction, "run", self._run)
        _wrap(launching, "compile_or_load", self._compile)
        _wrap(CompiledKernel, "launch", self._launch)
        _wrap(launching, "launch_on_interpreter", self._interpret)

    def text(self) -> str:
        """The table, with a line for each kernel in the order in which they were first used."""
        rows = [row for entry in self._entries.values() for row in entry.rows()]
        if not rows:
            return "mytriton: no kernel was used"
        return "\n".join(table(TITLES, rows))

    # What is watched

    def _run(self, original: Callable[..., Any], function: JITFunction, *args: Any, **kwargs: Any) -> Any:
        entry = self._entry(function)
        self._running.entries.append(entry)
        try:
            return original(function, *args, **kwargs)
        except MytritonError as error:
            entry.refuse(error)
            raise
        finally:
            self._running.entries.pop()

    def _compile(self, original: Callable[..., Compilation], function: JITFunction, *args: Any) -> Compilation:
        entry = self._entry(function)
        start = time.perf_counter()
        try:
            compilation = original(function, *args)
        finally:
            entry.compile_seconds += time.perf_counter() - start
        entry.compiled += 1
        self._of_compilation[id(compilation)] = compilation, entry
        return compilation

    def _launch(
        self, original: Callable[..., Any], kernel: CompiledKernel, grid: Any, values: Any, device: str
    ) -> None:
        """A launch, with what it builds first counted as compilation; on a GPU it is waited for."""
        _, entry = self._of_compilation[id(kernel.compilation)]
        before = dict(kernel.timings)
        start = time.perf_counter()
        try:
            original(kernel, grid, values, device)
            if device.startswith("cuda"):
                from mytriton.runtime.cuda_device import call

                call("cuCtxSynchronize")
        except MytritonError as error:
            if not self._running.entries:  # else `_run` sees it too
                entry.refuse(error)
            raise
        finally:
            built = _seconds_of_new_steps(before, kernel.timings)
            entry.launched += 1
            entry.compile_seconds += built
            entry.run_seconds += time.perf_counter() - start - built

    def _interpret(self, original: Callable[..., Any], text: str, grid: Sequence[int], arguments: Any) -> None:
        start = time.perf_counter()
        try:
            original(text, grid, arguments)
        finally:
            entry = self._running.entries[-1]
            entry.launched += 0 not in grid
            entry.run_seconds += time.perf_counter() - start

    def _entry(self, function: JITFunction) -> Entry:
        place = f"{shortened(function.source_file)}:{function.source_line}"
        key = function.__name__, place
        return self._entries.setdefault(key, Entry(*key))


def _seconds_of_new_steps(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    return sum(after[step] for step in _BUILD_STEPS if step in after and step not in before) / 1e3


def _wrap(owner: Any, name: str, watch: Callable[..., Any]) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Any:
        return watch(original, *args, **kwargs)

    setattr(owner, name, watched)


def refusal(error: MytritonError) -> str:
    """An error in one line: where in the kernel, and what."""
    if isinstance(error, CompilationError | PassError):
        where = _where(error.location)
        return f"{where}: {error.message.splitlines()[0]}" if where else error.message.splitlines()[0]
    return (str(error).splitlines() or [type(error).__name__])[0]


def _where(location: SourceLocation | None) -> str:
    return "" if location is None else f"{shortened(location.file)}:{location.line}"


def shortened(path: str) -> str:
    """The path from the current folder, where that is below it."""
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return path if relative.startswith("..") else relative


def table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """Lines of a table in plain text: numbers to the right, the rest to the left."""
    widths = [max(len(row[column]) for row in (titles, *rows)) for column in range(len(titles))]
    numeric = [all(_is_number(row[column]) for row in rows) for column in range(len(titles))]

    def line(row: tuple[str, ...]) -> str:
        cells = [c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)]
        return "  ".join(cells).rstrip()

    return [line(titles), "  ".join("-" * width for width in widths), *map(line, rows)]


def _is_number(text: str) -> bool:
    return not text.strip("0123456789.")
