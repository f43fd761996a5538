"""Sorting, the largest elements, and axes in reverse."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles

INF, NAN = float("inf"), float("nan")


@triton.jit
def sort_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr, DESCENDING: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at), DIM, DESCENDING))


@triton.jit
def topk_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, LARGEST: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)[None, :]
    x = tl.load(x_ptr + m * N + n)
    tl.store(out_ptr + m * K + k, tl.topk(x, K) if LARGEST else tl.topk(x, K, descending=False))


@triton.jit
def flip_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.load(x_ptr + at).flip(DIM))


@triton.jit
def flip_pairs_kernel(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at).reshape(N // 2, 2)
    tl.store(out_ptr + at, tl.ravel(tl.flip(x, 1)))


def in_order(x: np.ndarray, dim: int, descending: bool) -> np.ndarray:
    ordered = np.sort(x, axis=dim)
    return np.flip(ordered, dim) if descending else ordered


SHAPES = [(1, 1), (1, 2), (3, 5), (16, 16), (4, 100), (1, 512), (64, 3)]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_sort(shape: tuple[int, int], dim: int, descending: bool) -> None:
    x = np.random.default_rng(shape[1]).standard_normal(shape).astype(np.float32)
    options = {"M": shape[0], "N": shape[1], "DIM": dim, "DESCENDING": descending}
    wanted = in_order(x, dim, descending)
    check(sort_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=(1, 8), rtol=0.0, atol=0.0, **options)


INTEGERS = [np.bool_, np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_sort_of_integers(dtype: Any, descending: bool) -> None:
    x = np.random.default_rng(1).integers(0, 1 << 64, (1, 100), dtype=np.uint64).view(np.int64).astype(dtype)
    wanted = in_order(x, 1, descending)
    options = {"M": 1, "N": 100, "DIM": 1, "DESCENDING": descending}
    check(sort_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=(1, 4), **options)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_sort_of_special_floats(dtype: Any, descending: bool) -> None:
    x = np.random.default_rng(2).standard_normal(64)
    x[[3, 20, 50]] = NAN, -NAN, NAN
    x[[0, 7, 9, 63]] = INF, -INF, -0.0, 0.0
    x = x.astype(dtype)[None]
    numbers = np.sort(x[~np.isnan(x)].astype(np.float64))
    wanted = np.concatenate([numbers, [NAN] * 3])[None]
    out = np.empty_like(x)
    options = {"M": 1, "N": 64, "DIM": 1, "DESCENDING": descending}
    check(
        sort_kernel,
        (1,),
        [x],
        [out],
        [np.flip(wanted, 1) if descending else wanted],
        num_warps=(1, 4),
        rtol=0.0,
        atol=0.0,
        **options,
    )
    width = out.dtype.itemsize
    assert sorted(out.view(f"u{width}")[0]) == sorted(x.view(f"u{width}")[0]), "a permutation, bit by bit"
    zeros = np.signbit(out[out == 0].astype(np.float64))
    assert list(zeros) == [not descending, descending]


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_sort_of_every_float_of_8_bits(dtype: Any) -> None:
    x = np.random.default_rng(0).permutation(256).astype(np.uint8).view(dtype)[None]
    wanted = np.sort(x.astype(np.float32), axis=1)
    options = {"M": 1, "N": 256, "DIM": 1, "DESCENDING": False}
    check(sort_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=(4,), rtol=0.0, atol=0.0, **options)


def test_sort_of_four() -> None:
    x = np.array([[INF, 3.14, NAN, -1]], np.float32)
    options = {"M": 1, "N": 4, "DIM": None, "rtol": 0.0}
    up, down = np.float32([[-1, 3.14, INF, NAN]]), np.float32([[NAN, INF, 3.14, -1]])
    check(sort_kernel, (1,), [x], [np.empty_like(x)], [up], num_warps=(1,), DESCENDING=False, **options)
    check(sort_kernel, (1,), [x], [np.empty_like(x)], [down], num_warps=(1,), DESCENDING=True, **options)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize(("shape", "k"), [((1, 16), 4), ((3, 64), 8), ((2, 100), 7), ((4, 8), 8), ((2, 8), 1)])
def test_topk(shape: tuple[int, int], k: int, largest: bool) -> None:
    x = np.random.default_rng(k).standard_normal(shape).astype(np.float32)
    wanted = in_order(x, 1, largest)[:, :k]
    options = {"M": shape[0], "N": shape[1], "K": k, "LARGEST": largest}
    out = np.empty((shape[0], k), np.float32)
    check(topk_kernel, (1,), [x], [out], [wanted], num_warps=(1, 4), rtol=0.0, atol=0.0, **options)


@pytest.mark.parametrize("dim", [0, 1, None])
@pytest.mark.parametrize("shape", [(1, 1), (8, 4), (3, 7), (1, 256)])
def test_flip(shape: tuple[int, int], dim: int | None) -> None:
    x = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    wanted = np.flip(x, 1 if dim is None else dim)
    options = {"M": shape[0], "N": shape[1], "DIM": dim}
    check(flip_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=(1, 4), **options)


def test_flip_of_infinity() -> None:
    x = np.arange(16).astype(np.float32)
    x[15] = INF
    wanted = x.reshape(8, 2)[:, ::-1].ravel()
    check(flip_pairs_kernel, (1,), [x], [np.empty_like(x)], [wanted], num_warps=(1, 4), rtol=0.0, N=16)


def test_sorting_compiles_for_every_gpu() -> None:
    compiles(sort_kernel, "*fp32", "*fp32", M=1, N=256, DIM=1, DESCENDING=False)
    compiles(sort_kernel, "*fp16", "*fp16", M=16, N=32, DIM=0, DESCENDING=True)
    compiles(topk_kernel, "*fp32", "*fp32", M=4, N=64, K=8, LARGEST=True)
    compiles(flip_kernel, "*i64", "*i64", M=4, N=64, DIM=1)


@triton.jit
def flip_rows_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.flip(tl.load(x_ptr + at), 1))


@pytest.mark.parametrize("shape", [(4, 1), (2, 2), (3, 16), (1, 64), (8, 128), (16, 256)])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32, np.int64])
def test_flip_of_rows(shape: tuple[int, int], dtype: Any) -> None:
    x = np.random.default_rng(2).integers(0, 100, shape).astype(dtype)
    options = {"M": shape[0], "N": shape[1]}
    check(flip_rows_kernel, (1,), [x], [np.empty_like(x)], [np.flip(x, 1)], num_warps=(1, 4), **options)


def test_flip_within_a_warp_uses_no_shared_memory() -> None:
    text = flip_rows_kernel.warmup("*fp32", "*fp32", grid=(1,), num_warps=4, M=16, N=32).asm["cuda"]
    assert "__shfl_xor_sync(0xffffffff, " in text and "__shared__" not in text
    compiles(flip_rows_kernel, "*fp16", "*fp16", num_warps=4, M=16, N=32)
