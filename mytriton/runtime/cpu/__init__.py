"""The CPU device: a kernel's CUDA C text, compiled by a C++ compiler and run by threads of this process.

A block's threads run one after another as fibers of one worker thread, which switches between them at barriers and
warp operations; blocks run in parallel. Threads that never wait for each other are a plain loop.
"""

from __future__ import annotations

import re
import threading
from typing import TypeVar

from mytriton.runtime.cpu.build import Refusal, build_object, forget
from mytriton.runtime.cpu.checked import ArrayExtent, CheckedKernel
from mytriton.runtime.cpu.errors import CompilerError, DeadlockError, ThreadGroup
from mytriton.runtime.cpu.kernel import CpuKernel
from mytriton.runtime.cpu.native_runtime import default_workers, load_runtime
from mytriton.runtime.cpu.toolchain import Compiler, find_compiler
from mytriton.runtime.cpu.translation_unit import (
    KernelMetadata,
    large_frame_bytes,
    refuse_ptx,
    source_name,
    translation_unit,
)

__all__ = [
    "ArrayExtent",
    "CheckedKernel",
    "CompilerError",
    "CpuKernel",
    "DeadlockError",
    "KernelMetadata",
    "ThreadGroup",
    "compile",
    "compile_checked",
    "default_workers",
    "find_compiler",
    "translation_unit",
]

Kernel = TypeVar("Kernel", bound=CpuKernel)

_SHOWN_ERRORS = 3

_loaded: dict[tuple[str, Compiler], CpuKernel] = {}
_lock = threading.Lock()


def compile(cuda_text: str, kernel: KernelMetadata) -> CpuKernel:
    """The kernel of that text, ready to be launched; compiled at most once for a text and a compiler.

    Raises `MissingToolError` where there is no C++ compiler, and `CompilerError` where it refuses the text.
    """
    refuse_ptx(cuda_text)
    compiler = find_compiler()
    text = translation_unit(cuda_text, kernel)
    key = (text, compiler)
    if (known := _loaded.get(key)) is None:
        made = _load(compiler, text, cuda_text, kernel, CpuKernel)
        with _lock:
            known = _loaded.setdefault(key, made)
    return known


def compile_checked(cuda_text: str, kernel: KernelMetadata) -> CheckedKernel:
    """The kernel of that text with checks at each access; otherwise as `compile`."""
    refuse_ptx(cuda_text)
    compiler = find_compiler()
    return _load(compiler, translation_unit(cuda_text, kernel, checked=True), cuda_text, kernel, CheckedKernel)


def _load(compiler: Compiler, text: str, cuda_text: str, kernel: KernelMetadata, kind: type[Kernel]) -> Kernel:
    runtime = load_runtime(compiler)
    flags = (*compiler.kernel_flags(cuda_text), f"-Wframe-larger-than={large_frame_bytes(cuda_text)}")
    for attempt in (1, 2):
        built = build_object(compiler, flags, text)
        if isinstance(built, Refusal):
            raise CompilerError(_explain(built.messages, compiler, cuda_text, kernel))
        try:
            return kind(text, cuda_text, built, kernel, runtime)
        except OSError:
            if attempt == 2:
                raise
            forget(built)
    raise AssertionError("unreachable")


def _explain(messages: str, compiler: Compiler, text: str, kernel: KernelMetadata) -> str:
    """The compiler's words, then the lines of the text that the first errors are about."""
    name = source_name(kernel)
    lines = text.splitlines()
    parts = [f"{compiler} refused the CUDA C text of {kernel.name}:", messages]
    numbers = [int(match) for match in re.findall(rf"^{re.escape(name)}:(\d+):.*error:", messages, re.MULTILINE)]
    for number in list(dict.fromkeys(numbers))[:_SHOWN_ERRORS]:
        first, last = max(1, number - 2), min(len(lines), number + 2)
        shown = (f"{'>' if at == number else ' '} {at:4} | {lines[at - 1]}" for at in range(first, last + 1))
        parts += ["", *shown]
    return "\n".join(parts)
