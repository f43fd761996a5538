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
