"""Reductions, scans, sorts and softmax on which kernel compilers are known to have failed, with the right results."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check

INF, NAN = float("inf"), float("nan")
bfloat16 = ml_dtypes.bfloat16


@triton.jit
def sum_and_max_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(out_ptr, tl.sum(x, axis=0))
    tl.store(out_ptr + 1, tl.max(x, axis=0))


@pytest.mark.parametrize(
    ("n", "block", "total"), [(48, 64, 1176), (3, 4, 6), (5, 8, 15), (33, 64, 561), (96, 96, 4656)]
)
def test_no_lane_is_dropped(n: int, block: int, total: int) -> None:
    x = np.arange(1, n + 1, dtype=np.int32)
    wanted = np.array([total, n], np.int32)
    check(sum_and_max_kernel, (1,), [x, n], [np.empty_like(wanted)], [wanted], order=[0, 2, 1], BLOCK=block)


@triton.jit
def thin_argmax_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    one = tl.arange(0, 1)
    tl.store(out_ptr + one, tl.argmax(x, axis=AXIS))
    tl.store(out_ptr + 1 + one, tl.argmin(x, axis=AXIS))


@pytest.mark.parametrize(("shape", "axis"), [((16, 1), 0), ((1, 16), 1)])
def test_argmax_of_a_thin_tile(shape: tuple[int, int], axis: int) -> None:
    x = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    wanted = np.array([x.argmax(), x.argmin()], np.int32)
    check(thin_argmax_kernel, (1,), [x], [np.empty_like(wanted)], [wanted], M=shape[0], N=shape[1], AXIS=axis)


@triton.jit
def one_trip_kernel(out_ptr, valid, N: tl.constexpr):
    i = tl.arange(0, N)[None, :]
    for off in range(0, N, N):
        x = tl.where(i + off < valid, 1, 0)
        tl.store(out_ptr + off + i, tl.cumsum(x, axis=1))


@pytest.mark.parametrize("n", [8, 32, 64])
def test_cumsum_in_a_loop_of_one_trip(n: int) -> None:
    wanted = np.arange(1, n + 1, dtype=np.int32)
    check(one_trip_kernel, (1,), [n], [np.empty_like(wanted)], [wanted], order=[1, 0], N=n)


@triton.jit
def outer_cumsum_kernel(k_ptr, v_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    k, v = tl.load(k_ptr + at), tl.load(v_ptr + at)
    tl.store(out_ptr + at, tl.sum(tl.cumsum(k[:, :, None] * v[:, None, :], 0), axis=1))


def test_sum_right_after_a_cumsum() -> None:
    rng = np.random.default_rng(3)
    k, v = (rng.standard_normal((16, 16)).astype(np.float32) for _ in range(2))
    wanted = np.cumsum(k[:, :, None].astype(np.float64) * v[:, None, :], 0).sum(1)
    check(outer_cumsum_kernel, (1,), [k, v], [np.empty_like(k)], [wanted], rtol=1e-4, atol=1e-4, N=16)


@triton.jit
def extrema_kernel(x_ptr, values_ptr, indices_ptr, N: tl.constexpr, LEFT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    largest, at_largest = tl.max(x, 0, return_indices=True, return_indices_tie_break_left=LEFT)
    smallest, at_smallest = tl.min(x, 0, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(values_ptr, largest)
    tl.store(values_ptr + 1, smallest)
    tl.store(indices_ptr, at_largest)
    tl.store(indices_ptr + 1, at_smallest)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize(
    ("elements", "largest", "smallest"),
    [
        ([NAN, 6, 8, -1], (8, 2), (-1, 3)),
        ([INF, NAN], (INF, 0), (INF, 0)),
        ([NAN, INF], (INF, 1), (INF, 1)),
        ([NAN] * 4, (NAN, 0), (NAN, 0)),
    ],
)
def test_nan_is_skipped(elements: list[float], largest: Any, smallest: Any, left: bool) -> None:
    x = np.array(elements, np.float32)
    wanted = [np.array([largest[0], smallest[0]], np.float32), np.array([largest[1], smallest[1]], np.int32)]
    outputs = [np.empty_like(array) for array in wanted]
    check(extrema_kernel, (1,), [x], outputs, wanted, N=len(x), LEFT=left)


@triton.jit
def sort_kernel(x_ptr, out_ptr, N: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.sort(tl.load(x_ptr + i), descending=DESCENDING))


@pytest.mark.parametrize("descending", [False, True])
def test_order_of_nan_and_infinity(descending: bool) -> None:
    few = np.array([INF, 3.14, NAN, -1], np.float32)
    many = np.random.default_rng(4).standard_normal(64).astype(np.float32)
    many[[1, 30, 62]], many[[0, 17]], many[[5, 40]] = NAN, (INF, -INF), (0.0, -0.0)
    for x in (few, many):
        wanted = np.sort(x)  # which has NaN at the end
        out = np.empty_like(x)
        wanted = wanted[::-1] if descending else wanted
        check(sort_kernel, (1,), [x], [out], [wanted], rtol=0, atol=0, N=len(x), DESCENDING=descending)
        assert sorted(out.view(np.uint32)) == sorted(x.view(np.uint32)), "a permutation"


@triton.jit
def flip_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.ravel(tl.flip(tl.reshape(tl.load(x_ptr + i), [8, 2]), 1)))


def test_flip_moves_infinity() -> None:
    x = np.array([*range(15), INF], np.float32)
    wanted = np.array([1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, INF, 14], np.float32)
    check(flip_kernel, (1,), [x], [np.empty_like(x)], [wanted], rtol=0)


@triton.jit
def online_softmax_kernel(x_ptr, out_ptr, N: tl.constexpr, TILE: tl.constexpr):
    row = tl.program_id(0) * N
    i = tl.arange(0, TILE)
    largest = -float("inf")
    total = 0.0
    for start in range(0, N, TILE):
        x = tl.load(x_ptr + row + start + i)
        above = tl.maximum(largest, tl.max(x, axis=0))
        shift = tl.where(above == -float("inf"), 0.0, above)
        total = total * tl.exp(largest - shift) + tl.sum(tl.exp(x - shift), axis=0)
        largest = above
    shift = tl.where(largest == -float("inf"), 0.0, largest)
    for start in range(0, N, TILE):
        x = tl.load(x_ptr + row + start + i)
        tl.store(out_ptr + row + start + i, tl.exp(x - shift) / tl.where(total == 0.0, 1.0, total))


@triton.jit
def softmax_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.softmax(tl.load(x_ptr + at), dim=1))


def test_softmax_of_rows_that_begin_with_infinities() -> None:
    x = np.array([[-INF] * 4 + [0, 1, 2, 3], [-INF] * 8, [1] * 8], np.float32)
    row = [0, 0, 0, 0, 0.0321, 0.0871, 0.2369, 0.6439]
    wanted = np.array([row, [0] * 8, [0.125] * 8])
    check(online_softmax_kernel, (3,), [x], [np.empty_like(x)], [wanted], atol=1e-4, N=8, TILE=4)
    # exp(-inf - -inf) is NaN, in that row alone.
    wanted[1] = NAN
    check(softmax_kernel, (1,), [x], [np.empty_like(x)], [wanted], atol=1e-4, M=3, N=8)


@triton.jit
def sums_kernel(x_ptr, narrow_ptr, wide_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.static_assert(tl.sum(x, axis=0).dtype == tl.bfloat16)
    tl.store(narrow_ptr, tl.sum(x, axis=0))
    tl.store(wide_ptr, tl.sum(x, axis=0, dtype=tl.float32))


def test_sum_of_bfloat16_in_float32() -> None:
    x = np.random.default_rng(6).random(4096).astype(bfloat16)
    exact = x.astype(np.float64).sum(keepdims=True)
    # A tree of 12 additions, each rounded to 8 bits, is off by 12 * 2**-9 at most.
    narrow, wide = np.empty(1, bfloat16), np.empty(1, np.float32)
    for warps in (1, 2, 4, 8):
        sums_kernel[(1,)](x, narrow, wide, N=4096, num_warps=warps)
        np.testing.assert_allclose(wide, exact, rtol=1e-5)
        np.testing.assert_allclose(narrow.astype(np.float64), exact, rtol=0.1)
    with triton.interpret():
        sums_kernel[(1,)](x, narrow, wide, N=4096)
    np.testing.assert_allclose(wide, exact, rtol=1e-5)


@triton.jit
def one_by_one_kernel(x_ptr, narrow_ptr, wide_ptr, n):
    narrow, wide = tl.full((), 0, tl.bfloat16), 0.0
    for i in range(n):
        narrow += tl.load(x_ptr + i)
        wide += tl.load(x_ptr + i)
    tl.store(narrow_ptr, narrow)
    tl.store(wide_ptr, wide)


def test_bfloat16_sum_one_by_one_sticks_at_256() -> None:
    ones = np.ones(4096, bfloat16)
    wanted = [np.array([256], bfloat16), np.array([4096], np.float32)]
    outputs = [np.empty_like(array) for array in wanted]
    check(one_by_one_kernel, (1,), [ones, 4096], outputs, wanted, order=[0, 2, 3, 1], rtol=0, num_warps=(1, 4))


@triton.jit
def part_of_a_row_kernel(x_ptr, out_ptr, stride, N: tl.constexpr):
    at = tl.program_id(0) * stride + tl.arange(0, N)
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), 0))


@pytest.mark.parametrize("n", [16, 20])
def test_scan_of_a_block_of_a_wider_row(n: int) -> None:
    x = np.arange(3 * 50, dtype=np.int32).reshape(3, 50)
    out = np.empty_like(x)
    wanted = np.full_like(x, 0x5A5A5A5A)
    wanted[:, :n] = np.cumsum(x[:, :n], 1)
    check(part_of_a_row_kernel, (3,), [x, 50], [out], [wanted], order=[0, 2, 1], N=n)


@triton.jit
def store_in_a_branch_kernel(x_ptr, out_ptr, flag_ptr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * BLOCK + tl.arange(0, BLOCK))
    if pid == 0:
        tl.store(flag_ptr, 1)
    tl.store(out_ptr + pid, tl.sum(x, axis=0))


def test_a_store_of_one_program_between_a_load_and_its_sum() -> None:
    x = np.arange(4 * 128, dtype=np.int32)
    wanted = [x.reshape(4, 128).sum(1, dtype=np.int32), np.array([1], np.int32)]
    check(store_in_a_branch_kernel, (4,), [x], [np.empty_like(w) for w in wanted], wanted, BLOCK=128)
