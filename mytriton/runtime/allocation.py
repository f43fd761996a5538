"""`set_allocator`: the function that gives kernels scratch memory; no kernel of mytriton needs any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mytriton.errors import LaunchError

Allocator = Callable[[int, int, Any], Any]
"""From bytes, alignment and stream to a buffer with `data_ptr`."""


class NullAllocator:
    """Has no memory to give."""

    def __call__(self, size: int, alignment: int, stream: Any) -> Any:
        raise LaunchError(f"a kernel asks for {size} bytes of scratch memory, but triton.set_allocator was not called")


_allocator: list[Allocator] = [NullAllocator()]


def set_allocator(allocator: Allocator) -> None:
    """Keeps `allocator`. It is never called: tensor descriptors need no memory here."""
    _allocator[0] = allocator


def current_allocator() -> Allocator:
    """What `set_allocator` was given last."""
    return _allocator[0]
