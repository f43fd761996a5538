"""`mytriton-opt` on hostile input: one clear error and exit code 1, no traceback, and no file left behind."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mytriton.errors import PassError
from mytriton.tools import opt

ROOT = Path(__file__).resolve().parents[2]

VALID = """\
tt.func public @copy(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %zero = arith.constant dense<0xFF800000> : tensor<64xf32>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %i, %bound : tensor<64xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %base, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p, %mask, %zero : tensor<64x!tt.ptr<f32>> loc(#loc1)
  tt.store %p, %v, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}
#loc1 = loc("v"("copy.py":3:5))
"""

HOSTILE = {
    "empty": b"",
    "comment only": b"// nothing here\n",
    "not UTF-8": b"\xff\xfe\x00\x01",
    "NUL bytes": b"\0\0\0",
    "byte order mark": b"\xef\xbb\xbf%0 = arith.constant 1 : i32",
    "unbalanced brace": b"module {",
    "closing brace": b"}",
    "unterminated string": b'module attributes {a = "x',
    "unterminated long string": b'module attributes {a = "' + b"x" * 10_000,
    "bad escape": b'module attributes {a = "\\q"} {}',
    "deep lists": b"module attributes {a = " + b"[" * 50_000 + b"]" * 50_000 + b"} {}",
    "deep types": b"%0 = arith.constant 1 : " + b"tuple<" * 20_000 + b"i32" + b">" * 20_000,
    "deep regions": b"module {" * 3_000 + b"}" * 3_000,
    "deep locations": b"%0 = arith.constant 1 : i32 loc(" + b"callsite(" * 5_000 + b"unknown",
    "long chain of aliases": b"".join(b'#loc%d = loc("a"(#loc%d))\n' % (n, n + 1) for n in range(5_000)),
    "cycle of aliases": b'#loc1 = loc("a"(#loc2))\n#loc2 = loc("b"(#loc1))\n%0 = arith.constant 1 : i32 loc(#loc1)',
    "type alias of itself": b"!a = !a\n",
    "long integer": b"%0 = arith.constant " + b"9" * 100_000 + b" : i32",
    "integer out of range": b"%0 = arith.constant 300 : i8",
    "wide integer type": b"%0 = arith.constant 1 : i" + b"9" * 5_000,
    "huge tensor": b"%0 = arith.constant dense<1> : tensor<1000000x1000000xi8>",
    "negative dimension": b"%0 = arith.constant dense<1> : tensor<-4xi8>",
    "ragged literal": b"%0 = arith.constant dense<[[1, 2], [3]]> : tensor<2x2xi32>",
    "odd hexadecimal string": b'%0 = arith.constant dense<"0x123"> : tensor<2xi32>',
    "many results": b"%0:99999999999 = arith.constant 1 : i32",
    "result index": b'%0 = arith.constant 1 : i32\n"test.op"(%0#99999999999999999999) : (i32) -> ()',
    "result twice": b"%0 = arith.constant 1 : i32\n%0 = arith.constant 1 : i32",
    "unknown operation": b"%0 = no.such : i32",
    "unknown dialect": b'"no.such"() : () -> ()',
    "operation without name": b'""() : () -> ()',
    "wrong operand count": b'"arith.addi"() : () -> i32',
    "wrong types": b'%0 = arith.constant 1 : i32\n%1 = "arith.addf"(%0, %0) : (i32, i32) -> f32',
    "wrong attribute": b'%0 = "arith.constant"() <{value = "text"}> : () -> i32',
    "wrong region": b'"tt.func"() ({}, {}) : () -> ()',
    "use of itself": b"%0 = arith.addi %0, %0 : i32",
    "use before definition": b"%1 = arith.addi %0, %0 : i32\n%0 = arith.constant 1 : i32",
    "missing terminator": b"tt.func @f() {\n}",
    "missing successor": b"tt.func @f() {\n  cf.br ^nowhere\n}",
    "return of nothing": b"tt.func @f() -> i32 {\n  tt.return\n}",
}


def run(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = opt.main(arguments)
    captured = capfd.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, output = tmp_path / "in.mlir", tmp_path / "out.mlir"
    source.write_bytes(HOSTILE[name])
    code, out, err = run([str(source), "-o", str(output)], capfd)
    assert code == 1
    assert out == ""
    assert "internal error" not in err and "Traceback" not in err
    assert re.match(r"(\S*in\.mlir:\d+:\d+: error: |mytriton-opt: error: )", err), err
    assert len(err) < 2_000 or len(max(HOSTILE[name].split(b"\n"), key=len)) > 1_000
    assert list(tmp_path.iterdir()) == [source]


def test_the_valid_text_is_valid(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, output = tmp_path / "in.mlir", tmp_path / "out.mlir"
    source.write_text(VALID)
    assert run([str(source), "-o", str(output)], capfd) == (0, "", "")
    first = output.read_text()
    assert run([str(output), "-o", str(output)], capfd) == (0, "", "")
    assert output.read_text() == first
    assert "tt.load" in first


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_text(data: st.DataObject, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Text with a piece cut out, doubled or replaced is either right or refused with a located error."""
    start = data.draw(st.integers(0, len(VALID)))
    end = data.draw(st.integers(start, min(len(VALID), start + 40)))
    pieces = [
        "",
        VALID[start:end] * 2,
        "%",
        "i32",
        "0x",
        "tensor<",
        "{",
        "}",
        "loc(",
        '"',
        "-1",
        "!tt.ptr<",
        "#loc1",
        "\n",
    ]
    text = VALID[:start] + data.draw(st.sampled_from(pieces)) + VALID[end:]
    source, output = tmp_path / "in.mlir", tmp_path / "out.mlir"
    source.write_text(text)
    output.unlink(missing_ok=True)
    code, _, err = run([str(source), "-o", str(output)], capfd)
    assert "internal error" not in err and "Traceback" not in err
    assert (code, output.exists()) in ((0, True), (1, False))
    assert code == 0 or re.match(r"\S*(in|copy)\.(mlir|py):\d+:\d+: error: ", err), err


def test_an_error_keeps_the_old_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, output = tmp_path / "in.mlir", tmp_path / "out.mlir"
    source.write_text("module {")
    output.write_text("what was there")
    code, _, _ = run([str(source), "-o", str(output)], capfd)
    assert code == 1
    assert output.read_text() == "what was there"


def test_a_later_part_in_error_writes_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, output = tmp_path / "in.mlir", tmp_path / "out.mlir"
    source.write_text("%0 = arith.constant 1 : i32\n// -----\nmodule {\n")
    code, _, err = run([str(source), "--split-input-file", "-o", str(output)], capfd)
    assert code == 1
    assert "in.mlir:4:1: error: " in err
    assert list(tmp_path.iterdir()) == [source]


def test_output_to_a_device(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    assert run([str(source), "-o", "/dev/null"], capfd) == (0, "", "")
    assert Path("/dev/null").is_char_device()


def test_a_folder_as_input(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "folder.mlir"
    folder.mkdir()
    code, _, err = run([str(folder)], capfd)
    assert code == 1
    assert err == f"mytriton-opt: error: cannot read '{folder}': Is a directory\n"


def test_a_target_refuses_the_level(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Printing `tt` as CUDA C is an error that says which operation is in the way."""
    source, output = tmp_path / "in.mlir", tmp_path / "out.cu"
    source.write_text(VALID)
    code, out, err = run([str(source), "-t", "cuda", "-o", str(output)], capfd)
    assert (code, out) == (1, "")
    assert "error: " in err and "tt." in err
    assert "internal error" not in err and "Traceback" not in err
    assert not output.exists()


def test_a_dump_folder_that_cannot_be_made(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    code, out, err = run([str(source), "--dump-dir", "/dev/null/x"], capfd)
    assert (code, out) == (1, "")
    assert err == "mytriton-opt: error: cannot write '/dev/null/x/00-input.mlir': Not a directory\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_standard_output_on_a_full_disk(tmp_path: Path) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    command = f'"{sys.executable}" -m mytriton.tools.opt "{source}" > /dev/full'
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 1
    assert result.stderr == "mytriton-opt: error: cannot write standard output: No space left on device\n"


def test_an_option_of_the_wrong_type(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    code, _, err = run([str(source), "-p", "tt-to-cuda{num-warps=abc}"], capfd)
    assert code == 1
    assert err == ("mytriton-opt: error: the option 'num-warps' of the pass tt-to-cuda takes an integer, found 'abc'\n")


def test_closed_pipe(tmp_path: Path) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    command = f'"{sys.executable}" -m mytriton.tools.opt "{source}" | true'
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT)
    assert "Traceback" not in result.stderr and "BrokenPipe" not in result.stderr


@dataclass(frozen=True)
class FailingPass(ModulePass):
    """Fails as a pass with a mistake in it would."""

    name = "failing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("oops")


@dataclass(frozen=True)
class RefusingPass(ModulePass):
    """Refuses the first operation of the module."""

    name = "refusing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        first = op.body.block.first_op
        assert first is not None
        raise PassError("this cannot be", first.location)


@dataclass(frozen=True)
class BreakingPass(ModulePass):
    """Leaves IR that is not valid."""

    name = "breaking"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if inner.name == "tt.make_range":
                inner.properties.pop("end")


@pytest.fixture
def own_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = {"failing": lambda: FailingPass, "refusing": lambda: RefusingPass, "breaking": lambda: BreakingPass}
    monkeypatch.setattr(opt, "get_all_passes", lambda: passes)


@pytest.mark.usefixtures("own_passes")
def test_a_pass_refuses(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    code, out, err = run([str(source), "-p", "refusing"], capfd)
    assert (code, out) == (1, "")
    line, caret = VALID.splitlines()[0], "^"
    assert err == f"{source}:1:1: error: this cannot be [refusing]\n{line}\n{caret}\n"


@pytest.mark.usefixtures("own_passes")
def test_a_pass_fails(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, dump = tmp_path / "in.mlir", tmp_path / "dump"
    source.write_text(VALID)
    code, out, err = run([str(source), "-p", "canonicalize,failing", "--dump-dir", str(dump)], capfd)
    assert (code, out) == (1, "")
    assert err.startswith("error: internal error: the pass failing failed with KeyError: 'oops'\nhint: this is a bug")
    assert "please report it" in err and "IR before the pass failing" in err
    assert sorted(path.name for path in dump.iterdir()) == ["00-input.mlir", "01-canonicalize.mlir"]


@pytest.mark.usefixtures("own_passes")
def test_a_pass_leaves_invalid_ir(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    code, out, err = run([str(source), "-p", "breaking"], capfd)
    assert (code, out) == (1, "")
    assert re.match(rf"{source}:2:3: error: internal error: the pass breaking left IR that is not valid: 'tt.make", err)
    assert "please report it" in err


@pytest.mark.usefixtures("own_passes")
def test_internal_errors_are_never_expected(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    code, _, err = run([str(source), "-p", "failing", "--verify-diagnostics"], capfd)
    assert code == 1
    assert "internal error" in err


@pytest.mark.usefixtures("own_passes")
def test_the_traceback_is_shown_on_request(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYTRITON_DEBUG", "1")
    source = tmp_path / "in.mlir"
    source.write_text(VALID)
    code, _, err = run([str(source), "-p", "failing"], capfd)
    assert code == 1
    assert "Traceback" in err and "in apply" in err
