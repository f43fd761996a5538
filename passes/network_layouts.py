"""In which layout the steps of a sorting network are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.ir import SSAValue

from mytriton.dialects import tt
from mytriton.dialects.layouts import DistributedEncodingAttr, LinearEncodingAttr
from mytriton.dialects.linear_layout import (
    LANE,
    LANE_BITS,
    REGISTER,
    WARP,
    Basis,
    LinearLayout,
    is_power_of_two,
    unit_basis,
)
from mytriton.dialects.tensor_types import bit_width, element_type
from mytriton.passes.encodings import shape_of_tensor
from mytriton.passes.scratch import ROUND_TRIP
from mytriton.passes.to_cuda.sort import place_of


def network_encoding(first: tt.CompareExchangeOp, encoding: DistributedEncodingAttr) -> DistributedEncodingAttr:
    """The layout for the first step of a network and all that follow it: that of its operand, or the one in which the
    axes that are compared most often are in the registers of a thread, if that saves more than the conversions cost.
    """
    shape = shape_of_tensor(first.src)
    if not all(map(is_power_of_two, shape)):
        return encoding
    steps = steps_from(first)
    axes = [step.axis.value.data for step in steps]
    layout = encoding.to_linear(shape)
    ordered = ordered_by_use(layout, axes)
    words = -(-bit_width(element_type(first.src.type)) // 32)
    # Memory is accessed in the layout of the network if its runs of neighbours are along the last axis.
    is_in_runs = ordered.bases[REGISTER][:1] == (unit_basis(len(shape), len(shape) - 1, 1),)
    conversions = 2 - (is_loaded(first.src) + is_stored(steps[-1].result)) * is_in_runs
    cost = network_cost(ordered, axes, words) + conversions * conversion_cost(ordered, words)
    return LinearEncodingAttr.of(ordered) if cost < network_cost(layout, axes, words) else encoding


def steps_from(first: tt.CompareExchangeOp) -> list[tt.CompareExchangeOp]:
    """A step, and those that follow it."""
    found = [first]
    while True:
        users = [use.operation for use in found[-1].result.uses]
        step = next((user for user in users if isinstance(user, tt.CompareExchangeOp)), None)
        if step is None:
            return found
        found.append(step)


def is_loaded(value: SSAValue) -> bool:
    """Whether a value comes from memory, and is all that is made of it."""
    while value.has_one_use() and isinstance(value.owner, tt.ReshapeOp):
        value = value.owner.src
    return value.has_one_use() and isinstance(value.owner, tt.LoadOp)


def is_stored(value: SSAValue) -> bool:
    """Whether all that happens to a value is that it goes to memory."""
    while value.has_one_use():
        user = next(iter(value.uses)).operation
        if not isinstance(user, tt.ReshapeOp):
            return isinstance(user, tt.StoreOp)
        value = user.result
    return False


def ordered_by_use(layout: LinearLayout, axes: Sequence[int]) -> LinearLayout:
    """The layout of as many threads that has the axes that are compared most often in registers, then in lanes."""
    count = Counter(axes)
    order = sorted(range(layout.rank), key=lambda axis: (-count[axis], -axis))
    moves = [(axis, 1 << bit) for axis in order for bit in range(layout.shape[axis].bit_length() - 1)]
    bits = [unit_basis(layout.rank, axis, distance) for axis, distance in moves]
    lanes, warps = LANE_BITS, layout.input_bits(WARP)
    own = max(0, len(bits) - lanes - warps)
    spread = [*bits[own:], *[(0,) * layout.rank] * (lanes + warps)]
    bases = {REGISTER: bits[:own], LANE: spread[:lanes], WARP: spread[lanes : lanes + warps]}
    return LinearLayout(bases, layout.shape)


def network_cost(layout: LinearLayout, axes: Sequence[int], words: int) -> int:
    """What the exchanges cost, in shuffles of a warp: those between lanes, and the changes of the layout."""
    registers, cost, current = layout.register_count, 0, layout
    for at, axis in enumerate(axes):
        place = place_of(current, axis, 1)
        if place is None or place[0] == WARP:
            home = place_of(layout, axis, 1)
            current = with_warps_moved(layout, axes[at:]) if home is None or home[0] == WARP else layout
            cost += conversion_cost(layout, words)
            place = place_of(current, axis, 1)
        if place is not None and place[0] == LANE:
            cost += registers * words
    return cost + (conversion_cost(layout, words) if current is not layout else 0)


def conversion_cost(layout: LinearLayout, words: int) -> int:
    """A store to shared memory and a load by each register."""
    return 2 * layout.register_count * words + ROUND_TRIP


def knows_places(op: tt.CompareExchangeOp, layout: LinearLayout) -> bool:
    """Whether one bit of the thread's or register's number is the index along each axis that the step looks at."""
    axes = [axis.value.data for axis in (op.axis, op.falls) if axis is not None]
    return all(place_of(layout, axis, 1) is not None for axis in axes)


def compares_within_warp(op: tt.CompareExchangeOp, layout: LinearLayout) -> bool:
    if not knows_places(op, layout):
        return False
    place = place_of(layout, op.axis.value.data, 1)
    return place is not None and place[0] != WARP


def with_warps_moved(layout: LinearLayout, axes: Sequence[int]) -> LinearLayout:
    """The layout in which no warp is spread over the first of the axes that are compared, in this order.

    The bits of the warp's number that move along any of them change places with bits of the register's or the lane's:
    with those that move along no such axis, or along one that is not compared for longest.
    """
    bases = {name: list(vectors) for name, vectors in layout.bases.items()}

    def first_use(basis: Basis) -> int:
        return next((place for place, axis in enumerate(axes) if basis[axis]), len(axes))

    others = [(name, bit) for name in (REGISTER, LANE) for bit in reversed(range(len(bases.get(name, ()))))]
    others.sort(key=lambda place: -first_use(bases[place[0]][place[1]]))
    warps = sorted(range(len(bases[WARP])), key=lambda bit: first_use(bases[WARP][bit]))
    for warp_bit, (name, bit) in zip(warps, others, strict=False):
        if first_use(bases[WARP][warp_bit]) >= first_use(bases[name][bit]):
            break
        bases[WARP][warp_bit], bases[name][bit] = bases[name][bit], bases[WARP][warp_bit]
    return LinearLayout(bases, layout.shape)
