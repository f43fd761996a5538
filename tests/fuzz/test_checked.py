"""A few random kernels with checks, which find nothing in them but faults that were put there; `make fuzz` runs many.

One in two has loads whose elements are all defined. This seed has blocks of every size, several sizes for one kernel,
atomic operations, and undefined values of every kind that the generator makes: `test_the_kernels_are_of_every_kind`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mytriton as triton
from mytriton.checker import KernelFault, OutOfBoundsError, ProgramRaceError, ThreadRaceError
from mytriton.passes.checks.undefined import Undefined
from tests.fuzz.checked import (
    MissedFaultError,
    UnexpectedFaultError,
    depends_on_undefined_values,
    launched_with_checks,
    with_defined_loads,
)
from tests.fuzz.execute import _kernel_of, _launch  # pyright: ignore[reportPrivateUsage]
from tests.fuzz.generator import generate
from tests.fuzz.program import Line, Program
from tests.fuzz.run import fuzz
from tests.fuzz.shortcuts import shortcuts
from tests.fuzz.undefined import Site, undefined_numbers

SEED, COUNT, PARTS = 25, 20, 4
CLEAN, UNUSED, REPORTED = (
    "no undefined value, and no fault",
    "undefined values that nothing uses",
    "undefined values, and reported",
)

Launch = Callable[[], dict[str, Any]]


@pytest.mark.parametrize("part", range(PARTS))
def test_random_kernels(part: int) -> None:
    report = fuzz(SEED, range(part, COUNT, PARTS), is_sanitized=True)
    assert not report.failed, "\n".join([str(report), *report.details.values()])
    assert sum(report.notes[note] for note in (CLEAN, UNUSED, REPORTED)) == COUNT // PARTS


def launch_of(program: Program, folder: Path) -> Launch:
    path = folder / f"{program.name}.py"
    path.write_text(program.module_text(), encoding="utf-8")
    kernel = _kernel_of(path)
    return lambda: _launch(kernel, program, program.num_warps)


def undefined_in(launch: Launch) -> Collection[Site]:
    # The interpreter refuses to go on behind the end of an array.
    with undefined_numbers(None) as numbers, triton.interpret(), suppress(triton.LaunchError):
        launch()
    return numbers.sites


@pytest.fixture(autouse=True)
def less_work() -> Iterator[None]:
    with shortcuts():
        yield


def test_the_kernels_are_of_every_kind(tmp_path: Path) -> None:
    programs = [generate(SEED, index) for index in range(COUNT)]
    assert {program.num_warps for program in programs} == {1, 2, 4, 8, 16}
    assert {math.prod(program.grid) > 1 for program in programs} == {False, True}
    assert {len(program.more_warps) for program in programs} >= {0, 1}
    assert any("tl.atomic_" in program.kernel_text() for program in programs)
    sites = [site for program in programs for site in undefined_in(launch_of(program, tmp_path))]
    assert {site.kind for site in sites} == {"masked load", "division by zero", "shift"}


def fault_of(program: Program, folder: Path) -> KernelFault:
    launch = launch_of(program, folder)
    with pytest.raises(UnexpectedFaultError) as caught:
        launched_with_checks(launch, 5, undefined_in(launch))
    assert isinstance(caught.value.fault, KernelFault)
    return caught.value.fault


def with_line(program: Program, name: str, text: str, **changes: Any) -> Program:
    return replace(program, name=name, body=[*program.body, Line(text)], **changes)


@pytest.mark.parametrize("index", range(3))
def test_a_fault_at_the_end_of_a_random_kernel(index: int, tmp_path: Path) -> None:
    program = with_defined_loads(generate(SEED + 1, index))
    array = next(spec for spec in program.used_arrays() if spec.is_output and spec.dtype != "int1")
    beyond = f"tl.store({array.name} + {array.size + 3}, 1)"
    fault = fault_of(with_line(program, "beyond", beyond), tmp_path)
    assert isinstance(fault, OutOfBoundsError) and fault.array is not None
    assert (fault.array.name, fault.array.outside) == (array.name, 4)
    race = f"tl.store({array.name} + tl.arange(0, 64) * 0, tl.arange(0, 64))"
    fault = fault_of(with_line(program, "race", race, num_warps=2), tmp_path)
    assert isinstance(fault, ThreadRaceError) and fault.array is not None
    assert (fault.array.name, fault.index) == (array.name, (0,))


def test_a_race_between_the_programs_of_a_random_kernel(tmp_path: Path) -> None:
    programs = map(with_defined_loads, (generate(SEED, index) for index in range(COUNT)))
    program = next(program for program in programs if math.prod(program.grid) > 1)
    array = next(spec for spec in program.used_arrays() if spec.is_output and spec.dtype != "int1")
    race = f"tl.store({array.name} + {array.size - 1}, tl.program_id(0))"
    fault = fault_of(with_line(program, "programs", race), tmp_path)
    assert isinstance(fault, ProgramRaceError) and fault.array is not None
    assert (fault.array.name, fault.index) == (array.name, (array.size - 1,))


def undefined_program(folder: Path) -> Program:
    """The first kernel that stores what its masked loads leave out, or what is computed with it."""
    for index in range(COUNT):
        program = generate(SEED, index)
        launch = launch_of(program, folder)
        if any(site.kind == "masked load" for site in undefined_in(launch)) and depends_on_undefined_values(launch):
            return program
    raise AssertionError("no kernel uses undefined values")


def test_what_is_reported_must_be_undefined(tmp_path: Path) -> None:
    launch = launch_of(undefined_program(tmp_path), tmp_path)
    wrong = [site._replace(line=site.line + 1) for site in undefined_in(launch)]
    with pytest.raises(UnexpectedFaultError):
        launched_with_checks(launch, 5, wrong)


def test_what_is_undefined_must_be_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = launch_of(undefined_program(tmp_path), tmp_path)
    undefined = undefined_in(launch)
    monkeypatch.setattr(Undefined, "is_origin", lambda self, op: False)
    with pytest.raises(MissedFaultError, match=r"Site\(kind='masked load'"):
        launched_with_checks(launch, 5, undefined)
