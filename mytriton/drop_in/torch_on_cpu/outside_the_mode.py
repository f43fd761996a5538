"""What takes or gives a device without going through the mode: classes, contexts, and functions of torch in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import torch
from torch.utils._device import DeviceContext

from mytriton.drop_in.torch_on_cpu.residence import (
    CPU,
    CUDA,
    actual,
    is_on_host,
    means_cuda,
    put_on_cuda,
    put_on_host,
    tensors_in,
)


def replace() -> None:
    """Puts these into torch."""
    _replace_default_device()
    _replace_autocast()
    torch.Generator = Generator
    for name in ("from_numpy", "frombuffer", "from_file"):
        _wrap(torch, name, _on_host)
    _wrap(torch, "load", _loaded)
    _wrap(torch.nn.Parameter, "__new__", _parameter)
    torch.Tensor.record_stream = _record_stream
    torch.compile = _uncompiled


def _wrap(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(functools.partial(wrapper, original)))


class _GeneratorType(type(torch._C.Generator)):
    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, torch._C.Generator)


class Generator(torch._C.Generator, metaclass=_GeneratorType):
    """A generator on the CPU that says it is on the device that it was asked for."""

    _claimed: torch.device

    def __new__(cls, device: Any = CPU) -> Generator:
        self = super().__new__(cls, actual(device))
        self._claimed = CUDA if means_cuda(device) else CPU
        return self

    @property
    def device(self) -> torch.device:
        return self._claimed


def _on_host(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A tensor that shares memory with something that is on the host."""
    tensor = original(*args, **kwargs)
    put_on_host(tensor)
    return tensor


def _parameter(original: Callable[..., Any], cls: Any, data: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A parameter is where its data is."""
    parameter = original(cls, data, *args, **kwargs)
    if isinstance(data, torch.Tensor) and is_on_host(data):
        put_on_host(parameter)
    return parameter


def _loaded(original: Callable[..., Any], f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`torch.load`, with CUDA devices in `map_location` as the CPU."""
    if isinstance(map_location, dict):
        places = cast("dict[Any, Any]", map_location)
        map_location = {actual(source): actual(target) for source, target in places.items()}
    loaded = original(f, actual(map_location), *args, **kwargs)
    if means_cuda(map_location):
        for tensor in tensors_in([loaded]):
            put_on_cuda(tensor)
    return loaded


def _record_stream(tensor: torch.Tensor, stream: Any) -> None:
    """Nothing has to outlive a stream on the CPU."""


def _uncompiled(model: Any = None, *_: Any, **__: Any) -> Any:
    """`torch.compile` gives back what it is given: the same results, without a compiler of torch in between."""
    return model if model is not None else lambda function: function


def _replace_default_device() -> None:
    """`torch.set_default_device("cuda")` and `with torch.device("cuda"):`."""
    context: Any = DeviceContext
    original = context.__torch_function__

    def torch_function(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if torch._C._len_torch_function_stack():
            return original(self, func, types, args, kwargs)  # our mode is below this one, and is asked next
        claimed = self.device
        self.device = actual(claimed)
        try:
            return original(self, func, types, args, kwargs)
        finally:
            self.device = claimed

    context.__torch_function__ = torch_function


def _replace_autocast() -> None:
    """Automatic casts of CUDA as those of the CPU, to float16 where nothing else is asked for, as on CUDA."""
    autocast: Any = torch.amp.autocast_mode.autocast
    original = autocast.__init__

    def init(self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None) -> None:
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or _cuda_dtype[0]
        original(self, device_type, dtype, enabled, cache_enabled)

    autocast.__init__ = init
    _cuda_dtype = [torch.float16]
    _wrap(torch, "is_autocast_enabled", _is_autocast_enabled)
    _wrap(torch, "get_autocast_dtype", _autocast_dtype)
    torch.get_autocast_gpu_dtype = lambda: torch.get_autocast_dtype("cuda")


def _is_autocast_enabled(original: Callable[..., Any], device_type: str = "cuda") -> bool:
    return original("cpu" if device_type == "cuda" else device_type)


def _autocast_dtype(original: Callable[..., Any], device_type: str) -> torch.dtype:
    if device_type != "cuda":
        return original(device_type)
    return original("cpu") if torch.is_autocast_enabled("cpu") else torch.float16
