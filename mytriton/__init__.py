"""A compiler for Triton kernels that prints CUDA C.

    import mytriton as triton
    import mytriton.language as tl

Importing this imports neither xDSL nor a CUDA library: the compiler is loaded when the first kernel is compiled.

PYTEST_DONT_REWRITE: pytest would rewrite the assertions of a package that has a plugin, and warns where the program has
imported the package before.
"""

from __future__ import annotations

import importlib
from typing import Any

from mytriton import language, testing
from mytriton.arithmetic import cdiv, next_power_of_2
from mytriton.checker import KernelFault, KernelFaults, sanitize
from mytriton.errors import (
    ArgumentError,
    CompilationError,
    InternalError,
    LaunchError,
    MissingToolError,
    MytritonError,
    NvrtcError,
    NvrtcMissingError,
    OptionError,
    OutOfResourcesError,
    PassError,
    UnsupportedError,
)
from mytriton.interpreter import interpret
from mytriton.language.aggregates import aggregate
from mytriton.language.constexpr import constexpr
from mytriton.options import Options
from mytriton.runtime.autotuner import Autotuner, autotune
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.configs import Config
from mytriton.runtime.constexpr_function import ConstexprFunction, constexpr_function
from mytriton.runtime.heuristics import Heuristics, heuristics
from mytriton.runtime.jit import JITFunction, jit
from mytriton.runtime.kernel_interface import KernelInterface
from mytriton.runtime.ttir_kernel import TTIRKernel, compile_ttir

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "Autotuner",
    "CompilationError",
    "CompiledKernel",
    "Config",
    "ConstexprFunction",
    "Heuristics",
    "InternalError",
    "JITFunction",
    "KernelFault",
    "KernelFaults",
    "KernelInterface",
    "LaunchError",
    "MissingToolError",
    "MytritonError",
    "NvrtcError",
    "NvrtcMissingError",
    "OptionError",
    "Options",
    "OutOfResourcesError",
    "PassError",
    "TTIRKernel",
    "UnsupportedError",
    "aggregate",
    "autotune",
    "cdiv",
    "compile_ttir",
    "constexpr",
    "constexpr_function",
    "heuristics",
    "interpret",
    "jit",
    "language",
    "next_power_of_2",
    "sanitize",
    "testing",
]


def __getattr__(name: str) -> Any:
    """The other names of Triton, for programs that say `import mytriton as triton`."""
    if name in ("compiler", "knobs", "runtime", "tools"):
        return importlib.import_module(f"mytriton.{name}")
    if name[:1].isupper() or name in ("compile", "must_use_result", "reinterpret", "set_allocator"):
        from mytriton.drop_in.modules import FACADES, named

        if name in FACADES["triton"]:
            return named("triton", name)
    # The import system asks for each submodule before it imports it.
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
