"""`dot_scaled`: products of small floats in groups that share a scale, as the OCP microscaling formats have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mytriton import messages
from mytriton.language.casting import bitcast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import bfloat16, dtype, float8e4nv, float8e5, float16, float32, int8, uint8, uint16
from mytriton.language.matmul import accumulator_for, check_factors, flat_batch
from mytriton.language.shapes import reshape
from mytriton.language.values import Argument, tensor

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

FORMATS: dict[str, tuple[dtype | None, dtype]] = {
    "e2m1": (None, uint8),
    "e4m3": (float8e4nv, uint8),
    "e5m2": (float8e5, uint8),
    "bf16": (bfloat16, uint16),
    "fp16": (float16, uint16),
}
"""Of each format, the dtype of its elements, if there is one, and the dtype whose bits they may be given as."""

GROUPS = (16, 32)
"""How many elements may share a scale."""


@builtin
def dot_scaled(
    lhs: tensor,
    lhs_scale: Argument | None,
    lhs_format: str,
    rhs: tensor,
    rhs_scale: Argument | None,
    rhs_format: str,
    acc: tensor | None = None,
    fast_math: bool = False,
    lhs_k_pack: bool = True,
    rhs_k_pack: bool = True,
    out_dtype: dtype = float32,
) -> tensor:
    """The product of `lhs` [M, K] and `rhs` [K, N] with scales [M, K / 32] and [N, K / 32], plus `acc` [M, N].

    A scale of uint8 is a power of two, 127 meaning 1 and 255 NaN. The formats are those of `FORMATS`; "e2m1" has two
    elements in each uint8, the first in the low bits, along K or, without `k_pack`, along the other axis.
    """
    if unwrap(out_dtype) != float32:
        raise messages.unsupported_option("dot_scaled", "out_dtype", "the result is a float32; cast it with .to")
    formats = unwrap(lhs_format), unwrap(rhs_format)
    for name in formats:
        if name not in FORMATS:
            raise messages.bad_choice("the format of tl.dot_scaled", name, FORMATS)
    left, right, acc = _factor(lhs, formats[0]), _factor(rhs, formats[1]), unwrap(acc)
    packs = formats[0] != "e2m1" or bool(unwrap(lhs_k_pack)), formats[1] != "e2m1" or bool(unwrap(rhs_k_pack))
    *batch, rows, depth = _unpacked(left, formats[0], -1 if packs[0] else -2)
    *others, right_depth, columns = _unpacked(right, formats[1], -2 if packs[1] else -1)
    left_scale = _scale(unwrap(lhs_scale), (*batch, rows, depth), "lhs_scale")
    right_scale = _scale(unwrap(rhs_scale), (*others, columns, right_depth), "rhs_scale")
    check_factors((*batch, rows, depth), (*others, right_depth, columns))
    shape = (*batch, rows, columns)
    if acc is not None and not isinstance(acc, tensor):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise messages.block_expected("dot_scaled", acc)
    accumulator = accumulator_for(acc, float32, shape)
    if len(batch) > 1:
        left, right, accumulator = flat_batch(left), flat_batch(right), flat_batch(accumulator)
        left_scale = left_scale if left_scale is None else flat_batch(left_scale)
        right_scale = right_scale if right_scale is None else flat_batch(right_scale)
    handle = current_builder().dot_scaled(
        (left.handle, right.handle, accumulator.handle),
        (_handle(left_scale), _handle(right_scale)),
        formats,
        bool(unwrap(fast_math)),
        packs,
    )
    return reshape(tensor(handle, accumulator.type), shape)


def _factor(operand: Any, name: str) -> tensor:
    """The elements in their own dtype, or two of them in each integer."""
    if not isinstance(operand, tensor) or len(operand.shape) < 2:
        raise messages.block_expected("dot_scaled", operand)
    element_ty, bits = FORMATS[name]
    if operand.dtype not in ((bits,) if element_ty is None else (element_ty, bits)):
        raise messages.format_of_other_dtype(name, operand.dtype, str(bits))
    return operand if element_ty is None else bitcast_to(operand, element_ty)


def _unpacked(operand: tensor, name: str, packed_axis: int) -> list[int]:
    """The shape of a factor, counted in its elements."""
    shape = list(operand.shape)
    if name == "e2m1":
        shape[packed_axis] *= 2
    return shape


def _scale(scale: Any, values: tuple[int, ...], what: str) -> tensor | None:
    """The scales of a factor, which are shared by groups of elements along the last axis of `values`, or by all."""
    if scale is None:
        return None
    if not isinstance(scale, tensor):
        raise messages.block_expected("dot_scaled", scale)
    if scale.dtype not in (uint8, int8, float8e4nv):
        raise messages.wrong_dtype("dot_scaled", scale.dtype, ("uint8", "int8", "fp8e4nv"))
    if scale.numel == 1:
        return reshape(scale, [1] * len(values))
    *rows, depth = values
    groups = scale.shape[-1]
    if scale.shape[:-1] != tuple(rows) or depth % groups or depth // groups not in GROUPS:
        raise messages.shape_of_scale(what, scale.shape, values, GROUPS)
    return scale


def _handle(value: tensor | None) -> SSAValue | None:
    return None if value is None else value.handle
