"""The runtime library: workers, and the threads of a block. It is built once for a compiler and a processor."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path

from mytriton.runtime.cpu.build import Refusal, build_object, forget
from mytriton.runtime.cpu.errors import CompilerError
from mytriton.runtime.cpu.toolchain import RUNTIME_FLAGS, Compiler

_SOURCE = '#include "scheduler.c"\n#include "pool.c"\n#include "launch.c"\n'

DONE, RUNNING, DEADLOCK, DIVERGENT, ABORTED, NO_RESOURCES = range(6)

_MAX_GROUPS = 64


class Group(ctypes.Structure):
    """`struct group` of native/runtime.h."""

    _fields_ = [("first", ctypes.c_int), ("last", ctypes.c_int), ("line", ctypes.c_int), ("kind", ctypes.c_char_p)]


class Report(ctypes.Structure):
    """`struct report` of native/runtime.h."""

    _fields_ = [
        ("block", ctypes.c_uint * 3),
        ("group_count", ctypes.c_int),
        ("groups", Group * _MAX_GROUPS),
        ("message", ctypes.c_char * 256),
    ]


class NativeRuntime:
    """The functions of the library. They release the interpreter lock."""

    def __init__(self, path: Path):
        library = ctypes.CDLL(str(path))
        self.load = library.mytriton_load
        self.load.argtypes = [ctypes.c_void_p]
        self.launch = library.mytriton_launch
        self.launch.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint,
            ctypes.c_uint,
            ctypes.c_uint,
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_uint,
            ctypes.POINTER(ctypes.c_void_p),
        ]
        self.wait = library.mytriton_wait
        self.wait.argtypes = [ctypes.c_void_p]
        self.report = library.mytriton_report
        self.report.argtypes = [ctypes.c_void_p]
        self.report.restype = ctypes.POINTER(Report)
        self.end = library.mytriton_end
        self.end.argtypes = [ctypes.c_void_p]
        self.end.restype = None
        self.worker_count = library.mytriton_worker_count
        self.worker_count.argtypes = []


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
