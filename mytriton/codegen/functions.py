"""CUDA's own functions that printed kernels may call; the CPU header has each of them too."""

from __future__ import annotations

MATH: dict[str, tuple[str, str]] = {
    "math.absf": ("fabsf", "fabs"),
    "math.acos": ("acosf", "acos"),
    "math.acosh": ("acoshf", "acosh"),
    "math.asin": ("asinf", "asin"),
    "math.asinh": ("asinhf", "asinh"),
    "math.atan": ("atanf", "atan"),
    "math.atan2": ("atan2f", "atan2"),
    "math.atanh": ("atanhf", "atanh"),
    "math.cbrt": ("cbrtf", "cbrt"),
    "math.ceil": ("ceilf", "ceil"),
    "math.copysign": ("copysignf", "copysign"),
    "math.cos": ("cosf", "cos"),
    "math.cosh": ("coshf", "cosh"),
    "math.erf": ("erff", "erf"),
    "math.exp": ("exp_approx", "exp"),
    "math.exp2": ("exp2_approx", "exp2"),
    "math.expm1": ("expm1f", "expm1"),
    "math.floor": ("floorf", "floor"),
    "math.fma": ("fmaf", "fma"),
    "math.log": ("logf", "log"),
    "math.log10": ("log10f", "log10"),
    "math.log1p": ("log1pf", "log1p"),
    "math.log2": ("log2f", "log2"),
    "math.powf": ("powf", "pow"),
    "math.round": ("roundf", "round"),
    "math.roundeven": ("rintf", "rint"),
    "math.rsqrt": ("rsqrtf", "rsqrt"),
    "math.sin": ("sinf", "sin"),
    "math.sinh": ("sinhf", "sinh"),
    "math.sqrt": ("sqrt_approx", "sqrt"),
    "math.tan": ("tanf", "tan"),
    "math.tanh": ("tanhf", "tanh"),
    "math.trunc": ("truncf", "trunc"),
    # Not of the math dialect, but called in the same way.
    "arith.maximumf": ("maximum_f32", "maximum_f64"),
    "arith.maxnumf": ("fmaxf", "fmax"),
    "arith.minimumf": ("minimum_f32", "minimum_f64"),
    "arith.minnumf": ("fminf", "fmin"),
    "arith.remf": ("fmodf", "fmod"),
    "cuda.precise_sqrt": ("sqrtf", "sqrt"),
}
"""For each operation the function of float and the one of double."""

OTHER_FUNCTIONS = (
    "min",
    "max",
    "abs",
    "llabs",
    "__popc",
    "__popcll",
    "__clz",
    "__clzll",
    "__umulhi",
    "__umul64hi",
    "__float_as_int",
    "__int_as_float",
    "__double_as_longlong",
    "__longlong_as_double",
    "__syncthreads",
    "__shfl_xor_sync",
    *(
        f"atomic{name}{suffix}"
        for name in ("Add", "And", "Or", "Xor", "Min", "Max", "Exch", "CAS")
        for suffix in ("", "_block", "_system")
    ),
    "__ldca",
    "__ldcg",
    "__ldcs",
    "__ldcv",
    "__stwb",
    "__stcg",
    "__stcs",
    "__stwt",
)
"""The functions beside those of MATH. `min` and `max` are overloaded on int, unsigned and their long long forms."""

VECTORS = ("float2", "float4", "int2", "int4", "uint2", "uint4", "double2", "longlong2")
"""The vector types; `make_float4` and so on make them."""
