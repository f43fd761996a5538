"""What most random kernels do without, so that many can be run: the same text, compiled with less work.

The host compiler does not optimise, NVRTC checks the text and makes no code of it, and the interpreter runs a copy of
the module instead of its text, which is not even printed. `Program.is_thorough` says which kernels take the whole way.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from mytriton import ttir
from mytriton.runtime import nvrtc
from mytriton.runtime.cpu import toolchain


@contextmanager
def shortcuts() -> Generator[None]:
    """In the `with` block, kernels are compiled for the CPU and interpreted with less work."""
    modules: dict[str, Any] = {}
    parse_module = ttir.parse_module

    def kept(module: Any, **_: Any) -> str:
        name = f"module {len(modules)}"
        modules[name] = module.clone()
        return name

    def kept_or_parsed(text: str, *arguments: Any) -> Any:
        return modules[text] if text in modules else parse_module(text, *arguments)

    with (
        patch.object(toolchain, "_OPTIMISATION", "-O0"),
        patch.object(toolchain, "_LARGE_TEXT_OPTIMISATION", "-O0"),
        patch.object(toolchain, "_GCC_OPTIMISATION", ()),
        patch.object(ttir, "print_module", kept),
        patch.object(ttir, "parse_module", kept_or_parsed),
    ):
        yield


@contextmanager
def whole_way() -> Generator[None]:
    """In the `with` block, kernels are compiled as they are for users, and their IR is verified too."""
    with patch.dict(os.environ, {"MYTRITON_VERIFY": "1"}):
        yield


def check_syntax(text: str, arch: str) -> None:
    """Has NVRTC's front end read a text; raises `NvrtcError` where it refuses it."""
    flags = [*nvrtc._flags(arch.replace("sm_", "compute_"), True, None), "--fdevice-syntax-only"]
    nvrtc._compile(text, arch, flags, "PTX")
