"""The grid of a launch: how many programs run, along up to three axes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex, TypeAlias, cast

from mytriton.errors import LaunchError

Grid: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | Callable[[dict[str, Any]], Any]
"""A number of programs, up to three of them, or a function of the kernel's arguments that gives them."""

LIMITS = (2**31 - 1, 65535, 65535)
"""The most programs along each axis, as on every NVIDIA GPU."""


def resolve_grid(grid: Any, kernel: str) -> tuple[int, int, int]:
    """The number of programs along x, y and z, from one to three numbers; axes without one get 1.

    A grid of no programs (a number is 0) is allowed, as in Triton: empty arrays need no case of their own. Raises
    `LaunchError` where a number is no integer, negative or over `LIMITS`, or there are more than three.
    """
    sizes = _as_tuple(grid, kernel)
    if not 1 <= len(sizes) <= 3:
        raise LaunchError(f"the grid of kernel {kernel} must have one, two or three numbers, found {sizes!r}")
    numbers: list[int] = []
    for axis, (size, limit) in enumerate(zip(sizes, LIMITS, strict=False)):
        number = _as_integer(size, axis, kernel)
        if not 0 <= number <= limit:
            raise LaunchError(
                f"the grid of kernel {kernel} must have from 0 to {limit} programs along axis {axis}, "
                f"found {number} in {sizes!r}"
            )
        numbers.append(number)
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _as_tuple(grid: Any, kernel: str) -> tuple[Any, ...]:
    if isinstance(grid, tuple | list):
        return tuple(cast(Iterable[Any], grid))
    try:
        return (operator.index(grid),)
    except TypeError:
        raise LaunchError(
            f"the grid of kernel {kernel} must be an integer, a tuple of them, or a function that gives them, "
            f"found {grid!r}"
        ) from None


def _as_integer(size: Any, axis: int, kernel: str) -> int:
    try:
        return operator.index(size)
    except TypeError:
        hint = "; use cdiv or // instead of /" if isinstance(size, float) else ""
        raise LaunchError(
            f"the grid of kernel {kernel} must be of integers, found {size!r} along axis {axis}{hint}"
        ) from None
