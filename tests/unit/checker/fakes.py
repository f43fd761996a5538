"""A native part that tells what it is told to: for tests of everything above it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from mytriton.checker.code import CheckedCode
from mytriton.errors import SourceLocation
from mytriton.passes.checks.tables import Origin, Sink
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.cpu import ArrayExtent
from mytriton.runtime.cpu.faults import NO_ARRAY, RawFault, RawKind, RawSide

Result = Sequence[RawFault] | Exception
Run = Callable[[Sequence[ArrayExtent]], Result]

TEXT = "\n".join(
    [
        'extern "C" __global__ void kernel(const float *x, float *out)',
        "{",
        "    __shared__ __align__(16) float tile[8][4];",
        "    float a = x[i];",
        "    out[i] = a;",
        "}",
    ]
)

LOAD = SourceLocation("k.py", 10, 5, 20, "    x = tl.load(x_ptr)", "kernel")
STORE = SourceLocation("k.py", 12, 5, 13, "    tl.store(out_ptr, x)", "kernel")


def raw_side(program: Sequence[int] = (0, 0, 0), thread: int = 0, line: int = 0, access: int = 0) -> RawSide:
    side = RawSide()
    side.program[:] = program  # pyright: ignore[reportIndexIssue]
    side.thread, side.line, side.access = thread, line, access
    return side


def raw_fault(
    kind: RawKind, own: RawSide, other: RawSide | None = None, array: int = NO_ARRAY, **fields: int
) -> RawFault:
    fault = RawFault()
    fault.kind, fault.array, fault.own, fault.count = kind, array, own, 1
    if other is not None:
        fault.other = other
    for name, value in fields.items():
        setattr(fault, name, value)
    return fault


class FakeKernel:
    """Stands for a `CheckedKernel`: each launch does what the next of `runs` does. `calls` has the options of each."""

    def __init__(self, *runs: Run):
        self.runs = list(runs)
        self.calls: list[dict[str, Any]] = []
        self.extents: list[ArrayExtent] = []

    def launch_checked(
        self, grid: Sequence[int], args: Sequence[Any], arrays: Sequence[ArrayExtent], **options: Any
    ) -> list[RawFault]:
        self.calls.append(options)
        self.extents = list(arrays)
        result = self.runs.pop(0)(arrays)
        if isinstance(result, Exception):
            raise result
        return list(result)


def fake_code(*runs: Run, origins: Sequence[Origin] = (), sinks: Sequence[Sink] = ()) -> tuple[CheckedCode, FakeKernel]:
    kernel = FakeKernel(*runs)
    return CheckedCode(cast(Any, kernel), TEXT, {4: LOAD, 5: STORE}, {}, origins, sinks), kernel


def install(compiled: CompiledKernel, code: CheckedCode | None) -> None:
    """Has checked launches of a kernel run `code`, or what they run by themselves."""
    compiled._checked = {} if code is None else {False: code, True: code}  # pyright: ignore[reportPrivateUsage]
