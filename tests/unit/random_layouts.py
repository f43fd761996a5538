"""Random layouts of a shape: any bits in registers, lanes and warps, mixed, with copies of elements."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import numpy.typing as npt

from mytriton.dialects.linear_layout import LANE, LANE_BITS, REGISTER, WARP, LinearLayout, padded_shape

Indices = npt.NDArray[np.int64]


def random_layout(random: Random, shape: Sequence[int], warp_bits: int, spare_registers: int = 0) -> LinearLayout:
    """An onto layout of `shape` padded to powers of two, with up to `spare_registers` more registers than needed."""
    sizes = padded_shape(shape)
    target = LinearLayout({}, sizes)
    threads = LANE_BITS + warp_bits
    vectors = [1 << bit for bit in range(target.output_bits)]
    registers = max(0, len(vectors) - random.randint(0, threads)) + random.randint(0, spare_registers)
    vectors += [0] * max(0, registers + threads - len(vectors))
    return _named(target, mixed(random, vectors), warp_bits)


def same_warps(random: Random, layout: LinearLayout) -> LinearLayout:
    """Another layout in which every warp holds what it holds in `layout`, in other registers and lanes."""
    bases = layout.flat_bases
    inside = mixed(random, [*bases[REGISTER], *bases[LANE]])
    warps = [vector ^ random.choice([0, *inside]) for vector in bases[WARP]]
    for _ in range(random.randint(0, 2)):
        inside.insert(random.randint(0, len(inside)), 0)
    return _named(layout, inside + warps, len(warps))


def mixed(random: Random, vectors: Sequence[int]) -> list[int]:
    """Vectors of the same span: in another order, and some of them added to others."""
    result = random.sample(vectors, len(vectors))
    if len(result) > 1:
        for _ in range(random.choice([0, 0, 2, 10])):
            source, target = random.sample(range(len(result)), 2)
            result[target] ^= result[source]
    return result


def _named(like: LinearLayout, vectors: Sequence[int], warp_bits: int) -> LinearLayout:
    coordinates = [like.unflatten(vector) for vector in vectors]
    first_warp = len(vectors) - warp_bits
    first_lane = first_warp - LANE_BITS
    bases = {
        REGISTER: coordinates[:first_lane],
        LANE: coordinates[first_lane:first_warp],
        WARP: coordinates[first_warp:],
    }
    return LinearLayout(bases, like.shape)


def applied(masks: Sequence[int], numbers: Indices) -> Indices:
    """For each number the exclusive or of the masks of its bits."""
    result = np.zeros_like(numbers)
    for bit, mask in enumerate(masks):
        result ^= (numbers >> bit & 1) * mask
    return result


def held_elements(layout: LinearLayout) -> Indices:
    """The row-major index, in the padded shape, of the element in each register of each thread: [thread, register]."""
    bases = layout.flat_bases
    threads, registers = np.arange(layout.num_lanes * layout.num_warps), np.arange(layout.register_count)
    by_thread = applied(bases[LANE], threads & 31) ^ applied(bases.get(WARP, ()), threads >> LANE_BITS)
    return by_thread[:, None] ^ applied(bases.get(REGISTER, ()), registers)
