"""CUDA C text to PTX or to a cubin, by NVRTC.

NVRTC is found by cuda-python, in the `nvidia-cuda-nvrtc` wheel or in a CUDA toolkit. No GPU and no driver is needed.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from mytriton.errors import NvrtcError, NvrtcMissingError, OptionError
from mytriton.options import ARCHITECTURES
from mytriton.runtime.ptxas_log import Resources, parse_ptxas_log

FILE_NAME = "kernel.cu"
"""What NVRTC calls the text in its messages."""

_ERROR_LINE = re.compile(rf"^{re.escape(FILE_NAME)}\((\d+)\): (?:catastrophic )?error", re.MULTILINE)
_SHOWN_ERRORS = 3


@dataclass(frozen=True, slots=True)
class Cubin:
    """A cubin, and for each of its kernels what ptxas said that it uses."""

    code: bytes
    resources: dict[str, Resources]
    log: str


def compile_to_ptx(text: str, arch: str, *, fmad: bool = True, maxnreg: int | None = None) -> str:
    """The PTX of CUDA C `text` for `arch`, such as `"sm_90a"`.

    Raises `OptionError` for an architecture that this NVRTC does not know, `NvrtcMissingError` without NVRTC, and
    `NvrtcError`, with the lines of the text, where NVRTC refuses it.
    """
    flags = _flags(arch.replace("sm_", "compute_"), fmad, maxnreg)
    return _compile(text, arch, flags, "PTX")[0].decode().rstrip("\0")


def compile_to_cubin(text: str, arch: str, *, fmad: bool = True, maxnreg: int | None = None) -> Cubin:
    """The cubin of CUDA C `text` for `arch`, and what each kernel in it uses. Raises what `compile_to_ptx` raises."""
    flags = [*_flags(arch, fmad, maxnreg), "--ptxas-options=-v"]
    code, log = _compile(text, arch, flags, "CUBIN")
    return Cubin(code, parse_ptxas_log(log), log)


@cache
def supported_architectures() -> tuple[str, ...]:
    """The architectures that both mytriton and the NVRTC found on this machine know."""
    numbers = {f"sm_{number}" for number in _call("nvrtcGetSupportedArchs")}
    return tuple(arch for arch in ARCHITECTURES if arch.rstrip("af") in numbers)


def nvrtc_version() -> tuple[int, int]:
    """Major and minor version of NVRTC."""
    major, minor = _call("nvrtcVersion")
    return major, minor


def is_available() -> bool:
    """Whether NVRTC was found."""
    try:
        nvrtc_version()
    except NvrtcMissingError:
        return False
    return True


def _flags(arch: str, fmad: bool, maxnreg: int | None) -> list[str]:
    flags = [f"--gpu-architecture={arch}", "--std=c++17", f"--fmad={str(fmad).lower()}"]
    if maxnreg is not None:
        flags.append(f"--maxrregcount={maxnreg}")
    return flags


def _compile(text: str, arch: str, flags: Sequence[str], kind: str) -> tuple[bytes, str]:
    if arch not in supported_architectures():
        known = ", ".join(supported_architectures())
        raise OptionError(f"NVRTC {'.'.join(map(str, nvrtc_version()))} makes code for {known}, not for {arch!r}")
    program = _call("nvrtcCreateProgram", text.encode(), FILE_NAME.encode(), 0, [], [])
    try:
        encoded = [flag.encode() for flag in flags]
        status = _bindings().nvrtcCompileProgram(program, len(encoded), encoded)[0]
        log = _read(program, "ProgramLog").decode(errors="replace").rstrip("\0").strip()
        if int(status) != 0:
            raise NvrtcError(_explain(text, arch, log or _status_name(status)))
        return _read(program, kind), log
    finally:
        _bindings().nvrtcDestroyProgram(program)


def _read(program: Any, what: str) -> bytes:
    buffer = bytearray(_call(f"nvrtcGet{what}Size", program))
    _call(f"nvrtcGet{what}", program, buffer)
    return bytes(buffer)


def _explain(text: str, arch: str, log: str) -> str:
    """NVRTC's own words, then the lines of the text that the first errors are about."""
    lines = text.splitlines()
    parts = [f"NVRTC refused the CUDA C text for {arch}:", log]
    seen: set[int] = set()
    for match in _ERROR_LINE.finditer(log):
        number = int(match[1])
        if number in seen or len(seen) == _SHOWN_ERRORS:
            continue
        seen.add(number)
        first, last = max(1, number - 2), min(len(lines), number + 2)
        shown = (f"{'>' if at == number else ' '} {at:4} | {lines[at - 1]}" for at in range(first, last + 1))
        parts += ["", *shown]
    return "\n".join(parts)


@cache
def _bindings() -> Any:
    try:
        return importlib.import_module("cuda.bindings.nvrtc")
    except ImportError as error:
        raise NvrtcMissingError(
            "making PTX or a cubin needs NVRTC through cuda-python, which cannot be imported: "
            f"{error}. Install it with: pip install cuda-python nvidia-cuda-nvrtc"
        ) from error


def _call(name: str, *arguments: Any) -> Any:
    """The result of one NVRTC function, without its status, after checking the status."""
    function = getattr(_bindings(), name)
    try:
        status, *results = function(*arguments)
    except RuntimeError as error:  # what the bindings raise where the shared library is not found
        raise NvrtcMissingError(
            "making PTX or a cubin needs the NVRTC library, which was not found. "
            "Install it with: pip install nvidia-cuda-nvrtc"
        ) from error
    if int(status) != 0:
        raise NvrtcError(f"{name} failed: {_status_name(status)}")
    if not results:
        return None
    return results[0] if len(results) == 1 else results


def _status_name(status: Any) -> str:
    return getattr(status, "name", str(status))
