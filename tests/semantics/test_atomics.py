"""Atomic operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError, LaunchError
from tests.kernels.harness import check
from tests.semantics.elementwise import bfloat16, check_one


@triton.jit
def masked_kernel(x_ptr, n, out_ptr):
    i = tl.arange(0, 8)
    tl.store(out_ptr + i, x_ptr.atomic_add(1, mask=n > 5) + tl.atomic_xchg(x_ptr + 1 + i, i, mask=i < n))


@pytest.mark.rule("atomic-result")
def test_result_is_what_was_there_before() -> None:
    for interprets in (True, False):
        x, out = np.full(9, 10, np.int32), np.empty(8, np.int32)
        launch(interprets, masked_kernel, x, 3, out)
        assert x.tolist() == [10, 0, 1, 2, 10, 10, 10, 10, 10]
        assert out.tolist() == [10, 10, 10, 0, 0, 0, 0, 0]
        launch(interprets, masked_kernel, x, 6, out)
        assert x.tolist() == [11, 0, 1, 2, 3, 4, 5, 10, 10]
        assert out.tolist() == [10, 11, 12, 20, 20, 20, 10, 10]


def launch(interprets: bool, kernel: Any, *arguments: Any, grid: int = 1, **constants: Any) -> None:
    if not interprets:
        kernel[(grid,)](*arguments, **constants)
        return
    with triton.interpret():
        kernel[(grid,)](*arguments, **constants)


@triton.jit
def duplicates_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.atomic_add(x_ptr + i % 3, 1))
    tl.atomic_add(x_ptr + 3, 1)


@pytest.mark.rule("atomic-duplicates")
def test_each_element_is_done() -> None:
    for interprets in (True, False):
        x, out = np.zeros(4, np.int32), np.empty(60, np.int32)
        launch(interprets, duplicates_kernel, x, out, N=60)
        assert x.tolist() == [20, 20, 20, 1]
        for remainder in range(3):
            assert sorted(out[remainder::3]) == list(range(20))


@triton.jit
def cast_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 2)
    j = tl.arange(0, 4)
    pointers = x_ptr + i[:, None] * 4 + j[None, :]
    tl.atomic_add(pointers, j.to(tl.int64) * 1000)
    tl.store(out_ptr + i[:, None] * 4 + j[None, :], tl.atomic_cas(pointers, 2000, -1.5))


@pytest.mark.rule("atomic-dtypes")
def test_operands_are_cast_and_broadcast() -> None:
    for interprets in (True, False):
        x, out = np.zeros((2, 4), np.int32), np.empty((2, 4), np.int32)
        launch(interprets, cast_kernel, x, out)
        assert x.tolist() == [[0, 1000, -1, 3000]] * 2
        assert out.tolist() == [[0, 1000, 2000, 3000]] * 2
        # -1.5 becomes -1, and 3000 the float 3000.0.
        floats = np.zeros((2, 4), np.float64)
        launch(interprets, cast_kernel, floats, out)
        assert floats.tolist() == [[0, 1000, -1.5, 3000]] * 2


@pytest.mark.rule("atomic-dtypes")
@pytest.mark.parametrize("dtype", ["*i1", "*i8", "*i16"])
def test_narrow_elements_are_refused(dtype: str) -> None:
    with pytest.raises(CompilationError, match="does not support"):
        duplicates_kernel.warmup(dtype, dtype, N=4)


@triton.jit
def add_kernel(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    y = tl.load(y_ptr + i)
    tl.atomic_add(x_ptr + i, y)
    tl.atomic_add(x_ptr + i, y)


@pytest.mark.rule("atomic-add")
@pytest.mark.parametrize("dtype", [np.dtype(np.float16), bfloat16, np.float32, np.int32])
def test_each_sum_is_rounded(dtype: Any) -> None:
    for interprets in (True, False):
        y = np.array([1, 3, 2**-13, 100], dtype) if dtype != np.int32 else np.array([2**30] * 4, dtype)
        x = np.array([2048, 2049, 1, -100], np.float64).astype(dtype)
        with np.errstate(over="ignore"):
            wanted = x + y + y
        launch(interprets, add_kernel, x, y, N=4)
        assert x.astype(np.float64).tolist() == wanted.astype(np.float64).tolist()


@triton.jit
def bits_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 4)
    minus_zero = tl.full((4,), -0.0, tl.float32)
    tl.store(out_ptr + i, tl.atomic_cas(x_ptr + i, minus_zero, 7.0))
    tl.atomic_and(x_ptr + 4 + i, float("nan"))
    tl.atomic_xor(x_ptr + 8 + i, minus_zero)


@pytest.mark.rule("atomic-bits")
def test_bits_of_floats() -> None:
    for interprets in (True, False):
        x, out = np.array([0.0, -0.0, np.nan, 1.0] * 3, np.float32), np.empty(4, np.float32)
        launch(interprets, bits_kernel, x, out)
        np.testing.assert_array_equal(x[:4], np.array([0.0, 7.0, np.nan, 1.0], np.float32))
        np.testing.assert_array_equal(out.view(np.uint32), np.array([0.0, -0.0, np.nan, 1.0], np.float32).view("u4"))
        assert x[4:8].view(np.uint32).tolist() == [0, 0, 0x7FC00000, 0x3F800000]
        assert x[8:].view(np.uint32).tolist() == [0x80000000, 0, 0xFFC00000, 0xBF800000]


@triton.jit
def extremum_kernel(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    y = tl.load(y_ptr + i)
    tl.atomic_max(x_ptr + i, y)
    tl.atomic_min(x_ptr + N + i, y)


@pytest.mark.rule("atomic-float-order")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_order_of_floats(dtype: Any) -> None:
    ordered = np.array([-np.nan, -np.inf, -2, -1, -0.0, 0.0, 1, np.inf, np.nan], dtype)
    first, second = (grid.reshape(-1) for grid in np.meshgrid(np.arange(9), np.arange(9)))
    for interprets in (True, False):
        x = np.concatenate([ordered[first], ordered[first]])
        launch(interprets, extremum_kernel, x, ordered[second], N=81)
        wanted = [ordered[np.maximum(first, second)], ordered[np.minimum(first, second)]]
        word = f"u{x.dtype.itemsize}"
        np.testing.assert_array_equal(x.view(word), np.concatenate(wanted).view(word))


@triton.jit
def message_kernel(flags_ptr, x_ptr, out_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    tl.store(x_ptr + pid * N + i, pid * N + i)
    # The program that comes last has the messages of all; each thread reads what others have written.
    if tl.atomic_add(flags_ptr, 1) == tl.num_programs(0) - 1:
        total = tl.zeros((N,), tl.int32)
        for program in range(tl.num_programs(0)):
            total += tl.load(x_ptr + program * N + (N - 1 - i))
        tl.store(out_ptr + i, total)


@pytest.mark.rule("atomic-order")
@pytest.mark.parametrize("warps", [1, 4])
def test_what_was_released_is_seen(warps: int) -> None:
    for interprets in (True, False):
        flags, x, out = np.zeros(1, np.int32), np.zeros((20, 100), np.int32), np.zeros(100, np.int32)
        launch(interprets, message_kernel, flags, x, out, grid=20, N=100, num_warps=warps)
        assert (out == np.arange(2000).reshape(20, 100).sum(axis=0)[::-1]).all()


@triton.jit
def poll_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, tl.atomic_poll(x_ptr + i, i % 2, timeout_ns=10))


@triton.jit
def wait_kernel(x_ptr):
    tl.atomic_poll(x_ptr, 1)


@pytest.mark.rule("atomic-poll")
def test_poll() -> None:
    check_one(poll_kernel, [np.array([0, 0, 0, 1], np.int32)], [True, False, True, True], np.bool_)
    wait_kernel[(1,)](np.ones(1, np.int32))
    with triton.interpret(), pytest.raises(LaunchError, match="waits for ever"):
        wait_kernel[(1,)](np.zeros(1, np.int32))


@triton.jit
def scalar_kernel(counter_ptr, out_ptr):
    tl.store(out_ptr + tl.program_id(0), tl.atomic_load(counter_ptr) + 1)


@pytest.mark.rule("atomic-result")
def test_load_of_a_scalar() -> None:
    counter = np.array([41], np.int32)
    check(scalar_kernel, (3,), [counter], [np.empty(3, np.int32)], [np.full(3, 42, np.int32)], num_warps=(1, 4))
