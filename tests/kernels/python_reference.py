"""Runs a function of numbers as a kernel, on every device, and as the Python that it also is."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

import numpy as np

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check


@triton.jit(do_not_specialize=["a", "b"])
def results_kernel(out_ptr, a, b, F: tl.constexpr, COUNT: tl.constexpr):
    results = F(a, b)
    for i in tl.static_range(COUNT):
        tl.store(out_ptr + i, results[i])


class _PythonInstead:
    """What stands for `tl` where a kernel is run by Python."""

    range = range
    static_range = range
    constexpr = int

    @staticmethod
    def static_assert(condition: bool, message: str = "") -> None:
        assert condition, message


def by_python(function: Any) -> Any:
    """The jit function as the Python function that it looks like, and so all jit functions that it calls."""
    namespace: dict[str, Any] = {}

    def plain(value: Any) -> Any:
        if not getattr(value, "is_mytriton_jit", False):
            return _PythonInstead if value is tl else getattr(value, "value", value)
        fn = value.fn
        made = types.FunctionType(fn.__code__, namespace, fn.__name__, fn.__defaults__, fn.__closure__)
        made.__kwdefaults__ = fn.__kwdefaults__
        return made

    namespace.update({name: plain(value) for name, value in function.fn.__globals__.items()})
    return plain(function)


def check_like_python(function: Any, a: int, b: int, num_warps: Sequence[int] = (1, 4)) -> None:
    """`function` of two numbers returns a tuple of numbers, which on every device are those that Python finds."""
    wanted = np.array(by_python(function)(a, b), np.int32)
    options = {"F": function, "COUNT": len(wanted)}
    out = np.empty_like(wanted)
    check(results_kernel, (1,), [a, b], [out], [wanted], order=[2, 0, 1], num_warps=num_warps, **options)
