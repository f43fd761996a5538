"""The CUDA device: everything but the driver itself is tested with a driver that only writes down what it is asked."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from mytriton.errors import LaunchError, MissingToolError
from mytriton.options import ARCHITECTURES
from mytriton.runtime import cuda_device
from mytriton.runtime.cuda_device import CudaDevice, architecture_for


class RecordingDriver:
    """Answers every call with success, and keeps the calls."""

    CUdevice_attribute = SimpleNamespace(
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR="major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR="minor"
    )
    CUfunction_attribute = SimpleNamespace(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES="dynamic shared")

    def __init__(self, failures: dict[str, int] | None = None, **results: Any):
        self.calls: list[tuple[Any, ...]] = []
        self.failures = failures or {}
        self.results: dict[str, Any] = {"cuDeviceGetCount": 1, "cuCtxGetCurrent": 0, **results}

    def __getattr__(self, name: str) -> Any:
        def run(*arguments: Any) -> tuple[Any, ...]:
            self.calls.append((name, *arguments))
            if name == "cuGetErrorString":
                return 0, b"what went wrong"
            result: Any = self.results.get(name, 7)
            if isinstance(result, Exception):
                raise result
            if name == "cuDeviceGetAttribute":
                result = 9 if arguments[0] == "major" else 0
            return (0, result) if name not in self.failures else (self.failures[name],)

        return run


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> RecordingDriver:
    recording = RecordingDriver()
    use(recording, monkeypatch)
    return recording


def use(driver: RecordingDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_device, "_driver", lambda: driver)
    for name in ("torch", "cupy"):
        monkeypatch.setitem(__import__("sys").modules, name, None)


def kernel(dynamic_shared: int = 0) -> Any:
    params = [("x", "float*"), ("n", "int"), ("big", "long long"), ("scale", "float"), ("h", "half"), ("on", "bool")]
    return SimpleNamespace(name="k", num_warps=4, params=params, dynamic_shared_bytes=dynamic_shared)


def test_a_launch(driver: RecordingDriver):
    function = CudaDevice(0).load(b"code", kernel())
    function.launch((2, 3, 4), [4096, 5, 2**40, 0.5, 0x3C00, True])
    assert ("cuModuleLoadData", b"code") in driver.calls
    assert ("cuModuleGetFunction", 7, b"k") in driver.calls
    name, _, *grid_and_block, shared, stream, (values, kinds), extra = driver.calls[-1]
    assert name == "cuLaunchKernel"
    assert grid_and_block == [2, 3, 4, 128, 1, 1]
    assert (shared, stream, extra) == (0, 0, 0)
    assert values == (4096, 5, 2**40, 0.5, 0x3C00, True)
    assert kinds == (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_uint16, ctypes.c_bool)


def test_dynamic_shared_memory_beyond_48_kib_is_asked_for(driver: RecordingDriver):
    CudaDevice(0).load(b"code", kernel(49152))
    assert not [call for call in driver.calls if call[0] == "cuFuncSetAttribute"]
    function = CudaDevice(0).load(b"code", kernel(49153))
    assert ("cuFuncSetAttribute", 7, "dynamic shared", 49153) in driver.calls
    function.launch((1, 1, 1), [0, 0, 0, 0.0, 0, False])
    assert driver.calls[-1][8] == 49153


def test_the_stream_of_torch(driver: RecordingDriver, monkeypatch: pytest.MonkeyPatch):
    def current_stream(index: int) -> Any:
        return SimpleNamespace(cuda_stream=1000 + index)

    cuda = SimpleNamespace(is_initialized=lambda: True, current_stream=current_stream)
    monkeypatch.setitem(__import__("sys").modules, "torch", SimpleNamespace(cuda=cuda))
    assert CudaDevice(0).current_stream() == 1000


def test_the_stream_of_cupy(driver: RecordingDriver, monkeypatch: pytest.MonkeyPatch):
    cuda = SimpleNamespace(get_current_stream=lambda: SimpleNamespace(ptr=2000))
    monkeypatch.setitem(__import__("sys").modules, "cupy", SimpleNamespace(cuda=cuda))
    assert CudaDevice(0).current_stream() == 2000


def test_a_device_that_is_not_there(driver: RecordingDriver):
    with pytest.raises(LaunchError, match="there is no CUDA device 1: the driver reports 1"):
        CudaDevice(1)


def test_an_error_of_the_driver_has_its_words(monkeypatch: pytest.MonkeyPatch):
    use(RecordingDriver({"cuModuleLoadData": 200}), monkeypatch)
    with pytest.raises(LaunchError, match=r"cuModuleLoadData failed: 200 \(what went wrong\)"):
        CudaDevice(0).load(b"code", kernel())


def test_without_a_driver(monkeypatch: pytest.MonkeyPatch):
    use(RecordingDriver(cuInit=RuntimeError("no library")), monkeypatch)
    with pytest.raises(MissingToolError, match="needs the NVIDIA driver, which was not found: no library"):
        CudaDevice(0)


@pytest.mark.parametrize(
    ("capability", "expected"),
    [
        ((7, 5), "sm_75"),
        ((8, 0), "sm_80"),
        ((8, 9), "sm_89"),
        ((9, 0), "sm_90a"),
        ((10, 0), "sm_100a"),
        ((12, 1), "sm_121a"),
    ],
)
def test_the_architecture_of_a_device(capability: tuple[int, int], expected: str):
    assert architecture_for(*capability) == expected
    assert expected in ARCHITECTURES


def test_a_device_that_is_too_old():
    with pytest.raises(LaunchError, match=r"the GPU has compute capability 7\.0; mytriton makes code for sm_75"):
        architecture_for(7, 0)
