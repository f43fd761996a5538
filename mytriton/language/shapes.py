"""Functions that change the shape of a tensor and keep its elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mytriton import messages
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import block_type, checked_shape
from mytriton.language.values import Argument, Axis, is_sequence, member, tensor

# Compile-time arguments


def constant_int(value: object, what: str) -> int:
    """The integer that is known at compile time; raises `CompilationError`, naming it `what`, for anything else."""
    value = unwrap(value)
    if isinstance(value, tensor) and value.constant is not None:
        value = value.constant
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise messages.not_a_constant_int(what, value)


def shape_argument(shape: Any) -> tuple[int, ...]:
    """The shape from one sequence, or from the extents themselves."""
    shape = unwrap(shape)
    if isinstance(shape, tensor) or not is_sequence(shape):
        raise messages.not_a_shape(shape)
    return checked_shape([constant_int(extent, "an extent of a shape") for extent in shape])


def axis_argument(axis: object, rank: int, what: str = "axis") -> int:
    """The axis counted from 0; negative ones count from the end."""
    number = constant_int(axis, what)
    if not -rank <= number < rank:
        raise messages.axis_out_of_range(what, number, rank)
    return number % rank


def _flattened(arguments: tuple[Any, ...]) -> Any:
    """`f(x, 2, 3)` and `f(x, (2, 3))` mean the same."""
    if len(arguments) == 1:
        only = unwrap(arguments[0])
        if is_sequence(only):
            return only
    return arguments


# Broadcasting


@builtin
def broadcast(input: Argument, other: Argument) -> tuple[tensor, tensor]:
    """Both tensors in their common shape."""
    from mytriton.language.operators import to_tensor

    return broadcast_pair(to_tensor(input), to_tensor(other))


@member
@builtin
def broadcast_to(input: Argument, *shape: Any) -> tensor:
    """`input` repeated along its axes of extent 1 to get `shape`; a scalar fills it."""
    from mytriton.language.operators import to_tensor

    return broadcast_to_shape(to_tensor(input), shape_argument(_flattened(shape)))


def broadcast_to_shape(value: tensor, shape: tuple[int, ...]) -> tensor:
    if value.shape == shape:
        return value
    if not value.is_block:
        return splat(value, shape)
    if len(value.shape) != len(shape) or any(a not in (b, 1) for a, b in zip(value.shape, shape, strict=True)):
        raise messages.cannot_broadcast(value.shape, shape)
    type = block_type(value.dtype, shape)
    return tensor(current_builder().broadcast(value.handle, type), type)


def splat(value: tensor, shape: tuple[int, ...]) -> tensor:
    """A tensor of `shape` with every element equal to the scalar `value`."""
    if not shape:
        return value
    type = block_type(value.dtype, shape)
    return tensor(current_builder().splat(value.handle, type), type)


def broadcast_pair(lhs: tensor, rhs: tensor) -> tuple[tensor, tensor]:
    """Both in their common shape; missing axes are added in front."""
    if lhs.shape == rhs.shape:
        return lhs, rhs
    if not lhs.is_block:
        return splat(lhs, rhs.shape), rhs
    if not rhs.is_block:
        return lhs, splat(rhs, lhs.shape)
    shape = common_shape(lhs.shape, rhs.shape)
    return tuple(broadcast_to_shape(_with_rank(value, len(shape)), shape) for value in (lhs, rhs))  # pyright: ignore[reportReturnType]


def broadcast_all(values: Sequence[tensor]) -> list[tensor]:
    """All values in their common shape."""
    widest = values[0]
    for value in values[1:]:
        widest, _ = broadcast_pair(widest, value)
    return [broadcast_pair(value, widest)[0] for value in values]


def common_shape(lhs: tuple[int, ...], rhs: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that two shapes broadcast to."""
    rank = max(len(lhs), len(rhs))
    a, b = (1,) * (rank - len(lhs)) + lhs, (1,) * (rank - len(rhs)) + rhs
    if any(i != j and 1 not in (i, j) for i, j in zip(a, b, strict=True)):
        raise messages.incompatible_shapes(lhs, rhs)
    return tuple(j if i == 1 else i for i, j in zip(a, b, strict=True))


def _with_rank(value: tensor, rank: int) -> tensor:
    while len(value.shape) < rank:
        value = insert_axis(value, 0)
    return value


# Axes


@member
@builtin
def expand_dims(input: Argument, axis: Axis | Sequence[int]) -> tensor:
    """`input` with an axis of extent 1 at each position of the result that `axis` names."""
    from mytriton.language.operators import to_tensor

    value = to_tensor(input)
    axis = unwrap(axis)
    wanted = list(axis) if is_sequence(axis) else [axis]
    rank = len(value.shape) + len(wanted)
    axes = sorted(_new_axis(position, value, rank) for position in wanted)
    if len(set(axes)) != len(axes):
        raise messages.duplicate_axes(axes)
    for position in axes:
        value = insert_axis(value, position)
    return value


def _new_axis(axis: object, value: tensor, rank: int) -> int:
    """The place of an axis to add, counted from 0 in a result of this rank."""
    number = constant_int(axis, "axis")
    if not -rank <= number < rank:
        raise messages.new_axis_out_of_range(number, value.shape, rank)
    return number % rank


def insert_axis(value: tensor, axis: int) -> tensor:
    shape = (*value.shape[:axis], 1, *value.shape[axis:])
    if not value.is_block:
        return splat(value, shape)
    return tensor(current_builder().expand_dims(value.handle, axis), block_type(value.dtype, shape))


@member
@builtin
def unsqueeze(x: tensor, dim: Axis) -> tensor:
    """`x` with an axis of extent 1 at position `dim`."""
    return expand_dims(x, dim)


@member
@builtin
def squeeze(x: tensor, dim: Axis) -> tensor:
    """`x` without its axis `dim`, which has the extent 1."""
    _check_block(x, "squeeze")
    axis = axis_argument(dim, len(x.shape), "dim")
    if x.shape[axis] != 1:
        raise messages.squeeze_of_extent(axis, x.shape)
    return reshape(x, x.shape[:axis] + x.shape[axis + 1 :])


@member
@builtin
def reshape(input: Argument, *shape: Any, can_reorder: bool = False) -> tensor:
    """The elements of `input`, in row-major order, in another shape; `can_reorder` lets them change places."""
    from mytriton.language.operators import to_tensor

    value = to_tensor(input)
    target = shape_argument(_flattened(shape))
    if math.prod(target) != value.numel:
        raise messages.reshape_changes_size(value.shape, target)
    if target == value.shape:
        return value
    if not value.is_block:
        return splat(value, target)
    if not target:
        return item(value)
    type = block_type(value.dtype, target)
    return tensor(current_builder().reshape(value.handle, type, bool(unwrap(can_reorder))), type)


@member
@builtin
def view(input: Argument, *shape: Any) -> tensor:
    """The same as `reshape`."""
    return reshape(input, *shape)


@member
@builtin
def ravel(x: Argument, can_reorder: bool = False) -> tensor:
    """The elements of `x` in one axis, in row-major order."""
    from mytriton.language.operators import to_tensor

    value = to_tensor(x)
    return reshape(value, (value.numel,), can_reorder=can_reorder)


@member
@builtin
def item(input: tensor) -> tensor:
    """The only element of a tensor, as a scalar."""
    if not isinstance(input, tensor):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise messages.not_a_value(input)
    if not input.is_block:
        return input
    if input.numel != 1:
        raise messages.item_of_many(input.shape)
    return tensor(current_builder().unsplat(input.handle), input.dtype)


@member
@builtin
def permute(input: tensor, *dims: Any) -> tensor:
    """`input` with its axes in the order `dims`: axis `i` of the result is axis `dims[i]` of `input`."""
    _check_block(input, "permute")
    order = tuple(constant_int(dim, "dims") for dim in _flattened(dims))
    if sorted(order) != list(range(len(input.shape))):
        raise messages.not_a_permutation(order, input.shape)
    if order == tuple(range(len(order))):
        return input
    type = block_type(input.dtype, [input.shape[dim] for dim in order])
    return tensor(current_builder().transpose(input.handle, order), type)


@member
@builtin
def trans(input: tensor, *dims: Any) -> tensor:
    """`input` with its axes in the order `dims`; without it, with its last two axes swapped."""
    _check_block(input, "trans")
    if dims:
        return permute(input, *dims)
    rank = len(input.shape)
    if rank < 2:
        raise messages.transpose_of_vector(input.shape)
    return permute(input, (*range(rank - 2), rank - 1, rank - 2))


def _check_block(value: object, function: str) -> None:
    if not isinstance(value, tensor) or not value.is_block:
        raise messages.block_expected(function, value)
