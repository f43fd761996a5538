"""A few random kernels with checks, which find nothing in them but faults that were put there; `make fuzz` runs many.

One in two has loads whose elements are all defined.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import mytriton as triton
from mytriton.checker import OutOfBoundsError, ThreadRaceError
from tests.fuzz.checked import UnexpectedFaultError, launched_with_checks, with_defined_loads
from tests.fuzz.execute import _kernel_of, _launch  # pyright: ignore[reportPrivateUsage]
from tests.fuzz.generator import generate
from tests.fuzz.program import Line, Program
from tests.fuzz.run import fuzz
from tests.fuzz.shortcuts import shortcuts

SEED, COUNT, PARTS = 11, 16, 4


@pytest.mark.parametrize("part", range(PARTS))
def test_random_kernels(part: int) -> None:
    report = fuzz(SEED, range(part, COUNT, PARTS), is_sanitized=True)
    assert not report.failed, "\n".join([str(report), *report.details.values()])


def faults_of(program: Program, folder: Path) -> triton.KernelFault:
    path = folder / f"{program.name}.py"
    path.write_text(program.module_text(), encoding="utf-8")
    kernel = _kernel_of(path)
    with shortcuts(), pytest.raises(UnexpectedFaultError) as caught:
        launched_with_checks(program, lambda: _launch(kernel, program, program.num_warps))
    assert isinstance(caught.value.fault, triton.KernelFault)
    return caught.value.fault


@pytest.mark.parametrize("index", range(3))
def test_a_fault_at_the_end_of_a_random_kernel(index: int, tmp_path: Path) -> None:
    program = with_defined_loads(generate(SEED + 1, index))
    array = next(spec for spec in program.used_arrays() if spec.is_output and spec.dtype != "int1")
    beyond = Line(f"tl.store({array.name} + {array.size + 3}, 1)")
    fault = faults_of(replace(program, name="beyond", body=[*program.body, beyond]), tmp_path)
    assert isinstance(fault, OutOfBoundsError) and fault.array is not None
    assert (fault.array.name, fault.array.outside) == (array.name, 4)
    race = Line(f"tl.store({array.name} + tl.arange(0, 64) * 0, tl.arange(0, 64))")
    fault = faults_of(replace(program, name="race", body=[*program.body, race], num_warps=2), tmp_path)
    assert isinstance(fault, ThreadRaceError) and fault.array is not None
    assert (fault.array.name, fault.index) == (array.name, (0,))
