"""Arrays in the memory of a CUDA device, made with the driver alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from mytriton.runtime.cuda_device import call, cuda_device


class DeviceArray:
    """A copy of a NumPy array on the first device, which kernels take like any other array."""

    def __init__(self, values: np.ndarray[Any, Any]):
        cuda_device("cuda").make_current()
        self._values = np.ascontiguousarray(values)
        self._pointer = call("cuMemAlloc", max(1, self._values.nbytes))
        call("cuMemcpyHtoD", self._pointer, self._values.ctypes.data, self._values.nbytes)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self._values.shape,
            "typestr": self._values.dtype.str,
            "data": (int(self._pointer), False),
            "strides": None,
            "version": 3,
        }

    def numpy(self) -> np.ndarray[Any, Any]:
        """What is on the device now; waits for all launches before."""
        result = np.empty_like(self._values)
        call("cuCtxSynchronize")
        call("cuMemcpyDtoH", result.ctypes.data, self._pointer, result.nbytes)
        return result

    def __del__(self) -> None:
        call("cuMemFree", self._pointer)
