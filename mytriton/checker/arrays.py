"""The arrays of a launch as the checker sees them: which bytes belong to each, and which element is at a place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mytriton.runtime.arguments import Argument


@dataclass(frozen=True)
class ArrayView:
    """An array that a kernel was given: `name` is what the kernel calls it, `parameter` counts the kernel's parameters.

    `strides` are in bytes and may be negative or 0. `start` is the lowest address of its elements, and `size` the bytes
    from there to the end of the highest one. Where its elements lie in rows with gaps between them, `pitch` is the
    distance of rows and `row_bytes` the size of one; otherwise both are 0.
    """

    name: str
    parameter: int
    dtype: str
    item_bytes: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int
    size: int
    pitch: int = 0
    row_bytes: int = 0

    def contains(self, offset: int) -> bool:
        """Whether the byte at `offset` from `start` belongs to the array."""
        return 0 <= offset < self.size and (not self.pitch or offset % self.pitch < self.row_bytes)

    def index(self, offset: int) -> tuple[int, ...] | None:
        """The index of the element that has the byte at `offset` from `start`; None where none has."""
        found, rest = self._split(offset, clipped=True)
        return found if self.contains(offset) and rest < self.item_bytes else None

    def index_in_gap(self, offset: int) -> tuple[int, ...] | None:
        """The index of a byte between two rows, as if the rows were longer; None where it is not between them."""
        if not 0 <= offset < self.size or self.contains(offset):
            return None
        found, rest = self._split(offset, clipped=False)
        return found if rest < self.item_bytes else None

    def _split(self, offset: int, clipped: bool) -> tuple[tuple[int, ...], int]:
        """An index, and the bytes that are left; without `clipped` the axis of the smallest stride may be left."""
        index = [0] * len(self.shape)
        axes = [axis for axis, extent in enumerate(self.shape) if extent > 1 and self.strides[axis]]
        axes.sort(key=lambda axis: -abs(self.strides[axis]))
        for axis in axes:
            number, rest = divmod(offset, abs(self.strides[axis]))
            last = self.shape[axis] - 1
            if number > last and (clipped or axis != axes[-1]):
                number, rest = last, offset - last * abs(self.strides[axis])
            # A negative stride counts from the other end.
            index[axis] = number if self.strides[axis] > 0 else last - number
            offset = rest
        return tuple(index), offset

    def overlaps(self, other: ArrayView) -> bool:
        return self.start < other.start + other.size and other.start < self.start + self.size


def view_of(value: Any, argument: Argument, name: str, parameter: int) -> ArrayView | None:
    """The array `value`; None where its shape is not known. Takes what a launch takes as a pointer."""
    layout = _layout(value)
    if layout is None:
        return None
    shape, strides = layout
    item_bytes = element_bytes(argument.type)
    dtype = str(getattr(value, "dtype", argument.type.removeprefix("*"))).removeprefix("torch.")
    if 0 in shape:
        return ArrayView(name, parameter, dtype, item_bytes, shape, strides, argument.value, 0)
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    start = argument.value + sum(step for step in reach if step < 0)
    size = sum(map(abs, reach)) + item_bytes
    pitch, row_bytes = rows_of(shape, strides, item_bytes)
    return ArrayView(name, parameter, dtype, item_bytes, shape, strides, start, size, pitch, row_bytes)


def _layout(value: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The shape and the strides in bytes."""
    if hasattr(value, "data_ptr") and callable(getattr(value, "stride", None)) and hasattr(value, "element_size"):
        size = value.element_size()
        return tuple(map(int, value.shape)), tuple(int(stride) * size for stride in value.stride())
    interface = getattr(value, "__array_interface__", None)
    if interface is None:
        return None
    shape = tuple(map(int, interface["shape"]))
    strides = interface.get("strides")
    if strides is None:
        size = int(interface["typestr"][2:])
        strides = tuple(size * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return shape, tuple(map(int, strides))


def rows_of(shape: Sequence[int], strides: Sequence[int], item_bytes: int) -> tuple[int, int]:
    """The distance of the rows of an array, and the bytes of one, where there are gaps between them; else 0 and 0.

    Of an array with gaps of several kinds these are the innermost rows, and those of the gaps that hold whole rows
    count as elements. Where no distance fits all rows, no gap is known.
    """
    axes = sorted((abs(stride), extent) for extent, stride in zip(shape, strides, strict=True) if extent > 1 and stride)
    row_bytes = item_bytes
    while axes and axes[0][0] <= row_bytes:
        stride, extent = axes.pop(0)
        row_bytes += stride * (extent - 1)
    if not axes or any(stride % axes[0][0] for stride, _ in axes):
        return 0, 0
    return axes[0][0], row_bytes


def element_bytes(pointer_type: str) -> int:
    """`"*fp32"` -> 4, `"*i1"` -> 1, `"*fp8e5"` -> 1."""
    if pointer_type.startswith("*fp8"):
        return 1
    return max(1, int(pointer_type.lstrip("*abcdefghijklmnopqrstuvwxyz")) // 8)
