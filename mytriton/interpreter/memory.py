"""The arrays of a launch as memory: every access is checked against them."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.ir import Attribute

from mytriton.errors import LaunchError
from mytriton.interpreter.values import Array, bytes_of, from_memory, to_memory


@dataclass(frozen=True)
class Segment:
    """The bytes of one array; `name` is what a message calls it."""

    name: str
    start: int
    data: Array

    @property
    def end(self) -> int:
        return self.start + len(self.data)


class Memory:
    """Finds the array that an address lies in."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._starts: list[int] = []
        self.watchers = 0
        """How many loops want to know whether memory changes."""
        self.changes = 0
        """How often it was written to with other bytes than it had, while there was a watcher."""

    def add(self, name: str, array: Any) -> int:
        """Makes an array known and returns its address."""
        address, start, end = extent_of(array)
        size = end - start
        buffer: Any = (ctypes.c_uint8 * size).from_address(start) if size else b""
        self.segments.append(Segment(name, start, np.frombuffer(buffer, np.uint8)))
        self.segments.sort(key=lambda segment: segment.start)
        self._starts = [segment.start for segment in self.segments]
        return address

    def _segment(self, first: int, last_end: int) -> Segment:
        """The array that holds all bytes from `first` to before `last_end`."""
        position = bisect_right(self._starts, first)
        for segment in reversed(self.segments[:position]):
            if last_end <= segment.end:
                return segment
        raise LaunchError(f"out of bounds: {self._where(first)}")

    def _where(self, address: int) -> str:
        nearest = min(self.segments, key=lambda s: max(s.start - address, address - s.end + 1, 0), default=None)
        if nearest is None:
            return f"address {address:#x}; the kernel has no arrays"
        return f"byte {address - nearest.start} of {nearest.name}, which has {len(nearest.data)} bytes"

    def load(self, element: Attribute, addresses: Array) -> Array:
        """The elements at addresses, all of which must lie in arrays of the launch."""
        flat = addresses.reshape(-1)
        size = bytes_of(element)
        raw = np.empty((len(flat), size), np.uint8)
        for segment, chosen in self._by_segment(flat, size):
            offsets = (flat[chosen] - segment.start)[:, None] + np.arange(size)
            raw[chosen] = segment.data[offsets]
        return from_memory(element, raw).reshape(addresses.shape)

    def store(self, element: Attribute, addresses: Array, values: Array) -> None:
        """Writes elements; where two have one address the last one stays."""
        flat = addresses.reshape(-1)
        size = bytes_of(element)
        raw = to_memory(element, values)
        for segment, chosen in self._by_segment(flat, size):
            offsets = (flat[chosen] - segment.start)[:, None] + np.arange(size)
            if self.watchers and (segment.data[offsets] != raw[chosen]).any():
                self.changes += 1
            segment.data[offsets] = raw[chosen]

    def update(self, element: Attribute, addresses: Array, change: Callable[[Array, Array], Array]) -> Array:
        """Changes elements one after the other and gives what each was before.

        `change` gets old elements, with the positions of their addresses in the flat array of addresses, and gives the
        new ones.
        """
        flat = addresses.reshape(-1)
        before = self.load(element, flat)
        order = np.argsort(flat, kind="stable")
        is_first = np.diff(flat[order], prepend=flat[order[:1]] - 1) != 0
        # How often the same address stands before each one.
        counts = np.arange(len(flat)) - np.maximum.accumulate(np.where(is_first, np.arange(len(flat)), 0))
        for turn in range(int(counts.max(initial=-1)) + 1):
            chosen = order[counts == turn]
            before[chosen] = self.load(element, flat[chosen])
            self.store(element, flat[chosen], change(before[chosen], chosen))
        return before.reshape(addresses.shape)

    def _by_segment(self, flat: Array, size: int) -> list[tuple[Segment, Array]]:
        """The addresses in groups that lie in one array each."""
        if not len(flat):
            return []
        low, high = int(flat.min()), int(flat.max()) + size
        position = bisect_right(self._starts, low)
        for segment in reversed(self.segments[:position]):
            if high <= segment.end:
                return [(segment, np.arange(len(flat)))]
        groups: dict[int, list[int]] = {}
        found: dict[int, Segment] = {}
        for index, address in enumerate(flat.tolist()):
            segment = self._segment(address, address + size)
            groups.setdefault(id(segment), []).append(index)
            found[id(segment)] = segment
        return [(found[key], np.array(indices)) for key, indices in groups.items()]


def numpy_extent(array: Array) -> tuple[int, int, int]:
    address = array.ctypes.data
    low, high = np.lib.array_utils.byte_bounds(array) if array.size else (address, address)
    return address, low, high


def extent_of(array: Any) -> tuple[int, int, int]:
    """The address of an array's first element, and the first and one past the last byte that belong to it."""
    if isinstance(array, np.ndarray):
        return numpy_extent(cast(Array, array))
    if hasattr(array, "untyped_storage"):
        storage = array.untyped_storage()
        return array.data_ptr(), storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    if hasattr(array, "__array_interface__"):
        return numpy_extent(np.asarray(array))
    raise LaunchError(f"the interpreter takes NumPy arrays and torch CPU tensors, found {type(array).__name__}")
