"""What the checker raises: one class for each kind of fault, with what is known of it, and a report as its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mytriton.errors import MytritonError, SourceLocation


@dataclass(frozen=True)
class FaultSide:
    """One of the accesses, or the operation, of a fault.

    `program` is the program's position in the grid, `thread` its thread, or None where that is not known. `access` is
    "read", "write", "atomic", or empty for what is no access. `location` is the line of the kernel, and `cuda_line` and
    `cuda_text` are the line of its CUDA C, 0 and empty where they are not known. `callers` has the calls that led to
    the line, the innermost first, where it is in a function that the kernel calls.
    """

    program: tuple[int, int, int]
    thread: int | None
    access: str
    location: SourceLocation | None
    cuda_line: int = 0
    cuda_text: str = ""
    callers: tuple[SourceLocation, ...] = ()

    @property
    def file(self) -> str | None:
        return self.location.file if self.location else None

    @property
    def line(self) -> int | None:
        return self.location.line if self.location else None

    @property
    def source(self) -> str:
        """The text of the line, empty where it is not known."""
        return self.location.source_line.strip() if self.location else ""


@dataclass(frozen=True)
class FaultArray:
    """The array of a fault, by the name that the kernel has for it.

    `index` is the element, None where the place is not one. `outside` counts elements: -1 is the last one before the
    array, 1 the first one after it; 0 is in the array or between its rows. `beyond` is the index between two rows, as
    if the rows were longer. `inside_of` is the other argument that the place belongs to, `inside_index` its element.
    With `is_shared` it is a buffer in shared memory, named as in the CUDA C.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    index: tuple[int, ...] | None
    outside: int = 0
    beyond: tuple[int, ...] | None = None
    inside_of: str | None = None
    inside_index: tuple[int, ...] | None = None
    is_shared: bool = False


class KernelFault(MytritonError):
    """A launch that was checked did what it must not; the arrays hold what they held before.

    `message` says what, in one line; `sides` has the accesses that it is about, that of the fault first; `array` is the
    array that they access; `value` is the text of the number that matters, where one does; `hint` says how it is mended
    as a rule.
    """

    kind: ClassVar[str] = "fault"

    def __init__(
        self,
        message: str,
        kernel: str,
        sides: Sequence[FaultSide],
        array: FaultArray | None = None,
        value: str | None = None,
        hint: str | None = None,
        notes: Sequence[str] = (),
    ):
        super().__init__(message, kernel, tuple(sides), array, value, hint, tuple(notes))
        self.message = f"{self.kind}: {message}"
        self.kernel = kernel
        self.sides = tuple(sides)
        self.array = array
        self.value = value
        self.hint = hint
        self.notes = tuple(notes)

    @property
    def location(self) -> SourceLocation | None:
        """The line of the kernel where it happened."""
        return self.sides[0].location if self.sides else None

    @property
    def shape(self) -> tuple[int, ...] | None:
        return self.array.shape if self.array else None

    @property
    def dtype(self) -> str | None:
        return self.array.dtype if self.array else None

    @property
    def index(self) -> tuple[int, ...] | None:
        """The element of the array; None where the place is no element of it."""
        return self.array.index if self.array else None

    def __str__(self) -> str:
        from mytriton.checker.wording import report

        return report(self)


class OutOfBoundsError(KernelFault):
    """An access of memory that does not belong to the array whose pointer was used."""

    kind = "out of bounds"


class MisalignedAccessError(KernelFault):
    """An access at an address that its size does not divide, which a GPU refuses."""

    kind = "misaligned access"


class SharedRaceError(KernelFault):
    """Two threads of a program access a place in shared memory, one of them to write, with no barrier in between."""

    kind = "race in shared memory"


class UninitialisedSharedError(KernelFault):
    """A read of shared memory that nothing was written to."""

    kind = "uninitialised shared memory"


class AsynchronousCopyError(KernelFault):
    """An access of shared memory that a copy in flight has not yet filled, or has not yet read."""

    kind = "asynchronous copy"


class ProgramRaceError(KernelFault):
    """Two programs access an element, one of them to write, and nothing says which of them is first."""

    kind = "race between programs"


class ThreadRaceError(KernelFault):
    """Two threads of a program access an element, one of them to write, and nothing says which of them is first."""

    kind = "race within a program"


class UndefinedValueError(KernelFault):
    """A value that a masked load or `tl.empty` left undefined decides what the kernel does, or is stored."""

    kind = "undefined value"


class IntegerWrapError(KernelFault):
    """A number that 32 bits do not hold was made by arithmetic of 32 bits, and is used as an offset."""

    kind = "integer overflow"


class DivisionByZeroError(KernelFault):
    """An integer was divided by zero."""

    kind = "division by zero"


class ShiftError(KernelFault):
    """An integer was shifted by a negative number of bits, or by as many as it has."""

    kind = "shift out of range"


class NonFiniteError(KernelFault):
    """A NaN or an infinity was made from finite numbers."""

    kind = "value that is not finite"


class StepLimitError(KernelFault):
    """A program made more iterations of its loops than the launch allows."""

    kind = "too many steps"


class KernelFaults(MytritonError):
    """Every fault of a launch, in the order in which the programs, one after the other, came to them: `faults`."""

    def __init__(self, kernel: str, faults: Sequence[KernelFault]):
        super().__init__(kernel, tuple(faults))
        self.kernel = kernel
        self.faults = tuple(faults)

    def __str__(self) -> str:
        count = len(self.faults)
        title = f"{count} fault{'' if count == 1 else 's'} in kernel {self.kernel}"
        return "\n\n".join([title, *map(str, self.faults)])


FAULT_CLASSES: tuple[type[KernelFault], ...] = (
    OutOfBoundsError,
    MisalignedAccessError,
    SharedRaceError,
    UninitialisedSharedError,
    AsynchronousCopyError,
    ProgramRaceError,
    ThreadRaceError,
    UndefinedValueError,
    IntegerWrapError,
    DivisionByZeroError,
    ShiftError,
    NonFiniteError,
    StepLimitError,
)
