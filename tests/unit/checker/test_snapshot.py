"""Copies of arrays before a launch, and what is put back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mytriton.checker import snapshot
from mytriton.checker.snapshot import Snapshot
from tests.unit.checker.test_arrays import view

TABLE = np.arange(42, dtype=np.float32).reshape(6, 7)


@pytest.mark.parametrize(
    "part",
    [np.s_[:], np.s_[:, 2:4], np.s_[::-1, ::-1], np.s_[::2], np.s_[:, 3], np.s_[2, ::-3], np.s_[5:, 6:], np.s_[:0]],
)
def test_the_elements_of_a_view(part: Any) -> None:
    table = TABLE.copy()
    taken = Snapshot([view(table[part])])
    table[...] = -1
    taken.restore()
    expected = np.full_like(TABLE, -1)
    expected[part] = TABLE[part]
    assert (table == expected).all()
    taken.release()


def test_views_of_one_array() -> None:
    table = TABLE.copy()
    taken = Snapshot([view(table[1:4]), view(table[2:]), view(table[:, :2])])
    table[1:] = -1
    table[:, 0] = -2
    taken.restore()
    assert (table == TABLE).all()


def test_a_thread_keeps_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = snapshot._kept  # pyright: ignore[reportPrivateUsage]
    kept.memory = None
    large = Snapshot([view(np.zeros(1000, np.int8))])
    assert kept.memory is None
    large.release()
    memory = kept.memory
    assert memory is not None and memory.size == 1000
    small, other = Snapshot([view(np.zeros(10, np.int8))]), Snapshot([view(np.ones(10, np.int8))])
    small.release()
    assert kept.memory is memory
    other.restore()
    monkeypatch.setattr(snapshot, "KEPT_BYTES", 100)
    Snapshot([view(np.zeros(200, np.int8))]).release()
    assert kept.memory is None
