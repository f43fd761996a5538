"""What the names of the language do, compared with Triton's interpreter."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.conftest import find_oracle
from tests.fuzz.oracle import Oracle
from tests.fuzz.shortcuts import shortcuts
from tests.oracle import element_cases, memory_cases, tile_cases
from tests.oracle.cases import Case, grouped

pytestmark = pytest.mark.oracle

CASES = grouped([*element_cases.cases(), *tile_cases.cases(), *memory_cases.cases()])
TEXT = "\n".join(case.module_text("triton") for case in CASES)
NAMES = (Path(__file__).parents[1] / "unit" / "data" / "triton_names.txt").read_text().split()

FACTS = (
    "tl.TRITON_MAX_TENSOR_NUMEL",
    "str(tl.pi32_t), tl.pi32_t.is_ptr()",
    "str(tl.void)",
    "str(tl.str_to_ty('*kfp16', None)), tl.str_to_ty('i64', None).name",
    "str(tl.block_type(tl.int32, [2, 4]).scalar), tl.block_type(tl.int32, [2, 4]).numel",
    "tl.block_type(tl.int32, [2, 4]).shape, tl.block_type(tl.int32, [2, 4]).is_block()",
    "str(tl.pointer_type(tl.float32, 1)), str(tl.pointer_type(tl.int8).element_ty)",
    "tl.dtype('fp16').primitive_bitwidth, tl.dtype('fp16') == tl.float16, tl.dtype('i' + 'nt1') == tl.int1",
    "str(tl.tuple_type([tl.int32, tl.float32]))",
    "str(tl.constexpr_type(3))",
    "repr(tl.constexpr(3)), repr(tl.constexpr(3) + 4), tl.constexpr(7).value // 2",
    "[tl.PropagateNan.NONE.name, tl.PropagateNan.ALL.name, len(tl.PropagateNan.__members__)]",
    "tl.slice(1, 2, 3).start, tl.slice(1, 2, 3).stop, tl.slice(1, 2, 3).step",
    "tl.const.__name__, tl.tensor.__name__, tl.tensor_descriptor.__name__, tl.tensor_descriptor_type.__name__",
    "[(str(t), t.name, t.primitive_bitwidth, t.is_floating(), t.is_int_signed()) for t in DTYPES]",
    "[(t.fp_mantissa_width, t.exponent_bias) for t in DTYPES if t.is_floating()]",
)
"""What Python computes with the names that are types, and numbers, with `DTYPES` for all dtypes."""

DTYPES = (
    "[getattr(tl, name) for name in 'int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float8e4nv float8e5 "
    "float8e4b8 float8e5b16 float8e4b15 float16 bfloat16 float32 float64'.split()]"
)

NOT_COMPARED = {
    **dict.fromkeys(
        ("inline_asm_elementwise", "map_elementwise", "make_block_ptr", "tensor.advance", "tensor.sort"),
        "Triton's interpreter does not run it",
    ),
    **dict.fromkeys(
        (name for name in NAMES if name.startswith("target_info.")),
        "Triton's interpreter has no target: it gives the same for all of them",
    ),
    "target_info": "a module",
    "extra": "a module",
    **dict.fromkeys(
        (name for name in NAMES if name.startswith("extra.cuda.")),
        "the functions are inline assembly, or of the running GPU",
    ),
    "device_print": "what it prints is the device's, and differs (see `messages`)",
    "static_print": "it prints while the kernel is compiled, and computes nothing",
}
"""The names whose meaning is tested without Triton, and why."""


def is_used(name: str) -> bool:
    """Whether a kernel or a fact has the name; one of a method, where it is called on something."""
    if name.startswith("tensor."):
        member = name.removeprefix("tensor.")
        call = r"\b(?!\()" if member == "T" else r"\("
        return re.search(rf"(?<!\btl)(?<!\bmath)\.{member}{call}", TEXT) is not None
    return re.search(rf"\btl\.{re.escape(name)}\b", "\n".join([TEXT, DTYPES, *FACTS])) is not None


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_compared_or_has_a_reason(name: str) -> None:
    is_dtype = name in DTYPES.replace("'", " ").split()
    assert (is_used(name) or is_dtype) != (name in NOT_COMPARED)


def test_facts(oracle: Callable[..., str]) -> None:
    script = (
        f"import json\nimport triton.language as tl\nDTYPES = {DTYPES}\n"
        f"print(json.dumps([repr(eval(fact)) for fact in {FACTS!r}]))"
    )
    found = [repr(eval(fact, {"tl": tl, "DTYPES": eval(DTYPES)})) for fact in FACTS]
    assert dict(zip(FACTS, found, strict=True)) == dict(zip(FACTS, json.loads(oracle(script)), strict=True))


@pytest.fixture(scope="module")
def interpreter() -> Iterator[Oracle]:
    """A process with Triton's interpreter."""
    python = find_oracle()
    assert python is not None
    process = Oracle(python)
    yield process
    process.close()


def launched(case: Case, path: Path, is_interpreted: bool) -> dict[str, Any]:
    path.write_text(case.module_text("mytriton"), encoding="utf-8")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    arrays = {name: array for name, (_, array) in case.arrays().items()}
    with shortcuts(), triton.interpret() if is_interpreted else nullcontext():
        module.kernel[case.grid](**arrays)
    return arrays


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_as_triton_does(case: Case, interpreter: Oracle, tmp_path: Path) -> None:
    wanted = interpreter.launch(case.module_text("triton"), case.arrays(), {}, case.grid)
    assert not isinstance(wanted, str), wanted
    for is_interpreted in (True, False):
        found = launched(case, tmp_path / f"kernel_{is_interpreted}.py", is_interpreted)
        for name, array in found.items():
            output = name.removesuffix("_ptr")
            tolerance = case.tolerances.get(output, case.tolerance)
            if array.dtype.kind not in "iub":
                array, expected = array.astype(np.float64), wanted[name].astype(np.float64)
            else:
                expected = wanted[name]
            where = f"{case.labels.get(output, output)}, {'interpreter' if is_interpreted else 'CPU'}"
            np.testing.assert_allclose(array, expected, rtol=tolerance, atol=tolerance * 1e-2, err_msg=where)
