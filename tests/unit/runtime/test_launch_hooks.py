"""`knobs.runtime.launch_enter_hook` and `launch_exit_hook` are called around each launch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import ArgumentError
from mytriton.knobs import HookChain
from mytriton.runtime import launch_hooks
from mytriton.runtime.launch_hooks import LazyDict


def described(grid: tuple[int, ...], metadata: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"grid": grid, "warps": metadata.num_warps, "arguments": list(arguments), "n": arguments["n"]}


@triton.jit(launch_metadata=described)
def counts(x: Any, n: Any, BLOCK: tl.constexpr) -> None:
    tl.store(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), n)


@triton.jit
def plain(x: Any) -> None:
    tl.store(x, 1)


@pytest.fixture(autouse=True)
def no_hooks() -> Iterator[None]:
    yield
    launch_hooks.ENTER.calls.clear()
    launch_hooks.EXIT.calls.clear()


def test_a_hook_sees_the_launch_from_both_sides() -> None:
    x = np.zeros(8, np.int32)
    seen: list[Any] = []
    runtime = triton.knobs.runtime

    def enter_hook(facts: LazyDict) -> None:
        seen.append(("enter", facts.get(), x.tolist()))

    def exit_hook(facts: LazyDict) -> None:
        seen.append(("exit", facts.get()["name"], x.tolist()))

    runtime.launch_enter_hook.add(enter_hook)
    runtime.launch_exit_hook.add(exit_hook)
    kernel = counts[(2,)](x, 5, BLOCK=4, num_warps=2)
    (enter, facts, before), (leave, name, after) = seen
    assert (enter, before) == ("enter", [0] * 8) and (leave, after) == ("exit", [5] * 8)
    assert facts["function"] is kernel and facts["name"] == name == "counts" and facts["stream"] == 0
    assert facts["grid"][0] == 2 and facts["warps"] == 2
    assert facts["arguments"] == ["x", "n", "BLOCK"] and facts["n"] == 5


def test_every_way_to_launch_and_none_else() -> None:
    x = np.zeros(4, np.int32)
    seen: list[str] = []

    def hook(facts: LazyDict) -> None:
        seen.append(facts.get()["name"])

    triton.knobs.runtime.launch_enter_hook = hook
    kernel = plain.warmup(x, grid=(1,))
    plain[(0,)](x)
    assert seen == []
    kernel[(1,)](x)
    triton.autotune([triton.Config({})], key=[])(plain)[(1,)](x)
    with triton.sanitize():
        plain[(1,)](x)
    assert seen == ["plain"] * 3
    triton.knobs.runtime.launch_enter_hook = None
    plain[(1,)](x)
    assert seen == ["plain"] * 3 and not launch_hooks.are_set()


def test_an_error_of_the_launch_passes() -> None:
    seen: list[str] = []

    def hook(facts: LazyDict) -> None:
        seen.append("exit")

    triton.knobs.runtime.launch_exit_hook.add(hook)
    with pytest.raises(ArgumentError):
        plain[(1,)](1, 2, 3)
    assert seen == []


def test_chains() -> None:
    order: list[str] = []

    def first(*args: Any) -> None:
        order.append(f"first {args}")

    def second(*args: Any) -> None:
        order.append(f"second {args}")

    for chain in (HookChain(), HookChain(reversed=True)):
        for hook in (first, second, first):
            chain.add(hook)
        chain(1)
        chain.remove(second)
        chain.remove(second)
        chain(2)
    assert order == ["first (1,)", "second (1,)", "first (2,)", "second (1,)", "first (1,)", "first (2,)"]


def test_what_is_computed_late_is_computed_once() -> None:
    calls: list[int] = []

    def more(value: int) -> dict[str, int]:
        calls.append(value)
        return {"more": value}

    facts = LazyDict({"name": "x"})
    facts.add(more, (3,))
    assert calls == []
    assert facts.get() == facts.get() == {"name": "x", "more": 3} and calls == [3]
