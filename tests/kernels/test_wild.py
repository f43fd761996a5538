"""What kernels of public projects do that is easily forgotten: private names of Triton, and loose annotations."""

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.language import core, standard
from mytriton.language.standard import _log2  # pyright: ignore[reportPrivateUsage]
from tests.kernels.harness import check, compiles


@tl.constexpr
def bits_of(dtype: tl.dtype) -> tl.dtype:
    return core.get_int_dtype(dtype.primitive_bitwidth, False)


@triton.jit
def exchanged(x, STEP: tl.constexpr, down):
    """Neighbours at a distance of STEP in order, `down` where that is descending; their bits change places."""
    ORDER: tl.constexpr = bits_of(x.dtype)
    pairs = tl.reshape(x, (x.numel // (2 * STEP), 2, STEP))
    right: tl.constexpr = tl.arange(0, 2)[None, :, None]
    first = tl.sum(tl.where(right == 0, pairs, 0), 1, dtype=x.dtype)[:, None, :]
    second = tl.sum(tl.where(right == 1, pairs, 0), 1, dtype=x.dtype)[:, None, :]
    mask = (first > second) != down
    both = first.to(ORDER, bitcast=True) ^ second.to(ORDER, bitcast=True)
    bits = pairs.to(ORDER, bitcast=True)
    return tl.reshape((bits ^ tl.where(mask, both, standard.zeros_like(both))).to(x.dtype, bitcast=True), x.shape)


@triton.jit
def network_kernel(x_ptr, out_ptr, N: tl.constexpr, descending: tl.constexpr = tl.core.CONSTEXPR_0):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    stages: tl.constexpr = _log2(N)
    for stage in tl.static_range(1, stages + 1):
        for step in tl.static_range(stage):
            distance: tl.constexpr = 2 ** (stage - 1 - step)
            if stage < stages:
                block = tl.arange(0, N // (2 * distance)) // (2**step)
                down = (block % 2 == 1)[:, None, None]
            else:
                down = descending == 1
            x = exchanged(x, distance, down)
    tl.store(out_ptr + i, x)


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.float32, np.float64])
def test_a_sorting_network_of_reshapes_and_bits(dtype: type[np.generic]):
    x = np.random.default_rng(7).integers(-999, 999, 64).astype(dtype)
    out = np.empty_like(x)
    check(network_kernel, (1,), [x], [out], [np.sort(x)], num_warps=(1, 4), N=64)
    check(network_kernel, (1,), [x], [out], [np.sort(x)[::-1].copy()], num_warps=(2,), N=64, descending=True)


def test_a_sorting_network_compiles():
    compiles(network_kernel, "*fp32", "*fp32", N=64)


@triton.jit
def scaled(x, scale: tl.constexpr, offsets: tl.constexpr, CLIP: tl.constexpr):
    if CLIP:
        x = tl.minimum(x, 20.0)
    return tl.where(offsets >= 0, x * scale, x)


@triton.jit
def loose_kernel(x_ptr, out_ptr, n, per_program, BLOCK: tl.constexpr):
    SPAN: tl.constexpr = BLOCK * per_program
    first = tl.program_id(0) * SPAN
    for start in range(first, tl.minimum(first + SPAN, n), BLOCK):
        i: tl.constexpr = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n)
        tl.store(out_ptr + i, scaled(x, per_program.to(tl.float32), i - 5, n > 100), mask=i < n)


@pytest.mark.parametrize("n", [70, 150])
def test_annotations_of_values_that_only_the_running_kernel_knows(n: int):
    x = np.arange(n, dtype=np.float32)
    clipped = np.minimum(x, 20) if n > 100 else x
    expected = np.where(np.arange(n) >= 5, clipped * 3, clipped)
    grid = (triton.cdiv(n, 48),)
    check(loose_kernel, grid, [x, n, 3], [np.empty_like(x)], [expected], order=[0, 3, 1, 2], BLOCK=16)


@triton.jit
def hinted_kernel(x_ptr, out_ptr, n):
    total = 0
    for i in range(1, n, 2, num_stages=3, warp_specialize=True):  # pyright: ignore[reportCallIssue]
        total += tl.load(x_ptr + i)
    for i in range(n, loop_unroll_factor=2):  # pyright: ignore[reportCallIssue]
        total -= i
    tl.store(out_ptr, total)


@triton.jit
def wrong_hint_kernel(n):
    for _ in range(n, stages=3):  # pyright: ignore[reportCallIssue]
        pass


def test_hints_of_a_plain_range():
    x = np.arange(40, dtype=np.int32) ** 2
    expected = np.array([x[1:33:2].sum() - 33 * 32 // 2], np.int32)
    check(hinted_kernel, (1,), [x, 33], [np.empty(1, np.int32)], [expected], order=[0, 2, 1])
    with pytest.raises(triton.CompilationError, match="got an unexpected keyword argument 'stages'"):
        wrong_hint_kernel.warmup("i32")


def test_integer_dtypes_by_their_bits():
    assert core.get_int_dtype(bitwidth=16, signed=False) == tl.uint16
    assert core.get_int_dtype(64, True) == tl.int64
    assert core.get_int_dtype(1, False) == tl.int1
    with pytest.raises(ValueError, match="no integer dtype of 12 bits"):
        core.get_int_dtype(12, True)
    assert [standard._log2(i) for i in (1, 2, 12, 16)] == [0, 1, 3, 4]  # pyright: ignore[reportPrivateUsage]


def test_what_wrappers_of_kernels_read():
    assert loose_kernel.__globals__ is globals()
    assert loose_kernel.cache_key == loose_kernel.fingerprint() != network_kernel.cache_key
