"""`dot_scaled`: products of small floats in groups that share a scale, as the OCP microscaling formats have them."""

from __future__ import annotations

from typing import Any

from mytriton import messages
from mytriton.language.casting import bitcast_to, cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin
from mytriton.language.dtypes import (
    bfloat16,
    dtype,
    float8e4nv,
    float8e5,
    float16,
    float32,
    int8,
    int32,
    uint8,
    uint16,
)
from mytriton.language.joining import join
from mytriton.language.matmul import dot
from mytriton.language.operators import and_, equal, lshift, mul, or_, rshift
from mytriton.language.selection import where
from mytriton.language.shapes import broadcast_to_shape, insert_axis, permute, reshape, trans
from mytriton.language.values import Argument, tensor

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

EXPONENT_OF_E2M1 = 2.0**126
"""What makes the bits of a format with two exponent bits, at the places of a float32's, the number that they mean."""


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
    left = _values(lhs, formats[0], -1 if unwrap(lhs_k_pack) else -2)
    right = _values(rhs, formats[1], -2 if unwrap(rhs_k_pack) else -1)
    left = _scaled(left, unwrap(lhs_scale), "lhs_scale")
    scaled = _scaled(trans(right), unwrap(rhs_scale), "rhs_scale")
    # Every product of a scale and an element of the other formats is a bfloat16.
    operand_dtype = float32 if "fp16" in formats else bfloat16
    return dot(cast_to(left, operand_dtype), trans(cast_to(scaled, operand_dtype)), acc, "ieee", out_dtype=float32)


def _values(operand: Any, name: str, packed_axis: int) -> tensor:
    """The elements as float32."""
    if not isinstance(operand, tensor) or len(operand.shape) < 2:
        raise messages.block_expected("dot_scaled", operand)
    element_ty, bits = FORMATS[name]
    if operand.dtype not in ((bits,) if element_ty is None else (element_ty, bits)):
        raise messages.format_of_other_dtype(name, operand.dtype, str(bits))
    if element_ty is not None:
        return cast_to(bitcast_to(operand, element_ty), float32)
    wide = cast_to(operand, int32)
    halves = [_e2m1(and_(wide, 15)), _e2m1(rshift(wide, 4))]
    joined = join(*halves)
    shape = list(operand.shape)
    shape[packed_axis] *= 2
    if packed_axis == -2:
        rank = len(joined.shape)
        joined = permute(joined, (*range(rank - 2), rank - 1, rank - 2))
    return reshape(joined, shape)


def _e2m1(code: tensor) -> tensor:
    """A sign, two exponent bits and a mantissa bit as a float32: 0, 0.5, 1, 1.5, 2, 3, 4 or 6, or minus that."""
    bits = or_(lshift(and_(code, 8), 28), lshift(and_(code, 7), 22))
    return mul(bitcast_to(bits, float32), EXPONENT_OF_E2M1)


def _scaled(values: tensor, scale: Any, what: str) -> tensor:
    """Each group of elements along the last axis times its scale."""
    if scale is None:
        return values
    if not isinstance(scale, tensor):
        raise messages.block_expected("dot_scaled", scale)
    factor = _factor(scale)
    if scale.numel == 1:
        return mul(values, reshape(factor, [1] * len(values.shape)))
    *rows, depth = values.shape
    groups = scale.shape[-1]
    if scale.shape[:-1] != tuple(rows) or depth % groups or depth // groups not in GROUPS:
        raise messages.shape_of_scale(what, scale.shape, (*rows, depth), GROUPS)
    repeated = broadcast_to_shape(insert_axis(factor, len(factor.shape)), (*scale.shape, depth // groups))
    return mul(values, reshape(repeated, values.shape))


def _factor(scale: tensor) -> tensor:
    if scale.dtype == float8e4nv:
        return cast_to(scale, float32)
    if scale.dtype not in (uint8, int8):
        raise messages.wrong_dtype("dot_scaled", scale.dtype, ("uint8", "int8", "fp8e4nv"))
    exponent = cast_to(bitcast_to(scale, uint8), int32)
    bits = lshift(exponent, 23)
    # 2 to the power of -127 is below the normal numbers; the largest code is NaN.
    bits = where(equal(exponent, 0), 0x00400000, where(equal(exponent, 255), 0x7FC00000, bits))
    return bitcast_to(bits, float32)
