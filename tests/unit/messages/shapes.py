"""Shapes and indices: what is refused, and with which words."""

from __future__ import annotations

from tests.unit.messages.case import Case

CASES = {
    "extent_not_constexpr": Case(
        "x = «tl.block_type(tl.float32, (4.5,))»",
        "an extent of a shape must be an integer that is known when the kernel is compiled, found 4.5",
    ),
    "not_a_constant_int": Case(
        "x = «tl.arange(0, n)»",
        "end must be an integer that is known when the kernel is compiled, found a value of type int32",
        "make it a tl.constexpr parameter, or a variable annotated with tl.constexpr",
    ),
    "not_a_shape": Case("x = «tl.zeros(4, tl.float32)»", "expected a shape, such as (16, 16), found 4"),
    "extent_not_positive": Case(
        "x = «tl.zeros((0, 4), tl.float32)»",
        "an extent of a shape must be positive, found 0 in [0, 4]",
    ),
    "tensor_too_large": Case(
        "x = «tl.zeros((2048, 2048), tl.float32)»",
        "a tensor may have up to 1048576 elements, found 4194304 in [2048, 2048]",
    ),
    "axis_out_of_range": Case(
        "x = «tl.sum(tl.arange(0, 8), axis=1)»",
        "axis must be from -1 to 0 for rank 1, found 1",
    ),
    "new_axis_out_of_range": Case(
        "x = «tl.expand_dims(tl.arange(0, 8), 2)»",
        "the axis to add to the shape [8] must be from -2 to 1, found 2",
    ),
    "duplicate_axes": Case("x = «tl.expand_dims(tl.arange(0, 4), (0, 0))»", "the axes must differ, found [0, 0]"),
    "cannot_broadcast": Case(
        "x = «tl.broadcast_to(tl.arange(0, 8), (4, 4))»",
        "cannot broadcast [8] to [4, 4]: only extents of 1 can grow",
    ),
    "incompatible_shapes": Case(
        "x = «tl.arange(0, 8) + tl.arange(0, 4)»",
        "the shapes [8] and [4] do not fit together: each extent must be equal, or 1 in one of them",
    ),
    "reshape_changes_size": Case(
        "x = «tl.reshape(tl.arange(0, 8), (3, 3))»",
        "cannot reshape [8] to [3, 3], which has another number of elements",
    ),
    "squeeze_of_extent": Case(
        "x = «tl.squeeze(tl.zeros((2, 4), tl.float32), 0)»",
        "only an axis of extent 1 can be squeezed, found axis 0 of [2, 4]",
    ),
    "scalar_expected": Case(
        "x = «tl.full((4,), tl.arange(0, 4), tl.float32)»",
        "tl.full takes a single value as its value, found a value of type int32[4]",
    ),
    "item_of_many": Case("x = «tl.arange(0, 4).item()»", "item() takes a tensor of one element, found shape [4]"),
    "not_a_permutation": Case(
        "x = «tl.permute(tl.arange(0, 8)[None, :], 0, 0)»",
        "expected each axis of [1, 8] once, found [0, 0]",
    ),
    "transpose_of_vector": Case(
        "x = «tl.trans(tl.arange(0, 8))»",
        "tl.trans swaps the last two axes, found shape [8]",
    ),
    "block_expected": Case(
        "x = «tl.dot(f, tl.zeros((4, 4), tl.float32))»",
        "tl.dot takes a tensor with at least one axis, found a value of type fp32",
    ),
    "bad_index": Case(
        "x = «tl.arange(0, 8)[1.5]»",
        "a value of type int32[8] can be indexed with integers, slices, `None` and `...`, not with 1.5",
    ),
    "index_is_block": Case(
        "x = «tl.arange(0, 8)[tl.arange(0, 4)]»",
        "a tensor cannot be indexed with a value of type int32[4]",
        "tl.gather takes the elements that a tensor of indices names",
    ),
    "bad_index_dtype": Case("x = «tl.arange(0, 8)[f]»", "an index must be an integer, found fp32"),
    "index_out_of_range": Case("x = «tl.arange(0, 8)[8]»", "the index 8 is outside of an axis of extent 8"),
    "two_ellipses": Case("x = «tl.arange(0, 8)[..., ...]»", "`...` may stand once in an index"),
    "slice_with_step_zero": Case("x = «tl.arange(0, 8)[::0]»", "the step of a slice must not be 0"),
    "empty_slice": Case("x = «tl.arange(0, 8)[4:4]»", "the slice of an axis of extent 8 has no element"),
    "runtime_slice": Case(
        "x = «tl.arange(0, 8)[0:n]»",
        "the bounds of a slice must be known when the kernel is compiled",
        "a single index may be a runtime value; tl.gather takes the elements that a tensor of indices names",
    ),
    "bad_slice": Case("x = «tl.arange(0, 8)[1:2.5]»", "the bounds of a slice are integers, found 2.5"),
    "different_dtypes": Case(
        "x = «tl.cat(tl.arange(0, 4), tl.zeros((4,), tl.float32))»",
        "tl.cat takes two tensors of one dtype, found int32 and fp32",
        "cast one of them",
    ),
    "split_of_extent": Case(
        "x, y = «tl.split(tl.arange(0, 4))»",
        "tl.split takes a tensor whose last axis has the extent 2, found shape [4]",
    ),
    "cat_of_different_shapes": Case(
        "x = «tl.cat(tl.arange(0, 4), tl.arange(0, 8))»",
        "tl.cat takes two tensors of one shape, found [4] and [8]",
    ),
    "reordering_cat_of_rank": Case(
        "x = tl.zeros((4, 4), tl.float32)\ny = «tl.cat(x, x, can_reorder=True)»",
        "tl.cat with can_reorder takes tensors with one axis, found shape [4, 4]",
        "leave out can_reorder",
    ),
    "too_many_indices": Case("x = «n[None, :]»", "a value of type int32 is a single one and has no elements"),
    "empty_range": Case(
        "x = «tl.arange(4, 4)»",
        "the end of tl.arange must be greater than its start, found 4 and 4",
    ),
    "range_out_of_int32": Case(
        "x = «tl.arange(2**31, 2**31 + 1)»",
        "tl.arange must fit into int32, found 2147483648 and 2147483649",
    ),
}
