"""The runtime library: workers, and the threads of a block. It is built once for a compiler and a processor."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from mytriton.runtime.cpu.build import Refusal, build_object, forget
from mytriton.runtime.cpu.errors import CompilerError
from mytriton.runtime.cpu.faults import RawFault
from mytriton.runtime.cpu.toolchain import RUNTIME_FLAGS, Compiler

_FILES = ("scheduler.c", "checker.c", "checked_order.c", "checked_memory.c", "pool.c", "launch.c")
_SOURCE = "".join(f'#include "{name}"\n' for name in _FILES)

DONE, RUNNING, DEADLOCK, DIVERGENT, ABORTED, NO_RESOURCES, STOPPED, FAULT = range(8)

_MAX_GROUPS = 64


class Group(ctypes.Structure):
    """`struct group` of native/runtime.h."""

    first: int
    last: int
    line: int
    kind: bytes | None
    _fields_: ClassVar = [
        ("first", ctypes.c_int),
        ("last", ctypes.c_int),
        ("line", ctypes.c_int),
        ("kind", ctypes.c_char_p),
    ]


class Report(ctypes.Structure):
    """`struct report` of native/runtime.h."""

    block: tuple[int, int, int]
    group_count: int
    groups: Sequence[Group]
    message: bytes
    _fields_: ClassVar = [
        ("block", ctypes.c_uint * 3),
        ("group_count", ctypes.c_int),
        ("groups", Group * _MAX_GROUPS),
        ("message", ctypes.c_char * 256),
    ]


class NativeRuntime:
    """The functions of the library; native/launch.c says what they do. They release the interpreter lock."""

    load: Callable[[int], int]
    launch: Callable[..., int]
    wait: Callable[[ctypes.c_void_p], int]
    end: Callable[[ctypes.c_void_p], None]
    worker_count: Callable[[], int]
    shadow: Callable[[int], int | None]

    def __init__(self, path: Path):
        library = ctypes.CDLL(str(path))
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        self.load = _function(library.mytriton_load, ctypes.c_int, pointer)
        self.launch = _function(
            library.mytriton_launch,
            ctypes.c_int,
            *(pointer, number, number, number),
            *(ctypes.c_char_p, ctypes.c_size_t, number, ctypes.POINTER(pointer), pointer),
        )
        self.wait = _function(library.mytriton_wait, ctypes.c_int, pointer)
        self.end = _function(library.mytriton_end, None, pointer)
        self.shadow = _function(library.mytriton_shadow, pointer, ctypes.c_size_t)
        self._faults = _function(library.mytriton_faults, pointer, pointer, ctypes.POINTER(ctypes.c_size_t))
        self.worker_count = _function(library.mytriton_worker_count, number)
        self._records = _function(library.mytriton_records, pointer, pointer, ctypes.POINTER(ctypes.c_size_t))
        self._report = _function(library.mytriton_report, ctypes.POINTER(Report), pointer)

    def records(self, job: ctypes.c_void_p) -> bytes:
        """What the threads of a launch recorded; to be read before its end."""
        size = ctypes.c_size_t()
        data = self._records(job, ctypes.byref(size))
        return ctypes.string_at(data, size.value) if size.value else b""

    def faults(self, job: ctypes.c_void_p) -> list[RawFault]:
        """What the checker found in a launch; to be read before its end."""
        count = ctypes.c_size_t()
        data = self._faults(job, ctypes.byref(count))
        size = ctypes.sizeof(RawFault)
        texts = (ctypes.string_at(data + size * i, size) for i in range(count.value))
        return [RawFault.from_buffer_copy(text) for text in texts]

    def report(self, job: ctypes.c_void_p) -> Report:
        """Why a launch failed; valid until its end."""
        return self._report(job).contents


def _function(function: Any, result: Any, *parameters: Any) -> Callable[..., Any]:
    function.restype = result
    function.argtypes = parameters
    return function


@functools.cache
def load_runtime(compiler: Compiler) -> NativeRuntime:
    """The runtime as `compiler` builds it."""
    for attempt in (1, 2):
        built = build_object(compiler, RUNTIME_FLAGS, _SOURCE)
        if isinstance(built, Refusal):
            raise CompilerError(f"{compiler} cannot compile the runtime of the CPU device:\n{built.messages}")
        try:
            return NativeRuntime(built)
        except OSError:
            if attempt == 2:
                raise
            forget(built)
    raise AssertionError("unreachable")


def default_workers() -> int:
    """How many blocks run at the same time: `MYTRITON_CPU_WORKERS`, or one for each processor of this process."""
    if chosen := os.environ.get("MYTRITON_CPU_WORKERS"):
        return max(1, int(chosen))
    return available_processors()


@functools.cache
def available_processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
