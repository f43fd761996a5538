"""The C++ compiler that makes kernels run on the CPU, and what it is asked for."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mytriton.errors import MissingToolError

_NAMES = ("c++", "g++", "clang++")
_LARGE_TEXT_LINES = 600

_COMMON_FLAGS = ("-fPIC", "-shared", "-fvisibility=hidden", "-fomit-frame-pointer", "-fno-sanitize=undefined")

RUNTIME_FLAGS = ("-x", "c", "-std=c11", "-D_GNU_SOURCE", "-O2", *_COMMON_FLAGS, "-pthread")
"""For the runtime, which is C."""

# No fused multiply-add but where the text says `fmaf`, and integer overflow and aliasing as on a GPU.
_KERNEL_FLAGS = (
    "-x",
    "c++",
    "-std=c++17",
    *_COMMON_FLAGS,
    "-nostdlib",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-asynchronous-unwind-tables",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
)
_OPTIMISATION = "-O2"
_LARGE_TEXT_OPTIMISATION = "-O1"
# GCC unrolls loops over registers, as a GPU compiler would, and vectorises what they become only when it is asked to.
# It must not vectorise the loops themselves, which it does first: the arrays then stay in memory, read by gathers.
_GCC_OPTIMISATION = (
    "-fpeel-loops",
    "-fno-tree-loop-vectorize",
    "-ftree-slp-vectorize",
    "-fvect-cost-model=dynamic",
    "--param=max-completely-peel-times=64",
    "--param=max-completely-peeled-insns=400",
)
_GCC_MESSAGES = ("-fno-diagnostics-show-caret", "-ftrack-macro-expansion=0", "-fmax-errors=5")
_CLANG_MESSAGES = ("-fno-caret-diagnostics", "-ferror-limit=5")
LINK_FLAGS = ("-lm",)


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: the words that start its command, and a text that changes when the program does."""

    command: tuple[str, ...]
    identity: str
    is_clang: bool

    def kernel_flags(self, text: str) -> tuple[str, ...]:
        """For a kernel; a long one is optimised less, since that is what takes the time."""
        level = _LARGE_TEXT_OPTIMISATION if text.count("\n") > _LARGE_TEXT_LINES else _OPTIMISATION
        if self.is_clang:
            return (*_KERNEL_FLAGS, level, *_CLANG_MESSAGES)
        return (*_KERNEL_FLAGS, level, *_GCC_OPTIMISATION, *_GCC_MESSAGES)

    @property
    def target_flags(self) -> tuple[str, ...]:
        """For the processor of this machine."""
        return (
            ("-mcpu=native", "-mno-outline-atomics")
            if platform.machine() in ("aarch64", "arm64")
            else ("-march=native",)
        )

    def __str__(self) -> str:
        return shlex.join(self.command)


def find_compiler() -> Compiler:
    """The compiler that `MYTRITON_CXX` or `CXX` names, one on the PATH, or the one of the `ziglang` wheel.

    Raises `MissingToolError` where there is none, or where a variable names one that does not exist.
    """
    return _find_compiler(os.environ.get("MYTRITON_CXX", ""), os.environ.get("CXX", ""), os.environ.get("PATH", ""))


@functools.cache
def _find_compiler(own_choice: str, general_choice: str, path: str) -> Compiler:
    for variable, choice in (("MYTRITON_CXX", own_choice), ("CXX", general_choice)):
        if words := shlex.split(choice):
            if (program := shutil.which(words[0], path=path)) is None:
                raise MissingToolError(f"{variable} is {choice!r}, but there is no program {words[0]!r}")
            return _compiler(program, *words[1:])
    for name in _NAMES:
        if (program := shutil.which(name, path=path)) is not None:
            return _compiler(program)
    if (program := _zig()) is not None:
        return _compiler(str(program), "c++")
    raise MissingToolError(
        "running a kernel on the CPU needs a C++ compiler, and none was found: neither c++, g++ or clang++ on the PATH "
        "(for example: apt install g++) nor the ziglang package (pip install ziglang). "
        "MYTRITON_CXX may name another one."
    )


def _compiler(program: str, *arguments: str) -> Compiler:
    path = Path(program).resolve()
    status = path.stat()
    identity = f"{path} {shlex.join(arguments)} {status.st_size} {status.st_mtime_ns}"
    return Compiler((program, *arguments), identity, _is_clang(path.name, (program, *arguments)))


def _is_clang(name: str, command: tuple[str, ...]) -> bool:
    """Whether the compiler takes clang's options; it is asked where its name does not tell."""
    if "clang" in name or name.startswith("zig"):
        return True
    if "g++" in name or "gcc" in name:
        return False
    result = subprocess.run([*command, "-dM", "-E", "-x", "c++", "-"], input="", capture_output=True, text=True)
    return "__clang__" in result.stdout


def _zig() -> Path | None:
    specification = importlib.util.find_spec("ziglang")
    if specification is None or specification.origin is None:
        return None
    program = Path(specification.origin).parent / ("zig.exe" if os.name == "nt" else "zig")
    return program if program.exists() else None


@functools.cache
def processor_identity() -> str:
    """A text that differs between processors for which `-march=native` means different things."""
    facts = [platform.system(), platform.machine(), platform.processor()]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if not line.strip():  # the end of the first processor
                    break
                if line.partition(":")[0].strip() in ("model name", "flags", "Features", "CPU part", "CPU implementer"):
                    facts.append(line)
    except OSError:
        pass
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()
