"""Kernels that do nothing wrong, and of which the checker must say nothing.

`make sanitize` runs all kernels of the tests with checks. This is the part of them that comes nearest to what the
checker looks for: threads and programs that wait for each other, and places that several of them use.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.checker.settings import SANITIZE_VARIABLE

ROOT = Path(__file__).parents[2]
FILES = ("semantics/test_memory.py", "semantics/test_atomics.py", "kernels/test_waiting.py")


def run(*arguments: str, sanitize: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    environment = {**os.environ, SANITIZE_VARIABLE: sanitize}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)


@pytest.mark.parametrize("file", FILES)
def test_clean_kernels_with_a_shuffled_schedule(file: str) -> None:
    result = run("--mytriton-sanitize", f"tests/{file}", sanitize="schedule=5")
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(re.findall(r"(\d+) passed", result.stdout)[-1]) >= 10


@triton.jit
def sums_under_locks(x, sums, locks, n, GROUPS: tl.constexpr, B: tl.constexpr):
    """Programs of one group add to one buffer, one after the other."""
    row, i = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    lock, at = locks + row % GROUPS, sums + row % GROUPS * n + i
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    v += tl.load(at, mask=i < n, other=0.0)
    tl.store(at, v, mask=i < n)
    tl.atomic_xchg(lock, 0)


@triton.jit
def reads_of_each_kind(x, out):
    """Of an element that nobody writes, in an array that is written elsewhere."""
    pid = tl.program_id(0)
    a = tl.load(x, volatile=True) + tl.load(x)
    b = tl.atomic_load(x) if pid % 2 == 0 else tl.load(x)
    tl.store(x + 1 + pid, a + b)
    tl.store(out + pid, tl.load(x))


@pytest.mark.parametrize("num_warps", [1, 4])
def test_reads_of_each_kind(num_warps: int) -> None:
    for schedule in (None, *range(8)):
        x, out = np.ones(8, np.int32), np.zeros(4, np.int32)
        with triton.sanitize(schedule=schedule):
            reads_of_each_kind[(4,)](x, out, num_warps=num_warps)
        assert x.tolist() == [1, 3, 3, 3, 3, 1, 1, 1] and (out == 1).all()


@triton.jit
def elements_that_are_set_in_time(out, zeros, n, B: tl.constexpr):
    """Of `tl.empty` nothing is left that anybody reads; what `tl.zeros` makes has a value."""
    i = tl.arange(0, B)
    v = tl.empty((B,), tl.float32)
    for k in range(2):
        v = tl.where(i % 2 == k, i * 1.0, v)
    tl.store(out + i, v)
    tl.store(out + i, tl.empty((B,), tl.float32), mask=i >= B)
    tl.store(zeros + i, tl.zeros((B,), tl.float32) + tl.zeros_like(v), mask=i < n)
    if tl.sum(tl.zeros((B,), tl.int32)) == 0:
        tl.atomic_add(zeros + tl.zeros((1,), tl.int32), 3.0)


@pytest.mark.parametrize("num_warps", [1, 4])
def test_elements_of_empty_that_nothing_uses(num_warps: int) -> None:
    out, zeros = np.full(100, -1, np.float32), np.full(100, -1, np.float32)
    with triton.sanitize(all_faults=True):
        elements_that_are_set_in_time[(1,)](out, zeros, 90, B=100, num_warps=num_warps)
    assert (out == np.arange(100)).all()
    assert zeros.tolist() == [3.0] + [0.0] * 89 + [-1.0] * 10


@triton.jit
def through_infinity(x0, x1):
    """Both of them: what is infinite on the way is not returned."""
    if x0 > -1e30:
        x0 += 1 / (1 / (x0 - x0))
    return x0, x1 + 1 / (1 / (x1 - x1))


@triton.jit
def sum_of_two(x, y):
    return x + y


@triton.jit
def mapped_in_pairs(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    (v,) = tl.map_elementwise(through_infinity, tl.load(x + i), pack=2)
    tl.store(out + i, tl.map_elementwise(sum_of_two, v, v * 0.5))


@pytest.mark.parametrize("num_warps", [1, 4])
def test_mapped_numbers_that_were_not_finite(num_warps: int) -> None:
    x = np.tile(np.array([1, 2, np.inf, 4, np.nan, 3, -np.inf, 9], np.float32), 128)
    out = np.zeros_like(x)
    with triton.sanitize(nonfinite=True):
        mapped_in_pairs[(1,)](x, out, B=1024, num_warps=num_warps)
    finite = np.isfinite(x)
    assert (out[finite] == 1.5 * x[finite]).all() and not np.isfinite(out[~finite]).any()


def test_locks_that_programs_take_in_any_order() -> None:
    """Programs run in parallel, and what the checker sees of it is not the same each time."""
    x = np.ones((24, 60), np.float32)
    for schedule in range(400):
        sums, locks = np.zeros((3, 60), np.float32), np.zeros(3, np.int32)
        with triton.sanitize(schedule=schedule % 50):
            sums_under_locks[(24,)](x, sums, locks, 60, GROUPS=3, B=64)
        assert (sums == 8).all()


FAULTY = """
import numpy as np
import mytriton as triton
import mytriton.language as tl

@triton.jit
def kernel(x):
    tl.store(x + tl.arange(0, 4), tl.program_id(0))

def test_two_programs_that_store_to_one_place():
    kernel[(2,)](np.zeros(4, np.int32))
"""


def test_a_faulty_kernel_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "test_faulty.py").write_text(FAULTY)
    result = run("--mytriton-sanitize", f"--rootdir={tmp_path}", str(tmp_path), sanitize="schedule=5")
    assert result.returncode == 1 and "ProgramRaceError" in result.stdout
