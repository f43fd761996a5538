"""Compiles a kernel for a call, or makes a cubin of it, or finds on disk that an earlier process did."""

from __future__ import annotations

import base64
import os
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from mytriton.compiler import Compilation, KernelSource, compile_source
from mytriton.options import DUMP_VARIABLE, Options
from mytriton.runtime import cache
from mytriton.runtime.ptxas_log import Resources
from mytriton.runtime.specialize import Specialization

if TYPE_CHECKING:
    from mytriton.runtime.jit import JITFunction
    from mytriton.runtime.nvrtc import Cubin


def compile_or_load(function: JITFunction, specialization: Specialization, options: Options) -> Compilation:
    """The CUDA C of `function` for one kind of arguments; raises what `compile_source` raises."""
    source = KernelSource(
        function, specialization.signature(), specialization.constants(), specialization.attributes(), options
    )
    key = _lasting_key(function, specialization, options)
    if key is not None and (entry := cache.load(key)) is not None:
        with suppress(KeyError, TypeError, ValueError):
            return Compilation.from_json(entry, source)
    compilation = compile_source(source)
    if key is not None:
        cache.store(key, compilation.as_json())
    return compilation


def cubin_or_load(text: str, options: Options) -> Cubin:
    """The cubin of CUDA C `text`; raises what `compile_to_cubin` raises."""
    from mytriton.runtime import nvrtc

    version = ".".join(map(str, nvrtc.nvrtc_version()))
    settings = f"{options.arch} {options.enable_fp_fusion} {options.maxnreg}"
    key = cache.entry_key("cubin", version, settings, text)
    if (entry := cache.load(key)) is not None:
        with suppress(KeyError, TypeError, ValueError):
            resources = {name: Resources(**fields) for name, fields in entry["resources"].items()}
            return nvrtc.Cubin(base64.b64decode(entry["code"]), resources, entry["log"])
    cubin = nvrtc.compile_to_cubin(text, options.arch, fmad=options.enable_fp_fusion, maxnreg=options.maxnreg)
    cache.store(key, {**asdict(cubin), "code": base64.b64encode(cubin.code).decode()})
    return cubin


def _lasting_key(function: JITFunction, specialization: Specialization, options: Options) -> str | None:
    """The name of the entry on disk, or None where something that matters is known to this process only."""
    # Where the IR after each pass is to be saved, the passes have to run.
    if not cache.is_enabled() or os.environ.get(DUMP_VARIABLE) or not function.has_lasting_fingerprint():
        return None
    arguments = specialization.lasting_text()
    return None if arguments is None else cache.entry_key(function.fingerprint(), arguments, repr(options))
