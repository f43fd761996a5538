# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""What a compilation keeps and what it makes again; what is verified and when; and Python's collector meanwhile."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import mytriton as triton
import mytriton.language as tl
from mytriton import verify
from mytriton.compiler import Compilation
from mytriton.errors import CompilationError, InternalError, PassError
from mytriton.garbage import collection_paused
from mytriton.options import VERIFY_VARIABLE, Options
from mytriton.passes import pipeline
from mytriton.runtime import compile_cache
from mytriton.runtime.compiled import CompiledKernel
from mytriton.ttir import parse_module

FACTOR = tl.constexpr(2)


@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n) * FACTOR, mask=offsets < n)


def compiled(**options: Any) -> CompiledKernel:
    return scale.warmup("*fp32", "i32", BLOCK=64, **options)


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known from an earlier test."""
    monkeypatch.setenv("MYTRITON_ALWAYS_COMPILE", "1")
    monkeypatch.setattr(scale, "_kernels", {})


# The IR is made again


def test_the_ir_is_that_of_the_frontend():
    text = compiled().asm["tt"]
    assert "tt.func public @scale" in text and "test_compiler.py" in text
    parse_module(text)


def test_the_ir_of_what_was_compiled_before(monkeypatch: pytest.MonkeyPatch):
    first = compiled()
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(3))
    second = compiled()
    assert second is not first and "3.000000e+00" in second.asm["tt"]
    for stage in ("tt", "ttg", "cuda_ir"):
        with pytest.raises(CompilationError, match="the kernel scale, or something that it uses, is no longer"):
            first.asm[stage]
    assert "2.0f" in first.asm["cuda"]
    monkeypatch.undo()
    assert "2.000000e+00" in first.asm["tt"]


def test_a_constant_that_has_changed_inside_is_noticed():
    @triton.jit
    def store(x_ptr, values: tl.constexpr):
        tl.store(x_ptr, values[0])

    values = [1, 2]
    kernel = store.warmup("*fp32", values)
    values[0] = 5
    with pytest.raises(CompilationError, match="the kernel store, or something that it uses, is no longer what was"):
        kernel.asm["tt"]


def test_a_kernel_from_the_disk_has_its_ir(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("MYTRITON_ALWAYS_COMPILE")
    first = compiled()

    def refuse(*arguments: Any) -> Compilation:
        raise AssertionError("it is on the disk")

    monkeypatch.setattr(compile_cache, "compile_source", refuse)
    monkeypatch.setattr(scale, "_kernels", {})
    second = compiled()
    assert second is not first
    assert second.compilation == first.compilation
    assert second.asm["tt"] == first.asm["tt"] and second.asm["cuda_ir"] == first.asm["cuda_ir"]


# Verification


@dataclass(frozen=True)
class Breaking(ModulePass):
    """Leaves IR that is not valid: constants without a value."""

    name = "breaking"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if inner.name == "arith.constant":
                inner.properties.clear()


@dataclass(frozen=True)
class Raising(ModulePass):
    """Raises the error it is given."""

    name = "raising"

    error: Exception

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise self.error


@pytest.fixture
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VERIFY_VARIABLE)


@pytest.fixture
def verifications(monkeypatch: pytest.MonkeyPatch) -> list[ModuleOp]:
    """The modules that have been verified, each time that they were."""
    seen: list[ModuleOp] = []
    original = verify.verify_module

    def verify_module(module: ModuleOp, text: str | None = None) -> None:
        seen.append(module)
        original(module, text)

    monkeypatch.setattr(verify, "verify_module", verify_module)
    return seen


def use_passes(monkeypatch: pytest.MonkeyPatch, *added: ModulePass, at: int | None = None) -> None:
    """Adds passes to the standard list, in the middle of it or at its end."""
    original = pipeline.standard_passes

    def standard_passes(options: Options, checks: pipeline.Checks | None = None) -> list[ModulePass]:
        passes = original(options, checks)
        place = len(passes) if at is None else at
        return [*passes[:place], *added, *passes[place:]]

    monkeypatch.setattr(pipeline, "standard_passes", standard_passes)


@pytest.mark.usefixtures("unverified")
def test_nothing_is_verified_unless_something_fails(verifications: list[ModuleOp]):
    kernel = compiled()
    assert verifications == []
    assert not {"verify tt", "verify cuda"} & kernel.timings.keys()


def test_the_environment_asks_for_verification(verifications: list[ModuleOp], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VERIFY_VARIABLE, "1")
    kernel = compiled()
    assert len(verifications) == 2
    assert {"verify tt", "verify cuda"} <= kernel.timings.keys()


@pytest.mark.usefixtures("unverified")
def test_the_pass_that_spoiled_the_ir_is_named_and_not_the_one_that_failed(monkeypatch: pytest.MonkeyPatch):
    use_passes(monkeypatch, Breaking(), Raising(KeyError("value")), at=1)
    with pytest.raises(InternalError, match=r"the pass breaking left IR that is not valid: .*value") as caught:
        compiled()
    assert caught.value.location is not None and "BLOCK" in caught.value.location.source_line
    assert isinstance(caught.value.__cause__, InternalError)
    assert "the pass raising failed with KeyError" in str(caught.value.__cause__)


@pytest.mark.usefixtures("unverified")
def test_the_pass_is_named_where_printing_fails(monkeypatch: pytest.MonkeyPatch):
    use_passes(monkeypatch, Breaking())
    with pytest.raises(InternalError, match="the pass breaking left IR that is not valid"):
        compiled()


@pytest.mark.usefixtures("unverified")
def test_a_pass_that_fails_on_valid_ir_is_named(monkeypatch: pytest.MonkeyPatch):
    use_passes(monkeypatch, Raising(KeyError("value")), at=1)
    with pytest.raises(InternalError, match="the pass raising failed with KeyError"):
        compiled()


@pytest.mark.usefixtures("unverified")
def test_a_pass_that_refuses_a_kernel_has_the_last_word(verifications: list[ModuleOp], monkeypatch: pytest.MonkeyPatch):
    use_passes(monkeypatch, Breaking(), Raising(PassError("no")), at=1)
    with pytest.raises(PassError, match="no"):
        compiled()
    assert verifications == []


@pytest.mark.parametrize("verified", ["0", "1"])
def test_a_mistake_of_the_frontend_is_named(verified: str, monkeypatch: pytest.MonkeyPatch):
    from mytriton import frontend

    original = frontend.build_module

    def build_module(*arguments: Any) -> ModuleOp:
        module = original(*arguments)
        Breaking().apply(Context(), module)
        return module

    monkeypatch.setattr(frontend, "build_module", build_module)
    monkeypatch.setenv(VERIFY_VARIABLE, verified)
    with pytest.raises(InternalError, match=r"the frontend has built IR that is not valid: 'arith\.constant'"):
        compiled()


# Python's collector


@pytest.fixture
def collecting() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_enabled else gc.disable)()


@pytest.mark.usefixtures("collecting")
def test_the_collector_waits_and_goes_on(monkeypatch: pytest.MonkeyPatch):
    seen: list[bool] = []

    @dataclass(frozen=True)
    class Looking(ModulePass):
        name = "looking"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            seen.append(gc.isenabled())

    use_passes(monkeypatch, Looking())
    compiled()
    assert seen == [False] and gc.isenabled()
    use_passes(monkeypatch, Raising(PassError("no")))
    with suppress(PassError):
        compiled(num_warps=1)
    assert gc.isenabled()


@pytest.mark.usefixtures("collecting")
def test_a_collector_that_was_off_stays_off():
    gc.disable()
    with collection_paused():
        pass
    assert not gc.isenabled()


@pytest.mark.usefixtures("collecting")
def test_the_collector_goes_on_after_the_last_of_several():
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with collection_paused():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with collection_paused():
        with collection_paused():
            thread.start()
            assert inside.wait(10)
        assert not gc.isenabled()
    assert not gc.isenabled(), "the other thread is not done"
    leave.set()
    thread.join()
    assert gc.isenabled()
