"""Which builder the functions of the language add operations to, while a kernel is compiled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from mytriton import messages

if TYPE_CHECKING:
    from mytriton.frontend.builder import Builder

F = TypeVar("F", bound=Callable[..., Any])


class _Current(threading.local):
    builder: Builder | None = None
    is_silent = False


_current = _Current()


@dataclass
class ProgramView:
    """The program that a debugger has stopped: its position in the grid, and the sizes of that."""

    position: tuple[int, ...]
    grid: tuple[int, ...]


class _Inspected(threading.local):
    program: ProgramView | None = None


inspected = _Inspected()
"""What a debugger looks at in this thread."""


def inspected_program() -> ProgramView | None:
    """The program that a debugger has stopped, for what is called at its prompt; None while a kernel is compiled."""
    return inspected.program if _current.builder is None else None


def current_builder() -> Builder:
    """The builder of the kernel that this thread compiles; outside of one the functions of the language are refused."""
    if _current.builder is None:
        raise messages.outside_of_kernel()
    return _current.builder


@contextmanager
def building(builder: Builder) -> Generator[None]:
    """Lets the functions of the language add to `builder` within the `with` statement."""
    outer = _current.builder
    _current.builder = builder
    try:
        yield
    finally:
        _current.builder = outer


@contextmanager
def silently() -> Generator[None]:
    """Keeps what is compiled once more within the `with` statement from printing again what it prints by then."""
    outer = _current.is_silent
    _current.is_silent = True
    try:
        yield
    finally:
        _current.is_silent = outer


def is_silent() -> bool:
    """Whether `tl.static_print` prints nothing."""
    return _current.is_silent


def builtin(function: F) -> F:
    """Marks a function that kernels may call: it runs while the kernel is compiled and adds operations to it."""
    function.is_mytriton_builtin = True  # pyright: ignore[reportFunctionMemberAccess]
    return function


def is_builtin(value: object) -> bool:
    return getattr(value, "is_mytriton_builtin", False) is True
