"""The same functions as `tl.extra.libdevice`."""

from __future__ import annotations

from typing import Any

from mytriton.language.extra import libdevice


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(libdevice, name)


def __dir__() -> list[str]:
    return dir(libdevice)
