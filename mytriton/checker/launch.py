"""A launch that is checked: it runs, and where there is a fault it runs again in an order that is always the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from mytriton.checker.arrays import ArrayView, view_of
from mytriton.checker.code import CheckedCode
from mytriton.checker.describe import Describer
from mytriton.checker.faults import KernelFaults
from mytriton.checker.names import names_in_kernel
from mytriton.checker.settings import Checks
from mytriton.checker.snapshot import Snapshot
from mytriton.errors import LaunchError
from mytriton.runtime.arguments import CONSTANT
from mytriton.runtime.constants import unwrapped
from mytriton.runtime.cpu import ArrayExtent, DeadlockError
from mytriton.runtime.cpu.faults import RawFault, RawKind
from mytriton.runtime.specialize import Specialization
from mytriton.tracebacks import hide_in_pytest

if TYPE_CHECKING:
    from mytriton.runtime.compiled import CompiledKernel

__tracebackhide__ = hide_in_pytest


def launch_checked(
    kernel: CompiledKernel,
    grid: tuple[int, int, int],
    call: Specialization,
    values: Sequence[Any],
    device: str,
    checks: Checks,
) -> None:
    """Runs `kernel`, with a value for each parameter of `call`; its arrays keep what they hold where there is a fault.

    Raises a `KernelFault`, or with `checks.all_faults` `KernelFaults`, `DeadlockError`, and `LaunchError` where the
    arrays are not on the CPU.
    """
    if device != "cpu":
        raise LaunchError(
            f"kernel {kernel.name} cannot be checked on {device}: checked launches run on the CPU\n"
            "hint: pass arrays that are there, or run the program with python -m mytriton --sanitize, where torch's "
            "cuda device is the CPU"
        )
    views = _views(kernel, call, values)
    code = kernel.checked(checks.nonfinite)
    _Launch(kernel, code, grid, call, views, checks).run()


class _Launch:
    """One launch, and what it takes to make it again."""

    def __init__(
        self,
        kernel: CompiledKernel,
        code: CheckedCode,
        grid: tuple[int, int, int],
        call: Specialization,
        views: Sequence[ArrayView],
        checks: Checks,
    ):
        self._kernel = kernel
        self._code = code
        self._grid = grid
        self._arguments = kernel.as_bits(call.values())
        self._views = views
        self._checks = checks
        self._extents = [_extent(view, view.parameter in kernel.written_arguments) for view in views]
        self._snapshot = Snapshot(view for view in views if view.parameter in kernel.written_arguments)

    def run(self) -> None:
        try:
            if self._checks.all_faults or self._grid == (1, 1, 1):
                self._run_in_order()
            else:
                self._run_in_parallel()
        except KeyboardInterrupt:
            self._snapshot.restore()
            raise
        finally:
            self._snapshot.release()

    def _run_in_order(self) -> None:
        found = self._attempt(workers=1, exact=True, find_all=self._checks.all_faults)
        if found:
            self._fail(found)

    def _run_in_parallel(self) -> None:
        """Runs the programs at the same time; after a fault, one after the other, so that the report does not vary."""
        exact = self._code.is_suspicious
        found = self._attempt(exact=exact, is_last=False)
        if not found:
            return
        self._snapshot.restore()
        if not exact and _only_suspicions(found):
            self._code.is_suspicious = True
            found = self._attempt(exact=True, is_last=False)
            if not found:
                return
            self._snapshot.restore()
        again = self._attempt(workers=1, exact=True)
        self._fail(again or found)

    def _attempt(
        self, *, workers: int | None = None, exact: bool, find_all: bool = False, is_last: bool = True
    ) -> list[RawFault] | DeadlockError:
        """One run; threads that wait for each other are a result too. Where it `is_last`, what it records is shown."""
        try:
            return self._code.kernel.launch_checked(
                self._grid,
                self._arguments,
                self._extents,
                find_all=find_all,
                seed=self._checks.schedule,
                step_limit=self._checks.steps,
                workers=workers,
                exact=exact,
                tells_if_failed=is_last,
            )
        except DeadlockError as error:
            return error

    def _fail(self, found: list[RawFault] | DeadlockError) -> NoReturn:
        self._snapshot.restore()
        if isinstance(found, DeadlockError):
            raise self._located(found) from None
        describer = Describer(self._kernel.name, self._code, self._views, self._checks.steps)
        if self._checks.all_faults:
            raise KernelFaults(self._kernel.name, [describer.fault(raw) for raw in found])
        raise describer.fault(min(found, key=lambda raw: tuple(raw.own.program)[::-1]))

    def _located(self, error: DeadlockError) -> DeadlockError:
        """The error, with the lines of the kernel."""
        groups = [replace(group, location=self._code.places.get(group.line)) for group in error.groups]
        return DeadlockError(error.kernel, error.block, error.reason, groups, error.is_cut)


def _only_suspicions(found: list[RawFault] | DeadlockError) -> bool:
    return not isinstance(found, DeadlockError) and all(raw.kind == RawKind.SUSPICION for raw in found)


def _views(kernel: CompiledKernel, call: Specialization, values: Sequence[Any]) -> list[ArrayView]:
    """The arrays that the kernel is given, as far as their shapes are known."""
    names = names_in_kernel(kernel.specialization)
    found: list[ArrayView] = []
    position = 0
    for parameter, argument, value in zip(call.parameters, call.arguments, values, strict=True):
        if argument.type == CONSTANT:
            continue
        if argument.type.startswith("*"):
            name = names.get(parameter.name, parameter.name)
            view = view_of(unwrapped(value), argument, name, position)
            found += [] if view is None else [view]
        position += 1
    return found


def _extent(view: ArrayView, written: bool) -> ArrayExtent:
    return ArrayExtent(
        view.parameter, view.start, view.size, view.pitch, view.row_bytes, view.item_bytes, written=written
    )
