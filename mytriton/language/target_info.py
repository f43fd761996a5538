"""What a kernel is compiled for, `tl.target_info`; all of it is known when the kernel is compiled."""

from __future__ import annotations

import re
from typing import NamedTuple

from mytriton.language.constexpr import constexpr
from mytriton.language.context import builtin, current_builder
from mytriton.language.shapes import constant_int

__all__ = [
    "GPUTarget",
    "cuda_capability_geq",
    "current_target",
    "is_cuda",
    "is_hip",
    "is_hip_cdna3",
    "is_hip_cdna4",
    "is_hip_gfx1250",
]


class GPUTarget(NamedTuple):
    """`arch`: the number of the architecture, 90 for `sm_90a`. On the CPU it is that of the option `arch` too."""

    backend: str
    arch: int
    warp_size: int


@builtin
def current_target() -> GPUTarget:
    """The GPU that the kernel is compiled for."""
    number = re.search(r"\d+", current_builder().arch)
    assert number is not None
    return GPUTarget("cuda", int(number[0]), 32)


@builtin
def is_cuda() -> bool:
    """True: this compiler makes CUDA C."""
    return True


@builtin
def cuda_capability_geq(major: int | constexpr, minor: int | constexpr = 0) -> bool:
    """Whether the GPU has at least this compute capability."""
    return current_target().arch >= constant_int(major, "major") * 10 + constant_int(minor, "minor")


@builtin
def is_hip() -> bool:
    """False."""
    return False


@builtin
def is_hip_cdna3() -> bool:
    """False."""
    return False


@builtin
def is_hip_cdna4() -> bool:
    """False."""
    return False


@builtin
def is_hip_gfx1250() -> bool:
    """False."""
    return False
