"""The functions that Triton's `tl.standard` reduces and scans with, for programs that pass them to `tl.reduce`.

They are kernels' functions as a program would write them. Of equal elements the one with the lower index is kept.
"""

from __future__ import annotations

from typing import Any

from mytriton import language as tl
from mytriton.runtime.jit import jit


@jit
def sum_combine(a: Any, b: Any):
    return a + b


@jit
def prod_combine(a: Any, b: Any):
    return a * b


@jit
def xor_combine(a: Any, b: Any):
    return a ^ b


@jit
def or_combine(x: Any, y: Any):
    return x | y


@jit
def elementwise_max(a: Any, b: Any):
    return tl.maximum(a, b)


@jit
def elementwise_min(a: Any, b: Any):
    return tl.minimum(a, b)


@jit
def argmax_combine(value1: Any, index1: Any, value2: Any, index2: Any):
    first = (value1 > value2) | ((value1 == value2) & (index1 < index2))
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@jit
def argmin_combine(value1: Any, index1: Any, value2: Any, index2: Any):
    first = (value1 < value2) | ((value1 == value2) & (index1 < index2))
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


NAMES = {
    "_sum_combine": sum_combine,
    "_prod_combine": prod_combine,
    "_xor_combine": xor_combine,
    "_or_combine": or_combine,
    "_elementwise_max": elementwise_max,
    "_elementwise_min": elementwise_min,
    "_argmax_combine_tie_break_left": argmax_combine,
    "_argmax_combine_tie_break_fast": argmax_combine,
    "_argmin_combine_tie_break_left": argmin_combine,
    "_argmin_combine_tie_break_fast": argmin_combine,
}
"""By the names that Triton has them."""
