"""Functions that put tensors together and take them apart."""

from __future__ import annotations

from mytriton import messages
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import block_type
from mytriton.language.operators import to_tensor
from mytriton.language.shapes import axis_argument, broadcast_pair, item, permute, reshape, splat
from mytriton.language.values import Argument, Axis, member, tensor


@builtin
def join(a: Argument, b: Argument) -> tensor:
    """Both tensors in a new last axis of extent 2, `a` first; their shapes are broadcast.

    Two scalars give a tensor of shape `(2,)`.
    """
    first, second = broadcast_pair(to_tensor(a), to_tensor(b))
    if first.dtype != second.dtype:
        raise messages.different_dtypes("join", first.dtype, second.dtype)
    if not first.is_block:
        return reshape(join(splat(first, (1,)), splat(second, (1,))), (2,))
    type = block_type(first.dtype, (*first.shape, 2))
    return tensor(current_builder().join(first.handle, second.handle), type)


@member
@builtin
def split(a: tensor) -> tuple[tensor, tensor]:
    """The two halves of `a` along its last axis, which has the extent 2; of shape `(2,)`, two scalars."""
    if not isinstance(a, tensor) or not a.is_block:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise messages.block_expected("split", a)
    if a.shape[-1] != 2:
        raise messages.split_of_extent(a.shape)
    if len(a.shape) == 1:
        first, second = split(reshape(a, (1, 2)))
        return item(first), item(second)
    type = block_type(a.dtype, a.shape[:-1])
    first, second = (tensor(handle, type) for handle in current_builder().split(a.handle))
    return first, second


@builtin
def interleave(a: Argument, b: Argument) -> tensor:
    """The elements of `a` and `b` in turn along the last axis; two scalars give a tensor of shape `(2,)`."""
    joined = join(a, b)
    if len(joined.shape) == 1:
        return joined
    return reshape(joined, (*joined.shape[:-2], 2 * joined.shape[-2]))


@builtin
def cat(input: tensor, other: tensor, can_reorder: bool = False, dim: Axis = 0) -> tensor:
    """The elements of `input` and then those of `other` along axis `dim`.

    With `can_reorder`, which is for vectors, any order of the elements would do; it is this one all the same.
    """
    for operand in (input, other):
        if not isinstance(operand, tensor) or not operand.is_block:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise messages.block_expected("cat", operand)
    if input.shape != other.shape:
        raise messages.cat_of_different_shapes(input.shape, other.shape)
    if input.dtype != other.dtype:
        raise messages.different_dtypes("cat", input.dtype, other.dtype)
    rank = len(input.shape)
    axis = axis_argument(dim, rank, "dim")
    if unwrap(can_reorder):
        if rank != 1:
            raise messages.reordering_cat_of_rank(input.shape)
        handle = current_builder().cat(input.handle, other.handle)
        return tensor(handle, block_type(input.dtype, (2 * input.shape[0],)))
    order = [*range(axis), rank, *range(axis, rank)]
    shape = [2 * extent if position == axis else extent for position, extent in enumerate(input.shape)]
    return reshape(permute(join(input, other), order), shape)
