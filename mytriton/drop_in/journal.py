"""What a process that the program starts does with kernels, written down for the one that reports."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Change:
    """Something that has happened to a kernel: what to add to its counts and seconds, and why it was refused."""

    name: str
    place: str
    compiled: int = 0
    compile_seconds: float = 0.0
    launched: int = 0
    run_seconds: float = 0.0
    refusal: str = ""


class Journal:
    """A file of this process in `folder`, with a line for each change; nothing is held back."""

    def __init__(self, folder: Path):
        self._path = folder / f"{time.time_ns()}-{os.getpid()}.jsonl"
        self._file: int | None = None

    def write(self, change: Change) -> None:
        """Adds a line; does nothing where the process that reports has ended, and has removed the folder."""
        with contextlib.suppress(OSError):
            if self._file is None:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.write(self._file, (json.dumps(astuple(change)) + "\n").encode())


def read_journals(folder: Path) -> Iterator[Change]:
    """All changes in the files of a folder, the oldest file first; half a line, of a process that runs, is left out."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                yield Change(*json.loads(line))
