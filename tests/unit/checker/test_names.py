# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportArgumentType=false
"""What reports call the parts of an argument: what the kernel calls them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.checker import KernelFault
from mytriton.runtime.cpu.faults import WRITE, RawKind
from mytriton.tools.tensor_descriptor import TensorDescriptor
from tests.unit.checker.fakes import fake_code, install, raw_fault, raw_side


class Pair(NamedTuple):
    rows: Any
    columns: Any


@triton.jit
def nested(n, pair, rest):
    tl.store(pair.rows, n)
    tl.store(rest[1][0], n)


@triton.jit
def variadic(first, *others):
    tl.store(first, 0)
    tl.store(others[1], 0)


@triton.jit
def described(descriptor, out):
    tl.store(out + tl.arange(0, 8), descriptor.load([0]))


def array(size: int = 8) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.zeros(size, np.float32)


@pytest.mark.parametrize(
    ("kernel", "arguments", "names"),
    [
        (
            nested,
            (3, Pair(array(), array()), (array(), (array(),))),
            ["pair.rows", "pair.columns", "rest[0]", "rest[1][0]"],
        ),
        (variadic, (array(), array(), array()), ["first", "others[0]", "others[1]"]),
        (described, (TensorDescriptor.from_tensor(array(), [8]), array()), ["descriptor", "out"]),
    ],
)
def test_names(kernel: triton.JITFunction, arguments: tuple[object, ...], names: list[str]) -> None:
    compiled = kernel.warmup(*arguments, grid=(1,))
    for number, name in enumerate(names):
        fault = raw_fault(RawKind.OUT_OF_BOUNDS, raw_side(access=WRITE), array=number, offset=64, size=4)
        code, fake = fake_code(lambda _, fault=fault: [fault])
        install(compiled, code)
        with triton.sanitize(), pytest.raises(KernelFault) as caught:
            kernel[(1,)](*arguments)
        assert caught.value.array is not None and caught.value.array.name == name
        assert len(fake.extents) == len(names)
        assert all("*" in compiled.kernel.params[extent.index][1] for extent in fake.extents)
