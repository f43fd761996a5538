"""Matrix products."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check
from tests.semantics.elementwise import bfloat16

WARPS = (1, 4)


@triton.jit
def dot_kernel(
    a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, OUT: tl.constexpr, DTYPE: tl.constexpr
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    product = tl.dot(a, b, out_dtype=OUT)
    tl.static_assert(product.dtype == DTYPE)
    tl.store(out_ptr + m[:, None] * N + n[None, :], product)


def check_dot(
    a: np.ndarray, b: np.ndarray, expected: np.ndarray, dtype: Any, out: Any = None, rtol: float = 0, atol: float = 0
) -> None:
    """The product of `a` and `b` has the dtype `dtype` of the language, and is `expected`."""
    sizes = {"M": a.shape[0], "N": b.shape[1], "K": a.shape[1]}
    output = np.empty_like(expected)
    check(
        dot_kernel,
        (1,),
        [a, b],
        [output],
        [expected],
        num_warps=WARPS,
        rtol=rtol,
        atol=atol,
        OUT=out,
        DTYPE=dtype,
        **sizes,
    )


@pytest.mark.rule("dot-dtypes")
@pytest.mark.parametrize(
    ("dtype", "output", "result"),
    [
        (np.dtype(np.float16), np.float32, tl.float32),
        (bfloat16, np.float32, tl.float32),
        (np.float32, np.float32, tl.float32),
        (np.float64, np.float64, tl.float64),
        (np.int8, np.int32, tl.int32),
    ],
)
def test_dtype_of_products(dtype: Any, output: Any, result: Any) -> None:
    a, b = np.arange(24).reshape(4, 6).astype(dtype), np.arange(-9, 9).reshape(6, 3).astype(dtype)
    check_dot(a, b, (a.astype(np.float64) @ b.astype(np.float64)).astype(output), result)


@triton.jit
def mixed_dot_kernel(a_ptr, b_ptr, out_ptr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


@triton.jit
def wrong_accumulator_kernel(a_ptr, b_ptr, out_ptr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), tl.zeros((16, 16), tl.float64)))


@pytest.mark.rule("dot-dtypes")
def test_dots_that_are_refused() -> None:
    with pytest.raises(CompilationError, match="one dtype"):
        mixed_dot_kernel.warmup("*fp16", "*fp32", "*fp32")
    with pytest.raises(CompilationError, match="int32"):
        mixed_dot_kernel.warmup("*i32", "*i32", "*i32")
    with pytest.raises(CompilationError, match="fp64"):
        wrong_accumulator_kernel.warmup("*fp32", "*fp32", "*fp32")


@pytest.mark.rule("dot-precision")
def test_products_of_float32_keep_all_their_digits() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((16, 16)).astype(np.float32) for _ in range(2))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    # With the 11 digits of tf32 the error would be some thousand times as large.
    bound = float((np.abs(a).astype(np.float64) @ np.abs(b)).max()) * 17 * 2.0**-24
    check_dot(a, b, exact.astype(np.float32), tl.float32, atol=bound)


@triton.jit
def precision_kernel(a_ptr, b_ptr, out_ptr, PRECISION: tl.constexpr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), input_precision=PRECISION))


@pytest.mark.rule("dot-precision")
def test_precision_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    signature = ("*fp32", "*fp32", "*fp32")

    def text(precision: str | None, **options: Any) -> str:
        return precision_kernel.warmup(*signature, PRECISION=precision, **options).asm["tt"]

    assert text(None) == text(None, input_precision="ieee") == text("ieee")
    assert "tf32" not in text(None)
    assert "inputPrecision = tf32" in text("tf32")
    assert "inputPrecision = tf32" in text(None, input_precision="tf32")
    monkeypatch.setenv("MYTRITON_DOT_PRECISION", "tf32")
    assert "inputPrecision = tf32" in text(None)
    assert "tf32" not in text("ieee")


@pytest.mark.rule("dot-accumulation")
def test_small_floats_are_accumulated_in_float32() -> None:
    for dtype in (np.dtype(np.float16), bfloat16):
        a, b = np.full((4, 64), 100, dtype), np.full((64, 4), 100, dtype)
        check_dot(a, b, np.full((4, 4), 640000, np.float32), tl.float32)
    # A result in float16 is rounded once, at the end.
    a, b = np.full((4, 64), 1, np.float16), np.full((64, 4), 1, np.float16)
    a[:, 0], a[:, 1] = 60000, -60000
    b[:2] = 100
    check_dot(a, b, np.full((4, 4), 62, np.float16), tl.float16, tl.float16)


@triton.jit
def accumulator_kernel(a_ptr, b_ptr, c_ptr, out_ptr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    acc = tl.load(c_ptr + at)
    a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
    tl.store(out_ptr + at, tl.dot(a, b, acc))


@pytest.mark.rule("dot-integers")
def test_integer_products_wrap() -> None:
    a, b = np.full((16, 16), -128, np.int8), np.full((16, 16), -128, np.int8)
    c = np.full((16, 16), 2**31 - 1, np.int32)
    wanted = (c.astype(np.int64) + 16 * 128 * 128).astype(np.uint32).astype(np.int32)
    check(accumulator_kernel, (1,), [a, b, c], [np.empty_like(c)], [wanted], num_warps=WARPS)


@pytest.mark.rule("dot-sizes")
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (3, 5, 7), (16, 16, 1), (33, 2, 12)])
def test_any_size_of_tile(m: int, n: int, k: int) -> None:
    a = np.arange(m * k, dtype=np.float32).reshape(m, k) % 13
    b = np.arange(k * n, dtype=np.float32).reshape(k, n) % 11
    check_dot(a, b, a @ b, tl.float32)


@pytest.mark.rule("dot-integers")
def test_products_of_unsigned_integers() -> None:
    a, b = np.full((8, 4), 255, np.uint8), np.full((4, 8), 200, np.uint8)
    check_dot(a, b, np.full((8, 8), 4 * 255 * 200, np.int32), tl.int32)


@triton.jit
def batch_kernel(a_ptr, b_ptr, out_ptr):
    i = tl.arange(0, 4)
    at = tl.arange(0, 3)[:, None, None] * 16 + i[:, None] * 4 + i
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


@pytest.mark.rule("dot-batches")
def test_each_pair_of_a_batch_is_multiplied() -> None:
    a = np.arange(48, dtype=np.float32).reshape(3, 4, 4)
    b = a[::-1].copy() - 20
    check(batch_kernel, (1,), [a, b], [np.empty_like(a)], [a @ b], num_warps=WARPS)


@triton.jit
def dot_scaled_kernel(a_ptr, scale_ptr, b_ptr, out_ptr, FORMAT: tl.constexpr):
    i, k = tl.arange(0, 16), tl.arange(0, 32)
    a = tl.load(a_ptr + i[:, None] * 32 + k)
    b = tl.load(b_ptr + k[:, None] * 16 + i)
    product = tl.dot_scaled(a, tl.load(scale_ptr + i[:, None]), "e4m3", b, None, FORMAT)
    tl.store(out_ptr + i[:, None] * 16 + i, product)


@pytest.mark.rule("dot-scaled")
def test_scales_are_powers_of_two() -> None:
    a = np.arange(512).reshape(16, 32) % 13 - 6
    b = np.arange(512).reshape(32, 16) % 7 - 3
    scale = np.array([[127], [128], [120], [135]] * 4, np.uint8)
    wanted = (2.0 ** (scale - 127.0)) * (a @ b)
    stored = a.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
    for name, dtype in (("bf16", ml_dtypes.bfloat16), ("fp16", np.float16)):
        check(
            dot_scaled_kernel,
            (1,),
            [stored, scale, b.astype(dtype)],
            [np.empty((16, 16), np.float32)],
            [wanted],
            num_warps=WARPS,
            rtol=0,
            FORMAT=name,
        )


@pytest.mark.rule("dot-scaled")
def test_scale_that_is_nan() -> None:
    a, b = np.full((16, 32), 0x38, np.uint8), np.ones((32, 16), np.float16)
    scale = np.full((16, 1), 127, np.uint8)
    scale[3] = 255
    wanted = np.full((16, 16), 32, np.float32)
    wanted[3] = np.nan
    check(dot_scaled_kernel, (1,), [a, scale, b], [np.empty_like(wanted)], [wanted], num_warps=WARPS, FORMAT="fp16")
