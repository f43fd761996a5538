"""Functions that are written in terms of the others."""

from __future__ import annotations

import importlib
from typing import Any

from mytriton import messages
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin
from mytriton.language.math import exp, fdiv, minimum
from mytriton.language.operators import dtype_of, to_tensor
from mytriton.language.reductions import max, sum
from mytriton.language.values import Argument, Axis, Operand, member, tensor
from mytriton.runtime.constexpr_function import constexpr_function


@member
@builtin
def softmax(x: tensor, dim: Axis | None = None, keep_dims: bool | None = None, ieee_rounding: bool = False) -> tensor:
    """exp(x) / sum(exp(x)) along `dim`, which is 0 by default; computed from `x - max(x)`."""
    if unwrap(keep_dims) is not None:
        raise messages.unsupported_option("softmax", "keep_dims", "the result always has the shape of x; leave it out")
    axis = 0 if unwrap(dim) is None else dim
    shifted = to_tensor(x) - max(x, axis, keep_dims=True)
    numerator = exp(shifted)
    return fdiv(numerator, sum(numerator, axis, keep_dims=True), ieee_rounding)


@builtin
def swizzle2d(
    i: Argument, j: Argument, size_i: Argument, size_j: Argument, size_g: Argument
) -> tuple[Operand, Operand]:
    """Where program (i, j) of a grid goes if groups of `size_g` rows are walked column by column.

    `i` and `j` are the indices in a row-major grid of `size_i` by `size_j`; the last group may have fewer rows.
    """
    for value in (i, j, size_i, size_j, size_g):
        dtype_of(value)
    linear = i * size_j + j
    size_of_group = size_g * size_j
    first_row = (linear // size_of_group) * size_g
    rows = minimum(size_i - first_row, size_g)
    within = linear % size_of_group
    return first_row + within % rows, within // rows


@constexpr_function
def _log2(i: int) -> int:  # pyright: ignore[reportUnusedFunction]
    """The position of the highest bit of `i`, the name under which Triton's own module has it; 0 of 0."""
    return int.bit_length(i) - 1 if i > 0 else 0


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        combinations: dict[str, Any] = {}
        if not name.startswith("__"):
            combinations = importlib.import_module("mytriton.language.combinations").NAMES
        if name in combinations:
            return combinations[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("mytriton.language"), name)
