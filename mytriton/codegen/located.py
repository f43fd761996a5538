"""The text of a kernel together with the line of Python that each of its lines comes from."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import CallSiteLoc, LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Attribute, Operation

from mytriton.codegen.comments import SourceComments
from mytriton.codegen.expression import Expression
from mytriton.codegen.expressions import Expressions
from mytriton.codegen.kernel import print_lines
from mytriton.codegen.statements import EXPRESSION_HANDLERS, Statements
from mytriton.dialects import cuda
from mytriton.errors import SourceLocation, location_of_attribute
from mytriton.passes.checks.tables import Origin, Sink, origins_of, sinks_of

ACCESSES = frozenset((cuda.LoadOp, cuda.AtomicRMWOp, cuda.AtomicCASOp, cuda.AtomicLoadOp, cuda.AtomicPollOp))
"""Operations that may be written in the statement of another one, which is then a line with their access."""


@dataclass(frozen=True)
class PrintedKernel:
    """A module of kernels as CUDA C.

    `locations` has for a line of the text, counted from 1, the place of the operation that it is for: of a line with an
    access to memory that of the access. `callers` has the calls that led there, the innermost first, for a line of a
    function that was inlined. `origins` and `sinks` are what `report_value` in the text counts, from 1 and from 0.
    """

    text: str
    locations: Mapping[int, SourceLocation]
    callers: Mapping[int, Sequence[SourceLocation]] = field(default_factory=dict[int, Sequence[SourceLocation]])
    origins: Sequence[Origin] = ()
    sinks: Sequence[Sink] = ()


def print_located(module: ModuleOp) -> PrintedKernel:
    """The text that `print_module` gives, with the place of each line; raises what that raises."""
    lines = print_lines(module, LocatedStatements)
    locations: dict[int, SourceLocation] = {}
    callers: dict[int, Sequence[SourceLocation]] = {}
    known: dict[Attribute, tuple[SourceLocation | None, Sequence[SourceLocation]]] = {}
    number = 0
    for line in lines:
        number += 1 + line.count("\n")
        if not isinstance(line, LocatedLine):
            continue
        if line.location not in known:
            known[line.location] = _place(line.location)
        place, calls = known[line.location]
        if place is not None:
            locations[number] = place
            if calls:
                callers[number] = calls
    functions = [op for op in module.body.block.ops if isinstance(op, cuda.FuncOp)]
    origins = [origin for function in functions for origin in origins_of(function)]
    sinks = [sink for function in functions for sink in sinks_of(function)]
    return PrintedKernel("\n".join(lines), locations, callers, origins, sinks)


class LocatedLine(str):
    """A line of the text that knows where it comes from."""

    location: LocationAttr = UnknownLoc()

    def at(self, location: LocationAttr) -> LocatedLine:
        self.location = location
        return self


class LocatedStatements(Statements):
    """Writes the same lines, and notes of each what it is for."""

    def __init__(self, comments: SourceComments):
        self.access: LocationAttr | None = None
        self._location: LocationAttr = UnknownLoc()
        super().__init__(comments)

    def new_expressions(self) -> Expressions:
        return LocatedExpressions(self)

    def line(self, text: str) -> None:
        location, self.access = self.access or self._location, None
        line = self._indent + text
        if not text.startswith(("}", "#", "//")) and not isinstance(location, UnknownLoc):
            line = LocatedLine(line).at(location)
        self.lines.append(line)

    def unindented(self, lines: Sequence[str]) -> list[str]:
        return [
            LocatedLine(line[4:]).at(line.location) if isinstance(line, LocatedLine) else line[4:] for line in lines
        ]

    def operation(self, op: Operation) -> None:
        outer, self._location = self._location, op.location
        super().operation(op)
        self._location, self.access = outer, None

    def comment(self, op: Operation) -> None:
        if op.location is not self._location and not isinstance(op.location, UnknownLoc):
            # The end of a region, which is written by the operation around it.
            self._location = op.location
        super().comment(op)


class LocatedExpressions(Expressions):
    """Makes the same expressions, and notes the access that is written in one."""

    def __init__(self, statements: LocatedStatements):
        super().__init__(EXPRESSION_HANDLERS)
        self._statements = statements

    def of_operation(self, op: Operation) -> Expression:
        expression = super().of_operation(op)
        if op.__class__ in ACCESSES and not isinstance(op.location, UnknownLoc):
            self._statements.access = op.location
        return expression


def _place(location: Attribute) -> tuple[SourceLocation | None, Sequence[SourceLocation]]:
    """Where an operation is, and the calls that led there."""
    return _with_line(location_of_attribute(location)), [
        place for caller in _callers(location) if (place := _with_line(location_of_attribute(caller))) is not None
    ]


def _callers(location: Attribute) -> Iterable[Attribute]:
    while isinstance(location, CallSiteLoc):
        yield from _callers(location.callee)
        location = location.caller
        yield location


def _with_line(place: SourceLocation | None) -> SourceLocation | None:
    return place and replace(place, source_line=linecache.getline(place.file, place.line).rstrip())
