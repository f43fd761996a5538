"""The types and device functions that printed kernels may use beside CUDA's own, printed only where they are used.

The same names exist in the header of the CPU device, so that one text compiles for both. Texts are for NVRTC and nvcc,
from sm_75 on, without any include.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mytriton.codegen import float8_text
from mytriton.float8 import FLOAT8


@dataclass(frozen=True)
class Helper:
    """A type or a device function: its CUDA text, and the helpers that this text uses."""

    text: str
    needs: tuple[str, ...] = ()


def _function(signature: str, *body: str, comment: str = "", needs: tuple[str, ...] = ()) -> Helper:
    lines = [f"// {comment}"] if comment else []
    lines += [f"static __device__ __forceinline__ {signature} {{", *(f"    {line}" for line in body), "}"]
    return Helper("\n".join(lines), needs)


def _conversions() -> dict[str, Helper]:
    """Between half, bfloat16, float and double, each rounded once to nearest even."""
    return {
        "half_to_float": _function(
            "float half_to_float(half x)",
            "float y;",
            'asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));',
            "return y;",
            needs=("half",),
        ),
        "float_to_half": _function(
            "half float_to_half(float x)",
            "half y;",
            'asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));',
            "return y;",
            needs=("half",),
        ),
        "double_to_half": _function(
            "half double_to_half(double x)",
            "half y;",
            'asm("cvt.rn.f16.f64 %0, %1;" : "=h"(y.bits) : "d"(x));',
            "return y;",
            needs=("half",),
        ),
        "bfloat16_to_float": _function(
            "float bfloat16_to_float(bfloat16 x)",
            "return __uint_as_float((unsigned)x.bits << 16);",
            needs=("bfloat16",),
        ),
        "float_to_bfloat16": _function(
            "bfloat16 float_to_bfloat16(float x)",
            "bfloat16 y;",
            "#if __CUDA_ARCH__ >= 800",
            'asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));',
            "#else",
            "unsigned bits = __float_as_uint(x);",
            "unsigned rounded = bits + 0x7fffu + (bits >> 16 & 1u);",
            "y.bits = x == x ? (unsigned short)(rounded >> 16) : (unsigned short)0x7fff;",
            "#endif",
            "return y;",
            needs=("bfloat16",),
        ),
        "double_to_bfloat16": _function(
            "bfloat16 double_to_bfloat16(double x)",
            "// Rounded to odd on the way, so that the second rounding is the only one that counts.",
            "float y = __double2float_rz(x);",
            "if ((double)y != x && x == x) y = __uint_as_float(__float_as_uint(y) | 1u);",
            "return float_to_bfloat16(y);",
            needs=("float_to_bfloat16",),
        ),
    }


def _float8() -> dict[str, Helper]:
    """The floats of 8 bits, each converted with one rounding."""
    helpers: dict[str, Helper] = {}
    for format in FLOAT8.values():
        name = format.c_name
        needs = (name,)
        helpers[name] = Helper(float8_text.struct_text(format))
        helpers[f"{name}_to_float"] = _function(
            f"float {name}_to_float({name} x)", *float8_text.to_float(format), needs=needs
        )
        helpers[f"float_to_{name}"] = _function(
            f"{name} float_to_{name}(float x)", *float8_text.from_float(format), needs=needs
        )
        helpers[f"double_to_{name}"] = _function(
            f"{name} double_to_{name}(double x)", *float8_text.from_double(format), needs=(f"float_to_{name}",)
        )
    return helpers


def _approximations() -> dict[str, Helper]:
    return {
        "exp_approx": _function(
            "float exp_approx(float x)",
            "float y;",
            'asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));',
            "return y;",
        ),
        "exp2_approx": _function(
            "float exp2_approx(float x)",
            "float y;",
            'asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));',
            "return y;",
        ),
        "div_full": _function(
            "float div_full(float a, float b)",
            "float y;",
            'asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));',
            "return y;",
        ),
        "sqrt_approx": _function(
            "float sqrt_approx(float x)",
            "float y;",
            'asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));',
            "return y;",
        ),
    }


def _extrema() -> dict[str, Helper]:
    """Minimum and maximum that are NaN where either operand is; fmin and fmax return the other operand."""
    helpers: dict[str, Helper] = {}
    for word, short in (("minimum", "min"), ("maximum", "max")):
        helpers[f"{word}_f32"] = _function(
            f"float {word}_f32(float a, float b)",
            "#if __CUDA_ARCH__ >= 800",
            "float y;",
            f'asm("{short}.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));',
            "return y;",
            "#else",
            f"return a != a ? a : b != b ? b : f{short}f(a, b);",
            "#endif",
        )
        helpers[f"{word}_f64"] = _function(
            f"double {word}_f64(double a, double b)", f"return a != a ? a : b != b ? b : f{short}(a, b);"
        )
    return helpers


def _integer_arithmetic() -> dict[str, Helper]:
    """Division that is defined for every divisor, and shifts that are defined for every amount."""
    helpers: dict[str, Helper] = {}
    for bits, signed, unsigned, one in (
        (32, "int", "unsigned", "1u"),
        (64, "long long", "unsigned long long", "1ULL"),
    ):
        zero = one.replace("1", "0")
        helpers |= {
            f"divide_s{bits}": _function(
                f"{signed} divide_s{bits}({signed} a, {signed} b)",
                f"return b == 0 ? -1 : b == -1 ? ({signed})({zero} - ({unsigned})a) : a / b;",
                comment="a / b, -1 where b is 0; the smallest integer divided by -1 is itself.",
            ),
            f"remainder_s{bits}": _function(
                f"{signed} remainder_s{bits}({signed} a, {signed} b)",
                "return b == 0 ? -1 : b == -1 ? 0 : a % b;",
                comment="a % b, -1 where b is 0.",
            ),
            f"divide_u{bits}": _function(
                f"{unsigned} divide_u{bits}({unsigned} a, {unsigned} b)",
                f"return b == 0 ? ~{zero} : a / b;",
                comment="a / b, all ones where b is 0.",
            ),
            f"remainder_u{bits}": _function(
                f"{unsigned} remainder_u{bits}({unsigned} a, {unsigned} b)",
                f"return b == 0 ? ~{zero} : a % b;",
                comment="a % b, all ones where b is 0.",
            ),
            f"shift_left_{bits}": _function(
                f"{unsigned} shift_left_{bits}({unsigned} a, {unsigned} n)",
                f"return n < {bits}u ? a << n : 0;",
                comment=f"a << n, 0 where n is {bits} or more.",
            ),
            f"shift_right_u{bits}": _function(
                f"{unsigned} shift_right_u{bits}({unsigned} a, {unsigned} n)",
                f"return n < {bits}u ? a >> n : 0;",
                comment=f"a >> n, 0 where n is {bits} or more.",
            ),
            f"shift_right_s{bits}": _function(
                f"{signed} shift_right_s{bits}({signed} a, {unsigned} n)",
                f"return a >> (n < {bits}u ? n : {bits - 1}u);",
                comment=f"a >> n, the sign everywhere where n is {bits} or more.",
            ),
        }
    return helpers


def _float_to_integer() -> dict[str, Helper]:
    """Towards zero, saturated to the range of the result; NaN gives 0."""
    helpers: dict[str, Helper] = {}
    for source in ("float", "double"):
        for name, result, cuda in (
            ("s32", "int", "int"),
            ("u32", "unsigned", "uint"),
            ("s64", "long long", "ll"),
            ("u64", "unsigned long long", "ull"),
        ):
            # The hardware turns NaN into 0 only from float to 32 bits.
            guard = "" if source == "float" and name.endswith("32") else "x != x ? 0 : "
            helpers[f"{source}_to_{name}"] = _function(
                f"{result} {source}_to_{name}({source} x)", f"return {guard}__{source}2{cuda}_rz(x);"
            )
        for bits, c_type in ((8, "char"), (16, "short")):
            low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
            signed = "signed char" if bits == 8 else "short"
            helpers[f"{source}_to_s{bits}"] = _function(
                f"{signed} {source}_to_s{bits}({source} x)",
                f"return ({signed})max({low}, min({source}_to_s32(x), {high}));",
                needs=(f"{source}_to_s32",),
            )
            helpers[f"{source}_to_u{bits}"] = _function(
                f"unsigned {c_type} {source}_to_u{bits}({source} x)",
                f"return (unsigned {c_type})min({source}_to_u32(x), {(1 << bits) - 1}u);",
                needs=(f"{source}_to_u32",),
            )
    return helpers


def _properties() -> dict[str, Helper]:
    """What libdevice asks of a float, as 0 or 1, and functions of it that CUDA C has no name for."""
    helpers: dict[str, Helper] = {}
    for c_type, suffix, sign, infinity in (
        ("float", "f32", "__float_as_int(x) < 0", "__int_as_float(0x7f800000)"),
        ("double", "f64", "__double_as_longlong(x) < 0", "__longlong_as_double(0x7ff0000000000000LL)"),
    ):
        magnitude, power = ("fabsf(x)", "powf") if c_type == "float" else ("fabs(x)", "pow")
        for word, condition in (
            ("is_nan", "x != x"),
            ("is_infinite", f"{magnitude} == {infinity}"),
            ("is_finite", f"{magnitude} < {infinity}"),
            ("sign_bit", sign),
        ):
            helpers[f"{word}_{suffix}"] = _function(f"int {word}_{suffix}({c_type} x)", f"return {condition};")
        helpers[f"power_{suffix}"] = _function(
            f"{c_type} power_{suffix}({c_type} x, int n)", f"return {power}(x, ({c_type})n);"
        )
    helpers["reciprocal_high"] = _function(
        "double reciprocal_high(double x)",
        "double y;",
        'asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));',
        "return y;",
        comment="The upper half of 1 / x, from the upper half of x.",
    )
    return helpers


def _fences() -> dict[str, Helper]:
    """Acquire and release fences, which are cheaper than CUDA's own functions: those order everything."""
    return {
        name: _function(f"void {name}()", f'asm volatile("fence.acq_rel.{scope};" ::: "memory");')
        for name, scope in (("fence_block", "cta"), ("fence", "gpu"), ("fence_system", "sys"))
    }


def _small_atomics() -> dict[str, Helper]:
    """What CUDA lacks for elements of 16 bits; all functions give what was there before."""
    helpers: dict[str, Helper] = {}
    for suffix, scope in (("_block", "cta"), ("", "gpu"), ("_system", "sys")):
        helpers[f"atomic_add_half{suffix}"] = _function(
            f"half atomic_add_half{suffix}(half *address, half x)",
            "half y;",
            f'asm volatile("atom.relaxed.{scope}.add.noftz.f16 %0, [%1], %2;"',
            '             : "=h"(y.bits) : "l"(address), "h"(x.bits) : "memory");',
            "return y;",
            needs=("half",),
        )
        helpers[f"atomic_add_bfloat16{suffix}"] = _function(
            f"bfloat16 atomic_add_bfloat16{suffix}(bfloat16 *address, bfloat16 x)",
            "bfloat16 y;",
            "#if __CUDA_ARCH__ >= 900",
            f'asm volatile("atom.relaxed.{scope}.add.noftz.bf16 %0, [%1], %2;"',
            '             : "=h"(y.bits) : "l"(address), "h"(x.bits) : "memory");',
            "#else",
            "y.bits = *(volatile unsigned short *)address;",
            "bfloat16 expected;",
            "do {",
            "    expected = y;",
            "    bfloat16 sum = float_to_bfloat16(bfloat16_to_float(expected) + bfloat16_to_float(x));",
            f'    asm volatile("atom.relaxed.{scope}.cas.b16 %0, [%1], %2, %3;"',
            '                 : "=h"(y.bits) : "l"(address), "h"(expected.bits), "h"(sum.bits) : "memory");',
            "} while (y.bits != expected.bits);",
            "#endif",
            "return y;",
            needs=("float_to_bfloat16", "bfloat16_to_float"),
        )
    helpers["atomic_cas_short_system"] = _function(
        "unsigned short atomic_cas_short_system(unsigned short *address, unsigned short expected, unsigned short x)",
        "unsigned short y;",
        'asm volatile("atom.relaxed.sys.cas.b16 %0, [%1], %2, %3;"',
        '             : "=h"(y) : "l"(address), "h"(expected), "h"(x) : "memory");',
        "return y;",
    )
    return helpers


def _template(parameters: str, signature: str, *body: str, needs: tuple[str, ...] = ()) -> Helper:
    function = _function(signature, *body, needs=needs)
    return replace(function, text=f"template <{parameters}>\n{function.text}")


def _single_accesses() -> dict[str, Helper]:
    """Loads and stores in one step, and loads until a value is there; volatile accesses are relaxed, for all scopes."""
    return {
        "atomic_load": _template("class T", "T atomic_load(const T *address)", "return *(const volatile T *)address;"),
        "atomic_store": _template(
            "class T, class V", "void atomic_store(T *address, V x)", "*(volatile T *)address = (T)x;"
        ),
        "global_timer": _function(
            "unsigned long long global_timer()",
            "unsigned long long y;",
            'asm volatile("mov.u64 %0, %globaltimer;" : "=l"(y));',
            "return y;",
        ),
        "atomic_poll": _template(
            "class T, class V",
            "bool atomic_poll(const T *address, V expected)",
            "while (*(const volatile T *)address != (T)expected) __nanosleep(32);",
            "return true;",
        ),
        "atomic_poll_until": _template(
            "class T, class V",
            "bool atomic_poll_until(const T *address, V expected, unsigned long long deadline)",
            "while (*(const volatile T *)address != (T)expected) {",
            "    if (global_timer() >= deadline) return false;",
            "    __nanosleep(32);",
            "}",
            "return true;",
            needs=("global_timer",),
        ),
    }


def _messages() -> dict[str, Helper]:
    return {
        # The first argument says to the CPU device what is printed.
        "print_element": Helper("#define print_element(description, ...) printf(__VA_ARGS__)"),
        "assert_failed": Helper(
            "#define assert_failed(message, file, line, ...) __assertfail(message, file, line, __func__, 1)"
        ),
    }


def _processor() -> dict[str, Helper]:
    return {
        "processor_id": _function("int processor_id()", "int y;", 'asm("mov.u32 %0, %%smid;" : "=r"(y));', "return y;")
    }


def _grid_dependencies() -> dict[str, Helper]:
    """Kernels that overlap; before sm_90 none do."""
    return {
        f"grid_dependency_{action}": _function(
            f"void grid_dependency_{action}()",
            "#if __CUDA_ARCH__ >= 900",
            f'asm volatile("griddepcontrol.{action};" ::: "memory");',
            "#endif",
        )
        for action in ("wait", "launch_dependents")
    }


HELPERS: dict[str, Helper] = {
    "half": Helper("struct half { unsigned short bits; };"),
    "bfloat16": Helper("struct bfloat16 { unsigned short bits; };"),
    **_conversions(),
    **_float8(),
    **_approximations(),
    **_extrema(),
    **_properties(),
    **_messages(),
    **_processor(),
    **_grid_dependencies(),
    **_integer_arithmetic(),
    **_float_to_integer(),
    **_fences(),
    **_small_atomics(),
    **_single_accesses(),
}
"""Every name that a kernel's text may use and CUDA does not have, with what it needs; the CPU header has them all."""


def prologue(used: Iterable[str]) -> str:
    """The text of the used helpers and of what they need, in the order of the table; empty where none is used.

    It is hidden from compilers that are not CUDA's, since the CPU header defines the same names.
    """
    needed: set[str] = set()
    pending = list(used)
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending.extend(HELPERS[name].needs)
    if not needed:
        return ""
    texts = [helper.text for name, helper in HELPERS.items() if name in needed]
    return "#ifdef __CUDACC__\n" + "\n".join(texts) + "\n#endif\n"
