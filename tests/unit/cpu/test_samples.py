"""Whole kernels, as they are printed for a GPU, against NumPy; and NVRTC accepts the same texts."""

from __future__ import annotations

import numpy as np
import pytest

from mytriton.runtime import cpu, nvrtc
from tests.unit.cpu import samples
from tests.unit.cpu.running import launch


@pytest.mark.parametrize("text", [samples.VECTOR_ADD, samples.VECTOR_ADD_MASKED], ids=["vectors", "masked"])
@pytest.mark.parametrize("n", [1, 1023, 1024, 5000])
def test_vector_add(text: str, n: int) -> None:
    kernel = cpu.compile(text, samples.VECTOR_ADD_KERNEL)
    rng = np.random.default_rng(n)
    x, y = rng.random((2, n), dtype=np.float32)
    out = np.full(n + 16, -1, np.float32)
    launch(kernel, (-(-n // 1024),), x, y.copy(), out, n)
    np.testing.assert_array_equal(out[:n], x + y)
    assert (out[n:] == -1).all()


@pytest.mark.parametrize("columns", [1, 333, 1024])
def test_softmax(columns: int) -> None:
    kernel = cpu.compile(samples.SOFTMAX, samples.SOFTMAX_KERNEL)
    x = np.random.default_rng(0).normal(size=(17, columns)).astype(np.float32)
    out = np.empty_like(x)
    launch(kernel, (17,), x, out, columns)
    exact = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, exact / exact.sum(axis=1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("shape", [(64, 64, 16), (130, 70, 33), (1, 1, 1)])
def test_sgemm(shape: tuple[int, int, int], workers: int) -> None:
    M, N, K = shape
    kernel = cpu.compile(samples.SGEMM, samples.SGEMM_KERNEL)
    rng = np.random.default_rng(0)
    a = rng.normal(size=(M, K)).astype(np.float32)
    b = rng.normal(size=(K, N)).astype(np.float32)
    c = np.full((M, N), np.nan, np.float32)
    launch(kernel, (-(-M // 64), -(-N // 64)), a, b, c, M, N, K, workers=workers)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not nvrtc.is_available(), reason="NVRTC is not installed")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("text", samples.ALL, ids=samples.NAMES)
def test_nvrtc_accepts_the_same_text(text: str, arch: str) -> None:
    nvrtc.compile_to_ptx(text, arch)
