"""Functions of each element, `tl.math`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.operators import dtype_of, floordiv, mod, operands, promoted_triple, to_tensor
from mytriton.language.values import Argument, Operand, like, member, tensor


class PropagateNan(Enum):
    """What `minimum`, `maximum` and `clamp` give where one operand is a NaN: the other one, or NaN."""

    NONE = 0
    ALL = 0xFFFF


def _unary(op: str, x: Operand, dtypes: Sequence[str] = ("fp32", "fp64")) -> tensor:
    value = to_tensor(x)
    _check_dtype(op, value, dtypes)
    return like(value, current_builder().unary(op, value.handle))


def _check_dtype(function: str, value: tensor, dtypes: Sequence[str]) -> None:
    if value.dtype.name not in dtypes:
        raise messages.wrong_dtype(function, value.dtype, dtypes)


@member
@builtin
def exp(x: Argument) -> tensor:
    """e to the power of each element."""
    return _unary("exp", x)


@member
@builtin
def exp2(x: Argument) -> tensor:
    """2 to the power of each element."""
    return _unary("exp2", x)


@member
@builtin
def log(x: Argument) -> tensor:
    """The natural logarithm of each element."""
    return _unary("log", x)


@member
@builtin
def log2(x: Argument) -> tensor:
    """The logarithm to base 2 of each element."""
    return _unary("log2", x)


@member
@builtin
def sin(x: Argument) -> tensor:
    """The sine of each element, in radians."""
    return _unary("sin", x)


@member
@builtin
def cos(x: Argument) -> tensor:
    """The cosine of each element, in radians."""
    return _unary("cos", x)


@member
@builtin
def sqrt(x: Argument) -> tensor:
    """The square root of each element."""
    return _unary("sqrt", x)


@member
@builtin
def sqrt_rn(x: Argument) -> tensor:
    """The square root of each float32 element, rounded to nearest as IEEE 754 says."""
    return _unary("sqrt_rn", x, ("fp32",))


@member
@builtin
def rsqrt(x: Argument) -> tensor:
    """One over the square root of each element."""
    return _unary("rsqrt", x)


@member
@builtin
def erf(x: Argument) -> tensor:
    """The error function of each element."""
    return _unary("erf", x)


@member
@builtin
def floor(x: Argument) -> tensor:
    """Each element rounded down to an integer, as a float."""
    return _unary("floor", x)


@member
@builtin
def ceil(x: Argument) -> tensor:
    """Each element rounded up to an integer, as a float."""
    return _unary("ceil", x)


@member
@builtin
def abs(x: Argument) -> tensor:
    """The absolute value of each element; that of the smallest integer is itself."""
    value = to_tensor(x)
    if value.dtype.is_fp8e4b15():
        raise messages.no_arithmetic("abs", value.dtype)
    if value.dtype.is_floating():
        return like(value, current_builder().unary("absf", value.handle))
    if value.dtype.is_int_unsigned():
        return value
    if not value.dtype.is_int():
        raise messages.bad_operand("abs", value.dtype)
    return like(value, current_builder().unary("absi", value.handle))


@builtin
def fma(x: Argument, y: Argument, z: Argument) -> tensor:
    """`x * y + z` with one rounding."""
    a, b, c = promoted_triple(unwrap(x), unwrap(y), unwrap(z))
    if not a.dtype.is_floating():
        raise messages.wrong_dtype("fma", a.dtype, ("fp16", "bf16", "fp32", "fp64"))
    return like(a, current_builder().fused_multiply_add(a.handle, b.handle, c.handle))


@builtin
def umulhi(x: Argument, y: Argument) -> tensor:
    """The upper half of the product of two unsigned integers."""
    dtypes = ("int32", "int64", "uint32", "uint64")
    a, b = operands(unwrap(x), unwrap(y), "umulhi")
    _check_dtype("umulhi", a, dtypes)
    return like(a, current_builder().binary("mulhiui", a.handle, b.handle))


@builtin
def fdiv(x: Argument, y: Argument, ieee_rounding: bool = False, approx: bool = False) -> tensor:
    """`x / y` of floats."""
    if unwrap(approx):
        raise messages.unsupported_option("fdiv", "approx=True", "division is always correctly rounded")
    a, b = operands(unwrap(x), unwrap(y), "/", is_division=True)
    if not a.dtype.is_floating():
        raise messages.wrong_dtype("fdiv", a.dtype, ("fp16", "bf16", "fp32", "fp64"))
    precise = unwrap(ieee_rounding) and a.dtype.is_fp32()
    return like(a, current_builder().binary("div_rn" if precise else "divf", a.handle, b.handle))


@builtin
def div_rn(x: Argument, y: Argument) -> tensor:
    """`x / y` of float32, rounded to nearest as IEEE 754 says."""
    a, b = operands(unwrap(x), unwrap(y), "/")
    _check_dtype("div_rn", a, ("fp32",))
    return like(a, current_builder().binary("div_rn", a.handle, b.handle))


@builtin
def maximum(x: Argument, y: Argument, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """The larger of each pair of elements; a NaN loses to a number, or wins with `PropagateNan.ALL`."""
    return _extremum("max", x, y, propagate_nan)


@builtin
def minimum(x: Argument, y: Argument, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """The smaller of each pair of elements; a NaN loses to a number, or wins with `PropagateNan.ALL`."""
    return _extremum("min", x, y, propagate_nan)


def _extremum(which: str, x: Operand, y: Operand, propagate_nan: PropagateNan) -> tensor:
    a, b = operands(unwrap(x), unwrap(y), f"{which}imum")
    if a.dtype.is_floating():
        op = f"{which}imumf" if _propagates(propagate_nan) else f"{which}numf"
    else:
        op = f"{which}si" if a.dtype.is_int_signed() else f"{which}ui"
    return like(a, current_builder().binary(op, a.handle, b.handle))


def _propagates(propagate_nan: object) -> bool:
    choice = unwrap(propagate_nan)
    if not isinstance(choice, PropagateNan):
        raise messages.bad_choice("propagate_nan", choice, tuple(PropagateNan))
    return choice is PropagateNan.ALL


@builtin
def clamp(x: Argument, min: Argument, max: Argument, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """Each element of `x`, but at least `min` and at most `max`; of a NaN, `min`, or NaN with `PropagateNan.ALL`."""
    value, low, high = promoted_triple(unwrap(x), unwrap(min), unwrap(max))
    return minimum(maximum(value, low, propagate_nan), high, propagate_nan)


@member
@builtin
def sigmoid(x: Argument) -> tensor:
    """1 / (1 + exp(-x))"""
    value = to_tensor(x)
    return 1 / (1 + exp(-value))


@member
@builtin
def cdiv(x: Argument, div: Argument) -> Operand:
    """`x / div` rounded up, of integers."""
    x, div = unwrap(x), unwrap(div)
    if not dtype_of(x).is_int() or not dtype_of(div).is_int():
        raise messages.bad_operands("cdiv", dtype_of(x), dtype_of(div))
    if not isinstance(x, tensor) and not isinstance(div, tensor):
        return -(-x // div)
    # Not (x + div - 1) // div, which overflows, and rounds a negative quotient that is not whole one too far.
    quotient, remainder = floordiv(x, div), mod(x, div)
    return quotient + cast_to(_rounds_up(remainder, div), quotient.dtype)


def _rounds_up(remainder: tensor, div: Operand) -> tensor:
    """Whether the true quotient is greater than the one that was rounded towards zero."""
    if remainder.dtype.is_int_unsigned():
        return remainder != 0
    if not isinstance(div, tensor):
        return remainder > 0 if div > 0 else remainder < 0
    return (remainder != 0) & ((remainder > 0) == (div > 0))
