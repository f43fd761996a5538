"""Kernels with checks report the faults that are planted in them, with both lines, and no others."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from mytriton.compiler import CheckedCompilation, Source, compile_checked
from mytriton.diagnostics import collect_remarks
from mytriton.passes.checks.tables import Origin, Sink
from mytriton.passes.pipeline import Checks
from mytriton.runtime import cpu
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.cpu.faults import RawKind
from tests.unit.codegen.running import needs_compiler
from tests.unit.passes import faulty_kernels as kernels

BLOCK = 64
MODULE_LINES = inspect.getsource(kernels).splitlines()


def compiled(kernel: Any, checks: Checks, num_warps: int) -> CheckedCompilation:
    made = kernel.warmup("*i32", "*i32", "i32", BLOCK=BLOCK, grid=(1,), num_warps=num_warps)
    return compile_checked(source_of(made), checks)


def source_of(made: CompiledKernel) -> Source:
    source = made.compilation.source
    assert source is not None
    return source


def reports(
    kernel: Any, n: int, *, checks: Checks = "default", num_warps: int = 4, x: Any = None, programs: int = 1
) -> set[tuple[str, str, str]]:
    """The kind of each fault that is found, the text of its origin's line, and that of its use's."""
    made = compiled(kernel, checks, num_warps)
    description = cpu.KernelMetadata(
        made.kernel.name, made.kernel.params, made.kernel.num_warps, made.kernel.dynamic_shared_bytes
    )
    array = np.arange(1024, dtype=np.int32) if x is None else x
    out = np.zeros(1024, np.int32)
    values = [array.ctypes.data, out.ctypes.data, n]
    found = cpu.compile_checked(made.cuda, description).launch_checked(
        (programs, 1, 1), values[: len(made.kernel.params)], (), find_all=True
    )
    faults = [fault for fault in found if fault.kind == RawKind.VALUE]
    origins, sinks = made.printed.origins, made.printed.sinks
    return {
        (origins[fault.origin - 1].kind, line_of(origins[fault.origin - 1]), line_of(sinks[fault.sink]))
        for fault in faults
    }


def line_of(entry: Origin | Sink) -> str:
    assert entry.location is not None
    return MODULE_LINES[entry.location.line - 1].strip()


UNDEFINED = [
    (kernels.stored_everywhere, 50, "masked load"),
    (kernels.summed, 50, "masked load"),
    (kernels.summed_in_loop, 100, "masked load"),
    (kernels.counted_while, 0, "masked load"),
    (kernels.branched, 0, "masked load"),
    (kernels.scattered, 50, "masked load"),
    (kernels.masked_by_undefined, 50, "masked load"),
    (kernels.added_atomically, 50, "masked load"),
    (kernels.divided, 5, "division by zero"),
    (kernels.divided_by_scalar, 5, "division by zero"),
    (kernels.divided_by_constant_zero, 5, "division by zero"),
    (kernels.shifted, 1, "shift"),
    (kernels.shifted_by_constant, 1, "shift"),
    (kernels.reduced_by_division, 1, "division by zero"),
    (kernels.mapped_by_division, 2, "division by zero"),
    (kernels.scanned, 40, "masked load"),
    (kernels.multiplied, 3, "masked load"),
    (kernels.gathered, 3, "masked load"),
    (kernels.sorted_all, 3, "masked load"),
    (kernels.of_another_width, 3, "masked load"),
    (kernels.multiplied_by_a_number, 50, "masked load"),
    (kernels.multiplied_by_zero, 50, "masked load"),
]


@needs_compiler
@pytest.mark.parametrize("num_warps", [1, 4])
@pytest.mark.parametrize(("kernel", "n", "kind"), UNDEFINED, ids=lambda value: getattr(value, "__name__", str(value)))
def test_undefined_values_are_reported(kernel: Any, n: int, kind: str, num_warps: int) -> None:
    found = reports(kernel, n, num_warps=num_warps)
    assert {found_kind for found_kind, _, _ in found} == {kind}
    assert all(origin.endswith("# origin") and use.endswith("# use") for _, origin, use in found), found


@needs_compiler
@pytest.mark.parametrize(
    ("kernel", "n"),
    [
        (kernels.stored_everywhere, BLOCK),
        (kernels.summed, BLOCK),
        (kernels.summed_in_loop, 2 * BLOCK),
        (kernels.counted_while, 1),
        (kernels.branched, 1),
        (kernels.scattered, BLOCK),
        (kernels.divided, -1),
        (kernels.divided, BLOCK),
        (kernels.shifted_little, 1),
        (kernels.add, 50),
        (kernels.summed_of_zeros, 50),
        (kernels.summed_where, 50),
        (kernels.scattered_masked, 50),
        (kernels.divided_where_not_zero, 5),
        (kernels.smallest_by_minus_one, 5),
        (kernels.mapped_by_division, -1),
        (kernels.scanned, BLOCK),
        (kernels.multiplied, 16),
        (kernels.gathered, BLOCK),
        (kernels.of_another_width, 48),
        (kernels.multiplied_by_a_number, 0),
        (kernels.left_out_by_integers, 50),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_defined_values_are_not_reported(kernel: Any, n: int) -> None:
    assert reports(kernel, n) == set()


def test_a_load_and_a_store_under_one_mask_have_no_check() -> None:
    made = compiled(kernels.add, "default", 4)
    assert [sink.what for sink in made.printed.sinks] == ["is the address of a load"]
    assert made.cuda.count("report_value(") == 1


@needs_compiler
@pytest.mark.parametrize(
    ("kernel", "n"), [(kernels.wrapped, 3), (kernels.wrapped_in_scalars, 3), (kernels.wrapped_in_scalars, -3)]
)
def test_offsets_that_wrap_are_reported(kernel: Any, n: int) -> None:
    ((kind, origin, use),) = reports(kernel, n)
    assert kind == "wrapped"
    assert origin.endswith("# origin") and use.endswith("# use")


@needs_compiler
@pytest.mark.parametrize(
    ("kernel", "n"),
    [
        (kernels.wrapped, 2),
        (kernels.wrapped_in_scalars, 2),
        (kernels.wrapped_where_masked, 0),
        (kernels.hashed, 5),
        (kernels.add, BLOCK * 3),
    ],
)
def test_other_offsets_are_not_reported(kernel: Any, n: int) -> None:
    assert reports(kernel, n, programs=3 if kernel is kernels.add else 1) == set()


@needs_compiler
@pytest.mark.parametrize("kernel", [kernels.quotients, kernels.narrowed, kernels.overflowing_sum])
def test_numbers_that_are_not_finite_are_reported_on_request(kernel: Any) -> None:
    assert reports(kernel, 5) == set()
    ((kind, origin, use),) = reports(kernel, 5, checks="nonfinite")
    assert kind == "nonfinite"
    assert origin.endswith(("# origin", "# use")) and use.endswith("# use")


@needs_compiler
def test_numbers_that_were_not_finite_are_not_reported() -> None:
    x = np.arange(1024, dtype=np.float32)
    x[7], x[9] = np.inf, np.nan
    assert reports(kernels.infinite_in_memory, 5, checks="nonfinite", x=x) == set()
    assert reports(kernels.infinite_in_memory, 50, checks="nonfinite", x=x) == set()
    assert reports(kernels.quotients, BLOCK, checks="nonfinite") == set()


def test_tables_and_text_are_the_same_each_time() -> None:
    first, second = (compiled(kernels.divided, "nonfinite", 4) for _ in range(2))
    assert first.printed == second.printed
    assert [origin.description for origin in first.printed.origins] == ["//"]


def test_a_staged_product_stays_staged() -> None:
    signature = ("*fp32", "*fp32", "*fp32", "i32", "i32", "i32")
    made = kernels.product.warmup(*signature, BM=64, BN=64, BK=16, grid=(1, 1))
    with collect_remarks() as remarks:
        checked = compile_checked(source_of(made))
    assert not remarks
    for line in ("__shared__ __align__(16) float ", "_tile[64][16];", "_tile[16][64];"):
        assert made.asm["cuda"].count(line) == checked.cuda.count(line) > 0
    assert made.asm["cuda"].count("__syncthreads()") == checked.cuda.count("__syncthreads()")
    assert [sink.what for sink in checked.printed.sinks] == [
        "is the address of a load",
        "is the address of a load",
        "is the address of a store",
    ]
