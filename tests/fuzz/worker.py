"""Programs run in a process of their own, so that a crash or an endless loop is one more result."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

from tests.fuzz.execute import FAILED, Outcome, execute
from tests.fuzz.program import Program

TIMEOUT = 120.0
"""Seconds after which a program counts as hanging."""

PROGRAMS_PER_PROCESS = 400
"""A process ends after so many programs, since every program that it loaded stays in its memory."""


class Worker:
    """Runs programs, one after the other; where `is_sanitized` with checks too."""

    def __init__(self, oracle_python: str | None = None, timeout: float = TIMEOUT, is_sanitized: bool = False):
        self._is_sanitized = is_sanitized
        self._oracle_python = oracle_python
        self._timeout = timeout
        self._process: Any = None
        self._connection: Any = None
        self._left = 0

    def run(self, program: Program, timeout: float | None = None) -> Outcome:
        """What became of a program; one that takes longer than `timeout` seconds hangs."""
        seconds = timeout or self._timeout
        if self._process is None or not self._left:
            self.stop()
            self._start()
        self._left -= 1
        try:
            self._connection.send(program)
            if not self._connection.poll(seconds):
                self.stop()
                return Outcome(FAILED, "hang", f"no result after {seconds} seconds")
            return self._connection.recv()
        except (EOFError, ConnectionError):
            process: Any = self._process
            self._process = None
            process.join()
            code = process.exitcode
            name = signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"
            return Outcome(FAILED, f"crash: {name}", f"the process ended with {name}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(other, self._oracle_python, self._is_sanitized), daemon=True
        )
        self._process.start()
        other.close()
        self._left = PROGRAMS_PER_PROCESS

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def _serve(connection: Any, oracle_python: str | None, is_sanitized: bool) -> None:
    # A program that never ends must not outlive a run that was stopped.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    oracle: Callable[[Program], Any] | None = None
    if oracle_python is not None:
        from tests.fuzz.oracle import Oracle

        oracle = Oracle(oracle_python)
    os.environ.setdefault("PYTHONFAULTHANDLER", "1")
    # The compiler makes many objects that are soon in cycles; looking for them less often saves a tenth of the time.
    gc.freeze()
    gc.set_threshold(20_000, 20, 1000)
    while True:
        try:
            program = connection.recv()
        except EOFError:
            return
        outcome = execute(program, oracle, is_sanitized)
        with suppress(ConnectionError):
            connection.send(outcome)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
