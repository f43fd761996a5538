"""`mytriton.sanitize` and MYTRITON_SANITIZE: where launches are checked, and for what."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import mytriton
from mytriton.checker import SANITIZE_VARIABLE, Checks, current_checks, sanitize
from mytriton.checker.settings import sanitize_everything
from mytriton.errors import OptionError


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SANITIZE_VARIABLE, raising=False)


def test_nothing_is_checked_unless_it_is_asked_for() -> None:
    assert current_checks() is None


def test_the_innermost_block_counts() -> None:
    checks = mytriton.sanitize(schedule=3)
    with checks:
        assert current_checks() == Checks(schedule=3)
        with sanitize(nonfinite=True, steps=10), checks:
            assert current_checks() == Checks(schedule=3)
            with sanitize(False):
                assert current_checks() is None
            assert current_checks() == Checks(schedule=3)
        assert current_checks() == Checks(schedule=3)
    assert current_checks() is None


def test_a_block_ends_with_an_error() -> None:
    with pytest.raises(ZeroDivisionError), sanitize():
        raise ZeroDivisionError
    assert current_checks() is None


def test_a_decorated_function() -> None:
    @sanitize(all_faults=True)
    def depth(n: int) -> list[Checks | None]:
        return [current_checks(), *(depth(n - 1) if n else [])]

    assert depth(2) == [Checks(all_faults=True)] * 3
    assert current_checks() is None


def test_other_threads_are_not_concerned() -> None:
    found: list[Checks | None] = []
    checks = sanitize()

    def run() -> None:
        found.append(current_checks())
        with checks:
            found.append(current_checks())
            barrier.wait()
        found.append(current_checks())

    barrier = threading.Barrier(2)
    with checks:
        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found, key=str) == sorted([None, Checks(), None] * 2, key=str)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("0", None),
        ("1", Checks()),
        ("all-faults", Checks(all_faults=True)),
        ("1,nonfinite", Checks(nonfinite=True)),
        ("nonfinite=0, all_faults=1", Checks(all_faults=True)),
        ("schedule=7,steps=1000", Checks(schedule=7, steps=1000)),
    ],
)
def test_the_variable(text: str, expected: Checks | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SANITIZE_VARIABLE, text)
    assert current_checks() == expected
    with sanitize(False):
        assert current_checks() is None
    sanitize_everything()
    assert current_checks() == (expected or Checks())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("races", "is 0, 1 or a list of all-faults, nonfinite, schedule, steps, found 'races'"),
        ("schedule", "schedule of MYTRITON_SANITIZE takes a number"),
        ("steps=many", "steps of MYTRITON_SANITIZE takes a number"),
        ("nonfinite=2", "nonfinite of MYTRITON_SANITIZE takes 0 or 1"),
        ("steps=0", "steps of sanitize must be a number from 1"),
    ],
)
def test_a_bad_variable(text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SANITIZE_VARIABLE, text)
    with pytest.raises(OptionError, match=message):
        current_checks()


def test_bad_options() -> None:
    with pytest.raises(OptionError, match="schedule of sanitize must be a number from 0"):
        sanitize(schedule=-1)
    with pytest.raises(OptionError, match="nonfinite of sanitize must be True or False, found 1"):
        sanitize(nonfinite=1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(OptionError, match=r"called before it decorates a function: @mytriton\.sanitize\(\)"):
        sanitize(test_bad_options)  # pyright: ignore[reportArgumentType]
    with pytest.raises(OptionError, match="enabled of sanitize must be True or False, found 'no'"):
        sanitize("no")  # pyright: ignore[reportArgumentType]


def test_a_function_that_goes_on_after_its_call_is_not_decorated() -> None:
    """Its body runs when `sanitize` has been left."""

    def generator() -> Iterator[int]:
        yield 1

    async def coroutine() -> None:
        pass

    for function in (generator, coroutine):
        with pytest.raises(OptionError, match=f"cannot decorate {function.__name__}, which is a generator or a cor"):
            sanitize()(function)
