"""Functions that are called around each launch: `triton.knobs.runtime.launch_enter_hook` and `launch_exit_hook`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any


class HookChain:
    """Functions that are called one after the other, or with `reversed` the last one first."""

    def __init__(self, reversed: bool = False):
        self.calls: list[Callable[..., Any]] = []
        self.reversed = reversed

    def add(self, func: Callable[..., Any]) -> None:
        """Adds a function, unless it is there."""
        if func not in self.calls:
            self.calls.append(func)

    def remove(self, func: Callable[..., Any]) -> None:
        """Takes a function out, if it is there."""
        if func in self.calls:
            self.calls.remove(func)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        for function in self.calls[:: -1 if self.reversed else 1]:
            function(*args, **kwargs)


class LazyDict:
    """A dictionary, some of which is computed when `get` is called."""

    def __init__(self, data: Mapping[str, Any]):
        self._data = dict(data)
        self._waiting: list[tuple[Callable[..., Mapping[str, Any]], tuple[Any, ...]]] = []

    def add(self, func: Callable[..., Mapping[str, Any]], args: tuple[Any, ...]) -> None:
        """Has `func(*args)` give further entries."""
        self._waiting.append((func, args))

    def get(self) -> dict[str, Any]:
        """All entries."""
        while self._waiting:
            func, args = self._waiting.pop(0)
            self._data |= func(*args)
        return self._data


ENTER = HookChain()
EXIT = HookChain(reversed=True)


def are_set() -> bool:
    """Whether anybody wants to know of launches."""
    return bool(ENTER.calls or EXIT.calls)


def set_hooks(chain: HookChain, value: Any) -> None:
    """Has `chain` call what `value` says: a chain, a function, or with None nothing."""
    chain.calls[:] = [] if value is None else value.calls if isinstance(value, HookChain) else [value]


@contextmanager
def called_around(
    kernel: Any, describe: Callable[..., Mapping[str, Any]] | None, grid: tuple[int, ...], arguments: Mapping[str, Any]
) -> Generator[None]:
    """Calls the hooks before and after a launch.

    They are given a `LazyDict` with `name`, `function` (the `CompiledKernel`) and `stream`, and with what
    `describe(grid, metadata, arguments)` gives, which is the `launch_metadata` of the kernel.
    """
    from mytriton.runtime.driver import driver

    facts = LazyDict({"name": kernel.name, "function": kernel, "stream": driver.default.get_current_stream()})
    if describe is not None:
        facts.add(describe, (grid, kernel.metadata, arguments))
    ENTER(facts)
    yield
    EXIT(facts)
