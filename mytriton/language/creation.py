"""Where tensors come from: program ids, ranges and fills."""

from __future__ import annotations

from typing import Any, cast

from mytriton import messages
from mytriton.language.casting import cast_to, checked_dtype
from mytriton.language.constexpr import constexpr, unwrap
from mytriton.language.context import builtin, current_builder, inspected_program
from mytriton.language.dtypes import block_type, dtype, int32
from mytriton.language.operators import constant, to_tensor
from mytriton.language.shapes import constant_int, item, shape_argument, splat
from mytriton.language.values import Argument, Axis, tensor


@builtin
def program_id(axis: Axis) -> tensor:
    """The index of this program along an axis (0, 1 or 2) of the grid, as an int32."""
    if (program := inspected_program()) is not None:
        return cast(tensor, program.position[_grid_axis(axis)])
    return tensor(current_builder().program_id(_grid_axis(axis)), int32)


@builtin
def num_programs(axis: Axis) -> tensor:
    """The number of programs along an axis (0, 1 or 2) of the grid, as an int32."""
    if (program := inspected_program()) is not None:
        return cast(tensor, program.grid[_grid_axis(axis)])
    return tensor(current_builder().num_programs(_grid_axis(axis)), int32)


def _grid_axis(axis: object) -> int:
    number = constant_int(axis, "axis")
    if number not in (0, 1, 2):
        raise messages.bad_choice("axis", number, (0, 1, 2))
    return number


@builtin
def arange(start: int | constexpr, end: int | constexpr) -> tensor:
    """The integers from `start` up to but not including `end`, as int32; any number of them, at least one."""
    first, last = constant_int(start, "start"), constant_int(end, "end")
    if last <= first:
        raise messages.empty_range(first, last)
    if first < int32.get_int_min_value() or last - 1 > int32.get_int_max_value():
        raise messages.range_out_of_int32(first, last)
    type = block_type(int32, (last - first,))
    return tensor(current_builder().make_range(first, last, type), type)


@builtin
def full(shape: Any, value: Argument, dtype: dtype) -> tensor:
    """A tensor of `shape` with every element equal to the scalar `value` in `dtype`."""
    extents, element_ty, value = shape_argument(shape), checked_dtype(dtype), unwrap(value)
    if not isinstance(value, tensor):
        return constant(value, element_ty, extents)
    if value.numel != 1:
        raise messages.scalar_expected("full", "its value", value.type)
    return splat(cast_to(item(value), element_ty), extents)


@builtin
def zeros(shape: Any, dtype: dtype) -> tensor:
    """A tensor of `shape` filled with 0."""
    return full(shape, 0, dtype)


@builtin
def empty(shape: Any, dtype: dtype) -> tensor:
    """A tensor of `shape` whose elements are not meant to be read; they read 0, and the checker reports their use."""
    extents, element_ty = shape_argument(shape), checked_dtype(dtype)
    type = block_type(element_ty, extents) if extents else element_ty
    return tensor(current_builder().empty(type), type)


@builtin
def zeros_like(input: tensor) -> tensor:
    """A tensor of zeros with the shape and dtype of `input`."""
    value = to_tensor(input)
    return full(value.shape, 0, value.dtype)
