"""Checks the errors and remarks of a run against `// expected-error {{...}}` comments in its input, as MLIR does.

A comment stands on the line that it is about, or names it: `expected-remark@+1`, `@-2`, `@above`, `@below`. The text
in the braces is a part of the message. `expected-error@*` matches on any line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_COMMENT = re.compile(r"//.*?expected-(error|remark)\s*(?:@([+-]\d+|above|below|\*))?\s*\{\{(.*?)\}\}")
_NEXT = re.compile(r"expected-(error|remark)\s*(?:@([+-]\d+|above|below|\*))?\s*\{\{(.*?)\}\}")
_WORDS = {"above": -1, "below": 1}


@dataclass(frozen=True)
class Diagnostic:
    """An error or a remark; `line` is None where it has none, and in an expectation where any will do."""

    kind: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = "on any line" if self.line is None else f"on line {self.line}"
        return f"{self.kind} {place}: {self.message}"


def find_expectations(text: str) -> list[Diagnostic]:
    """What the comments in `text` expect, in order."""
    found: list[Diagnostic] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not _COMMENT.search(line):
            continue
        for kind, place, message in _NEXT.findall(line):
            at = None if place == "*" else number + _WORDS.get(place, int(place) if place[:1] in "+-" and place else 0)
            found.append(Diagnostic(kind, at, message))
    return found


def compare(expected: Sequence[Diagnostic], produced: Sequence[Diagnostic]) -> list[str]:
    """One line for each expected diagnostic that was not produced, and for each error or remark not expected.

    Remarks need not be expected as long as the text expects no remark at all.
    """
    missing: list[str] = []
    left = list(produced)
    for wanted in expected:
        match = next((one for one in left if _matches(wanted, one)), None)
        if match is None:
            missing.append(f"expected {wanted}")
        else:
            left.remove(match)
    remarks_matter = any(wanted.kind == "remark" for wanted in expected)
    unexpected = [f"unexpected {one}" for one in left if one.kind == "error" or remarks_matter]
    return missing + unexpected


def _matches(wanted: Diagnostic, found: Diagnostic) -> bool:
    same_line = wanted.line is None or wanted.line == found.line
    return wanted.kind == found.kind and same_line and wanted.message in found.message
