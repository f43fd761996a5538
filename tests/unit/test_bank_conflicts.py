"""Bank conflicts: numbers known by hand, and every access of random layouts counted word by word."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from mytriton.dialects.layouts import (
    BlockedEncodingAttr,
    PaddedSharedEncodingAttr,
    SharedEncodingAttr,
    SwizzledSharedEncodingAttr,
)
from mytriton.dialects.linear_layout import LANE, WARP, LinearLayout
from mytriton.passes.bank_conflicts import access_wavefronts, lanes_of_wavefront
from mytriton.passes.scratch import array_shape, padded_rows, scratch_encoding, shared_vector_width, wavefronts
from tests.unit.random_layouts import random_layout, same_warps

PLAIN = SwizzledSharedEncodingAttr.row_major(2)


def blocked(size: list[int], lanes: list[int], order: list[int], shape: tuple[int, ...]) -> LinearLayout:
    return BlockedEncodingAttr(size, lanes, [1] * len(size), order).to_linear(shape)


def test_numbers_known_by_hand():
    shape = (32, 32)
    row, column = blocked([1, 1], [1, 32], [1, 0], shape), blocked([1, 1], [32, 1], [0, 1], shape)
    assert access_wavefronts(row, PLAIN, shape, 4) == 1
    assert access_wavefronts(column, PLAIN, shape, 4) == 32
    assert access_wavefronts(column, padded_rows(shape, 32, 1), shape, 4) == 1
    assert access_wavefronts(column, padded_rows(shape, 32, 2), shape, 4) == 2
    # Two halves are in each word: 32 of them in 16 words of one row, and 32 rows of 16 words begin in two banks.
    assert access_wavefronts(row, PLAIN, shape, 2) == 1
    assert access_wavefronts(column, PLAIN, shape, 2) == 16
    # 8 bytes: half a warp at a time; 16 bytes: a quarter.
    assert access_wavefronts(row, PLAIN, shape, 8) == 2
    assert access_wavefronts(blocked([1, 4], [4, 8], [1, 0], shape), PLAIN, shape, 4, width=4) == 4
    assert access_wavefronts(blocked([1, 4], [8, 4], [1, 0], shape), PLAIN, shape, 4, width=4) == 8


def test_lanes_that_read_one_word_share_it_and_one_of_them_stores_it():
    shape = (4, 32)
    copies = blocked([1, 1], [32, 1], [0, 1], shape)  # 4 rows, and 8 lanes hold each
    assert access_wavefronts(copies, PLAIN, shape, 4) == 4
    assert access_wavefronts(copies, PLAIN, shape, 4, is_store=True) == 4
    assert access_wavefronts(blocked([1, 1], [32, 1], [0, 1], (1, 32)), PLAIN, (1, 32), 8) == 2
    assert access_wavefronts(blocked([1, 1], [32, 1], [0, 1], (1, 32)), PLAIN, (1, 32), 8, is_store=True) == 1


def test_lanes_beyond_the_tensor_do_not_count():
    """Of 32 lanes in a column of 32 words, 20 are in the tensor."""
    shape = (20, 32)
    assert access_wavefronts(blocked([1, 1], [32, 1], [0, 1], shape), PLAIN, shape, 4) == 20


def counted(
    layout: LinearLayout,
    encoding: SharedEncodingAttr,
    shape: tuple[int, ...],
    nbytes: int,
    access: tuple[int, int, int, bool],
) -> int:
    """The wavefronts of one access, word by word: which bank must be visited how often by each group of lanes."""
    width, register, warp, is_store = access
    total = 0
    for group in range(0, 32, lanes_of_wavefront(nbytes * width)):
        words: set[int] = set()
        for lane in range(group, group + lanes_of_wavefront(nbytes * width)):
            copies = lane & layout.free_mask(LANE) or warp & layout.free_mask(WARP)
            for number in range(width):
                element = layout.apply(register + number, lane, warp)
                is_inside = all(place < size for place, size in zip(element, shape, strict=True))
                if is_inside and not (is_store and copies):
                    first = encoding.element_offset(shape, element) * nbytes
                    words |= {byte // 4 for byte in range(first, first + nbytes)}
        total += max(Counter(word % 32 for word in words).values(), default=0)
    return total


@pytest.mark.parametrize("nbytes", [1, 2, 4, 8])
@pytest.mark.parametrize("is_store", [False, True])
def test_every_access_of_random_layouts(nbytes: int, is_store: bool):
    random = Random(nbytes * 2 + is_store)
    seen: Counter[int] = Counter()
    for _ in range(12):
        shape = random.choice([(64,), (16, 16), (8, 64), (4, 8, 16), (12, 20), (6, 5, 9)])
        layout = random_layout(random, shape, random.randint(0, 2), spare_registers=1)
        rows = range(len(shape) - 1, -1, -1)
        vec = random.choice([1, 2, 4, 8])
        encodings: list[SharedEncodingAttr] = [SwizzledSharedEncodingAttr.row_major(len(shape))]
        if set(shape) <= {4, 8, 16, 64} and vec * 4 <= shape[-1]:
            encodings.append(SwizzledSharedEncodingAttr(vec, random.choice([1, 2]), random.choice([2, 4]), rows))
        encodings.append(PaddedSharedEncodingAttr([shape[-1]], [random.choice([1, 2, 4])], rows, shape))
        for encoding in encodings:
            width = 1
            if encoding != encodings[1]:
                width = shared_vector_width(layout, shape, shape, encoding, nbytes)
            for warp in range(layout.num_warps):
                for register in range(0, layout.register_count, width)[:: max(1, layout.register_count // width // 2)]:
                    found = access_wavefronts(layout, encoding, shape, nbytes, width, is_store, register, warp)
                    expected = counted(layout, encoding, shape, nbytes, (width, register, warp, is_store))
                    idle = is_store and warp & layout.free_mask(WARP)
                    assert found == expected or (idle and isinstance(encoding, SwizzledSharedEncodingAttr))
                    seen[expected] += 1
    assert len(seen) > 3


def test_scratch_is_padded_where_that_has_fewer_conflicts():
    """A transposed tile, which a lane reads along a row: no conflicts with one unused element in each row, or with four
    where it reads four at a time."""
    shape = (32, 32)
    row, column = blocked([1, 1], [1, 32], [1, 0], shape), blocked([1, 1], [32, 1], [0, 1], shape)
    assert scratch_encoding(row, column, shape, 4, vectors=False) == (padded_rows(shape, 32, 1), 32 + 32)
    assert scratch_encoding(row, column, shape, 4) == (padded_rows(shape, 32, 4), 32 + 32)
    assert scratch_encoding(row, row, shape, 4) == (PLAIN, 32 + 32)
    assert array_shape(padded_rows(shape, 32, 1), shape) == (32, 33)
    assert array_shape(padded_rows((100,), 32, 2), (100,)) == (4, 34)


def test_rows_and_starts_must_keep_wide_accesses_aligned():
    shape = (8, 32)
    layout = blocked([1, 4], [4, 8], [1, 0], shape)
    plain = SwizzledSharedEncodingAttr.row_major(2)
    assert shared_vector_width(layout, shape, shape, plain, 4) == 4
    assert shared_vector_width(layout, shape, shape, plain, 8) == 2
    assert shared_vector_width(layout, shape, shape, plain, 4, start=2) == 2
    assert [shared_vector_width(layout, shape, shape, padded_rows(shape, 32, p), 4) for p in (1, 2, 4)] == [1, 2, 4]
    assert shared_vector_width(layout, shape, (8, 34), plain, 4) == 2
    vector = BlockedEncodingAttr([4], [32], [1], [0]).to_linear((128,))
    assert shared_vector_width(vector, (128,), (128,), padded_rows((128,), 32, 2), 4) == 2


def test_scratch_is_never_worse_than_plain():
    random = Random(5)
    padded = 0
    for _ in range(40):
        shape = random.choice([(256,), (100,), (16, 16), (32, 32), (12, 20), (4, 8, 16)])
        source = random_layout(random, shape, 1)
        target = same_warps(random, source) if random.random() < 0.5 else random_layout(random, shape, 1)
        for nbytes in (1, 4, 8):
            encoding, total = scratch_encoding(source, target, shape, nbytes)
            plain = SwizzledSharedEncodingAttr.row_major(len(shape))
            costs: list[int] = []
            for candidate in (encoding, plain):
                widths = [shared_vector_width(one, shape, shape, candidate, nbytes) for one in (source, target)]
                stores = wavefronts(source, candidate, shape, nbytes, widths[0], is_store=True)
                costs.append(stores + wavefronts(target, candidate, shape, nbytes, widths[1]))
            assert costs[0] == total <= costs[1]
            padded += encoding != plain
    assert padded > 5
