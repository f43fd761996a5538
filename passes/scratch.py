"""How a tensor changes its layout most cheaply: by shuffles, or through a scratch buffer, and how that is padded."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from mytriton.dialects.layouts import (
    PaddedSharedEncodingAttr,
    SharedEncodingAttr,
    SwizzledSharedEncodingAttr,
    layout_of,
)
from mytriton.dialects.linear_layout import LinearLayout
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.dialects.tt import PointerType
from mytriton.dialects.ttg import ConvertLayoutOp, MemDescType, element_bytes
from mytriton.passes.bank_conflicts import BANKS, WORD_BYTES, least_wavefronts, wavefronts
from mytriton.passes.lane_exchange import LaneExchange, lane_exchange

MAX_VECTOR_BYTES = 16

ROUND_TRIP = 16
"""What a store that all warps wait for before they load costs beside the accesses, in shuffles (which a multiprocessor
does at the rate of wavefronts): the barrier and the latency of both."""

ROUND_TRIP_OF_A_WARP = 8
"""The same where the block is one warp, which waits for no other."""


def padded_rows(shape: tuple[int, ...], interval: int, padding: int) -> PaddedSharedEncodingAttr:
    """Row-major order with `padding` unused elements after every `interval`."""
    return PaddedSharedEncodingAttr([interval], [padding], range(len(shape) - 1, -1, -1), shape)


def row_padding(encoding: object, shape: tuple[int, ...]) -> tuple[int, int] | None:
    """The interval and padding of a row-major buffer that is padded after each row, or as a vector in regular places.

    None for any other encoding.
    """
    if not isinstance(encoding, PaddedSharedEncodingAttr) or len(encoding.intervals.data) != 1:
        return None
    (interval,), (padding,) = encoding.intervals.data, encoding.paddings.data
    is_row_major = encoding.order.data == tuple(range(len(shape) - 1, -1, -1))
    return (interval, padding) if is_row_major and (len(shape) == 1 or interval == shape[-1]) else None


def array_shape(encoding: object, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The extents of the C array that holds a buffer: its rows with their padding; a padded vector becomes rows."""
    found = row_padding(encoding, shape)
    if found is None:
        return shape
    interval, padding = found
    *outer, last = shape
    return (*(outer or [-(-last // interval)]), interval + padding)


def array_bytes(buffer: MemDescType) -> int:
    """The bytes of the C array that holds a buffer."""
    return prod(array_shape(buffer.encoding, buffer.get_shape())) * element_bytes(buffer.element_type)


def has_vectors(element_type: Attribute) -> bool:
    """Whether C has vectors of such elements."""
    return element_type != i1 and not isinstance(element_type, PointerType)


def shared_vector_width(
    layout: LinearLayout,
    shape: tuple[int, ...],
    buffer_shape: tuple[int, ...],
    encoding: object,
    nbytes: int,
    start: int = 0,
) -> int:
    """How many neighbours along the last dimension one access to a row-major buffer may move, from `start` on."""
    width = min(layout.contiguous_registers(layout.rank - 1), MAX_VECTOR_BYTES // nbytes)
    found = row_padding(encoding, buffer_shape)
    interval, padding = (buffer_shape[-1], 0) if found is None else found
    # Every row starts at a multiple of the width, and so does every group of neighbours.
    while width > 1 and (interval % width or padding % width or shape[-1] % width or start % width):
        width //= 2
    return width


@lru_cache(maxsize=1024)
def scratch_encoding(
    source: LinearLayout, target: LinearLayout, shape: tuple[int, ...], nbytes: int, vectors: bool = True
) -> tuple[SharedEncodingAttr, int]:
    """The encoding of the buffer through which a tensor of `shape` goes, and the wavefronts of its store and load.

    The plain one unless another has fewer bank conflicts; of those that are best the one with the fewest accesses, and
    then with the least padding.
    """
    layouts = (source, target)
    chosen: SharedEncodingAttr = SwizzledSharedEncodingAttr.row_major(len(shape))
    least = _cost(layouts, chosen, shape, nbytes, vectors)
    interval = shape[-1] if len(shape) > 1 else max(1, BANKS * WORD_BYTES // nbytes)
    if interval == 1 or prod(shape) <= interval or least[0] <= _cost_without_conflicts(layouts, shape, nbytes, vectors):
        return chosen, least[0]
    padding = max(1, WORD_BYTES // nbytes)
    while padding * nbytes <= MAX_VECTOR_BYTES:
        candidate = padded_rows(shape, interval, padding)
        found = _cost(layouts, candidate, shape, nbytes, vectors)
        if found < least:
            chosen, least = candidate, found
        padding *= 2
    return chosen, least[0]


def plain_wavefronts(
    source: LinearLayout, target: LinearLayout, shape: tuple[int, ...], nbytes: int, vectors: bool = True
) -> int:
    """The wavefronts of a store and a load through a buffer without padding."""
    plain = SwizzledSharedEncodingAttr.row_major(len(shape))
    return _cost((source, target), plain, shape, nbytes, vectors)[0]


def _cost(
    layouts: tuple[LinearLayout, LinearLayout],
    encoding: SharedEncodingAttr,
    shape: tuple[int, ...],
    nbytes: int,
    vectors: bool,
) -> tuple[int, int]:
    """The wavefronts and the accesses of a store in the first layout and a load in the second."""
    total = accesses = 0
    for layout, is_store in zip(layouts, (True, False), strict=True):
        width = shared_vector_width(layout, shape, shape, encoding, nbytes) if vectors else 1
        total += wavefronts(layout, encoding, shape, nbytes, width, is_store)
        accesses += layout.register_count // width
    return total, accesses


def _cost_without_conflicts(
    layouts: tuple[LinearLayout, LinearLayout], shape: tuple[int, ...], nbytes: int, vectors: bool
) -> int:
    """The wavefronts of a store and a load without padding, if there were no bank conflicts."""
    plain, total = SwizzledSharedEncodingAttr.row_major(len(shape)), 0
    for layout, is_store in zip(layouts, (True, False), strict=True):
        width = shared_vector_width(layout, shape, shape, plain, nbytes) if vectors else 1
        total += layout.register_count // width * least_wavefronts(layout, nbytes, width, is_store)
    return total


def cheapest_exchange(
    source: LinearLayout,
    target: LinearLayout,
    shape: tuple[int, ...],
    nbytes: int,
    vectors: bool = True,
) -> LaneExchange | None:
    """The exchange by shuffles of elements of `nbytes` bytes; None where they cross warps, or a buffer is cheaper."""
    exchange = lane_exchange(source, target)
    if exchange is None:
        return None
    cost = exchange.cost * max(1, nbytes // WORD_BYTES)
    waiting = ROUND_TRIP if max(source.num_warps, target.num_warps) > 1 else ROUND_TRIP_OF_A_WARP
    if cost <= waiting:
        return exchange
    _, accesses = scratch_encoding(source, target, shape, nbytes, vectors)
    return exchange if cost <= accesses + waiting else None


def encoding_of_scratch(op: ConvertLayoutOp) -> PaddedSharedEncodingAttr | None:
    """The encoding of the buffer of a conversion, where padding saves bank conflicts."""
    encoding, _ = scratch_encoding(*_of_conversion(op))
    return encoding if isinstance(encoding, PaddedSharedEncodingAttr) else None


def what_it_costs(op: ConvertLayoutOp, is_padded: bool) -> str:
    """How often a warp goes to shared memory for a conversion, for a remark."""
    conversion = _of_conversion(op)
    plain, (encoding, found) = plain_wavefronts(*conversion), scratch_encoding(*conversion)
    text = f"goes through shared memory in {found if is_padded else plain} wavefronts for each warp"
    if not is_padded or not isinstance(encoding, PaddedSharedEncodingAttr):
        return text
    (interval,), (padding,) = encoding.intervals.data, encoding.paddings.data
    return f"{text}, with {padding} unused elements after every {interval}; without them it would be {plain}"


def _of_conversion(op: ConvertLayoutOp) -> tuple[LinearLayout, LinearLayout, tuple[int, ...], int, bool]:
    source, result = op.src.type, op.result.type
    assert is_tensor_type(source) and is_tensor_type(result)
    element = source.element_type
    return layout_of(source), layout_of(result), source.get_shape(), element_bytes(element), has_vectors(element)
