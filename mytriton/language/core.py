"""The names under which Triton's modules have the language."""

from __future__ import annotations

from typing import Any

from mytriton import language
from mytriton.language.aggregates import aggregate as _aggregate
from mytriton.language.constexpr import constexpr
from mytriton.language.constexpr import unwrap as _unwrap_if_constexpr
from mytriton.language.context import builtin
from mytriton.language.dtypes import dtype
from mytriton.runtime.constexpr_function import constexpr_function
from mytriton.runtime.must_use_result import must_use_result

__all__ = ["CONSTEXPR_0", "_aggregate", "_unwrap_if_constexpr", "builtin", "get_int_dtype", "must_use_result"]

CONSTEXPR_0 = constexpr(0)
"""What Triton has as the default of parameters such as `descending`."""


@constexpr_function
def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer dtype of `bitwidth` bits; a `ValueError` if there is none."""
    name = f"{'int' if signed or bitwidth == 1 else 'uint'}{bitwidth}"
    found = getattr(language, name, None)
    if not isinstance(found, dtype):
        raise ValueError(f"there is no integer dtype of {bitwidth} bits")
    return found


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(language, name)
