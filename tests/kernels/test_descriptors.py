"""Tensor descriptors: tiles of arrays, whose bounds are always checked."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false, reportPrivateUsage=false

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from mytriton.tools.tensor_descriptor import TensorDescriptor
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
def extremum_kernel(x, out, M, N, OP: tl.constexpr):
    desc = tl.make_tensor_descriptor(out, [M, N], [N, 1], [8, 16])
    tile = tl.make_tensor_descriptor(x, [M, N], [N, 1], [8, 16]).load([0, 0])
    if OP == "min":
        desc.atomic_min([0, 0], tile + tl.program_id(0).to(tile.dtype))
    else:
        desc.atomic_max([0, 0], tile + tl.program_id(0).to(tile.dtype))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("warps", [1, 2, 4])
def test_extrema_of_floats(dtype: Any, warps: int) -> None:
    """Of several programs, which all change the same elements; what is not in the array stays."""
    rng = np.random.default_rng(warps)
    x, before = (rng.integers(-50, 50, (5, 13)) for _ in range(2))
    for op, wanted in (("min", np.minimum(before, x)), ("max", np.maximum(before, x + 6))):
        memory = np.full(80, 99).astype(dtype)
        for context in (triton.interpret(), nullcontext()):
            memory[:65] = before.ravel()
            with context:
                extremum_kernel[(7,)](x.astype(dtype), memory, 5, 13, OP=op, num_warps=warps)
            np.testing.assert_array_equal(memory[:65].astype(np.int64), wanted.ravel())
            assert (memory[65:].astype(np.int64) == 99).all()


@pytest.mark.parametrize(
    ("dtype", "word"), [(np.float16, np.uint16), (ml_dtypes.bfloat16, np.uint16), (np.float32, np.uint32)]
)
def test_order_of_rare_floats(dtype: Any, word: Any) -> None:
    """-NaN < -inf < -0.0 < 0.0 < inf < NaN: each of them with each other one."""
    sign = np.iinfo(word).max // 2 + 1
    nan = int(np.array([np.nan]).astype(dtype).view(word)[0]) & (sign - 1)
    numbers = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf]).astype(dtype).view(word)
    rising = np.array([nan | sign, *numbers, nan], word)
    x, before = (np.ascontiguousarray(values) for values in np.broadcast_arrays(rising[:, None], rising))
    rank = np.arange(8)
    for op, chosen in (("min", np.minimum.outer(rank, rank)), ("max", np.maximum.outer(rank, rank))):
        for context in (triton.interpret(), nullcontext()):
            out = before.copy()
            with context:
                atomic_kernel[(1,)](x.view(dtype), out.view(dtype), 8, 8, OP=op)
            np.testing.assert_array_equal(out, rising[chosen])


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


@triton.jit
def padded_kernel(x, out, n, flag):
    """A branch chooses between descriptors of different paddings."""
    desc = tl.make_tensor_descriptor(x, [n], [1], [8])
    if flag > 0:
        desc = tl.make_tensor_descriptor(x, [n - 1], [1], [8], padding_option="nan")
    tl.store(out + tl.arange(0, 8), desc.load([0]))


@pytest.mark.parametrize("flag", [0, 1])
def test_chosen_padding(flag: int) -> None:
    wanted = np.array([0, 1, 2, np.nan, np.nan, np.nan, np.nan, np.nan] if flag else [0, 1, 2, 3, 0, 0, 0, 0])
    x = np.arange(4, dtype=np.float32)
    check(padded_kernel, (1,), [x, 4, flag], [np.empty(8, np.float32)], [wanted.astype(np.float32)], order=[0, 3, 1, 2])


@triton.jit
def found_row(x, N, first):
    """A descriptor that a loop finds, or not: nothing stands for it until then."""
    row = first
    while row < N:
        if tl.load(x + row * N) < 0:
            return tl.make_tensor_descriptor(x + row * N, [N], [1], [8])
        row += 1
    return tl.make_tensor_descriptor(x, [1], [1], [8])


@triton.jit
def returned_kernel(x, out, N, first):
    tl.store(out + tl.arange(0, 8), found_row(x, N, first).load([0]))


@pytest.mark.parametrize(("first", "row", "size"), [(0, 2, 6), (3, 0, 1)])
def test_descriptor_that_a_loop_returns(first: int, row: int, size: int) -> None:
    x = np.arange(36, dtype=np.int32).reshape(6, 6)
    x[2] *= -1
    wanted = np.zeros(8, np.int32)
    wanted[:size] = x[row, :size]
    check(returned_kernel, (1,), [x, 6, first], [np.empty(8, np.int32)], [wanted], order=[0, 3, 1, 2])


@triton.jit
def offset_kernel(x, out, n, offset, DTYPE: tl.constexpr):
    desc = tl.make_tensor_descriptor(x, [n], [1], [8])
    tl.store(out + tl.arange(0, 8), desc.load([offset.to(DTYPE)]))


@pytest.mark.parametrize(
    ("dtype", "offset"),
    [
        (dtype, offset)
        for dtype in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64")
        for offset in (
            -(2**63),
            -(2**32),
            -(2**31) - 1,
            -3,
            0,
            5,
            2**31 - 1,
            2**31 + 2,
            2**32 - 2,
            2**32 + 3,
            2**63 - 1,
        )
        if np.iinfo(dtype).min <= offset <= np.iinfo(dtype).max
    ],
)
def test_offsets_of_every_dtype(dtype: str, offset: int) -> None:
    """No offset is cut to another one."""
    x = np.arange(1, 7, dtype=np.int32)
    wanted = np.array([x[i] if 0 <= i < 6 else 0 for i in range(offset, offset + 8)], np.int32)
    out = np.empty(8, np.int32)
    check(offset_kernel, (1,), [x, 6, offset], [out], [wanted], order=[0, 3, 1, 2], DTYPE=getattr(tl, dtype))


@triton.jit
def far_rows_kernel(x, rows, out, n):
    desc = tl.make_tensor_descriptor(x, [n, 8], [8, 1], [1, 8])
    place = tl.arange(0, 4)
    tl.store(out + place[:, None] * 8 + tl.arange(0, 8), desc.gather(tl.load(rows + place), 0))


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.uint32, np.int64, np.uint64])
def test_rows_of_every_dtype(dtype: Any) -> None:
    x = np.arange(1, 33, dtype=np.int32).reshape(4, 8)
    rows = np.array([2, np.iinfo(dtype).max, np.iinfo(dtype).max // 2 + 1, 3], dtype)
    wanted = np.stack([x[2], np.zeros(8, np.int32), np.zeros(8, np.int32), x[3]])
    check(far_rows_kernel, (1,), [x, rows, 4], [np.empty((4, 8), np.int32)], [wanted], order=[0, 1, 3, 2])


@triton.jit
def boolean_kernel(x, out, n):
    source = tl.make_tensor_descriptor(x, [n], [1], [8])
    tile = source.load([2])
    tl.static_assert(tile.dtype == tl.int1)
    tl.make_tensor_descriptor(out, [n], [1], [8]).store([0], tile)


def test_booleans() -> None:
    """In memory, each byte but 0 is true."""
    x = np.array([1, 0, 2, 255, 0, 1], np.uint8).view(bool)
    for context in (triton.interpret(), nullcontext()):
        out = np.full(6, 7, np.uint8)
        with context:
            boolean_kernel[(1,)](x, out.view(bool), 6)
        np.testing.assert_array_equal(out, [1, 1, 0, 1, 0, 0])


@triton.jit
def update_kernel(desc, x: tl.const, OP: tl.constexpr):
    if OP == "store":
        tl.make_tensor_descriptor(x, [4], [1], [4]).store([0], 1)
    elif OP == "scatter":
        tl.make_tensor_descriptor(x, [4, 4], [4, 1], [1, 4]).scatter(tl.zeros((2, 4), tl.int8), tl.arange(0, 2), 0)
    elif OP == "atomic_or":
        desc.atomic_or([0], 1)
    else:
        desc.atomic_max([0], 1)


@pytest.mark.parametrize(
    ("op", "dtype", "message"),
    [
        ("store", np.int8, "const_pointer<int8>"),
        ("scatter", np.int8, "const_pointer<int8>"),
        ("atomic_or", np.float16, "tl.atomic_or does not support fp16"),
        ("atomic_max", np.int16, "tl.atomic_max does not support int16"),
    ],
)
def test_what_is_refused(op: str, dtype: Any, message: str) -> None:
    array = np.zeros(4, dtype)
    with pytest.raises(CompilationError, match=message) as info:
        update_kernel[(1,)](TensorDescriptor.from_tensor(array, [4]), np.zeros(16, np.int8), OP=op)
    location = info.value.location
    assert location is not None and f".{op}(" in location.source_line


def test_array_that_is_too_long() -> None:
    array = np.zeros(4, np.int16)
    desc = TensorDescriptor(array, [2**31], [1], [4])
    with pytest.raises(CompilationError, match="are from 0 to 2147483647, found a value of type int64"):
        update_kernel[(1,)](desc, array, OP="atomic_max")


@pytest.mark.parametrize(
    ("kernel", "signature", "meta"),
    [
        (abs_kernel, ("*fp32", "*fp32", "i32", "i32"), {"BM": 32, "BN": 64, "PADDING": "nan"}),
        (matmul_kernel, ("*bf16", "*bf16", "*fp32", "i32", "i32", "i32"), {"BM": 64, "BN": 64, "BK": 32}),
        (rows_kernel, ("*fp16", "*i32", "*fp16", "i32", "i32"), {"R": 16, "B": 64}),
        (atomic_kernel, ("*fp32", "*fp32", "i32", "i32"), {"OP": "add"}),
        (atomic_kernel, ("*fp64", "*fp64", "i32", "i32"), {"OP": "max"}),
        (atomic_kernel, ("*fp16", "*fp16", "i32", "i32"), {"OP": "min"}),
        (atomic_kernel, ("*bf16", "*bf16", "i32", "i32"), {"OP": "max"}),
    ],
)
def test_accepted_for_every_gpu(kernel: Any, signature: Any, meta: Any) -> None:
    compiles(kernel, *signature, **meta)
