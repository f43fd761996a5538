"""`expand-small-floats`: arithmetic on floats of 16 and 8 bits is done in f32 and rounded after each operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects import math
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, IntegerType, ModuleOp, f32, f64, i16, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mytriton.dialects import arith, cuda, tt
from mytriton.dialects.building import walk
from mytriton.dialects.float8 import float8_format
from mytriton.dialects.tensor_types import bit_width, element_type, with_element_type


@dataclass(frozen=True)
class ExpandSmallFloats(ModulePass):
    """Every operation on f8, f16 or bf16 that computes becomes extf, the same operation on f32, and truncf.

    Moves, selects, constants and bitcasts stay as they are, and so does everything on wider floats. The conversions
    of `tt` that have a form in `arith`, `tt.fp_to_fp` and `tt.clampf`, get it.
    """

    name = "expand-small-floats"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in walk(op):
            if (rewrite := REWRITES.get(inner.__class__)) is not None:
                rewrite(_Rewriter(inner), inner)


class _Rewriter:
    """Builds what replaces an operation, in front of it."""

    def __init__(self, op: Operation):
        self._op = op
        self._made: list[Operation] = []

    def add(self, op: Operation) -> SSAValue:
        op.location = self._op.location
        self._made.append(op)
        return op.results[0]

    def constant(self, like: SSAValue, element: Attribute, value: float) -> SSAValue:
        """A number of another element type, in the shape of `like`."""
        return self.add(arith.ConstantOp.of(with_element_type(like.type, element), value))

    def convert(self, value: SSAValue, element: Attribute) -> SSAValue:
        """A float as another float type, rounded to nearest even."""
        target = with_element_type(value.type, element)
        source_width, width = bit_width(element_type(value.type)), bit_width(element)
        if value.type == target:
            return value
        if source_width <= 16 and width <= 16:
            return self.convert(self.convert(value, f32), element)
        conversion = arith.ExtFOp if width > source_width else arith.TruncFOp
        return self.add(conversion(value, target))

    def replace(self, value: SSAValue) -> None:
        value.name_hint = value.name_hint or self._op.results[0].name_hint
        Rewriter.insert_op(self._made, InsertPoint.before(self._op))
        Rewriter.replace_op(self._op, [], [value])


Rewrite: TypeAlias = "Callable[[_Rewriter, Any], None]"


def _is_small(type: Attribute) -> bool:
    element = element_type(type)
    return isinstance(element, Float16Type | BFloat16Type) or float8_format(element) is not None


def _is_unsigned_zero(type: Attribute) -> bool:
    """Whether -0.0 is missing, so that a change of sign is more than a change of one bit."""
    format = float8_format(element_type(type))
    return format is not None and not format.has_negative_zero


def _compute(rewriter: _Rewriter, op: Operation) -> None:
    """op(x) -> truncf(op(extf x))"""
    result = op.results[0]
    if not any(_is_small(value.type) for value in (*op.operands, result)):
        return
    operands = [rewriter.convert(value, f32) if _is_small(value.type) else value for value in op.operands]
    result_type = with_element_type(result.type, f32) if _is_small(result.type) else result.type
    wide = type(op).create(
        operands=operands, result_types=[result_type], properties=op.properties, attributes=op.attributes
    )
    value = rewriter.add(wide)
    rewriter.replace(rewriter.convert(value, element_type(result.type)) if _is_small(result.type) else value)


def _from_integer(rewriter: _Rewriter, op: arith.SIToFPOp | arith.UIToFPOp) -> None:
    """sitofp x to bf16 -> truncf(sitofp x to f64), since f32 would round a wide integer a first time."""
    target = element_type(op.result.type)
    if not _is_small(target):
        return
    # What f32 rounds is infinite in f16 anyway, and the largest number of 8 bits.
    width = bit_width(element_type(op.input.type))
    wide = f64 if isinstance(target, BFloat16Type) and width > 16 else f32
    number = op.input
    if isinstance(target, BFloat16Type) and width == 64:
        number = _few_digits(rewriter, number, isinstance(op, arith.SIToFPOp))
    value = rewriter.add(op.__class__(number, with_element_type(op.result.type, wide)))
    rewriter.replace(rewriter.convert(value, target))


def _few_digits(rewriter: _Rewriter, number: SSAValue, is_signed: bool) -> SSAValue:
    """x -> |x| < 2**53 ? x : x & ~0xfff | (x & 0xfff ? 0x800 : 0), which f64 holds and which rounds as x does"""

    def constant(value: int) -> SSAValue:
        return rewriter.constant(number, i64, value)

    lost = rewriter.add(arith.CmpiOp(rewriter.add(arith.AndIOp(number, constant(0xFFF))), constant(0), "ne"))
    last = rewriter.add(arith.SelectOp(lost, constant(0x800), constant(0)))
    cut = rewriter.add(arith.OrIOp(rewriter.add(arith.AndIOp(number, constant(~0xFFF))), last))
    limit = 1 << 53
    shifted = rewriter.add(arith.AddiOp(number, constant(limit - 1))) if is_signed else number
    is_short = rewriter.add(arith.CmpiOp(shifted, constant(2 * limit - 1 if is_signed else limit), "ult"))
    return rewriter.add(arith.SelectOp(is_short, number, cut))


def _flip_sign(rewriter: _Rewriter, op: arith.NegfOp) -> None:
    """negf x -> the same bits but for the sign"""
    if _is_unsigned_zero(op.result.type):
        _compute(rewriter, op)
    elif _is_small(op.result.type):
        mask = -1 << bit_width(element_type(op.result.type)) - 1
        _change_bits(rewriter, op.operand, op.result.type, arith.XOrIOp, mask)


def _clear_sign(rewriter: _Rewriter, op: math.AbsFOp) -> None:
    """absf x -> the same bits but for the sign"""
    if _is_unsigned_zero(op.result.type):
        _compute(rewriter, op)
    elif _is_small(op.result.type):
        mask = (1 << bit_width(element_type(op.result.type)) - 1) - 1
        _change_bits(rewriter, op.operand, op.result.type, arith.AndIOp, mask)


def _change_bits(
    rewriter: _Rewriter,
    operand: SSAValue,
    type: Attribute,
    operation: type[arith.AndIOp | arith.XOrIOp],
    mask: int,
) -> None:
    integer = IntegerType(bit_width(element_type(type)))
    bits = rewriter.add(arith.BitcastOp(operand, with_element_type(type, integer)))
    changed = rewriter.add(operation(bits, rewriter.constant(bits, integer, mask)))
    rewriter.replace(rewriter.add(arith.BitcastOp(changed, type)))


def _convert_float(rewriter: _Rewriter, op: tt.FpToFpOp) -> None:
    """fp_to_fp -> extf or truncf, through f32 between small floats; rounded to zero, what is too large is corrected"""
    source, target = element_type(op.src.type), element_type(op.result.type)
    narrows = bit_width(target) < bit_width(source) or (bit_width(target) == bit_width(source) and target != source)
    if op.rounding_mode != "rtz" or not narrows:
        rewriter.replace(rewriter.convert(op.src, target))
    elif isinstance(target, BFloat16Type) and isinstance(source, Float32Type | Float16Type):
        rewriter.replace(_cut_to_bfloat16(rewriter, rewriter.convert(op.src, f32)))
    else:
        rewriter.replace(_towards_zero(rewriter, op.src, target))


def _convert_small(rewriter: _Rewriter, op: arith.ExtFOp | arith.TruncFOp) -> None:
    """extf and truncf between small floats -> extf to f32, truncf"""
    if _is_small(op.input.type) and _is_small(op.result.type):
        rewriter.replace(rewriter.convert(op.input, element_type(op.result.type)))


def _towards_zero(rewriter: _Rewriter, value: SSAValue, target: Attribute) -> SSAValue:
    """The nearest number, or, where that is farther from zero than the value, the one before it."""
    wide = f64 if element_type(value.type) == f64 else f32
    exact = rewriter.convert(value, wide)
    nearest = rewriter.convert(exact, target)
    integer = IntegerType(bit_width(target))
    bits = rewriter.add(arith.BitcastOp(nearest, with_element_type(nearest.type, integer)))
    before = rewriter.add(arith.SubiOp(bits, rewriter.constant(bits, integer, 1)))
    if _is_unsigned_zero(target):
        zero = rewriter.constant(bits, integer, 0)
        sign = rewriter.constant(bits, integer, -1 << bit_width(target) - 1)
        before = rewriter.add(arith.SelectOp(rewriter.add(arith.CmpiOp(before, sign, "eq")), zero, before))
    reached, limit = (rewriter.add(math.AbsFOp(number)) for number in (rewriter.convert(nearest, wide), exact))
    is_beyond = rewriter.add(arith.CmpfOp(reached, limit, "ogt"))
    chosen = rewriter.add(arith.SelectOp(is_beyond, before, bits))
    return rewriter.add(arith.BitcastOp(chosen, nearest.type))


def _cut_to_bfloat16(rewriter: _Rewriter, value: SSAValue) -> SSAValue:
    """The upper half of the bits of a float; a NaN keeps being one."""
    bits = rewriter.add(arith.BitcastOp(value, with_element_type(value.type, i32)))
    upper = rewriter.add(arith.ShRUIOp(bits, rewriter.constant(bits, i32, 16)))
    half = rewriter.add(arith.TruncIOp(upper, with_element_type(bits.type, i16)))
    is_nan = rewriter.add(arith.CmpfOp(value, value, "uno"))
    chosen = rewriter.add(arith.SelectOp(is_nan, rewriter.constant(half, i16, 0x7FFF), half))
    return rewriter.add(arith.BitcastOp(chosen, with_element_type(value.type, BFloat16Type())))


def _clamp(rewriter: _Rewriter, op: tt.ClampFOp) -> None:
    """clampf x, low, high -> min(max(x, low), high)"""
    propagates = op.propagate_nan.value.data == tt.PROPAGATE_NAN["all"]
    type = element_type(op.result.type)
    x, low, high = (rewriter.convert(value, f32) if _is_small(type) else value for value in op.operands)
    if propagates:
        value = rewriter.add(arith.MinimumfOp(rewriter.add(arith.MaximumfOp(x, low)), high))
    else:
        value = rewriter.add(arith.MinnumfOp(rewriter.add(arith.MaxnumfOp(x, low)), high))
    rewriter.replace(rewriter.convert(value, type))


REWRITES: dict[type[Operation], Rewrite] = {
    **dict.fromkeys(math.Math.operations, _compute),
    **{op: _compute for op in arith.Arith.operations if issubclass(op, arith.FloatBinaryOp)},
    arith.CmpfOp: _compute,
    arith.ExtFOp: _convert_small,
    arith.TruncFOp: _convert_small,
    arith.FPToSIOp: _compute,
    arith.FPToUIOp: _compute,
    arith.SIToFPOp: _from_integer,
    arith.UIToFPOp: _from_integer,
    arith.NegfOp: _flip_sign,
    math.AbsFOp: _clear_sign,
    cuda.PreciseDivOp: _compute,
    cuda.PreciseSqrtOp: _compute,
    tt.PreciseDivFOp: _compute,
    tt.PreciseSqrtOp: _compute,
    tt.FpToFpOp: _convert_float,
    tt.ClampFOp: _clamp,
}
