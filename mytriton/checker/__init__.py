"""Runs kernels with checks: what a kernel must not do is an exception with the kernel's line (docs/checker.md).

with mytriton.sanitize():
    kernel[grid](x, y, n)
"""

from mytriton.checker.faults import (
    AsynchronousCopyError,
    DivisionByZeroError,
    FaultArray,
    FaultSide,
    IntegerWrapError,
    KernelFault,
    KernelFaults,
    MisalignedAccessError,
    NonFiniteError,
    OutOfBoundsError,
    ProgramRaceError,
    SharedRaceError,
    ShiftError,
    StepLimitError,
    ThreadRaceError,
    UndefinedValueError,
    UninitialisedSharedError,
)
from mytriton.checker.settings import SANITIZE_VARIABLE, Checks, current_checks, sanitize

__all__ = [
    "SANITIZE_VARIABLE",
    "AsynchronousCopyError",
    "Checks",
    "DivisionByZeroError",
    "FaultArray",
    "FaultSide",
    "IntegerWrapError",
    "KernelFault",
    "KernelFaults",
    "MisalignedAccessError",
    "NonFiniteError",
    "OutOfBoundsError",
    "ProgramRaceError",
    "SharedRaceError",
    "ShiftError",
    "StepLimitError",
    "ThreadRaceError",
    "UndefinedValueError",
    "UninitialisedSharedError",
    "current_checks",
    "sanitize",
]
