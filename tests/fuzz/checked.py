"""Runs a program with checks, which must find nothing but the undefined values that it is known to have."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import mytriton as triton
from mytriton.checker.faults import DivisionByZeroError, KernelFault, KernelFaults, ShiftError, UndefinedValueError
from tests.fuzz.program import Helper, Line, Program, Statement, Suite
from tests.fuzz.undefined import undefined_numbers

_MASKED_LOAD = re.compile(r"tl\.load\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_UNDEFINED = (UndefinedValueError, DivisionByZeroError, ShiftError)

Launch = Callable[[], dict[str, Any]]


class UnexpectedFaultError(Exception):
    """A fault that the program does not have; `fault` is what was reported."""

    def __init__(self, fault: Exception):
        super().__init__(str(fault))
        self.fault = fault


def launched_with_checks(program: Program, launch: Launch) -> dict[str, Any] | None:
    """What the launch leaves in its arrays; None where it was right to report a use of an undefined value.

    Raises `UnexpectedFaultError` for a report that is wrong.
    """
    schedule = schedule_of(program)
    try:
        with triton.sanitize(schedule=schedule):
            return launch()
    except KernelFault as fault:
        if not isinstance(fault, _UNDEFINED) or not _has_undefined_numbers(launch):
            raise UnexpectedFaultError(fault) from fault
    # All that the kernel does wrong must be of that kind.
    try:
        with triton.sanitize(schedule=schedule, all_faults=True):
            launch()
    except KernelFaults as faults:
        for fault in faults.faults:
            if not _is_expected(fault):
                raise UnexpectedFaultError(fault) from fault
    return None


def schedule_of(program: Program) -> int:
    """A number for the order in which programs and threads of the checked launch run."""
    return zlib.crc32(program.name.encode())


def _is_expected(fault: KernelFault) -> bool:
    if not isinstance(fault, UndefinedValueError):
        return isinstance(fault, _UNDEFINED)
    location = fault.location
    line = location.source_line if location is not None else None
    return line is not None and any(map(_lacks_other, _MASKED_LOAD.findall(line)))


def _has_undefined_numbers(launch: Launch) -> bool:
    # An address that is undefined is refused.
    with undefined_numbers(1) as numbers, triton.interpret(), suppress(triton.MytritonError):
        launch()
    return numbers.count > 0


# Programs without undefined values of loads


def with_defined_loads(program: Program) -> Program:
    """The program whose masked loads all say what is left out."""
    helpers = [Helper(helper.name, helper.parameters, _defined(helper.body)) for helper in program.helpers]
    return replace(program, helpers=helpers, body=_defined(program.body))


def _defined(statements: Sequence[Statement]) -> list[Statement]:
    return [
        Line(_with_other(statement.text), tuple(map(_with_other, statement.simpler)))
        if isinstance(statement, Line)
        else Suite(statement.header, _defined(statement.body), _defined(statement.orelse))
        for statement in statements
    ]


def _with_other(text: str) -> str:
    def with_other(load: re.Match[str]) -> str:
        if not _lacks_other(load[0]):
            return load[0]
        value = "other=0" if "mask=" in load[0] else "padding_option='zero'"
        return f"{load[0][:-1]}, {value})"

    return _MASKED_LOAD.sub(with_other, text)


def _lacks_other(load: str) -> bool:
    if "boundary_check=" in load:
        return "padding_option=" not in load
    return "mask=" in load and "other=" not in load
