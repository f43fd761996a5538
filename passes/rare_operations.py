"""The rare operations of `arith` and `math` in terms of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf

from xdsl.dialects import math
from xdsl.dialects.builtin import IndexType, f32, i64
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.building import erase, replace_uses
from mytriton.dialects.tensor_types import bit_width, element_type, is_integer, with_element_type
from mytriton.errors import PassError
from mytriton.passes.tile_builder import TileBuilder


def replace(op: Operation, values: Sequence[SSAValue]) -> None:
    for result, value in zip(op.results, values, strict=True):
        if value.name_hint is None:
            value.name_hint = result.name_hint
        replace_uses(result, value)
    erase(op)


def expand_rounded_division(op: Operation, *, signed: bool, up: bool) -> None:
    """ceildiv a, b -> a / b + (the remainder is not 0 and the quotient is not negative), and the like"""
    builder, (lhs, rhs) = TileBuilder(op), op.operands
    zero, one = builder.like(lhs, 0), builder.like(lhs, 1)
    quotient = builder.add((arith.DivSIOp if signed else arith.DivUIOp)(lhs, rhs))
    remainder = builder.add((arith.RemSIOp if signed else arith.RemUIOp)(lhs, rhs))
    adjusts = builder.add(arith.CmpiOp(remainder, zero, "ne"))
    if signed:
        signs = [builder.add(arith.CmpiOp(value, zero, "slt")) for value in (remainder, rhs)]
        adjusts = builder.add(
            arith.AndIOp(adjusts, builder.add(arith.CmpiOp(signs[0], signs[1], "eq" if up else "ne")))
        )
    adjusted = builder.add((arith.AddiOp if up else arith.SubiOp)(quotient, one))
    replace(op, [builder.add(arith.SelectOp(adjusts, adjusted, quotient))])


def expand_sum(op: Operation) -> None:
    """addui_extended a, b -> a + b, a + b < a"""
    builder, (lhs, rhs) = TileBuilder(op), op.operands
    total = builder.add(arith.AddiOp(lhs, rhs))
    replace(op, [total, builder.add(arith.CmpiOp(total, lhs, "ult"))])


def expand_difference(op: Operation) -> None:
    """subui_extended a, b -> a - b, a < b"""
    builder, (lhs, rhs) = TileBuilder(op), op.operands
    replace(op, [builder.add(arith.SubiOp(lhs, rhs)), builder.add(arith.CmpiOp(lhs, rhs, "ult"))])


def expand_product(op: Operation, *, signed: bool) -> None:
    """mul_extended a, b -> the halves of the product in 64 bits, or of that of two halves for 64 bits themselves"""
    builder, (lhs, rhs) = TileBuilder(op), op.operands
    type = lhs.type
    element = element_type(type)
    low = builder.add(arith.MuliOp(lhs, rhs))
    if isinstance(element, IndexType) or bit_width(element) > 64:
        raise PassError(f"{op.name} of {type} is not supported: the largest integers have 64 bits", op.location)
    if bit_width(element) <= 32:
        wide = with_element_type(type, i64)
        extend = arith.ExtSIOp if signed else arith.ExtUIOp
        product = builder.add(arith.MuliOp(builder.add(extend(lhs, wide)), builder.add(extend(rhs, wide))))
        shifted = builder.add(arith.ShRUIOp(product, builder.like(product, bit_width(element))))
        replace(op, [low, builder.add(arith.TruncIOp(shifted, type))])
        return
    high = builder.add(tt.MulhiUIOp(lhs, rhs))
    if signed:
        zero = builder.like(lhs, 0)
        for negative, other in ((lhs, rhs), (rhs, lhs)):
            is_negative = builder.add(arith.CmpiOp(negative, zero, "slt"))
            high = builder.add(arith.SubiOp(high, builder.add(arith.SelectOp(is_negative, other, zero))))
    replace(op, [low, high])


def expand_index_cast(op: Operation) -> None:
    """index_castui x -> index_cast (extui x), or index_cast x from an index"""
    builder, (source,) = TileBuilder(op), op.operands
    element = element_type(source.type)
    if is_integer(element) and not isinstance(element, IndexType) and bit_width(element) < 64:
        source = builder.add(arith.ExtUIOp(source, with_element_type(source.type, i64)))
    replace(op, [builder.add(arith.IndexCastOp(source, op.results[0].type))])


def expand_float_conversion(op: Operation) -> None:
    """convertf x -> truncf (extf x)"""
    builder, (source,) = TileBuilder(op), op.operands
    if bit_width(element_type(source.type)) >= 64:
        raise PassError(f"{op.name} from {source.type} to {op.results[0].type} is not supported", op.location)
    wide = builder.add(arith.ExtFOp(source, with_element_type(source.type, f32)))
    replace(op, [builder.add(arith.TruncFOp(wide, op.results[0].type))])


SMALLEST_NORMAL = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}


def expand_classification(op: Operation) -> None:
    """isnan x -> x != x; isinf x -> |x| == inf; isfinite x -> |x| < inf; isnormal x -> |x| < inf and |x| >= smallest"""
    builder, (value,) = TileBuilder(op), op.operands
    smallest = SMALLEST_NORMAL.get(str(element_type(value.type)))
    if smallest is None:
        raise PassError(f"{op.name} of {value.type} is not supported: convert the floats first", op.location)

    def compared(number: float, predicate: str) -> SSAValue:
        size = builder.add(math.AbsFOp(value))
        return builder.add(arith.CmpfOp(size, builder.like(size, number), predicate))

    match op.name:
        case "math.isnan":
            found = builder.add(arith.CmpfOp(value, value, "uno"))
        case "math.isinf":
            found = compared(inf, "oeq")
        case "math.isfinite":
            found = compared(inf, "olt")
        case _:
            found = builder.add(arith.AndIOp(compared(inf, "olt"), compared(smallest, "oge")))
    replace(op, [found])


def expand_clamp(op: Operation) -> None:
    """clampf x to [a, b] -> maximumf (minimumf x, b), a"""
    builder, (value, low, high) = TileBuilder(op), op.operands
    replace(op, [builder.add(arith.MaximumfOp(builder.add(arith.MinimumfOp(value, high)), low))])


def expand_sincos(op: Operation) -> None:
    """sincos x -> sin x, cos x"""
    builder, (value,) = TileBuilder(op), op.operands
    replace(op, [builder.add(math.SinOp(value)), builder.add(math.CosOp(value))])


def expand_erfc(op: Operation) -> None:
    """erfc x -> the function of that name in libdevice, in f32 for narrower floats"""
    builder, (value,) = TileBuilder(op), op.operands
    type = value.type
    is_narrow = bit_width(element_type(type)) < 32
    if is_narrow:
        value = builder.add(arith.ExtFOp(value, with_element_type(type, f32)))
    symbol = "__nv_erfc" if bit_width(element_type(value.type)) == 64 else "__nv_erfcf"
    found = builder.add(tt.ExternElementwiseOp([value], symbol, value.type))
    replace(op, [builder.add(arith.TruncFOp(found, type)) if is_narrow else found])


def refuse(reason: str, op: Operation) -> None:
    raise PassError(f"{op.name} is not supported: {reason}", op.location)


RARE_EXPANSIONS: dict[str, Callable[[Operation], None]] = {
    "arith.ceildivsi": partial(expand_rounded_division, signed=True, up=True),
    "arith.ceildivui": partial(expand_rounded_division, signed=False, up=True),
    "arith.floordivsi": partial(expand_rounded_division, signed=True, up=False),
    "arith.addui_extended": expand_sum,
    "arith.subui_extended": expand_difference,
    "arith.mulsi_extended": partial(expand_product, signed=True),
    "arith.mului_extended": partial(expand_product, signed=False),
    "arith.index_castui": expand_index_cast,
    "arith.convertf": expand_float_conversion,
    "math.isfinite": expand_classification,
    "math.isinf": expand_classification,
    "math.isnan": expand_classification,
    "math.isnormal": expand_classification,
    "math.clampf": expand_clamp,
    "math.sincos": expand_sincos,
    "math.erfc": expand_erfc,
    "arith.flush_denormals": partial(refuse, "floats keep their subnormal values"),
}
