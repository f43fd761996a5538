"""Atomic operations, and blocks that wait for each other through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mytriton.runtime import nvrtc
from tests.unit.cpu.running import compile_body, kernel_text, launch

INTEGER_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "atomicAdd": lambda old, value: old + value,
    "atomicExch": lambda _, value: value,
    "atomicMin": min,
    "atomicMax": max,
    "atomicAnd": lambda old, value: old & value,
    "atomicOr": lambda old, value: old | value,
    "atomicXor": lambda old, value: old ^ value,
}
WORD_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "atomicSub": lambda old, value: old - value,
    "atomicInc": lambda old, value: 0 if old >= value else old + 1,
    "atomicDec": lambda old, value: value if old == 0 or old > value else old - 1,
}


@pytest.mark.parametrize(
    ("c_type", "dtype"),
    [("int", np.int32), ("unsigned", np.uint32), ("unsigned long long", np.uint64), ("long long", np.int64)],
)
def test_integers(c_type: str, dtype: Any) -> None:
    operations = dict(INTEGER_OPERATIONS)
    if c_type == "unsigned":
        operations |= WORD_OPERATIONS
    lines = [f"old[{k} * 32 + tid] = {name}(&x[{k} * 32 + tid], y[tid]);" for k, name in enumerate(operations)]
    k = len(operations)
    lines.append(f"old[{k} * 32 + tid] = atomicCAS(&x[{k} * 32 + tid], tid % 2 ? y[tid] : x[{k} * 32 + tid], y[tid]);")
    params, body = f"{c_type} *x, {c_type} *y, {c_type} *old", "\n".join(["const int tid = threadIdx.x;", *lines])
    if nvrtc.is_available() and c_type != "long long":
        nvrtc.compile_to_ptx(kernel_text(params, body), "sm_80")
    limits: Any = np.iinfo(dtype)
    rng: Any = np.random.default_rng(0)
    before: Any = rng.integers(limits.min, limits.max, (k + 1, 32), dtype=dtype, endpoint=True)
    before[:, :3] = [0, limits.max, 5]
    y: Any = rng.integers(limits.min, limits.max, 32, dtype=dtype, endpoint=True)
    y[2] = 5
    x: Any = before.copy()
    old: Any = np.zeros_like(before)
    launch(compile_body(params, body), (1,), x, y, old)
    np.testing.assert_array_equal(old, before)
    bits = 8 * before.itemsize
    for row, (name, operation) in zip(range(k), operations.items(), strict=True):
        values = [operation(a, b) % (1 << bits) for a, b in zip(before[row].tolist(), y.tolist(), strict=True)]
        np.testing.assert_array_equal(x[row].view(f"u{bits // 8}"), np.array(values, f"u{bits // 8}"), err_msg=name)
    swapped: Any = (np.arange(32) % 2 == 0) | (before[k] == y)
    before[k][swapped] = y[swapped]
    np.testing.assert_array_equal(x[k], before[k])


@pytest.mark.parametrize(("c_type", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_sum_of_floats_from_many_blocks(c_type: str, dtype: Any) -> None:
    body = "atomicAdd(out, x[blockIdx.x * 32 + threadIdx.x]);\natomicAdd(&out[1], 1);"
    x = np.random.default_rng(0).integers(-1000, 1000, 32 * 500).astype(dtype)
    out = np.zeros(2, dtype)
    launch(compile_body(f"{c_type} *x, {c_type} *out", body), (500,), x, out, workers=4)
    assert out.tolist() == [x.sum(), x.size]


def test_shared_counter() -> None:
    body = """
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = count;"""
    out = np.zeros((20, 128), np.int32)
    launch(compile_body("int *out", body, num_warps=4), (20,), out, workers=3)
    assert (out == 127 * 64).all()


def test_lock_between_blocks() -> None:
    """A read and a write that another block must not come between."""
    body = """
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        volatile int *shared_sum = sum;
        const int before = *shared_sum;
        for (volatile int i = 0; i < 100; ++i) {
        }
        *shared_sum = before + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
    __syncthreads();"""
    kernel = compile_body("int *lock, int *sum", body, num_warps=2)
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    launch(kernel, (300,), lock, total, workers=4)
    assert (lock[0], total[0]) == (0, 300)


def test_lock_between_threads_of_a_warp() -> None:
    body = """
    while (atomicExch(lock, 1) != 0) {
    }
    *sum += threadIdx.x;
    atomicExch(lock, 0);"""
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    launch(compile_body("int *lock, int *sum", body, num_warps=2), (1,), lock, total)
    assert total[0] == 63 * 32


def test_a_lane_waits_for_another_one() -> None:
    """Also for one that comes later in the same warp, or in the warp before."""
    body = """
    if (threadIdx.x == 40) {
        while (atomicCAS(flag, 2, 3) != 2) {
        }
    } else if (threadIdx.x == 50) {
        while (atomicCAS(flag, 1, 2) != 1) {
        }
    } else if (threadIdx.x == 31) {
        atomicExch(flag, 1);
        while (atomicCAS(flag, 3, 4) != 3) {
        }
    }"""
    flag = np.zeros(1, np.int32)
    launch(compile_body("int *flag", body, num_warps=2), (1,), flag)
    assert flag[0] == 4


@pytest.mark.parametrize("wait", ["atomicAdd(arrived, 0) < n", "atomicCAS(arrived, -1, -1) < n"])
@pytest.mark.parametrize("workers", [1, 2])
def test_grid_barrier(wait: str, workers: int) -> None:
    """Every block waits for all the others, so that as many must run at the same time as there are blocks."""
    body = f"""
    out[blockIdx.x] = 1;
    __threadfence();
    if (threadIdx.x == 0) {{
        atomicAdd(arrived, 1);
        while ({wait}) {{
        }}
    }}
    __syncthreads();
    __threadfence();
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += out[i];
    for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffff, sum, m);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;"""
    kernel = compile_body("int *arrived, int *out, int *sums, int n", body)
    for _ in range(2):
        arrived, out, sums = np.zeros(1, np.int32), np.zeros(24, np.int32), np.zeros(24, np.int32)
        launch(kernel, (24,), arrived, out, sums, 24, workers=workers)
        assert (sums == 24).all()


def test_grid_barrier_that_fills_slowly() -> None:
    """The launching thread goes back to Python, and lets others in, while more blocks run than it would let in."""
    body = """
    if (threadIdx.x == 0) {
        for (volatile int i = 0; i < 20000000; ++i) {
        }
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < n) {
        }
    }
    __syncthreads();"""
    kernel = compile_body("int *arrived, int n", body)
    arrived = np.zeros(1, np.int32)
    launch(kernel, (16,), arrived, 16, workers=1)
    assert arrived[0] == 16


def test_waiting_in_a_plain_loop() -> None:
    """Threads that wait for no other thread of their block wait for another block."""
    body = """
    if (blockIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {
        }
    } else {
        atomicAdd(flag, 1);
    }"""
    flag = np.zeros(1, np.int32)
    launch(compile_body("int *flag", body), (2,), flag, workers=1)
    assert flag[0] == 32


def test_cache_hints() -> None:
    body = """
    const int tid = threadIdx.x;
    __stcg(&out[tid], __ldg(&x[tid]) + __ldca(&x[tid]) + __ldcg(&x[tid]) + __ldcs(&x[tid]) + __ldlu(&x[tid]));
    __stwb(&out[32 + tid], __ldcv(&x[tid]));
    __stcs(&out[64 + tid], 2);
    __stwt(&out[96 + tid], 3);"""
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text("float *x, float *out", body), "sm_80")
    x: Any = np.arange(32, dtype=np.float32)
    out = np.zeros((4, 32), np.float32)
    launch(compile_body("float *x, float *out", body), (1,), x, out)
    np.testing.assert_array_equal(out, [5 * x, x, x * 0 + 2, x * 0 + 3])
