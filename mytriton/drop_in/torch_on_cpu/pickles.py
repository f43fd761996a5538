"""Tensors that go to another process, or through `pickle`, arrive where they were."""

from __future__ import annotations

import threading
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
import torch.multiprocessing.reductions

from mytriton.drop_in.torch_on_cpu.residence import is_on_host, put_on_cuda, put_on_host


class _Saving(threading.local):
    """Whether this thread is in `torch.save`, whose files must be read without mytriton."""

    is_on = False


_saving = _Saving()


def rebuilt(on_host: bool, build: Callable[..., torch.Tensor], args: Any, *rest: Any) -> torch.Tensor:
    """The tensor that `build` makes of what was pickled, on the device where it was."""
    tensor = build(*args)
    (put_on_host if on_host else put_on_cuda)(tensor)
    return tensor


def replace() -> None:
    """Puts these into torch."""
    tensor: Any = torch.Tensor
    reduce, save = tensor.__reduce_ex__, torch.save

    def reduce_ex(self: torch.Tensor, proto: Any) -> Any:
        reduced = reduce(self, proto)
        if _saving.is_on or type(reduced) is not tuple or len(reduced) != 2:
            return reduced
        return rebuilt, (is_on_host(self), *reduced)

    def save_without(*args: Any, **kwargs: Any) -> None:
        before, _saving.is_on = _saving.is_on, True
        try:
            save(*args, **kwargs)
        finally:
            _saving.is_on = before

    def reduce_for_process(value: torch.Tensor) -> Any:
        return rebuilt, (is_on_host(value), *torch.multiprocessing.reductions.reduce_tensor(value))

    tensor.__reduce_ex__ = reduce_ex
    torch.save = save_without
    for kind in (torch.Tensor, torch.nn.Parameter):
        ForkingPickler.register(kind, reduce_for_process)
