"""A CUDA device through the driver: loads cubins and launches their kernels on the stream that torch or cupy use."""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mytriton.errors import DeviceResourcesError, LaunchError, MissingToolError
from mytriton.float8 import FLOAT8
from mytriton.options import ARCHITECTURES

if TYPE_CHECKING:
    from mytriton.compiler import Kernel

LAUNCH_OUT_OF_RESOURCES = 701
"""The driver's `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`."""

STATIC_SHARED_LIMIT = 48 * 1024
"""Bytes of shared memory above which a kernel has to ask for more before it is launched."""


def cuda_device(name: str) -> CudaDevice:
    """The device `"cuda"`, which is the first one, or `"cuda:1"`; raises `LaunchError` where there is none."""
    return _device(int(name.partition(":")[2] or 0))


@functools.cache
def _device(index: int) -> CudaDevice:
    return CudaDevice(index)


class CudaDevice:
    """One GPU and its primary context, which torch and cupy share."""

    def __init__(self, index: int):
        driver = _driver()
        call("cuInit", 0)
        count = call("cuDeviceGetCount")
        if index >= count:
            raise LaunchError(f"there is no CUDA device {index}: the driver reports {count}")
        self.index = index
        device = call("cuDeviceGet", index)
        self._context = call("cuDevicePrimaryCtxRetain", device)
        attribute = driver.CUdevice_attribute
        major = call("cuDeviceGetAttribute", attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
        minor = call("cuDeviceGetAttribute", attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)
        self.architecture = architecture_for(major, minor)

    def load(self, code: bytes, kernel: Kernel) -> CudaFunction:
        """The kernel of that name in a cubin."""
        self.make_current()
        module = call("cuModuleLoadData", code)
        function = call("cuModuleGetFunction", module, kernel.name.encode())
        return CudaFunction(self, module, function, kernel)

    def make_current(self) -> None:
        """Makes the primary context the one that this thread's driver calls are about."""
        if int(call("cuCtxGetCurrent")) != int(self._context):
            call("cuCtxSetCurrent", self._context)

    def current_stream(self) -> int:
        """The stream that torch or cupy work on now; the default stream without them."""
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_initialized():
            return torch.cuda.current_stream(self.index).cuda_stream
        cupy = sys.modules.get("cupy")
        return 0 if cupy is None else cupy.cuda.get_current_stream().ptr


class CudaFunction:
    """A kernel that is loaded on a device."""

    def __init__(self, device: CudaDevice, module: Any, function: Any, kernel: Kernel):
        self._device = device
        self._module = module  # keeps the code loaded
        self._function = function
        self._threads = 32 * kernel.num_warps
        self._dynamic_shared = kernel.dynamic_shared_bytes
        converters = [_parameter_of(ctype) for _, ctype in kernel.params]
        self._types = tuple(kind for kind, _ in converters)
        self._converters = [convert for _, convert in converters]
        if self._dynamic_shared > STATIC_SHARED_LIMIT:
            attribute = _driver().CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            call("cuFuncSetAttribute", function, attribute, self._dynamic_shared)

    def launch(self, grid: tuple[int, int, int], values: Sequence[Any]) -> None:
        """Enqueues the kernel; returns before it has run."""
        self._device.make_current()
        converted = tuple(convert(value) for convert, value in zip(self._converters, values, strict=True))
        call(
            "cuLaunchKernel",
            self._function,
            *grid,
            *(self._threads, 1, 1),
            self._dynamic_shared,
            self._device.current_stream(),
            (converted, self._types),
            0,
        )


def attribute_of(device: int, name: str) -> int:
    """One attribute, by the driver's name of it, of the device of that number."""
    cuda_device(f"cuda:{device}")
    attribute = getattr(_driver().CUdevice_attribute, name)
    return int(call("cuDeviceGetAttribute", attribute, call("cuDeviceGet", device)))


def architecture_for(major: int, minor: int) -> str:
    """The best architecture of `ARCHITECTURES` for a device of that compute capability."""
    name = f"sm_{major}{minor}"
    for candidate in (f"{name}a", name):
        if candidate in ARCHITECTURES:
            return candidate
    raise LaunchError(
        f"the GPU has compute capability {major}.{minor}; mytriton makes code for {', '.join(ARCHITECTURES)}"
    )


_PARAMETERS: dict[str, tuple[type[Any], Callable[[Any], Any]]] = {
    "bool": (ctypes.c_bool, bool),
    "signed char": (ctypes.c_int8, int),
    "unsigned char": (ctypes.c_uint8, int),
    "short": (ctypes.c_int16, int),
    "unsigned short": (ctypes.c_uint16, int),
    "int": (ctypes.c_int32, int),
    "unsigned": (ctypes.c_uint32, int),
    "unsigned int": (ctypes.c_uint32, int),
    "long long": (ctypes.c_int64, int),
    "unsigned long long": (ctypes.c_uint64, int),
    "float": (ctypes.c_float, float),
    "double": (ctypes.c_double, float),
    "half": (ctypes.c_uint16, int),
    "bfloat16": (ctypes.c_uint16, int),
    **{format.c_name: (ctypes.c_uint8, int) for format in FLOAT8.values()},
}
"""For the C type of a parameter: how the driver is given it, and how a Python number becomes that. Of a float of 16
or 8 bits the bits are given."""


def _parameter_of(ctype: str) -> tuple[type[Any], Callable[[Any], Any]]:
    return (ctypes.c_void_p, int) if "*" in ctype else _PARAMETERS[ctype.removeprefix("const ")]


@functools.cache
def _driver() -> Any:
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise MissingToolError(
            f"running on a GPU needs cuda-python, which cannot be imported: {error}. "
            "Install it with: pip install cuda-python"
        ) from error


def call(name: str, *arguments: Any) -> Any:
    """The result of one driver function, without its status; raises `LaunchError` where the status is an error."""
    driver = _driver()
    try:
        status, *results = getattr(driver, name)(*arguments)
    except RuntimeError as error:  # what the bindings raise where the driver's library is not found
        raise MissingToolError(f"running on a GPU needs the NVIDIA driver, which was not found: {error}") from error
    if int(status) != 0:
        _, text = driver.cuGetErrorString(status)
        explanation = text.decode() if text else "unknown error"
        error_class = DeviceResourcesError if int(status) == LAUNCH_OUT_OF_RESOURCES else LaunchError
        raise error_class(f"{name} failed: {getattr(status, 'name', status)} ({explanation})")
    return results[0] if len(results) == 1 else results or None
