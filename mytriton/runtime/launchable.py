"""What `autotune` and `heuristics` have in common: an object that is launched as a kernel is, and wraps one."""

from __future__ import annotations

import functools
from typing import Any

from mytriton.errors import LaunchError, OptionError
from mytriton.runtime.jit import JITFunction
from mytriton.runtime.kernel_interface import KernelInterface


class Launchable(KernelInterface[Any]):
    """`wrapper[grid](*args, **kwargs)` calls `run`, which a subclass writes. `fn` is what is wrapped."""

    __name__: str

    def __init__(self, fn: Any, arg_names: list[str]):
        kernel: Any = fn
        if not isinstance(fn, KernelInterface):
            raise OptionError(f"{type(self).__name__} wraps a kernel: put @triton.jit below it, found {fn!r}")
        functools.update_wrapper(self, kernel, updated=())
        self.fn: KernelInterface[Any] = kernel
        self.arg_names = arg_names

    @property
    def base_fn(self) -> JITFunction:
        """The kernel below all wrappers."""
        fn: Any = self.fn
        while not isinstance(fn, JITFunction):
            fn = fn.fn
        return fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise LaunchError(f"{self.__name__} is a kernel: launch it as {self.__name__}[grid](...)")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fn!r})"
