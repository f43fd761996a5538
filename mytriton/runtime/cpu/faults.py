"""What the checker's native part tells of a fault: numbers and addresses, which the report makes words of."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar


class RawKind(IntEnum):
    """`enum mytriton_fault_kind` of include/mytriton_abi.h."""

    NONE = 0
    OUT_OF_BOUNDS = 1
    MISALIGNED = 2
    SHARED_RACE = 3
    SHARED_UNINITIALISED = 4
    ASYNCHRONOUS_COPY = 5
    PROGRAM_RACE = 6
    THREAD_RACE = 7
    VALUE = 8
    STEPS = 9
    SUSPICION = 10


READ, WRITE, ATOMIC = 0, 1, 2

SHARED_MEMORY = -2
NO_ARRAY = -1


class RawSide(ctypes.Structure):
    """`struct mytriton_side`: who accessed what where; `line` is that of the CUDA C text, 0 where it is not known."""

    program: Sequence[int]
    thread: int
    line: int
    access: int
    _fields_: ClassVar = [
        ("program", ctypes.c_uint * 3),
        ("thread", ctypes.c_int),
        ("line", ctypes.c_int),
        ("access", ctypes.c_int),
    ]


class RawFault(ctypes.Structure):
    """`struct mytriton_fault`: `array` counts the arrays given to the launch; `offset` is in bytes from its address."""

    kind: int
    array: int
    own: RawSide
    other: RawSide
    offset: int
    size: int
    array_line: int
    origin: int
    sink: int
    count: int
    _fields_: ClassVar = [
        ("kind", ctypes.c_int),
        ("array", ctypes.c_int),
        ("own", RawSide),
        ("other", RawSide),
        ("offset", ctypes.c_longlong),
        ("size", ctypes.c_uint),
        ("array_line", ctypes.c_int),
        ("origin", ctypes.c_int),
        ("sink", ctypes.c_int),
        ("count", ctypes.c_ulonglong),
    ]
