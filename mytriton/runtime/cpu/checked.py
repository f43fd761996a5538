"""A kernel with checks: it looks at each access, and a launch gives the faults that it found."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mytriton.errors import LaunchError
from mytriton.runtime.cpu import native_runtime as native
from mytriton.runtime.cpu.faults import RawFault
from mytriton.runtime.cpu.kernel import CpuKernel

_CELL_BYTES = 8
_READ_CELLS = 2  # for each granule

# The cells of global memory are those of one launch at a time.
_one_launch = threading.RLock()


def _begin_in_child() -> None:
    """After a fork nobody is left who would release the lock."""
    global _one_launch
    _one_launch = threading.RLock()


os.register_at_fork(after_in_child=_begin_in_child)


@dataclass(frozen=True)
class ArrayExtent:
    """The memory that a kernel may access through its parameter number `index`: `bytes` from `address` on.

    Where it is rows with gaps between them, `pitch` is the distance of two rows and `row_bytes` the size of one. With
    `written` the kernel may write there, so that accesses of different threads and programs can be in conflict.
    """

    index: int
    address: int
    bytes: int
    pitch: int = 0
    row_bytes: int = 0
    element_bytes: int = 1
    written: bool = False

    @property
    def end(self) -> int:
        return self.address + self.bytes


class _Array(ctypes.Structure):
    """`struct mytriton_array` of include/mytriton_abi.h."""

    _fields_: ClassVar = [
        ("base", ctypes.c_void_p),
        ("bytes", ctypes.c_longlong),
        ("pitch", ctypes.c_longlong),
        ("row_bytes", ctypes.c_longlong),
        ("writes", ctypes.c_void_p),
        ("reads", ctypes.c_void_p),
        ("shift", ctypes.c_uint),
        ("number", ctypes.c_int),
        ("careful", ctypes.c_uint),
    ]


class _Request(ctypes.Structure):
    """`struct request` of native/runtime.h."""

    _fields_: ClassVar = [
        ("arrays", ctypes.c_void_p),
        ("array_of_parameter", ctypes.c_void_p),
        ("find_all", ctypes.c_uint),
        ("shuffled", ctypes.c_uint),
        ("exact", ctypes.c_uint),
        ("seed", ctypes.c_ulonglong),
        ("step_limit", ctypes.c_ulonglong),
    ]


class CheckedKernel(CpuKernel):
    """A kernel that was compiled with checks."""

    def launch_checked(
        self,
        grid: Sequence[int],
        args: Sequence[Any],
        arrays: Sequence[ArrayExtent],
        *,
        find_all: bool = False,
        seed: int | None = None,
        step_limit: int | None = None,
        workers: int | None = None,
        exact: bool = False,
        tells_if_failed: bool = True,
    ) -> list[RawFault]:
        """Runs the kernel as `launch` does, which says what it raises; the faults found, none if all is well.

        A fault ends the launch, unless it is to `find_all` that are different. `seed` chooses an order of blocks, warps
        and threads; the same order each time with one worker. A block whose threads go through more than `step_limit`
        turns of loops, all together, is a fault. Where the launch is not `exact`, a fault in shared memory is but a
        suspicion, of which an exact launch makes a fault, or nothing; to find all is exact. Without `workers` as many
        blocks run at the same time as `launch` would run. What the kernel records is told unless there is a fault or a
        deadlock, or where it `tells_if_failed`.
        """
        with _one_launch:
            table = _arrays(arrays, self._runtime)
            of_parameter = (ctypes.c_int * max(1, len(self.params)))(*[-1] * len(self.params))
            for number, extent in enumerate(arrays):
                of_parameter[extent.index] = number
            request = _Request(
                ctypes.addressof(table),
                ctypes.addressof(of_parameter),
                int(find_all),
                int(seed is not None),
                int(exact),
                (seed or 0) % 2**64,
                step_limit or 0,
            )
            return self._launch(grid, args, workers, request, tells_if_failed)

    def launch(self, grid: Sequence[int], args: Sequence[Any], workers: int | None = None) -> None:
        """Looks at shared memory and barriers only, since no array is known; raises `LaunchError` for a fault."""
        if faults := self.launch_checked(grid, args, (), workers=workers):
            raise LaunchError(f"{self.name}: the checker found {len(faults)} faults")


def _arrays(extents: Sequence[ArrayExtent], runtime: native.NativeRuntime) -> ctypes.Array[_Array]:
    """The table of the arrays, with cells for those that are written to and those that overlap them."""
    table = (_Array * max(1, len(extents)))()
    for number, (entry, extent) in enumerate(zip(table, extents, strict=False)):
        entry.base, entry.bytes = extent.address, extent.bytes
        entry.pitch, entry.row_bytes, entry.number = extent.pitch, extent.row_bytes, number
    regions = [_Region(group) for group in _overlapping(extents) if any(extents[i].written for i in group)]
    needed = 0
    places: list[tuple[_Region, int]] = []
    for region in regions:
        region.measure(extents)
        places.append((region, needed))
        needed += region.granules * _CELL_BYTES * (1 + _READ_CELLS)
    cells = runtime.shadow(max(1, needed))
    if not cells:
        raise LaunchError(f"there is not enough memory to check the launch: its arrays need {needed} bytes more")
    for region, offset in places:
        for number in region.arrays:
            first = (extents[number].address - region.begin) >> region.shift
            entry = table[number]
            entry.shift = region.shift
            entry.writes = cells + offset + first * _CELL_BYTES
            entry.reads = cells + offset + (region.granules + first * _READ_CELLS) * _CELL_BYTES
    return table


class _Region:
    """Arrays that have bytes in common, and so the cells."""

    def __init__(self, arrays: Sequence[int]):
        self.arrays = arrays
        self.begin = self.granules = self.shift = 0

    def measure(self, extents: Sequence[ArrayExtent]) -> None:
        members = [extents[i] for i in self.arrays]
        self.begin = min(extent.address for extent in members)
        size = min(extent.element_bytes for extent in members)
        while any((extent.address - self.begin) % size for extent in members):
            size //= 2
        self.shift = size.bit_length() - 1
        self.granules = (max(extent.end for extent in members) - self.begin >> self.shift) + 1


def _overlapping(extents: Sequence[ArrayExtent]) -> list[list[int]]:
    """The numbers of the arrays in groups; arrays of different groups have no byte in common."""
    groups: list[list[int]] = []
    end = 0
    for number in sorted(range(len(extents)), key=lambda i: (extents[i].address, -extents[i].bytes)):
        extent = extents[number]
        if groups and extent.address < end:
            groups[-1].append(number)
        else:
            groups.append([number])
            end = 0
        end = max(end, extent.end)
    return groups
