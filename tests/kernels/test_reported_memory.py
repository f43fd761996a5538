"""Loads, stores, atomic operations and printing on which kernel compilers are known to have failed."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError, LaunchError
from tests.kernels.harness import check

EVERYWHERE = [("interpreter", 4), ("cpu", 1), ("cpu", 2), ("cpu", 4), ("cpu", 8)]
everywhere = pytest.mark.parametrize(("device", "num_warps"), EVERYWHERE)


def launch(device: str, kernel: Any, grid: tuple[int, ...], *arguments: Any, **options: Any) -> None:
    with triton.interpret() if device == "interpreter" else nullcontext():
        kernel[grid](*arguments, **options)


@triton.jit
def old_value_kernel(counter_ptr, out_ptr):
    old = tl.atomic_add(counter_ptr + tl.arange(0, 1), 1)
    tl.store(out_ptr + old * 8 + tl.arange(0, 8), 2)


@everywhere
def test_every_thread_sees_the_old_value(device: str, num_warps: int) -> None:
    counter, out = np.array([1], np.int32), np.zeros((2, 8), np.int64)
    launch(device, old_value_kernel, (1,), counter, out, num_warps=num_warps)
    assert out.tolist() == [[0] * 8, [2] * 8]
    assert counter.tolist() == [2]


@triton.jit
def scatter_add_kernel(x_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n)
    tl.atomic_add(out_ptr + index, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@everywhere
@pytest.mark.parametrize(("dtype", "rtol"), [(np.int32, 0), (np.float32, 1e-4), (np.float16, 1e-2)])
def test_repeated_indices_lose_no_update(device: str, num_warps: int, dtype: Any, rtol: float) -> None:
    rng = np.random.default_rng(0)
    index = rng.integers(0, 37, 1000)
    x = rng.integers(0, 100, 1000).astype(dtype) if dtype is np.int32 else rng.random(1000).astype(dtype)
    wanted = np.zeros(37, np.float64)
    np.add.at(wanted, index, x.astype(np.float64))
    out = np.zeros(37, dtype)
    launch(device, scatter_add_kernel, (4,), x, index, out, 1000, BLOCK=256, num_warps=num_warps)
    np.testing.assert_allclose(out.astype(np.float64), wanted, rtol=rtol)


@triton.jit
def one_slot_kernel(out_ptr, N: tl.constexpr):
    tl.atomic_add(out_ptr + tl.zeros((N,), tl.int32), tl.full((N,), 1, tl.int32))


@everywhere
@pytest.mark.parametrize("n", [128, 1000])
def test_every_lane_that_adds_to_one_slot_counts(device: str, num_warps: int, n: int) -> None:
    out = np.zeros(1, np.int32)
    launch(device, one_slot_kernel, (1,), out, N=n, num_warps=num_warps)
    assert out[0] == n


@triton.jit
def atomic_outer_kernel(out_ptr, R: tl.constexpr, X: tl.constexpr):
    tl.atomic_add(out_ptr + tl.arange(0, R)[None, :], tl.arange(0, X)[:, None])


@triton.jit
def atomic_row_kernel(out_ptr, R: tl.constexpr, X: tl.constexpr):
    at = tl.arange(0, X)[:, None] * R + tl.arange(0, R)[None, :]
    tl.atomic_add(out_ptr + at, tl.arange(0, R)[None, :])


def test_value_that_does_not_fit_the_pointers_of_an_atomic_operation() -> None:
    text = "tl.atomic_add(out_ptr + tl.arange(0, R)[None, :], tl.arange(0, X)[:, None])"
    for device, num_warps in EVERYWHERE:
        out = np.zeros(16, np.int32)
        with pytest.raises(CompilationError) as caught:
            launch(device, atomic_outer_kernel, (1,), out, R=4, X=4, num_warps=num_warps)
        assert caught.value.source_line is not None and caught.value.source_line.strip() == text
        assert caught.value.message == (
            "the val of tl.atomic_add has shape [4, 1], which does not fit the pointer's [1, 4]"
        )
        launch(device, atomic_row_kernel, (1,), out, R=4, X=4, num_warps=num_warps)
        assert out.tolist() == [0, 1, 2, 3] * 4


@triton.jit
def masked_cas_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, tl.atomic_cas(x_ptr + i, 0, 1, mask=i < 2))


@triton.jit
def chosen_cas_kernel(x_ptr, spare_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    # Without a mask, what must not be touched goes to an element of its own.
    pointers = tl.where(i % 2 == 0, x_ptr + i, spare_ptr + i)
    tl.store(out_ptr + i, tl.atomic_cas(pointers, 0, i + 10))


def test_compare_and_swap_has_no_mask() -> None:
    with pytest.raises(
        CompilationError, match=r"bad call of tl\.atomic_cas: got an unexpected keyword argument 'mask'"
    ):
        masked_cas_kernel.warmup("*i32", "*i32")
    for device, num_warps in EVERYWHERE:
        x, spare, out = np.zeros(64, np.int32), np.zeros(64, np.int32), np.empty(64, np.int32)
        launch(device, chosen_cas_kernel, (1,), x, spare, out, N=64, num_warps=num_warps)
        assert x.tolist() == [i + 10 if i % 2 == 0 else 0 for i in range(64)]
        assert out.tolist() == [0] * 64


@triton.jit
def masked_off_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < 5)
    tl.store(out_ptr, tl.sum(tl.where(i < 5, x, 0.0), axis=0))
    tl.store(out_ptr + 1, tl.sum(x, axis=0))


@pytest.mark.mytriton_sanitize(False)  # adds elements that a mask leaves out
@pytest.mark.parametrize("block", [8, 256])
def test_elements_that_are_masked_off_are_zero(block: int) -> None:
    x = np.r_[np.arange(1, 6), np.full(300, np.nan)].astype(np.float32)
    check(masked_off_kernel, (1,), [x], [np.empty(2, np.float32)], [np.array([15, 15])], BLOCK=block)


@triton.jit
def two_strides_kernel(x_ptr, bins_ptr, out_ptr, stride):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i, mask=i < 4)
    bins = tl.load(bins_ptr + i * stride, mask=i < 4)
    tl.store(out_ptr + i, x + bins, mask=i < 4)


@pytest.mark.mytriton_sanitize(False)  # reads outside of an array
def test_a_mask_that_lets_another_array_be_read_past_its_end() -> None:
    x, storage = np.arange(4, dtype=np.float32), np.arange(16, dtype=np.float32)
    bins, out = storage[:5][::2], np.empty(4, np.float32)
    with pytest.raises(LaunchError, match=r"byte 24 of .*bins_ptr.*, which has 20 bytes") as caught:
        launch("interpreter", two_strides_kernel, (1,), x, bins, out, 2)
    line = two_strides_kernel.fn.__code__.co_firstlineno + 4
    assert f"test_reported_memory.py:{line}" in str(caught.value)
    for num_warps in (1, 2, 4, 8):
        # Undefined on a device, where here some more memory follows: the elements in the array are right.
        launch("cpu", two_strides_kernel, (1,), x, bins, out, 2, num_warps=num_warps)
        assert out[:3].tolist() == [0, 3, 6]


@triton.jit
def two_loops_kernel(scratch_ptr, out_ptr, TURNS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for turn in range(TURNS):
        tl.store(scratch_ptr + turn * BLOCK + i, turn * BLOCK + i)
    for turn in range(TURNS):
        # Each element was stored by the thread at the other end.
        last = TURNS * BLOCK - 1
        tl.store(out_ptr + turn * BLOCK + i, tl.load(scratch_ptr + last - (turn * BLOCK + i)))


def test_what_one_loop_stores_the_next_one_loads() -> None:
    scratch = np.zeros(4 * 256, np.int32)
    wanted = np.arange(4 * 256, dtype=np.int32)[::-1].copy()
    check(two_loops_kernel, (1,), [scratch], [np.empty_like(wanted)], [wanted], TURNS=4, BLOCK=256)


@triton.jit
def print_tile_kernel(x_ptr):
    at = tl.arange(0, 16)[:, None] * 128 + tl.arange(0, 128)[None, :]
    tl.device_print("tile", tl.load(x_ptr + at))


@everywhere
def test_each_value_of_a_tile_is_printed(capsys: pytest.CaptureFixture[str], device: str, num_warps: int) -> None:
    x = np.random.default_rng(0).permutation(2048).astype(np.int32) + 100_000
    with np.printoptions(threshold=x.size):
        launch(device, print_tile_kernel, (1,), x, num_warps=num_warps)
    printed = capsys.readouterr().out
    assert printed.startswith("pid (0, 0, 0) tile: [[")
    # In the order of the rows, as NumPy shows a tile: the place is the index.
    assert [int(number) for number in re.findall(r"\d{6}", printed)] == x.tolist()


@triton.jit
def truths_kernel(x_ptr, out_ptr, any_ptr):
    i = tl.arange(0, 6)
    tl.store(out_ptr + i, tl.load(x_ptr + i))
    tl.store(any_ptr, tl.sum(tl.arange(0, 256) >= 0, axis=0))


def test_integers_whose_low_byte_is_0_are_true() -> None:
    x = np.array([256, 512, 0, -1, 2, 257], np.int32)
    wanted = [np.array([True, True, False, True, True, True]), np.array([True])]
    check(truths_kernel, (1,), [x], [np.zeros(6, np.bool_), np.zeros(1, np.bool_)], wanted)
