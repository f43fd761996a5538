"""Runs a function of one to three values on every element of arrays, on the interpreter and on the CPU device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check

bfloat16 = np.dtype(ml_dtypes.bfloat16)


@triton.jit
def unary_kernel(x_ptr, out_ptr, N: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, N)
    result = F(tl.load(x_ptr + i))
    tl.static_assert(result.dtype == out_ptr.dtype.element_ty, "the dtype of the result")
    tl.store(out_ptr + i, result)


@triton.jit
def binary_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, N)
    result = F(tl.load(x_ptr + i), tl.load(y_ptr + i))
    tl.static_assert(result.dtype == out_ptr.dtype.element_ty, "the dtype of the result")
    tl.store(out_ptr + i, result)


@triton.jit
def ternary_kernel(x_ptr, y_ptr, z_ptr, out_ptr, N: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, N)
    result = F(tl.load(x_ptr + i), tl.load(y_ptr + i), tl.load(z_ptr + i))
    tl.static_assert(result.dtype == out_ptr.dtype.element_ty, "the dtype of the result")
    tl.store(out_ptr + i, result)


KERNELS = {1: unary_kernel, 2: binary_kernel, 3: ternary_kernel}


def check_each(
    function: Any, inputs: Sequence[np.ndarray], expected: np.ndarray, rtol: float = 0.0, atol: float = 0.0
) -> None:
    """`function` of the elements of `inputs` has the dtype of `expected`, and is equal to it."""
    out = np.empty_like(expected)
    kernel = KERNELS[len(inputs)]
    check(kernel, (1,), inputs, [out], [expected], num_warps=(1,), rtol=rtol, atol=atol, N=len(expected), F=function)


def check_one(
    kernel: Any, arguments: Sequence[Any], expected: Sequence[Any] | np.ndarray, dtype: Any = np.int32, **constants: Any
) -> None:
    """The kernel, whose last argument is an output of `dtype`, stores just `expected` to it."""
    wanted = np.array(expected, dtype)
    check(kernel, (1,), arguments, [np.empty_like(wanted)], [wanted], num_warps=(4,), rtol=0, atol=0, **constants)
