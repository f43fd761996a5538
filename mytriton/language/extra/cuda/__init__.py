"""What only NVIDIA GPUs have: `tl.extra.cuda`."""

from __future__ import annotations

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import dtype, float8e4b15, float16, float32, int32, int64
from mytriton.language.elementwise import inline_asm_elementwise
from mytriton.language.extra.cuda import libdevice
from mytriton.language.operators import to_tensor
from mytriton.language.values import tensor

__all__ = [
    "convert_custom_float8_sm70",
    "convert_custom_float8_sm80",
    "gdc_launch_dependents",
    "gdc_wait",
    "globaltimer",
    "libdevice",
    "num_threads",
    "num_warps",
    "smid",
]


@builtin
def gdc_wait() -> None:
    """Waits for the kernel that was launched before, where this one was started early; from sm_90 on."""
    current_builder().grid_dependency(wait=True)


@builtin
def gdc_launch_dependents() -> None:
    """Lets the next kernel start early, once all programs are here or have ended; from sm_90 on."""
    current_builder().grid_dependency(wait=False)


@builtin
def convert_custom_float8_sm80(arg: tensor, dst_ty: dtype, fp_downcast_rounding: str | None = None) -> tensor:
    """A `float8e4b15` as `float16` or `float32`, or either of these, rounded towards zero, as a `float8e4b15`."""
    value, target = to_tensor(arg), unwrap(dst_ty).scalar
    if value.dtype.is_fp8e4b15() and target in (float16, float32):
        return cast_to(value, target)
    if value.dtype not in (float16, float32) or not target.is_fp8e4b15():
        raise messages.bad_cast(value.dtype, target)
    half = cast_to(value, float16, "rtz") if value.dtype == float32 else value
    return cast_to(half, float8e4b15)


convert_custom_float8_sm70 = convert_custom_float8_sm80
"""The same, for older GPUs."""


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
