"""Remarks, their collection, and the `expected-...` comments of lit tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mytriton.diagnostics import collect_remarks, emit_remark, with_source_line
from mytriton.errors import SourceLocation
from mytriton.pass_manager import run_passes
from mytriton.tools import opt
from mytriton.tools.expected_diagnostics import Diagnostic, compare, find_expectations
from mytriton.ttir import make_context, parse_module

TEXT = "%0 = arith.constant 1 : i32\n%1 = arith.constant 2.0 : f32\n"


class RemarkingPass(ModulePass):
    """Remarks on every constant."""

    name = "remarking"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if inner.name == "arith.constant":
                emit_remark(inner, f"a constant of type {inner.results[0].type}")


def test_nobody_listens() -> None:
    run_passes(make_context(), parse_module(TEXT), [RemarkingPass()])


def test_remarks_know_their_place_and_pass() -> None:
    with collect_remarks() as outer, collect_remarks() as remarks:
        run_passes(make_context(), parse_module(TEXT, "t.mlir"), [RemarkingPass()])
    assert [str(remark) for remark in remarks] == [
        "t.mlir:1:1: remark: a constant of type i32 [remarking]",
        "t.mlir:2:1: remark: a constant of type f32 [remarking]",
    ]
    assert [remark.operation for remark in remarks] == ["arith.constant"] * 2
    assert outer == []


@pytest.fixture
def remarking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opt, "get_all_passes", lambda: {"remarking": lambda: RemarkingPass})


@pytest.mark.usefixtures("remarking")
def test_the_tool_prints_remarks_on_request(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "t.mlir"
    source.write_text(TEXT)
    assert opt.main([str(source), "-p", "remarking"]) == 0
    assert capfd.readouterr().err == ""
    assert opt.main([str(source), "-p", "remarking", "--remarks"]) == 0
    first = f"{source}:1:1: remark: a constant of type i32 [remarking]\n%0 = arith.constant 1 : i32\n^\n"
    assert capfd.readouterr().err.startswith(first)


@pytest.mark.usefixtures("remarking")
@pytest.mark.parametrize(
    ("comments", "complaints"),
    [
        (("// expected-remark {{type i32}}", "// expected-remark {{type f32}}"), []),
        (
            ("// expected-remark {{type i64}}", "// expected-remark {{type f32}}"),
            ["expected remark on line 1: type i64", "unexpected remark on line 1: a constant of type i32"],
        ),
        (("// expected-remark {{type i32}}", ""), ["unexpected remark on line 2: a constant of type f32"]),
        (("// expected-error {{boom}}", ""), ["expected error on line 1: boom"]),
    ],
)
def test_expected_remarks(
    comments: tuple[str, str], complaints: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "t.mlir"
    source.write_text("".join(f"{line} {note}\n" for line, note in zip(TEXT.splitlines(), comments, strict=True)))
    code = opt.main([str(source), "-p", "remarking", "--verify-diagnostics"])
    error = capfd.readouterr().err
    assert code == (1 if complaints else 0)
    found = [line.removeprefix("mytriton-opt: error: ").removeprefix(f"{source}: ") for line in error.splitlines()]
    assert found == complaints


def test_places_of_expectations() -> None:
    text = """\
// expected-error@+1 {{one}} expected-remark@below {{two}}
x // expected-error {{three}}
// expected-error@-1 {{four}}
// expected-remark@above {{five}}
// expected-error@* {{six}}
y "expected-error {{not a comment}}"
"""
    assert find_expectations(text) == [
        Diagnostic("error", 2, "one"),
        Diagnostic("remark", 2, "two"),
        Diagnostic("error", 2, "three"),
        Diagnostic("error", 2, "four"),
        Diagnostic("remark", 3, "five"),
        Diagnostic("error", None, "six"),
    ]


def test_each_diagnostic_matches_once() -> None:
    produced = [Diagnostic("error", 1, "a b"), Diagnostic("error", 1, "a c")]
    assert compare([Diagnostic("error", 1, "a"), Diagnostic("error", None, "c")], produced) == []
    assert compare([Diagnostic("error", 1, "a b"), Diagnostic("error", 1, "a b")], produced) == [
        "expected error on line 1: a b",
        "unexpected error on line 1: a c",
    ]


def test_source_lines() -> None:
    location = SourceLocation("f", 2, 3)
    assert with_source_line(location, "one\ntwo\n") == SourceLocation("f", 2, 3, source_line="two")
    assert with_source_line(location, "one") == location
    assert with_source_line(None, "one") is None
