"""The operations that make faulty values, and the uses that are checked: attributes of a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from mytriton.errors import SourceLocation
from mytriton.passes.locations import file_line_column, text_of

ORIGINS = "tt.check_origins"
"""Of a function: the operations that may make faulty values. A shadow counts them from 1."""

SINKS = "tt.check_sinks"
"""Of a function: the uses that are checked. `sink` of `ttg.check` counts them from 0."""

ORIGIN_KINDS = ("masked load", "poison", "empty", "division by zero", "shift", "wrapped", "nonfinite")


@dataclass(frozen=True)
class Origin:
    """An operation that may make a faulty value: `kind` is one of `ORIGIN_KINDS`, `description` its operator."""

    kind: str
    location: SourceLocation | None
    description: str


@dataclass(frozen=True)
class Sink:
    """A use of a value that is checked; `what` goes on after the value, such as "is stored".

    `parameter` counts the parameters of the kernel: the one whose array is accessed, None where that is not known.
    """

    what: str
    location: SourceLocation | None
    parameter: int | None = None


class Tables:
    """The two tables of one function while it is rewritten; equal uses at one place are one entry.

    `parameters` has the number of the parameter for operations that access the array of one.
    """

    def __init__(self, function: Operation, parameters: Mapping[Operation, int]):
        self._function = function
        self._parameters = parameters
        self._origins: list[Attribute] = []
        self._sinks: dict[Attribute, int] = {}

    def origin(self, op: Operation, kind: str, description: str) -> int:
        """The number of a new origin, from 1."""
        texts = {"kind": StringAttr(kind), "description": StringAttr(description)}
        self._origins.append(DictionaryAttr({**texts, **_location(op)}))
        return len(self._origins)

    def sink(self, op: Operation, what: str) -> int:
        """The number of a use, from 0."""
        entry = {"what": StringAttr(what), **_location(op)}
        if op in self._parameters:
            entry["parameter"] = IntegerAttr(self._parameters[op], i32)
        return self._sinks.setdefault(DictionaryAttr(entry), len(self._sinks))

    def save(self) -> None:
        """Puts the tables on the function."""
        self._function.attributes[ORIGINS] = ArrayAttr(self._origins)
        self._function.attributes[SINKS] = ArrayAttr(list(self._sinks))


def _location(op: Operation) -> dict[str, Attribute]:
    position = file_line_column(op.location)
    if position is None:
        return {}
    return {
        "file": StringAttr(position.filename.data),
        "line": IntegerAttr(position.line.data, i32),
        "column": IntegerAttr(position.column.data, i32),
    }


def origins_of(function: Operation) -> tuple[Origin, ...]:
    """The origins that a function's shadows count."""
    return tuple(
        Origin(text_of(entry.get("kind")), _source_location(entry), text_of(entry.get("description")))
        for entry in _entries(function, ORIGINS)
    )


def sinks_of(function: Operation) -> tuple[Sink, ...]:
    """The uses that a function's checks count."""
    return tuple(
        Sink(text_of(entry.get("what")), _source_location(entry), _number(entry.get("parameter")))
        for entry in _entries(function, SINKS)
    )


def _entries(function: Operation, name: str) -> Sequence[dict[str, Attribute]]:
    table = function.attributes.get(name)
    return [dict(entry.data) for entry in table] if isa(table, ArrayAttr[DictionaryAttr]) else []


def _number(entry: Attribute | None) -> int | None:
    return entry.value.data if isinstance(entry, IntegerAttr) else None


def _source_location(entry: dict[str, Attribute]) -> SourceLocation | None:
    line, column = entry.get("line"), entry.get("column")
    if not isinstance(line, IntegerAttr) or not isinstance(column, IntegerAttr):
        return None
    return SourceLocation(text_of(entry.get("file")), line.value.data, column.value.data)
