# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportArgumentType=false
"""Random kernels with checks: they report that an undefined value is used if and only if there may be one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.compiler import compile_checked
from mytriton.passes.checks.tables import Origin
from mytriton.runtime import cpu
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.cpu.faults import RawKind
from tests.fuzz.execute import _kernel_of, _launch  # pyright: ignore[reportPrivateUsage]
from tests.fuzz.generator import generate
from tests.fuzz.program import Program
from tests.fuzz.undefined import undefined_numbers

SEED, COUNT = 7, 24


def interpreted(kernel: Any, program: Program, seed: int) -> tuple[Any, int]:
    """What a kernel leaves in its arrays, or that it fails, with the numbers of a seed; and how many there are."""
    with undefined_numbers(seed) as numbers, triton.interpret():
        try:
            arrays = _launch(kernel, program, program.num_warps)
        except (triton.CompilationError, triton.PassError):
            raise
        except Exception:
            return seed, numbers.count  # an address that is undefined
    return {name: array.tobytes() for name, array in arrays.items()}, numbers.count


def reported(kernel: Any, program: Program, monkeypatch: pytest.MonkeyPatch) -> list[Origin]:
    """The origins of the faults that the kernel reports."""
    found: list[Origin] = []

    def launch(self: CompiledKernel, grid: tuple[int, int, int], values: Any, device: str) -> None:
        source = self.compilation.source
        assert source is not None
        made = compile_checked(source)
        described = cpu.KernelMetadata(
            made.kernel.name, made.kernel.params, made.kernel.num_warps, made.kernel.dynamic_shared_bytes
        )
        checked = cpu.compile_checked(made.cuda, described)
        faults = checked.launch_checked(grid, self.as_bits(values), (), find_all=True)
        found.extend(made.printed.origins[fault.origin - 1] for fault in faults if fault.kind == RawKind.VALUE)

    with monkeypatch.context() as context:
        context.setattr(CompiledKernel, "launch", launch)
        _launch(kernel, program, program.num_warps)
    return found


@pytest.mark.parametrize("index", range(COUNT))
def test_undefined_values_of_random_kernels(index: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = generate(SEED, index)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{program.name}.py"
        path.write_text(program.module_text(), encoding="utf-8")
        kernel = _kernel_of(path)
        results = [interpreted(kernel, program, seed) for seed in (1, 2, 3)]
        origins = reported(kernel, program, monkeypatch)
    # Offsets of the generator's kernels do not wrap.
    assert not [origin for origin in origins if origin.kind == "wrapped"]
    if any(arrays != results[0][0] for arrays, _ in results):
        assert origins, "what is undefined was used, and nothing was reported"
    if not any(count for _, count in results):
        assert not origins, "nothing was undefined"


@triton.jit
def quotients(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    tl.store(out + offsets, value // (offsets - 3))
    tl.store(out + BLOCK + offsets, value << offsets)


def test_the_interpreter_has_other_numbers() -> None:
    x = np.full(64, 640, np.int32)
    found: list[Any] = []
    for seed in (1, 2):
        out = np.zeros(128, np.int32)
        with undefined_numbers(seed) as numbers, triton.interpret():
            quotients[(1,)](x, out, 50, BLOCK=64)
        # 14 elements that are masked, a quotient by zero, and 32 shifts by too many bits
        assert numbers.count == 47
        found.append(out)
    differ = set(np.flatnonzero(found[0] != found[1]))
    assert differ <= {3, *range(50, 64), *range(96, 128)}
    assert 3 in differ and len(differ) > 30
