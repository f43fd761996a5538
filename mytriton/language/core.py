"""The names under which Triton's modules have the language."""

from __future__ import annotations

from typing import Any

from mytriton import language
from mytriton.language.aggregates import aggregate as _aggregate
from mytriton.language.context import builtin

__all__ = ["_aggregate", "builtin"]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(language, name)
