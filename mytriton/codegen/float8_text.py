"""The CUDA text of the floats of 8 bits: their structs, and their conversions from and to float and double."""

from __future__ import annotations

import struct

from mytriton.float8 import Float8

_NATIVE = {"float8e4m3": "e4m3x2", "float8e5m2": "e5m2x2"}
"""The formats that sm_89 and later convert with an instruction, and what PTX calls a pair of them."""


def struct_text(format: Float8) -> str:
    return f"struct {format.c_name} {{ unsigned char bits; }};"


def from_float(format: Float8) -> list[str]:
    """`y` from the float `x`, rounded to nearest even and limited to the finite numbers."""
    lines = [f"{format.c_name} y;"]
    if format.c_name not in _NATIVE:
        return [*lines, *_encode(format), "return y;"]
    return [
        *lines,
        "#if __CUDA_ARCH__ >= 890",
        "unsigned short pair;",
        f'asm("cvt.rn.satfinite.{_NATIVE[format.c_name]}.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));',
        "y.bits = (unsigned char)pair;",
        "#else",
        *_encode(format),
        "#endif",
        "return y;",
    ]


def to_float(format: Float8) -> list[str]:
    """The float that `x` is."""
    if format.c_name not in _NATIVE:
        return _decode(format)
    return [
        "#if __CUDA_ARCH__ >= 890",
        "unsigned pair;",
        "float y;",
        f'asm("cvt.rn.f16x2.{_NATIVE[format.c_name]} %0, %1;" : "=r"(pair) : "h"((unsigned short)x.bits));',
        'asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"((unsigned short)pair));',
        "return y;",
        "#else",
        *_decode(format),
        "#endif",
    ]


def from_double(format: Float8) -> list[str]:
    return [
        "// Rounded to odd on the way, so that the second rounding is the only one that counts.",
        "float y = __double2float_rz(x);",
        "if ((double)y != x && x == x) y = __uint_as_float(__float_as_uint(y) | 1u);",
        f"return float_to_{format.c_name}(y);",
    ]


def _encode(format: Float8) -> list[str]:
    shift, normal = 23 - format.mantissa_bits, _bits(format.magnitudes[1 << format.mantissa_bits])
    # The new exponent, and half of the last place less one, to which ties to even add.
    change = normal - (1 << 23) - (1 << shift - 1) + 1
    # The unit of this number's last place is the smallest number of the format.
    rounder = format.smallest * 2.0**23
    sign = "sign" if format.has_negative_zero else "(magnitude ? sign : 0u)"
    return [
        "unsigned bits = __float_as_uint(x), sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;",
        "if (magnitude > 0x7f800000u) {",
        f"    y.bits = {format.nan_code:#04x};",
        "    return y;",
        "}",
        f"if (magnitude >= {_bits(format.largest):#010x}u)",
        f"    magnitude = {format.largest_code:#04x}u;",
        f"else if (magnitude < {normal:#010x}u)",
        f"    magnitude = __float_as_uint(__uint_as_float(magnitude) + {rounder}f) - {_bits(rounder):#010x}u;",
        "else",
        f"    magnitude = (magnitude - {change:#010x}u + (magnitude >> {shift} & 1u)) >> {shift};",
        f"y.bits = (unsigned char)({sign} | magnitude);",
    ]


def _decode(format: Float8) -> list[str]:
    shift, mantissa = 23 - format.mantissa_bits, 1 << format.mantissa_bits
    offset = _bits(format.magnitudes[mantissa]) - (1 << 23)
    lines = [
        "unsigned magnitude = x.bits & 0x7fu;",
        f"float value = magnitude < {mantissa}u ? (float)magnitude * {format.smallest!r}f",
        f"    : __uint_as_float((magnitude << {shift}) + {offset:#010x}u);",
    ]
    if not format.has_negative_zero:
        lines.append(f"if (x.bits == {format.nan_code:#04x}) value = __uint_as_float(0x7fc00000u);")
    else:
        rest = f"(magnitude & {mantissa - 1}u) << {shift}" if format.mantissa_bits == 2 else "0x00400000u"
        lines.append(f"if (magnitude > {format.largest_code:#04x}u) value = __uint_as_float(0x7f800000u | {rest});")
    return [*lines, "return x.bits & 0x80 ? -value : value;"]


def _bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]
