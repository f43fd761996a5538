"""`--sanitize`: launches of a program are checked, and the report has their faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drop_in.running import run_mytriton
from tests.drop_in.test_report import rows

SCRIPT = """\
import numpy as np
import triton
import triton.language as tl


@triton.jit
def shifted(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i + 1))


x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
shifted[(1,)](x, out, BLOCK=32)
print("first", out[:32].all())
try:
    shifted[(1,)](x, out, BLOCK=64)
except Exception as error:
    print(type(error).__name__, getattr(error, "faults", [error])[0].sides[0].line)
shifted[(1,)](x, out, BLOCK=64)
"""


def test_a_fault_ends_the_program(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    result = run_mytriton("--sanitize", "--report", "script.py", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stdout == "first True\nOutOfBoundsError 9\n"
    assert "error: out of bounds: reads x 1 element past its end\n" in result.stderr
    assert "tl.store(out + i, tl.load(x + i + 1))" in result.stderr
    found = rows(result.stderr.replace("kernel   at", "kernel  at"))["shifted"]
    assert found[1:3] == ["script.py:7", "2"] and found[4] == "3"
    assert found[6] == "2 x script.py:9: out of bounds: reads x 1 element past its end"


def test_options_come_from_the_variable(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    result = run_mytriton("--sanitize", "--report", "script.py", cwd=tmp_path, MYTRITON_SANITIZE="all-faults")
    assert result.returncode == 1 and "KernelFaults: 1 fault in kernel shifted" in result.stderr
    assert "2 x script.py:9: out of bounds: reads x 1 element past its end" in result.stderr
    result = run_mytriton("--sanitize", "script.py", cwd=tmp_path, MYTRITON_SANITIZE="races")
    assert result.returncode == 2 and "error: MYTRITON_SANITIZE is 0, 1 or a list of" in result.stderr


def test_without_it_nothing_is_checked(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT.replace("x + i + 1", "x + i"))
    result = run_mytriton("--device", "cpu", "script.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr


def test_child_processes_are_checked_too(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "parent.py").write_text(
        "import subprocess, sys; sys.exit(subprocess.call([sys.executable, 'script.py']) + 4)"
    )
    result = run_mytriton("--sanitize", "parent.py", cwd=tmp_path)
    assert result.returncode == 5 and result.stdout == "first True\nOutOfBoundsError 9\n", result.stderr


def test_a_gpu_is_refused(tmp_path: Path) -> None:
    result = run_mytriton("--sanitize", "--device", "cuda", "-c", "0", cwd=tmp_path)
    assert result.returncode == 2
    assert "error: --sanitize runs kernels on the CPU; leave out --device cuda" in result.stderr


TORCH_SCRIPT = """\
import torch
import triton
import triton.language as tl


@triton.jit
def row_sums(x, out, stride, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, tl.sum(tl.load(x + row * stride + tl.arange(0, COLUMNS))))


table = torch.ones(8, 48, device="cuda", dtype=torch.bfloat16)
out = torch.zeros(8, device="cuda")
row_sums[(8,)](table[:, :32], out, table.stride(0), COLUMNS=32)
assert (out == 32).all()
out.zero_()
try:
    row_sums[(8,)](table[:, 4:24], out, table.stride(0), COLUMNS=32)
except Exception as error:
    print(type(error).__name__, error.array.name, error.array.beyond, error.shape, error.dtype)
assert (out == 0).all() and out.is_cuda
"""


def test_tensors_of_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "script.py").write_text(TORCH_SCRIPT)
    result = run_mytriton("--sanitize", "script.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "OutOfBoundsError x (0, 20) (8, 20) bfloat16\n"
