"""Runs a program with checks, which must find nothing but the undefined values that it is known to have."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import mytriton as triton
from mytriton.checker.faults import DivisionByZeroError, KernelFault, KernelFaults, ShiftError, UndefinedValueError
from tests.fuzz.program import Helper, Line, Program, Statement, Suite
from tests.fuzz.undefined import Site, undefined_numbers

_MASKED_LOAD = re.compile(r"tl\.load\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_KINDS = {UndefinedValueError: "masked load", DivisionByZeroError: "division by zero", ShiftError: "shift"}

Launch = Callable[[], dict[str, Any]]


class UnexpectedFaultError(Exception):
    """A fault that the program does not have; `fault` is what was reported."""

    def __init__(self, fault: Exception):
        super().__init__(str(fault))
        self.fault = fault


class MissedFaultError(Exception):
    """Nothing was reported, though what the program computes depends on undefined values."""


def launched_with_checks(launch: Launch, schedule: int, undefined: Collection[Site]) -> dict[str, Any] | None:
    """What the launch leaves in its arrays; None where it was right to report a use of an undefined value.

    `undefined` has the operations that make such values. Raises `UnexpectedFaultError` for a report that names another
    one, or something else, and `MissedFaultError` where there should have been a report.
    """
    try:
        with triton.sanitize(schedule=schedule):
            found = launch()
    except KernelFault as fault:
        _expect(fault, undefined)
    else:
        if undefined and depends_on_undefined_values(launch):
            raise MissedFaultError("nothing was reported of: " + "; ".join(map(str, sorted(undefined))))
        return found
    # All that the kernel does wrong must be of that kind.
    try:
        with triton.sanitize(schedule=schedule, all_faults=True):
            launch()
    except KernelFaults as faults:
        for fault in faults.faults:
            _expect(fault, undefined)
        return None
    raise MissedFaultError("a fault was found, and none of all")


def schedule_of(program: Program, warps: int) -> int:
    """A number for the order in which programs and threads of the checked launch run."""
    return zlib.crc32(f"{program.name} {warps}".encode())


def _expect(fault: KernelFault, undefined: Collection[Site]) -> None:
    kind, location = _KINDS.get(type(fault)), fault.sides[0].location
    if kind is None or location is None:
        raise UnexpectedFaultError(fault) from fault
    if Site(kind, location.file, location.line, location.column) not in undefined:
        raise UnexpectedFaultError(fault) from fault


def depends_on_undefined_values(launch: Launch) -> bool:
    """Whether the interpreter computes something else with other numbers in their place."""
    results: list[dict[str, bytes]] = []
    for seed in (1, 2):
        with undefined_numbers(seed), triton.interpret():
            try:
                results.append({name: array.tobytes() for name, array in launch().items()})
            except triton.LaunchError:
                return True  # an address that is undefined
    return results[0] != results[1]


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
