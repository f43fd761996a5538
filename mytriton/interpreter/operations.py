"""What each operation on elements computes, on whole arrays: tables from operation to function."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Operation

from mytriton.dialects import arith, tt
from mytriton.dialects.tensor_types import bit_width, element_type
from mytriton.interpreter.values import Array, dtype_of, round_to, signed, unsigned

Function: TypeAlias = Callable[..., Array]


def _bits(array: Array) -> int:
    return 1 if array.dtype == np.bool_ else array.dtype.itemsize * 8


def _wrapping(function: Callable[[Array, Array], Array]) -> Function:
    """Integer arithmetic on the bits; on booleans modulo 2."""

    def run(a: Array, b: Array) -> Array:
        if a.dtype == np.bool_:
            return (function(a.astype(np.int8), b.astype(np.int8)) & 1).astype(np.bool_)
        return function(a, b)

    return run


def divide_signed(a: Array, b: Array) -> Array:
    """Toward zero; by zero all ones, and the smallest number by -1 is itself."""
    a, b = signed(a), signed(b)
    safe = np.where((b == 0) | (b == -1), 1, b).astype(a.dtype)
    magnitude = a // safe
    quotient = magnitude + ((magnitude < 0) & (magnitude * safe != a))
    return np.where(b == 0, -1, np.where(b == -1, -a, quotient)).astype(a.dtype)


def remainder_signed(a: Array, b: Array) -> Array:
    """The sign is that of the dividend; by zero all ones, by -1 zero."""
    a, b = signed(a), signed(b)
    safe = np.where((b == 0) | (b == -1), 1, b).astype(a.dtype)
    return np.where(b == 0, -1, np.where(b == -1, 0, np.fmod(a, safe))).astype(a.dtype)


def divide_unsigned(a: Array, b: Array) -> Array:
    ua, ub = unsigned(a), unsigned(b)
    quotient = ua // np.where(ub == 0, 1, ub).astype(ua.dtype)
    return _same_bits(np.where(ub == 0, ~ub, quotient), a)


def remainder_unsigned(a: Array, b: Array) -> Array:
    ua, ub = unsigned(a), unsigned(b)
    remainder = ua % np.where(ub == 0, 1, ub).astype(ua.dtype)
    return _same_bits(np.where(ub == 0, ~ub, remainder), a)


def _same_bits(result: Array, like: Array) -> Array:
    if like.dtype == np.bool_:
        return (result & 1).astype(np.bool_)
    return result.astype(unsigned(like).dtype).view(like.dtype)


def shift_left(a: Array, b: Array) -> Array:
    """Shifts by the width or more give zero."""
    amount = unsigned(b)
    inside = amount < _bits(a)
    shifted = unsigned(a) << np.where(inside, amount, 0).astype(unsigned(a).dtype)
    return _same_bits(np.where(inside, shifted, 0), a)


def shift_right_unsigned(a: Array, b: Array) -> Array:
    amount = unsigned(b)
    inside = amount < _bits(a)
    shifted = unsigned(a) >> np.where(inside, amount, 0).astype(unsigned(a).dtype)
    return _same_bits(np.where(inside, shifted, 0), a)


def shift_right_signed(a: Array, b: Array) -> Array:
    """Shifts by the width or more give the sign."""
    if a.dtype == np.bool_:
        return a
    amount = unsigned(b)
    last = _bits(a) - 1
    return a >> np.minimum(amount, last).astype(a.dtype)


def _by_value(function: Callable[[Array, Array], Array], view: Callable[[Array], Array]) -> Function:
    """Integer minimum and maximum, of the signed or unsigned numbers."""

    def run(a: Array, b: Array) -> Array:
        result = function(view(a), view(b))
        return result.astype(np.bool_) if a.dtype == np.bool_ else result.view(a.dtype)

    return run


INTEGER_BINARY: dict[type[Operation], Function] = {
    arith.AddiOp: _wrapping(np.add),
    arith.SubiOp: _wrapping(np.subtract),
    arith.MuliOp: _wrapping(np.multiply),
    arith.DivSIOp: lambda a, b: _boolean_like(divide_signed(a, b), a),
    arith.RemSIOp: lambda a, b: _boolean_like(remainder_signed(a, b), a),
    arith.DivUIOp: divide_unsigned,
    arith.RemUIOp: remainder_unsigned,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.ShLIOp: shift_left,
    arith.ShRUIOp: shift_right_unsigned,
    arith.ShRSIOp: shift_right_signed,
    arith.MinSIOp: _by_value(np.minimum, signed),
    arith.MaxSIOp: _by_value(np.maximum, signed),
    arith.MinUIOp: _by_value(np.minimum, unsigned),
    arith.MaxUIOp: _by_value(np.maximum, unsigned),
}


def _boolean_like(result: Array, like: Array) -> Array:
    return (result & 1).astype(np.bool_) if like.dtype == np.bool_ else result


def multiply_high(a: Array, b: Array) -> Array:
    """The high half of the unsigned product."""
    if a.dtype == np.int32:
        product = unsigned(a).astype(np.uint64) * unsigned(b).astype(np.uint64)
        return (product >> np.uint64(32)).astype(np.uint32).view(np.int32)
    ua, ub, low, half = unsigned(a), unsigned(b), np.uint64(0xFFFFFFFF), np.uint64(32)
    a_low, a_high, b_low, b_high = ua & low, ua >> half, ub & low, ub >> half
    middle = a_high * b_low + (a_low * b_low >> half)
    other = a_low * b_high + (middle & low)
    return (a_high * b_high + (middle >> half) + (other >> half)).view(np.int64)


FLOAT_BINARY: dict[type[Operation], Function] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.RemfOp: np.fmod,
    arith.MinimumfOp: np.minimum,
    arith.MaximumfOp: np.maximum,
    arith.MinnumfOp: np.fmin,
    arith.MaxnumfOp: np.fmax,
    tt.PreciseDivFOp: np.divide,
    math.CopySignOp: np.copysign,
    math.PowFOp: np.power,
    math.Atan2Op: np.arctan2,
}

_erf = np.vectorize(python_math.erf, otypes=[np.float64])

FLOAT_UNARY: dict[type[Operation], Function] = {
    arith.NegfOp: np.negative,
    tt.PreciseSqrtOp: np.sqrt,
    math.AbsFOp: np.abs,
    math.ExpOp: np.exp,
    math.Exp2Op: np.exp2,
    math.LogOp: np.log,
    math.Log2Op: np.log2,
    math.Log10Op: np.log10,
    math.Log1pOp: np.log1p,
    math.ExpM1Op: np.expm1,
    math.SqrtOp: np.sqrt,
    math.RsqrtOp: lambda x: np.reciprocal(np.sqrt(x)),
    math.SinOp: np.sin,
    math.CosOp: np.cos,
    math.TanhOp: np.tanh,
    math.FloorOp: np.floor,
    math.CeilOp: np.ceil,
    math.TruncOp: np.trunc,
    math.RoundEvenOp: np.rint,
    math.ErfOp: lambda x: _erf(x).astype(x.dtype),
}

_SIGNED = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


def compare_integers(op: arith.CmpiOp, a: Array, b: Array) -> Array:
    predicate = op.predicate_name
    view = unsigned if predicate.startswith("u") else signed
    return _SIGNED[predicate[-2:]](view(a), view(b))


def compare_floats(op: arith.CmpfOp, a: Array, b: Array) -> Array:
    predicate = op.predicate_name
    unordered = np.isnan(a) | np.isnan(b)
    match predicate:
        case "false" | "true":
            return np.full(np.broadcast_shapes(a.shape, b.shape), predicate == "true")
        case "ord":
            return ~unordered
        case "uno":
            return unordered
        case _:
            result = _SIGNED[predicate[1:]](a, b)
            return result | unordered if predicate.startswith("u") else result & ~unordered


def convert_float_to_integer(op: Operation, a: Array, is_signed: bool) -> Array:
    """Toward zero; out of range the nearest number of the type, NaN zero."""
    result = element_type(op.results[0].type)
    if bit_width(result) == 1:
        return a != 0
    dtype = dtype_of(result)
    target = dtype if is_signed else unsigned(np.zeros(1, dtype)).dtype
    limits = np.iinfo(target)
    wide = np.trunc(a.astype(np.float64))
    low, high = wide <= float(limits.min), wide >= float(limits.max)
    inside = np.where(low | high | np.isnan(wide), 0.0, wide).astype(target)
    converted = np.where(high, limits.max, np.where(low, limits.min, inside)).astype(target)
    return np.where(np.isnan(wide), np.zeros((), target), converted).astype(target).view(dtype)


def convert_integer_to_float(op: Operation, a: Array, is_signed: bool) -> Array:
    """To nearest even; 16-bit floats by way of float32, as the GPU code does."""
    number = signed(a) if is_signed else unsigned(a)
    result = op.results[0].type
    if dtype_of(result) == np.float64:
        return number.astype(np.float64)
    return round_to(result, number.astype(np.float32))


def extend(op: Operation, a: Array, is_signed: bool) -> Array:
    dtype = dtype_of(op.results[0].type)
    return (signed(a) if is_signed else unsigned(a)).astype(dtype)


def truncate(op: Operation, a: Array) -> Array:
    dtype = dtype_of(op.results[0].type)
    return (a & 1).astype(np.bool_) if dtype == np.bool_ else a.astype(dtype)


def bitcast(op: Operation, a: Array) -> Array:
    """The same bits as another type of the same width."""
    from mytriton.interpreter.values import from_memory, to_memory

    source, target = element_type(op.operands[0].type), element_type(op.results[0].type)
    if isinstance(target, tt.PointerType):
        return a
    return from_memory(target, to_memory(source, a)).reshape(a.shape)


def elementwise_function(op: Operation) -> Function | None:
    """What an operation does to the elements of its operands; None for an operation that is not elementwise."""
    kind = type(op)
    if kind in INTEGER_BINARY:
        return INTEGER_BINARY[kind]
    if kind in FLOAT_BINARY or kind in FLOAT_UNARY:
        function = FLOAT_BINARY.get(kind) or FLOAT_UNARY[kind]
        result_type = op.results[0].type
        return lambda *operands: round_to(result_type, function(*operands))
    match op:
        case arith.CmpiOp():
            return lambda a, b: compare_integers(op, a, b)
        case arith.CmpfOp():
            return lambda a, b: compare_floats(op, a, b)
        case arith.SelectOp():
            return lambda c, a, b: np.where(c, a, b)
        case arith.ExtSIOp() | arith.ExtUIOp():
            return lambda a: extend(op, a, isinstance(op, arith.ExtSIOp))
        case arith.TruncIOp():
            return lambda a: truncate(op, a)
        case arith.IndexCastOp():
            return lambda a: a.astype(dtype_of(op.results[0].type))
        case arith.ExtFOp() | arith.TruncFOp() | tt.FpToFpOp():
            return lambda a: round_to(op.results[0].type, a)
        case arith.SIToFPOp() | arith.UIToFPOp():
            return lambda a: convert_integer_to_float(op, a, isinstance(op, arith.SIToFPOp))
        case arith.FPToSIOp() | arith.FPToUIOp():
            return lambda a: convert_float_to_integer(op, a, isinstance(op, arith.FPToSIOp))
        case arith.BitcastOp() | tt.BitcastOp():
            return lambda a: bitcast(op, a)
        case tt.IntToPtrOp() | tt.PtrToIntOp():
            return lambda a: a
        case tt.MulhiUIOp():
            return multiply_high
        case tt.ClampFOp():
            return lambda x, low, high: clamp(op, x, low, high)
        case math.FmaOp():
            return lambda a, b, c: fused_multiply_add(op, a, b, c)
        case math.AbsIOp():
            return np.abs
        case _:
            return None


def clamp(op: tt.ClampFOp, x: Array, low: Array, high: Array) -> Array:
    result = np.fmin(np.fmax(x, low), high)
    if op.propagates_nan:
        result = np.where(np.isnan(x), x, result)
    return round_to(op.results[0].type, result)


def fused_multiply_add(op: Operation, a: Array, b: Array, c: Array) -> Array:
    """a * b + c rounded once; for float64 the product is exact up to the error that splitting gives back."""
    if a.dtype == np.float64:
        return _fma_double(a, b, c)
    exact = a.astype(np.float64) * b.astype(np.float64)
    total = exact + c.astype(np.float64)
    # The sum in float64 may be rounded: move it to the odd neighbour so that the second rounding sees that.
    back = total - exact
    lost = (exact - (total - back)) + (c.astype(np.float64) - back)
    bits = np.ascontiguousarray(total).view(np.int64).reshape(total.shape)
    even = (bits & 1) == 0
    away = np.sign(lost) == np.sign(total)
    nudged = np.where(away, bits + 1, bits - 1)
    fixed = np.where((lost != 0) & even & np.isfinite(total), nudged, bits)
    return round_to(op.results[0].type, np.ascontiguousarray(fixed).view(np.float64).reshape(total.shape))


_fma_double: Any = np.vectorize(
    lambda a, b, c: _exact_fma(float(a), float(b), float(c)), otypes=[np.float64]
)


def _exact_fma(a: float, b: float, c: float) -> float:
    from fractions import Fraction

    if not all(python_math.isfinite(value) for value in (a, b, c)):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return python_math.copysign(python_math.inf, exact)
