"""What `docs/semantics.md` says of the real Triton is true of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.oracle

KERNELS = Path(__file__).parent / "semantics_kernels.py"


@pytest.fixture(scope="module")
def texts(oracle: Callable[..., str]) -> dict[str, str]:
    return json.loads(oracle(KERNELS).splitlines()[-1])


EXPECTED = {
    # Both operands are evaluated.
    "logic": r"cmpi sgt.*tt\.load.*cmpi sgt.*andi",
    "not_of_an_integer": r"^error:.*Cannot bitcast",
    # The offset changes its sign in 8 bits, and is extended with zeros.
    "unsigned_offset": r"subi %\S+, %\S+ : i8.*extui %\S+ : i8 to i64.*tt\.addptr",
    "ceiling": r"arith\.constant 6 : i32.*addi %n, %\S+ : i32.*divsi",
    "float_remainder": r"div\.rn\.f32.*cvt\.rzi\.f32\.f32.*fma\.rn\.f32",
    "too_large": r"arith\.constant 44 : i32",
    "known_number": r"^error:.*must be of type tl.constexpr",
    "leaving": r"^error:.*Break",
    "conditional": r"^error:.*inconsistent types",
    "three": r"^error:.*power of 2",
    "product": r"tt\.dot.*inputPrecision = tf32",
    "small_sum": r"fma\.rn\.bf16",
    "one_element": r"^error:.*tl\.flip",
    # Where the mask is false the element is 0.
    "masked": r"mov\.u32 %r\d+, 0x0;\s*@%p\d+ ld\.global",
}


@pytest.mark.parametrize("kernel", EXPECTED)
def test_sentence_about_triton(texts: dict[str, str], kernel: str) -> None:
    assert re.search(EXPECTED[kernel], texts[kernel], re.DOTALL), texts[kernel]


def test_every_kernel_is_looked_at(texts: dict[str, str]) -> None:
    assert set(texts) == set(EXPECTED)
