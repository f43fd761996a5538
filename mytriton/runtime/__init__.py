"""Runs kernels: `jit`, specialisation, caches, and the CPU and CUDA devices."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """The names that `triton.runtime` has, for programs that say `import mytriton as triton`."""
    if name in ("driver", "errors"):
        return importlib.import_module(f"mytriton.runtime.{name}")
    if name[:1].isupper() or name in ("autotune", "heuristics", "reinterpret"):
        from mytriton.drop_in.modules import FACADES, named

        if name in FACADES["triton.runtime"]:
            return named("triton.runtime", name)
    # The import system asks for each submodule before it imports it.
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
