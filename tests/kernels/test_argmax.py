"""Where the largest and the smallest elements are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles

INF, NAN = float("inf"), float("nan")


@triton.jit
def extrema_kernel(x_ptr, values_ptr, indices_ptr, N: tl.constexpr, LEFT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    largest, at_largest = tl.max(x, 0, return_indices=True, return_indices_tie_break_left=LEFT)
    smallest, at_smallest = x.min(axis=0, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(values_ptr, largest)
    tl.store(values_ptr + 1, smallest)
    tl.store(indices_ptr, at_largest)
    tl.store(indices_ptr + 1, at_smallest)
    tl.store(indices_ptr + 2, tl.argmax(x, 0, tie_break_left=LEFT))
    tl.store(indices_ptr + 3, x.argmin(0, LEFT))


@triton.jit
def along_kernel(x_ptr, out_ptr, kept_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    if AXIS == 0 or AXIS == 1:
        tl.store(out_ptr + tl.arange(0, M if AXIS == 1 else N), tl.argmax(x, AXIS))
    else:
        tl.store(out_ptr, tl.argmax(x, AXIS))
    kept = tl.argmin(x, AXIS, keep_dims=True)
    tl.static_assert(kept.shape == (1 if AXIS != 1 else M, 1 if AXIS != 0 else N))
    tl.store(kept_ptr + tl.arange(0, kept.shape[0])[:, None] * kept.shape[1] + tl.arange(0, kept.shape[1]), kept)


@triton.jit
def repeated_kernel(x_ptr, out_ptr, N: tl.constexpr, TIMES: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    for turn in range(TIMES):
        found = tl.argmax(x, 0)
        tl.store(out_ptr + turn, found)
        x = tl.where(at == found, -float("inf"), x)


CASES = [
    ([NAN, 6, 8, -1], (8, -1), (2, 3)),
    ([INF, NAN], (INF, INF), (0, 0)),
    ([NAN, INF], (INF, INF), (1, 1)),
    ([NAN] * 4, (NAN, NAN), (0, 0)),
    ([NAN, -INF, NAN], (-INF, -INF), (1, 1)),
    ([2, 5, 5, 2, 2], (5, 2), (1, 0)),
    ([0.0, -0.0], (0, 0), (0, 0)),
]


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize(("elements", "values", "indices"), CASES)
def test_nan_and_ties(elements: list[float], values: tuple[float, ...], indices: tuple[int, ...], left: bool) -> None:
    x = np.array(elements, np.float32)
    wanted = [np.array(values, np.float32), np.array(indices * 2, np.int32)]
    outputs = [np.empty_like(array) for array in wanted]
    check(extrema_kernel, (1,), [x], outputs, wanted, num_warps=(1, 4), N=len(x), LEFT=left)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.int64, np.float16, np.float64])
@pytest.mark.parametrize("n", [1, 3, 100, 512])
def test_dtypes(dtype: Any, n: int) -> None:
    x = np.random.default_rng(n).integers(0, 2 if dtype is np.bool_ else 100, n).astype(dtype)
    wanted = [np.array([x.max(), x.min()], dtype), np.array([x.argmax(), x.argmin()] * 2, np.int32)]
    outputs = [np.empty_like(array) for array in wanted]
    check(extrema_kernel, (1,), [x], outputs, wanted, num_warps=(1, 8), N=n, LEFT=True)


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("shape", [(1, 1), (16, 1), (1, 16), (8, 32), (3, 5), (64, 20)])
def test_axes(shape: tuple[int, int], axis: int | None) -> None:
    x = np.random.default_rng(shape[0]).integers(-9, 9, shape).astype(np.float32)
    wanted = [np.atleast_1d(x.argmax(axis)).astype(np.int32), np.atleast_1d(x.argmin(axis)).astype(np.int32)]
    outputs = [np.empty_like(array) for array in wanted]
    check(along_kernel, (1,), [x], outputs, wanted, num_warps=(1, 4), M=shape[0], N=shape[1], AXIS=axis)


def test_repeated_argmax_with_infinities() -> None:
    x = np.zeros(32, np.float32)
    x[:5] = INF, INF, 1.16, 1.07, 1.47
    wanted = np.array([0, 1, 4, 2], np.int32)
    check(repeated_kernel, (1,), [x], [np.empty_like(wanted)], [wanted], N=32, TIMES=4)


def test_argmax_compiles_for_every_gpu() -> None:
    compiles(extrema_kernel, "*fp32", "*fp32", "*i32", N=512, LEFT=True)
    compiles(along_kernel, "*fp16", "*i32", "*i32", M=64, N=32, AXIS=0)
