"""What arrays held before a launch, to be put back after a fault."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from mytriton.checker.arrays import ArrayView

Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"

KEPT_BYTES = 1 << 28
"""A thread keeps the memory of its last copy for the next one if it is not larger."""


class _Kept(threading.local):
    """The memory that a thread copies to; None while a snapshot uses it."""

    def __init__(self) -> None:
        self.memory: Bytes | None = None


_kept = _Kept()


class Snapshot:
    """Copies of arrays, of their elements and not of what lies between them."""

    def __init__(self, views: Iterable[ArrayView]):
        self._rows = [_rows_of(view) for view in views if view.size]
        needed = sum(rows.size for rows in self._rows)
        memory, _kept.memory = _kept.memory, None
        if memory is None or memory.size < needed:
            memory = np.empty(needed, np.uint8)
        self._memory = memory
        for rows, copy in self._pairs():
            np.copyto(copy, rows)

    def restore(self) -> None:
        """Puts back what the arrays held."""
        for rows, copy in self._pairs():
            np.copyto(rows, copy)

    def release(self) -> None:
        """Leaves the memory to the next snapshot of this thread."""
        if self._memory.size <= KEPT_BYTES:
            _kept.memory = self._memory

    def _pairs(self) -> Iterable[tuple[Bytes, Bytes]]:
        start = 0
        for rows in self._rows:
            yield rows, self._memory[start : start + rows.size].reshape(rows.shape)
            start += rows.size


def _rows_of(view: ArrayView) -> Bytes:
    """The memory of an array, one row for each of its rows."""
    buffer: Any = (ctypes.c_uint8 * view.size).from_address(view.start)
    memory: Bytes = np.frombuffer(buffer, np.uint8)
    if not view.pitch:
        return memory.reshape(1, -1)
    # The last row is where the array ends, so each row is whole.
    count = (view.size - view.row_bytes) // view.pitch + 1
    return np.lib.stride_tricks.as_strided(memory, (count, view.row_bytes), (view.pitch, 1))
