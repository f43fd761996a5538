"""Linear layouts against their definition, by enumeration, for generated layouts of any size."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mytriton.dialects.linear_layout import (
    LANE,
    REGISTER,
    WARP,
    LinearLayout,
    Segment,
    is_power_of_two,
    next_power_of_two,
    padded_shape,
    segments,
    unit_basis,
)

fast = settings(max_examples=25, deadline=None)


@st.composite
def powers_of_two(draw: st.DrawFn, bits: int, rank: int) -> list[int]:
    """`rank` powers of two whose product is 2**bits."""
    sizes = [1] * rank
    for _ in range(bits):
        sizes[draw(st.integers(0, rank - 1))] *= 2
    return sizes


@st.composite
def onto_layouts(draw: st.DrawFn, shape: tuple[int, ...] | None = None) -> LinearLayout:
    """A tiled layout fitted to a shape, random unless given, then its coordinates mixed by an invertible map."""
    if shape is None:
        shape = tuple(draw(st.lists(st.integers(1, 20), min_size=1, max_size=3)))
    rank = len(shape)
    order = draw(st.permutations(range(rank)))
    tile = (
        LinearLayout.identity(REGISTER, draw(powers_of_two(draw(st.integers(0, 3)), rank)), order)
        * LinearLayout.identity(LANE, draw(powers_of_two(5, rank)), order)
        * LinearLayout.identity(WARP, draw(powers_of_two(draw(st.integers(0, 3)), rank)), order)
    )
    layout = tile.resize(shape, order)
    bits = layout.output_bits
    mixed = layout
    for _ in range(draw(st.integers(0, 3)) if bits > 1 else 0):
        source, target = draw(st.permutations(range(bits)))[:2]
        mixed = LinearLayout(
            {
                name: [mixed.unflatten(vector ^ ((vector >> source & 1) << target)) for vector in vectors]
                for name, vectors in mixed.flat_bases.items()
            },
            mixed.shape,
        )
    return mixed


def indices(layout: LinearLayout) -> Iterator[tuple[int, int, int]]:
    return product(range(layout.register_count), range(layout.num_lanes), range(layout.num_warps))


@given(onto_layouts())
@fast
def test_every_generated_layout_is_onto(layout: LinearLayout):
    held = {layout.apply(*index) for index in indices(layout)}
    assert layout.is_onto
    assert held == set(product(*map(range, layout.shape)))


@given(onto_layouts())
@fast
def test_apply_is_linear(layout: LinearLayout):
    for register, lane, warp in indices(layout):
        parts = layout.apply(register), layout.apply(lane=lane), layout.apply(warp=warp)
        assert layout.apply(register, lane, warp) == tuple(a ^ b ^ c for a, b, c in zip(*parts, strict=True))


@given(onto_layouts())
@fast
def test_indices_without_free_bits_hold_each_element_once(layout: LinearLayout):
    owners = Counter(
        layout.apply(register, lane, warp)
        for register, lane, warp in indices(layout)
        if not (register & layout.free_mask(REGISTER) or lane & layout.free_mask(LANE) or warp & layout.free_mask(WARP))
    )
    assert set(owners.values()) == {1}
    assert len(owners) == math.prod(layout.shape)
    assert layout.is_one_to_one == (math.prod(layout.shape) == 2 ** sum(map(layout.input_bits, layout.bases)))


def test_thread_free_mask_counts_warp_bits_from_five():
    layout = LinearLayout({REGISTER: [(1,)], LANE: [(2,), (4,), (0,), (0,), (2,)], WARP: [(0,), (8,)]}, (16,))
    assert layout.free_mask(REGISTER) == 0
    assert layout.thread_free_mask == 0b0111100
    assert layout.zero_mask(LANE) == 0b01100


@given(onto_layouts())
@fast
def test_pseudo_inverse_finds_each_element(layout: LinearLayout):
    inverse = layout.pseudo_inverse()
    assert inverse.outputs == tuple(layout.bases)
    for coordinates in product(*map(range, layout.shape)):
        index = inverse.apply_inputs(dict(zip(layout.outputs, coordinates, strict=True)))
        assert layout.apply(*index) == coordinates
        assert all(value & layout.free_mask(name) == 0 for name, value in zip(inverse.outputs, index, strict=True))


def test_a_layout_that_misses_elements_has_no_inverse():
    layout = LinearLayout({REGISTER: [(1,)]}, (4,))
    assert not layout.is_onto
    with pytest.raises(ValueError, match="every element"):
        layout.pseudo_inverse()


@given(st.data())
@fast
def test_conversion_finds_the_element_and_its_level_is_the_least(data: st.DataObject):
    source = data.draw(onto_layouts())
    target = data.draw(onto_layouts(source.shape))
    conversion = source.conversion_to(target)
    for register, lane, warp in indices(target):
        found = conversion.apply(register, lane, warp)
        assert source.apply(*found) == target.apply(register, lane, warp)

    threads = list(product(range(max(source.num_lanes, target.num_lanes)), range(target.num_warps)))
    same_warps = source.num_warps == target.num_warps
    if not same_warps:
        return

    def held(layout: LinearLayout, lanes: range, warp: int) -> set[tuple[int, ...]]:
        return {layout.apply(register, lane, warp) for register in range(layout.register_count) for lane in lanes}

    in_registers = all(
        any(
            all(source.apply(own, lane, warp) == target.apply(register, lane, warp) for lane, warp in threads)
            for own in range(source.register_count)
        )
        for register in range(target.register_count)
    )
    in_warp = all(held(target, range(32), warp) <= held(source, range(32), warp) for warp in range(target.num_warps))
    level = source.conversion_level(target)
    if source.equivalent(target):
        assert level is None
    elif in_registers:
        assert level == REGISTER
    elif in_warp:
        assert level == LANE
    else:
        assert level == WARP


@given(onto_layouts())
@fast
def test_slice_drops_one_coordinate(layout: LinearLayout):
    if layout.rank == 1:
        return
    for dim in range(layout.rank):
        sliced = layout.slice(dim)
        assert sliced.is_onto
        assert all(any(basis) for basis in sliced.bases[REGISTER])
        for lane, warp in product(range(32), range(layout.num_warps)):
            whole = [layout.apply(register, lane, warp) for register in range(layout.register_count)]
            wanted = {coordinates[:dim] + coordinates[dim + 1 :] for coordinates in whole}
            assert {sliced.apply(register, lane, warp) for register in range(sliced.register_count)} == wanted


@given(onto_layouts(), st.data())
@fast
def test_permute_reorders_coordinates(layout: LinearLayout, data: st.DataObject):
    order = data.draw(st.permutations(range(layout.rank)))
    permuted = layout.permute(order)
    for index in indices(layout):
        coordinates = layout.apply(*index)
        assert permuted.apply(*index) == tuple(coordinates[dim] for dim in order)


@given(onto_layouts(), st.data())
@fast
def test_reshape_keeps_the_row_major_index(layout: LinearLayout, data: st.DataObject):
    shape = data.draw(powers_of_two(layout.output_bits, data.draw(st.integers(1, 4))))
    reshaped = layout.reshape(shape)
    for index in indices(layout):
        assert reshaped.flatten(reshaped.apply(*index)) == layout.flatten(layout.apply(*index))


def test_reshape_to_another_size_is_refused():
    with pytest.raises(ValueError, match="cannot reshape"):
        LinearLayout.identity(REGISTER, (4, 4)).reshape((4, 8))


@given(onto_layouts())
@fast
def test_index_parts_sum_up_to_the_coordinates(layout: LinearLayout):
    for dim in range(layout.rank):
        registers, threads = layout.register_part(dim), layout.thread_part(dim)
        for register, lane, warp in indices(layout):
            thread = lane | warp << 5
            expected = layout.apply(register, lane, warp)[dim]
            value = 0
            for part, index in ((registers, register), (threads, thread)):
                for bit, contribution in part:
                    value ^= contribution * (index >> bit & 1)
            assert value == expected
            value, total = 0, 0
            for part, index in ((segments(registers), register), (segments(threads), thread)):
                for shift, width, scale in part:
                    contribution = (index >> shift & (1 << width) - 1) * scale
                    value ^= contribution
                    total += contribution
            assert value == expected
            if layout.is_separable(dim):
                assert total == expected


def test_segments_merge_doubling_values_of_neighbouring_bits():
    assert segments([(0, 4), (1, 8), (3, 16), (4, 1), (5, 2), (6, 3)]) == [
        Segment(0, 2, 4),
        Segment(3, 1, 16),
        Segment(4, 2, 1),
        Segment(6, 1, 3),
    ]


@given(onto_layouts())
@fast
def test_contiguous_registers_are_neighbours(layout: LinearLayout):
    for dim in range(layout.rank):
        count = layout.contiguous_registers(dim)
        for register, lane, warp in indices(layout):
            if register % count:
                continue
            first = layout.apply(register, lane, warp)
            assert first[dim] % count == 0
            for step in range(1, count):
                expected = tuple(value + step * (d == dim) for d, value in enumerate(first))
                assert layout.apply(register + step, lane, warp) == expected


def test_contiguous_registers_by_hand():
    layout = LinearLayout({REGISTER: [(0, 1), (0, 2), (1, 0)], LANE: [(0, 4)]}, (2, 8))
    assert layout.contiguous_registers(1) == 4
    assert layout.contiguous_registers(0) == 1
    shared_bit = LinearLayout({REGISTER: [(0, 1), (0, 2)], LANE: [(1, 2), (0, 4)]}, (2, 8))
    assert shared_bit.contiguous_registers(1) == 2


@given(onto_layouts())
@fast
def test_divide_left_undoes_a_product(outer: LinearLayout):
    inner = LinearLayout.identity(REGISTER, [2] * outer.rank)
    whole = inner * outer
    assert whole.divide_left(inner) == outer
    assert whole.divide_left(LinearLayout.identity(LANE, [64] * outer.rank)) is None


@given(onto_layouts())
@fast
def test_equivalence_ignores_zero_registers(layout: LinearLayout):
    zero = (0,) * layout.rank
    padded = LinearLayout({**layout.bases, REGISTER: (zero, *layout.bases[REGISTER], zero)}, layout.shape)
    assert padded != layout
    assert padded.equivalent(layout)
    assert padded.canonical == layout.canonical
    assert hash(padded.canonical) == hash(layout.canonical)


def test_registers_in_another_order_are_not_equivalent():
    layout = LinearLayout({REGISTER: [(1,), (2,)]}, (4,))
    swapped = LinearLayout({REGISTER: [(2,), (1,)]}, (4,))
    assert not layout.equivalent(swapped)
    assert layout.conversion_level(swapped) == REGISTER


def test_a_register_that_depends_on_the_lane_is_an_exchange_of_lanes():
    every_lane_has_all = LinearLayout({REGISTER: [(1,), (2,)], LANE: [(0,), (0,)]}, (4,))
    one_each = LinearLayout({REGISTER: [], LANE: [(1,), (2,)]}, (4,))
    assert every_lane_has_all.conversion_level(one_each) == LANE


@pytest.mark.parametrize(
    "bases, shape, message",
    [
        ({REGISTER: [(1,)]}, (3,), "powers of two"),
        ({REGISTER: [(4,)]}, (4,), "outside"),
        ({REGISTER: [(1, 0)]}, (4,), "coordinates"),
    ],
)
def test_bad_layouts_are_refused(bases: dict[str, list[tuple[int, ...]]], shape: tuple[int, ...], message: str):
    with pytest.raises(ValueError, match=message):
        LinearLayout(bases, shape)


def test_powers_of_two():
    assert [next_power_of_two(size) for size in (1, 2, 3, 12, 16, 17)] == [1, 2, 4, 16, 16, 32]
    assert padded_shape((12, 20, 1)) == (16, 32, 1)
    assert [size for size in range(-2, 9) if is_power_of_two(size)] == [1, 2, 4, 8]
    assert unit_basis(3, 1, 4) == (0, 4, 0)
