"""Tensors put together and taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check, compiles

SIZES = [1, 2, 3, 5, 16, 33, 64, 100, 256, 1000]


@triton.jit
def join_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    joined = tl.join(tl.load(x_ptr + i), tl.load(y_ptr + i))
    tl.static_assert(joined.shape == (N, 2))
    tl.store(out_ptr + i[:, None] * 2 + tl.arange(0, 2)[None, :], joined)


@pytest.mark.parametrize("n", SIZES)
def test_join(n: int) -> None:
    x, y = np.arange(n, dtype=np.float32), -np.arange(n, dtype=np.float32)
    check(join_kernel, (1,), [x, y], [np.empty((n, 2), np.float32)], [np.stack([x, y], axis=-1)], N=n)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int16, np.int64, np.float16, np.float64])
def test_join_of_every_width(dtype: Any) -> None:
    x, y = np.arange(100).astype(dtype), (np.arange(100) % 7).astype(dtype)
    check(join_kernel, (1,), [x, y], [np.empty((100, 2), dtype)], [np.stack([x, y], axis=-1)], N=100)


@triton.jit
def split_kernel(x_ptr, even_ptr, odd_ptr, sum_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 2 * M * N))
    even, odd = x.reshape(M, N, 2).split()
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(even_ptr + at, even)
    tl.store(odd_ptr + at, odd)
    tl.store(sum_ptr + at, even + odd)


@pytest.mark.parametrize("shape", [(1, 1), (4, 8), (3, 5), (32, 16), (64, 33)])
def test_split(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).integers(-100, 100, 2 * shape[0] * shape[1]).astype(np.int32)
    even, odd = x[::2].reshape(shape), x[1::2].reshape(shape)
    outputs = [np.empty(shape, np.int32) for _ in range(3)]
    check(split_kernel, (1,), [x], outputs, [even, odd, even + odd], M=shape[0], N=shape[1])


@triton.jit
def rotate_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, pairs = tl.arange(0, M), tl.arange(0, N)
    at = rows[:, None] * 2 * N + tl.arange(0, 2 * N)[None, :]
    first, second = tl.split(tl.reshape(tl.load(x_ptr + at), M, N, 2))
    cos, sin = tl.load(cos_ptr + pairs)[None, :], tl.load(sin_ptr + pairs)[None, :]
    tl.store(out_ptr + at, tl.interleave(first * cos - second * sin, first * sin + second * cos))


@pytest.mark.parametrize(("m", "n"), [(1, 2), (4, 32), (7, 12)])
def test_rotary_embedding(m: int, n: int) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((m, 2 * n)).astype(np.float32)
    angle = rng.standard_normal(n).astype(np.float32)
    rotated = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(1j * angle)
    expected = np.stack([rotated.real, rotated.imag], axis=-1).reshape(m, 2 * n)
    check(rotate_kernel, (1,), [x, np.cos(angle), np.sin(angle)], [np.empty_like(x)], [expected], M=m, N=n, atol=1e-5)


def test_joining_compiles() -> None:
    compiles(rotate_kernel, "*fp16", "*fp32", "*fp32", "*fp16", M=16, N=64)
    compiles(join_kernel, "*i8", "*i8", "*i8", N=100)


@triton.jit
def nested_join_kernel(out_ptr, same_ptr, scalar_ptr, a, b, c, d):
    joined = tl.join(tl.join(a, b), tl.join(c, d))
    tl.store(out_ptr + tl.arange(0, 4), tl.reshape(joined, [4]))
    i = tl.arange(0, 8)[:, None] * 2 + tl.arange(0, 2)[None, :]
    x, y = tl.split(i)
    tl.store(same_ptr + i, tl.join(x, y))
    first, second = tl.split(tl.join(a, d))
    tl.static_assert(first.shape == ())
    tl.store(scalar_ptr, first * 10 + second)


def test_order_of_nested_joins() -> None:
    outputs = [np.empty(4, np.int32), np.empty((8, 2), np.int32), np.empty(1, np.int32)]
    expected = [np.array([1, 3, 2, 4]), np.arange(16).reshape(8, 2), np.array([14])]
    check(nested_join_kernel, (1,), [1, 2, 3, 4], outputs, expected, order=(4, 5, 6, 0, 1, 2, 3))


@triton.jit
def cat_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr, CAN_REORDER: tl.constexpr):
    i = tl.arange(0, N)
    both = tl.cat(tl.load(x_ptr + i), tl.load(y_ptr + i), can_reorder=CAN_REORDER)
    tl.store(out_ptr + tl.arange(0, 2 * N), both)


@pytest.mark.parametrize("can_reorder", [False, True])
@pytest.mark.parametrize("n", [1, 3, 32, 100, 512])
def test_cat(n: int, can_reorder: bool) -> None:
    x, y = np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32) + 1000
    check(cat_kernel, (1,), [x, y], [np.empty(2 * n, np.int32)], [np.r_[x, y]], N=n, CAN_REORDER=can_reorder)


@triton.jit
def cat_along_kernel(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    both = tl.cat(tl.load(x_ptr + at), tl.load(y_ptr + at), dim=DIM)
    tl.store(out_ptr + tl.arange(0, 2 * M * N), both.ravel())


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("shape", [(2, 4), (3, 7), (16, 32)])
def test_cat_along_an_axis(shape: tuple[int, int], dim: int) -> None:
    x = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    expected = np.concatenate([x, -x], axis=dim).ravel()
    out = np.empty(expected.size, np.int32)
    check(cat_along_kernel, (1,), [x, -x], [out], [expected], M=shape[0], N=shape[1], DIM=dim)


@triton.jit
def carried_pair_kernel(x_ptr, out_ptr, N: tl.constexpr, TURNS: tl.constexpr):
    i = tl.arange(0, N)
    pair = tl.join(tl.load(x_ptr + i), tl.zeros([N], tl.int32))
    for _ in range(TURNS):
        x, y = pair.split()
        pair = tl.join(x + 1, y + x)
    tl.store(out_ptr + tl.arange(0, 2 * N), pair.ravel())


def test_join_carried_around_a_loop() -> None:
    x = np.arange(100, dtype=np.int32)
    expected = np.stack([x + 5, 5 * x + 10], axis=-1).ravel()
    check(carried_pair_kernel, (1,), [x], [np.empty(200, np.int32)], [expected], N=100, TURNS=5)


@triton.jit
def swap_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    halves = x.reshape(M, 2, N // 2).permute(0, 2, 1)
    left, right = halves.split()
    swapped = tl.join(right, left).permute((0, 2, 1)).reshape((M, N), can_reorder=False)
    tl.store(out_ptr + at, swapped)
    tl.static_assert(x.T.shape == (N, M) and x.view(N, M).trans().shape == (M, N))
    tl.static_assert(x.unsqueeze(0).squeeze(0).shape == (M, N) and tl.zeros_like(x).dtype == x.dtype)


@pytest.mark.parametrize("shape", [(1, 2), (8, 64), (5, 10)])
def test_halves_of_rows(shape: tuple[int, int]) -> None:
    x = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    check(swap_kernel, (1,), [x], [np.empty_like(x)], [np.roll(x, shape[1] // 2, axis=1)], M=shape[0], N=shape[1])


@triton.jit
def wrong_split_kernel(out_ptr):
    x, _ = tl.arange(0, 12).reshape(4, 3).split()
    tl.store(out_ptr, x)


@triton.jit
def wrong_join_kernel(out_ptr):
    tl.store(out_ptr, tl.join(tl.arange(0, 4), tl.zeros([4], tl.float32)))


@triton.jit
def wrong_cat_kernel(out_ptr):
    tl.store(out_ptr, tl.cat(tl.arange(0, 4), tl.arange(0, 8)))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (wrong_split_kernel, r"tl.split .* \[4, 3\]"),
        (wrong_join_kernel, "tl.join .* int32 and fp32"),
        (wrong_cat_kernel, r"tl.cat .* \[4\] and \[8\]"),
    ],
)
def test_what_does_not_fit(kernel: Any, message: str) -> None:
    with pytest.raises(CompilationError, match=message):
        kernel.warmup("*i32")
