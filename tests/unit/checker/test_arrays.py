"""Which bytes belong to an array, and which element is at a place; the expected ones are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mytriton.checker.arrays import ArrayView, element_bytes, rows_of, view_of
from mytriton.runtime.arguments import Argument, describe
from mytriton.runtime.parameters import MISSING, Parameter

Array = np.ndarray[Any, np.dtype[Any]]


def view(value: Any) -> ArrayView:
    argument = describe(value, Parameter(0, "x", MISSING, MISSING, False, None), "kernel")
    found = view_of(value, argument, "x", 0)
    assert found is not None
    return found


def address_of(array: Array, index: tuple[int, ...]) -> int:
    return array[(*index, ...)].__array_interface__["data"][0]


def check(array: Array) -> None:
    """Compares every byte of an array, and those around it, with the addresses that NumPy gives."""
    found = view(array)
    elements: dict[int, set[tuple[int, ...]]] = {}
    for index in np.ndindex(array.shape):
        start = address_of(array, index)
        for byte in range(start, start + array.itemsize):
            elements.setdefault(byte, set()).add(index)
    assert found.shape == array.shape and found.item_bytes == array.itemsize
    low, high = np.lib.array_utils.byte_bounds(array)
    assert (found.start, found.start + found.size) == (low, high)
    for address in range(low - 8, high + 8):
        if address in elements:
            assert found.contains(address - low)
            assert found.index(address - low) in elements[address]
        else:
            assert not found.contains(address - low)
            assert found.index(address - low) is None


TABLE = np.zeros((5, 7), np.float32)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(9, np.int8),
        np.zeros((), np.float64),
        np.zeros((3, 4, 5), np.int16),
        TABLE,
        TABLE.T,
        TABLE[:, :3],
        TABLE[1:4, 2:],
        TABLE[::2],
        TABLE[:, 3],
        TABLE[::-1],
        TABLE[::-1, ::-1],
        TABLE[::-2, 1:3],
        TABLE[:, ::-1][:, 2:5],
        TABLE[2, ::-2],
        np.zeros((4, 3, 6), np.int16)[:, :, :4],
        np.zeros((4, 3, 6), np.int16)[:, :, ::-1][..., :2],
        np.zeros((4, 3, 6), np.int32).transpose(2, 0, 1),
        np.broadcast_to(np.zeros(6, np.int16), (3, 6)),
        np.broadcast_to(np.zeros((4, 1), np.int16), (4, 6)),
        np.lib.stride_tricks.sliding_window_view(np.zeros(9, np.int32), 4),
        np.zeros((1, 8, 1), np.float16),
        np.zeros(8, np.bool_),
    ],
)
def test_every_byte(array: Array) -> None:
    check(array)


@given(st.data())
def test_every_byte_of_slices(data: st.DataObject) -> None:
    """Slices of one axis: the others are whole, so that there is one kind of gaps."""
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    array = np.zeros(shape, data.draw(st.sampled_from(["i1", "f2", "f8"])))
    axis = data.draw(st.integers(0, len(shape) - 1))
    part = data.draw(st.slices(shape[axis]))
    array = array[(slice(None),) * axis + (part,)]
    if array.size and (axis == 0 or array.shape[axis] == shape[axis] or abs(part.step or 1) == 1):
        check(array.transpose(data.draw(st.permutations(range(len(shape))))))


def test_gaps_of_two_kinds() -> None:
    """The innermost gaps are seen; whole rows that do not belong to the array count as elements."""
    array = np.zeros((4, 6, 8), np.int8)[:, :3, :5]
    assert rows_of(array.shape, array.strides, 1) == (8, 5)
    found = view(array)
    offset = 3 * 8  # row 3 of the first plane, of which the array has 3
    assert found.contains(offset) and not found.contains(5)
    odd = np.lib.stride_tricks.as_strided(np.zeros(200, np.int8), (3, 3, 3), (31, 10, 1))
    assert rows_of(odd.shape, odd.strides, 1) == (0, 0)


def test_an_array_without_elements() -> None:
    found = view(np.zeros((0, 5), np.float32))
    assert (found.size, found.shape) == (0, (0, 5)) and not found.contains(0)


def test_an_index_between_rows() -> None:
    found = view(np.zeros((5, 7), np.float32)[:, :3])
    assert found.index_in_gap(4 * (2 * 7 + 5)) == (2, 5)
    assert found.index_in_gap(4) is None and found.index_in_gap(-4) is None


def test_bfloat16_and_float8() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    check(np.zeros((3, 4), ml_dtypes.bfloat16)[:, 1:])
    check(np.zeros((3, 4), ml_dtypes.float8_e4m3fn)[::2])
    assert view(np.zeros(2, ml_dtypes.bfloat16)).dtype == "bfloat16"


@pytest.mark.parametrize(
    ("name", "size"), [("*i1", 1), ("*fp8e4nv", 1), ("*u8", 1), ("*bf16", 2), ("*fp16", 2), ("*fp32", 4), ("*i64", 8)]
)
def test_sizes_of_elements(name: str, size: int) -> None:
    assert element_bytes(name) == size


def test_an_array_interface() -> None:
    array = np.zeros((4, 6), np.int32)[:, :2]

    class Wrapper:
        __array_interface__ = array.__array_interface__
        dtype = array.dtype

    found = view(Wrapper())
    assert (found.shape, found.strides, found.pitch, found.row_bytes) == ((4, 2), (24, 4), 24, 8)

    Wrapper.__array_interface__ = {**np.zeros((2, 3), np.int16).__array_interface__, "strides": None}
    assert view(Wrapper()).strides == (6, 2)


def test_another_dtype_for_the_same_memory() -> None:
    import mytriton.language as tl
    from mytriton.runtime.tensor_wrapper import reinterpret

    found = view(reinterpret(np.zeros((4, 6), np.int8)[:, ::2], tl.float8e5))
    assert (found.shape, found.item_bytes, found.pitch, found.row_bytes) == ((4, 3), 1, 2, 1)


def test_a_pointer_without_a_shape_has_no_extent() -> None:
    class Pointer:
        dtype = np.dtype(np.float32)

        def data_ptr(self) -> int:
            return 64

    assert view_of(Pointer(), Argument("*fp32", True, 64, "cpu"), "x", 0) is None


def test_torch() -> None:
    torch = pytest.importorskip("torch")
    table = torch.zeros(5, 7, dtype=torch.bfloat16)
    found = view(table[1:, 2:6])
    assert (found.shape, found.strides, found.dtype) == ((4, 4), (14, 2), "bfloat16")
    assert (found.start, found.size) == (table.data_ptr() + 14 + 4, 3 * 14 + 8)
    assert (found.pitch, found.row_bytes) == (14, 8)
    assert view(torch.zeros(3).expand(4, 3)).size == 12
