"""Which modules of Triton there are, and what stands for each; `missing.py` lists what there is not.

A module of mytriton stands for one that has the same names. Where the names are in other places, a facade does: a
module that finds each name when it is first asked for.
"""

from __future__ import annotations

import importlib
import types
from pathlib import Path
from typing import Any

from mytriton.drop_in.missing import VERSION, message

SAME = {
    f"triton.{name}": f"mytriton.{name}"
    for name in (
        "knobs",
        "language",
        "language.core",
        "language.extra",
        "language.extra.cuda",
        "language.extra.cuda.libdevice",
        "language.extra.libdevice",
        "language.math",
        "language.random",
        "language.standard",
        "language.target_info",
        "runtime.driver",
        "runtime.errors",
        "testing",
        "tools",
        "tools.mxfp",
        "tools.tensor_descriptor",
    )
}
"""The modules of Triton for which the very module of mytriton stands."""

_TENSOR_WRAPPER = dict.fromkeys(("MockTensor", "TensorWrapper", "reinterpret"), "mytriton.runtime.tensor_wrapper")
_SINGLETONS = {"driver": "mytriton.runtime.driver", "knobs": "mytriton"}
_JIT = {
    **dict.fromkeys(("JITFunction", "jit"), "mytriton.runtime.jit"),
    **dict.fromkeys(("ConstexprFunction", "constexpr_function"), "mytriton.runtime.constexpr_function"),
    "KernelInterface": "mytriton.runtime.kernel_interface",
    **_TENSOR_WRAPPER,
}
_AUTOTUNING = {
    **dict.fromkeys(("Autotuner", "autotune"), "mytriton.runtime.autotuner"),
    "Config": "mytriton.runtime.configs",
    **dict.fromkeys(("Heuristics", "heuristics"), "mytriton.runtime.heuristics"),
}
_COMPILER_ERRORS = {
    "CompilationError": "mytriton.errors",
    "CompileTimeAssertionFailure": "mytriton.errors:CompilationError",
    "TritonError": "mytriton.errors:MytritonError",
    "UnsupportedLanguageConstruct": "mytriton.errors:CompilationError",
}
_RUNTIME_ERRORS = dict.fromkeys(
    ("AutotunerError", "InterpreterError", "OutOfResources", "PTXASError", "TritonError"), "mytriton.runtime.errors"
)
_COMPILER = {
    **dict.fromkeys(("ASTSource", "compile"), "mytriton.runtime.ast_source"),
    "CompiledKernel": "mytriton.runtime.compiled",
    "LazyDict": "mytriton.runtime.launch_hooks",
    "max_shared_mem": "mytriton.runtime.driver:shared_memory_of",
}
_CUDA = "mytriton.language.extra.cuda"
_TARGET = {"GPUTarget": "mytriton.language.target_info"}

FACADES: dict[str, dict[str, str]] = {
    "triton": {
        **_JIT,
        **_AUTOTUNING,
        "CompilationError": "mytriton.errors",
        **dict.fromkeys(("InterpreterError", "OutOfResources", "TritonError"), "mytriton.runtime.errors"),
        "aggregate": "mytriton.language.aggregates",
        **dict.fromkeys(("cdiv", "next_power_of_2"), "mytriton.arithmetic"),
        "compile": "mytriton.runtime.ast_source",
        "must_use_result": "mytriton.runtime.must_use_result",
        "set_allocator": "mytriton.runtime.allocation",
    },
    "triton.backends": dict.fromkeys(("Backend", "backends"), "mytriton.drop_in.backends"),
    "triton.backends.compiler": _TARGET,
    "triton.compiler": {**_COMPILER, **_COMPILER_ERRORS},
    "triton.compiler.compiler": {
        **_COMPILER,
        **_TARGET,
        **_SINGLETONS,
        "OutOfResources": "mytriton.runtime.errors",
        "get_cache_manager": "mytriton.runtime.cache_managers",
    },
    "triton.compiler.errors": _COMPILER_ERRORS,
    "triton.errors": {"TritonError": "mytriton.runtime.errors"},
    "triton.experimental": {},
    "triton.language.extra.cuda.gdc": dict.fromkeys(("gdc_launch_dependents", "gdc_wait"), _CUDA),
    "triton.language.extra.cuda.utils": dict.fromkeys(
        (
            "convert_custom_float8_sm70",
            "convert_custom_float8_sm80",
            "globaltimer",
            "num_threads",
            "num_warps",
            "smid",
        ),
        _CUDA,
    ),
    "triton.runtime": {**_JIT, **_AUTOTUNING, **_RUNTIME_ERRORS},
    "triton.runtime._allocation": dict.fromkeys(("NullAllocator", "set_allocator"), "mytriton.runtime.allocation"),
    "triton.runtime.autotuner": {
        **_AUTOTUNING,
        **_RUNTIME_ERRORS,
        **_SINGLETONS,
        **dict.fromkeys(("JITFunction", "KernelInterface"), "mytriton.runtime.jit"),
        "get_cache_manager": "mytriton.runtime.cache_managers",
        "triton_key": "mytriton.runtime.cache:compiler_fingerprint",
    },
    "triton.runtime.cache": {
        **dict.fromkeys(("CacheManager", "FileCacheManager", "get_cache_manager"), "mytriton.runtime.cache_managers"),
        "knobs": "mytriton",
        "default_cache_dir": "mytriton.runtime.cache:cache_directory",
        "triton_key": "mytriton.runtime.cache:compiler_fingerprint",
    },
    "triton.runtime.jit": {**_JIT, **_SINGLETONS, "JITCallable": "mytriton.runtime.jit_callable"},
}
"""The other modules of Triton, and for each name of theirs the module that has it, with another name after a colon."""

SUBMODULES = sorted({*SAME, *FACADES} - {"triton"})
"""All modules below `triton`."""


def named(module: str, name: str) -> Any:
    """What a facade has under `name`; raises `AttributeError` where it has nothing."""
    place = FACADES[module].get(name)
    if place is None:
        raise AttributeError(message(f"{module}.{name}"))
    where, _, original = place.partition(":")
    return getattr(importlib.import_module(where), original or name)


class Facade(types.ModuleType):
    """A module of Triton whose names are all over mytriton.

    All are packages: so the finder is asked about every name that is missing, and can say so.
    """

    def __init__(self, name: str):
        super().__init__(name, f"Triton's module {name}, as mytriton has it.")
        self.__file__ = str(Path(__file__))
        if name == "triton":
            self.__version__ = VERSION

    def __getattr__(self, name: str) -> Any:
        module = f"{self.__name__}.{name}"
        if module in SUBMODULES and _is_public(module):
            return importlib.import_module(module)
        value = named(self.__name__, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        prefix = f"{self.__name__}."
        modules = [m.removeprefix(prefix) for m in SUBMODULES if m.startswith(prefix) and _is_public(m)]
        names = {*super().__dir__(), *FACADES[self.__name__], *(m for m in modules if "." not in m)}
        return sorted(names)


def _is_public(module: str) -> bool:
    return not module.rpartition(".")[2].startswith("_")
