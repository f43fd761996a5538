"""Products of small floats that share scales, as products of floats of 16 or 32 bits."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import (
    AnyFloat,
    bf16,
    f8E4M3FN,
    f8E5M2,
    f16,
    f32,
    i8,
    i32,
)
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.building import erase, replace_uses
from mytriton.dialects.tensor_types import bit_width, element_type, is_float, shape_of, with_element_type
from mytriton.errors import PassError
from mytriton.passes.encodings import shape_of_tensor
from mytriton.passes.tile_builder import TileBuilder

ELEMENTS: dict[str, AnyFloat] = {"e4m3": f8E4M3FN, "e5m2": f8E5M2, "bf16": bf16, "fp16": f16}
"""The types of the formats that have one."""

EXPONENT_OF_E2M1 = 2.0**126
"""What makes the bits of a format with two exponent bits, at the places of a float32's, the number that they mean."""


def expand_scaled_dot(op: Operation) -> None:
    """dot_scaled(a, b, c, scales) -> dot(a * scales, b * scales, c)"""
    assert isinstance(op, tt.DotScaledOp)
    builder = TileBuilder(op)
    left = _values(builder, op.a, op.formats[0], -1 if op.lhs_k_pack.value.data else -2)
    right = _values(builder, op.b, op.formats[1], -2 if op.rhs_k_pack.value.data else -1)
    left = _scaled(builder, left, op.a_scale)
    right = _scaled(builder, _transposed(builder, right), op.b_scale)
    # Every product of a scale and an element of the other formats is a bfloat16.
    operand = f32 if "fp16" in op.formats else bf16
    a = _rounded(builder, left, operand)
    b = _transposed(builder, _rounded(builder, right, operand))
    acc, result = op.c, op.d
    if element_type(acc.type) != f32:
        acc = builder.add(arith.ExtFOp(acc, with_element_type(acc.type, f32)))
    value = builder.add(tt.DotOp(a, b, acc))
    if value.type != result.type:
        value = builder.add(arith.TruncFOp(value, result.type))
    value.name_hint = result.name_hint
    replace_uses(result, value)
    erase(op)


def _transposed(builder: TileBuilder, value: SSAValue) -> SSAValue:
    rank = len(shape_of(value.type) or ())
    return builder.transpose(value, *range(rank - 2), rank - 1, rank - 2)


def _rounded(builder: TileBuilder, value: SSAValue, element: AnyFloat) -> SSAValue:
    return value if element == f32 else builder.add(arith.TruncFOp(value, with_element_type(value.type, element)))


def _values(builder: TileBuilder, operand: SSAValue, format: str, packed_axis: int) -> SSAValue:
    """The elements as float32."""
    if format == "e2m1":
        return _unpacked(builder, operand, packed_axis)
    element = ELEMENTS.get(format)
    if element is None:
        raise PassError(f"the format '{format}' of tt.dot_scaled is not supported", builder.anchor.location)
    return _as_float32(builder, _bitcast(builder, operand, element))


def _bitcast(builder: TileBuilder, value: SSAValue, element: AnyFloat) -> SSAValue:
    type = with_element_type(value.type, element)
    return value if value.type == type else builder.add(tt.BitcastOp(value, type))


def _as_float32(builder: TileBuilder, value: SSAValue) -> SSAValue:
    type = with_element_type(value.type, f32)
    if bit_width(element_type(value.type)) == 8:
        return builder.add(tt.FpToFpOp(value, type))
    return builder.add(arith.ExtFOp(value, type))


def _unpacked(builder: TileBuilder, operand: SSAValue, axis: int) -> SSAValue:
    """Two elements of four bits in each integer of eight, the first one in the low bits."""
    wide = builder.add(arith.ExtUIOp(operand, with_element_type(operand.type, i32)))
    low = builder.add(arith.AndIOp(wide, builder.like(wide, 15)))
    high = builder.add(arith.ShRUIOp(wide, builder.like(wide, 4)))
    joined = builder.add(tt.JoinOp(_e2m1(builder, low), _e2m1(builder, high)))
    shape = list(shape_of(operand.type) or ())
    shape[axis] *= 2
    if axis == -2:
        rank = len(shape) + 1
        joined = builder.transpose(joined, *range(rank - 2), rank - 1, rank - 2)
    return builder.reshape(joined, shape)


def _e2m1(builder: TileBuilder, code: SSAValue) -> SSAValue:
    """A sign, two exponent bits and a mantissa bit as a float32: 0, 0.5, 1, 1.5, 2, 3, 4 or 6, or minus that."""
    sign = builder.add(arith.AndIOp(code, builder.like(code, 8)))
    rest = builder.add(arith.AndIOp(code, builder.like(code, 7)))
    sign = builder.add(arith.ShLIOp(sign, builder.like(code, 28)))
    rest = builder.add(arith.ShLIOp(rest, builder.like(code, 22)))
    number = _bitcast(builder, builder.add(arith.OrIOp(sign, rest)), f32)
    return builder.add(arith.MulfOp(number, builder.like(number, EXPONENT_OF_E2M1)))


def _scaled(builder: TileBuilder, values: SSAValue, scale: SSAValue | None) -> SSAValue:
    """Each group of elements along the last axis times its scale."""
    if scale is None:
        return values
    shape, rows = shape_of_tensor(values), shape_of_tensor(scale)
    factor = _factor(builder, scale)
    if prod(rows) == 1:
        return builder.add(arith.MulfOp(values, builder.broadcast(factor, shape)))
    group = shape[-1] // rows[-1]
    factor = builder.add(tt.ExpandDimsOp(factor, len(rows)))
    repeated = builder.reshape(builder.broadcast(factor, (*rows, group)), shape)
    return builder.add(arith.MulfOp(values, repeated))


def _factor(builder: TileBuilder, scale: SSAValue) -> SSAValue:
    if is_float(element_type(scale.type)):
        return _as_float32(builder, scale)
    assert element_type(scale.type) == i8
    exponent = builder.add(arith.ExtUIOp(scale, with_element_type(scale.type, i32)))
    bits = builder.add(arith.ShLIOp(exponent, builder.like(exponent, 23)))
    # 2 to the power of -127 is below the normal numbers; the largest code is NaN.
    for code, pattern in ((255, 0x7FC00000), (0, 0x00400000)):
        is_code = builder.add(arith.CmpiOp(exponent, builder.like(exponent, code), "eq"))
        bits = builder.add(arith.SelectOp(is_code, builder.like(exponent, pattern), bits))
    return _bitcast(builder, bits, f32)
