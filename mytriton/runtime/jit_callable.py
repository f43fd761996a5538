"""`JITCallable`: what Triton calls all that kernels may call, for programs that ask `isinstance`."""

from __future__ import annotations

from abc import ABC

from mytriton.runtime.constexpr_function import ConstexprFunction
from mytriton.runtime.jit import JITFunction


class JITCallable(ABC):  # noqa: B024 (it only answers `isinstance`)
    """Kernels, functions that kernels call, and `@constexpr_function`s."""


JITCallable.register(JITFunction)
JITCallable.register(ConstexprFunction)
