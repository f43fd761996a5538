"""What a program did with its kernels: how often each was compiled, launched and refused, and the time it took."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mytriton.checker.faults import KernelFault, KernelFaults
from mytriton.compiler import Compilation
from mytriton.drop_in.children import REPORT_VARIABLE
from mytriton.drop_in.journal import Change, Journal, read_journals
from mytriton.errors import CompilationError, MytritonError, PassError, SourceLocation
from mytriton.interpreter.launch import is_interpreting
from mytriton.runtime import jit as launching
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.jit import JITFunction
from mytriton.runtime.ttir_kernel import TTIRKernel
from mytriton.runtime.ttir_source import TTIRSource

TITLES = ("kernel", "at", "compiled", "compile ms", "launched", "run ms", "refused")

_BUILD_STEPS = ("cpu", "nvrtc", "checks")


Key = tuple[str, str]
"""A kernel, by its name and place."""


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
        self.keys: list[Key] = []


class Report:
    """Watches all kernels from `start` on. A kernel is a function at a place in a file.

    `folder` is where the processes that this one starts, or forks, write down what they do. With `is_child` this is one
    of them: each thing that happens is a line of its file, so that nothing is lost where it is killed.
    """

    def __init__(self, folder: Path, is_child: bool = False) -> None:
        self._folder = folder
        self._entries: dict[Key, Entry] = {}
        self._of_compilation: dict[int, tuple[Compilation, Key]] = {}
        self._running = _Running()
        self._journal: Journal | None = Journal(folder) if is_child else None
        self._top = os.getcwd()

    def start(self) -> None:
        """Begins to watch, for good."""
        _wrap(JITFunction, "run", self._run)
        _wrap(launching, "compile_or_load", self._compile)
        _wrap(CompiledKernel, "launch", self._launch)
        _wrap(CompiledKernel, "launch_checked", self._launch_checked)
        _wrap(launching, "launch_on_interpreter", self._interpret)
        _wrap(TTIRSource, "__init__", self._read_ttir)
        _wrap(TTIRKernel, "__init__", self._compile_ttir)
        _wrap(TTIRKernel, "_run", self._run_ttir)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._become_child)

    def text(self) -> str:
        """The table, with a line for each kernel in the order in which they were first used, by this process first."""
        for change in read_journals(self._folder):
            self._add(change)
        rows = [row for entry in self._entries.values() for row in entry.rows()]
        if not rows:
            return "mytriton: no kernel was used"
        return "\n".join(table(TITLES, rows))

    def _become_child(self) -> None:
        self._journal = Journal(self._folder)

    def _note(self, change: Change) -> None:
        if self._journal is not None:
            self._journal.write(change)
        else:
            self._add(change)

    def _add(self, change: Change) -> None:
        key = change.name, change.place
        entry = self._entries.setdefault(key, Entry(*key))
        entry.compiled += change.compiled
        entry.compile_seconds += change.compile_seconds
        entry.launched += change.launched
        entry.run_seconds += change.run_seconds
        if change.refusal:
            entry.refusals[change.refusal] = entry.refusals.get(change.refusal, 0) + 1

    def _note_refusal(self, key: Key, error: MytritonError) -> None:
        for fault in error.faults if isinstance(error, KernelFaults) else [error]:
            self._note(Change(*key, refusal=refusal(fault, self._top)))

    # What is watched

    def _run(self, original: Callable[..., Any], function: JITFunction, *args: Any, **kwargs: Any) -> Any:
        key = self._key(function)
        self._note(Change(*key))
        with self._at_work_on(key):
            return original(function, *args, **kwargs)

    @contextlib.contextmanager
    def _at_work_on(self, key: Key) -> Generator[None]:
        """Around what is asked of a kernel; notes what that is refused for."""
        self._running.keys.append(key)
        try:
            yield
        except MytritonError as error:
            self._note_refusal(key, error)
            raise
        finally:
            self._running.keys.pop()

    @contextlib.contextmanager
    def _in_compilation(self, key: Key) -> Generator[None]:
        """Around a compilation, which counts if it does not fail; its time always does."""
        compiled = 0
        start = time.perf_counter()
        try:
            yield
            compiled = 1
        finally:
            self._note(Change(*key, compiled=compiled, compile_seconds=time.perf_counter() - start))

    def _compile(self, original: Callable[..., Compilation], function: JITFunction, *args: Any) -> Compilation:
        key = self._key(function)
        with self._in_compilation(key):
            compilation = original(function, *args)
        self._of_compilation[id(compilation)] = compilation, key
        return compilation

    def _read_ttir(
        self, original: Callable[..., None], source: TTIRSource, text: str, filename: str, *rest: Any
    ) -> None:
        """Reads a text with a kernel; where that fails the kernel is called by its file."""
        try:
            original(source, text, filename, *rest)
        except MytritonError as error:
            self._note_refusal((os.path.basename(filename), shortened(filename, self._top)), error)
            raise

    def _compile_ttir(self, original: Callable[..., None], kernel: TTIRKernel, source: TTIRSource) -> None:
        key = self._key_of_ttir(source)
        with self._in_compilation(key), self._at_work_on(key):
            original(kernel, source)
        self._of_compilation[id(kernel.compilation)] = kernel.compilation, key

    def _run_ttir(self, original: Callable[..., Any], kernel: TTIRKernel, grid: Any, *args: Any) -> Any:
        key = self._key_of_ttir(kernel.source)
        start = time.perf_counter()
        with self._at_work_on(key):
            result = original(kernel, grid, *args)
        if is_interpreting():
            self._note(Change(*key, launched=1, run_seconds=time.perf_counter() - start))
        return result

    def _launch(
        self, original: Callable[..., Any], kernel: CompiledKernel, grid: Any, values: Any, device: str
    ) -> None:
        """A launch, with what it builds first counted as compilation; on a GPU it is waited for."""
        _, key = self._of_compilation[id(kernel.compilation)]
        before = dict(kernel.timings)
        start = time.perf_counter()
        try:
            original(kernel, grid, values, device)
            if device.startswith("cuda"):
                from mytriton.runtime.cuda_device import call

                call("cuCtxSynchronize")
        except MytritonError as error:
            if not self._running.keys:  # else `_run` sees it too
                self._note_refusal(key, error)
            raise
        finally:
            built = _seconds_of_new_steps(before, kernel.timings)
            spent = time.perf_counter() - start - built
            self._note(Change(*key, compile_seconds=built, launched=1, run_seconds=spent))

    def _launch_checked(
        self, original: Callable[..., Any], kernel: CompiledKernel, grid: Any, call: Any, values: Any, *rest: Any
    ) -> None:
        self._launch(lambda *_: original(kernel, grid, call, values, *rest), kernel, grid, values, rest[0])

    def _interpret(self, original: Callable[..., Any], text: str, grid: Sequence[int], arguments: Any) -> None:
        start = time.perf_counter()
        try:
            original(text, grid, arguments)
        finally:
            spent = time.perf_counter() - start
            self._note(Change(*self._running.keys[-1], launched=int(0 not in grid), run_seconds=spent))

    def _key_of_ttir(self, source: TTIRSource) -> Key:
        return source.name, shortened(source.filename, self._top)

    def _key(self, function: JITFunction) -> Key:
        return function.__name__, f"{shortened(function.source_file, self._top)}:{function.source_line}"


def report_at_exit() -> None:
    """Watches this process and those that it starts, and prints the table when it ends, after all else."""
    folder = tempfile.mkdtemp(prefix="mytriton-report-")
    report, owner = Report(Path(folder)), os.getpid()
    os.environ[REPORT_VARIABLE] = folder

    def finish() -> None:
        if os.getpid() != owner:
            return
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()  # the table comes last
        with contextlib.suppress(OSError, ValueError):
            print(report.text(), file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(finish)
    report.start()


def _seconds_of_new_steps(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    return sum(after[step] for step in _BUILD_STEPS if step in after and step not in before) / 1e3


def _wrap(owner: Any, name: str, watch: Callable[..., Any]) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Any:
        return watch(original, *args, **kwargs)

    setattr(owner, name, watched)


def refusal(error: MytritonError, top: str = "") -> str:
    """An error in one line: where in the kernel, by its path from the folder `top`, and what."""
    if isinstance(error, CompilationError | PassError | KernelFault):
        where = _where(error.location, top)
        return f"{where}: {error.message.splitlines()[0]}" if where else error.message.splitlines()[0]
    return (str(error).splitlines() or [type(error).__name__])[0]


def _where(location: SourceLocation | None, top: str) -> str:
    return "" if location is None else f"{shortened(location.file, top)}:{location.line}"


def shortened(path: str, top: str = "") -> str:
    """The path from the folder `top`, or else the current one, where that is below it."""
    relative = os.path.relpath(path, top or None) if os.path.isabs(path) else path
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
