"""The functions of libdevice on arrays, by their symbols. Operands and results are those of `mytriton.libdevice`."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from mytriton.interpreter.values import Array
from mytriton.libdevice import PREFIX, ROUNDINGS, SYMBOLS

Function: TypeAlias = Callable[..., Any]
One: TypeAlias = Callable[[Any], Any]
Two: TypeAlias = Callable[[Any, Any], Any]
Three: TypeAlias = Callable[[Any, Any, Any], Any]
Table: TypeAlias = dict[str, One | Two | Three]

_DTYPES = {
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "fp32": np.float32,
    "fp64": np.float64,
}


def libdevice_function(symbol: str) -> Callable[..., Array] | None:
    """The function on arrays that a symbol stands for; None for an unknown symbol."""
    overload = SYMBOLS.get(symbol)
    if overload is None:
        return None
    function = _functions()[symbol.removeprefix(PREFIX)]
    views = [np.dtype(_DTYPES[name]) for name in overload.operands]
    result = np.dtype(_DTYPES[overload.result])

    def run(*operands: Array) -> Array:
        # Integers are held as signed numbers, and looked at as what the function takes.
        typed = [operand.view(view) for operand, view in zip(operands, views, strict=True)]
        value = np.asarray(function(*typed))
        if value.dtype.kind in "iu" and result.kind in "iu" and value.dtype.itemsize == result.itemsize:
            value = value.view(result)
        value = value.astype(result)
        return value.view(result.str.replace("u", "i"))

    return run


def _each(function: One | Two) -> Function:
    """A function of Python's numbers on each element; NaN where it is not defined, and infinity beyond floats."""

    python: Function = function

    def guarded(*numbers: Any) -> Any:
        try:
            return python(*(number.item() for number in numbers))
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    def run(*operands: Array) -> Array:
        arrays = np.broadcast_arrays(*operands)
        values = [guarded(*numbers) for numbers in zip(*(array.ravel() for array in arrays), strict=True)]
        return np.array(values, np.float64).reshape(arrays[0].shape)

    return run


# Rounding in a direction


def _rounded(exact: One | Two | Three, nearest: One | Two | Function, rounding: str, dtype: Any) -> Function:
    """A function computed exactly, then rounded to a float type in a direction."""
    kind: Any = dtype
    is_nearest = rounding == "rn"
    exactly: Function = exact

    def one(*numbers: Any) -> Any:
        with np.errstate(all="ignore"):
            near = kind(nearest(*numbers))
        if is_nearest or not all(math.isfinite(number) for number in numbers) or math.isnan(near):
            return near
        try:
            true = exactly(*(Fraction(number.item()) for number in numbers))
        except ZeroDivisionError:
            return near
        if true == 0:
            return _rounded_zero(near, numbers, rounding)
        return _neighbour(near, true, rounding)

    def run(*operands: Array) -> Array:
        arrays = np.broadcast_arrays(*operands)
        values = [one(*numbers) for numbers in zip(*(array.ravel() for array in arrays), strict=True)]
        return np.array(values, dtype).reshape(arrays[0].shape)

    return run


def _rounded_zero(near: Any, numbers: tuple[Any, ...], rounding: str) -> Any:
    """A sum that is exactly zero is -0 if it is rounded down; a product or quotient keeps its sign."""
    parts = numbers if len(numbers) == 2 else ()
    if len(numbers) == 3:
        parts = (type(near)(numbers[0] * numbers[1]) or numbers[0] * numbers[1], numbers[2])
    is_sum = len(numbers) == 3 or (len(parts) == 2 and parts[0] == -parts[1])
    if rounding == "rd" and is_sum and any(math.copysign(1, part) < 0 for part in parts):
        return type(near)(-0.0)
    return near


def _neighbour(near: Any, true: Fraction, rounding: str) -> Any:
    """Of the floats around `true` the one in the direction; `near` is one of them."""
    kind = near.__class__
    downwards = rounding == "rd" or (rounding == "rz" and true > 0)
    if math.isinf(near):
        is_beyond = near > 0
        return np.nextafter(near, kind(0)) if is_beyond == downwards else near
    value = Fraction(near.item())
    if downwards and value > true:
        return np.nextafter(near, kind(-math.inf))
    if not downwards and value < true:
        return np.nextafter(near, kind(math.inf))
    return near


def _square_root(rounding: str, dtype: Any) -> Function:
    kind: Any = dtype

    def one(number: Any) -> Any:
        near = kind(np.sqrt(number))
        if rounding == "rn" or not math.isfinite(near) or near == 0:
            return near
        square, value = Fraction(near.item()) ** 2, Fraction(number.item())
        if rounding == "ru":
            return np.nextafter(near, kind(math.inf)) if square < value else near
        return np.nextafter(near, kind(0)) if square > value else near

    def run(x: Array) -> Array:
        return np.array([one(number) for number in x.ravel()], dtype).reshape(x.shape)

    return run


_EXACT: Table = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "rcp": lambda a: 1 / a,
}
_NEAREST: Table = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rcp": np.reciprocal,
}


def _arithmetic() -> Table:
    functions: Table = {}
    for rounding in ROUNDINGS:
        for letter, dtype, fused in (("f", np.float32, "fmaf"), ("d", np.float64, "fma")):
            for name, exact in _EXACT.items():
                nearest = _NEAREST[name]
                functions[f"{letter}{name}_{rounding}"] = (
                    nearest if rounding == "rn" else _rounded(exact, nearest, rounding, dtype)
                )
            functions[f"{letter}sqrt_{rounding}"] = _square_root(rounding, dtype)
            functions[f"{fused}_{rounding}"] = _rounded(lambda a, b, c: a * b + c, _fused, rounding, dtype)
    return functions


def _fused(a: Any, b: Any, c: Any) -> Any:
    """The product and sum rounded once."""
    kind = a.__class__
    if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
        return a * b + c
    exact = Fraction(a.item()) * Fraction(b.item()) + Fraction(c.item())
    if exact == 0:
        return a * b + c
    return _nearest(exact, kind)


def _nearest(exact: Fraction, kind: Any) -> Any:
    """The float nearest to a number; ties go to the even one."""
    try:
        double = np.float64(exact.numerator / exact.denominator)
    except OverflowError:
        double = np.float64(math.inf if exact > 0 else -math.inf)
    if kind is np.float64 or not np.isfinite(double):
        return kind(double)
    # Rounded to odd on the way, so that the second rounding is the only one that counts.
    value = Fraction(double.item())
    if value != exact and np.asarray(double).view(np.int64) & 1 == 0:
        double = np.nextafter(double, np.float64(math.inf if value < exact else -math.inf))
    return kind(double)


def _conversions() -> Table:
    functions: Table = {}
    for rounding in ROUNDINGS:
        functions[f"double2float_{rounding}"] = _rounded(lambda x: x, np.float32, rounding, np.float32)
        for source in ("int", "uint", "ll", "ull"):
            for target, dtype in (("float", np.float32), ("double", np.float64)):
                functions[f"{source}2{target}_{rounding}"] = _rounded(lambda x: x, dtype, rounding, dtype)
        for source in ("float", "double"):
            for target in ("int", "uint", "ll", "ull"):
                functions[f"{source}2{target}_{rounding}"] = _to_integer(_TO_WHOLE[rounding], _INTEGERS[target])
    return functions


_TO_WHOLE: Table = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
_INTEGERS = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}


def _to_integer(whole: Function, dtype: Any) -> Function:
    """Rounded, then limited to the range of the integer type; of NaN 0."""
    limits = np.iinfo(dtype)

    def run(x: Array) -> Array:
        value = whole(x.astype(np.float64))
        low, high = value <= float(limits.min), value >= float(limits.max)
        inside = np.where(low | high | np.isnan(value), 0.0, value).astype(dtype)
        limited = np.where(high, dtype(limits.max), np.where(low, dtype(limits.min), inside))
        return np.where(np.isnan(value), dtype(0), limited).astype(dtype)

    return run


# Integers


def _leading_zeros(x: Array) -> Array:
    bits = x.dtype.itemsize * 8
    mask = (1 << bits) - 1
    return np.array([bits - (int(v) & mask).bit_length() for v in x.ravel()], np.int32).reshape(x.shape)


def _first_set(x: Array) -> Array:
    return np.array([(int(v) & -int(v)).bit_length() for v in x.ravel()], np.int32).reshape(x.shape)


def _reversed(x: Array) -> Array:
    bits = x.dtype.itemsize * 8
    unsigned = x.view(f"u{x.dtype.itemsize}")
    values = [int(f"{int(v):0{bits}b}"[::-1], 2) for v in unsigned.ravel()]
    return np.array(values, unsigned.dtype).reshape(x.shape)


def _high_product(a: Array, b: Array) -> Array:
    bits = a.dtype.itemsize * 8
    mask = (1 << bits) - 1
    values = [(int(x) * int(y) >> bits) & mask for x, y in zip(a.ravel(), b.ravel(), strict=True)]
    return np.array(values, f"u{a.dtype.itemsize}").reshape(a.shape)


def _byte_permutation(low: Array, high: Array, selector: Array) -> Array:
    both = high.view(np.uint32).astype(np.uint64) << np.uint64(32) | low.view(np.uint32)
    result = np.zeros(low.shape, np.uint32)
    for byte in range(4):
        digit = selector.view(np.uint32) >> np.uint32(4 * byte) & np.uint32(15)
        value = (both >> (np.uint64(8) * (digit & np.uint32(7)))).astype(np.uint32) & np.uint32(0xFF)
        sign = np.where(value & np.uint32(0x80), np.uint32(0xFF), np.uint32(0))
        result |= np.where(digit & np.uint32(8), sign, value).astype(np.uint32) << np.uint32(8 * byte)
    return result


def _difference(a: Array, b: Array, c: Array) -> Array:
    wide = np.abs(a.astype(np.int64) - b.astype(np.int64)) + c.astype(np.int64)
    return wide.astype(np.uint32)


def _average(up: int) -> Function:
    def run(a: Array, b: Array) -> Array:
        return ((a.astype(np.int64) + b.astype(np.int64) + up) >> 1).astype(a.dtype)

    return run


def _signed_24(x: Array) -> Array:
    return x.astype(np.int32) << 8 >> 8


def _integers() -> Table:
    return {
        "abs": np.abs,
        "llabs": np.abs,
        "brev": _reversed,
        "brevll": _reversed,
        "byte_perm": _byte_permutation,
        "clz": _leading_zeros,
        "clzll": _leading_zeros,
        "ffs": _first_set,
        "ffsll": _first_set,
        "hadd": _average(0),
        "uhadd": _average(0),
        "rhadd": _average(1),
        "urhadd": _average(1),
        "mul24": lambda a, b: _signed_24(a) * _signed_24(b),
        "umul24": lambda a, b: (a & np.uint32(0xFFFFFF)) * (b & np.uint32(0xFFFFFF)),
        "mulhi": _high_product,
        "umulhi": _high_product,
        "mul64hi": _high_product,
        "umul64hi": _high_product,
        "popc": lambda x: np.bitwise_count(x.view(np.uint32)).astype(np.int32),
        "popcll": lambda x: np.bitwise_count(x.view(np.uint64)).astype(np.int32),
        "sad": _difference,
        "usad": _difference,
        "double2hiint": lambda x: (x.view(np.int64) >> 32).astype(np.int32),
        "double2loint": lambda x: x.view(np.int64).astype(np.int32),
        "hiloint2double": lambda high, low: (high.astype(np.int64) << 32 | low.view(np.uint32).astype(np.int64)).view(
            np.float64
        ),
        "float_as_int": lambda x: x.view(np.int32),
        "float_as_uint": lambda x: x.view(np.int32),
        "int_as_float": lambda x: x.view(np.float32),
        "uint_as_float": lambda x: x.view(np.float32),
        "double_as_longlong": lambda x: x.view(np.int64),
        "longlong_as_double": lambda x: x.view(np.float64),
    }


# Special functions


def _far_from_zero(order: int, x: float) -> tuple[float, float, float, float]:
    """Hankel's expansion: the cosine and sine of the phase, scaled, and the sums of the even and the odd terms."""
    phase = x - (order / 2 + 0.25) * math.pi
    scale = math.sqrt(2 / math.pi / x)
    sums = [0.0, 0.0]
    term = 1.0
    for k in range(20):
        sums[k % 2] += -term if k % 4 > 1 else term
        term *= (4 * order * order - (2 * k + 1) ** 2) / ((k + 1) * 8 * x)
    return scale * math.cos(phase), scale * math.sin(phase), sums[0], sums[1]


def bessel_j(order: int, x: float) -> float:
    """The mean of cos(order * t - x * sin(t)) over half a turn."""
    if not math.isfinite(x):
        return math.nan if math.isnan(x) else 0.0
    if abs(x) > 60:
        cosine, sine, even, odd = _far_from_zero(order, abs(x))
        value = even * cosine - odd * sine
        return -value if x < 0 and order % 2 else value
    count = int(abs(x)) + abs(order) + 64
    angle = np.arange(2 * count) * (math.pi / count)
    return float(np.mean(np.cos(order * angle - x * np.sin(angle))))


@cache
def _nodes(count: int) -> tuple[Any, Any]:
    return np.polynomial.legendre.leggauss(count)


def bessel_y(order: int, x: float) -> float:
    """Schlaefli's integrals, the first over half a turn and the second over the positive numbers."""
    if math.isnan(x) or x < 0:
        return math.nan
    if x == 0:
        return -math.inf if order >= 0 or order % 2 == 0 else math.inf
    if math.isinf(x):
        return 0.0
    if x > 60:
        cosine, sine, even, odd = _far_from_zero(order, x)
        return even * sine + odd * cosine
    nodes, weights = _nodes(300)
    turn = (nodes + 1) * (math.pi / 2)
    oscillating = float(np.sum(weights * np.sin(x * np.sin(turn) - order * turn))) / 2
    end = math.asinh((50 + 25 * abs(order)) / x) + 1
    time = (nodes + 1) * (end / 2)
    decaying = (np.exp(order * time) + (-1) ** order * np.exp(-order * time)) * np.exp(-x * np.sinh(time))
    return oscillating - float(np.sum(weights * decaying)) * end / (2 * math.pi)


def bessel_i(order: int, x: float) -> float:
    """The mean of exp(x * cos(t)) * cos(order * t) over a turn."""
    if not math.isfinite(x):
        return x if math.isnan(x) or order else math.inf
    if abs(x) > 720:
        return math.copysign(math.inf, x) if order % 2 else math.inf
    count = 2 * int(math.sqrt(abs(x)) * 10 + 40)
    angle = np.arange(count) * (2 * math.pi / count)
    scaled = np.exp(abs(x) * (np.cos(angle) - 1)) * np.cos(order * angle)
    mean = float(np.mean(scaled)) * math.exp(abs(x) / 2) * math.exp(abs(x) / 2)
    return -mean if order % 2 and x < 0 else mean


def scaled_complement(x: float) -> float:
    """exp(x * x) * erfc(x)"""
    if x < 20:
        square = Fraction(x) ** 2
        whole = float(square)
        return math.exp(whole) * math.exp(float(square - Fraction(whole))) * math.erfc(x)
    fraction = 0.0
    for step in range(40, 0, -1):
        fraction = step / 2 / (x + fraction)
    return 1 / ((x + fraction) * math.sqrt(math.pi))


def inverse_complement(x: float) -> float:
    """The number whose complementary error function is x, by bisection and then Newton's steps."""
    if not 0 < x < 2:
        return math.inf if x == 0 else -math.inf if x == 2 else math.nan
    tail = min(x, 2 - x)
    low, high = 0.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(middle) > tail else (low, middle)
    result = (low + high) / 2
    slope = 2 / math.sqrt(math.pi) * math.exp(-result * result)
    if slope:
        result += (math.erfc(result) - tail) / slope
    return result if x <= 1 else -result


def inverse_error(x: float) -> float:
    """The number whose error function is x."""
    if abs(x) > 0.5:
        return math.copysign(inverse_complement(1 - abs(x)), x)
    result = x * math.sqrt(math.pi) / 2
    for _ in range(6):
        result -= (math.erf(result) - x) * math.sqrt(math.pi) / 2 * math.exp(result * result)
    return result


def _sine_of_half_turns(x: float) -> float:
    if not math.isfinite(x):
        return math.nan
    if x == math.trunc(x):
        return math.copysign(0.0, x)
    rest = math.fmod(x, 2.0)
    quarter = round(2 * rest)
    angle = math.pi * (rest - quarter / 2)
    return (math.sin(angle), math.cos(angle), -math.sin(angle), -math.cos(angle))[quarter % 4]


def _cosine_of_half_turns(x: float) -> float:
    rest = math.fmod(abs(x), 2.0)
    quarter = round(2 * rest)
    angle = math.pi * (rest - quarter / 2)
    return (math.cos(angle), 0.0 - math.sin(angle), 0.0 - math.cos(angle), math.sin(angle))[quarter % 4]


def _gamma(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else math.gamma(x)


def _log_gamma(x: float) -> float:
    return math.inf if (x <= 0 and x == math.trunc(x)) or math.isinf(x) else math.lgamma(x)


def _exponent(x: Array) -> Array:
    """The exponent as an integer: of 0 the smallest integer, of infinity the largest, of NaN the smallest."""
    lowest = np.int32(-(1 << 31))
    safe = np.where(np.isfinite(x) & (x != 0), x, 1).astype(np.float64)
    exponent = np.frexp(safe)[1] - 1
    special = np.where(np.isinf(x), np.int32((1 << 31) - 1), lowest)
    return np.where(np.isfinite(x) & (x != 0), exponent, special).astype(np.int32)


def _exponent_as_float(x: Array) -> Array:
    return np.where(x == 0, -np.inf, np.where(np.isfinite(x), _exponent(x), np.abs(x)))


def _round_half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.copysign(whole + np.copysign(np.abs(x - whole) >= 0.5, x), x)


def _upper_half(x: Array) -> Array:
    return (x.view(np.int64) & np.int64(-(1 << 32))).view(np.float64)


def _root_of_squares(*parts: Array) -> Array:
    total = np.zeros((), np.float64)
    for part in parts:
        total = np.hypot(total, part.astype(np.float64))
    return total


def _reciprocal_root_of_squares(*parts: Array) -> Array:
    return np.asarray(1 / _root_of_squares(*parts))


def _wide(function: Function) -> Function:
    """Computed in float64 and rounded at the end."""
    return lambda *operands: function(*(operand.astype(np.float64) for operand in operands))


def _floats() -> Table:
    """For each function of libdevice on float64 what it computes; those on float32 have an `f` behind their name."""
    return {
        "acos": np.arccos,
        "acosh": np.arccosh,
        "asin": np.arcsin,
        "asinh": np.arcsinh,
        "atan": np.arctan,
        "atan2": np.arctan2,
        "atanh": np.arctanh,
        "cbrt": np.cbrt,
        "ceil": np.ceil,
        "copysign": np.copysign,
        "cos": np.cos,
        "cosh": np.cosh,
        "cospi": _each(_cosine_of_half_turns),
        "cyl_bessel_i0": _each(lambda x: bessel_i(0, x)),
        "cyl_bessel_i1": _each(lambda x: bessel_i(1, x)),
        "erf": _each(math.erf),
        "erfc": _each(math.erfc),
        "erfcinv": _each(inverse_complement),
        "erfcx": _each(scaled_complement),
        "erfinv": _each(inverse_error),
        "exp": np.exp,
        "exp10": lambda x: np.power(10.0, x),
        "exp2": np.exp2,
        "expm1": np.expm1,
        "fdim": lambda x, y: np.where(x <= y, 0.0, x - y),
        "floor": np.floor,
        "fmod": np.fmod,
        "hypot": np.hypot,
        "j0": _each(lambda x: bessel_j(0, x)),
        "j1": _each(lambda x: bessel_j(1, x)),
        "lgamma": _each(_log_gamma),
        "log": np.log,
        "log10": np.log10,
        "log1p": np.log1p,
        "log2": np.log2,
        "logb": _exponent_as_float,
        "nearbyint": np.rint,
        "norm3d": _root_of_squares,
        "norm4d": _root_of_squares,
        "normcdf": _each(lambda x: 0.5 * math.erfc(-x / math.sqrt(2))),
        "normcdfinv": _each(lambda x: -math.sqrt(2) * inverse_complement(2 * x)),
        "pow": np.power,
        "rcbrt": lambda x: 1 / np.cbrt(x),
        "remainder": _each(math.remainder),
        "rhypot": lambda x, y: 1 / np.hypot(x, y),
        "rint": np.rint,
        "rnorm3d": _reciprocal_root_of_squares,
        "rnorm4d": _reciprocal_root_of_squares,
        "round": _round_half_away,
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "sin": np.sin,
        "sinh": np.sinh,
        "sinpi": _each(_sine_of_half_turns),
        "sqrt": np.sqrt,
        "tan": np.tan,
        "tanh": np.tanh,
        "tgamma": _each(_gamma),
        "trunc": np.trunc,
        "y0": _each(lambda x: bessel_y(0, x)),
        "y1": _each(lambda x: bessel_y(1, x)),
    }


def _mixed() -> Table:
    """Functions of float64, and with an `f` behind their name of float32, that take or give integers too."""
    return {
        "ilogb": _exponent,
        "jn": _each(bessel_j),
        "ldexp": np.ldexp,
        "llrint": _to_integer(np.rint, np.int64),
        "llround": _to_integer(_round_half_away, np.int64),
        "powi": lambda x, n: np.power(x, n.astype(x.dtype)),
        "scalbn": np.ldexp,
        "yn": _each(bessel_y),
    }


@cache
def _functions() -> Table:
    """The function of each symbol, without its prefix."""
    functions = _arithmetic() | _conversions() | _integers()
    for name, function in _floats().items():
        functions[name] = function
        functions[f"{name}f"] = _wide(function)
    for name, function in _mixed().items():
        functions[name] = functions[f"{name}f"] = function
    for name in ("nextafter", "nextafterf"):
        functions[name] = np.nextafter
    for name in ("fabs", "fabsf"):
        functions[name] = np.abs
    for name in ("cos", "exp10", "exp", "log10", "log2", "log", "pow", "sin", "tan"):
        functions[f"fast_{name}f"] = functions[f"{name}f"]
    functions |= {
        "fast_fdividef": np.divide,
        "finitef": np.isfinite,
        "isfinited": np.isfinite,
        "fma": functions["fma_rn"],
        "fmaf": functions["fmaf_rn"],
        "frsqrt_rn": functions["rsqrtf"],
        "isinfd": np.isinf,
        "isinff": np.isinf,
        "isnand": np.isnan,
        "isnanf": np.isnan,
        "powif": lambda x, n: np.power(x.astype(np.float64), n.astype(np.float32)),
        "rcp64h": lambda x: _upper_half(1 / _upper_half(x)),
        "saturatef": lambda x: np.where(x > 0, np.minimum(x, np.float32(1)), np.float32(0)),
        "signbitd": np.signbit,
        "signbitf": np.signbit,
    }
    return functions
