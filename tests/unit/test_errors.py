"""How errors are shown."""

from __future__ import annotations

import pickle

import pytest
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)

from mytriton.errors import (
    CompilationError,
    InternalError,
    MytritonError,
    PassError,
    SourceLocation,
    UnsupportedError,
    location_of_attribute,
)

PLACE = SourceLocation("kernel.py", 12, 9, 13, "    x = a.b", "helper")
CALL = SourceLocation("kernel.py", 30, 5, 14, "    helper(n)", "kernel")


def test_whole_error():
    error = CompilationError("a has no b", PLACE, "use c", [CALL])
    assert str(error).splitlines() == [
        "kernel.py:12:9: error: a has no b",
        "    x = a.b",
        "        ^~~",
        "hint: use c",
        "kernel.py:30:5: note: in helper called from here",
        "    helper(n)",
        "    ^~~~~~~~~",
    ]
    assert (error.file, error.line, error.column, error.source_line) == ("kernel.py", 12, 9, "    x = a.b")


def test_calls_are_shown_from_the_innermost_outwards():
    outer = SourceLocation("kernel.py", 50, 1, 2, "x", "main")
    text = str(CompilationError("wrong", PLACE, calls=[outer, CALL])).splitlines()
    assert "kernel.py:30:5: note: in helper called from here" in text
    assert text.index("kernel.py:50:1: note: in kernel called from here") > text.index("    helper(n)")


def test_error_without_a_place():
    error = CompilationError("wrong")
    assert str(error) == "error: wrong"
    assert error.file is error.line is error.column is error.source_line is None
    error.set_place(PLACE)
    assert str(error).startswith("kernel.py:12:9: error: wrong\n")


@pytest.mark.parametrize(
    ("location", "lines"),
    [
        (SourceLocation("f", 1, 1, 0, "abc"), ["abc", "^"]),
        (SourceLocation("f", 1, 3, 99, "abcd"), ["abcd", "  ^~"]),
        (SourceLocation("f", 1, 2, 3, "\tabc"), ["\tabc", "\t^"]),
        (SourceLocation("f", 1, 0, 0, "abc"), ["abc"]),
        (SourceLocation("f", 1, 5, 0, "  "), []),
    ],
)
def test_caret(location: SourceLocation, lines: list[str]):
    assert location.excerpt() == lines


def test_place_as_text():
    assert str(SourceLocation("f", 0)) == "f"
    assert str(SourceLocation("f", 3)) == "f:3"
    assert str(SourceLocation("f", 3, 4)) == "f:3:4"


def test_kinds_of_errors():
    assert issubclass(UnsupportedError, CompilationError)
    assert issubclass(CompilationError, MytritonError)
    internal = InternalError("KeyError: 3", PLACE)
    assert internal.message == "internal error: KeyError: 3"
    assert "please report it" in str(internal)


@pytest.mark.parametrize("kind", [CompilationError, UnsupportedError, InternalError])
def test_errors_survive_pickling(kind: type[CompilationError]):
    error = kind("wrong", hint="do it right")
    error.set_place(PLACE, [CALL])
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == str(error)


def test_locations_of_operations():
    inner = FileLineColLoc(StringAttr("k.py"), IntAttr(3), IntAttr(7))
    expected = SourceLocation("k.py", 3, 7)
    for attribute in (
        inner,
        NameLoc(StringAttr("x"), inner),
        CallSiteLoc(inner, UnknownLoc()),
        FusedLoc((UnknownLoc(), inner), NoneAttr()),
    ):
        assert location_of_attribute(attribute) == expected
    assert location_of_attribute(UnknownLoc()) is None
    assert location_of_attribute(None) is None


def test_error_of_a_pass():
    location = FileLineColLoc(StringAttr("k.py"), IntAttr(3), IntAttr(7))
    assert str(PassError("too large", location, "allocate-shared")) == "k.py:3:7: error: too large [allocate-shared]"
    assert str(PassError("too large")) == "error: too large"


def test_a_long_line_is_cut_around_the_caret():
    line = "x" * 300 + "CULPRIT" + "y" * 300
    shown, caret = SourceLocation("f", 1, 301, 308, line).excerpt()
    assert len(shown) == 120
    assert shown.startswith("...x") and shown.endswith("y...")
    start = caret.index("^")
    assert caret[start:] == "^~~~~~~" and shown[start : start + 7] == "CULPRIT"
    shown, caret = SourceLocation("f", 1, 1, 4, line).excerpt()
    assert (shown[:4], shown[-4:], caret) == ("xxxx", "x...", "^~~")
    shown, caret = SourceLocation("f", 1, 600, 700, line).excerpt()
    assert (shown[:4], shown[-4:]) == ("...y", "yyyy")
    assert caret == " " * 112 + "^" + "~" * 7


def test_calls_in_the_middle_are_left_out():
    calls = [SourceLocation("kernel.py", line, 1, 2, "x", f"f{line}") for line in range(1, 21)]
    text = str(CompilationError("wrong", PLACE, calls=calls)).splitlines()
    notes = [line for line in text if "note: " in line]
    shown = [20, 19, 18, 17, 4, 3, 2, 1]
    assert [line.split(":")[1] for line in notes if line.startswith("kernel.py")] == [str(number) for number in shown]
    assert notes[4] == "note: 12 more calls in between"
    assert notes[5] == "kernel.py:4:1: note: in f5 called from here"
    assert "in between" not in str(CompilationError("wrong", PLACE, calls=calls[:8]))
