"""Which layouts fit together: default layouts by shape, and the layouts of operands from those of results and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.layouts import (
    BlockedEncodingAttr,
    DistributedEncodingAttr,
    LinearEncodingAttr,
    SliceEncodingAttr,
)
from mytriton.dialects.linear_layout import (
    LANE,
    REGISTER,
    WARP,
    WARP_SIZE,
    Basis,
    LinearLayout,
    is_power_of_two,
    padded_shape,
    unit_basis,
)
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.errors import CompilationError, PassError
from mytriton.passes.locations import location_of

MAX_ACCESS_BYTES = 16
"""The widest access of one thread to memory."""

MAX_WARPS = 32
"""The warps of the largest block."""

LANES_OF_DOT = 8
"""Lanes along a row of a dot's accumulator; 4 x 8 lanes need the fewest reads of shared memory for an outer product."""

COLUMNS_OF_DOT = 4
"""Neighbouring columns of a dot's accumulator in one thread, one 16-byte read of B in float32."""

ROWS_OF_DOT = 8
"""Rows of a dot's accumulator in one thread, where the tile is large enough."""

ELEMENTWISE_TT = (
    tt.AddPtrOp,
    tt.BitcastOp,
    tt.FpToFpOp,
    tt.IntToPtrOp,
    tt.PtrToIntOp,
    tt.ClampFOp,
    tt.PreciseSqrtOp,
    tt.PreciseDivFOp,
    tt.MulhiUIOp,
    tt.ExternElementwiseOp,
)
SHAPE_OPS = (tt.BroadcastOp, tt.ExpandDimsOp, tt.TransOp, tt.ReshapeOp)

ShapeOp = tt.BroadcastOp | tt.ExpandDimsOp | tt.TransOp | tt.ReshapeOp


ATOMICS = (tt.AtomicRMWOp, tt.AtomicCASOp, tt.AtomicLoadOp, tt.AtomicStoreOp, tt.AtomicPollOp)


def refuse_warps(num_warps: int) -> None:
    """Raises PassError for a number of warps that a block cannot have."""
    if not is_power_of_two(num_warps) or num_warps > MAX_WARPS:
        raise PassError(f"num-warps must be a power of two from 1 to {MAX_WARPS}, found {num_warps}")


def is_elementwise(op: Operation) -> bool:
    """Whether each element of the result depends on the same element of each tensor operand, without side effects."""
    return _is_elementwise_class(type(op))


@cache
def _is_elementwise_class(op_class: type[Operation]) -> bool:
    if op_class.name.startswith(("arith.", "math.")):
        return op_class is not arith.ConstantOp
    return issubclass(op_class, ELEMENTWISE_TT)


def tensor_type(value: SSAValue) -> TensorType[Attribute] | None:
    """The type of a tensor, None for any other value."""
    type = value.type
    return type if is_tensor_type(type) else None


def shape_of_tensor(value: SSAValue) -> tuple[int, ...]:
    type = tensor_type(value)
    assert type is not None
    return type.get_shape()


def encoding_of_value(value: SSAValue) -> DistributedEncodingAttr | None:
    """The layout of a tensor, None for a scalar and for a tensor without one."""
    type = tensor_type(value)
    return type.encoding if type is not None and isinstance(type.encoding, DistributedEncodingAttr) else None


def require_layouts(ops: Iterable[Operation]) -> None:
    """Refuses operations that have a tensor without a layout, for passes that must know where each element lives."""
    for op in ops:
        for value in (*op.operands, *op.results):
            type = tensor_type(value)
            if type is not None and not isinstance(type.encoding, DistributedEncodingAttr):
                raise CompilationError(
                    f"{op.name}: {type} has no layout; run assign-layouts first",
                    location_of(op),
                )


@lru_cache(maxsize=1024)
def blocked_encoding(
    shape: tuple[int, ...],
    num_warps: int,
    width: int = 1,
    order: tuple[int, ...] | None = None,
    reduced: int | None = None,
) -> BlockedEncodingAttr:
    """Neighbouring threads hold neighbouring elements along `order[0]` (the last dimension unless given).

    Each thread holds `width` of them, or fewer where threads would have nothing to do. Warps are spread along dimension
    `reduced` last, since a reduction within a warp needs no shared memory.
    """
    rank = len(shape)
    if not rank:
        raise PassError("a tensor of rank 0 is not supported: write a scalar")
    order = tuple(range(rank - 1, -1, -1)) if order is None else order
    sizes = padded_shape(shape)
    share = max(1, math.prod(sizes) // (WARP_SIZE * num_warps))
    width = min(width, share, sizes[order[0]])
    lanes, warps = [1] * rank, [1] * rank
    threads = [size // width if dim == order[0] else size for dim, size in enumerate(sizes)]
    free_lanes, free_warps = WARP_SIZE, num_warps
    for dim in order:
        lanes[dim] = min(threads[dim], free_lanes)
        free_lanes //= lanes[dim]
    for dim in sorted(order, key=lambda dim: dim == reduced):
        warps[dim] = min(threads[dim] // lanes[dim], free_warps)
        free_warps //= warps[dim]
    lanes[order[-1]] *= free_lanes
    warps[order[-1]] *= free_warps
    per_thread = [width if dim == order[0] else 1 for dim in range(rank)]
    return BlockedEncodingAttr(per_thread, lanes, warps, order)


@lru_cache(maxsize=1024)
def ordered_encoding(shape: tuple[int, ...], num_warps: int, axis: int) -> BlockedEncodingAttr:
    """The layout in which dimension `axis` goes over the registers of a thread first, then over lanes, then over warps.

    As few lanes and warps as possible are spread along the axis; what is left of them goes to the other dimensions, to
    the last one first.
    """
    rank = len(shape)
    sizes = padded_shape(shape)
    order = [axis, *(dim for dim in range(rank - 1, -1, -1) if dim != axis)]
    own = min(sizes[axis], max(1, math.prod(sizes) // (WARP_SIZE * num_warps)))
    threads = [size // own if dim == axis else size for dim, size in enumerate(sizes)]
    lanes, warps = [1] * rank, [1] * rank
    free_lanes, free_warps = WARP_SIZE, num_warps
    for dim in order:
        lanes[dim] = min(threads[dim], free_lanes)
        free_lanes //= lanes[dim]
    for dim in (*order[1:], axis):
        warps[dim] = min(threads[dim] // lanes[dim], free_warps)
        free_warps //= warps[dim]
    lanes[order[-1]] *= free_lanes
    warps[order[-1]] *= free_warps
    return BlockedEncodingAttr([own if dim == axis else 1 for dim in range(rank)], lanes, warps, order)


@lru_cache(maxsize=1024)
def dot_encoding(shape: tuple[int, ...], num_warps: int, whole_rows: bool = False) -> BlockedEncodingAttr:
    """The accumulator of a dot on CUDA cores: a register tile of rows and of groups of neighbouring columns per thread.

    Warps are spread so that no thread holds copies if that is possible, and then so that each row lies within one warp
    (with `whole_rows`) or that a thread has about `ROWS_OF_DOT` rows.
    """
    *batch, rows, columns = padded_shape(shape)
    batch_warps = min(num_warps, math.prod(batch))
    warps = num_warps // batch_warps
    width = min(COLUMNS_OF_DOT, columns, max(1, rows * columns // (WARP_SIZE * warps)))
    column_lanes = min(max(LANES_OF_DOT, WARP_SIZE // rows), columns // width)
    row_lanes = WARP_SIZE // column_lanes

    def waste_and_distance(column_warps: int) -> tuple[int, int, int]:
        row_threads = row_lanes * (warps // column_warps)
        own_rows = max(1, rows // row_threads)
        copies = max(1, row_threads // rows) * max(1, width * column_lanes * column_warps // columns)
        distance = 0 if whole_rows else abs(own_rows.bit_length() - ROWS_OF_DOT.bit_length())
        return copies, distance, column_warps

    column_warps = min((1 << bit for bit in range(warps.bit_length())), key=waste_and_distance)
    ones = [1] * len(batch)
    batch_shares = [batch_warps, *ones[1:]] if batch else []
    return BlockedEncodingAttr(
        [*ones, 1, width],
        [*ones, row_lanes, column_lanes],
        [*batch_shares, warps // column_warps, column_warps],
        range(len(shape) - 1, -1, -1),
    )


def inverse_permutation(order: Sequence[int]) -> tuple[int, ...]:
    inverse = [0] * len(order)
    for position, dim in enumerate(order):
        inverse[dim] = position
    return tuple(inverse)


def permuted_encoding(
    encoding: DistributedEncodingAttr, shape: Sequence[int], order: Sequence[int]
) -> DistributedEncodingAttr:
    """The layout of a tensor of `shape` after dimension `order[i]` has become dimension `i`."""
    if not isinstance(encoding, BlockedEncodingAttr):
        return LinearEncodingAttr.of(encoding.to_linear(shape).permute(order))
    places = inverse_permutation(order)
    fields = (encoding.size_per_thread.data, encoding.threads_per_warp.data, encoding.warps_per_cta.data)
    sizes, lanes, warps = ([field[dim] for dim in order] for field in fields)
    return BlockedEncodingAttr(sizes, lanes, warps, [places[dim] for dim in encoding.order.data])


def pads_alike(source: Sequence[int], target: Sequence[int]) -> bool:
    """Whether two shapes of one size are still reshapes of each other when padded to powers of two."""
    if [size for size in source if size != 1] == [size for size in target if size != 1]:
        return True
    return all(map(is_power_of_two, (*source, *target)))


def reshaped_encoding(
    encoding: DistributedEncodingAttr, source: Sequence[int], target: Sequence[int]
) -> DistributedEncodingAttr | None:
    """The layout after a reshape in which no element moves; None if padding makes that impossible."""
    if not pads_alike(source, target):
        return None
    for dim, size in enumerate(source):
        if size == 1 and len(source) > 1 and [*source[:dim], *source[dim + 1 :]] == list(target):
            return SliceEncodingAttr(dim, encoding)
    return LinearEncodingAttr.of(encoding.to_linear(source).reshape(padded_shape(target)))


def joined_encoding(encoding: DistributedEncodingAttr, shape: Sequence[int]) -> DistributedEncodingAttr:
    """The layout of two joined tensors of `shape`: each thread holds both of what it held one of, side by side."""
    if isinstance(encoding, BlockedEncodingAttr):
        return BlockedEncodingAttr(
            [*encoding.size_per_thread.data, 2],
            [*encoding.threads_per_warp.data, 1],
            [*encoding.warps_per_cta.data, 1],
            [len(shape), *encoding.order.data],
        )
    layout = encoding.to_linear(shape)
    bases: dict[str, list[Basis]] = {name: [(*basis, 0) for basis in vectors] for name, vectors in layout.bases.items()}
    bases[REGISTER] = [unit_basis(layout.rank + 1, layout.rank, 1), *bases.get(REGISTER, ())]
    return LinearEncodingAttr.of(LinearLayout(bases, (*layout.shape, 2)))


def split_encoding(encoding: DistributedEncodingAttr, shape: Sequence[int]) -> DistributedEncodingAttr | None:
    """The layout of both halves of a tensor of `shape`; None if a thread holds only one of two neighbours."""
    layout = encoding.to_linear(shape)
    if any(basis[-1] for name in (LANE, WARP) for basis in layout.bases.get(name, ())):
        return None
    return half_encoding(encoding)


def half_encoding(encoding: DistributedEncodingAttr) -> DistributedEncodingAttr:
    """The layout in which a tensor is where the one joined of it wants it."""
    last = encoding.rank - 1
    if isinstance(encoding, BlockedEncodingAttr) and encoding.threads_per_warp.data[last] == 1:
        sizes, lanes, warps = encoding.size_per_thread.data, encoding.threads_per_warp.data, encoding.warps_per_cta.data
        if warps[last] == 1:
            order = [dim for dim in encoding.order.data if dim != last]
            return BlockedEncodingAttr(sizes[:-1], lanes[:-1], warps[:-1], order)
    return SliceEncodingAttr(last, encoding)


def extracted_encoding(op: tt.ExtractSliceOp, encoding: DistributedEncodingAttr) -> DistributedEncodingAttr | None:
    """The layout of a slice whose elements are in the registers of the threads that need them; None if they are not.

    They are where each dimension starts at a multiple of its padded size, so that all coordinates have the same high
    bits, and where these bits only select registers.
    """
    offsets = op.constant_offsets
    sizes = padded_shape(shape_of_tensor(op.result))
    if offsets is None or any(step != 1 for step in op.steps):
        return None
    if any(offset % size for offset, size in zip(offsets, sizes, strict=True)):
        return None
    layout = encoding.to_linear(shape_of_tensor(op.src))

    def is_inside(basis: Sequence[int]) -> bool:
        return all(value < size for value, size in zip(basis, sizes, strict=True))

    def is_outside(basis: Sequence[int]) -> bool:
        return not any(value & size - 1 for value, size in zip(basis, sizes, strict=True))

    if not all(is_inside(basis) for name in (LANE, WARP) for basis in layout.bases.get(name, ())):
        return None
    registers = layout.bases.get(REGISTER, ())
    if not all(is_inside(basis) or is_outside(basis) for basis in registers):
        return None
    kept = [basis for basis in registers if is_inside(basis)]
    return LinearEncodingAttr.of(LinearLayout({**layout.bases, REGISTER: kept}, sizes))


def operand_encoding(op: ShapeOp, encoding: DistributedEncodingAttr) -> DistributedEncodingAttr | None:
    """The layout in which the operand's elements are where the result's layout wants them; None if there is none."""
    match op:
        case tt.BroadcastOp():
            return encoding
        case tt.ExpandDimsOp():
            return SliceEncodingAttr(op.axis.value.data, encoding)
        case tt.TransOp():
            return permuted_encoding(encoding, shape_of_tensor(op.result), inverse_permutation(op.permutation))
        case tt.ReshapeOp():
            return reshaped_encoding(encoding, shape_of_tensor(op.result), shape_of_tensor(op.src))


def result_encoding(op: ShapeOp, encoding: DistributedEncodingAttr) -> DistributedEncodingAttr | None:
    """The layout of the result when no element moves; None where the operand's layout does not say."""
    match op:
        case tt.BroadcastOp():
            return encoding
        case tt.ExpandDimsOp():
            if isinstance(encoding, SliceEncodingAttr) and encoding.dim.data == op.axis.value.data:
                return encoding.parent_layout
            return None
        case tt.TransOp():
            return permuted_encoding(encoding, shape_of_tensor(op.src), op.permutation)
        case tt.ReshapeOp():
            return reshaped_encoding(encoding, shape_of_tensor(op.src), shape_of_tensor(op.result))


def with_encoding(type: TensorType[Attribute], encoding: Attribute) -> TensorType[Attribute]:
    """A tensor type of the same shape and elements in another layout."""
    return TensorType(type.element_type, type.shape.data, encoding)


def set_type(value: SSAValue, type: Attribute) -> None:
    """Gives a value another type in place; xDSL only offers to make a new value of it."""
    value._type = type  # pyright: ignore[reportPrivateUsage]
