"""The kernels of tests/kernels on a CUDA device; they need one, and are skipped and counted where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
from tests.gpu.device_arrays import DeviceArray
from tests.kernels.test_elementwise import add_kernel, copy_kernel, matrix_add_kernel, sigmoid_kernel
from tests.kernels.test_matmul import TILES, operands, runtime_matmul_kernel, staged_matmul_kernel
from tests.kernels.test_reductions import (
    REDUCTIONS,
    last_element_kernel,
    matrix,
    product_kernel,
    softmax_kernel,
    tile_reduce_kernel,
)

pytestmark = pytest.mark.gpu

NUM_WARPS = (1, 2, 4, 8)


@pytest.mark.parametrize("num_warps", NUM_WARPS)
@pytest.mark.parametrize(("n", "block"), [(1, 16), (1000, 100), (4096, 1024), (4097, 1024), (1 << 20, 1024)])
def test_elementwise(n: int, block: int, num_warps: int) -> None:
    rng = np.random.default_rng(n)
    x, y = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
    on_device, other, out = DeviceArray(x), DeviceArray(y), DeviceArray(np.full(n, np.nan, np.float32))
    grid = (triton.cdiv(n, block),)
    add_kernel[grid](on_device, other, out, n, BLOCK_SIZE=block, num_warps=num_warps)
    np.testing.assert_array_equal(out.numpy(), x + y)
    sigmoid_kernel[grid](on_device, out, n, BLOCK=block, num_warps=num_warps)
    np.testing.assert_allclose(out.numpy(), 1 / (1 + np.exp(-x.astype(np.float64))), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.bool_, np.float16, np.float64])
def test_every_type(dtype: Any) -> None:
    x = (np.random.default_rng(0).standard_normal(300) * 100).astype(dtype)
    on_device, out = DeviceArray(x), DeviceArray(np.zeros_like(x))
    copy_kernel[(3,)](on_device, out, 300, BLOCK=128)
    np.testing.assert_array_equal(out.numpy(), x)


@pytest.mark.parametrize("num_warps", NUM_WARPS)
@pytest.mark.parametrize("tile", [(16, 16), (12, 20)])
def test_matrix_add(tile: tuple[int, int], num_warps: int) -> None:
    x, y = matrix(33, 130), matrix(33, 130)[::-1].copy()
    out = DeviceArray(np.zeros_like(x))
    grid = (triton.cdiv(33, tile[0]), triton.cdiv(130, tile[1]))
    matrix_add_kernel[grid](DeviceArray(x), DeviceArray(y), out, 33, 130, BM=tile[0], BN=tile[1], num_warps=num_warps)
    np.testing.assert_array_equal(out.numpy(), x + y)


@pytest.mark.parametrize("num_warps", NUM_WARPS)
@pytest.mark.parametrize(("columns", "block"), [(1, 1), (100, 128), (100, 100), (1000, 1024)])
def test_reductions(columns: int, block: int, num_warps: int) -> None:
    x = matrix(5, columns)
    on_device = DeviceArray(x)
    for kernel, reference in REDUCTIONS:
        out = DeviceArray(np.zeros(5, np.float32))
        kernel[(5,)](on_device, out, columns, BLOCK=block, num_warps=num_warps)
        np.testing.assert_allclose(out.numpy(), reference(x.astype(np.float64), axis=1), rtol=1e-5, atol=1e-5)
    out = DeviceArray(np.zeros_like(x))
    softmax_kernel[(5,)](out, on_device, columns, columns, BLOCK=block, num_warps=num_warps)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out.numpy(), e / e.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("num_warps", NUM_WARPS)
@pytest.mark.parametrize("shape", [(4, 8), (64, 32), (12, 20), (8, 200)])
def test_tile_reductions(shape: tuple[int, int], num_warps: int) -> None:
    x = matrix(*shape)
    rows, columns = DeviceArray(np.zeros(shape[0], np.float32)), DeviceArray(np.zeros(shape[1], np.float32))
    tile_reduce_kernel[(1,)](DeviceArray(x), rows, columns, M=shape[0], N=shape[1], num_warps=num_warps)
    np.testing.assert_allclose(rows.numpy(), x.astype(np.float64).sum(axis=1), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(columns.numpy(), x.max(axis=0))


@pytest.mark.parametrize("n", [1, 7, 48, 256])
def test_reductions_with_functions_of_the_user(n: int) -> None:
    x = np.random.default_rng(n).uniform(0.9, 1.1, n).astype(np.float32)
    out = DeviceArray(np.zeros(1, np.float32))
    product_kernel[(1,)](DeviceArray(x), out, N=n)
    np.testing.assert_allclose(out.numpy(), x.astype(np.float64).prod(keepdims=True), rtol=1e-4)
    last_element_kernel[(1,)](DeviceArray(x), out, N=n)
    np.testing.assert_array_equal(out.numpy(), x[-1:])


@pytest.mark.parametrize("num_warps", NUM_WARPS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("tile", TILES)
def test_staged_matmul(tile: tuple[int, int, int], dtype: Any, num_warps: int) -> None:
    bm, bn, bk = tile
    m, n, k = 2 * bm - 1, bn + 3, 2 * bk + 5
    a, b, wanted = operands(m, n, k, dtype)
    out = DeviceArray(np.zeros((m, n), np.float32))
    grid = (triton.cdiv(m, bm), triton.cdiv(n, bn))
    arguments = (DeviceArray(a), DeviceArray(b), out, m, n, k)
    staged_matmul_kernel[grid](*arguments, BM=bm, BN=bn, BK=bk, num_warps=num_warps)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-4, atol=1e-4)


def test_matmul_without_dot() -> None:
    a, b, wanted = operands(40, 33, 7)
    out = DeviceArray(np.zeros((40, 33), np.float32))
    runtime_matmul_kernel[(3, 3)](DeviceArray(a), DeviceArray(b), out, 40, 33, 7, BM=16, BN=16)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-4, atol=1e-5)


def test_arrays_on_two_devices_are_refused() -> None:
    x = np.ones(16, np.float32)
    with pytest.raises(triton.ArgumentError):
        copy_kernel[(1,)](DeviceArray(x), x, 16, BLOCK=16)


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no CUDA device")
    x = torch.randn(1000, device="cuda")
    out = torch.empty_like(x)
    copy_kernel[(8,)](x, out, 1000, BLOCK=128)
    assert torch.equal(x, out)
