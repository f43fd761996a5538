"""A kernel that can be launched on the CPU."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mytriton.errors import LaunchError
from mytriton.float8 import FLOAT8
from mytriton.runtime.cpu import messages
from mytriton.runtime.cpu import native_runtime as native
from mytriton.runtime.cpu.errors import DeadlockError, ThreadGroup
from mytriton.runtime.cpu.faults import RawFault
from mytriton.runtime.cpu.translation_unit import KernelMetadata

# For each C type the format of `struct` and the size; every argument takes eight bytes.
_FORMATS = {
    "bool": ("?", 1),
    "signed char": ("b", 1),
    "unsigned char": ("B", 1),
    "short": ("h", 2),
    "unsigned short": ("H", 2),
    "int": ("i", 4),
    "unsigned": ("I", 4),
    "unsigned int": ("I", 4),
    "long long": ("q", 8),
    "unsigned long long": ("Q", 8),
    "half": ("H", 2),
    "bfloat16": ("H", 2),
    **{format.c_name: ("B", 1) for format in FLOAT8.values()},
    "float": ("f", 4),
    "double": ("d", 8),
}
_POINTER = ("Q", 8)

_REASONS = {
    native.DEADLOCK: "deadlock",
    native.DIVERGENT: "threads that must meet wait in different places",
}


class CpuKernel:
    """A compiled kernel: `text` is the C++ source, `path` the shared object."""

    def __init__(self, text: str, cuda_text: str, path: Path, kernel: KernelMetadata, runtime: native.NativeRuntime):
        """Loads the shared object; raises OSError where that fails."""
        self.text = text
        self.path = path
        self.name = kernel.name
        self.params = tuple((str(name), str(c_type)) for name, c_type, *_ in kernel.params)
        self._cuda_text = cuda_text
        self._runtime = runtime
        self._formats = [_format_of(c_type) for _, c_type in self.params]
        self._pack = struct.Struct("=" + "".join(f"{code}{8 - size}x" for code, size in self._formats)).pack
        self._library = ctypes.CDLL(str(path))
        self._address = ctypes.addressof(ctypes.c_char.in_dll(self._library, "mytriton_exported_kernel"))
        if runtime.load(self._address):
            raise OSError(f"{path} was built for another version of the runtime")

    def launch(self, grid: Sequence[int], args: Sequence[Any], workers: int | None = None) -> None:
        """Runs the kernel for each block of `grid` (one to three extents) and returns when all have ended.

        `args` are numbers, and for pointers the addresses; floats of 16 and 8 bits as their bits. `workers`: how
        many blocks run at the same time. Raises `DeadlockError` where threads wait for each other for ever, and
        `LaunchError` for a bad grid or argument and for a lack of memory. An exception that comes from a signal ends
        the launch.
        """
        self._launch(grid, args, workers, None)

    def _launch(
        self,
        grid: Sequence[int],
        args: Sequence[Any],
        workers: int | None,
        request: ctypes.Structure | None,
        tells_if_failed: bool = True,
    ) -> list[RawFault]:
        """Runs the kernel; what the checker found, where there is a request for it.

        What the kernel records is told unless there is a fault or a deadlock, or where it `tells_if_failed`.
        """
        x, y, z = (*grid, 1, 1)[: max(3, len(grid))]
        if not (0 < x < 2**31 and 0 < y < 2**31 and 0 < z < 2**31):
            raise LaunchError(f"{self.name}: the extents of a grid are positive and below 2**31, found {tuple(grid)}")
        try:
            packed = self._pack(*args)
        except (struct.error, OverflowError, TypeError):
            packed = self._pack(*self._wrap(args))
        runtime = self._runtime
        workers = workers or native.default_workers()
        asked = None if request is None else ctypes.byref(request)
        # Known before anything runs, since an exception may come with the first step after a call.
        job = ctypes.c_void_p()
        try:
            status = runtime.launch(self._address, x, y, z, packed, len(packed), workers, ctypes.byref(job), asked)
            while status == native.RUNNING:
                status = runtime.wait(job)
            if job and (tells_if_failed or status not in (native.FAULT, *_REASONS)):
                messages.tell(self.name, runtime.records(job))
            faults = runtime.faults(job) if request is not None else []
            if status not in (native.DONE, native.FAULT):
                raise self._failure(status, runtime.report(job))
            return faults
        finally:
            if job:
                runtime.end(job)

    def _failure(self, status: int, report: native.Report) -> LaunchError:
        if status not in _REASONS:
            return LaunchError(f"{self.name}: {report.message.decode()}")
        x, y, z = report.block
        groups = [self._thread_group(group) for group in report.groups[: report.group_count]]
        return DeadlockError(self.name, (x, y, z), _REASONS[status], groups, len(groups) < report.group_count)

    def _thread_group(self, group: native.Group) -> ThreadGroup:
        lines = self._cuda_text.splitlines()
        source = lines[group.line - 1].strip() if 0 < group.line <= len(lines) else ""
        kind = None if group.kind is None else group.kind.decode()
        return ThreadGroup(group.first, group.last, kind, group.line, source)

    def _wrap(self, args: Sequence[Any]) -> list[Any]:
        """The arguments as C would convert them: unsigned values of signed parameters, floats beyond their range."""
        if len(args) != len(self.params):
            raise LaunchError(f"{self.name} takes {len(self.params)} arguments, but {len(args)} were given")
        wrapped: list[Any] = []
        for value, (name, c_type), (code, size) in zip(args, self.params, self._formats, strict=True):
            try:
                if code == "f":
                    wrapped.append(ctypes.c_float(value).value)
                elif code in "d?":
                    wrapped.append(struct.unpack("=" + code, struct.pack("=" + code, value))[0])
                else:
                    wrapped.append(_wrap_integer(int(value.__index__()), size, code.islower()))
            except (struct.error, OverflowError, TypeError, AttributeError) as error:
                raise LaunchError(f"{self.name}: {value!r} does not fit the parameter {c_type} {name}") from error
        return wrapped


def _format_of(c_type: str) -> tuple[str, int]:
    return _POINTER if c_type.endswith("*") else _FORMATS[c_type.removeprefix("const ")]


def _wrap_integer(value: int, size: int, signed: bool) -> int:
    """`value` modulo two to its number of bits; raises OverflowError where neither signed nor unsigned has it."""
    bits = 8 * size
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise OverflowError
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value
