# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportArgumentType=false
"""A checked launch: what runs how often, what arrays hold afterwards, and which fault is raised."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.checker import Checks, KernelFault, KernelFaults, OutOfBoundsError, ProgramRaceError, StepLimitError
from mytriton.errors import LaunchError
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.cpu import ArrayExtent, DeadlockError, ThreadGroup
from mytriton.runtime.cpu.faults import WRITE, RawFault, RawKind
from tests.unit.checker.fakes import FakeKernel, Result, Run, fake_code, install, raw_fault, raw_side


@triton.jit
def copy(x_ptr, n, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


def out_of_bounds(program: int = 0, offset: int = 40, kind: RawKind = RawKind.OUT_OF_BOUNDS) -> RawFault:
    return raw_fault(kind, raw_side((program, 0, 0), 3, 5, WRITE), array=1, offset=offset, size=4)


def writing(value: int, *faults: RawFault | Exception) -> Run:
    """A run that fills the array number 1 with `value` and then gives the faults."""

    def run(arrays: Sequence[ArrayExtent]) -> Result:
        ctypes.memset(arrays[1].address, value, arrays[1].bytes)
        if faults and isinstance(faults[0], Exception):
            return faults[0]
        return [fault for fault in faults if not isinstance(fault, Exception)]

    return run


class Launcher:
    """Launches `copy` with checks, with the results of runs given; `calls` has the options of each run."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def __call__(self, out: Any, *runs: Run, grid: int = 4, **options: Any) -> FakeKernel:
        x = np.zeros(10, np.float32)
        compiled: CompiledKernel = copy.warmup(x, 10, out, BLOCK=4, grid=(grid,))
        code, kernel = fake_code(*runs)
        install(compiled, code)
        self.calls = kernel.calls
        with triton.sanitize(**options):
            copy[(grid,)](x, 10, out, BLOCK=4)
        return kernel


@pytest.fixture
def launch() -> Launcher:
    return Launcher()


def filled() -> Any:
    return np.arange(10, dtype=np.float32)


def test_a_launch_without_a_fault_runs_once(launch: Launcher) -> None:
    out = filled()
    kernel = launch(out, writing(0), schedule=5, steps=100)
    assert not out.any()
    (call,) = kernel.calls
    assert (call["seed"], call["step_limit"], call["workers"], call["find_all"]) == (5, 100, None, False)
    first, second = kernel.extents
    # The number `n` is a parameter in between.
    assert (first.index, first.bytes, first.element_bytes, first.written) == (0, 40, 4, False)
    assert (second.index, second.address, second.written) == (2, out.ctypes.data, True)


def test_a_fault_comes_from_a_second_run_in_order(launch: Launcher) -> None:
    out = filled()
    with pytest.raises(OutOfBoundsError) as caught:
        launch(out, writing(1, out_of_bounds(3)), writing(2, out_of_bounds(2, 44)))
    assert (out == filled()).all()
    fault = caught.value
    assert fault.sides[0].program == (2, 0, 0)
    assert fault.array is not None and (fault.array.name, fault.array.outside) == ("out_ptr", 2)
    first, second = launch.calls
    # What the first run printed would be printed again.
    assert not first["tells_if_failed"] and second["tells_if_failed"]
    assert second["workers"] == 1 and second["exact"]


def test_the_arrays_are_restored_before_the_second_run(launch: Launcher) -> None:
    out, seen = filled(), list[bool]()

    def second(arrays: Sequence[ArrayExtent]) -> Result:
        seen.append(bool((out == filled()).all()))
        return [out_of_bounds()]

    with pytest.raises(OutOfBoundsError):
        launch(out, writing(1, out_of_bounds()), second)
    assert seen == [True]


def test_a_fault_that_comes_only_once_is_told_from_the_lowest_program(launch: Launcher) -> None:
    out = filled()
    with pytest.raises(OutOfBoundsError) as caught:
        launch(out, writing(1, out_of_bounds(3), out_of_bounds(1)), writing(2))
    assert caught.value.sides[0].program == (1, 0, 0)
    assert (out == filled()).all()


def test_a_suspicion_is_looked_at_exactly(launch: Launcher) -> None:
    out = filled()
    suspicion = out_of_bounds(kind=RawKind.SUSPICION)
    kernel = launch(out, writing(1, suspicion), writing(0))
    assert not out.any()
    assert [call["exact"] for call in kernel.calls] == [False, True]
    assert kernel.calls[1]["workers"] is None
    with pytest.raises(ProgramRaceError):
        launch(
            filled(),
            writing(1, suspicion),
            writing(2, out_of_bounds(kind=RawKind.PROGRAM_RACE)),
            writing(3, out_of_bounds(kind=RawKind.PROGRAM_RACE)),
        )


def test_later_launches_of_a_suspicious_kernel_are_exact() -> None:
    x, out = np.zeros(10, np.float32), filled()
    code, kernel = fake_code(writing(1, out_of_bounds(kind=RawKind.SUSPICION)), writing(2), writing(3))
    install(copy.warmup(x, 10, out, BLOCK=4, grid=(4,)), code)
    with triton.sanitize():
        copy[(4,)](x, 10, out, BLOCK=4)
        copy[(4,)](x, 10, out, BLOCK=4)
    assert [call["exact"] for call in kernel.calls] == [False, True, True]


def test_one_program_runs_once_in_order(launch: Launcher) -> None:
    out = filled()
    with pytest.raises(OutOfBoundsError):
        launch(out, writing(1, out_of_bounds()), grid=1)
    assert (out == filled()).all()


def test_all_faults(launch: Launcher) -> None:
    out = filled()
    with pytest.raises(KernelFaults) as caught:
        launch(out, writing(1, out_of_bounds(3), out_of_bounds(kind=RawKind.STEPS)), all_faults=True, steps=9)
    assert [type(fault) for fault in caught.value.faults] == [OutOfBoundsError, StepLimitError]
    assert str(caught.value).startswith("2 faults in kernel copy\n\nk.py:12:5: error: out of bounds: ")
    assert (out == filled()).all()
    (call,) = launch.calls
    assert call["find_all"] and call["workers"] == 1
    launch(out, writing(0), all_faults=True)
    assert not out.any()


@pytest.mark.parametrize("grid", [1, 4])
def test_what_is_interrupted_has_written_nothing(launch: Launcher, grid: int) -> None:
    def interrupted(arrays: Sequence[ArrayExtent]) -> Result:
        ctypes.memset(arrays[1].address, 1, arrays[1].bytes)
        raise KeyboardInterrupt

    out = filled()
    with pytest.raises(KeyboardInterrupt):
        launch(out, interrupted, grid=grid)
    assert (out == filled()).all()


def test_a_deadlock_has_the_lines_of_the_kernel(launch: Launcher) -> None:
    out = filled()
    error = DeadlockError("copy", (1, 0, 0), "deadlock", [ThreadGroup(0, 31, "__syncthreads", 5, "out[i] = a;")])
    with pytest.raises(DeadlockError) as caught:
        launch(out, writing(1, error), writing(2, error))
    assert (out == filled()).all()
    location = caught.value.groups[0].location
    assert location is not None and (location.file, location.line) == ("k.py", 12)
    assert str(caught.value).splitlines() == [
        "copy: deadlock in block (1, 0, 0)",
        "  threads 0-31 wait at __syncthreads in line 5: out[i] = a;",
        "    from k.py:12:5",
        "        tl.store(out_ptr, x)",
        "        ^~~~~~~~",
    ]


def test_only_the_elements_of_a_view_are_restored(launch: Launcher) -> None:
    table = np.arange(40, dtype=np.float32).reshape(10, 4)
    before = table.copy()
    with pytest.raises(OutOfBoundsError):
        launch(table[:, 1], writing(1, out_of_bounds()), writing(255, out_of_bounds()))
    assert (table[:, 1] == before[:, 1]).all()
    # The fake writes between them, as no checked kernel does.
    assert not (table[:-1, 2] == before[:-1, 2]).any()


def test_launches_of_compiled_kernels_and_of_texts() -> None:
    x, out = np.zeros(10, np.float32), filled()
    compiled = copy.warmup(x, 10, out, BLOCK=4, grid=(1,))
    from_text = triton.compile_ttir(compiled.asm["ttir"])
    for kernel in (compiled, from_text):
        code, fake = fake_code(writing(0))
        install(kernel, code)
        out[:] = 7
        with triton.sanitize():
            kernel[(2,)](x, 10, out)
        assert not out.any()
        assert [(extent.index, extent.written) for extent in fake.extents] == [(0, False), (2, True)]


def test_autotuned_kernels() -> None:
    tuned = triton.autotune([triton.Config({"BLOCK": 4})], key=["n"])(copy)
    x, out = np.zeros(10, np.float32), filled()
    code, _ = fake_code(writing(1, out_of_bounds()), writing(1, out_of_bounds()))
    install(copy.warmup(x, 10, out, BLOCK=4, grid=(4,)), code)
    with triton.sanitize(), pytest.raises(KernelFault):
        tuned[(4,)](x, 10, out)


def test_a_grid_of_no_programs_is_not_run(launch: Launcher) -> None:
    launch(filled(), grid=0)


def test_a_kernel_on_a_gpu_is_refused() -> None:
    compiled = copy.warmup("*fp32", 10, "*fp32", BLOCK=4, grid=(1,))
    with (
        triton.sanitize(),
        pytest.raises(LaunchError, match=r"kernel copy cannot be checked on cuda:1: checked launches"),
    ):
        call = compiled.specialization
        compiled.launch_checked((1, 1, 1), call, [None] * len(call.arguments), "cuda:1", Checks())


def test_an_error_other_than_a_fault_passes(launch: Launcher) -> None:
    with pytest.raises(LaunchError, match="not enough memory"):
        launch(filled(), writing(1, LaunchError("not enough memory")))
