"""Reductions along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mytriton import messages
from mytriton.language.casting import cast_to, checked_dtype
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.creation import arange
from mytriton.language.dtypes import dtype, float32, int32, uint32
from mytriton.language.math import maximum, minimum
from mytriton.language.operators import (
    add,
    and_,
    equal,
    greater_than,
    invert,
    less_than,
    not_equal,
    or_,
    to_tensor,
    xor,
)
from mytriton.language.selection import where
from mytriton.language.shapes import axis_argument, broadcast_to_shape, expand_dims, insert_axis, ravel, splat
from mytriton.language.values import Argument, Axis, Operand, block_like, is_sequence, is_tuple, member, tensor

Combine = Callable[..., Any]


@member
@builtin
def reduce(input: Any, axis: Axis | None, combine_fn: Any, keep_dims: bool = False) -> Any:
    """The elements of `input` along `axis`, or all of them if it is None, combined two at a time by `combine_fn`.

    `input` may be a tuple of tensors of one shape: `combine_fn` then takes twice as many scalars as there are tensors
    and returns as many. The order in which elements are combined is not defined. `keep_dims`: the axis stays, with
    extent 1.
    """
    combine = calling(checked_function("reduce", combine_fn))
    results = _reduced(operands_of("reduce", input), axis, combine, keep_dims)
    return tuple(results) if is_sequence(input) else results[0]


def operands_of(function: str, input: Any) -> list[tensor]:
    """One tensor, or the tensors of a sequence, which have one shape."""
    inputs = [to_tensor(unwrap(x)) for x in (input if is_sequence(input) else [input])]
    if not inputs or any(x.shape != inputs[0].shape for x in inputs):
        raise messages.operands_of_different_shapes(function, [x.shape for x in inputs])
    return inputs


def checked_function(function: str, combine_fn: Any) -> Any:
    combine_fn = unwrap(combine_fn)
    if not getattr(combine_fn, "is_mytriton_jit", False):
        raise messages.combine_function_not_jit(function, combine_fn)
    return combine_fn


def calling(combine_fn: Any) -> Combine:
    """The jit function as a function that adds its body to the reduction."""

    def combine(*arguments: tensor) -> Any:
        return current_builder().call(combine_fn, arguments)

    return combine


def _reduced(inputs: list[tensor], axis: object, combine: Combine, keep_dims: object) -> list[tensor]:
    shape = inputs[0].shape
    axis, keep = unwrap(axis), bool(unwrap(keep_dims))
    # Without an axis, one axis after the other, the last first.
    axes = [axis_argument(axis, len(shape))] if axis is not None else list(reversed(range(len(shape))))
    results = inputs
    for position in axes:
        results = reduced_along(results, position, combine)
    if keep:
        for position in reversed(axes):
            results = [insert_axis(result, position) for result in results]
    return results


def reduced_along(inputs: list[tensor], axis: int, combine: Combine) -> list[tensor]:
    """Tensors of one shape without one of their axes."""
    shape = inputs[0].shape
    left = shape[:axis] + shape[axis + 1 :]
    types = [block_like(x.dtype, left) for x in inputs]
    scalars = [x.dtype for x in inputs]

    handles = current_builder().reduce([x.handle for x in inputs], axis, scalars, combining(combine, scalars))
    return [tensor(handle, type) for handle, type in zip(handles, types, strict=True)]


def combining(combine: Combine, scalars: list[dtype]) -> Callable[[Sequence[Any]], list[Any]]:
    """What fills the region of a reduction or scan of elements of these types."""

    def body(handles: Sequence[Any]) -> list[Any]:
        arguments = [tensor(handle, type) for handle, type in zip(handles, scalars * 2, strict=True)]
        combined = combine(*arguments)
        values = list(combined) if is_tuple(combined) else [combined]
        found = [to_tensor(value) for value in values]
        if [value.type for value in found] != scalars:
            raise messages.combine_function_result([value.type for value in found], scalars)
        return [value.handle for value in found]

    return body


def _one(input: Operand, axis: object, combine: Combine, keep_dims: object) -> tensor:
    return _reduced([to_tensor(input)], axis, combine, keep_dims)[0]


@member
@builtin
def sum(input: Argument, axis: Axis | None = None, keep_dims: bool = False, dtype: dtype | None = None) -> tensor:
    """The sum along `axis`, in `dtype`; by default integers below 32 bits are summed in int32 or uint32."""
    value, wanted = to_tensor(input), unwrap(dtype)
    return _one(
        cast_to(value, sum_dtype(value.dtype) if wanted is None else checked_dtype(wanted)), axis, add, keep_dims
    )


def sum_dtype(element_ty: dtype) -> dtype:
    if not element_ty.is_int() or element_ty.int_bitwidth >= 32:
        return element_ty
    return int32 if element_ty.is_int_signed() else uint32


@member
@builtin
def max(
    input: Argument,
    axis: Axis | None = None,
    return_indices: bool = False,
    return_indices_tie_break_left: bool = True,
    keep_dims: bool = False,
) -> Any:
    """The largest element along `axis`, and with `return_indices` where it is; a NaN loses to a number.

    The index is that of the first of equal elements, whatever `return_indices_tie_break_left` says; without an axis it
    counts the elements in row-major order.
    """
    return _extremum(to_tensor(input), axis, return_indices, keep_dims, True)


@member
@builtin
def min(
    input: Argument,
    axis: Axis | None = None,
    return_indices: bool = False,
    return_indices_tie_break_left: bool = True,
    keep_dims: bool = False,
) -> Any:
    """The smallest element along `axis`, and with `return_indices` where it is; a NaN loses to a number.

    The index is that of the first of equal elements, whatever `return_indices_tie_break_left` says; without an axis it
    counts the elements in row-major order.
    """
    return _extremum(to_tensor(input), axis, return_indices, keep_dims, False)


@member
@builtin
def argmax(input: tensor, axis: Axis | None, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The index of the largest element along `axis`, of equal ones the first, whatever `tie_break_left` says.

    If `axis` is None it is the index in row-major order.
    """
    return _extremum(to_tensor(input), axis, True, keep_dims, True)[1]


@member
@builtin
def argmin(input: tensor, axis: Axis | None, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The index of the smallest element along `axis`, of equal ones the first, whatever `tie_break_left` says.

    If `axis` is None it is the index in row-major order.
    """
    return _extremum(to_tensor(input), axis, True, keep_dims, False)[1]


def _extremum(value: tensor, axis: object, return_indices: object, keep_dims: object, largest: bool) -> Any:
    if unwrap(return_indices):
        return _extremum_with_index(value, axis, bool(unwrap(keep_dims)), largest)
    if value.dtype.primitive_bitwidth < 32:
        value = cast_to(value, float32 if value.dtype.is_floating() else int32)
    return _one(value, axis, maximum if largest else minimum, keep_dims)


def _extremum_with_index(value: tensor, axis: object, keep_dims: bool, largest: bool) -> Any:
    """The pair that is the same in whatever order elements are combined: the first of equal ones, NaNs last."""
    rank = len(value.shape)
    flat = unwrap(axis) is None and rank > 1
    source = ravel(value) if flat else value
    position = 0 if flat or unwrap(axis) is None else axis_argument(axis, rank)
    index = arange(0, _axis_extent(source, position))
    others = [other for other in range(len(source.shape)) if other != position]
    index = broadcast_to_shape(expand_dims(index, others), source.shape) if others else index
    beats = greater_than if largest else less_than

    def combine(value1: tensor, index1: tensor, value2: tensor, index2: tensor) -> tuple[tensor, tensor]:
        wins, is_tie = beats(value1, value2), equal(value1, value2)
        if value.dtype.is_floating():
            is_nan1, is_nan2 = not_equal(value1, value1), not_equal(value2, value2)
            wins = or_(wins, and_(is_nan2, invert(is_nan1)))
            is_tie = or_(is_tie, and_(is_nan1, is_nan2))
        wins = or_(wins, and_(is_tie, less_than(index1, index2)))
        return where(wins, value1, value2), where(wins, index1, index2)

    results = _reduced([source, index], position, combine, keep_dims and not flat)
    if keep_dims and flat:
        results = [splat(result, (1,) * rank) for result in results]
    return tuple(results)


def _axis_extent(value: tensor, axis: int) -> int:
    if not value.is_block:
        raise messages.axis_out_of_range("axis", axis, 0)
    return value.shape[axis]


@member
@builtin
def xor_sum(input: tensor, axis: Axis | None = None, keep_dims: bool = False) -> tensor:
    """The exclusive or of the integers along `axis`."""
    return _one(_integers("xor_sum", input), axis, xor, keep_dims)


@member
@builtin
def reduce_or(input: tensor, axis: Axis | None = None, keep_dims: bool = False) -> tensor:
    """The bitwise or of the integers along `axis`."""
    return _one(_integers("reduce_or", input), axis, or_, keep_dims)


def _integers(function: str, value: object) -> tensor:
    value = to_tensor(value)
    if not value.dtype.is_int():
        raise messages.bad_operand(function, value.dtype)
    return value
