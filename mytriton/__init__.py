"""A compiler for Triton kernels that prints CUDA C.

    import mytriton as triton
    import mytriton.language as tl

Importing this imports neither xDSL nor a CUDA library: the compiler is loaded when the first kernel is compiled.
"""

from mytriton import language
from mytriton.arithmetic import cdiv, next_power_of_2
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
    PassError,
    UnsupportedError,
)
from mytriton.interpreter import interpret
from mytriton.language.aggregates import aggregate
from mytriton.language.constexpr import constexpr
from mytriton.options import Options
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.constexpr_function import ConstexprFunction, constexpr_function
from mytriton.runtime.jit import JITFunction, jit

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "CompilationError",
    "CompiledKernel",
    "ConstexprFunction",
    "InternalError",
    "JITFunction",
    "LaunchError",
    "MissingToolError",
    "MytritonError",
    "NvrtcError",
    "NvrtcMissingError",
    "OptionError",
    "Options",
    "PassError",
    "UnsupportedError",
    "aggregate",
    "cdiv",
    "constexpr",
    "constexpr_function",
    "interpret",
    "jit",
    "language",
    "next_power_of_2",
]
