"""The formats of the IR's floats of 8 bits."""

from __future__ import annotations

from xdsl.dialects.builtin import Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E5M2Type
from xdsl.ir import Attribute

from mytriton.float8 import FLOAT8, Float8

FORMATS: dict[type[Attribute], Float8] = {
    Float8E4M3FNType: FLOAT8["fp8e4nv"],
    Float8E5M2Type: FLOAT8["fp8e5"],
    Float8E4M3FNUZType: FLOAT8["fp8e4b8"],
    Float8E5M2FNUZType: FLOAT8["fp8e5b16"],
}
"""Those that a kernel may use, by their types."""


def float8_format(type: Attribute) -> Float8 | None:
    """The format of a scalar type; None for any type that is no float of 8 bits."""
    return FORMATS.get(type.__class__)
