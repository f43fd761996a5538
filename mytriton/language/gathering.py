"""Elements picked by number, and elements counted."""

from __future__ import annotations

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import block_type, int1, int32, int64
from mytriton.language.operators import to_tensor
from mytriton.language.shapes import axis_argument, broadcast_to_shape, constant_int
from mytriton.language.values import Argument, Axis, member, tensor


@member
@builtin
def gather(src: tensor, index: tensor, axis: Axis) -> tensor:
    """The elements of `src` along `axis` that `index` names; an index that is out of range gives 0.

    `index` has the shape of `src`, but any extent along `axis`: `out[i, j] = src[index[i, j], j]` for axis 0.
    """
    source, indices = to_tensor(unwrap(src)), to_tensor(unwrap(index))
    if not indices.dtype.is_int():
        raise messages.bad_operand("gather", indices.dtype)
    position = axis_argument(axis, len(source.shape))
    if len(indices.shape) != len(source.shape) or any(
        extent != wanted and dim != position
        for dim, (extent, wanted) in enumerate(zip(indices.shape, source.shape, strict=True))
    ):
        raise messages.gather_shapes(source.shape, indices.shape, position)
    return gathered(source, _signed_indices(indices), position)


def gathered(source: tensor, indices: tensor, axis: int) -> tensor:
    handle = current_builder().gather(source.handle, indices.handle, axis)
    return tensor(handle, block_type(source.dtype, indices.shape))


def _signed_indices(indices: tensor) -> tensor:
    """As int32 or int64: an unsigned index is not negative."""
    if indices.dtype.is_int_signed() and indices.dtype.int_bitwidth >= 32:
        return indices
    return cast_to(indices, int32 if indices.dtype.int_bitwidth < 32 else int64)


@member
@builtin
def histogram(input: tensor, num_bins: Axis, mask: Argument | None = None) -> tensor:
    """How many elements of `input` are 0, 1, ... `num_bins` - 1, as int32; other elements are not counted.

    With `mask`, only the elements where it is true are counted.
    """
    value, bins = to_tensor(unwrap(input)), constant_int(num_bins, "num_bins")
    if len(value.shape) != 1 or not value.dtype.is_int():
        raise messages.histogram_input(value.type)
    if bins < 1:
        raise messages.too_few_bins(bins)
    chosen = None
    if unwrap(mask) is not None:
        condition = to_tensor(unwrap(mask))
        if not condition.dtype.is_bool():
            raise messages.histogram_mask(condition.dtype)
        chosen = broadcast_to_shape(cast_to(condition, int1), value.shape).handle
    type = block_type(int32, (bins,))
    return tensor(current_builder().histogram(_signed_indices(value).handle, type, chosen), type)
