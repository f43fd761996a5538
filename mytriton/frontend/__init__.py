"""The frontend: a Python kernel becomes `tt`. The kernel is read as a syntax tree and never run as Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mytriton.frontend.kernel import build_module


def __getattr__(name: str) -> Any:
    # The compiler is imported when the first kernel is compiled.
    if name == "build_module":
        from mytriton.frontend.kernel import build_module

        return build_module
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["build_module"]
