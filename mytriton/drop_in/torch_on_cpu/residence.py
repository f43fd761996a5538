"""Where the program believes a tensor to be: on `cuda:0`, or on the host."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any, cast

import torch

CUDA = torch.device("cuda", 0)
CPU = torch.device("cpu")

_on_host: dict[int, weakref.ref[torch.Tensor]] = {}
"""The tensors that are known to be on the host, by their `id`."""


def is_on_host(tensor: torch.Tensor) -> bool:
    """Whether the program made the tensor on the CPU, or from tensors that are all there."""
    reference = _on_host.get(id(tensor))
    return reference is not None and reference() is tensor


def put_on_host(tensor: torch.Tensor) -> None:
    """Has the tensor be on the CPU, as the program sees it."""
    key = id(tensor)
    _on_host[key] = weakref.ref(tensor, lambda reference: _forget(key, reference))


def put_on_cuda(tensor: torch.Tensor) -> None:
    """Has the tensor be on `cuda:0`, as the program sees it."""
    _on_host.pop(id(tensor), None)


def _forget(key: int, reference: weakref.ref[torch.Tensor]) -> None:
    if _on_host.get(key) is reference:
        del _on_host[key]


def means_cuda(device: Any) -> bool:
    """Whether a `device=` that is not None asks for CUDA; a number does."""
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device == "cuda" or device.startswith("cuda:")
    return isinstance(device, int) and not isinstance(device, bool)


def actual(device: Any) -> Any:
    """The device that stands for `device`; raises `RuntimeError` for a second CUDA device."""
    if not means_cuda(device):
        return device
    index = device if isinstance(device, int) else torch.device(device).index
    if index:
        raise RuntimeError(f"CUDA error: invalid device ordinal: the CPU is the only CUDA device, found cuda:{index}")
    return CPU


def tensors_in(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    """The tensors among `values`, and in the lists, tuples and dictionaries among them."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(cast("list[Any]", value))
        elif isinstance(value, dict):
            yield from tensors_in(cast("dict[Any, Any]", value).values())
