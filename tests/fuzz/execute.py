"""Runs one program on everything that it must agree on."""

from __future__ import annotations

import importlib.util
import linecache
import re
import tempfile
import traceback
from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mytriton as triton
from tests.fuzz.checked import UnexpectedFaultError, launched_with_checks, schedule_of
from tests.fuzz.data import difference, make_array
from tests.fuzz.program import Program
from tests.fuzz.shortcuts import check_syntax, shortcuts, whole_way
from tests.fuzz.undefined import Site, undefined_numbers
from tests.kernels.harness import traced

EXPECTED_REFUSALS = ("that rounds towards zero", "bytes of shared memory", "shared memory: ")
"""Parts of the messages of what mytriton refuses for a reason; the generator makes nothing else that it may refuse."""

PASSED, REFUSED, FAILED = "passed", "refused", "failed"

Oracle = Callable[[Program], Any]


@dataclass
class Outcome:
    """What became of a program. `key` is equal for two failures of one kind; `detail` is for people."""

    status: str
    key: str = ""
    detail: str = ""


class _Failure(Exception):
    def __init__(self, key: str, detail: str):
        super().__init__(key)
        self.outcome = Outcome(FAILED, key, detail)


def execute(program: Program, oracle: Oracle | None = None, is_sanitized: bool = False) -> Outcome:
    """Compiles and runs a program, and says where it failed, if it did.

    Where `is_sanitized`, it runs with checks too, and in their place not under a debugger, and not through NVRTC.
    """
    try:
        with whole_way() if program.is_thorough else shortcuts():
            return _execute(program, oracle, is_sanitized)
    except _Failure as failure:
        return failure.outcome


def _execute(program: Program, oracle: Oracle | None, is_sanitized: bool) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="mytriton-fuzz-") as folder:
        path = Path(folder) / f"{program.name}.py"
        path.write_text(program.module_text(), encoding="utf-8")
        kernel = _kernel_of(path)
        debugged: dict[str, Any] | None = None
        try:
            with triton.interpret():
                with undefined_numbers(None) if is_sanitized else nullcontext() as undefined:
                    wanted = _launch(kernel, program, program.num_warps)
                if not is_sanitized:
                    with traced():
                        debugged = _launch(kernel, program, program.num_warps)
        except triton.InternalError as error:
            raise _Failure(_internal_key(error), _text_of(error)) from error
        except (triton.CompilationError, triton.PassError) as error:
            return _refusal(error)
        except Exception as error:
            raise _Failure(f"interpreter: {_error_key(error)}", _text_of(error)) from error
        if debugged is not None:
            _compare("debugger", program, debugged, wanted, "")
        note = ""
        for warps in (program.num_warps, *program.more_warps):
            try:
                found = _launch(kernel, program, warps)
            except triton.InternalError as error:
                raise _Failure(_internal_key(error), _text_of(error)) from error
            except (triton.CompilationError, triton.PassError) as error:
                return _refusal(error)
            except Exception as error:
                raise _Failure(f"cpu: {_error_key(error)}", _text_of(error)) from error
            _compare("cpu", program, found, wanted, f"{warps} warps")
            if undefined is not None:
                note = _check_with_checks(kernel, program, warps, wanted, undefined.sites)
        if not is_sanitized:
            _check_nvrtc(kernel, program)
    if oracle is None or not program.for_oracle:
        return Outcome(PASSED, note)
    return Outcome(PASSED, _compare_with_oracle(oracle, program, wanted))


def _refusal(error: triton.CompilationError | triton.PassError) -> Outcome:
    key = _generic(error.message)
    if error.location is not None and any(part in error.message for part in EXPECTED_REFUSALS):
        return Outcome(REFUSED, key, str(error))
    return Outcome(FAILED, f"refused: {key}", str(error))


def _kernel_of(path: Path) -> Any:
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    linecache.checkcache(str(path))
    return module.kernel


def _launch(kernel: Any, program: Program, warps: int) -> dict[str, Any]:
    arrays = {spec.name: make_array(spec) for spec in program.used_arrays()}
    kernel[program.grid](**arrays, **program.keywords(), num_warps=warps, arch=program.arch)
    return arrays


def _check_with_checks(
    kernel: Any, program: Program, warps: int, wanted: dict[str, Any], undefined: Collection[Site]
) -> str:
    """Compares what the kernel computes with checks, and says how that ended."""
    try:
        schedule = schedule_of(program, warps)
        found = launched_with_checks(lambda: _launch(kernel, program, warps), schedule, undefined)
    except UnexpectedFaultError as error:
        fault = error.fault
        message = fault.message if isinstance(fault, triton.KernelFault) else str(fault)
        detail = f"{warps} warps: {fault}"
        raise _Failure(f"checked: {type(fault).__name__}: {_generic(message)}", detail) from error
    except Exception as error:
        raise _Failure(f"checked: {_error_key(error)}", _text_of(error)) from error
    if found is None:
        return "undefined values, and reported"
    _compare("checked", program, found, wanted, f"{warps} warps")
    return "undefined values that nothing uses" if undefined else "no undefined value, and no fault"


def _compare(device: str, program: Program, found: dict[str, Any], wanted: dict[str, Any], where: str) -> None:
    for spec in program.used_arrays():
        what = difference(found[spec.name], wanted[spec.name], spec.tolerance)
        if what is not None:
            raise _Failure(f"{device}: wrong value", f"{spec.name} ({spec.dtype}), {where}: {what}")


def _check_nvrtc(kernel: Any, program: Program) -> None:
    arrays = [make_array(spec) for spec in program.used_arrays()]
    compiled = kernel.warmup(
        *arrays, **program.keywords(), grid=program.grid, num_warps=program.num_warps, arch=program.arch
    )
    try:
        # Making code takes long and is hardly ever refused, so not every kernel goes through it.
        if program.is_thorough:
            _ = compiled.asm["cubin"]
        else:
            check_syntax(compiled.asm["cuda"], program.arch)
    except triton.NvrtcMissingError:
        return
    except triton.NvrtcError as error:
        message = re.search(r"error: .*", str(error))
        raise _Failure("nvrtc: " + _generic(message[0] if message else str(error)), str(error)) from error


def _compare_with_oracle(oracle: Oracle, program: Program, wanted: dict[str, Any]) -> str:
    """Compares, and says how the comparison ended: Triton's interpreter knows less than its compiler."""
    found = oracle(program)
    if isinstance(found, str):
        return "triton refused: " + found.strip().splitlines()[-1][:200]
    _compare("triton", program, found, wanted, "of which `not` are mytriton's")
    return "same as triton"


# What two failures of one kind have in common


def _generic(text: str) -> str:
    """The first line without numbers and names."""
    text = text.strip().splitlines()[0] if text.strip() else ""
    return re.sub(r"'[^']*'|\"[^\"]*\"|%?\b\w*\d\w*\b", "_", text)[:160]


def _internal_key(error: triton.InternalError) -> str:
    return "internal: " + _generic(error.message.removeprefix("internal error: ")) + _place(error)


def _error_key(error: BaseException) -> str:
    return f"{type(error).__name__}: {_generic(str(error))}{_place(error)}"


def _place(error: BaseException) -> str:
    """The function of the compiler in which it happened."""
    while error.__cause__ is not None:
        error = error.__cause__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "fuzz" not in frame.filename]
    return f" in {frames[-1].name}" if frames else ""


def _text_of(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-6000:]
