"""Running passes: who is told what, what is checked, and that every listed pass is there."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes as xdsl_passes
from xdsl.utils.exceptions import PassFailedException

from mytriton.errors import InternalError, PassError
from mytriton.pass_manager import PassRun, ir_saver, run_passes
from mytriton.passes.pipeline import get_all_passes
from mytriton.ttir import make_context, parse_module, print_module
from mytriton.universe import MYTRITON_UNIVERSE

TEXT = "%0 = arith.constant 1 : i32 loc(unknown)\n"
LIT_FOLDER = Path(__file__).resolve().parents[1] / "filecheck" / "passes"


@dataclass(frozen=True)
class Nothing(ModulePass):
    """Does nothing."""

    name = "nothing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@dataclass(frozen=True)
class Twice(ModulePass):
    """Runs two passes that do nothing."""

    name = "twice"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_passes(ctx, op, [Nothing(), Nothing()], verify=False)


@dataclass(frozen=True)
class Breaking(ModulePass):
    """Leaves IR that is not valid."""

    name = "breaking"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            inner.properties.clear()


@dataclass(frozen=True)
class BreakingInside(ModulePass):
    """Runs a pass that leaves IR that is not valid."""

    name = "breaking-inside"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_passes(ctx, op, [Breaking()], verify=False)


@dataclass(frozen=True)
class Raising(ModulePass):
    """Raises the error it is given."""

    name = "raising"

    error: Exception

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise self.error


def test_observers_see_the_parts_of_a_pass() -> None:
    seen: list[tuple[int, str]] = []

    def observe(run: PassRun, module: ModuleOp) -> None:
        seen.append((run.index, run.module_pass.name))
        assert run.seconds >= 0

    run_passes(make_context(), parse_module(TEXT), [Nothing(), Twice()], observers=[observe])
    assert seen == [(1, "nothing"), (1, "nothing"), (2, "nothing"), (2, "twice")]


def test_observers_are_forgotten() -> None:
    seen: list[str] = []
    context, module = make_context(), parse_module(TEXT)
    with pytest.raises(InternalError):
        run_passes(context, module, [Raising(KeyError())], observers=[lambda run, _: seen.append(run.module_pass.name)])
    run_passes(context, module, [Nothing()])
    assert seen == []


def test_saved_files_are_numbered_as_the_passes_ran(tmp_path: Path) -> None:
    module = parse_module(TEXT)
    run_passes(make_context(), module, [Twice(), Nothing()], observers=[ir_saver(tmp_path / "new" / "folder")])
    files = sorted((tmp_path / "new" / "folder").iterdir())
    assert [path.name for path in files] == ["01-nothing.mlir", "02-nothing.mlir", "03-twice.mlir", "04-nothing.mlir"]
    assert files[0].read_text() == print_module(module, locations=True)


def test_invalid_ir_is_the_fault_of_the_pass() -> None:
    with pytest.raises(InternalError, match="the pass breaking left IR that is not valid"):
        run_passes(make_context(), parse_module(TEXT), [Breaking()])
    run_passes(make_context(), parse_module(TEXT), [Breaking()], verify=False)


def test_a_part_is_checked_if_the_whole_is() -> None:
    with pytest.raises(InternalError, match="the pass breaking left IR that is not valid"):
        run_passes(make_context(), parse_module(TEXT), [BreakingInside()])
    run_passes(make_context(), parse_module(TEXT), [BreakingInside()], verify=False)


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (PassError("no"), PassError, r"^error: no \[raising\]$"),
        (PassError("no", pass_name="other"), PassError, r"^error: no \[other\]$"),
        (PassFailedException("not\n  possible"), PassError, r"^error: not possible \[raising\]$"),
        (RecursionError(), PassError, "this is nested too deeply to compile"),
        (IndexError("list"), InternalError, "the pass raising failed with IndexError: list\nhint: this is a bug"),
    ],
)
def test_errors_name_the_pass(error: Exception, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        run_passes(make_context(), parse_module(TEXT), [Raising(error)])


@pytest.mark.parametrize("name", get_all_passes())
def test_a_listed_pass_is_there(name: str) -> None:
    found = get_all_passes()[name]()
    assert found.name == name
    assert found.__doc__ and not found.__doc__.startswith(f"{found.__name__}("), "the docstring says what it does"
    assert all(hasattr(found, field.name) for field in fields(found)), "every option has a default"
    assert (name in MYTRITON_UNIVERSE.all_passes) == (name not in xdsl_passes()), "xdsl-opt refuses two of one name"


@pytest.mark.parametrize("name", get_all_passes())
def test_a_listed_pass_has_its_lit_file(name: str) -> None:
    assert (LIT_FOLDER / f"{name.replace('-', '_')}.mlir").exists()
