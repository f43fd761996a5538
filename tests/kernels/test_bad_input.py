"""What a user may get wrong, from the launch of a kernel: one clear error, and nothing left behind."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check


@triton.jit
def big_dot_kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a_values = tl.load(a + m[:, None] * K + k[None, :])
    b_values = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(out + m[:, None] * N + n[None, :], tl.dot(a_values, b_values))


def test_a_tile_over_the_shared_budget_is_one_error_that_lists_the_buffers() -> None:
    with pytest.raises(triton.PassError) as caught:
        big_dot_kernel.warmup("*fp32", "*fp32", "*fp32", M=128, N=64, K=128, dynamic_shared=False)
    assert isinstance(caught.value, triton.OutOfResourcesError)
    message = str(caught.value)
    assert "98304" in message and "49152" in message
    assert "128x128" in message and "128x64" in message
    assert "test_bad_input.py" in message and "dynamic_shared" in message


def test_a_tile_over_what_the_architecture_has() -> None:
    with pytest.raises(triton.OutOfResourcesError) as caught:
        big_dot_kernel.warmup("*fp32", "*fp32", "*fp32", M=256, N=64, K=256, arch="sm_80")
    message = str(caught.value)
    assert ("needs 163840 bytes" not in message and "166912" in message) or "163840" in message
    assert "smaller tiles" in message and "option dynamic_shared" not in message


def test_the_same_tile_in_dynamic_shared_memory() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((128, 128), (128, 64)))
    out = np.empty((128, 64), np.float32)
    compiled = big_dot_kernel[(1,)](a, b, out, M=128, N=64, K=128)
    np.testing.assert_allclose(out, a @ b, rtol=1e-4, atol=1e-4)
    assert compiled.shared == 98304


@triton.jit
def add(float, int, threadIdx, half, template: tl.constexpr):
    tid = tl.arange(0, template)
    blockIdx = tl.load(float + tid)
    register = tl.load(int + tid)
    exp_approx = tl.exp(blockIdx) + register
    tl.store(threadIdx + tid, exp_approx, mask=tid < half)


def test_names_that_mean_something_in_cuda_c() -> None:
    x, y = np.linspace(0, 1, 64, dtype=np.float32), np.arange(64, dtype=np.float32)
    check(add, (1,), [x, y, 64], [np.empty(64, np.float32)], [np.exp(x) + y], order=[0, 1, 3, 2], template=64)
    add.warmup("*fp32", "*fp32", "*fp32", "i32", template=64).asm["cuda"]


def unicode_kernel(source: str, tmp_path: Path) -> Any:
    path = tmp_path / "generated_kernel.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("generated_kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def test_names_outside_ascii(tmp_path: Path) -> None:
    kernel = unicode_kernel(
        "import mytriton as triton\nimport mytriton.language as tl\n\n"
        "@triton.jit\ndef kernel(größe, 出力, N: tl.constexpr):\n"
        "    δ = tl.arange(0, N)  # ends with a backslash \\\n"
        "    tl.store(出力 + δ, δ * größe)\n",
        tmp_path,
    )
    out = np.empty(32, np.int32)
    compiled = kernel[(1,)](3, out, N=32)
    assert out.tolist() == [3 * i for i in range(32)]
    code = [line.split("//")[0] for line in compiled.asm["cuda"].splitlines()]
    assert "".join(code).isascii()


@triton.jit
def store_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


X = np.ones(16, np.float32)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    [
        ((X, X), {}, triton.ArgumentError, "missing.*'n'"),
        ((X, X, 16, 16, 16), {}, triton.ArgumentError, "store_kernel"),
        ((X, X, 16), {"BLOCK": 16, "BLOK": 3}, triton.ArgumentError, "BLOK"),
        ((X, X.astype(object), 16), {"BLOCK": 16}, triton.ArgumentError, "'out'.*object"),
        ((X, X.astype(np.complex64), 16), {"BLOCK": 16}, triton.ArgumentError, "'out'.*complex64"),
        ((X.astype(">f4"), X, 16), {"BLOCK": 16}, triton.ArgumentError, "'x'"),
        ((X, "text", 16), {"BLOCK": 16}, triton.ArgumentError, "'out'"),
        ((X, X, 16), {"BLOCK": 16, "num_warps": 3}, triton.OptionError, "num_warps"),
        ((X, X, 16), {"BLOCK": 16, "arch": "sm_42"}, triton.OptionError, "sm_42"),
    ],
)
def test_bad_arguments(arguments: Any, keywords: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        store_kernel[(1,)](*arguments, **keywords)


def test_a_read_only_array_that_is_stored_to() -> None:
    frozen = np.ones(16, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(triton.ArgumentError, match=r"'out'.*read-only"):
        store_kernel[(1,)](X, frozen, 16, BLOCK=16)
    out = np.zeros(16, np.float32)
    store_kernel[(1,)](frozen, out, 16, BLOCK=16)
    assert out.tolist() == [1.0] * 16


@pytest.mark.parametrize("grid", [(-1,), (1, 2, 3, 4), (1.5,), None])
def test_bad_grids(grid: Any) -> None:
    with pytest.raises(triton.LaunchError, match="grid of kernel store_kernel"):
        store_kernel[grid](X, np.zeros_like(X), 16, BLOCK=16)
