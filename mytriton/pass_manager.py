"""Runs passes one after the other: checks the IR between them, saves it if asked, and says which pass failed."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ShrinkException

from mytriton.diagnostics import running_pass
from mytriton.errors import REPORT_REQUEST, CompilationError, InternalError, MytritonError, OptionError, PassError
from mytriton.options import DUMP_VARIABLE, VERIFY_VARIABLE
from mytriton.passes.locations import location_of
from mytriton.verify import one_line, verify_module


@dataclass(frozen=True)
class PassRun:
    """What an observer learns after each pass: its place in its list (from 1), the pass, and how long it took."""

    index: int
    module_pass: ModulePass
    seconds: float


Observer = Callable[[PassRun, ModuleOp], None]


@dataclass(frozen=True)
class _Running:
    """What whoever runs the passes asks for."""

    verify: bool = False
    observers: tuple[Observer, ...] = ()


_running: ContextVar[_Running] = ContextVar("running passes", default=_Running())  # noqa: B039 - it is frozen


def run_passes(
    context: Context,
    module: ModuleOp,
    passes: Sequence[ModulePass],
    *,
    verify: bool = True,
    observers: Sequence[Observer] = (),
) -> None:
    """Apply `passes` to `module` in order, and call every observer after each.

    A pass may itself call this, as `tt-to-cuda` does: whoever observes it or asks for checks gets them for its parts.

    Raises `MytritonError` where a pass refuses the module, and `InternalError` where a pass fails or leaves IR that is
    not valid; `verify=False` leaves that check out.
    """
    outer = _running.get()
    whole = _Running(verify or outer.verify, (*observers, *outer.observers))
    token = _running.set(whole)
    try:
        for index, module_pass in enumerate(passes, start=1):
            start = time.perf_counter()
            _run_pass(context, module, module_pass)
            run = PassRun(index, module_pass, time.perf_counter() - start)
            for observer in whole.observers:
                observer(run, module)
            if whole.verify:
                _verify_after(module, module_pass)
    finally:
        _running.reset(token)


def _run_pass(context: Context, module: ModuleOp, module_pass: ModulePass) -> None:
    name = module_pass.name
    try:
        with running_pass(name):
            module_pass.apply(context, module)
    except PassError as error:
        error.pass_name = error.pass_name or name
        raise
    except (MytritonError, ShrinkException):
        raise
    except DiagnosticException as error:
        raise PassError(one_line(str(error)), pass_name=name) from error
    except RecursionError as error:
        raise too_deep(module, name) from error
    except Exception as error:
        message = f"the pass {name} failed with {type(error).__name__}: {one_line(str(error))}"
        raise InternalError(message, hint=how_to_report(name)) from error


def _verify_after(module: ModuleOp, module_pass: ModulePass) -> None:
    name = module_pass.name
    try:
        verify_module(module)
    except CompilationError as error:
        message = f"the pass {name} left IR that is not valid: {error.message}"
        raise InternalError(message, error.location, hint=how_to_report(name)) from error


def too_deep(module: ModuleOp, pass_name: str | None = None) -> PassError:
    """The error for a module that is nested so deeply that Python's stack is too small for it."""
    return PassError("this is nested too deeply to compile", location_of(_deepest_operation(module)), pass_name)


def _deepest_operation(module: ModuleOp) -> Operation:
    """The first of the operations that stand in the most regions."""
    level: list[Operation] = [module]
    while inner := [op for outer in level for region in outer.regions for block in region.blocks for op in block.ops]:
        level = inner
    return level[0]


def how_to_report(pass_name: str) -> str:
    """What to tell somebody whose input made `pass_name` fail."""
    return f"{REPORT_REQUEST} and the IR before the pass {pass_name}, which {DUMP_VARIABLE}=<folder> saves"


def dump_directory() -> Path | None:
    """Where the environment asks for the IR after each pass to be saved, if it does."""
    folder = os.environ.get(DUMP_VARIABLE, "")
    return Path(folder) if folder else None


def verification_requested() -> bool:
    """Whether the environment asks for the IR of every kernel to be verified."""
    return os.environ.get(VERIFY_VARIABLE, "0") not in ("", "0")


def save_ir(folder: Path, index: int, name: str, module: ModuleOp) -> None:
    """Write `module`, with locations, to `folder/<index>-<name>.mlir`; `folder` is made if need be.

    Raises `OptionError` where that cannot be written.
    """
    from mytriton.ttir import print_module

    path, text = folder / f"{index:02}-{name}.mlir", print_module(module, locations=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OptionError(f"cannot write '{path}': {error.strerror or error}") from None


def ir_saver(folder: Path) -> Observer:
    """An observer that saves the IR after each pass under `folder`, numbered from 1 as they ran."""
    numbers = itertools.count(1)

    def save(run: PassRun, module: ModuleOp) -> None:
        save_ir(folder, next(numbers), run.module_pass.name, module)

    return save
