"""The kernels that every user of Triton knows: what `examples/` computes, and that it compiles for every GPU."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import traced
from tests.tutorials import EXAMPLES, TUTORIALS, Tutorial, load_example

ARCHITECTURES = ("sm_80", "sm_90a", "sm_100")

# Of each example, the largest difference from NumPy that rounding explains.
TOLERANCES = {
    "vector_add": 0.0,
    "fused_softmax": 1e-7,
    "grouped_matmul": 1e-3,
    "low_memory_dropout": 0.0,
    "layer_norm": 2e-5,
    "fused_attention": 1e-5,
    "libdevice": 1e-6,
    "grouped_gemm": 1e-3,
    "persistent_matmul": 1e-3,
}


@pytest.fixture(scope="module")
def examples() -> dict[str, ModuleType]:
    return {name: load_example(name) for name in TOLERANCES}


def test_every_example_is_tested() -> None:
    """`matmul.py` is what `make demo` runs."""
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*TOLERANCES, "matmul"}


def test_every_kernel_is_in_the_table() -> None:
    for name in TOLERANCES:
        kernels = re.findall(r"^def (\w+_kernel)\(", Path(EXAMPLES / f"{name}.py").read_text(), re.MULTILINE)
        assert set(kernels) == {one.kernel for one in TUTORIALS if one.example == name}


@pytest.mark.parametrize("name", TOLERANCES)
def test_on_the_cpu(examples: dict[str, Any], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    difference = examples[name].main()
    assert difference <= TOLERANCES[name]
    assert "difference" in capsys.readouterr().out


@pytest.mark.parametrize("is_debugged", [False, True])
@pytest.mark.parametrize("name", [name for name in TOLERANCES if name != "grouped_gemm"])
def test_on_the_interpreter(examples: dict[str, Any], name: str, is_debugged: bool) -> None:
    with triton.interpret(), traced() if is_debugged else nullcontext():
        assert examples[name].main() <= TOLERANCES[name]


def test_addresses_in_memory_on_the_interpreter(examples: dict[str, Any]) -> None:
    """The interpreter lets a kernel follow them to the arrays that it was told of, and to no others."""
    a, b, c, wanted = examples["grouped_gemm"].problem()
    with triton.interpret(*a, *b, *c):
        examples["grouped_gemm"].grouped_gemm(a, b, c)
    for found, expected in zip(c, wanted, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-3)
    with triton.interpret(*a, *b), pytest.raises(triton.LaunchError, match="out of bounds"):
        examples["grouped_gemm"].grouped_gemm(a, b, c)


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda tutorial: tutorial.name.replace(" ", "-"))
def test_a_gpu_could_run_it(examples: dict[str, ModuleType], tutorial: Tutorial) -> None:
    kernel = getattr(examples[tutorial.example], tutorial.kernel)
    constants = tutorial.constants_for(tl)
    for arch in ARCHITECTURES:
        compiled = kernel.warmup(*tutorial.types, grid=(1,), arch=arch, num_warps=tutorial.num_warps, **constants)
        try:
            cubin = compiled.asm["cubin"]
        except triton.NvrtcMissingError as error:
            pytest.skip(f"NVRTC is not installed: {error}")
        assert cubin[:4] == b"\x7fELF"
