"""The mode that sees every call of a torch function, and what it makes of those that have to do with a device."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, cast

import torch
from torch.overrides import TorchFunctionMode
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

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
Handler = Callable[[Callable[..., Any], Arguments, Keywords], Any]


class CudaOnCpu(TorchFunctionMode):
    """Maps CUDA devices in the arguments of torch functions to the CPU, and keeps track of where results are."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Arguments = (), kwargs: Keywords | None = None
    ) -> Any:
        kwargs = kwargs or {}
        handler = _HANDLERS.get(func)
        if handler is not None:
            return handler(func, args, kwargs)
        return _call(func, args, kwargs)


_mode = CudaOnCpu()


def enter() -> None:
    """Enters the mode in this thread, for good."""
    _mode.__enter__()


def in_mode(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of the program, which torch calls with the mode off, with the mode on."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        with _mode:
            return function(*args, **kwargs)

    return called


def enter_in_threads() -> None:
    """Has every thread that is started from now on enter the mode."""
    bootstrap: Callable[[threading.Thread], None] = getattr(threading.Thread, "_bootstrap_inner")  # noqa: B009

    def bootstrap_in_mode(thread: threading.Thread) -> None:
        enter()
        try:
            bootstrap(thread)
        finally:
            # A thread that ends while the interpreter shuts down must not hold an object of Python.
            while torch._C._len_torch_function_stack():
                torch.overrides._pop_mode()

    setattr(threading.Thread, "_bootstrap_inner", bootstrap_in_mode)  # noqa: B010


def enter_in_backward_passes() -> None:
    """A backward pass runs the program's own functions, though torch calls it with the mode off."""
    modes: Callable[[], list[Any]] = getattr(torch.overrides, "_get_current_function_mode_stack")  # noqa: B009
    run_backward: Callable[..., Any] = getattr(torch.autograd.graph, "_engine_run_backward")  # noqa: B009

    def run_backward_in_mode(*args: Any, **kwargs: Any) -> Any:
        if any(mode is _mode for mode in modes()):
            return run_backward(*args, **kwargs)
        with _mode:
            return run_backward(*args, **kwargs)

    for module in (torch.autograd.graph, torch.autograd):
        setattr(module, "_engine_run_backward", run_backward_in_mode)  # noqa: B010


# Any function


def _call(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    """Calls a function, and has its tensors be where the program expects them."""
    on_host = _gives_host_tensors(args, kwargs)
    if kwargs.get("pin_memory"):
        kwargs = {**kwargs, "pin_memory": False}
    if kwargs.get("device") is not None:
        kwargs = {**kwargs, "device": actual(kwargs["device"])}
    args = tuple(actual(value) if isinstance(value, torch.device) else value for value in args)
    result = func(*args, **kwargs)
    if on_host:
        _mark(result, args)
    return result


def _gives_host_tensors(args: Arguments, kwargs: Keywords) -> bool:
    """Whether the results of a function are on the host: it is asked for, or all its tensors are."""
    device = kwargs.get("device")
    if device is None:
        device = next((value for value in args if isinstance(value, torch.device)), None)
    if device is not None:
        return not means_cuda(device)
    tensors = list(tensors_in((*args, *kwargs.values())))
    if tensors:
        return all(is_on_host(tensor) for tensor in tensors)
    return not default_is_cuda()


def default_is_cuda() -> bool:
    """Whether `torch.set_default_device`, or a `with torch.device(...)`, says that tensors are made on CUDA."""
    if not torch._C._len_torch_function_stack():
        return False
    lowest: Any = torch._C._get_function_stack_at(0)
    return isinstance(lowest, DeviceContext) and lowest.device.type == "cuda"


def _mark(result: Any, args: Arguments) -> None:
    for tensor in tensors_in([result]):
        if not any(tensor is argument for argument in args):
            put_on_host(tensor)


# Where a tensor is


def _make_device(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> torch.device:
    """`torch.device(...)`; a number alone is that of a CUDA device."""
    if len(args) == 1 and isinstance(args[0], int):
        return func("cuda", args[0])
    return func(*args, **kwargs)


def _device(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    device = func(*args, **kwargs)
    return device if device.type != "cpu" or is_on_host(args[0]) else CUDA


def _is_cuda(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    return _device_type(args[0]) == "cuda"


def _is_cpu(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    return _device_type(args[0]) == "cpu"


def _get_device(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> int:
    return 0 if _device_type(args[0]) == "cuda" else func(*args, **kwargs)


def _device_type(tensor: torch.Tensor) -> str:
    return _device(_DEVICE_GETTER, (tensor,), {}).type


# Moving a tensor


def _to(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    """`x.to(device, dtype)`, `x.to(dtype)`, `x.to(other)`, each with keywords."""
    tensor, *rest = args
    first = rest[0] if rest else None
    other = first if isinstance(first, torch.Tensor) else kwargs.get("other")
    device = (
        first if isinstance(first, str | torch.device | int) and not isinstance(first, bool) else kwargs.get("device")
    )
    if isinstance(other, torch.Tensor):
        to_host = is_on_host(other)
    elif device is None:
        return _call(func, args, kwargs)
    else:
        to_host = not means_cuda(device)
    if device is first and rest:
        rest[0] = actual(device)
    elif device is not None:
        kwargs = {**kwargs, "device": actual(device)}
    return _moved(tensor, to_host, lambda copy: func(tensor, *rest, **(kwargs | ({"copy": True} if copy else {}))))


def _type(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    """`x.type()`, `x.type(torch.float16)`, `x.type("torch.cuda.HalfTensor")`."""
    tensor, *rest = args
    wanted = rest[0] if rest else kwargs.get("dtype")
    if wanted is None:
        name: str = func(tensor)
        return name if is_on_host(tensor) else name.replace("torch.", "torch.cuda.")
    if not isinstance(wanted, str):
        return _call(func, args, kwargs)
    on_host = not wanted.startswith("torch.cuda.")
    return _moved(tensor, on_host, lambda copy: _cast(func, tensor, wanted.replace("torch.cuda.", "torch."), copy))


def _cast(func: Callable[..., Any], tensor: torch.Tensor, name: str, copy: bool) -> torch.Tensor:
    result = func(tensor, name)
    return result.clone() if copy and result is tensor else result


def _cuda(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    tensor, *rest = args
    actual(rest[0] if rest else kwargs.get("device"))
    return _moved(tensor, False, lambda copy: tensor.to(CPU, copy=copy))


def _cpu(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    tensor = args[0]
    return _moved(tensor, True, lambda copy: tensor.to(CPU, copy=copy))


def _moved(tensor: torch.Tensor, to_host: bool, move: Callable[[bool], Any]) -> Any:
    """The tensor itself where nothing has to change, as from torch; a copy where it changes places."""
    result = move(is_on_host(tensor) != to_host)
    if result is not tensor:
        (put_on_host if to_host else put_on_cuda)(result)
    return result


def _set_data(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    """`x.data = y`: a module moves its parameters in this way."""
    result = func(*args, **kwargs)
    tensor, value = args
    (put_on_host if is_on_host(value) else put_on_cuda)(tensor)
    return result


# What the CPU cannot do, or need not


def _same_tensor(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    return args[0]


def _false(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> bool:
    return False


def _untouched(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    return func(*args, **kwargs)


def _with_mode(func: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    """The text of a tensor tells its device."""
    with _mode:
        return torch._tensor_str._str(args[0], **kwargs)


_DEVICE_GETTER: Any = torch.Tensor.device.__get__


def _getter(name: str) -> Any:
    return getattr(torch.Tensor, name).__get__


_HANDLERS: dict[Any, Handler] = {
    _DEVICE_GETTER: _device,
    _getter("is_cuda"): _is_cuda,
    _getter("is_cpu"): _is_cpu,
    cast(Any, torch.Tensor.data).__set__: _set_data,
    torch.device: _make_device,
    torch.Tensor.get_device: _get_device,
    torch.get_device: _get_device,
    torch.Tensor.to: _to,
    torch.Tensor.type: _type,
    torch.Tensor.cuda: _cuda,
    torch.Tensor.cpu: _cpu,
    torch.Tensor.pin_memory: _same_tensor,
    torch.Tensor.is_pinned: _false,
    torch.Tensor.__repr__: _with_mode,
    torch._C._nn._parse_to: _untouched,
    **dict.fromkeys(
        (
            _getter(name)
            for name in ("dtype", "shape", "requires_grad", "layout", "is_leaf", "grad_fn", "ndim", "is_meta")
        ),
        _untouched,
    ),
    **dict.fromkeys(
        (
            torch.Tensor.data_ptr,
            torch.Tensor.size,
            torch.Tensor.stride,
            torch.Tensor.numel,
            torch.Tensor.dim,
            torch.Tensor.is_contiguous,
            torch.Tensor.item,
            torch.Tensor.element_size,
            torch.Tensor.is_floating_point,
            torch.Tensor.numpy,
            torch.Tensor.tolist,
        ),
        _untouched,
    ),
}
"""The functions that have to do with where a tensor is, and, for speed, common ones that give no tensor."""
