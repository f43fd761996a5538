"""`@constexpr_function`: a Python function that kernels call on constants while they are compiled."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from mytriton.errors import MytritonError
from mytriton.runtime.constants import unwrapped
from mytriton.runtime.source import FunctionSource, source_of


class ConstexprFunction:
    """A Python function that may be called in kernels, with constants, and outside, like any other.

    As a method of an aggregate it is bound to the value that it is taken from.
    """

    is_mytriton_constexpr_function = True
    params: tuple[Any, ...] = ()
    __name__: str

    def __init__(self, fn: Callable[..., Any]):
        self.fn = fn
        functools.update_wrapper(self, fn)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return ConstexprFunction(functools.wraps(self.fn)(functools.partial(self.fn, instance)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*map(unwrapped, args), **{name: unwrapped(value) for name, value in kwargs.items()})

    @functools.cached_property
    def source(self) -> FunctionSource | None:
        """The text of the function, if there is one."""
        try:
            return source_of(self.fn)  # pyright: ignore[reportArgumentType]
        except MytritonError:
            return None

    @property
    def src(self) -> str:
        return self.source.text if self.source else repr(self.fn)

    @property
    def source_file(self) -> str:
        return self.source.file if self.source else "<unknown>"

    @property
    def source_line(self) -> int:
        return self.source.line if self.source else 1

    def parse(self) -> ast.Module:
        return ast.parse(self.src) if self.source else ast.Module([], [])

    def __repr__(self) -> str:
        return f"ConstexprFunction({self.fn.__module__}:{self.fn.__qualname__})"


def constexpr_function(fn: Callable[..., Any]) -> ConstexprFunction:
    """Lets kernels call a Python function while they are compiled: it gets constants, and what it returns is one."""
    return ConstexprFunction(fn)
