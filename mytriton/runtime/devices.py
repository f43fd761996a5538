"""Which device a kernel runs on, by name: `"cpu"`, `"cuda"` or `"cuda:1"`."""

from __future__ import annotations

import os
import re

from mytriton.errors import OptionError
from mytriton.options import DEFAULT_ARCHITECTURE

DEVICE_VARIABLE = "MYTRITON_DEVICE"
"""The environment variable that names the device of a launch without arrays; `cpu` where it is not set."""

_DEVICE = re.compile(r"cpu|cuda(:\d+)?")

_cuda_is_the_cpu = [False]


def map_cuda_to_cpu() -> None:
    """From now on, arrays that say that they are on a CUDA device are on the CPU, whatever they say."""
    _cuda_is_the_cpu[0] = True


def actual_device(name: str) -> str:
    """Where an array is that says it is on the device `name`."""
    return "cpu" if _cuda_is_the_cpu[0] and name.startswith("cuda") else name


def default_device() -> str:
    """The device of a launch without arrays."""
    name = os.environ.get(DEVICE_VARIABLE) or "cpu"
    if not _DEVICE.fullmatch(name):
        raise OptionError(f"{DEVICE_VARIABLE} must be cpu, cuda or cuda:<number>, found {name!r}")
    return name


def architecture_of(device: str) -> str:
    """The GPU architecture that kernels are compiled for when they run on `device`; the CPU takes the text of any."""
    if not device.startswith("cuda"):
        return DEFAULT_ARCHITECTURE
    from mytriton.runtime.cuda_device import cuda_device

    return cuda_device(device).architecture
