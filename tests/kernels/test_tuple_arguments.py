"""Kernels that are called with tuples, named tuples, tensor descriptors, and any number of arguments."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import ArgumentError
from mytriton.tools.tensor_descriptor import TensorDescriptor
from tests.kernels.harness import check


class Matrix(NamedTuple):
    data: Any
    shape: tuple[Any, Any]
    scale: Any


@triton.jit
def tuple_kernel(out, arguments, flag_0):
    n, (x, offset), name, nothing = arguments
    tl.static_assert(name == "name" and nothing is None)
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i, mask=i < n) + offset + flag_0, mask=i < n)


def test_tuples() -> None:
    x = np.arange(8, dtype=np.int32)
    for n, offset in ((5, 100), (1, 1), (8, 1 << 40)):
        wanted = np.zeros(8, np.int64)
        wanted[:n] = x[:n].astype(np.int64) + offset + 2
        for where in ("interpreter", "cpu"):
            out = np.zeros(8, np.int64)
            arguments = (n, (x, offset), "name", None)
            if where == "interpreter":
                with triton.interpret():
                    tuple_kernel[(1,)](out, arguments, 2)
            else:
                compiled = tuple_kernel[(1,)](out, arguments, 2)
                out[:] = 0
                compiled[(1,)](out, arguments, 2)
            np.testing.assert_array_equal(out, wanted)


@triton.jit
def scaled(matrix, row, columns):
    return tl.load(matrix.data + row * matrix.shape[1] + columns, mask=columns < matrix.shape[1]) * matrix.scale


@triton.jit
def named_kernel(matrix, out, N: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, N)
    tl.store(out + row * matrix.shape[1] + columns, scaled(matrix, row, columns), mask=columns < matrix.shape[1])


@pytest.mark.parametrize("scale", [0.5, tl.constexpr(4)])
def test_named_tuples(scale: Any) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    matrix = Matrix(x, (3, 4), scale)
    number = scale.value if isinstance(scale, tl.constexpr) else scale
    for warps in (1, 4):
        out = np.zeros_like(x)
        named_kernel[(3,)](matrix, out, N=8, num_warps=warps)
        np.testing.assert_array_equal(out, x * number)
    text = named_kernel.warmup(matrix, out, N=8).asm["tt"]
    assert ("matrix_scale" in text) == (scale == 0.5)


@triton.jit
def many_kernel(out, *arrays, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.int32)
    for array in arrays:
        total += tl.load(array + i)
    tl.store(out + i, total)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_any_number_of_arguments(count: int) -> None:
    arrays = [np.arange(16, dtype=np.int32) * (k + 1) for k in range(count)]
    out = np.zeros(16, np.int32)
    many_kernel[(1,)](out, *arrays, N=16)
    np.testing.assert_array_equal(out, sum(arrays, np.zeros(16, np.int32)))


@triton.jit
def descriptor_kernel(source, target, BM: tl.constexpr):
    row = tl.program_id(0) * BM
    tl.static_assert(source.block_shape[0] == BM)
    for column in range(0, source.shape[1], source.block_shape[1]):
        target.store([row, column], source.load([row, column]) * 2)


def test_descriptors() -> None:
    x = np.random.default_rng(0).standard_normal((11, 21)).astype(np.float32)
    padded = np.zeros((11, 32), np.float32)
    padded[:, :21] = x
    out = np.empty_like(x)
    for array in (x, padded[:, :21]):
        source = TensorDescriptor.from_tensor(array, [4, 8])
        for where in ("interpreter", 1, 4):
            out[:] = 0
            target = TensorDescriptor(out, out.shape, (21, 1), [4, 8])
            if where == "interpreter":
                with triton.interpret():
                    descriptor_kernel[(3,)](source, target, BM=4)
            else:
                compiled = descriptor_kernel[(3,)](source, target, BM=4, num_warps=where)
                compiled[(3,)](source, target, 4)
            np.testing.assert_array_equal(out, x * 2)


def test_descriptor_of_a_torch_tensor() -> None:
    torch = pytest.importorskip("torch")
    x = torch.arange(32, dtype=torch.float16).reshape(4, 8)
    out = torch.zeros_like(x)
    descriptor_kernel[(1,)](TensorDescriptor.from_tensor(x, [4, 8]), TensorDescriptor.from_tensor(out, [4, 8]), BM=4)
    assert torch.equal(out, x * 2)


@triton.jit
def padded_kernel(source, out):
    i = tl.arange(0, 4)
    tl.store(out + i, source.load([2]))


def test_padding_of_descriptors() -> None:
    x = np.arange(4, dtype=np.float32)
    for padding, fill in (("zero", 0), ("nan", np.nan)):
        check(
            padded_kernel,
            (1,),
            [TensorDescriptor.from_tensor(x, [4], padding=padding)],
            [np.empty(4, np.float32)],
            [np.array([2, 3, fill, fill], np.float32)],
            num_warps=(1,),
        )


def test_descriptors_that_are_refused() -> None:
    x = np.zeros((4, 8), np.float32)
    with pytest.raises(ArgumentError, match="last stride"):
        TensorDescriptor.from_tensor(x.T, [4, 4])
    with pytest.raises(ArgumentError, match="tiles"):
        TensorDescriptor.from_tensor(x, [4])
    with pytest.raises(ArgumentError, match="padding"):
        TensorDescriptor.from_tensor(x, [4, 4], padding="one")


@triton.jit
def read_only_kernel(arguments):
    tl.store(arguments[0], tl.load(arguments[1]))


def test_read_only_arrays_in_tuples() -> None:
    x, y = np.zeros(1, np.float32), np.ones(1, np.float32)
    y.flags.writeable = False
    read_only_kernel[(1,)]((x, y))
    assert x[0] == 1
    with pytest.raises(ArgumentError, match="read-only"):
        read_only_kernel[(1,)]((y, x))
    with pytest.raises(ArgumentError, match="a kernel takes arrays"):
        read_only_kernel[(1,)]((x, object()))
