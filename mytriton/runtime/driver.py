"""What a program asks about the device: `triton.runtime.driver.active`."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any, NoReturn

from mytriton.errors import MissingToolError, OptionError
from mytriton.language.target_info import GPUTarget
from mytriton.options import DEFAULT_ARCHITECTURE
from mytriton.runtime.devices import architecture_of, default_device

CPU_PROPERTIES = {
    "max_shared_mem": 163 * 1024,
    "max_num_regs": 65536,
    "multiprocessor_count": 108,
    "warpSize": 32,
    "sm_clock_rate": 1410000,
    "mem_clock_rate": 1215000,
    "mem_bus_width": 5120,
}
"""What kernels are compiled for where there is no GPU: an sm_80. Clocks are in kHz, the bus in bits."""

_PROPERTIES = {
    "max_shared_mem": "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "max_num_regs": "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK",
    "multiprocessor_count": "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT",
    "warpSize": "CU_DEVICE_ATTRIBUTE_WARP_SIZE",
    "sm_clock_rate": "CU_DEVICE_ATTRIBUTE_CLOCK_RATE",
    "mem_clock_rate": "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE",
    "mem_bus_width": "CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH",
}


class DeviceUtils:
    """Facts about a device by its number."""

    def get_device_properties(self, device: int = 0) -> dict[str, int]:
        """Shared memory of a block in bytes, registers, multiprocessors, lanes of a warp, clocks, and the bus."""
        if not default_device().startswith("cuda"):
            return dict(CPU_PROPERTIES)
        from mytriton.runtime.cuda_device import attribute_of

        return {name: attribute_of(device, attribute) for name, attribute in _PROPERTIES.items()}

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"mytriton does not have triton.runtime.driver.active.utils.{name}")


class ActiveDriver:
    """The device that launches without arrays run on, as a CUDA device: on the CPU kernels are CUDA C too."""

    binary_ext = "cubin"

    def __init__(self) -> None:
        self.utils = DeviceUtils()

    def is_active(self) -> bool:
        return True

    def get_current_device(self) -> int:
        """The number of the device that torch uses now; 0 where it uses none."""
        device = default_device()
        if not device.startswith("cuda"):
            return 0
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            return int(torch.cuda.current_device())
        return int(device.partition(":")[2] or 0)

    def set_current_device(self, device: int) -> None:
        """Makes torch use another device."""
        if default_device().startswith("cuda"):
            _torch().cuda.set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """The stream that launches run on; 0 on the CPU."""
        if not default_device().startswith("cuda"):
            return 0
        from mytriton.runtime.cuda_device import cuda_device

        return cuda_device(f"cuda:{self.get_current_device() if device is None else device}").current_stream()

    def get_current_target(self) -> GPUTarget:
        """What kernels are compiled for; on the CPU that is `sm_80`."""
        device = default_device()
        architecture = architecture_of(device) if device.startswith("cuda") else DEFAULT_ARCHITECTURE
        number = re.search(r"\d+", architecture)
        assert number is not None
        return GPUTarget("cuda", int(number[0]), 32)

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:
        """The compute capability, as `(8, 0)`."""
        return divmod(self.get_current_target().arch, 10)

    def get_active_torch_device(self) -> Any:
        """The torch device where arrays belong: `cpu`, or `cuda:0` on a GPU and where CUDA is mapped to the CPU."""
        torch = _torch()
        if default_device().startswith("cuda"):
            return torch.device("cuda", self.get_current_device())
        # Where torch's CUDA is mapped to the CPU, it says that it is there.
        return torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")

    def get_device_interface(self) -> Any:
        """`torch.cuda`, or `torch.cpu` where there is no CUDA."""
        torch = _torch()
        return torch.cuda if torch.cuda.is_available() else torch.cpu

    def get_benchmarker(self) -> Any:
        """`triton.testing.do_bench`."""
        from mytriton.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        """256 MB to write to between two measurements, so that nothing is left in a cache."""
        torch = _torch()
        return torch.empty(64 * 1024 * 1024, dtype=torch.int, device=self.get_active_torch_device())

    def clear_cache(self, cache: Any) -> None:
        """Writes to what `get_empty_cache_for_benchmark` gave."""
        cache.zero_()

    def map_python_to_cpp_type(self, ty: str) -> str:
        """The C type of a parameter of that type."""
        if ty.startswith("*"):
            return "CUdeviceptr"
        if ty not in _C_TYPES:
            raise OptionError(f"{ty!r} is no type of a parameter")
        return _C_TYPES[ty]

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"mytriton does not have triton.runtime.driver.active.{name}")


_C_TYPES = {
    "i1": "int8_t",
    **{f"i{width}": f"int{width}_t" for width in (8, 16, 32, 64)},
    **{f"u{width}": f"uint{width}_t" for width in (8, 16, 32, 64)},
    **dict.fromkeys(("fp16", "bf16", "fp32", "f32", "fp64"), "double"),
}


class DriverConfig:
    """Holds the active driver, `active`; `default` is the one of mytriton."""

    def __init__(self) -> None:
        self.default = ActiveDriver()
        self.active: Any = self.default

    def set_active(self, driver: Any) -> None:
        """Has programs ask `driver` from now on; kernels run where they did."""
        self.active = driver

    def reset_active(self) -> None:
        self.active = self.default


driver = DriverConfig()


def set_active(chosen: Any) -> None:
    """See `DriverConfig.set_active`."""
    driver.set_active(chosen)


def reset_active() -> None:
    """See `DriverConfig.reset_active`."""
    driver.reset_active()


def __getattr__(name: str) -> Any:
    # In Triton `triton.runtime.driver` is the object; here it is this module, which answers as the object does.
    if name in ("active", "default"):
        return getattr(driver, name)
    raise AttributeError(f"mytriton does not have triton.runtime.driver.{name}")


def shared_memory_of(device: int) -> int:
    """Bytes of shared memory that one block can have on a device; Triton's name for it is `max_shared_mem`."""
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise MissingToolError(f"this needs torch, which cannot be imported: {error}") from error
