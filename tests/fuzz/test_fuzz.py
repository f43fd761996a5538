"""A few random kernels in the suite; `make fuzz` runs many."""

from __future__ import annotations

import pytest

from tests.fuzz.data import difference, make_array
from tests.fuzz.generator import generate
from tests.fuzz.minimize import minimized
from tests.fuzz.program import Line, Program, Suite
from tests.fuzz.run import fuzz

COUNT = 24
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_random_kernels(part: int, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    report = fuzz(0, range(part, COUNT, PARTS))
    assert not report.failed, "\n".join([str(report), *report.details.values()])


def test_same_seed_same_kernel() -> None:
    assert generate(3, 7) == generate(3, 7)
    assert generate(3, 7).module_text() != generate(3, 8).module_text()


def test_minimizing_keeps_what_fails() -> None:
    """A program that "fails" where it has a loop with a store in it loses nearly everything else."""

    def still_fails(program: Program) -> bool:
        return any(
            isinstance(statement, Suite)
            and statement.header.startswith("for")
            and any(isinstance(inner, Line) and "dot" in inner.text for inner in statement.body)
            for statement in program.body
        )

    program = next(generate(1, index) for index in range(1000) if still_fails(generate(1, index)))
    small = minimized(program, still_fails)
    assert len(small.body) == 1 and len(small.kernel_text().splitlines()) <= 5


def test_difference_sees_a_wrong_element() -> None:
    from tests.fuzz.data import ArraySpec

    found = make_array(ArraySpec("x", "float32", 64, seed=1, kind="special"))
    wanted = found.copy()
    assert difference(found, wanted, 0.0) is None
    wanted[5] += 0.25
    assert difference(found, wanted, 0.0) is not None
    assert difference(found, wanted, 0.5) is None
