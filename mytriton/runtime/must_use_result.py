"""`@must_use_result`: a mark on functions whose result a kernel must not drop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def must_use_result(x: Any, s: object = True) -> Any:
    """Gives `x` back, or with a text in its place a decorator that does: a dropped result is no error here."""
    if isinstance(x, str):
        decorate: Callable[[Any], Any] = lambda fn: fn  # noqa: E731
        return decorate
    return x
