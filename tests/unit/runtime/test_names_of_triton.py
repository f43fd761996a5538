"""Small things that programs for Triton ask of kernels and devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import OptionError
from mytriton.runtime.constexpr_function import constexpr_function
from mytriton.runtime.driver import shared_memory_of
from mytriton.runtime.jit_callable import JITCallable
from mytriton.testing import get_max_simd_tflops, get_max_tensorcore_tflops


@triton.jit
def fill(x: Any, value: Any) -> None:
    tl.store(x, value)


def test_what_kernels_may_call_is_a_jit_callable() -> None:
    assert isinstance(fill, JITCallable) and issubclass(triton.JITFunction, JITCallable)
    assert isinstance(constexpr_function(len), JITCallable)
    assert not isinstance(len, JITCallable) and not isinstance(triton.Config({}), JITCallable)


def test_the_hash_tells_kernels_apart() -> None:
    kernels = [
        fill.warmup(*types, grid=(1,), **options)
        for types in (("*fp32", "fp32"), ("*i32", "i32"))
        for options in ({}, {"num_warps": 8}, {"arch": "sm_90a"})
    ]
    hashes = {kernel.hash for kernel in kernels}
    assert len(hashes) == 6 and all(len(found) == 64 and int(found, 16) for found in hashes)
    assert fill.warmup("*fp32", "fp32", grid=(1,)).hash == kernels[0].hash


@pytest.mark.parametrize(
    ("stage", "what_to_do"),
    [("llir", "the text 'cuda'"), ("sass", "nvdisasm"), ("amdgcn", "NVIDIA's GPUs"), ("nothing", 'cubin"$')],
)
def test_a_stage_that_is_not_there(stage: str, what_to_do: str) -> None:
    kernel = fill[(1,)](np.zeros(1, np.float32), 1.0)
    with pytest.raises(KeyError, match=f"'{stage}' is not one of the stages .*{what_to_do}"):
        kernel.asm[stage]
    assert stage not in kernel.asm and kernel.asm.get(stage) is None


def test_peak_rates_are_those_of_nvidia_s_data_sheet() -> None:
    # The A100's: 312 TFLOPS of float16 on tensor cores, 156 of TF32, 624 of int8, and 19.5 without them, at 1410 MHz.
    clock = 1410e3
    for dtype, rate in ((tl.float16, 312), (tl.bfloat16, 312), (tl.float32, 156), (tl.int8, 624), (tl.float8e5, 624)):
        assert get_max_tensorcore_tflops(dtype, clock) == pytest.approx(rate, rel=2e-3)
    assert get_max_simd_tflops(tl.float32, clock) == pytest.approx(19.5, rel=2e-3)
    assert get_max_simd_tflops(tl.float16, clock, device=0) == 2 * get_max_simd_tflops(tl.float32, clock)
    for rate_of, dtype in ((get_max_tensorcore_tflops, tl.float64), (get_max_simd_tflops, tl.int32)):
        with pytest.raises(OptionError, match="there is no rate for operands of"):
            rate_of(dtype, clock)


def test_the_shared_memory_of_a_block() -> None:
    assert shared_memory_of(0) == 166912  # of an sm_80, in the CUDA C++ programming guide: 163 KB
