"""`triton.backends.backends`: what programs count to see whether there is a GPU that Triton can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mytriton.runtime.driver import ActiveDriver


class CudaDriver(ActiveDriver):
    """The driver as a class, whose `is_active` programs ask without making one."""

    @staticmethod
    def is_active() -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return True


@dataclass(frozen=True)
class Backend:
    """One kind of GPU. There is no `compiler` that can be called from outside."""

    compiler: Any = None
    driver: Any = None


backends = {"nvidia": Backend(driver=CudaDriver)}
"""The one that there is: on the CPU kernels are CUDA C too."""
