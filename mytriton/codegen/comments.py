"""The comments that say which line of the Python source the next statements come from."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from mytriton.errors import location_of_attribute
from mytriton.passes.locations import text_of

WIDTH = 100
"""Columns after which a comment is cut."""


class SourceComments:
    """The comments of one kernel, from the locations of its operations and the source text that it carries."""

    def __init__(self, function: Operation):
        first = function.attributes.get("tt.source_line")
        self._lines = text_of(function.attributes.get("tt.source")).split("\n")
        self._first = first.value.data if isa(first, IntegerAttr) else 1
        self._file = _base_name(text_of(function.attributes.get("tt.source_file")))
        self._current: tuple[str, int] | None = None
        self._printed: set[tuple[str, int]] = set()
        # By the identity of the location attributes, which live as long as the operations that have them.
        self._places: dict[int, tuple[str, int] | None] = {}

    def next(self, op: Operation, computes_again: bool) -> str | None:
        """The comment before `op`, if it begins another source line than the operation before it.

        Where values are computed again for each register, a line that was met before gets no second comment.
        """
        place = self._place(op.location)
        if place is None or place == self._current or (computes_again and place in self._printed):
            return None
        file, line = place
        source = self._source(file, line)
        # Lines of .mlir files are not worth a comment.
        if not source and not file.endswith(".py"):
            return None
        self._current = place
        self._printed.add(place)
        return comment(f"{file}:{line}  {source}")

    def _place(self, attribute: Attribute) -> tuple[str, int] | None:
        """The file, without its folders, and the line of a location; None where it has none."""
        key = id(attribute)
        if key not in self._places:
            location = location_of_attribute(attribute)
            self._places[key] = None
            if location is not None and location.line >= 1:
                self._places[key] = (_base_name(location.file), location.line)
        return self._places[key]

    def _source(self, file: str, line: int) -> str:
        index = line - self._first
        is_known = 0 <= index < len(self._lines) and self._file in ("", file)
        return self._lines[index] if is_known else ""


def _base_name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def comment(text: str) -> str:
    """`// text` on one line that ends where the comment ends, whatever is in the text."""
    place, gap, source = text.partition("  ")
    text = (place + gap + source.strip()).strip()
    # A backslash or the trigraph for one at the end of a line would join the next line to the comment.
    if not text.isprintable():
        text = "".join(character if character.isprintable() else " " for character in text)
    text = text.replace("??/", "? ?/")
    if len(text) > WIDTH:
        text = text[: WIDTH - 3] + "..."
    return f"// {text}".rstrip("\\ ")
