"""torch's CUDA device as the CPU: runs torch_device.py, which is a file of tests, under mytriton."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.drop_in.running import run_mytriton

pytest.importorskip("torch")

HERE = Path(__file__).parent


def test_torch_device() -> None:
    result = run_mytriton(
        "--device", "cpu", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "torch_device.py", cwd=HERE
    )
    assert result.returncode == 0, result.stdout + result.stderr
    passed = re.search(r"(\d+) passed", result.stdout)
    assert passed is not None and int(passed[1]) >= 35
