"""Runs a kernel on every device that needs no GPU, and has NVRTC accept it for every generation of GPU."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import pytest

import mytriton as triton

NUM_WARPS = (1, 2, 4, 8)
ARCHITECTURES = ("sm_75", "sm_80", "sm_90a", "sm_100")

Launch = Callable[..., Any]


@contextmanager
def traced() -> Generator[None]:
    """Launches on the interpreter run as under a debugger, which stops nowhere."""
    outer = sys.gettrace()
    sys.settrace(lambda frame, event, argument: None)
    try:
        yield
    finally:
        sys.settrace(outer)


def check(
    kernel: Any,
    grid: Sequence[int] | Callable[[Mapping[str, Any]], Sequence[int]],
    inputs: Sequence[Any],
    outputs: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    *,
    num_warps: Sequence[int] = NUM_WARPS,
    rtol: float = 1e-5,
    atol: float = 1e-6,
    order: Sequence[int] | None = None,
    **meta: Any,
) -> None:
    """Launches `kernel(*inputs, *outputs, **meta)` on the interpreter and, for each warp count, on the CPU device.

    Every output is filled with garbage before each launch, and must then equal what NumPy expects (integers exactly).
    `order` gives the positions of (inputs + outputs) in the argument list where it is not that order.
    """
    arguments = [*inputs, *outputs]
    if order is not None:
        arguments = [arguments[position] for position in order]
    for where, warps in [("interpreter", 4), *(("cpu", warps) for warps in num_warps)]:
        for output in outputs:
            output.view(np.uint8).fill(0x5A)
        with triton.interpret() if where == "interpreter" else nullcontext():
            kernel[grid](*arguments, num_warps=warps, **meta)
        for output, wanted in zip(outputs, expected, strict=True):
            message = f"{kernel.__name__} on the {where} with {warps} warps"
            if output.dtype.kind in "iub":
                np.testing.assert_array_equal(output, wanted, err_msg=message)
            else:
                np.testing.assert_allclose(
                    output.astype(np.float64), wanted.astype(np.float64), rtol=rtol, atol=atol, err_msg=message
                )


def compiles(kernel: Any, *signature: Any, num_warps: int = 4, **meta: Any) -> None:
    """NVRTC makes a cubin of the kernel for each of `ARCHITECTURES`, without spills."""
    for arch in ARCHITECTURES:
        compiled = kernel.warmup(*signature, grid=(1,), arch=arch, num_warps=num_warps, **meta)
        try:
            cubin = compiled.asm["cubin"]
        except triton.NvrtcMissingError as error:
            pytest.skip(f"NVRTC is not installed: {error}")
        assert cubin[:4] == b"\x7fELF"
        assert compiled.spills == 0
