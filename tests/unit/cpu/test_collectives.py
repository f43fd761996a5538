"""Barriers, shuffles, votes and reductions over a warp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mytriton.runtime import nvrtc
from tests.unit.cpu.running import compile_body, kernel_text, launch

LANES = np.arange(32)


def segment(width: int) -> np.ndarray[Any, Any]:
    """The first lane of each lane's segment."""
    return LANES // width * width


def source_of_shfl(lane: int, width: int) -> np.ndarray[Any, Any]:
    return segment(width) + lane % width


def source_of_up(delta: int, width: int) -> np.ndarray[Any, Any]:
    return np.where(LANES - delta >= segment(width), LANES - delta, LANES)


def source_of_down(delta: int, width: int) -> np.ndarray[Any, Any]:
    return np.where(LANES + delta < segment(width) + width, LANES + delta, LANES)


def source_of_xor(mask: int, width: int) -> np.ndarray[Any, Any]:
    source = LANES ^ mask
    return np.where(source < segment(width) + width, source, LANES)


SHUFFLES: dict[str, Callable[[int, int], np.ndarray[Any, Any]]] = {
    "__shfl_sync": source_of_shfl,
    "__shfl_up_sync": source_of_up,
    "__shfl_down_sync": source_of_down,
    "__shfl_xor_sync": source_of_xor,
}


@pytest.mark.parametrize("name", SHUFFLES)
def test_shuffles(name: str) -> None:
    """Every operand and width, the warps of a block each on their own."""
    body = f"""
    const int tid = threadIdx.x;
    int at = 0;
    for (int width = 32; width > 0; width /= 2) {{
        for (int operand = 0; operand < 32; ++operand) {{
            out[at * 64 + tid] = {name}(0xffffffff, tid, operand, width);
            ++at;
        }}
    }}
    out[at * 64 + tid] = {name}(0xffffffff, tid, 3);"""
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text("int *out", body, num_warps=2), "sm_80")
    out = np.zeros((6 * 32 + 1, 2, 32), np.int32)
    launch(compile_body("int *out", body, num_warps=2), (1,), out)
    expected = [SHUFFLES[name](operand, 32 >> k) for k in range(6) for operand in range(32)]
    expected.append(SHUFFLES[name](3, 32))
    np.testing.assert_array_equal(out[:, 0], expected)
    np.testing.assert_array_equal(out[:, 1], np.array(expected) + 32)


@pytest.mark.parametrize(
    ("c_type", "dtype"),
    [
        ("int", np.int32),
        ("unsigned", np.uint32),
        ("long long", np.int64),
        ("unsigned long long", np.uint64),
        ("float", np.float32),
        ("double", np.float64),
    ],
)
def test_types_of_shuffles(c_type: str, dtype: Any) -> None:
    body = "out[threadIdx.x] = __shfl_xor_sync(0xffffffff, x[threadIdx.x], 5);"
    x = (np.arange(32) * 1.5e6 - 3).astype(dtype)
    out = np.zeros_like(x)
    launch(compile_body(f"{c_type} *x, {c_type} *out", body), (1,), x, out)
    np.testing.assert_array_equal(out, x[LANES ^ 5])


def test_shuffle_within_some_lanes() -> None:
    """Two halves of a warp shuffle in different places at the same time."""
    body = """
    const int tid = threadIdx.x;
    if (tid < 16) {
        out[tid] = __shfl_xor_sync(0x0000ffff, tid, 1);
    } else {
        out[tid] = __shfl_xor_sync(0xffff0000, tid, 2);
    }"""
    out = np.zeros(32, np.int32)
    launch(compile_body("int *out", body), (1,), out)
    np.testing.assert_array_equal(out, np.where(LANES < 16, LANES ^ 1, LANES ^ 2))


def test_butterfly_sums_in_order() -> None:
    """The partial sums are those that a GPU makes, to the bit."""
    body = """
    float v = x[threadIdx.x];
    for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffff, v, m);
    out[threadIdx.x] = v;"""
    x = np.random.default_rng(0).normal(size=32).astype(np.float32)
    out = np.zeros_like(x)
    launch(compile_body("float *x, float *out", body), (1,), x, out)
    for mask in (16, 8, 4, 2, 1):
        x = x + x[LANES ^ mask]
    np.testing.assert_array_equal(out, x)


def test_votes_and_matches() -> None:
    body = """
    const int tid = threadIdx.x;
    const int v = x[tid];
    out[tid] = __ballot_sync(0xffffffff, v > 5);
    out[32 + tid] = __any_sync(0xffffffff, v > 8);
    out[64 + tid] = __any_sync(0xffffffff, v > 9);
    out[96 + tid] = __all_sync(0xffffffff, v >= 0);
    out[128 + tid] = __all_sync(0xffffffff, v > 0);
    out[160 + tid] = __match_any_sync(0xffffffff, v);
    if (tid % 2) out[192 + tid] = __ballot_sync(0xaaaaaaaa, v > 5);"""
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text("int *x, int *out", body), "sm_80")
    x = np.arange(32, dtype=np.int32) * 7 % 10
    out = np.zeros((7, 32), np.int32)
    launch(compile_body("int *x, int *out", body), (1,), x, out)
    bits = np.uint64(1) << LANES.astype(np.uint64)
    ballot = int(bits[x > 5].sum())
    np.testing.assert_array_equal(out[0].view(np.uint32), ballot)
    np.testing.assert_array_equal(out[1:5], np.array([[1], [0], [1], [0]]) + np.zeros((4, 32)))
    np.testing.assert_array_equal(out[5].view(np.uint32), [int(bits[x == v].sum()) for v in x])
    np.testing.assert_array_equal(out[6].view(np.uint32)[1::2], ballot & 0xAAAAAAAA)


def test_reductions() -> None:
    names = ["add", "min", "max", "and", "or", "xor"]
    lines = [
        f"out[{k} * 32 + threadIdx.x] = __reduce_{name}_sync(~0u, x[threadIdx.x]);" for k, name in enumerate(names)
    ]
    x = np.random.default_rng(0).integers(0, 1 << 32, 32, dtype=np.uint32)
    for c_type, values in (("unsigned", x), ("int", x.view(np.int32))):
        kept = [
            line
            for name, line in zip(names, lines, strict=True)
            if c_type == "unsigned" or name in ("add", "min", "max")
        ]
        text = f"{c_type} *x, {c_type} *out", "\n".join(kept)
        if nvrtc.is_available():
            nvrtc.compile_to_ptx(kernel_text(*text), "sm_80")
        out = np.zeros((6, 32), values.dtype)
        launch(compile_body(*text), (1,), values, out)
        expected = [
            values.sum(dtype=values.dtype),
            values.min(),
            values.max(),
            np.bitwise_and.reduce(values),
            np.bitwise_or.reduce(values),
            np.bitwise_xor.reduce(values),
        ][: len(kept)]
        np.testing.assert_array_equal(out[: len(kept)], np.repeat(np.array(expected)[:, None], 32, axis=1))


@pytest.mark.parametrize("num_warps", [1, 3, 32])
def test_barriers_order_shared_memory(num_warps: int) -> None:
    """Each round every thread reads what another one wrote."""
    threads = 32 * num_warps
    body = f"""
    __shared__ int values[{threads}];
    const int tid = threadIdx.x;
    values[tid] = tid;
    __syncthreads();
    for (int round = 1; round < 20; ++round) {{
        const int v = values[(tid + round * 37) % {threads}];
        __syncthreads();
        values[tid] = v;
        __syncthreads();
    }}
    out[tid] = values[tid];"""
    out = np.zeros(threads, np.int32)
    launch(compile_body("int *out", body, num_warps), (1,), out)
    expected = np.arange(threads)
    for turn in range(1, 20):
        expected = expected[(np.arange(threads) + turn * 37) % threads]
    np.testing.assert_array_equal(out, expected)


def test_barriers_that_count() -> None:
    body = """
    const int tid = threadIdx.x;
    const int count = __syncthreads_count(tid % 3 == 0);
    const int any = __syncthreads_or(tid == 63);
    const int none = __syncthreads_or(tid == 64);
    const int all = __syncthreads_and(tid < 64);
    const int not_all = __syncthreads_and(tid < 63);
    out[tid] = count * 10000 + any * 1000 + none * 100 + all * 10 + not_all;"""
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text("int *out", body, num_warps=2), "sm_80")
    out = np.zeros(64, np.int32)
    launch(compile_body("int *out", body, num_warps=2), (1,), out)
    np.testing.assert_array_equal(out, 221010)


def test_syncwarp_orders_lanes() -> None:
    body = """
    __shared__ int values[32];
    const int tid = threadIdx.x;
    values[tid] = tid * tid;
    __syncwarp();
    const int v = values[31 - tid];
    __syncwarp(0xffffffff);
    values[tid] = v;
    __syncwarp();
    out[tid] = values[(tid + 1) % 32];"""
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text("int *out", body), "sm_80")
    out = np.zeros(32, np.int32)
    launch(compile_body("int *out", body), (1,), out)
    np.testing.assert_array_equal(out, (31 - (LANES + 1) % 32) ** 2)


def test_device_functions_use_the_builtin_variables() -> None:
    """A function of its own finds its thread, and may take part in collective operations."""
    before = """
static __device__ __noinline__ int position() {
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
__device__ __forceinline__ int rotated(int v) {
    __syncthreads();
    return __shfl_sync(0xffffffff, v + (int)(threadIdx.x / 32) * 0 + position(), (threadIdx.x + 1) % 32);
}
__device__ float unused(float x) { return x * blockDim.x; }
"""
    body = """
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[block * 64 + threadIdx.x] = rotated(threadIdx.x) * 1000 + blockDim.x;"""
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(kernel_text("int *out", body, 2, before), "sm_80")
    out = np.zeros((12, 64), np.int32)
    launch(compile_body("int *out", body, 2, before), (2, 3, 2), out)
    neighbour = np.concatenate([(LANES + 1) % 32, (LANES + 1) % 32 + 32])
    np.testing.assert_array_equal(out, (neighbour + np.arange(12)[:, None]) * 1000 + 64)
