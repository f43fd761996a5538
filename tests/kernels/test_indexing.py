"""`x[...]` with integers and slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check, compiles


@triton.jit
def constant_kernel(x_ptr, row_ptr, column_ptr, one_ptr, M: tl.constexpr, N: tl.constexpr, INDEX: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.static_assert(x[INDEX].shape == (N,) and x[:, INDEX].shape == (M,) and x[INDEX, -1].shape == ())
    tl.store(row_ptr + tl.arange(0, N), x[INDEX])
    tl.store(column_ptr + tl.arange(0, M), x[:, INDEX])
    tl.store(one_ptr, x[INDEX, -1] + x[..., 0][INDEX])


@pytest.mark.parametrize(("m", "n", "i"), [(1, 1, 0), (4, 8, 3), (5, 7, -2), (64, 32, 17), (33, 100, -1)])
def test_constant_index(m: int, n: int, i: int) -> None:
    x = np.arange(m * n, dtype=np.int32).reshape(m, n)
    outputs = [np.empty(n, np.int32), np.empty(m, np.int32), np.empty(1, np.int32)]
    check(constant_kernel, (1,), [x], outputs, [x[i], x[:, i], x[i : i + 1 or None, -1] + x[i, 0]], M=m, N=n, INDEX=i)


@triton.jit
def slice_kernel(
    x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, L: tl.constexpr
):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    part = tl.load(x_ptr + at)[:, A:B:C]
    tl.store(out_ptr + tl.arange(0, M)[:, None] * L + tl.arange(0, L)[None, :], part * 2)


@pytest.mark.parametrize("shape", [(4, 16), (3, 10), (32, 64)])
@pytest.mark.parametrize(
    "bounds",
    [
        (0, 8, 1),
        (8, None, 1),
        (None, 5, 1),
        (2, -3, 1),
        (-4, None, None),
        (None, None, 2),
        (None, None, -1),
        (7, 1, -3),
    ],
)
def test_constant_slice(shape: tuple[int, int], bounds: tuple[int | None, int | None, int | None]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    expected = 2 * x[:, slice(*bounds)]
    a, b, c = bounds
    out = np.empty(expected.shape, np.float32)
    meta = {"M": shape[0], "N": shape[1], "A": a, "B": b, "C": c, "L": expected.shape[1]}
    check(slice_kernel, (1,), [x], [out], [expected], **meta)


@triton.jit
def runtime_kernel(x_ptr, at_ptr, row_ptr, one_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    total = tl.zeros([N], tl.int32)
    for i in range(M):
        total = total * 3 + x[i]
    tl.store(row_ptr + tl.arange(0, N), total)
    where = tl.load(at_ptr)
    tl.store(one_ptr, x[where, where - 1])


@pytest.mark.parametrize(("m", "n"), [(1, 1), (4, 8), (5, 7), (16, 100)])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_runtime_index(m: int, n: int, dtype: Any) -> None:
    x = np.random.default_rng(2).integers(-50, 50, (m, n)).astype(np.int32)
    total = np.zeros(n, np.int32)
    for row in x:
        total = total * 3 + row
    outputs = [np.empty(n, np.int32), np.empty(1, np.int32)]
    # Row 0 with column -1, which is the last.
    check(runtime_kernel, (1,), [x, np.zeros(1, dtype)], outputs, [total, x[0, -1:]], M=m, N=n)


@triton.jit
def limited_kernel(x_ptr, at_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.program_id(0), x[tl.load(at_ptr + tl.program_id(0))])


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64])
def test_runtime_index_is_limited_to_the_tensor(dtype: Any) -> None:
    x = np.arange(10, 17, dtype=np.int32)
    limits = np.iinfo(dtype)
    at = np.array([0, 6, 7, limits.max, limits.min, *([-1, -7, -8] if limits.min else [])], dtype)
    places = [0, 6, 6, 6, 0, *([6, 0, 0] if limits.min else [])]
    out = np.empty(len(at), np.int32)
    check(limited_kernel, (len(at),), [x, at], [out], [x[places]], N=7, num_warps=(1, 4))


@triton.jit
def mixed_kernel(x_ptr, out_ptr, i, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a, b, c = tl.arange(0, A), tl.arange(0, B), tl.arange(0, C)
    x = tl.load(x_ptr + (a[:, None, None] * B + b[None, :, None]) * C + c[None, None, :])
    part = x[1:, None, i, ::2]
    tl.static_assert(part.shape == (A - 1, 1, (C + 1) // 2))
    tl.store(out_ptr + tl.arange(0, (A - 1) * ((C + 1) // 2)), part.ravel())


@pytest.mark.parametrize("shape", [(2, 3, 4), (5, 4, 9)])
def test_everything_in_one_index(shape: tuple[int, int, int]) -> None:
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    expected = x[1:, None, 2, ::2].ravel()
    out = np.empty(expected.size, np.int32)
    check(mixed_kernel, (1,), [x, 2], [out], [expected], order=(0, 2, 1), A=shape[0], B=shape[1], C=shape[2])


def test_indexing_compiles() -> None:
    compiles(constant_kernel, "*fp32", "*fp32", "*fp32", "*fp32", M=64, N=32, INDEX=5)
    compiles(runtime_kernel, "*i32", "*i64", "*i32", "*i32", M=16, N=64)


@triton.jit
def bad_index_kernel(out_ptr, n, KIND: tl.constexpr):
    x = tl.arange(0, 8)
    if KIND == 0:
        y = x[8]
    elif KIND == 1:
        y = x[4:4]
    elif KIND == 2:
        y = x[0:n]
    elif KIND == 3:
        y = x[x]
    elif KIND == 4:
        y = x[0, 0]
    elif KIND == 5:
        y = x[1.5]
    else:
        y = x[::0]
    tl.store(out_ptr, y)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (0, "index 8"),
        (1, "no element"),
        (2, "bounds of a slice"),
        (3, "tl.gather"),
        (4, "2 indices"),
        (5, "1.5"),
        (6, "step of a slice"),
    ],
)
def test_refused_indices(kind: int, message: str) -> None:
    with pytest.raises(CompilationError) as caught:
        bad_index_kernel.warmup("*i32", "i32", KIND=kind)
    assert message in str(caught.value)
