"""The functions of NVIDIA's libdevice: their operands and results, their symbols, and what CUDA C calls them.

The names and overloads are those of Triton 3.9. Each overload has the dtypes of the operands, the symbol by which
`tt.extern_elementwise` calls it, and the dtype of the result.
"""

from __future__ import annotations

from typing import NamedTuple

PREFIX = "__nv_"
ROUNDINGS = ("rn", "rz", "rd", "ru")
"""To nearest even, towards zero, down, up."""


class Overload(NamedTuple):
    """A function for operands of given dtypes."""

    operands: tuple[str, ...]
    symbol: str
    result: str


_OF_ONE_FLOAT = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx "
    "erfinv exp exp10 exp2 expm1 floor j0 j1 lgamma log log10 log1p log2 logb nearbyint normcdf normcdfinv rcbrt rint "
    "round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1"
)
_OF_TWO_FLOATS = "atan2 copysign fdim fmod hypot nextafter remainder rhypot"
_OF_MORE_FLOATS = {"fma": 3, "norm3d": 3, "rnorm3d": 3, "norm4d": 4, "rnorm4d": 4}
_FAST = {"cosf": 1, "exp10f": 1, "expf": 1, "log10f": 1, "log2f": 1, "logf": 1, "powf": 2, "sinf": 1, "tanf": 1}
_ROUNDED = {"add": 2, "div": 2, "mul": 2, "rcp": 1, "sqrt": 1, "sub": 2}

_OTHERS = """
abs int32->int32 abs, int64->int64 llabs, fp32->fp32 fabsf, fp64->fp64 fabs
brev int32->int32 brev, int64->int64 brevll
byte_perm int32 int32 int32->int32 byte_perm
clz int32->int32 clz, int64->int32 clzll
double2hiint fp64->int32 double2hiint
double2loint fp64->int32 double2loint
double_as_longlong fp64->int64 double_as_longlong
fast_dividef fp32 fp32->fp32 fast_fdividef
ffs int32->int32 ffs, int64->int32 ffsll
finitef fp32->int32 finitef
float_as_int fp32->int32 float_as_int
float_as_uint fp32->int32 float_as_uint
hadd int32 int32->int32 hadd, uint32 uint32->uint32 uhadd
hiloint2double int32 int32->fp64 hiloint2double
ilogb fp32->int32 ilogbf, fp64->int32 ilogb
int2double_rn int32->fp64 int2double_rn
int_as_float int32->fp32 int_as_float
isfinited fp64->int32 isfinited
isinf fp32->int32 isinff, fp64->int32 isinfd
isnan fp32->int32 isnanf, fp64->int32 isnand
jn int32 fp32->fp32 jnf, int32 fp64->fp64 jn
ldexp fp32 int32->fp32 ldexpf, fp64 int32->fp64 ldexp
llrint fp32->int64 llrintf, fp64->int64 llrint
llround fp32->int64 llroundf, fp64->int64 llround
longlong_as_double int64->fp64 longlong_as_double
mul24 int32 int32->int32 mul24, uint32 uint32->uint32 umul24
mulhi int32 int32->int32 mulhi, uint32 uint32->uint32 umulhi, int64 int64->int64 mul64hi, uint64 uint64->uint64 umul64hi
popc int32->int32 popc, int64->int32 popcll
pow fp32 int32->fp32 powif, fp64 int32->fp64 powi, fp32 fp32->fp32 powf, fp64 fp64->fp64 pow
rcp64h fp64->fp64 rcp64h
rhadd int32 int32->int32 rhadd, uint32 uint32->uint32 urhadd
rsqrt_rn fp32->fp32 frsqrt_rn
sad int32 int32 uint32->int32 sad, uint32 uint32 uint32->uint32 usad
saturatef fp32->fp32 saturatef
scalbn fp32 int32->fp32 scalbnf, fp64 int32->fp64 scalbn
signbit fp32->int32 signbitf, fp64->int32 signbitd
uint2double_rn uint32->fp64 uint2double_rn
uint_as_float uint32->fp32 uint_as_float
yn int32 fp32->fp32 ynf, int32 fp64->fp64 yn
"""

# The dtype of what a conversion takes or gives: unsigned results have signed dtypes in Triton.
_CONVERTED = {
    "double": ("fp64", "fp64"),
    "float": ("fp32", "fp32"),
    "int": ("int32", "int32"),
    "ll": ("int64", "int64"),
    "uint": ("uint32", "int32"),
    "ull": ("uint64", "int64"),
}
_CONVERSIONS = (
    "double2float double2int double2ll double2uint double2ull float2int float2ll float2uint float2ull int2float "
    "ll2double ll2float uint2float ull2double ull2float"
)


def _floats(name: str, operands: int) -> tuple[Overload, ...]:
    single = Overload(("fp32",) * operands, f"{PREFIX}{name}f", "fp32")
    return single, Overload(("fp64",) * operands, f"{PREFIX}{name}", "fp64")


def _table() -> dict[str, tuple[Overload, ...]]:
    table = {name: _floats(name, 1) for name in _OF_ONE_FLOAT.split()}
    table |= {name: _floats(name, 2) for name in _OF_TWO_FLOATS.split()}
    table |= {name: _floats(name, operands) for name, operands in _OF_MORE_FLOATS.items()}
    for name, operands in _FAST.items():
        table[f"fast_{name}"] = (Overload(("fp32",) * operands, f"{PREFIX}fast_{name}", "fp32"),)
    for rounding in ROUNDINGS:
        for name, operands in _ROUNDED.items():
            table[f"{name}_{rounding}"] = (
                Overload(("fp32",) * operands, f"{PREFIX}f{name}_{rounding}", "fp32"),
                Overload(("fp64",) * operands, f"{PREFIX}d{name}_{rounding}", "fp64"),
            )
        table[f"fma_{rounding}"] = (
            Overload(("fp32",) * 3, f"{PREFIX}fmaf_{rounding}", "fp32"),
            Overload(("fp64",) * 3, f"{PREFIX}fma_{rounding}", "fp64"),
        )
        for name in _CONVERSIONS.split():
            source, target = name.split("2")
            operand, result = _CONVERTED[source][0], _CONVERTED[target][1]
            table[f"{name}_{rounding}"] = (Overload((operand,), f"{PREFIX}{name}_{rounding}", result),)
    for line in _OTHERS.strip().splitlines():
        name, overloads = line.split(" ", 1)
        table[name] = tuple(map(_overload, overloads.split(", ")))
    return table


def _overload(text: str) -> Overload:
    operands, rest = text.split("->")
    result, symbol = rest.split(" ")
    return Overload(tuple(operands.split(" ")), PREFIX + symbol, result)


FUNCTIONS = _table()
"""For each name the overloads."""

SYMBOLS = {overload.symbol: overload for overloads in FUNCTIONS.values() for overload in overloads}

_INTRINSICS = frozenset(
    [
        "brev",
        "brevll",
        "byte_perm",
        "clz",
        "clzll",
        "double2hiint",
        "double2loint",
        "double_as_longlong",
        "ffs",
        "ffsll",
        "float_as_int",
        "float_as_uint",
        "hadd",
        "hiloint2double",
        "int_as_float",
        "longlong_as_double",
        "mul24",
        "mul64hi",
        "mulhi",
        "popc",
        "popcll",
        "rhadd",
        "sad",
        "saturatef",
        "uhadd",
        "uint_as_float",
        "umul24",
        "umul64hi",
        "umulhi",
        "urhadd",
        "usad",
    ]
)
_HELPERS = {
    "finitef": "is_finite_f32",
    "isfinited": "is_finite_f64",
    "isinff": "is_infinite_f32",
    "isinfd": "is_infinite_f64",
    "isnanf": "is_nan_f32",
    "isnand": "is_nan_f64",
    "powif": "power_f32",
    "powi": "power_f64",
    "rcp64h": "reciprocal_high",
    "signbitf": "sign_bit_f32",
    "signbitd": "sign_bit_f64",
}


def cuda_name(symbol: str) -> str:
    """The function of CUDA C, or of our own prologue, that a symbol of libdevice stands for."""
    name = symbol.removeprefix(PREFIX)
    if name in _HELPERS:
        return _HELPERS[name]
    if name.startswith("fast_"):
        return f"__{name.removeprefix('fast_')}"
    return f"__{name}" if name in _INTRINSICS or name[-3:] in ("_rn", "_rz", "_rd", "_ru") else name


UNSIGNED_RESULTS = frozenset(
    {"__brev", "__brevll", "__byte_perm", "__float_as_uint", "__sad", "__uhadd", "__umul24", "__umul64hi", "__umulhi"}
    | {"__urhadd", "__usad"}
    | {f"__{source}2{to}_{r}" for source in ("float", "double") for to in ("uint", "ull") for r in ROUNDINGS}
)
"""The functions of CUDA C that give an unsigned integer."""
