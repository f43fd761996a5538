"""Plans of exchanges within warps, carried out in NumPy for thousands of pairs of layouts."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mytriton.dialects.linear_layout import LANE, REGISTER, WARP, LinearLayout
from mytriton.passes.lane_exchange import LaneExchange, Stage, lane_exchange
from tests.unit.random_layouts import Indices, applied, held_elements, random_layout, same_warps

SHAPES = [(1,), (2,), (32,), (48,), (256,), (1000,), (8, 8), (5, 24), (64, 16), (2, 3, 5), (4, 8, 16), (16, 1, 32)]


def after_stage(stage: Stage, old: Indices) -> Indices:
    assert old.shape[1] == 1 << stage.old_bits
    index = applied(stage.masks, np.arange(1 << len(stage.masks)))
    odd = [(thread & stage.threads).bit_count() % 2 for thread in range(len(old))]
    return np.take_along_axis(old, index[None, :] ^ np.array(odd)[:, None] * stage.offset, 1)


def carried_out(exchange: LaneExchange, held: Indices) -> Indices:
    """What each register of each thread holds in the end."""
    for stage in exchange.before:
        held = after_stage(stage, held)
    assert held.shape[1] == 1 << exchange.sent_bits
    steps, threads = np.arange(1 << len(exchange.sent)), np.arange(len(held))
    lanes = applied(exchange.thread_lanes, threads)[:, None] ^ applied(exchange.step_lanes, steps)
    assert lanes.max() < 32
    sources = (threads & ~31)[:, None] + lanes
    if not exchange.shuffles:
        assert (sources == threads[:, None]).all()
    held = held[:, applied(exchange.sent, steps)][sources, steps]
    for stage in exchange.after:
        held = after_stage(stage, held)
    return held


def check(source: LinearLayout, target: LinearLayout) -> LaneExchange | None:
    exchange = lane_exchange(source, target)
    assert (exchange is None) == (source.conversion_level(target) == WARP)
    if exchange is not None:
        assert (carried_out(exchange, held_elements(source)) == held_elements(target)).all()
    return exchange


@given(st.integers(0, 2**32), st.sampled_from(SHAPES), st.integers(0, 3))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_every_element_arrives(seed: int, shape: tuple[int, ...], warp_bits: int):
    random = Random(seed)
    levels: Counter[str | None] = Counter()
    for _ in range(30):
        source = random_layout(random, shape, warp_bits, spare_registers=2)
        target = same_warps(random, source)
        assert source.is_onto and target.is_onto
        assert check(source, target) is not None
        check(source, random_layout(random, shape, warp_bits, spare_registers=2))
        levels[source.conversion_level(target)] += 1
    assert levels[WARP] == 0


@pytest.mark.parametrize("register_bits", range(6))
def test_one_shuffle_for_each_register_where_nothing_is_held_twice(register_bits: int):
    """No lane can do with fewer, unless it keeps elements."""
    random = Random(register_bits)
    bits = register_bits + 5
    for _ in range(100):
        vectors = [(1 << bit,) for bit in range(bits)]
        layouts: list[LinearLayout] = []
        for _ in range(2):
            random.shuffle(vectors)
            bases = {REGISTER: vectors[:register_bits], LANE: vectors[register_bits:], WARP: []}
            layouts.append(LinearLayout(bases, (1 << bits,)))
        exchange = check(*layouts)
        assert exchange is not None
        assert exchange.shuffles in (0, 1 << register_bits)
        assert len(exchange.before) <= 5 and len(exchange.after) <= 6


def unit(*bits: int | None) -> list[tuple[int]]:
    return [(0 if bit is None else 1 << bit,) for bit in bits]


def test_a_transposition_of_registers_and_lanes():
    """4 registers and 4 lanes change places, the same in every group of 4 lanes: rounds of four, as by hand."""
    source = LinearLayout({REGISTER: unit(0, 1), LANE: unit(2, 3, 4, 5, 6), WARP: []}, (128,))
    target = LinearLayout({REGISTER: unit(2, 3), LANE: unit(0, 1, 4, 5, 6), WARP: []}, (128,))
    exchange = check(source, target)
    assert exchange is not None
    assert exchange.keeps_own_lane
    assert (exchange.shuffles, len(exchange.before), len(exchange.after)) == (4, 2, 2)
    assert exchange.cost == 4 + 0.5 * 4 * 4


def test_lanes_that_hold_all_of_it_only_choose():
    """Every lane has all 32 elements and takes its own: a tree of 31 selections."""
    source = LinearLayout({REGISTER: unit(0, 1, 2, 3, 4), LANE: unit(None, None, None, None, None), WARP: []}, (32,))
    target = LinearLayout({REGISTER: [], LANE: unit(0, 1, 2, 3, 4), WARP: []}, (32,))
    exchange = check(source, target)
    assert exchange is not None
    assert (exchange.shuffles, exchange.selections) == (0, 31)
    back = check(target, source)
    assert back is not None
    assert (back.shuffles, back.selections) == (32, 0)


def test_one_lane_that_is_asked_for_several_registers_sends_them_one_by_one():
    """8 elements in the registers of 4 lanes, and no copies: each lane is asked for both of its registers."""
    source = LinearLayout({REGISTER: unit(0), LANE: unit(1, 2, 3, 4, 5), WARP: []}, (64,))
    target = LinearLayout({REGISTER: unit(3, 4, 5), LANE: unit(0, 1, 2, None, None), WARP: []}, (64,))
    exchange = check(source, target)
    assert exchange is not None
    assert exchange.shuffles == 8
    one_step = LinearLayout({REGISTER: [], LANE: unit(0, 1, 2, None, None), WARP: []}, (8,))
    packed = LinearLayout({REGISTER: unit(0, 1, 2), LANE: unit(None, None, None, None, None), WARP: []}, (8,))
    assert (choice := check(packed, one_step)) is not None and choice.shuffles == 0


def test_copies_in_other_lanes_serve_other_registers():
    """Both registers of a lane are asked for at once, and two lanes hold them: each sends one of the two."""
    source = LinearLayout({REGISTER: unit(0), LANE: unit(1, 2, 3, None, None), WARP: []}, (16,))
    target = LinearLayout({REGISTER: [], LANE: unit(0, 1, 2, 3, None), WARP: []}, (16,))
    exchange = check(source, target)
    assert exchange is not None
    assert exchange.shuffles == 1


def test_what_crosses_warps_has_no_plan():
    source = LinearLayout({REGISTER: [], LANE: unit(0, 1, 2, 3, 4), WARP: unit(5)}, (64,))
    target = LinearLayout({REGISTER: [], LANE: unit(0, 1, 2, 3, 5), WARP: unit(4)}, (64,))
    assert check(source, target) is None
