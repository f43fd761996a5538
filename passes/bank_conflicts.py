"""How often a warp must go to shared memory for one access: the bank conflicts of a layout, as a number.

Shared memory has 32 banks of 4 bytes. One wavefront moves one word of each bank; lanes that access the same word share
it. Accesses of 8 bytes are done for 16 lanes at a time, those of 16 bytes for 8 lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mytriton.dialects.f2 import Span
from mytriton.dialects.layouts import SharedEncodingAttr, SwizzledSharedEncodingAttr
from mytriton.dialects.linear_layout import LANE, LANE_BITS, REGISTER, WARP_SIZE, Basis, LinearLayout, is_power_of_two

BANKS = 32
WORD_BYTES = 4
WORD_BITS = 2


@lru_cache(maxsize=4096)
def access_wavefronts(
    layout: LinearLayout,
    encoding: SharedEncodingAttr,
    shape: tuple[int, ...],
    element_bytes: int,
    width: int = 1,
    is_store: bool = False,
    register: int = 0,
    warp: int = 0,
) -> int:
    """The wavefronts of the access in which the lanes of a warp move `width` elements each, from `register` on.

    The buffer is of `shape` and `encoding`; the access is to neighbours in it. Lanes that hold padding of the tensor
    do not take part, and in a store neither do lanes that hold copies. The number is that of the given register and
    warp; it is the same for all of them where offsets are linear over F2 (sizes that are powers of two, no padding).
    """
    if is_linear(encoding, shape):
        return _linear_wavefronts(layout, encoding, shape, element_bytes, width, is_store)
    lanes_at_once = lanes_of_wavefront(element_bytes * width)
    copies = layout.thread_free_mask if is_store else 0
    if copies >> LANE_BITS & warp:
        return 0
    total = 0
    places = _places_of_lanes(layout, register, warp)
    for first in range(0, WARP_SIZE, lanes_at_once):
        words: set[int] = set()
        for lane in range(first, first + lanes_at_once):
            coordinates = places[lane]
            if lane & copies or any(place >= size for place, size in zip(coordinates, shape, strict=True)):
                continue
            start = encoding.element_offset(shape, coordinates) * element_bytes
            words.update(range(start // WORD_BYTES, (start + element_bytes * width - 1) // WORD_BYTES + 1))
        banks = [0] * BANKS
        for word in words:
            banks[word % BANKS] += 1
        total += max(banks)
    return total


def _places_of_lanes(layout: LinearLayout, register: int, warp: int) -> list[Basis]:
    """The coordinates of the element that each lane holds in a register."""
    places = [layout.apply(register=register, warp=warp)]
    for basis in layout.bases.get(LANE, ()):
        places += [tuple(a ^ b for a, b in zip(place, basis, strict=True)) for place in places]
    return places


def lanes_of_wavefront(nbytes: int) -> int:
    """How many lanes access shared memory together when each moves so many bytes, at most 16."""
    return min(WARP_SIZE, BANKS * WORD_BYTES // max(nbytes, WORD_BYTES))


def least_wavefronts(layout: LinearLayout, element_bytes: int, width: int = 1, is_store: bool = False) -> int:
    """The wavefronts of an access without bank conflicts, if the lanes access different elements."""
    active = _active_lanes(layout, is_store)
    at_once = lanes_of_wavefront(element_bytes * width).bit_length() - 1
    return 1 << sum(bit >= at_once for bit in active)


def is_linear(encoding: SharedEncodingAttr, shape: Sequence[int]) -> bool:
    """Whether offsets are linear over F2 in the coordinates."""
    return isinstance(encoding, SwizzledSharedEncodingAttr) and all(map(is_power_of_two, shape))


def _active_lanes(layout: LinearLayout, is_store: bool) -> list[int]:
    copies = layout.free_mask(LANE) if is_store else 0
    return [bit for bit in range(LANE_BITS) if not copies >> bit & 1]


def _linear_wavefronts(
    layout: LinearLayout,
    encoding: SharedEncodingAttr,
    shape: tuple[int, ...],
    element_bytes: int,
    width: int,
    is_store: bool,
) -> int:
    """Lanes that go together access 2**a words in 2**b banks, evenly: a and b are ranks."""
    vectors = layout.bases.get(LANE, ())
    offsets = [encoding.element_offset(shape, basis) * element_bytes for basis in vectors]
    offsets += [0] * (LANE_BITS - len(offsets))
    nbytes = element_bytes * width
    at_once = lanes_of_wavefront(nbytes).bit_length() - 1
    active = _active_lanes(layout, is_store)
    together = [offsets[bit] >> WORD_BITS for bit in active if bit < at_once]
    together += [1 << bit for bit in range((nbytes // WORD_BYTES).bit_length() - 1)]
    words, banks = Span(together), Span(vector % BANKS for vector in together)
    return 1 << words.rank - banks.rank + sum(bit >= at_once for bit in active)


def wavefronts(
    layout: LinearLayout,
    encoding: SharedEncodingAttr,
    shape: tuple[int, ...],
    element_bytes: int,
    width: int,
    is_store: bool = False,
) -> int:
    """The wavefronts of a warp that moves all its registers, `width` at a time, each access as costly as the first."""
    accesses = max(1, layout.input_size(REGISTER) // width)
    return accesses * access_wavefronts(layout, encoding, shape, element_bytes, width, is_store)
