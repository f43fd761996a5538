"""From the numbers of the native part to a fault, and its report."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from mytriton.checker import (
    AsynchronousCopyError,
    DivisionByZeroError,
    IntegerWrapError,
    KernelFault,
    MisalignedAccessError,
    NonFiniteError,
    OutOfBoundsError,
    ProgramRaceError,
    SharedRaceError,
    ShiftError,
    StepLimitError,
    ThreadRaceError,
    UndefinedValueError,
    UninitialisedSharedError,
)
from mytriton.checker.arrays import ArrayView
from mytriton.checker.describe import Describer, shared_array
from mytriton.checker.faults import FAULT_CLASSES
from mytriton.checker.wording import HINTS, REPORT_IT
from mytriton.errors import SourceLocation
from mytriton.passes.checks.tables import ORIGIN_KINDS, Origin, Sink
from mytriton.runtime.cpu.faults import ATOMIC, READ, SHARED_MEMORY, WRITE, RawFault, RawKind
from tests.unit.checker.fakes import LOAD, STORE, fake_code, raw_fault, raw_side

# Columns 0 to 4 of a table of 8 columns, and a vector.
PART = ArrayView("x_ptr", 0, "float32", 4, (6, 5), (32, 4), 0x1000, 180, 32, 20)
VECTOR = ArrayView("out_ptr", 1, "int64", 8, (10,), (8,), 0x1100, 80)
EMPTY = ArrayView("empty_ptr", 2, "float16", 2, (0, 3), (6, 2), 0x2000, 0)
BACKWARDS = ArrayView("back_ptr", 3, "int8", 1, (4,), (-1,), 0x3000, 4)
VIEWS = [PART, VECTOR, EMPTY, BACKWARDS]

ORIGINS = [Origin(kind, LOAD, "row * stride") for kind in ORIGIN_KINDS]
SINKS = [Sink("is stored", STORE), Sink("is stored", LOAD)]


def fault_of(raw: RawFault, steps: int | None = None) -> KernelFault:
    code, _ = fake_code(origins=ORIGINS, sinks=SINKS)
    return Describer("kernel", code, VIEWS, steps).fault(raw)


def access(array: int, offset: int, size: int, line: int = 4, access: int = READ) -> KernelFault:
    own = raw_side((1, 2, 0), 5, line, access)
    return fault_of(raw_fault(RawKind.OUT_OF_BOUNDS, own, array=array, offset=offset, size=size))


@pytest.mark.parametrize(
    ("array", "offset", "size", "message", "index"),
    [
        (0, 180, 4, "reads x_ptr 1 element past its end", None),
        (0, 191, 4, "reads x_ptr 3 elements past its end", None),
        (0, -1, 1, "reads x_ptr 1 element before its beginning", None),
        (0, -8, 4, "reads x_ptr 2 elements before its beginning", None),
        (0, 32 + 20, 4, "reads x_ptr[1, 5], between the rows of the array", None),
        # Of an access of several elements the first that is outside counts.
        (0, 8, 16, "reads x_ptr[0, 5], between the rows of the array", None),
        (0, 176, 16, "reads x_ptr 1 element past its end", None),
        (1, 72, 16, "reads out_ptr 1 element past its end", None),
        (2, 0, 2, "reads empty_ptr, which has no elements", None),
        (-1, 0, 4, "reads memory of no array", None),
    ],
)
def test_out_of_bounds(array: int, offset: int, size: int, message: str, index: object) -> None:
    fault = access(array, offset, size)
    assert isinstance(fault, OutOfBoundsError)
    assert fault.message == f"out of bounds: {message}" and fault.index is index


def test_a_place_in_another_array() -> None:
    fault = access(0, 0x100 + 3 * 8, 4)
    assert fault.array is not None
    assert (fault.array.outside, fault.array.inside_of, fault.array.inside_index) == (26, "out_ptr", (3,))
    assert "the place belongs to out_ptr[3], another argument" in str(fault)


def test_the_report() -> None:
    assert str(access(0, 180, 4)).splitlines() == [
        "k.py:10:5: error: out of bounds: reads x_ptr 1 element past its end",
        "    x = tl.load(x_ptr)",
        "    ^~~~~~~~~~~~~~~",
        "note: program (1, 2, 0), thread 5, of kernel kernel",
        "note: x_ptr is a float32 array of shape (6, 5)",
        f"hint: {HINTS['out of bounds']}",
    ]


def test_a_report_without_a_line_of_the_kernel_has_that_of_the_text() -> None:
    assert str(access(0, 180, 4, line=1)).splitlines()[:2] == [
        "error: out of bounds: reads x_ptr 1 element past its end",
        'line 1 of the CUDA C: extern "C" __global__ void kernel(const float *x, float *out)',
    ]


def test_the_calls_that_led_to_a_line() -> None:
    code, _ = fake_code()
    code.callers = {4: [replace(STORE, function="middle"), SourceLocation("k.py", 30)]}
    own = raw_side((1, 2, 0), 5, 4, READ)
    raw = raw_fault(RawKind.OUT_OF_BOUNDS, own, array=0, offset=180, size=4)
    fault = Describer("kernel", code, VIEWS, None).fault(raw)
    assert [call.line for call in fault.sides[0].callers] == [12, 30]
    assert str(fault).splitlines()[1:8] == [
        "    x = tl.load(x_ptr)",
        "    ^~~~~~~~~~~~~~~",
        "k.py:12:5: note: in kernel called from here",
        "    tl.store(out_ptr, x)",
        "    ^~~~~~~~",
        "k.py:30: note: in middle called from here",
        "note: program (1, 2, 0), thread 5, of kernel kernel",
    ]


def test_fields() -> None:
    fault = access(0, 180, 4, access=WRITE)
    (side,) = fault.sides
    assert (fault.kernel, fault.kind, fault.shape, fault.dtype) == ("kernel", "out of bounds", (6, 5), "float32")
    assert (side.program, side.thread, side.access) == ((1, 2, 0), 5, "write")
    assert (side.file, side.line, side.source) == ("k.py", 10, "x = tl.load(x_ptr)")
    assert (side.cuda_line, side.cuda_text) == (4, "float a = x[i];")
    again = pickle.loads(pickle.dumps(fault))
    assert str(again) == str(fault) and again.sides == fault.sides


def test_misaligned() -> None:
    own = raw_side((0, 0, 0), 0, 4, READ)
    fault = fault_of(raw_fault(RawKind.MISALIGNED, own, array=0, offset=4, size=16))
    assert isinstance(fault, MisalignedAccessError)
    assert fault.index == (0, 1) and fault.value == "0x1004"
    assert "reads 16 bytes at once from x_ptr[0, 1] on, whose address 16 does not divide" in fault.message


def race(kind: RawKind, other_program: tuple[int, int, int], other_line: int, other_access: int = WRITE) -> KernelFault:
    own, other = raw_side((1, 0, 0), 5, 5, WRITE), raw_side(other_program, 6, other_line, other_access)
    return fault_of(raw_fault(kind, own, other, array=1, offset=24, size=8))


def test_races_between_programs() -> None:
    fault = race(RawKind.PROGRAM_RACE, (0, 0, 0), 4, READ)
    assert isinstance(fault, ProgramRaceError) and fault.index == (3,)
    assert [(side.line, side.access) for side in fault.sides] == [(12, "write"), (10, "read")]
    assert str(fault).splitlines() == [
        "k.py:12:5: error: race between programs: writes out_ptr[3], which program (0, 0, 0) reads too",
        "    tl.store(out_ptr, x)",
        "    ^~~~~~~~",
        "note: program (1, 0, 0), thread 5, of kernel kernel",
        "note: out_ptr is an int64 array of shape (10,)",
        "k.py:10:5: note: the other access, a read by thread 6 of program (0, 0, 0)",
        "    x = tl.load(x_ptr)",
        "    ^~~~~~~~~~~~~~~",
        f"hint: {HINTS['program race']}",
    ]


def test_races_within_a_program() -> None:
    fault = race(RawKind.THREAD_RACE, (1, 0, 0), 4, ATOMIC)
    assert isinstance(fault, ThreadRaceError) and fault.hint == HINTS["thread race"]
    assert "note: the other access, an atomic update by thread 6 of the same program" in str(fault)
    fault = race(RawKind.THREAD_RACE, (1, 0, 0), 5)
    assert fault.hint == HINTS["thread race, one line"]
    assert "\nnote: the other access, a write by thread 6 of the same program, on the same line\n" in str(fault)


def test_a_negative_stride() -> None:
    own = raw_side((0, 0, 0), 0, 4, WRITE)
    fault = fault_of(raw_fault(RawKind.PROGRAM_RACE, own, raw_side((1, 0, 0), 0, 4, WRITE), array=3, offset=0, size=1))
    assert fault.index == (3,)


@pytest.mark.parametrize(
    ("kind", "expected", "message"),
    [
        (RawKind.SHARED_RACE, SharedRaceError, "writes tile[2, 1], which thread 6 reads too"),
        (RawKind.ASYNCHRONOUS_COPY, AsynchronousCopyError, "writes tile[2, 1], which a copy in flight"),
        (RawKind.SHARED_UNINITIALISED, UninitialisedSharedError, "tile[2, 1], which nothing was"),
        (RawKind.MISALIGNED, MisalignedAccessError, "writes 16 bytes at once from tile[2, 1] on"),
    ],
)
def test_shared_memory(kind: RawKind, expected: type[KernelFault], message: str) -> None:
    own, other = raw_side((0, 0, 0), 5, 5, WRITE), raw_side((0, 0, 0), 6, 4, READ)
    fault = fault_of(raw_fault(kind, own, other, array=SHARED_MEMORY, array_line=3, offset=36, size=16))
    assert type(fault) is expected and message in fault.message
    assert fault.array is not None and (fault.array.name, fault.shape, fault.index) == ("tile", (8, 4), (2, 1))
    assert "note: the buffer is line 3 of the CUDA C: __shared__ __align__(16) float tile[8][4];" in str(fault)


def test_outside_of_shared_memory() -> None:
    own = raw_side((0, 0, 0), 5, 5, READ)
    fault = fault_of(raw_fault(RawKind.OUT_OF_BOUNDS, own, array=SHARED_MEMORY, array_line=3, offset=128, size=4))
    assert isinstance(fault, OutOfBoundsError) and fault.index is None and fault.hint == REPORT_IT
    assert fault.message == "out of bounds: reads outside of tile in shared memory"


@pytest.mark.parametrize(
    ("declaration", "name", "shape", "index"),
    [
        ("__shared__ __align__(16) float scratch[4];", "scratch", (4,), (2,)),
        ("__shared__ __align__(16) unsigned char used[3][64];", "used", (3, 64), (0, 8)),
        ("__shared__ __align__(16) long long sums[2][2];", "sums", (2, 2), (0, 1)),
        ("float (*a_tile)[16] = (float (*)[16])(pool + 1024);", "a_tile", (16,), (2,)),
    ],
)
def test_declarations(declaration: str, name: str, shape: tuple[int, ...], index: tuple[int, ...]) -> None:
    array = shared_array(declaration, 8)
    assert array is not None and (array.name, array.shape, array.index) == (name, shape, index)


def test_steps() -> None:
    fault = fault_of(raw_fault(RawKind.STEPS, raw_side((0, 0, 0), 5, 4)), steps=1000)
    assert isinstance(fault, StepLimitError)
    assert fault.message == "too many steps: more than 1000 iterations of the loops of a program"
    assert fault.sides[0].line == 10 and fault.sides[0].access == ""


EXPECTED = {
    "masked load": UndefinedValueError,
    "poison": UndefinedValueError,
    "empty": UndefinedValueError,
    "division by zero": DivisionByZeroError,
    "shift": ShiftError,
    "wrapped": IntegerWrapError,
    "nonfinite": NonFiniteError,
}


@pytest.mark.parametrize(
    ("origin", "expected"), [(ORIGIN_KINDS.index(kind) + 1, EXPECTED[kind]) for kind in ORIGIN_KINDS]
)
def test_values(origin: int, expected: type[KernelFault]) -> None:
    fault = fault_of(raw_fault(RawKind.VALUE, raw_side((0, 0, 0), 5, 5), origin=origin, sink=0, offset=0x1100 + 16))
    assert type(fault) is expected and "row * stride" in fault.message
    assert [side.line for side in fault.sides] == [10, 12]
    assert fault.array is not None and (fault.array.name, fault.index) == ("out_ptr", (2,))
    assert "\nk.py:12:5: note: the value is used here\n    tl.store(out_ptr, x)\n" in str(fault)


def test_a_value_that_is_used_where_it_is_made() -> None:
    fault = fault_of(raw_fault(RawKind.VALUE, raw_side((0, 0, 0), 5, 5), origin=3, sink=1))
    assert len(fault.sides) == 1 and fault.array is None


def test_every_class_has_a_kind_of_its_own() -> None:
    assert len({made.kind for made in FAULT_CLASSES}) == len(FAULT_CLASSES) == len(KernelFault.__subclasses__())


@pytest.mark.parametrize(
    ("line", "column", "is_masked"),
    [
        ("tl.store(o, tl.load(x, mask=m) + tl.load(y), mask=m)", 34, False),
        ("tl.store(o, tl.load(x, mask=m) + tl.load(y), mask=m)", 13, True),
        ("tl.store(o, tl.load(x, mask=m) + tl.load(y), mask=m)", 1, True),
        ("a = tl.load(x[(0, 1)],", 5, False),
    ],
)
def test_the_hint_is_about_the_access_itself(line: str, column: int, is_masked: bool) -> None:
    code, _ = fake_code()
    code.places = {4: SourceLocation("k.py", 9, column, source_line=line)}
    raw = raw_fault(RawKind.OUT_OF_BOUNDS, raw_side((1, 2, 0), 5, 4, READ), array=0, offset=180, size=4)
    hint = Describer("kernel", code, VIEWS, None).fault(raw).hint
    assert hint is not None and hint.startswith("the mask lets more through") == is_masked
