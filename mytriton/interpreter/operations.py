"""What each operation on elements computes, on whole arrays: tables from operation to function."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import BFloat16Type, Float64Type
from xdsl.ir import Attribute, Operation

from mytriton.dialects import arith, tt
from mytriton.dialects.tensor_types import bit_width, element_type
from mytriton.errors import CompilationError
from mytriton.interpreter.libdevice import libdevice_function
from mytriton.interpreter.values import (
    Array,
    dtype_of,
    from_memory,
    round_to,
    round_towards_zero,
    signed,
    to_memory,
    unsigned,
)

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
    x, y = signed(a), signed(b)
    safe = np.where((y == 0) | (y == -1), 1, y).astype(x.dtype)
    floored = x // safe
    quotient = floored + ((floored < 0) & (floored * safe != x))
    return _as_type_of(a, np.where(y == 0, -1, np.where(y == -1, -x, quotient)))


def remainder_signed(a: Array, b: Array) -> Array:
    """The sign is that of the dividend; by zero all ones, by -1 zero."""
    x, y = signed(a), signed(b)
    safe = np.where((y == 0) | (y == -1), 1, y).astype(x.dtype)
    return _as_type_of(a, np.where(y == 0, -1, np.where(y == -1, 0, np.fmod(x, safe))))


def _as_type_of(like: Array, result: Array) -> Array:
    """A signed result in the dtype of an operand; of a boolean the lowest bit."""
    return (result & 1).astype(np.bool_) if like.dtype == np.bool_ else result.astype(like.dtype)


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
    arith.DivSIOp: divide_signed,
    arith.RemSIOp: remainder_signed,
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


def _extremum(function: Callable[[Array, Array], Array], first_zero: Callable[[Array], Array]) -> Function:
    """A minimum or maximum for which -0.0 is less than 0.0; of two zeros it is `a` where `first_zero` says so."""

    def run(a: Array, b: Array) -> Array:
        return np.where(a == b, np.where(first_zero(a), a, b), function(a, b))

    return run


def _is_positive(array: Array) -> Array:
    return ~np.signbit(array)


minimum, maximum = _extremum(np.minimum, np.signbit), _extremum(np.maximum, _is_positive)
minimum_number, maximum_number = _extremum(np.fmin, np.signbit), _extremum(np.fmax, _is_positive)

FLOAT_BINARY: dict[type[Operation], Function] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.RemfOp: np.fmod,
    arith.MinimumfOp: minimum,
    arith.MaximumfOp: maximum,
    arith.MinnumfOp: minimum_number,
    arith.MaxnumfOp: maximum_number,
    tt.PreciseDivFOp: np.divide,
    math.CopySignOp: np.copysign,
    math.PowFOp: np.power,
    math.Atan2Op: np.arctan2,
}

_erf: Any = np.vectorize(python_math.erf, otypes=[np.float64])


def error_function(x: Array) -> Array:
    return np.asarray(_erf(x))


def reciprocal_square_root(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


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
    math.RsqrtOp: reciprocal_square_root,
    math.SinOp: np.sin,
    math.CosOp: np.cos,
    math.TanhOp: np.tanh,
    math.FloorOp: np.floor,
    math.CeilOp: np.ceil,
    math.TruncOp: np.trunc,
    math.RoundEvenOp: np.rint,
    math.ErfOp: error_function,
}

_SIGNED = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


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


def convert_float_to_integer(op: Operation, is_signed: bool, a: Array) -> Array:
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


def convert_integer_to_float(op: Operation, is_signed: bool, a: Array) -> Array:
    """Rounded once, to nearest even."""
    number = signed(a) if is_signed else unsigned(a)
    result = element_type(op.results[0].type)
    if isinstance(result, BFloat16Type):
        return round_to(result, _few_digits(number).astype(np.float64))
    # What float32 rounds is infinite in float16 anyway.
    return round_to(result, number.astype(np.float64 if isinstance(result, Float64Type) else np.float32))


def _few_digits(number: Array) -> Array:
    """Integers that float64 holds; the last of 52 digits is 1 where others were cut off, so that they round alike."""
    if number.dtype.itemsize < 8:
        return number
    integer: type[Any] = number.dtype.type
    cut, limit = integer(0xFFF), integer(1 << 53)
    lost: Array = (number & cut != 0).astype(number.dtype) * integer(0x800)
    is_short = (number < limit) & (number > -limit) if number.dtype.kind == "i" else number < limit
    return np.where(is_short, number, number & ~cut | lost)


def extend(op: Operation, is_signed: bool, a: Array) -> Array:
    dtype = dtype_of(op.results[0].type)
    return (signed(a) if is_signed else unsigned(a)).astype(dtype)


def truncate(op: Operation, a: Array) -> Array:
    dtype = dtype_of(op.results[0].type)
    return (a & 1).astype(np.bool_) if dtype == np.bool_ else a.astype(dtype)


def bitcast(op: Operation, a: Array) -> Array:
    """The same bits as another type of the same width."""
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
        return partial(_rounded, op.results[0].type, FLOAT_BINARY.get(kind) or FLOAT_UNARY[kind])
    match op:
        case arith.CmpiOp():
            return partial(compare_integers, op)
        case arith.CmpfOp():
            return partial(compare_floats, op)
        case arith.SelectOp():
            return select
        case arith.ExtSIOp() | arith.ExtUIOp():
            return partial(extend, op, isinstance(op, arith.ExtSIOp))
        case arith.TruncIOp():
            return partial(truncate, op)
        case arith.IndexCastOp():
            return partial(extend, op, True)
        case tt.FpToFpOp() if op.rounding_mode == "rtz":
            return partial(round_towards_zero, op.result.type)
        case arith.ExtFOp() | arith.TruncFOp() | tt.FpToFpOp():
            return partial(round_to, op.results[0].type)
        case arith.SIToFPOp() | arith.UIToFPOp():
            return partial(convert_integer_to_float, op, isinstance(op, arith.SIToFPOp))
        case arith.FPToSIOp() | arith.FPToUIOp():
            return partial(convert_float_to_integer, op, isinstance(op, arith.FPToSIOp))
        case arith.BitcastOp() | tt.BitcastOp():
            return partial(bitcast, op)
        case tt.IntToPtrOp() | tt.PtrToIntOp():
            return _same
        case tt.MulhiUIOp():
            return multiply_high
        case tt.ExternElementwiseOp():
            return extern_function(op)
        case tt.ClampFOp():
            return partial(clamp, op)
        case math.FmaOp():
            return partial(fused_multiply_add, op)
        case math.AbsIOp():
            return np.abs
        case _:
            return None


def _same(a: Array) -> Array:
    return a


def select(condition: Array, a: Array, b: Array) -> Array:
    return np.where(condition, a, b)


def _rounded(result_type: Attribute, function: Function, *operands: Array) -> Array:
    return round_to(result_type, function(*operands))


def clamp(op: tt.ClampFOp, x: Array, low: Array, high: Array) -> Array:
    smaller, larger = (minimum, maximum) if op.propagates_nan else (minimum_number, maximum_number)
    return round_to(op.results[0].type, smaller(larger(x, low), high))


def extern_function(op: tt.ExternElementwiseOp) -> Function:
    function = libdevice_function(op.symbol.data)
    if function is None:
        raise CompilationError(f"the function {op.symbol.data} is not one of libdevice")
    return function


def fused_multiply_add(op: Operation, a: Array, b: Array, c: Array) -> Array:
    """a * b + c rounded once; float16 and bfloat16 are computed in float32, as all arithmetic on them."""
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
    exactly = np.ascontiguousarray(fixed).view(np.float64).reshape(total.shape)
    return round_to(op.results[0].type, exactly.astype(np.float32))


def _exact_fma(a: float, b: float, c: float) -> float:
    from fractions import Fraction

    a, b, c = float(a), float(b), float(c)
    if not all(python_math.isfinite(value) for value in (a, b, c)):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return python_math.copysign(python_math.inf, exact)


_fma_double: Any = np.vectorize(_exact_fma, otypes=[np.float64])
