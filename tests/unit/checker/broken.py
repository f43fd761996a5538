# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportArgumentType=false
"""Kernels whose CUDA C was made wrong by hand, as the compiler would never print it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import mytriton as triton
import mytriton.language as tl
from mytriton.checker.code import CheckedCode
from mytriton.runtime import cpu
from mytriton.runtime.compiled import CompiledKernel
from tests.unit.checker.fakes import install


@triton.jit
def rotate(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    once = tl.gather(x, (offsets + 1) % BLOCK, 0)
    tl.store(out_ptr + offsets, tl.gather(once, (offsets + 1) % BLOCK, 0))


def break_text(compiled: CompiledKernel, change: Callable[[str], str]) -> None:
    """Has checked launches run the kernel's text after `change`."""
    install(compiled, None)
    code = compiled.checked(False)
    text = change(code.text)
    assert text != code.text and text.count("\n") == code.text.count("\n")
    kernel = compiled.kernel
    description = cpu.KernelMetadata(kernel.name, kernel.params, kernel.num_warps, kernel.dynamic_shared_bytes)
    install(compiled, CheckedCode(cpu.compile_checked(text, description), text, code.places))


def launch_broken(change: Callable[[str], str], block: int = 256, grid: int = 1) -> None:
    """A checked launch of `rotate` with its text changed."""
    x = np.arange(block, dtype=np.float32)
    compiled = rotate.warmup(x, np.empty_like(x), BLOCK=block, grid=(grid,))
    break_text(compiled, change)
    try:
        with triton.sanitize():
            compiled[(grid,)](x, np.empty_like(x))
    finally:
        install(compiled, None)


def _without_line(text: str, wanted: str, number: int) -> str:
    """The text with an empty line in place of the `number`th one, from 0, that has `wanted`."""
    lines = text.split("\n")
    found = [index for index, line in enumerate(lines) if wanted in line]
    lines[found[number]] = ""
    return "\n".join(lines)


def without_second_barrier(text: str) -> str:
    """One thread writes the second tile where others still read the first."""
    return _without_line(text, "__syncthreads();", 1)


def without_first_write(text: str) -> str:
    return _without_line(text, "*(float2 *)&once_x_shared[", 0)


def with_threads_that_leave(text: str) -> str:
    """The others wait for them at the first barrier."""
    return text.replace("int tid = threadIdx.x;", "int tid = threadIdx.x; if (tid >= 96) return;", 1)


def beyond_the_buffer(text: str) -> str:
    return text.replace("] = *(const float2 *)&x[0];", " + 2] = *(const float2 *)&x[0];", 1)
