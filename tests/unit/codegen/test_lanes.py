"""Exchanges between the lanes of a warp, run on the CPU, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import Float16Type, IntegerType, f16, f64, i1, i8, i16, i32, i64

from mytriton.ttir import parse_module
from tests.unit.codegen.running import DTYPES, launch, needs_compiler

pytestmark = needs_compiler

THREADS = 64


@pytest.mark.parametrize("type", [i1, i8, i16, i32, i64, f16, f64])
@pytest.mark.parametrize("mask", [1, 16, 21])
def test_shuffles_of_every_type(type: IntegerType | Float16Type, mask: int):
    module = parse_module(f"""
cuda.func @kernel(%in: !tt.ptr<{type}>, %out: !tt.ptr<{type}>) attributes {{num_warps = 2 : i32}} {{
  %tid = cuda.thread_id : i32
  %mask = arith.constant {mask} : i32
  %x = cuda.load %in[%tid] : !tt.ptr<{type}>, i32 -> {type}
  %y = cuda.shuffle_xor %x, %mask : {type}
  cuda.store %y, %out[%tid] : {type}, !tt.ptr<{type}>, i32
  cuda.return
}}""")
    values = (np.arange(THREADS) * 7 - 100).astype(DTYPES[type])
    result = np.zeros_like(values)
    launch(module, 1, values, result)
    assert result.tolist() == values[np.arange(THREADS) ^ mask].tolist()


@pytest.mark.parametrize("type", [i1, i8, i16, i32, i64, f16, f64])
def test_shuffles_from_any_lane(type: IntegerType | Float16Type):
    """Lane i reads lane 31 - i / 2 of its warp."""
    module = parse_module(f"""
cuda.func @kernel(%in: !tt.ptr<{type}>, %out: !tt.ptr<{type}>) attributes {{num_warps = 2 : i32}} {{
  %tid = cuda.thread_id : i32
  %c2 = arith.constant 2 : i32
  %c16 = arith.constant 16 : i32
  %c31 = arith.constant 31 : i32
  %half = arith.divsi %tid, %c2 : i32
  %in_warp = arith.remsi %half, %c16 : i32
  %lane = arith.subi %c31, %in_warp : i32
  %x = cuda.load %in[%tid] : !tt.ptr<{type}>, i32 -> {type}
  %y = cuda.shuffle %x, %lane : {type}
  cuda.store %y, %out[%tid] : {type}, !tt.ptr<{type}>, i32
  cuda.return
}}""")
    values = (np.arange(THREADS) * 7 - 100).astype(DTYPES[type])
    result = np.zeros_like(values)
    launch(module, 1, values, result)
    threads = np.arange(THREADS)
    assert result.tolist() == values[threads // 32 * 32 + 31 - threads % 32 // 2].tolist()


BUTTERFLY = """
cuda.func @kernel(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %where: !tt.ptr<i32>) attributes {{num_warps = 2 : i32}} {{
  %tid = cuda.thread_id : i32
  %x = cuda.load %in[%tid] : !tt.ptr<f32>, i32 -> f32
  %value, %index = cuda.butterfly %x, %tid masks {masks} : f32, i32 -> f32, i32 {{
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
{combine}
  }}
  cuda.store %value, %out[%tid] : f32, !tt.ptr<f32>, i32
  cuda.store %index, %where[%tid] : i32, !tt.ptr<i32>, i32
  cuda.store %x, %in[%tid] : f32, !tt.ptr<f32>, i32
  cuda.return
}}"""


def butterfly(masks: list[int], combine: str) -> tuple[Any, Any, Any]:
    """Inputs, values and indices after a butterfly over lanes."""
    values = np.array([(i * 37) % 11 for i in range(THREADS)], np.float32)
    out, where = np.zeros(THREADS, np.float32), np.zeros(THREADS, np.int32)
    launch(parse_module(BUTTERFLY.format(masks=masks, combine=combine)), 1, values, out, where)
    return values, out, where


@pytest.mark.parametrize("masks", [[16, 8, 4, 2, 1], [1, 2, 4, 8, 16], [2, 1], [4], [1, 16, 4]])
def test_sums_and_maxima(masks: list[int]):
    combine = """
    %s = arith.addf %a, %b : f32
    %m = arith.maxsi %i, %j : i32
    cuda.yield %s, %m : f32, i32"""
    values, out, where = butterfly(masks, combine)
    for lane in range(THREADS):
        group = [other for other in range(THREADS) if (lane ^ other) | sum(masks) == sum(masks)]
        assert out[lane] == values[group].sum()
        assert where[lane] == max(group)


@pytest.mark.parametrize("masks", [[1, 2, 4, 8, 16], [1, 2, 4], [1, 8]])
def test_ties_go_to_the_lowest_lane(masks: list[int]):
    combine = """
    %first = arith.cmpf oge, %a, %b : f32
    %v = arith.select %first, %a, %b : f32
    %k = arith.select %first, %i, %j : i32
    cuda.yield %v, %k : f32, i32"""
    values, out, where = butterfly(masks, combine)
    for lane in range(THREADS):
        group = [other for other in range(THREADS) if (lane ^ other) | sum(masks) == sum(masks)]
        best = max(group, key=lambda other: (values[other], -other))
        assert (out[lane], where[lane]) == (values[best], best)


def test_values_that_change_places_in_the_combination():
    """The first result depends on both values of both lanes, so neither may be overwritten too early."""
    combine = """
    %first = arith.cmpi slt, %i, %j : i32
    %k = arith.select %first, %j, %i : i32
    %other = arith.sitofp %j : i32 to f32
    %sum = arith.addf %a, %b : f32
    %v = arith.addf %sum, %other : f32
    cuda.yield %v, %k : f32, i32"""
    values, out, where = butterfly([2, 1], combine)
    expected, index = [float(value) for value in values], list(range(THREADS))
    for mask in (2, 1):
        pairs = [(lane & ~mask, lane | mask) for lane in range(THREADS)]
        expected = [expected[low] + expected[high] + index[high] for low, high in pairs]
        index = [max(index[low], index[high]) for low, high in pairs]
    assert out.tolist() == expected
    assert where.tolist() == index
