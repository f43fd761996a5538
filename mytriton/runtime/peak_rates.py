"""How much a GPU could compute in a second, as `triton.testing` counts it."""

from __future__ import annotations

from typing import Any

from mytriton.errors import OptionError

SUBCORES = 4
"""Parts of a multiprocessor, each with tensor cores and lanes of its own."""

_TENSOR_CORES = {
    **dict.fromkeys(("float32", "int32"), 256),
    **dict.fromkeys(("float16", "bfloat16", "int16"), 512),
    **dict.fromkeys(("int8", "float8e4nv", "float8e4b15", "float8e5"), 1024),
}
"""Operations of a subcore in a cycle, by the dtype of the operands."""

_OLD_TENSOR_CORES = {"float16": 256}
_LANES = {"float32": 32, "float16": 64, "bfloat16": 64}
_OLD_LANES = {"float32": 32, "float16": 64}


def get_max_tensorcore_tflops(dtype: Any, clock_rate: float, device: int | None = None) -> float:
    """Trillions of operations in a second on tensor cores, for operands of `dtype` at `clock_rate` kHz.

    A multiplication and an addition are two. The rates are those of an A100 for all GPUs from compute capability 8.0
    on, and of a V100 before. Raises `OptionError` for a dtype without such a rate.
    """
    return _peak(dtype, clock_rate, device, _TENSOR_CORES, _OLD_TENSOR_CORES)


def get_max_simd_tflops(dtype: Any, clock_rate: float, device: int | None = None) -> float:
    """The same without tensor cores."""
    return _peak(dtype, clock_rate, device, _LANES, _OLD_LANES)


def _peak(
    dtype: Any, clock_rate: float, device: int | None, rates: dict[str, int], rates_before_sm_80: dict[str, int]
) -> float:
    from mytriton.runtime.driver import driver

    if driver.active.get_current_target().arch < 80:
        rates = rates_before_sm_80
    name = str(dtype).removeprefix("torch.")
    for short, long in (("bf", "bfloat"), ("fp", "float")):
        if name.startswith(short):
            name = name.replace(short, long, 1)
    if name not in rates:
        raise OptionError(f"there is no rate for operands of {dtype}; there is one for {', '.join(rates)}")
    number = driver.active.get_current_device() if device is None else device
    subcores = driver.active.utils.get_device_properties(number)["multiprocessor_count"] * SUBCORES
    return subcores * rates[name] * clock_rate / 1e9
