"""NVRTC: PTX and cubins without a GPU, what a kernel uses, and every way in which it can fail."""

from __future__ import annotations

from typing import Any

import pytest

from mytriton.errors import NvrtcError, NvrtcMissingError, OptionError
from mytriton.options import ARCHITECTURES
from mytriton.runtime import nvrtc

needs_nvrtc = pytest.mark.skipif(not nvrtc.is_available(), reason="NVRTC is not installed")

COPY = """\
extern "C" __global__ void __launch_bounds__(64) copy(const float* x, float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[63 - threadIdx.x];
}
"""


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90a", "sm_100"])
def test_cubin_and_what_the_kernel_uses(arch: str):
    cubin = nvrtc.compile_to_cubin(COPY, arch)
    assert cubin.code.startswith(b"\x7fELF")
    resources = cubin.resources["copy"]
    assert resources.shared == 64 * 4
    assert 0 < resources.registers <= 32
    assert (resources.local, resources.spill_stores, resources.spill_loads) == (0, 0, 0)


@needs_nvrtc
def test_local_memory_is_reported():
    text = """\
extern "C" __global__ void gather(const int* index, float* y) {
  float values[100];
  for (int i = 0; i < 100; ++i) values[i] = y[i];
  y[0] = values[index[0]];
}
"""
    assert nvrtc.compile_to_cubin(text, "sm_80").resources["gather"].local == 100 * 4


@needs_nvrtc
def test_ptx_names_the_kernel_and_the_architecture():
    ptx = nvrtc.compile_to_ptx(COPY, "sm_90a")
    assert ".target sm_90a" in ptx
    assert ".entry copy(" in ptx
    assert "\0" not in ptx


@needs_nvrtc
def test_fused_multiply_add_can_be_turned_off():
    text = 'extern "C" __global__ void k(float* x) { x[0] = x[1] * x[2] + x[3]; }'
    assert "fma.rn.f32" in nvrtc.compile_to_ptx(text, "sm_80")
    assert "fma.rn.f32" not in nvrtc.compile_to_ptx(text, "sm_80", fmad=False)


@needs_nvrtc
def test_a_limit_of_registers():
    body = "".join(f"  float v{i} = x[{i}];\n" for i in range(64)) + "  __syncthreads();\n"
    body += "".join(f"  x[{i}] = v{63 - i} * v{i};\n" for i in range(64))
    text = f'extern "C" __global__ void k(float* x) {{\n{body}}}\n'
    free = nvrtc.compile_to_cubin(text, "sm_80").resources["k"]
    limited = nvrtc.compile_to_cubin(text, "sm_80", maxnreg=32).resources["k"]
    assert free.registers > 32 >= limited.registers


@needs_nvrtc
def test_an_error_shows_the_lines_of_the_text():
    with pytest.raises(NvrtcError) as caught:
        nvrtc.compile_to_cubin(COPY.replace("tile[63", "tiles[63"), "sm_80")
    message = str(caught.value)
    assert message.startswith("NVRTC refused the CUDA C text for sm_80:\n")
    assert 'kernel.cu(5): error: identifier "tiles" is undefined' in message
    assert ">    5 |   y[threadIdx.x] = tiles[63 - threadIdx.x];" in message
    assert "     4 |   __syncthreads();" in message


@needs_nvrtc
def test_an_error_of_ptxas_is_an_error_too():
    with pytest.raises(NvrtcError, match="Not a name of any known instruction"):
        nvrtc.compile_to_cubin('extern "C" __global__ void k() { asm volatile("nonsense;"); }', "sm_80")


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_42", "sm_9", "90a", "compute_90", ""])
def test_an_unknown_architecture_is_answered_with_those_that_exist(arch: str):
    with pytest.raises(OptionError) as caught:
        nvrtc.compile_to_cubin(COPY, arch)
    assert f"not for {arch!r}" in str(caught.value)
    assert "sm_75, sm_80" in str(caught.value)


@needs_nvrtc
def test_this_nvrtc_makes_code_for_every_architecture_that_options_allow():
    major, _ = nvrtc.nvrtc_version()
    if major < 13:
        pytest.skip("an NVRTC before 13 knows fewer")
    assert nvrtc.supported_architectures() == ARCHITECTURES


class LibraryNotFound:
    """cuda-python as it is on a machine without the NVRTC library."""

    def __getattr__(self, name: str) -> Any:
        def fail(*arguments: Any) -> Any:
            raise RuntimeError("libnvrtc.so was not found")

        return fail


def test_without_the_library(monkeypatch: pytest.MonkeyPatch):
    nvrtc.supported_architectures.cache_clear()
    monkeypatch.setattr(nvrtc, "_bindings", LibraryNotFound)
    with pytest.raises(NvrtcMissingError, match="pip install nvidia-cuda-nvrtc"):
        nvrtc.compile_to_ptx(COPY, "sm_80")
    assert not nvrtc.is_available()


def test_without_cuda_python(monkeypatch: pytest.MonkeyPatch):
    def fail(name: str) -> Any:
        raise ImportError(f"No module named {name!r}")

    nvrtc.supported_architectures.cache_clear()
    nvrtc._bindings.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr("importlib.import_module", fail)
    with pytest.raises(NvrtcMissingError, match="pip install cuda-python nvidia-cuda-nvrtc"):
        nvrtc.compile_to_cubin(COPY, "sm_80")
