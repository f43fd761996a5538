"""Runs CUDA C texts of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mytriton.runtime import cpu


def metadata(name: str, params: str, num_warps: int = 1, shared_bytes: int = 0) -> cpu.KernelMetadata:
    """`metadata("f", "float *x, int n")`: the parameters as they stand in the text."""
    pairs: list[tuple[str, str]] = []
    for param in filter(None, map(str.strip, params.split(","))):
        star = param.rfind("*") + 1 or param.rfind(" ") + 1
        pairs.append((param[star:].strip(), param[:star].strip()))
    return cpu.KernelMetadata(name, pairs, num_warps, shared_bytes)


def kernel_text(params: str, body: str, num_warps: int = 1, before: str = "") -> str:
    """A kernel named `kernel` with that body."""
    return (
        f'{before}\nextern "C" __global__ void __launch_bounds__({32 * num_warps})\nkernel({params}) {{\n{body}\n}}\n'
    )


def compile_body(params: str, body: str, num_warps: int = 1, before: str = "", shared_bytes: int = 0) -> cpu.CpuKernel:
    """The kernel of `kernel_text`, compiled."""
    return cpu.compile(
        kernel_text(params, body, num_warps, before), metadata("kernel", params, num_warps, shared_bytes)
    )


def launch(kernel: cpu.CpuKernel, grid: Sequence[int], *args: Any, workers: int | None = None) -> None:
    """Launches on arrays and numbers."""
    kernel.launch(grid, [arg.ctypes.data if isinstance(arg, np.ndarray) else arg for arg in args], workers)
