"""Scans along an axis: each element becomes the combination of all elements up to it."""

from __future__ import annotations

from typing import Any

from mytriton.language.casting import cast_to, checked_dtype
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import dtype
from mytriton.language.operators import add, mul, to_tensor
from mytriton.language.reductions import Combine, calling, checked_function, combining, operands_of, sum_dtype
from mytriton.language.shapes import axis_argument
from mytriton.language.values import Argument, Axis, is_sequence, like, member, tensor


@member
@builtin
def associative_scan(input: Any, axis: Axis, combine_fn: Any, reverse: bool = False) -> Any:
    """The elements of `input` along `axis`, each combined by `combine_fn` with all that come before it.

    `input` may be a tuple of tensors of one shape: `combine_fn` then takes twice as many scalars as there are tensors
    and returns as many. It gets the combination of earlier elements first; it must be associative, and need not
    commute. `reverse`: from the end of the axis to its start.
    """
    combine = calling(checked_function("associative_scan", combine_fn))
    results = _scanned(operands_of("associative_scan", input), axis, combine, reverse)
    return tuple(results) if is_sequence(input) else results[0]


@member
@builtin
def cumsum(input: Argument, axis: Axis = 0, reverse: bool = False, dtype: dtype | None = None) -> tensor:
    """The sum of all elements up to each along `axis`, in `dtype`; by default as `sum` chooses it."""
    return _scanned([_in_sum_dtype(to_tensor(input), dtype)], axis, add, reverse)[0]


@member
@builtin
def cumprod(input: Argument, axis: Axis = 0, reverse: bool = False, dtype: dtype | None = None) -> tensor:
    """The product of all elements up to each along `axis`, in `dtype`; by default as `sum` chooses it."""
    return _scanned([_in_sum_dtype(to_tensor(input), dtype)], axis, mul, reverse)[0]


def _in_sum_dtype(value: tensor, wanted: object) -> tensor:
    wanted = unwrap(wanted)
    return cast_to(value, sum_dtype(value.dtype) if wanted is None else checked_dtype(wanted))


def _scanned(inputs: list[tensor], axis: object, combine: Combine, reverse: object) -> list[tensor]:
    position = axis_argument(axis, len(inputs[0].shape))
    scalars = [x.dtype for x in inputs]
    handles = current_builder().scan(
        [x.handle for x in inputs], position, bool(unwrap(reverse)), scalars, combining(combine, scalars)
    )
    return [like(x, handle) for x, handle in zip(inputs, handles, strict=True)]
