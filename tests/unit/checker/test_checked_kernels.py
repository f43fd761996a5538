"""Checked launches of real kernels: each kind of fault, where it is, and that what is right passes."""

from __future__ import annotations

import inspect
import threading
from typing import Any

import numpy as np
import pytest

import mytriton as triton
from mytriton.checker import (
    KernelFault,
    KernelFaults,
    MisalignedAccessError,
    OutOfBoundsError,
    ProgramRaceError,
    SharedRaceError,
    StepLimitError,
    ThreadRaceError,
    UninitialisedSharedError,
)
from mytriton.errors import DeviceAssertionError
from mytriton.runtime.cpu import DeadlockError
from tests.unit.checker import broken, kernels

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "bool"]


def line_of(kernel: triton.JITFunction, text: str) -> int:
    """The number of the line of a kernel that has `text`."""
    lines, first = inspect.getsourcelines(kernel.fn)
    return next(first + number for number, line in enumerate(lines) if text in line)


def check_place(fault: KernelFault, kernel: triton.JITFunction, text: str, side: int = 0) -> None:
    found = fault.sides[side]
    assert found.file is not None and found.file.endswith("kernels.py")
    assert found.line == line_of(kernel, text)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n", "block", "num_warps"), [(1000, 128, 1), (1000, 256, 4), (100, 128, 2), (5, 1024, 8)])
def test_a_read_past_the_end(dtype: str, n: int, block: int, num_warps: int) -> None:
    x, out = np.ones(n, dtype), np.zeros(n, dtype)
    grid = triton.cdiv(n, block)
    with triton.sanitize(), pytest.raises(OutOfBoundsError) as caught:
        kernels.copy_unmasked[(grid,)](x, out, n, BLOCK=block, num_warps=num_warps)
    fault = caught.value
    check_place(fault, kernels.copy_unmasked, "tl.load")
    assert not out.any()
    assert fault.array is not None and fault.sides[0].access == "read"
    assert (fault.array.name, fault.shape, fault.dtype, fault.index) == ("x_ptr", (n,), dtype, None)
    assert fault.sides[0].program == (grid - 1, 0, 0)
    assert 1 <= fault.array.outside <= grid * block - n


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_write_past_the_end(dtype: str) -> None:
    memory = np.zeros(512, dtype)
    with triton.sanitize(), pytest.raises(OutOfBoundsError) as caught:
        kernels.store_unmasked[(2,)](memory[:300], 1, BLOCK=256)
    assert not memory.any()
    assert caught.value.sides[0].access == "write" and "writes out_ptr " in caught.value.message


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_small_floats(dtype: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.ones(1000, getattr(ml_dtypes, dtype))
    out = np.zeros_like(x)
    with triton.sanitize(), pytest.raises(OutOfBoundsError) as caught:
        kernels.copy_unmasked[(4,)](x, out, 1000, BLOCK=256)
    assert (caught.value.shape, caught.value.dtype) == ((1000,), dtype)
    with triton.sanitize():
        kernels.copy_unmasked[(4,)](x, out, 900, BLOCK=250)
    assert (out[:900] == x[:900]).all() and not out[900:].astype(np.float32).any()


def test_a_fault_in_a_called_function() -> None:
    with triton.sanitize(), pytest.raises(OutOfBoundsError) as caught:
        kernels.sum_of_row[(1,)](np.zeros((4, 32), np.float32), np.zeros(1, np.float32), 4, COLUMNS=32)
    check_place(caught.value, kernels.row_of, "return")
    assert "    return tl.load(x_ptr + row * COLUMNS + tl.arange(0, COLUMNS))\n" in str(caught.value)


def test_compiled_kernels_and_texts() -> None:
    x, out = np.zeros(10, np.int32), np.zeros(1, np.int32)
    compiled = kernels.load_at.warmup(x, out, 2, grid=(1,))
    from_text = triton.compile_ttir(compiled.asm["ttir"])
    for kernel in (compiled, from_text):
        with triton.sanitize():
            kernel[(1,)](x, out, 9)
            with pytest.raises(OutOfBoundsError, match="reads x_ptr 1 element past its end") as caught:
                kernel[(1,)](x, out, 10)
        check_place(caught.value, kernels.load_at, "tl.load")


@pytest.mark.parametrize("offset", [-1, -300, 10, 300, 2**31 - 1])
def test_how_far_outside(offset: int) -> None:
    x, out = np.zeros(10, np.int16), np.zeros(1, np.int16)
    with triton.sanitize(), pytest.raises(OutOfBoundsError) as caught:
        kernels.load_at[(1,)](x, out, offset)
    assert caught.value.array is not None
    assert caught.value.array.outside == (offset if offset < 0 else offset - 9)


def test_an_atomic_update_outside() -> None:
    with triton.sanitize(), pytest.raises(OutOfBoundsError, match="updates x_ptr 3 elements past its end") as caught:
        kernels.add_at[(1,)](np.zeros(4, np.int32), 6)
    assert caught.value.sides[0].access == "atomic"


def test_a_place_in_another_argument() -> None:
    memory = np.zeros(64, np.float32)
    with triton.sanitize(), pytest.raises(OutOfBoundsError) as caught:
        kernels.load_at[(1,)](memory[:32], memory[40:48], 43)
    array = caught.value.array
    assert array is not None and (array.inside_of, array.inside_index) == ("out_ptr", (3,))


def test_an_array_without_elements() -> None:
    empty = np.zeros((0, 3), np.float32)
    with triton.sanitize(), pytest.raises(OutOfBoundsError, match="reads x_ptr, which has no elements"):
        kernels.load_at[(1,)](empty, np.zeros(1, np.float32), 0)


TABLE = np.arange(8 * 32, dtype=np.float32).reshape(8, 32)


@pytest.mark.parametrize(
    "part",
    [
        TABLE,
        TABLE[:, :16],
        TABLE[::2, 8:],
        TABLE[::-1],
        TABLE[:, ::-1],
        TABLE[::-1, ::-2],
        TABLE.T,
        TABLE.T[3:11],
        np.broadcast_to(TABLE[2], (4, 32)),
        np.broadcast_to(TABLE[:, 3:4], (8, 4)),
    ],
)
def test_views(part: Any) -> None:
    """Every element of a view may be read, and one step along either axis is a fault."""
    rows, columns = part.shape
    strides = [stride // 4 for stride in part.strides]
    out = np.zeros(part.shape, np.float32)
    with triton.sanitize():
        kernels.copy_table[(1,)](part, out, *strides, ROWS=rows, COLUMNS=columns)
    assert (out == part).all()
    for more in ({"ROWS": 2 * rows, "COLUMNS": columns}, {"ROWS": rows, "COLUMNS": 2 * columns}):
        axis = int(more["ROWS"] == rows)
        steps = part.strides[1 - axis]
        # Along an axis of stride 0 nothing is outside; nor is the end of a row that the next one follows.
        inside = part.strides[axis] == 0
        large = np.zeros((more["ROWS"], more["COLUMNS"]), np.float32)
        with triton.sanitize():
            if inside:
                kernels.copy_table[(1,)](part, large, *strides, **more)
                continue
            with pytest.raises(OutOfBoundsError) as caught:
                kernels.copy_table[(1,)](part, large, *strides, **more)
        assert caught.value.array is not None and caught.value.array.name == "x_ptr"
        assert caught.value.index is None and steps is not None
        assert not large.any()


def test_between_rows() -> None:
    part = TABLE[:, :20]
    with triton.sanitize(), pytest.raises(OutOfBoundsError) as caught:
        kernels.copy_table[(1,)](part, np.zeros((8, 32), np.float32), 32, 1, ROWS=8, COLUMNS=32)
    assert caught.value.array is not None
    row, column = caught.value.array.beyond or (0, 0)
    assert 0 <= row < 8 and 20 <= column < 32
    assert f"reads x_ptr[{row}, {column}], between the rows of the array" in caught.value.message


def test_a_race_between_programs() -> None:
    x, out = np.ones(1024, np.float32), np.full(1, 5, np.float32)
    found: list[ProgramRaceError] = []
    for _ in range(5):
        with triton.sanitize(), pytest.raises(ProgramRaceError) as caught:
            kernels.sum_all[(8,)](x, out, BLOCK=128)
        found.append(caught.value)
        assert out[0] == 5
    assert len(set(map(str, found))) == 1
    fault = found[0]
    check_place(fault, kernels.sum_all, "tl.store")
    check_place(fault, kernels.sum_all, "tl.store", side=1)
    assert fault.array is not None and (fault.array.name, fault.index) == ("out_ptr", (0,))
    own, other = fault.sides
    assert own.program != other.program and "write" in (own.access, other.access)


def test_atomic_operations_are_no_race() -> None:
    x, out = np.ones(1024, np.float32), np.zeros(1, np.float32)
    with triton.sanitize():
        kernels.sum_atomically[(8,)](x, out, BLOCK=128)
    assert out[0] == 1024


def test_one_array_given_twice() -> None:
    """In place is right where each element is read and written by one thread only."""
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    with triton.sanitize():
        kernels.add_rows[(8,)](x, y, x, 1000, BLOCK=128)
    assert (x == np.arange(1000) + 1).all()


def test_views_of_one_array_that_overlap() -> None:
    memory = np.zeros(1001, np.float32)
    before = memory.copy()
    with triton.sanitize(), pytest.raises((ProgramRaceError, ThreadRaceError)) as caught:
        kernels.add_rows[(8,)](memory[:1000], np.ones(1000, np.float32), memory[1:], 1000, BLOCK=128)
    assert {side.access for side in caught.value.sides} == {"read", "write"}
    assert (memory == before).all()


def test_a_race_within_a_program() -> None:
    places = np.arange(256, dtype=np.int32) % 100
    with triton.sanitize(), pytest.raises(ThreadRaceError) as caught:
        kernels.scatter[(1,)](np.zeros(100, np.int32), places, BLOCK=256)
    own, other = caught.value.sides
    assert own.thread != other.thread and own.program == other.program
    check_place(caught.value, kernels.scatter, "tl.store")
    with triton.sanitize():
        kernels.scatter[(1,)](np.zeros(256, np.int32), np.arange(256, dtype=np.int32)[::-1].copy(), BLOCK=256)


def test_a_shift_in_place() -> None:
    x = np.arange(513, dtype=np.int32)
    with triton.sanitize(), pytest.raises((ThreadRaceError, ProgramRaceError)):
        kernels.shift_in_place[(4,)](x, 512, BLOCK=128)
    assert (x == np.arange(513)).all()


def test_a_misaligned_access() -> None:
    x, out = np.zeros(1030, np.float32), np.zeros(1024, np.float32)
    compiled = kernels.copy_unmasked.warmup(x, out, 1024, BLOCK=1024, grid=(1,))
    address = np.zeros(1030, np.int8)
    del address

    class Lying:
        """Says that its address is divisible by 16."""

        dtype = x.dtype
        shape = (1024,)

        def __init__(self) -> None:
            self.asked = 0

        def data_ptr(self) -> int:
            self.asked += 1
            return x.ctypes.data // 16 * 16 + 20

        def stride(self) -> tuple[int]:
            return (1,)

        def element_size(self) -> int:
            return 4

    with triton.sanitize(), pytest.raises(MisalignedAccessError) as caught:
        call = compiled.specialization
        arguments = [a._replace(value=Lying().data_ptr()) if n == 0 else a for n, a in enumerate(call.arguments)]
        call = type(call)(call.parameters, arguments, call.key, call.device, call.read_only)
        compiled.launch_bound((1, 1, 1), call, [Lying(), out, 1024, 1024])
    assert caught.value.index == (0,) and int(caught.value.value or "0", 16) % 16 == 4


def test_a_launch_that_takes_too_many_steps() -> None:
    out = np.full(1, 7, np.int32)
    with triton.sanitize(steps=1000), pytest.raises(StepLimitError) as caught:
        kernels.count_forever[(1,)](out)
    check_place(caught.value, kernels.count_forever, "while")
    assert out[0] == 7


def test_broken_texts() -> None:
    with pytest.raises(SharedRaceError) as caught:
        broken.launch_broken(broken.without_second_barrier)
    assert [side.access for side in caught.value.sides] == ["write", "read"]
    with pytest.raises(UninitialisedSharedError):
        broken.launch_broken(broken.without_first_write)
    with pytest.raises(OutOfBoundsError, match="writes outside of once_x_shared in shared memory"):
        broken.launch_broken(broken.beyond_the_buffer)
    with pytest.raises(DeadlockError, match="threads 0-95 wait at __syncthreads in line 10: __syncthreads") as deadlock:
        broken.launch_broken(broken.with_threads_that_leave)
    location = deadlock.value.groups[0].location
    assert location is not None and location.line == line_of(broken.rotate, "once = tl.gather")


def test_all_faults() -> None:
    x, out = np.ones(1000, np.float32), np.zeros(1, np.float32)
    with triton.sanitize(all_faults=True), pytest.raises(KernelFaults) as caught:
        kernels.sum_all[(8,)](x, out, BLOCK=128)
    found = [(type(fault), fault.sides[0].access) for fault in caught.value.faults]
    assert (OutOfBoundsError, "read") in found and (ProgramRaceError, "read") in found
    assert (ProgramRaceError, "write") in found
    assert not out.any()


@pytest.mark.parametrize("schedule", range(3))
def test_another_order(schedule: int) -> None:
    x, out = np.ones(1024, np.float32), np.zeros(1024, np.float32)
    with triton.sanitize(schedule=schedule):
        kernels.copy_unmasked[(8,)](x, out, 1024, BLOCK=128)
    assert out.all()
    reports: set[str] = set()
    for _ in range(3):
        with triton.sanitize(schedule=schedule), pytest.raises(ProgramRaceError) as caught:
            kernels.sum_all[(8,)](x, out[:1], BLOCK=128)
        reports.add(str(caught.value))
    assert len(reports) == 1


def test_pointers_from_memory_are_not_checked() -> None:
    memory = np.arange(200, dtype=np.float32)
    out = np.zeros(1, np.float32)
    with triton.sanitize():
        kernels.through_table[(1,)](np.array([memory.ctypes.data], np.int64), out)
    assert out[0] == 100


def test_what_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    x = np.zeros(500, np.float32)
    with triton.sanitize(), pytest.raises(OutOfBoundsError):
        kernels.with_print[(4,)](x, BLOCK=128)
    assert capfd.readouterr().out.count("pid (0, 0, 0)") == 1
    with triton.sanitize():
        kernels.with_print[(3,)](x, BLOCK=128)
    lines = capfd.readouterr().out.splitlines()
    assert [line[:13] for line in lines] == ["pid (0, 0, 0)", "pid (1, 0, 0)", "pid (2, 0, 0)"]


@pytest.mark.parametrize("grid", [1, 4])
def test_an_assertion(grid: int) -> None:
    with triton.sanitize(), pytest.raises(DeviceAssertionError, match="n is not zero"):
        kernels.with_assert[(grid,)](np.zeros(4, np.float32), 5, debug=True)


def test_threads() -> None:
    """Each thread has its own launches, checked or not."""
    failures: list[str] = []

    def run(number: int) -> None:
        for _ in range(5):
            x, out = np.full(1000, number, np.int32), np.zeros(1000, np.int32)
            with triton.sanitize(number % 2 == 0):
                kernels.add_rows[(8,)](x, x, out, 1000, BLOCK=128)
                if (out != 2 * number).any():
                    failures.append(f"thread {number}")
                if number % 2 == 0:
                    with pytest.raises(OutOfBoundsError):
                        kernels.copy_unmasked[(8,)](x, out, 1000, BLOCK=128)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
