"""Room for text that nests deeply: whoever reads or compiles it calls itself for each region within another."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

FRAMES = 8000
"""Calls within each other: enough for 400 nested regions, and not too many for a stack of 8 MiB."""

_lock = Lock()
_inside = 0
_usual = 0


@contextmanager
def deep_nesting() -> Generator[None, None, None]:
    """Allows `FRAMES` calls within each other. The limit is one for all threads: the last that leaves lowers it."""
    global _inside, _usual
    with _lock:
        if _inside == 0:
            _usual = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_usual, FRAMES))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                sys.setrecursionlimit(_usual)
