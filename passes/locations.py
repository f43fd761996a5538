"""Where an operation comes from, as the errors show it."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntegerAttr,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from mytriton.errors import SourceLocation


def file_line_column(location: Attribute) -> FileLineColLoc | None:
    """The file position inside a location, through names, fused locations and inlined calls (the callee's)."""
    match location:
        case FileLineColLoc():
            return location
        case NameLoc():
            return file_line_column(location.location)
        case CallSiteLoc():
            return file_line_column(location.callee)
        case FusedLoc():
            parts = location.locations
            found = [file_line_column(part) for part in parts] if isa(parts, ArrayAttr[Attribute]) else []
            return next((part for part in found if part is not None), None)
        case _:
            return None


def location_of(op: Operation) -> SourceLocation | None:
    """The position of an operation in the user's file, with the source line where the kernel carries its source."""
    position = file_line_column(op.location)
    if position is None:
        return None
    line = position.line.data
    return SourceLocation(position.filename.data, line, position.column.data, source_line=_source_line(op, line))


def _source_line(op: Operation, line: int) -> str:
    function: Operation | None = op
    while function is not None and "tt.source" not in function.attributes:
        function = function.parent_op()
    if function is None:
        return ""
    source, first = text_of(function.attributes["tt.source"]), function.attributes.get("tt.source_line")
    if not isinstance(first, IntegerAttr):
        return ""
    lines = source.splitlines()
    index = line - first.value.data
    return lines[index] if 0 <= index < len(lines) else ""


def text_of(attribute: Attribute | None) -> str:
    """The text of a string attribute, which xDSL reads as bytes where it was written with escapes; empty for others."""
    if isinstance(attribute, BytesAttr):
        return attribute.data.decode(errors="replace")
    return attribute.data if isinstance(attribute, StringAttr) else ""
