"""Tensor descriptors: tiles of arrays, whose bounds are always checked."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false, reportPrivateUsage=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles


@triton.jit
def abs_kernel(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr, PADDING: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN], padding_option=PADDING)
    target = tl.make_tensor_descriptor(out, source.shape, source.strides, source.block_shape)
    offsets = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    tile = source.load(offsets)
    tl.static_assert(tile.dtype == source.dtype and tile.type == source.block_type)
    target.store(offsets, tl.abs(tile))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (16, 32), (21, 35)])
@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_tiles(m: int, n: int, padding: str) -> None:
    x = np.random.default_rng(m).standard_normal((m, n)).astype(np.float32)
    grid = (triton.cdiv(m, 8), triton.cdiv(n, 16))
    check(
        abs_kernel,
        grid,
        [x, m, n],
        [np.empty_like(x)],
        [np.abs(x)],
        order=[0, 3, 1, 2],
        BM=8,
        BN=16,
        PADDING=padding,
    )


@triton.jit
def matmul_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a_desc = tl._experimental_make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    out_desc = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = tl.load_tensor_descriptor(a_desc, [m, k])
        acc = tl.dot(left, b_desc.load([n, k]).T, acc)
    tl.store_tensor_descriptor(out_desc, [m, n], acc.to(out_desc.dtype))


def test_matmul() -> None:
    m, n, k = 37, 50, 41
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((n, k)).astype(np.float16)
    check(
        matmul_kernel,
        (3, 4),
        [a, b, m, n, k],
        [np.empty((m, n), np.float16)],
        [a.astype(np.float64) @ b.astype(np.float64).T],
        order=[0, 1, 5, 2, 3, 4],
        rtol=1e-2,
        atol=1e-2,
        BM=16,
        BN=16,
        BK=16,
    )


@triton.jit
def rows_kernel(x, chosen, out, M, N, R: tl.constexpr, B: tl.constexpr):
    """Gathers rows, and scatters them to the same places of another array."""
    rows = tl.load(chosen + tl.arange(0, R))
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, B])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [1, B])
    first = tl.program_id(0) * B
    target.scatter(source.gather(rows, first) + 1, rows, first)


def test_rows() -> None:
    m, n = 13, 35
    x = np.arange(m * n, dtype=np.int32).reshape(m, n)
    chosen = np.array([3, -1, 12, 0, 13, 7, 5, 100], np.int32)
    wanted = np.zeros_like(x)
    inside = chosen[(chosen >= 0) & (chosen < m)]
    wanted[inside] = x[inside] + 1
    for warps in (1, 2, 4, 8):
        out = np.zeros_like(x)
        rows_kernel[(3,)](x, chosen, out, m, n, R=8, B=16, num_warps=warps)
        np.testing.assert_array_equal(out, wanted)
    out = np.zeros_like(x)
    with triton.interpret():
        rows_kernel[(3,)](x, chosen, out, m, n, R=8, B=16)
    np.testing.assert_array_equal(out, wanted)


@triton.jit
def atomic_kernel(x, out, M, N, OP: tl.constexpr):
    desc = tl.make_tensor_descriptor(out, [M, N], [N, 1], [8, 16])
    tile = tl.make_tensor_descriptor(x, [M, N], [N, 1], [8, 16]).load([0, 0])
    if OP == "add":
        desc.atomic_add([0, 0], tile)
    elif OP == "min":
        desc.atomic_min([0, 0], tile)
    elif OP == "max":
        desc.atomic_max([0, 0], tile)
    elif OP == "and":
        desc.atomic_and([0, 0], tile)
    elif OP == "or":
        desc.atomic_or([0, 0], tile)
    else:
        desc.atomic_xor([0, 0], tile)


@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("add", lambda old, x: old + 3 * x),
        ("min", np.minimum),
        ("max", np.maximum),
        ("and", np.bitwise_and),
        ("or", np.bitwise_or),
        ("xor", np.bitwise_xor),
    ],
)
def test_atomic_operations(op: str, function: Any) -> None:
    x = np.random.default_rng(3).integers(-50, 50, (5, 13)).astype(np.int32)
    before = np.random.default_rng(4).integers(-50, 50, (5, 13)).astype(np.int32)
    for where in ("interpreter", "cpu"):
        out = before.copy()
        if where == "interpreter":
            with triton.interpret():
                atomic_kernel[(3,)](x, out, 5, 13, OP=op)
        else:
            atomic_kernel[(3,)](x, out, 5, 13, OP=op)
        np.testing.assert_array_equal(out, function(before, x), err_msg=where)


@triton.jit
def first_tile(desc: tl.tensor_descriptor, row):
    return desc.load([row, 0])


@triton.jit
def carried_kernel(x, out, M, N, flag):
    """A descriptor that a branch chooses, a loop keeps, and a function is given."""
    desc = tl.make_tensor_descriptor(x, [M, N], [N, 1], [4, 8])
    if flag > 0:
        desc = tl.make_tensor_descriptor(x + N, [M - 1, N], [N, 1], [4, 8])
    total = tl.zeros((4, 8), tl.int32)
    row = 0
    while row < desc.shape[0]:
        total += first_tile(desc, row)
        row += 4
    tl.make_tensor_descriptor(out, (4, 8), (8, 1), (4, 8)).store((0, 0), total)


@pytest.mark.parametrize("flag", [0, 5])
def test_descriptors_as_values(flag: int) -> None:
    x = np.arange(10 * 6, dtype=np.int32).reshape(10, 6)
    used = x[1:] if flag else x
    padded = np.zeros((12, 8), np.int32)
    padded[: len(used), :6] = used
    wanted = padded.reshape(3, 4, 8).sum(axis=0).astype(np.int32)
    check(carried_kernel, (1,), [x, 10, 6, flag], [np.empty((4, 8), np.int32)], [wanted], order=[0, 4, 1, 2, 3])


@pytest.mark.parametrize(
    ("kernel", "signature", "meta"),
    [
        (abs_kernel, ("*fp32", "*fp32", "i32", "i32"), {"BM": 32, "BN": 64, "PADDING": "nan"}),
        (matmul_kernel, ("*bf16", "*bf16", "*fp32", "i32", "i32", "i32"), {"BM": 64, "BN": 64, "BK": 32}),
        (rows_kernel, ("*fp16", "*i32", "*fp16", "i32", "i32"), {"R": 16, "B": 64}),
        (atomic_kernel, ("*fp32", "*fp32", "i32", "i32"), {"OP": "add"}),
    ],
)
def test_accepted_for_every_gpu(kernel: Any, signature: Any, meta: Any) -> None:
    compiles(kernel, *signature, **meta)
