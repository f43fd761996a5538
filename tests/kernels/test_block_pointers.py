"""Block pointers: tiles of arrays, with and without a check of the bounds."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.compiler import compile_function
from mytriton.diagnostics import collect_remarks
from mytriton.options import Options
from tests.kernels.harness import check, compiles


@triton.jit
def matmul_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0), tl.program_id(1)
    pa = tl.make_block_ptr(
        base=a, shape=(M, K), strides=(K, 1), offsets=(m * BM, 0), block_shape=(BM, BK), order=(1, 0)
    )
    pb = tl.make_block_ptr(b, [K, N], [N, 1], [0, n * BN], [BK, BN], [1, 0])
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(pa, boundary_check=(0, 1), padding_option="zero"), tl.load(pb, boundary_check=(0, 1)))
        pa = tl.advance(pa, (0, BK))
        pb = pb.advance((BK, 0))
    to = tl.make_block_ptr(out, (M, N), (N, 1), (m * BM, n * BN), (BM, BN), (1, 0))
    tl.store(to, acc.to(to.dtype.element_ty), boundary_check=(0, 1))


@pytest.mark.mytriton_sanitize(False)  # multiplies elements outside of the arrays
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_matmul(dtype: Any) -> None:
    m, n, k, tile = 37, 50, 41, {"BM": 16, "BN": 12, "BK": 8}
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    check(
        matmul_kernel,
        (triton.cdiv(m, 16), triton.cdiv(n, 12)),
        [a, b, m, n, k],
        [np.empty((m, n), np.float32)],
        [wanted],
        order=[0, 1, 5, 2, 3, 4],
        rtol=1e-4,
        atol=1e-4,
        **tile,
    )


def test_matmul_is_staged_and_compiles() -> None:
    tile = {"BM": 64, "BN": 64, "BK": 16}
    signature = {name: "*fp16" if name in ("a", "b", "out") else "i32" for name in ("a", "b", "out", "M", "N", "K")}
    with collect_remarks() as remarks:
        compile_function(matmul_kernel, signature, tile, {}, Options())
    assert [remark.message for remark in remarks if remark.pass_name == "match-dot-operands"] == []
    compiles(matmul_kernel, *signature.values(), **tile)


@triton.jit
def shifted_kernel(x, out, rows, columns, shift, CHECK: tl.constexpr, PADDING: tl.constexpr):
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (shift, 0), (8, 16), (1, 0))
    target = tl.make_block_ptr(out, (8, 16), (16, 1), (0, 0), (8, 16), (1, 0))
    tl.store(target, tl.load(source, boundary_check=CHECK, padding_option=PADDING))


@pytest.mark.mytriton_sanitize(False)  # stores elements outside of the arrays
@pytest.mark.parametrize("shift", [-3, 0, 2, 9])
@pytest.mark.parametrize("padding", ["zero", "nan", ""])
def test_tiles_that_stick_out_of_the_array(shift: int, padding: str) -> None:
    x = np.arange(1, 9 * 16 + 1, dtype=np.float32).reshape(9, 16)
    wanted = np.full((8, 16), np.nan if padding == "nan" else 0, np.float32)
    for row in range(8):
        if 0 <= row + shift < 9:
            wanted[row] = x[row + shift]
    check(
        shifted_kernel,
        (1,),
        [x, 9, 16, shift],
        [np.empty_like(wanted)],
        [wanted],
        order=[0, 4, 1, 2, 3],
        num_warps=(1, 4),
        CHECK=(0,),
        PADDING=padding,
    )


@triton.jit
def transposed_kernel(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """The array is seen as its transpose, through strides."""
    first = tl.program_id(0) * BN
    source = tl.make_block_ptr(x, (N, M), (1, N), (first, 0), (BN, BM), (0, 1))
    target = tl.make_block_ptr(out, (N, M), (M, 1), (first, 0), (BN, BM), (1, 0))
    for _ in range(tl.cdiv(M, BM)):
        target.store(tl.load(source, boundary_check=(1, 0)), boundary_check=(0, 1))
        source, target = tl.advance(source, (0, BM)), tl.advance(target, (0, BM))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (16, 8), (21, 35)])
def test_strides_in_any_order(m: int, n: int) -> None:
    x = np.random.default_rng(1).standard_normal((m, n)).astype(np.float32)
    check(
        transposed_kernel,
        (triton.cdiv(n, 16),),
        [x, m, n],
        [np.empty((n, m), np.float32)],
        [x.T],
        order=[0, 3, 1, 2],
        BM=8,
        BN=16,
    )


@triton.jit
def scaled_tile(tile, factor):
    return tl.load(tile, boundary_check=(0,)) * factor


@triton.jit
def chosen_kernel(x, y, out, flags, n, stride, B: tl.constexpr):
    """A block pointer that a branch chooses, in one dimension with a stride, passed to a function."""
    i = tl.program_id(0)
    tile = tl.make_block_ptr(x, (n,), (stride,), (i * B,), (B,), (0,))
    if tl.load(flags + i) != 0:
        tile = tl.make_block_ptr(y, (n,), (stride,), (0,), (B,), (0,))
        tile = tl.advance(tile, (i * B,))
    tl.store(tl.make_block_ptr(out, (n,), (1,), (i * B,), (B,), (0,)), scaled_tile(tile, 2), boundary_check=(0,))


@pytest.mark.parametrize("stride", [1, 3])
def test_pointers_chosen_by_a_branch(stride: int) -> None:
    n, block = 50, 16
    x, y = (np.arange(n * stride, dtype=np.int32) + start for start in (0, 1000))
    flags = np.array([0, 1, 0, 1], np.int32)
    wanted = np.where(np.repeat(flags, block)[:n] != 0, y[::stride], x[::stride]) * 2
    check(
        chosen_kernel,
        (4,),
        [x, y, flags, n, stride],
        [np.empty(n, np.int32)],
        [wanted],
        order=[0, 1, 5, 2, 3, 4],
        B=block,
    )


@triton.jit
def cube_kernel(x, out, A, B, C):
    """Rank 3, an array of booleans, and offsets and extents of 64 bits."""
    i = tl.program_id(0).to(tl.int64)
    source = tl.make_block_ptr(x, (A, B, C.to(tl.int64)), (B * C, C, 1), (i * 2, 0, 0), (2, 4, 8), (2, 1, 0))
    target = tl.make_block_ptr(out, (A, B, C), (B * C, C, 1), (i * 2, 0, 0), (2, 4, 8), (2, 1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1, 2)) == 0, boundary_check=(0, 1, 2))


def test_rank_three_of_booleans() -> None:
    x = np.random.default_rng(2).integers(0, 2, (5, 3, 7)).astype(bool)
    check(cube_kernel, (3,), [x, 5, 3, 7], [np.empty_like(x)], [~x], order=[0, 4, 1, 2, 3])


@pytest.mark.parametrize(
    ("kernel", "signature", "meta"),
    [
        (chosen_kernel, ("*fp16", "*fp16", "*fp16", "*i32", "i32", "i64"), {"B": 64}),
        (cube_kernel, ("*i1", "*i1", "i32", "i32", "i32"), {}),
        (transposed_kernel, ("*u8", "*u8", "i64", "i64"), {"BM": 32, "BN": 64}),
    ],
)
def test_accepted_for_every_gpu(kernel: Any, signature: Any, meta: Any) -> None:
    compiles(kernel, *signature, **meta)
