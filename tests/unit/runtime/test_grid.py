"""Grids: what is accepted, and the message for each thing that is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mytriton.errors import LaunchError
from mytriton.runtime.grid import resolve_grid


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ((4,), (4, 1, 1)),
        ((4, 5), (4, 5, 1)),
        ((4, 5, 6), (4, 5, 6)),
        ([4, 5], (4, 5, 1)),
        (7, (7, 1, 1)),
        ((0,), (0, 1, 1)),
        ((4, 0), (4, 0, 1)),
        ((np.int64(4), np.uint8(5)), (4, 5, 1)),
        ((2**31 - 1, 65535, 65535), (2**31 - 1, 65535, 65535)),
    ],
)
def test_grids(grid: Any, expected: tuple[int, int, int]):
    found = resolve_grid(grid, "k")
    assert found == expected
    assert all(type(size) is int for size in found)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ((), "must have one, two or three numbers, found ()"),
        ((1, 2, 3, 4), "must have one, two or three numbers, found (1, 2, 3, 4)"),
        ((-5,), "must have from 0 to 2147483647 programs along axis 0, found -5 in (-5,)"),
        ((4, -1), "must have from 0 to 65535 programs along axis 1, found -1 in (4, -1)"),
        ((2**31,), "must have from 0 to 2147483647 programs along axis 0, found 2147483648 in (2147483648,)"),
        ((1, 65536), "must have from 0 to 65535 programs along axis 1, found 65536 in (1, 65536)"),
        ((4.0,), "must be of integers, found 4.0 along axis 0; use cdiv or // instead of /"),
        (("4",), "must be of integers, found '4' along axis 0"),
        (None, "must be an integer, a tuple of them, or a function that gives them, found None"),
        ("44", "must be an integer, a tuple of them, or a function that gives them, found '44'"),
    ],
)
def test_bad_grids(grid: Any, message: str):
    with pytest.raises(LaunchError) as caught:
        resolve_grid(grid, "k")
    assert str(caught.value) == f"the grid of kernel k {message}"
