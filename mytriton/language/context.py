"""Which builder the functions of the language add operations to, while a kernel is compiled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from mytriton import messages

if TYPE_CHECKING:
    from mytriton.frontend.builder import Builder

F = TypeVar("F", bound=Callable[..., Any])


class _Current(threading.local):
    builder: Builder | None = None


_current = _Current()


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


def builtin(function: F) -> F:
    """Marks a function that kernels may call: it runs while the kernel is compiled and adds operations to it."""
    function.is_mytriton_builtin = True  # pyright: ignore[reportFunctionMemberAccess]
    return function


def is_builtin(value: object) -> bool:
    return getattr(value, "is_mytriton_builtin", False) is True
