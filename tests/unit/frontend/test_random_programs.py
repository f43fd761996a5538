"""Random control flow does in a kernel what it does in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.unit.frontend.harness import run
from tests.unit.frontend.kernel_text import load
from tests.unit.frontend.random_program import RandomProgram, python_result

COUNT = 16


@pytest.mark.parametrize("seed", range(24))
def test_kernel_and_python_agree(seed: int, tmp_path: Path):
    text = RandomProgram(seed).text
    kernel = load(text, tmp_path).kernel
    for n, m in [(0, 0), (5, -2), (-4, 3)]:
        out = np.zeros(COUNT, np.int32)
        run(kernel, out, n, m)
        assert out.tolist() == python_result(text, n, m, COUNT), f"n = {n}, m = {m}\n{text}"
