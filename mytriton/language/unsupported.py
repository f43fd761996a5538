"""The names of Triton's language that mytriton knows of and does not compile yet, each with the reason."""

from __future__ import annotations

from typing import Any

from mytriton import messages
from mytriton.errors import UnsupportedError


class UnsupportedName:
    """Stands in for a function, or a module of functions, so that using it is an error that says why."""

    def __init__(self, name: str, reason: str):
        self.name = name
        self.reason = reason

    def error(self) -> UnsupportedError:
        return messages.unsupported_name(self.name, self.reason)

    def attribute(self, name: str) -> UnsupportedName:
        return UnsupportedName(f"{self.name}.{name}", self.reason)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise self.error()

    def __getattr__(self, name: str) -> UnsupportedName:
        if name.startswith("_") or name == "is_mytriton_jit":
            raise AttributeError(name)
        return self.attribute(name)

    def __repr__(self) -> str:
        return f"<mytriton.language.{self.name}, not supported>"


REASONS: dict[str, str] = {}
"""Of each name, why it is refused."""

MEMBERS: frozenset[str] = frozenset()
"""Those that are methods of a tensor too."""
