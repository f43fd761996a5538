"""A few random kernels in the suite; `make fuzz` runs many."""

from __future__ import annotations

import pytest

import mytriton as triton
from tests.fuzz.data import difference, make_array
from tests.fuzz.generator import generate
from tests.fuzz.minimize import minimized
from tests.fuzz.program import Line, Program, Suite
from tests.fuzz.run import fuzz
from tests.fuzz.shortcuts import check_syntax
from tests.fuzz.values import DTYPES, FLOAT8

COUNT = 24
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_random_kernels(part: int) -> None:
    report = fuzz(0, range(part, COUNT, PARTS))
    assert not report.failed, "\n".join([str(report), *report.details.values()])


def test_same_seed_same_kernel() -> None:
    assert generate(3, 7) == generate(3, 7)
    assert generate(3, 7).module_text() != generate(3, 8).module_text()


KINDS = (
    *(f"tl.{dtype}" for dtype in (*DTYPES, *FLOAT8)),
    *("associative_scan", "cumsum", "cumprod", "reverse=True", "a, i, n, b, j, m", "reduce(", "return_indices"),
    *("sort(", "topk(", "flip(", "gather(", "histogram(", "join(", "split(", "interleave(", "cat(", "map_elementwise"),
    *(
        "tl.dot(",
        "dot_scaled(",
        "tf32x3",
        "bf16x6",
        "allow_tf32",
        "make_block_ptr",
        "advance(",
        "make_tensor_descriptor",
    ),
    *("atomic_add", "atomic_max", "atomic_cas", "atomic_xchg", "sem='release'", "debug_barrier", "advance(", "[::-1]"),
    *(
        "while True",
        "break",
        "continue",
        "return\n",
        "static_range",
        "num_stages=2",
        "all_of_them",
        "*others",
        "[::-1]",
    ),
    *("multiple_of", "max_contiguous", "libdevice.", "randint4x", "fp_downcast_rounding", "bitcast=True", "volatile"),
)
"""Parts of the texts of kernels, one for each thing that is to be made now and then."""


def test_every_kind_of_statement_is_made() -> None:
    text = "\n".join(generate(0, index).kernel_text() for index in range(1500))
    assert [kind for kind in KINDS if kind not in text] == []


def test_every_warp_count_and_architecture_is_chosen() -> None:
    programs = [generate(0, index) for index in range(200)]
    assert {program.num_warps for program in programs} == {1, 2, 4, 8, 16}
    assert {program.arch for program in programs} == {"sm_75", "sm_80", "sm_90a", "sm_100"}
    # One in eight is compiled without short cuts, one in four is for Triton's interpreter too.
    assert 10 < sum(program.is_thorough for program in programs) < 45
    assert 30 < sum(program.for_oracle for program in programs) < 75


def test_nvrtc_reads_what_it_is_not_to_compile() -> None:
    try:
        check_syntax("__global__ void kernel(int *p) { *p = 1; }", "sm_80")
    except triton.NvrtcMissingError as error:
        pytest.skip(str(error))
    with pytest.raises(triton.NvrtcError, match="undefined"):
        check_syntax("__global__ void kernel(int *p) { *p = missing; }", "sm_80")


def test_minimizing_keeps_what_fails() -> None:
    """A program that "fails" where it has a loop with a store in it loses nearly everything else."""

    def still_fails(program: Program) -> bool:
        return any(
            isinstance(statement, Suite)
            and statement.header.startswith("for")
            and any(isinstance(inner, Line) and "dot" in inner.text for inner in statement.body)
            for statement in program.body
        )

    program = next(generate(1, index) for index in range(1000) if still_fails(generate(1, index)))
    small = minimized(program, still_fails)
    assert len(small.body) == 1 and len(small.kernel_text().splitlines()) <= 5


def test_difference_sees_a_wrong_element() -> None:
    from tests.fuzz.data import ArraySpec

    found = make_array(ArraySpec("x", "float32", 64, seed=1, kind="special"))
    wanted = found.copy()
    assert difference(found, wanted, 0.0) is None
    wanted[5] += 0.25
    assert difference(found, wanted, 0.0) is not None
    assert difference(found, wanted, 0.5) is None
