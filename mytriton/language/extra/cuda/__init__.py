"""What only NVIDIA GPUs have: `tl.extra.cuda`."""

from __future__ import annotations

from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import int32, int64
from mytriton.language.elementwise import inline_asm_elementwise
from mytriton.language.extra.cuda import libdevice
from mytriton.language.values import tensor

__all__ = ["gdc_launch_dependents", "gdc_wait", "globaltimer", "libdevice", "num_threads", "num_warps", "smid"]


@builtin
def gdc_wait() -> None:
    """Waits for the kernel that was launched before, where this one was started early; from sm_90 on."""
    current_builder().grid_dependency(wait=True)


@builtin
def gdc_launch_dependents() -> None:
    """Lets the next kernel start early, once all programs are here or have ended; from sm_90 on."""
    current_builder().grid_dependency(wait=False)


@builtin
def globaltimer() -> tensor:
    """The time in nanoseconds."""
    return inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], int64, False, 1)


@builtin
def smid() -> tensor:
    """The number of the multiprocessor that runs this program."""
    return inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], int32, True, 1)


@builtin
def num_threads() -> int:
    """How many threads run one program; known when the kernel is compiled."""
    return 32 * current_builder().num_warps


@builtin
def num_warps() -> int:
    """How many warps run one program; known when the kernel is compiled."""
    return current_builder().num_warps
