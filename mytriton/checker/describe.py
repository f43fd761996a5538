"""From what the checker tells, numbers and addresses, to a fault that a person can read."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mytriton.checker import faults, wording
from mytriton.checker.arrays import ArrayView
from mytriton.checker.code import CheckedCode
from mytriton.checker.faults import FaultArray, FaultSide, KernelFault
from mytriton.errors import SourceLocation
from mytriton.runtime.cpu.faults import SHARED_MEMORY, RawFault, RawKind, RawSide

if TYPE_CHECKING:
    from mytriton.passes.checks.tables import Sink

ACCESSES = ("read", "write", "atomic")

_CLASSES: Mapping[int, type[KernelFault]] = {
    RawKind.OUT_OF_BOUNDS: faults.OutOfBoundsError,
    RawKind.MISALIGNED: faults.MisalignedAccessError,
    RawKind.SHARED_RACE: faults.SharedRaceError,
    RawKind.SHARED_UNINITIALISED: faults.UninitialisedSharedError,
    RawKind.ASYNCHRONOUS_COPY: faults.AsynchronousCopyError,
    RawKind.PROGRAM_RACE: faults.ProgramRaceError,
    RawKind.THREAD_RACE: faults.ThreadRaceError,
    RawKind.STEPS: faults.StepLimitError,
}

VALUES: Mapping[str, tuple[type[KernelFault], str]] = {
    "masked load": (faults.UndefinedValueError, "an element that the mask of {0} leaves out has no value, but {1}"),
    "poison": (faults.UndefinedValueError, "{0} {1}"),
    "empty": (faults.UndefinedValueError, "an element of {0} has no value, but {1}"),
    "wrapped": (faults.IntegerWrapError, "the result of {0} does not fit into its type, and {1}"),
    "division by zero": (faults.DivisionByZeroError, "the divisor of {0} is 0, and the result {1}"),
    "shift": (faults.ShiftError, "{0} shifts by a number of bits that its type does not have, and the result {1}"),
    "nonfinite": (faults.NonFiniteError, "{0} makes NaN or an infinity of finite numbers, and the result {1}"),
}
"""For each kind of origin the class of the fault, and its message from the operation and the use."""

# __shared__ __align__(16) float x_tile[64][16];
_DECLARATION = re.compile(r"\b((?:unsigned |signed )?(?:long long|\w+))(?: \*| \(\*| )(\w+)\)?((?:\[\d+\])*)(?:;| =)")


class Describer:
    """Makes the faults of one launch of `code` on `views`, which are counted as the launch was given them."""

    def __init__(self, kernel: str, code: CheckedCode, views: Sequence[ArrayView], steps: int | None):
        self._kernel = kernel
        self._code = code
        self._views = views
        self._steps = steps

    def fault(self, raw: RawFault) -> KernelFault:
        if raw.kind == RawKind.VALUE:
            return self._value(raw)
        make = _CLASSES[raw.kind]
        if raw.array == SHARED_MEMORY:
            return self._shared(raw, make)
        if raw.kind == RawKind.OUT_OF_BOUNDS:
            return self._out_of_bounds(raw)
        if raw.kind == RawKind.MISALIGNED:
            return self._misaligned(raw)
        if raw.kind == RawKind.STEPS:
            message = f"more than {wording.many(self._steps or 0, 'iteration')} of the loops of a program"
            return make(message, self._kernel, [self._side(raw.own, "")], hint=wording.HINTS["steps"])
        return self._race(raw, make)

    # Sides

    def _side(self, side: RawSide, access: str | None = None) -> FaultSide:
        x, y, z = side.program
        return FaultSide(
            (int(x), int(y), int(z)),
            side.thread if side.thread >= 0 else None,
            ACCESSES[side.access] if access is None else access,
            self._code.places.get(side.line),
            side.line,
            self._code.line(side.line),
            tuple(self._code.callers.get(side.line, ())),
        )

    # Arrays

    def _element(self, view: ArrayView, offset: int) -> FaultArray:
        return FaultArray(view.name, view.shape, view.dtype, view.index(offset))

    def _out_of_bounds(self, raw: RawFault) -> KernelFault:
        own = self._side(raw.own)
        if raw.array < 0:
            message = f"{wording.accesses(own.access)} memory of no array"
            return faults.OutOfBoundsError(message, self._kernel, [own], hint=wording.HINTS["out of bounds"])
        view = self._views[raw.array]
        steps = range(raw.offset, raw.offset + max(raw.size, 1), min(view.item_bytes, max(raw.size, 1)))
        offset = next((place for place in steps if not view.contains(place)), raw.offset)
        array = self._outside(view, offset)
        message, notes = wording.out_of_bounds(own.access, array)
        hint = wording.HINTS["gap" if array.beyond is not None else _bounds_hint(own)]
        return faults.OutOfBoundsError(message, self._kernel, [own], array, hint=hint, notes=notes)

    def _outside(self, view: ArrayView, offset: int) -> FaultArray:
        outside = 0
        if offset < 0:
            outside = offset // view.item_bytes
        elif offset >= view.size:
            outside = (offset - view.size) // view.item_bytes + 1
        other = self._find(view.start + offset, but=view)
        return FaultArray(
            view.name,
            view.shape,
            view.dtype,
            None,
            outside,
            view.index_in_gap(offset),
            other.name if other else None,
            other.index(view.start + offset - other.start) if other else None,
        )

    def _place(self, view: ArrayView, offset: int) -> FaultArray:
        return self._element(view, offset) if view.contains(offset) else self._outside(view, offset)

    def _find(self, address: int, but: ArrayView | None = None) -> ArrayView | None:
        """The array that an address belongs to."""
        return next((v for v in self._views if v is not but and v.contains(address - v.start)), None)

    def _misaligned(self, raw: RawFault) -> KernelFault:
        own = self._side(raw.own)
        view = self._views[raw.array]
        array = self._element(view, raw.offset)
        message = (
            f"{wording.accesses(own.access)} {wording.many(raw.size, 'byte')} at once from "
            f"{wording.element(array.name, array.index)} on, whose address {raw.size} does not divide"
        )
        address = f"{view.start + raw.offset:#x}"
        hint = wording.HINTS["misaligned"]
        return faults.MisalignedAccessError(message, self._kernel, [own], array, address, hint)

    def _race(self, raw: RawFault, make: type[KernelFault]) -> KernelFault:
        own, other = self._side(raw.own), self._side(raw.other)
        view = self._views[raw.array]
        array = self._element(view, raw.offset)
        place = wording.element(array.name, array.index)
        if raw.kind == RawKind.PROGRAM_RACE:
            who, key = f"program {other.program}", "program race"
        else:
            who = f"thread {other.thread} of the same program" if other.thread is not None else "another thread"
            key = "thread race, one line" if own.location == other.location else "thread race"
        message = f"{wording.accesses(own.access)} {place}, which {who} {wording.accesses(other.access)} too"
        return make(message, self._kernel, [own, other], array, hint=wording.HINTS[key])

    # Shared memory

    def _shared(self, raw: RawFault, make: type[KernelFault]) -> KernelFault:
        own = self._side(raw.own)
        declaration = self._code.line(raw.array_line)
        array = shared_array(declaration, raw.offset)
        name = wording.element(array.name, array.index) if array else "a buffer"
        verb = wording.accesses(own.access)
        sides = [own]
        if raw.kind == RawKind.OUT_OF_BOUNDS:
            message = f"{verb} outside of {array.name if array else name} in shared memory"
        elif raw.kind == RawKind.SHARED_UNINITIALISED:
            message = f"{verb} {name}, which nothing was written to"
        elif raw.kind == RawKind.MISALIGNED:
            message = f"{verb} {raw.size} bytes at once from {name} on, whose address {raw.size} does not divide"
        else:
            sides.append(self._side(raw.other))
            copy = "a copy in flight" if raw.kind == RawKind.ASYNCHRONOUS_COPY else f"thread {raw.other.thread}"
            message = f"{verb} {name}, which {copy} {wording.accesses(sides[1].access)} too"
        notes = [f"the buffer is line {raw.array_line} of the CUDA C: {declaration}"] if declaration else []
        return make(message, self._kernel, sides, array, hint=wording.REPORT_IT, notes=notes)

    # Values

    def _accessed(self, sink: Sink) -> FaultArray | None:
        """The array of the access that a faulty value belongs to, without an element."""
        view = next((view for view in self._views if view.parameter == sink.parameter), None)
        return FaultArray(view.name, view.shape, view.dtype, None) if view is not None else None

    def _value(self, raw: RawFault) -> KernelFault:
        origin, sink = self._code.origins[raw.origin - 1], self._code.sinks[raw.sink]
        view = self._views[raw.array] if raw.array >= 0 else self._find(raw.offset)
        array = self._place(view, raw.offset - view.start) if view is not None else self._accessed(sink)
        used = self._side(raw.own, "")
        if sink.location is not None:
            used = replace(used, location=sink.location)
        sides = [used]
        if origin.location is not None and origin.location != used.location:
            # What led to the use need not have led to the operation.
            sides.insert(0, replace(used, location=origin.location, callers=()))
        make, message = VALUES[origin.kind]
        message = message.format(origin.description, sink.what)
        place = wording.place(array) if array is not None else None
        is_element = array is not None and array.index is not None
        notes = [f"the access is that of {place}" if is_element else f"the address is {place}"] if place else []
        value = place if make is faults.IntegerWrapError else None
        return make(message, self._kernel, sides, array, value, hint=wording.HINTS[origin.kind], notes=notes)


def _bounds_hint(side: FaultSide) -> str:
    return "out of bounds, masked" if "mask=" in _call_at(side.location) else "out of bounds"


def _call_at(location: SourceLocation | None) -> str:
    """The text of the call at a place, up to the end of the line where it goes on behind that."""
    text = location.source_line[max(location.column - 1, 0) :] if location is not None else ""
    depth = 0
    for end, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth <= 0 and character in ")]}":
            return text[: end + 1]
    return text


def shared_array(declaration: str, offset: int) -> FaultArray | None:
    """The buffer that a line of CUDA C declares, and its element at `offset` bytes."""
    found = _DECLARATION.search(declaration)
    if found is None:
        return None
    c_type, name, extents = found[1], found[2], [int(extent) for extent in re.findall(r"\d+", found[3])]
    size = _C_SIZES.get(c_type)
    if size is None:
        return FaultArray(name, tuple(extents), c_type, None, is_shared=True)
    number, index = offset // size, list[int]()
    for extent in reversed(extents):
        index.insert(0, number % extent)
        number //= extent
    inside = 0 <= offset < size * math.prod(extents)
    return FaultArray(name, tuple(extents), c_type, tuple(index) if inside else None, is_shared=True)


_C_SIZES = {
    **dict.fromkeys(("bool", "signed char", "unsigned char"), 1),
    **dict.fromkeys(("short", "unsigned short", "half", "bfloat16"), 2),
    **dict.fromkeys(("int", "unsigned", "unsigned int", "float"), 4),
    **dict.fromkeys(("long long", "unsigned long long", "double"), 8),
}
