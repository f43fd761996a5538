"""Matrix products of every dtype and rank, and of scaled operands."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles


@triton.jit
def batched_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    out_ptr,
    B: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    TRANSPOSED: tl.constexpr,
):
    batch = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + batch * (M * K) + m[:, None] * K + k)
    if TRANSPOSED:
        b = tl.load(b_ptr + batch * (N * K) + n[:, None] * K + k).trans(0, 2, 1)
    else:
        b = tl.load(b_ptr + batch * (N * K) + k[:, None] * N + n)
    at = batch * (M * N) + m[:, None] * N + n
    tl.store(out_ptr + at, tl.dot(a, b, tl.load(c_ptr + at)))


@pytest.mark.parametrize(("b", "m", "n", "k"), [(1, 4, 4, 4), (2, 16, 16, 16), (3, 5, 7, 9), (8, 2, 33, 6)])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("dtype", "result"), [(np.float32, np.float32), (np.int8, np.int32), (np.float16, np.float32)])
def test_batches(b: int, m: int, n: int, k: int, transposed: bool, dtype: Any, result: Any) -> None:
    rng = np.random.default_rng(b * 100 + m)
    x, y = rng.integers(-9, 9, (b, m, k)).astype(dtype), rng.integers(-9, 9, (b, k, n)).astype(dtype)
    c = rng.integers(-9, 9, (b, m, n)).astype(result)
    stored = np.ascontiguousarray(y.transpose(0, 2, 1)) if transposed else y
    check(
        batched_kernel,
        (1,),
        [x, stored, c],
        [np.empty_like(c)],
        [(x.astype(np.float64) @ y.astype(np.float64) + c).astype(result)],
        num_warps=(1, 2, 4, 8) if dtype is np.float32 else (4,),
        B=b,
        M=m,
        N=n,
        K=k,
        TRANSPOSED=transposed,
    )


@triton.jit
def rank_four_kernel(a_ptr, out_ptr):
    i = tl.arange(0, 2)
    at = ((i[:, None, None, None] * 2 + i[:, None, None]) * 2 + i[:, None]) * 2 + i
    a = tl.load(a_ptr + at)
    tl.store(out_ptr + at, tl.dot(a, a, allow_tf32=False, max_num_imprecise_acc=0))


def test_batch_of_two_axes() -> None:
    a = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)
    check(rank_four_kernel, (1,), [a], [np.empty_like(a)], [a @ a])


@triton.jit
def mixed_kernel(a_ptr, b_ptr, out_ptr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at).T))


@pytest.mark.parametrize("types", [(np.uint8, np.uint8), (np.int8, np.uint8), (np.uint8, np.int8)])
def test_integers_of_eight_bits(types: tuple[Any, Any]) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(np.iinfo(t).min, np.iinfo(t).max + 1, (16, 16)).astype(t) for t in types)
    wanted = a.astype(np.int32) @ b.T.astype(np.int32)
    check(mixed_kernel, (1,), [a, b], [np.empty_like(wanted)], [wanted])


@triton.jit
def precision_kernel(a_ptr, b_ptr, out_ptr, PRECISION: tl.constexpr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), input_precision=PRECISION))


@pytest.mark.parametrize("precision", ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"])
def test_every_precision(precision: str) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal((16, 16)).astype(np.float32) for _ in range(2))
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    check(
        precision_kernel,
        (1,),
        [a, b],
        [np.empty((16, 16), np.float32)],
        [wanted],
        num_warps=(4,),
        atol=1e-5,
        PRECISION=precision,
    )


@triton.jit
def scaled_kernel(
    a_ptr,
    a_scale_ptr,
    b_ptr,
    b_scale_ptr,
    out_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    A_FORMAT: tl.constexpr,
    B_FORMAT: tl.constexpr,
    A_ROWS: tl.constexpr,
    A_COLUMNS: tl.constexpr,
    B_ROWS: tl.constexpr,
    B_COLUMNS: tl.constexpr,
    A_GROUPS: tl.constexpr,
    B_GROUPS: tl.constexpr,
):
    """A format of 4 bits is packed along the axis along which there are half as many elements."""
    a = tl.load(a_ptr + tl.arange(0, A_ROWS)[:, None] * A_COLUMNS + tl.arange(0, A_COLUMNS))
    b = tl.load(b_ptr + tl.arange(0, B_ROWS)[:, None] * B_COLUMNS + tl.arange(0, B_COLUMNS))
    a_scale: tl.constexpr = None
    b_scale: tl.constexpr = None
    m, n = tl.arange(0, M), tl.arange(0, N)
    if A_GROUPS > 0:
        a_scale = tl.load(a_scale_ptr + m[:, None] * A_GROUPS + tl.arange(0, A_GROUPS))
    if B_GROUPS > 0:
        b_scale = tl.load(b_scale_ptr + n[:, None] * B_GROUPS + tl.arange(0, B_GROUPS))
    acc = tl.full((M, N), 1.0, tl.float32)
    acc = tl.dot_scaled(
        a, a_scale, A_FORMAT, b, b_scale, B_FORMAT, acc, lhs_k_pack=A_ROWS == M, rhs_k_pack=B_COLUMNS == N
    )
    tl.store(out_ptr + m[:, None] * N + n, acc)


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float64)
DTYPES = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "bf16": ml_dtypes.bfloat16,
    "fp16": np.float16,
}


def operand(rng: Any, shape: tuple[int, int], name: str, packed_axis: int) -> tuple[np.ndarray, np.ndarray]:
    """A matrix as a kernel gets it, and its values."""
    if name != "e2m1":
        stored = rng.integers(-4, 5, shape).astype(DTYPES[name])
        return stored.view(np.uint8 if stored.itemsize == 1 else np.uint16), stored.astype(np.float64)
    codes = rng.integers(0, 16, shape).astype(np.uint8)
    low, high = (codes[start::2] if packed_axis == 0 else codes[:, start::2] for start in (0, 1))
    return np.ascontiguousarray(low | (high << 4)), E2M1[codes]


def factors(scale: np.ndarray, depth: int) -> np.ndarray:
    exponents = scale.astype(np.float64) - 127
    return np.repeat(np.where(scale == 255, np.nan, 2.0**exponents), depth // scale.shape[1], axis=1)


@pytest.mark.parametrize(
    ("a_format", "b_format", "a_packed", "b_packed", "a_group", "b_group"),
    [
        ("e2m1", "e2m1", 1, 0, 32, 32),
        ("e2m1", "e2m1", 0, 1, 32, 32),
        ("e4m3", "e5m2", 0, 0, 32, 32),
        ("e5m2", "e2m1", 0, 0, 16, 16),
        ("bf16", "e2m1", 0, 0, 0, 32),
        ("e4m3", "fp16", 0, 0, 32, 0),
    ],
)
def test_scaled_products(
    a_format: str, b_format: str, a_packed: int, b_packed: int, a_group: int, b_group: int
) -> None:
    m, n, k = 16, 32, 64
    rng = np.random.default_rng(k)
    a, a_values = operand(rng, (m, k), a_format, a_packed)
    b, b_values = operand(rng, (k, n), b_format, b_packed)
    a_scale = rng.integers(120, 135, (m, k // (a_group or k))).astype(np.uint8)
    b_scale = rng.integers(120, 135, (n, k // (b_group or k))).astype(np.uint8)
    if a_group:
        a_values = a_values * factors(a_scale, k)
    if b_group:
        b_values = b_values * factors(b_scale, k).T
    check(
        scaled_kernel,
        (1,),
        [a, a_scale, b, b_scale],
        [np.empty((m, n), np.float32)],
        [a_values @ b_values + 1],
        num_warps=(1, 4),
        rtol=1e-5,
        atol=1e-2,
        M=m,
        N=n,
        K=k,
        A_FORMAT=a_format,
        B_FORMAT=b_format,
        A_ROWS=a.shape[0],
        A_COLUMNS=a.shape[1],
        B_ROWS=b.shape[0],
        B_COLUMNS=b.shape[1],
        A_GROUPS=k // a_group if a_group else 0,
        B_GROUPS=k // b_group if b_group else 0,
    )


@triton.jit
def unit_kernel(codes_ptr, scales_ptr, out_ptr):
    """Each of 16 codes times each of 256 scales: the codes stand on a diagonal, and the other operand is one."""
    i, k = tl.arange(0, 256), tl.arange(0, 32)
    scales = tl.load(scales_ptr + i)[:, None]
    codes = tl.load(codes_ptr + k[None, :] // 2 + tl.zeros((256, 1), tl.int32))
    low = tl.arange(0, 16)
    ones = tl.where(k[:, None] == 2 * low, 1.0, 0.0).to(tl.bfloat16)
    packed = tl.reshape(codes, (256, 16, 2))
    first, _ = tl.split(packed)
    product = tl.dot_scaled(first, scales, "e2m1", ones, None, "bf16")
    tl.store(out_ptr + i[:, None] * 16 + low, product)


def test_every_code_and_scale() -> None:
    codes, scales = np.arange(16, dtype=np.uint8), np.arange(256, dtype=np.uint8)
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = (E2M1[None, :] * factors(scales[:, None], 1)).astype(np.float32)
    wanted[255] = np.nan
    # Where the scale is NaN, so is the sum; a product beyond a float32 is infinite, and times 0 that is NaN.
    infinite = np.isinf(wanted).any(axis=1)
    out = np.empty((256, 16), np.float32)
    unit_kernel[(1,)](codes, scales, out)
    np.testing.assert_array_equal(out[~infinite], wanted[~infinite])
    with triton.interpret():
        unit_kernel[(1,)](codes, scales, out)
    np.testing.assert_array_equal(out[~infinite], wanted[~infinite])


@pytest.mark.parametrize("dtype", ["*fp16", "*bf16", "*i8"])
def test_batches_compile(dtype: str) -> None:
    result = "*i32" if dtype == "*i8" else "*fp32"
    compiles(batched_kernel, dtype, dtype, result, result, B=2, M=32, N=32, K=32, TRANSPOSED=False)


def test_scaled_products_compile() -> None:
    sizes = {"M": 32, "N": 32, "K": 64, "A_ROWS": 32, "A_COLUMNS": 32, "B_ROWS": 64, "B_COLUMNS": 32}
    signature = ("*u8", "*u8", "*u8", "*u8", "*fp32")
    compiles(scaled_kernel, *signature, A_FORMAT="e2m1", B_FORMAT="e4m3", A_GROUPS=2, B_GROUPS=2, **sizes)
