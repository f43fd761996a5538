"""Faults that were planted in kernels: each is found, with its kind and its lines, the same each time."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import mytriton as triton
from mytriton.checker import KernelFault
from tests.checker.planted import PLANTED, Planted


def marked(function: Any, mark: str) -> list[int]:
    lines, first = inspect.getsourcelines(function.fn)
    return [first + i for i, line in enumerate(lines) if line.rstrip().endswith(f"# {mark}")]


def run(planted: Planted, arguments: tuple[Any, ...] | None = None, **options: Any) -> KernelFault:
    arguments = arguments or planted.args()
    before: list[Any] = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    launch_options = {name: options.pop(name) for name in ("num_warps",) if name in options}
    with triton.sanitize(**planted.options, **options), pytest.raises(KernelFault) as caught:
        planted.kernel[planted.grid](*arguments, **planted.constants, **launch_options)
    for argument, was in zip(arguments, before, strict=True):
        assert not isinstance(argument, np.ndarray) or (argument == was).all(), "a launch that failed has written"
    return caught.value


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_it_is_found(planted: Planted) -> None:
    arguments = planted.args()
    fault = run(planted, arguments)
    assert type(fault) is planted.kind, fault
    here, there = (marked(planted.lines_of or planted.kernel, mark) for mark in ("here", "there"))
    lines = [side.line for side in fault.sides]
    if here:
        assert lines[0] in here, fault
    if there:
        assert lines[1] in there, fault
    assert all(side.file == __file__.replace("test_planted", "planted") for side in fault.sides)
    if planted.array is not None:
        assert fault.array is not None and fault.array.name == planted.array, fault
    if planted.index is not None:
        assert fault.index == planted.index
    assert str(run(planted, arguments)) == str(fault), "the report differs from run to run"


def test_the_call_of_a_function_is_told() -> None:
    planted = next(planted for planted in PLANTED if planted.lines_of is not None)
    fault = run(planted)
    assert [call.line for call in fault.sides[0].callers] == marked(planted.kernel, "call")
    (call,) = fault.sides[0].callers
    assert f"{call}: note: called from here\n{call.source_line}\n" in str(fault)


def test_the_elements_of_empty_are_called_so() -> None:
    fault = run(next(planted for planted in PLANTED if planted.name == "elements_that_nothing_set"))
    assert fault.message == "undefined value: an element of tl.empty has no value, but is stored"
    assert "tl.zeros" in fault.hint


def test_a_wrapped_address_says_where_it_is() -> None:
    """8 * 2**28 is 2**31, which as an int32 is negative."""
    fault = run(next(planted for planted in PLANTED if planted.name == "lanes_times_a_stride"))
    assert fault.value == "2147483648 elements before the beginning of x"
    assert "note: the address is 2147483648 elements before the beginning of x" in str(fault)
    assert fault.index is None and fault.shape == (64,)


@pytest.mark.parametrize("num_warps", [1, 2, 8])
@pytest.mark.parametrize("planted", PLANTED[::2], ids=lambda planted: planted.name)
def test_it_is_found_with_other_numbers_of_warps(planted: Planted, num_warps: int) -> None:
    assert type(run(planted, num_warps=num_warps, schedule=num_warps)) is planted.kind


def test_there_are_enough() -> None:
    assert len(PLANTED) >= 60 and len({planted.kind for planted in PLANTED}) == 10
