"""Names of the language that few kernels use."""

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check


@triton.jit
def logic_kernel(x_ptr, y_ptr, both_ptr, either_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(both_ptr + i, x.logical_and(y))
    tl.store(either_ptr + i, (x > 0).logical_or(y))


def test_logic_of_any_dtypes() -> None:
    x, y = np.array([0, 0, 2, -4], np.int32), np.array([0, 0.5, 0, 1], np.float32)
    outputs = [np.zeros(4, np.bool_), np.zeros(4, np.bool_)]
    check(logic_kernel, (1,), [x, y], outputs, [(x != 0) & (y != 0), (x > 0) | (y != 0)], N=4, num_warps=(1,))


@triton.jit
def condition_kernel(out_ptr, n):
    i = n * 0
    while tl.condition(i * i < n, disable_licm=True):
        i += 1
    tl.store(out_ptr, i)


def test_condition_of_a_loop() -> None:
    check(condition_kernel, (1,), [17], [np.zeros(1, np.int32)], [np.array([5])], order=[1, 0], num_warps=(1,))


@triton.jit
def expect_zero_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.expect_zero(tl.load(x_ptr + i), i >= n))


def test_expect_zero() -> None:
    x, out = np.array([3, 2, 1, 0, 0, 0, 0, 0], np.int32), np.zeros(8, np.int32)
    check(expect_zero_kernel, (1,), [x, 2], [out], [x], order=[0, 2, 1], N=8, num_warps=(1,))
    expect_zero_kernel[(1,)](x, out, 3, N=8, debug=True)
    with pytest.raises(triton.MytritonError, match="expect_zero"):
        expect_zero_kernel[(1,)](x, out, 2, N=8, debug=True)


@triton.jit
def const_kernel(x_ptr: tl.const, out_ptr, WRONG: tl.constexpr):
    tl.store(out_ptr, tl.load(x_ptr))
    if WRONG:
        tl.store(x_ptr, 1.0)


def test_a_pointer_to_constant_data() -> None:
    x, out = np.array([5.0], np.float32), np.zeros(1, np.float32)
    check(const_kernel, (1,), [x], [out], [x], WRONG=False, num_warps=(1,))
    with pytest.raises(triton.CompilationError, match="const"):
        const_kernel[(1,)](x, out, WRONG=True)


@triton.jit
def target_kernel(out_ptr):
    if tl.target_info.is_cuda() and not tl.target_info.is_hip():
        tl.store(out_ptr, tl.target_info.current_target().arch)
    tl.store(out_ptr + 1, tl.target_info.cuda_capability_geq(9))
    tl.store(out_ptr + 2, tl.target_info.cuda_capability_geq(8, 6))


@pytest.mark.parametrize(("arch", "wanted"), [("sm_80", [80, 0, 0]), ("sm_86", [86, 0, 1]), ("sm_100a", [100, 1, 1])])
def test_target(arch: str, wanted: list[int]) -> None:
    out = np.zeros(3, np.int32)
    target_kernel[(1,)](out, arch=arch)
    assert out.tolist() == wanted


@triton.jit
def float8_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    small = tl.extra.cuda.convert_custom_float8_sm80(tl.load(x_ptr + i), tl.float8e4b15)
    tl.store(out_ptr + i, tl.extra.cuda.convert_custom_float8_sm70(small, tl.float32))


def test_conversion_of_a_custom_float8() -> None:
    # Four bits are kept: 1, 1.125, ... 1.875; the largest number is 1.75.
    x = np.array([0, 1, -1.125, 0.5, 1.75, 100], np.float32)
    wanted = np.array([0, 1, -1.125, 0.5, 1.75, 1.75], np.float32)
    check(float8_kernel, (1,), [x], [np.zeros(6, np.float32)], [wanted], N=6, num_warps=(1,))


def test_types_as_text() -> None:
    assert tl.str_to_ty("*fp32") == tl.pointer_type(tl.float32)
    assert tl.str_to_ty("constexpr", 3) == tl.constexpr_type(3)
    assert tl.str_to_ty(("i32", "*u8")) == tl.tuple_type([tl.int32, tl.pointer_type(tl.uint8)])
    assert tl.str_to_ty("tensordesc<fp16[64, 32]>") == tl.tensor_descriptor_type(tl.block_type(tl.float16, [64, 32]))
