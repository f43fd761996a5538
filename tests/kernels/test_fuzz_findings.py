"""Kernels that random testing found to be compiled wrongly, made small."""

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles


@triton.jit
def where_of_lower_rank_kernel(x, out):
    """Both alternatives have a lower rank than the condition."""
    columns = tl.arange(0, 20)
    rows = tl.arange(0, 6)
    value = tl.load(x + columns)
    chosen = tl.where((rows[:, None] + columns[None, :]) % 3 == 0, value, -value)
    tl.store(out + rows[:, None] * 20 + columns[None, :], chosen)


def test_where_of_lower_rank() -> None:
    x = np.arange(1, 21, dtype=np.int32)
    expected = np.where((np.arange(6)[:, None] + np.arange(20)) % 3 == 0, x, -x).astype(np.int32)
    check(where_of_lower_rank_kernel, (1,), [x], [np.empty((6, 20), np.int32)], [expected])


@triton.jit
def loaded_pointers_kernel(indices, table, out):
    """The pointers cannot be computed again in the layout in which the result is wanted, so they are moved there."""
    columns = tl.arange(0, 128)
    value = tl.load(table + tl.load(indices + columns).to(tl.int32))
    differs = value != tl.full((8, 128), 0, tl.int8)
    tl.store(out + columns[None, :] + 128 * tl.arange(0, 8)[:, None], differs)


def test_loaded_pointers() -> None:
    random = np.random.default_rng(0)
    indices = random.integers(0, 50, 128)
    table = random.integers(-1, 2, 50).astype(np.float16)
    expected = np.broadcast_to((table[indices] != 0).astype(np.int8), (8, 128))
    check(loaded_pointers_kernel, (1,), [indices, table], [np.empty((8, 128), np.int8)], [expected])


def test_loaded_pointers_compile() -> None:
    compiles(loaded_pointers_kernel, "*i64", "*fp16", "*i8", num_warps=1)


@triton.jit
def sort_kernel(x, out, N: tl.constexpr):
    places = tl.arange(0, N)
    tl.store(out + places, tl.sort(tl.load(x + places), 0, descending=True))


@pytest.mark.parametrize("n", (33, 130, 300))
def test_sort_with_padding_over_warps(n: int) -> None:
    """The padding takes part in the sort, also where the elements change warps on the way."""
    x = np.random.default_rng(n).integers(-99, 99, n).astype(np.int16)
    check(sort_kernel, (1,), [x], [np.empty_like(x)], [np.sort(x)[::-1]], N=n)


@triton.jit
def stored_again_kernel(x, out, n):
    """Around the loop, the store at its beginning comes after the one at its end; they are in different layouts."""
    value = tl.load(x + tl.arange(0, 128))
    pairs = tl.join(value, value)
    places = tl.arange(0, 128)[:, None] * 2 + tl.arange(0, 2)[None, :]
    for _ in range(n):
        tl.store(out + places, pairs)
        for shift in range(1):
            tl.store(out + places, tl.load(out + (places * 3 + shift) % 256) + pairs)


def test_stores_in_different_layouts_around_a_loop() -> None:
    x = np.arange(128, dtype=np.uint32)
    pairs = x.repeat(2)
    expected = pairs[np.arange(256) * 3 % 256] + pairs
    out = np.empty(256, np.uint32)
    check(stored_again_kernel, (1,), [x, 2], [out], [expected], order=[0, 2, 1], num_warps=(1, 2, 4, 8, 16))


@triton.jit
def counting_kernel(counter_ptr, n):
    v = tl.full((3, 16), 0, tl.uint16)
    for i in range(n):
        tl.atomic_add(counter_ptr, i)
        v = (v - v).to(tl.uint16)


def test_a_scalar_atomic_operation_in_a_loop_that_carries_a_tile() -> None:
    for num_warps in (1, 4):
        counter = np.zeros(1, np.int32)
        counting_kernel[(2,)](counter, 5, num_warps=num_warps)
        assert counter[0] == 2 * (0 + 1 + 2 + 3 + 4)
