"""Functions that put the elements along an axis in another order."""

from __future__ import annotations

from collections.abc import Callable

from mytriton import messages
from mytriton.language.casting import bitcast_to, cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.creation import arange
from mytriton.language.dtypes import dtype, float16, get_int_dtype, int1, int8
from mytriton.language.gathering import gathered
from mytriton.language.operators import and_, constant, rshift, to_tensor, xor
from mytriton.language.shapes import axis_argument, broadcast_to_shape, constant_int, expand_dims
from mytriton.language.sorting_networks import is_power_of_two, largest_merged, merged
from mytriton.language.values import Axis, like, member, tensor


@member
@builtin
def sort(x: tensor, dim: Axis | None = None, descending: bool = False) -> tensor:
    """`x` with the elements along `dim` (by default the last axis) in ascending order, or in descending order.

    A NaN counts as greater than every number, and -0.0 as less than 0.0.
    """
    value = to_tensor(unwrap(x))
    return _sorted(value, _dim(dim, value, "sort"), bool(unwrap(descending)))


@builtin
def topk(x: tensor, k: Axis, dim: Axis | None = None, descending: bool = True) -> tensor:
    """The `k` largest elements along `dim` (by default the last axis), the largest first.

    Without `descending` the `k` smallest, the smallest first. The order is that of `sort`.
    """
    value, count = to_tensor(unwrap(x)), constant_int(k, "k")
    axis = _dim(dim, value, "topk")
    if not 1 <= count <= value.shape[axis]:
        raise messages.topk_count(count, value.shape[axis])
    if count < value.shape[axis] and all(map(is_power_of_two, (count, *value.shape))):
        return _on_keys(value, lambda keys: largest_merged(keys, axis, count, bool(unwrap(descending))))
    ordered = _sorted(value, axis, bool(unwrap(descending)))
    return ordered if count == value.shape[axis] else gathered(ordered, _positions(value, axis, count), axis)


@builtin
def bitonic_merge(x: tensor, dim: Axis | None = None, descending: bool = False) -> tensor:
    """`x` in order along `dim`, of which the elements go up and then down, or down and then up."""
    value = to_tensor(unwrap(x))
    axis = _dim(dim, value, "bitonic_merge")
    if value.shape[axis] == 1 or not all(map(is_power_of_two, value.shape)):
        return _sorted(value, axis, bool(unwrap(descending)))
    return _on_keys(value, lambda keys: merged(keys, axis, bool(unwrap(descending))))


@member
@builtin
def flip(x: tensor, dim: Axis | None = None) -> tensor:
    """`x` with the elements along `dim` (by default the last axis) in the opposite order."""
    value = to_tensor(unwrap(x))
    axis = _dim(dim, value, "flip")
    extent = value.shape[axis]
    if extent == 1:
        return value
    return gathered(value, (extent - 1) - _positions(value, axis, extent), axis)


def _dim(dim: object, value: tensor, function: str) -> int:
    if not value.is_block:
        raise messages.block_expected(function, value)
    return len(value.shape) - 1 if unwrap(dim) is None else axis_argument(dim, len(value.shape), "dim")


def _positions(value: tensor, axis: int, count: int) -> tensor:
    """0, 1, ... along an axis, in the shape of `value` with `count` elements along that axis."""
    positions = arange(0, count)
    others = [dim for dim in range(len(value.shape)) if dim != axis]
    if not others:
        return positions
    shape = (*value.shape[:axis], count, *value.shape[axis + 1 :])
    return broadcast_to_shape(expand_dims(positions, others), shape)


def _sorted(value: tensor, axis: int, descending: bool) -> tensor:
    if value.shape[axis] == 1:
        return value
    return _on_keys(value, lambda keys: like(keys, current_builder().sort(keys.handle, axis, descending)))


def _on_keys(value: tensor, ordered: Callable[[tensor], tensor]) -> tensor:
    """The elements become signed integers of the same order, which are put in order and become elements again."""
    if value.dtype.is_ptr():
        raise messages.bad_operand("sort", value.dtype)
    if value.dtype.is_fp8() and not value.dtype.is_fp8e5():
        # Their NaNs are few, and no infinity is lost on the way.
        return cast_to(_on_keys(cast_to(value, float16), ordered), value.dtype)
    return _elements(ordered(_keys(value)), value.dtype)


def _keys(value: tensor) -> tensor:
    element_ty = value.dtype
    if element_ty == int1:
        return cast_to(value, int8)
    key_ty = get_int_dtype(element_ty.primitive_bitwidth, True)
    bits = bitcast_to(value, key_ty)
    if element_ty.is_floating():
        return _magnitude_flipped(bits) - _number(key_ty, _highest_mantissa(element_ty))
    return bits if element_ty.is_int_signed() else xor(bits, _number(key_ty, key_ty.get_int_min_value()))


def _elements(keys: tensor, element_ty: dtype) -> tensor:
    if element_ty == int1:
        return cast_to(keys, int1)
    key_ty = keys.dtype
    if element_ty.is_floating():
        keys = _magnitude_flipped(keys + _number(key_ty, _highest_mantissa(element_ty)))
    elif not element_ty.is_int_signed():
        keys = xor(keys, _number(key_ty, key_ty.get_int_min_value()))
    return bitcast_to(keys, element_ty)


def _magnitude_flipped(bits: tensor) -> tensor:
    """The bits of negative floats, but for the sign, inverted: floats are then in the order of signed integers.

    The negative NaNs, of which there are as many as the mantissa has values but 0, would come before everything else.
    Subtracting that number lets them wrap around to the end, where the positive ones are.
    """
    key_ty = bits.dtype
    all_but_sign = _number(key_ty, key_ty.get_int_max_value())
    sign = rshift(bits, _number(key_ty, key_ty.int_bitwidth - 1))
    return xor(bits, and_(sign, all_but_sign))


def _highest_mantissa(element_ty: dtype) -> int:
    return (1 << element_ty.fp_mantissa_width) - 1


def _number(element_ty: dtype, value: int) -> tensor:
    return constant(value, element_ty)
