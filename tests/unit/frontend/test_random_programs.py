"""Random control flow does in a kernel what it does in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mytriton.frontend import branches
from tests.unit.frontend.harness import run
from tests.unit.frontend.kernel_text import load
from tests.unit.frontend.random_program import RandomProgram, python_result

COUNT = 16


@pytest.mark.parametrize("seed", range(24))
def test_kernel_and_python_agree(seed: int, tmp_path: Path):
    check(RandomProgram(seed).text, tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_chains_of_elif_that_are_cut(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As chains of any length are cut in the same way, short ones that are cut after one or two stand for them."""
    monkeypatch.setattr(branches, "MAX_NESTED_ELIFS", 1 + seed % 2)
    check(RandomProgram(seed, elifs=4).text, tmp_path)


def check(text: str, folder: Path) -> None:
    kernel = load(text, folder).kernel
    for n, m in [(0, 0), (5, -2), (-4, 3)]:
        out = np.zeros(COUNT, np.int32)
        run(kernel, out, n, m)
        assert out.tolist() == python_result(text, n, m, COUNT), f"n = {n}, m = {m}\n{text}"
