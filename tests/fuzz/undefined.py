"""What a kernel computes with undefined values, for the tests of checks: the interpreter gives them other numbers.

A value that is different with other numbers depends on an undefined one, so a kernel with checks has to report its use.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from xdsl.ir import SSAValue

from mytriton.dialects import arith
from mytriton.interpreter import machine, operations
from mytriton.passes import lower_descriptors

Array = Any

DIVISIONS = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp)
SHIFTS = (arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)


@dataclass
class Numbers:
    """The numbers in place of undefined values, and how many of them were made."""

    seed: int
    count: int = field(default=0)

    def like(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        generator = np.random.default_rng(self.seed)
        if dtype == np.bool_:
            return generator.integers(0, 2, shape).astype(np.bool_)
        return generator.integers(1, 100, shape).astype(np.float32).astype(dtype)

    def where(self, undefined: Array, result: Array) -> Array:
        self.count += int(np.sum(undefined))
        return np.where(undefined, self.like(np.shape(result), result.dtype), result).astype(result.dtype)


@contextmanager
def undefined_numbers(seed: int) -> Generator[Numbers]:
    """In the `with` block, the interpreter has numbers of its own for undefined values."""
    numbers = Numbers(seed)
    load_elements = machine.load_elements

    def load(
        state: machine.Machine, target: SSAValue, ptr: SSAValue, mask: SSAValue | None, other: SSAValue | None = None
    ) -> None:
        load_elements(state, target, ptr, mask, other)
        if mask is not None and other is None and target.owner.name == "tt.load":
            state.values[target] = numbers.where(~state.values[mask], state.values[target])

    changed: dict[Any, Any] = {
        kind: partial(_computed, numbers, operations.INTEGER_BINARY[kind], undefined)
        for kinds, undefined in ((DIVISIONS, _is_zero), (SHIFTS, _is_too_large))
        for kind in kinds
    }
    lowering = lower_descriptors._Lowering
    with ExitStack() as stack:
        stack.enter_context(patch.object(machine, "load_elements", load))
        stack.enter_context(patch.dict(operations.INTEGER_BINARY, changed))
        stack.enter_context(patch.object(lower_descriptors, "_Lowering", lambda function, _: lowering(function, True)))
        yield numbers


def _computed(
    numbers: Numbers, function: Callable[[Array, Array], Array], undefined: Callable[[Array], Array], a: Array, b: Array
) -> Array:
    return numbers.where(undefined(b), function(a, b))


def _is_zero(divisor: Array) -> Array:
    return divisor == 0


def _is_too_large(amount: Array) -> Array:
    if amount.dtype == np.bool_:
        return amount
    bits = amount.dtype.itemsize * 8
    return (amount < 0) | (amount >= bits)
