"""Compiles a kernel for a call, or finds on disk that an earlier process did."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from mytriton.compiler import Compilation, compile_function
from mytriton.options import Options
from mytriton.runtime import cache
from mytriton.runtime.specialize import Specialization

if TYPE_CHECKING:
    from mytriton.runtime.jit import JITFunction


def compile_or_load(function: JITFunction, specialization: Specialization, options: Options) -> Compilation:
    """The CUDA C of `function` for one kind of arguments; raises what `compile_function` raises."""
    key = _lasting_key(function, specialization, options)
    if key is not None and (entry := cache.load(key)) is not None:
        with suppress(KeyError, TypeError, ValueError):
            return Compilation.from_json(entry)
    compilation = compile_function(
        function, specialization.signature(), specialization.constants(), specialization.attributes(), options
    )
    if key is not None:
        cache.store(key, compilation.as_json())
    return compilation


def _lasting_key(function: JITFunction, specialization: Specialization, options: Options) -> str | None:
    """The name of the entry on disk, or None where something that matters is known to this process only."""
    if not cache.is_enabled() or not function.has_lasting_fingerprint():
        return None
    arguments = specialization.lasting_text()
    return None if arguments is None else cache.entry_key(function.fingerprint(), arguments, repr(options))
