"""Threads that wait for ever are reported: which, where, at what. The process goes on."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from mytriton.errors import LaunchError, MytritonError
from mytriton.runtime import cpu
from tests.unit.cpu.running import compile_body, launch


def deadlock(body: str, num_warps: int = 1, grid: tuple[int, ...] = (1,)) -> cpu.DeadlockError:
    """The error of a launch."""
    kernel = compile_body("int *out", body, num_warps)
    out = np.zeros(1024, np.int32)
    with pytest.raises(cpu.DeadlockError) as caught:
        launch(kernel, grid, out)
    # The workers are free again.
    check = compile_body("int *out", "__syncthreads();\nout[threadIdx.x] = 5;")
    launch(check, (1,), out)
    assert (out[:32] == 5).all()
    return caught.value


def test_a_thread_ends_while_others_wait() -> None:
    error = deadlock("if (threadIdx.x >= 40) return;\n__syncthreads();", num_warps=2)
    assert isinstance(error, LaunchError) and isinstance(error, MytritonError)
    assert str(error) == (
        "kernel: deadlock in block (0, 0, 0)\n"
        "  threads 0-39 wait at __syncthreads in line 5: __syncthreads();\n"
        "  threads 40-63 have ended"
    )
    waiting, ended = error.groups
    assert (waiting.first, waiting.last, waiting.kind, waiting.line) == (0, 39, "__syncthreads", 5)
    assert (ended.first, ended.last, ended.kind) == (40, 63, None)


def test_one_thread() -> None:
    error = deadlock("if (threadIdx.x == 3) __syncthreads();")
    assert [str(group) for group in error.groups] == [
        "threads 0-2 have ended",
        "thread 3 waits at __syncthreads in line 4: if (threadIdx.x == 3) __syncthreads();",
        "threads 4-31 have ended",
    ]


def test_barriers_in_different_places() -> None:
    error = deadlock("if (threadIdx.x < 16) {\n__syncthreads();\n} else {\n__syncthreads();\n}")
    assert error.reason == "threads that must meet wait in different places"
    assert [(group.first, group.last, group.line) for group in error.groups] == [(0, 15, 5), (16, 31, 7)]


def test_a_loop_of_shuffles_that_some_lanes_leave_out() -> None:
    error = deadlock(
        "float x = threadIdx.x;\n"
        "if (threadIdx.x < 8) return;\n"
        "#pragma unroll\n"
        "for (int mask = 16; mask >= 1; mask /= 2) {\n"
        "    float other = __shfl_xor_sync(0xffffffff, x, mask);\n"
        "    x += other;\n"
        "}\n"
        "out[threadIdx.x] = x;"
    )
    assert [str(group) for group in error.groups] == [
        "threads 0-7 have ended",
        "threads 8-31 wait at __shfl_xor_sync in line 8: float other = __shfl_xor_sync(0xffffffff, x, mask);",
    ]


def test_shuffles_in_different_places() -> None:
    error = deadlock(
        "if (threadIdx.x < 8) {\nout[0] = __shfl_xor_sync(0xffffffff, 1, 1);\n"
        "} else {\nout[1] = __shfl_xor_sync(0xffffffff, 1, 1);\n}"
    )
    assert [(group.first, group.last, group.kind, group.line) for group in error.groups] == [
        (0, 7, "__shfl_xor_sync", 5),
        (8, 31, "__shfl_xor_sync", 7),
    ]


def test_a_lane_is_missing_in_a_shuffle() -> None:
    error = deadlock("if (threadIdx.x != 31) out[0] = __shfl_down_sync(0xffffffff, 1, 1);")
    assert [str(group)[:45] for group in error.groups] == [
        "threads 0-30 wait at __shfl_down_sync in line",
        "thread 31 has ended",
    ]


def test_a_warp_waits_at_a_barrier_and_another_in_a_vote() -> None:
    error = deadlock(
        "if (threadIdx.x < 32) {\n__syncthreads();\n} else if (threadIdx.x < 50) {\n"
        "out[0] = __any_sync(0xffffffff, 1);\n} else {\n__syncwarp();\n}",
        num_warps=2,
    )
    assert [(group.first, group.last, group.kind) for group in error.groups] == [
        (0, 31, "__syncthreads"),
        (32, 49, "__any_sync"),
        (50, 63, "__syncwarp"),
    ]


def test_the_block_is_named() -> None:
    error = deadlock(
        "if (blockIdx.x == 2 && blockIdx.y == 1 && threadIdx.x == 0) return;\n__syncthreads();", grid=(4, 3)
    )
    assert error.block == (2, 1, 0)


def test_other_blocks_end_early() -> None:
    """The first failure ends the launch, also where other blocks would never end."""
    body = """
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) return;
        __syncthreads();
    }
    while (atomicAdd(out, 0) == 0) {
    }"""
    error = deadlock(body, grid=(3,))
    assert error.block == (0, 0, 0)


def test_many_groups() -> None:
    """A long report is cut, and says so."""
    error = deadlock("if (threadIdx.x % 2) __syncthreads();", num_warps=8)
    assert len(error.groups) == 64 and error.is_cut
    assert str(error).endswith("  ...")
    assert not deadlock("if (threadIdx.x % 2) __syncthreads();", num_warps=2).is_cut


def test_errors_can_be_pickled() -> None:
    error = cpu.DeadlockError("f", (1, 2, 3), "deadlock", [cpu.ThreadGroup(0, 1, None, 0, "")])
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) and copy.groups == error.groups
