"""Scans along an axis, by functions of the language and of the user."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), AXIS, reverse=REVERSE))


@triton.jit
def cumprod_kernel(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at).cumprod())


@triton.jit
def discounted(total, decay, other_total, other_decay):
    return total * other_decay + other_total, decay * other_decay


@triton.jit
def discount_kernel(x_ptr, decay_ptr, out_ptr, decay_out_ptr, N: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, N)
    x, decay = tl.load(x_ptr + at), tl.load(decay_ptr + at)
    x, decay = tl.associative_scan((x, decay), 0, discounted, reverse=REVERSE)
    tl.store(out_ptr + at, x)
    tl.store(decay_out_ptr + at, decay)


@triton.jit
def last(a, b):
    return tl.where(b != 0, b, a)


@triton.jit
def last_seen_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.load(x_ptr + at).associative_scan(AXIS, last, REVERSE))


@triton.jit
def looped_kernel(x_ptr, out_ptr, rounds, N: tl.constexpr):
    at = tl.arange(0, N)
    total = tl.zeros((1, N), tl.int32)
    for _ in range(rounds):
        ones = tl.where(tl.load(x_ptr + at) >= 0, 1, 0)[None, :]
        total += tl.cumsum(ones, 1)
    tl.store(out_ptr + at[None, :], total)


@triton.jit
def outer_kernel(k_ptr, v_ptr, out_ptr, N: tl.constexpr):
    n = tl.arange(0, N)
    k = tl.load(k_ptr + n[:, None] * N + n[None, :])
    v = tl.load(v_ptr + n[:, None] * N + n[None, :])
    total = tl.sum(tl.cumsum(k[:, :, None] * v[:, None, :], 0), axis=1)
    tl.store(out_ptr + n[:, None] * N + n[None, :], total)


@triton.jit
def part_of_row_kernel(x_ptr, out_ptr, stride, N: tl.constexpr):
    n, row = tl.arange(0, N), tl.program_id(0)
    tl.store(out_ptr + row * stride + n, tl.cumsum(tl.load(x_ptr + row * stride + n), 0))


SHAPES = [(1, 1), (1, 8), (8, 1), (1, 1000), (4, 64), (64, 4), (3, 5), (33, 20), (16, 256)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_cumsum(shape: tuple[int, int], axis: int, reverse: bool) -> None:
    x = np.random.default_rng(shape[1]).integers(-100, 100, shape).astype(np.int32)
    wanted = np.cumsum(np.flip(x, axis) if reverse else x, axis, dtype=np.int32)
    wanted = np.flip(wanted, axis) if reverse else wanted
    warps = (1, 4) if x.size < 1000 else (2, 8)
    options = {"M": shape[0], "N": shape[1], "AXIS": axis, "REVERSE": reverse}
    check(cumsum_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=warps, **options)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float16, np.float64])
def test_dtypes(dtype: Any) -> None:
    x = (np.arange(100) % 3).astype(dtype)[None]
    wanted = np.cumsum(x, 1).astype(np.int64 if np.dtype(dtype).kind in "iu" else dtype)
    out = np.empty(x.shape, np.int32 if dtype in (np.int8, np.uint16) else dtype)
    options = {"M": 1, "N": 100, "AXIS": 1, "REVERSE": False}
    check(cumsum_kernel, (1,), [x], [out], [wanted], num_warps=(1, 4), **options)


@pytest.mark.parametrize("n", [1, 7, 64, 129])
def test_cumprod(n: int) -> None:
    x = np.random.default_rng(n).uniform(0.9, 1.1, n).astype(np.float32)
    wanted = np.cumprod(x, dtype=np.float64)
    check(cumprod_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=(1, 4), N=n)


def discounted_sums(x: np.ndarray, decay: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    totals, factors = np.empty(len(x)), np.cumprod(decay, dtype=np.float64)
    total = 0.0
    for i in range(len(x)):
        total = totals[i] = total * float(decay[i]) + float(x[i])
    return totals, factors


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 2, 8, 33, 100, 256, 1024])
def test_scan_of_pairs_in_order(n: int, reverse: bool) -> None:
    x = np.arange(1, n + 1).astype(np.float32)
    decay = np.random.default_rng(n).uniform(0.5, 1, n).astype(np.float32)
    step = -1 if reverse else 1
    wanted = [array[::step] for array in discounted_sums(x[::step], decay[::step])]
    outputs = [np.empty_like(x), np.empty_like(x)]
    check(discount_kernel, (1,), [x, decay], outputs, wanted, rtol=1e-4, N=n, REVERSE=reverse)


def test_scan_of_pairs_by_hand() -> None:
    x, half = np.arange(1, 9).astype(np.float32), np.full(8, 0.5, np.float32)
    totals = np.array([1, 2.5, 4.25, 6.125, 8.0625, 10.03125, 12.015625, 14.0078125])
    outputs = [np.empty_like(x), np.empty_like(x)]
    wanted = [totals, 0.5 ** np.arange(1, 9)]
    check(discount_kernel, (1,), [x, half], outputs, wanted, rtol=0.0, N=8, REVERSE=False)


def last_seen(row: np.ndarray) -> np.ndarray:
    out, seen = np.empty_like(row), row.dtype.type(0)
    for i, value in enumerate(row):
        seen = out[i] = value or seen
    return out


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(1, 300), (6, 40), (128, 3)])
def test_function_that_does_not_commute(shape: tuple[int, int], axis: int, reverse: bool) -> None:
    rng = np.random.default_rng(shape[0])
    x = np.where(rng.random(shape) < 0.2, rng.integers(1, 1000, shape), 0).astype(np.int32)
    ordered = np.flip(x, axis) if reverse else x
    wanted = np.apply_along_axis(last_seen, axis, ordered)
    wanted = np.flip(wanted, axis) if reverse else wanted
    options = {"M": shape[0], "N": shape[1], "AXIS": axis, "REVERSE": reverse}
    check(last_seen_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=(1, 8), **options)


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("n", [8, 32, 64, 256])
def test_cumsum_in_a_loop(n: int, rounds: int) -> None:
    x = np.zeros(n, np.int32)
    wanted = np.arange(1, n + 1, dtype=np.int32) * rounds
    out = np.empty_like(x)
    check(looped_kernel, (1,), [x, rounds], [out], [wanted], order=[0, 2, 1], num_warps=(1, 4), N=n)


def test_small_tail_of_a_reverse_sum() -> None:
    x = np.repeat(np.array([1e8, 1.0], np.float32), 32)[None]
    wanted = np.flip(np.cumsum(np.flip(x.astype(np.float64)))).reshape(x.shape)
    out = np.empty_like(x)
    check(cumsum_kernel, (1,), [x], [out], [wanted], M=1, N=64, AXIS=1, REVERSE=True)
    assert out[0, 32] == 32.0 and out[0, 63] == 1.0


def test_sum_after_cumsum_of_rank_3() -> None:
    rng = np.random.default_rng(0)
    k, v = (rng.standard_normal((16, 16)).astype(np.float32) for _ in range(2))
    wanted = np.cumsum(k.astype(np.float64)[:, :, None] * v[:, None, :], 0).sum(1)
    check(outer_kernel, (1,), [k, v], [np.empty_like(k)], [wanted], num_warps=(1, 4), rtol=1e-4, atol=1e-4, N=16)


def test_scan_of_a_part_of_wider_rows() -> None:
    x = np.arange(3 * 50, dtype=np.int32).reshape(3, 50)
    out = np.empty_like(x)
    for n in (16, 20):
        wanted = np.full_like(x, 0x5A5A5A5A)
        wanted[:, :n] = np.cumsum(x[:, :n], 1)
        check(part_of_row_kernel, (3,), [x, 50], [out], [wanted], order=[0, 2, 1], num_warps=(1, 4), N=n)


def test_scans_compile_for_every_gpu() -> None:
    compiles(cumsum_kernel, "*fp32", "*fp32", M=16, N=256, AXIS=1, REVERSE=False)
    compiles(cumsum_kernel, "*fp16", "*fp16", M=100, N=32, AXIS=0, REVERSE=True)
    compiles(discount_kernel, "*fp32", "*fp32", "*fp32", "*fp32", N=2048, REVERSE=True)
