"""Operators that the program registers with torch: those for CUDA are run for tensors that say that they are there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mytriton.drop_in.torch_on_cpu.mode import in_mode
from mytriton.drop_in.torch_on_cpu.residence import is_on_host, tensors_in

_DEVICE_KEYS = ("CPU", "CUDA")

_COMPOSITE_KEYS = ("", "CompositeExplicitAutograd", "CompositeImplicitAutograd")

_functions: dict[tuple[str, str], dict[str, Callable[..., Any]]] = {}
"""For each operator, by its namespace and name, what was registered for the CPU and for CUDA."""


def replace() -> None:
    """Has `torch.library`, with all that is built on it, register for both devices."""
    library: Any = torch.library.Library
    library.__init__ = _init(library.__init__)
    library.impl = _impl(library.impl)


def _init(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def init(self: Any, ns: str, kind: str, dispatch_key: str = "") -> None:
        # To torch a library for one key is for that key only.
        original(self, ns, kind, "" if dispatch_key == "CUDA" else dispatch_key)
        self.dispatch_key = dispatch_key

    return init


def _impl(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def impl(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> Any:
        key = dispatch_key or self.dispatch_key
        if key == "AutogradCUDA":
            return original(self, op_name, fn, "AutogradCPU", **options)
        if not callable(fn) or options.get("with_keyset") or fn is torch.library.fallthrough_kernel:
            return original(self, op_name, fn, "CPU" if key == "CUDA" else dispatch_key, **options)
        if key in _COMPOSITE_KEYS:
            return original(self, op_name, in_mode(fn), dispatch_key, **options)
        if key not in _DEVICE_KEYS:
            return original(self, op_name, fn, dispatch_key, **options)
        functions = _functions.setdefault((self.ns, _name_of(op_name)), {})
        is_new = not functions or key in functions  # torch says what it thinks of a second one
        if is_new:
            original(self, op_name, in_mode(_by_device(functions)), "CPU", **options)
        functions[key] = fn
        return None

    return impl


def _name_of(op_name: Any) -> str:
    return (op_name if isinstance(op_name, str) else str(op_name.name())).split("::")[-1]


def _by_device(functions: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Calls the function for the device where the tensors are, or the only one that there is."""

    def call(*args: Any, **kwargs: Any) -> Any:
        tensors = list(tensors_in((*args, *kwargs.values())))
        key = "CPU" if tensors and all(map(is_on_host, tensors)) else "CUDA"
        function = functions.get(key) or next(iter(functions.values()))
        return function(*args, **kwargs)

    return call
