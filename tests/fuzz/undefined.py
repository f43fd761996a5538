"""What a kernel computes with undefined values, for the tests of checks: the interpreter gives them other numbers.

A value that is different with other numbers depends on an undefined one, so a kernel with checks has to report its use.
Where the interpreter meets no undefined value, there is none to report.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith
from mytriton.interpreter import machine
from mytriton.passes import lower_descriptors
from mytriton.passes.locations import file_line_column

Array = Any
Function = Callable[..., Array]

DIVISIONS = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp)
SHIFTS = (arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)


class Site(NamedTuple):
    """An operation that made undefined values: `kind` is that of an origin (passes/checks/tables.py)."""

    kind: str
    file: str
    line: int
    column: int


@dataclass
class Numbers:
    """The numbers in place of undefined values, which stay as they are without a `seed`; and where they were made."""

    seed: int | None
    count: int = 0
    sites: set[Site] = field(default_factory=set[Site])

    def like(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        generator = np.random.default_rng(self.seed)
        if dtype == np.bool_:
            return generator.integers(0, 2, shape).astype(np.bool_)
        return generator.integers(1, 100, shape).astype(np.float32).astype(dtype)

    def where(self, op: Operation, kind: str, undefined: Array, result: Array) -> Array:
        if not np.any(undefined):
            return result
        self.count += int(np.sum(undefined))
        self.sites.add(_site(kind, op))
        if self.seed is None:
            return result
        return np.where(undefined, self.like(np.shape(result), result.dtype), result).astype(result.dtype)


@contextmanager
def undefined_numbers(seed: int | None) -> Generator[Numbers]:
    """In the `with` block, the interpreter has numbers of its own for undefined values; it only notes them for None."""
    numbers = Numbers(seed)
    load_elements, elementwise_function = machine.load_elements, machine.elementwise_function

    def load(
        state: machine.Machine, target: SSAValue, ptr: SSAValue, mask: SSAValue | None, other: SSAValue | None = None
    ) -> None:
        load_elements(state, target, ptr, mask, other)
        if mask is not None and other is None and isinstance(op := target.owner, Operation) and op.name == "tt.load":
            state.values[target] = numbers.where(op, "masked load", ~state.values[mask], state.values[target])

    def computed(op: Operation) -> Function | None:
        function, kind = elementwise_function(op), type(op)
        if function is None or kind not in DIVISIONS + SHIFTS:
            return function
        return partial(_computed, numbers, op, function)

    lowering = lower_descriptors._Lowering
    with ExitStack() as stack:
        stack.enter_context(patch.object(machine, "load_elements", load))
        stack.enter_context(patch.object(machine, "elementwise_function", computed))
        stack.enter_context(patch.object(lower_descriptors, "_Lowering", lambda function, _: lowering(function, True)))
        yield numbers


def _computed(numbers: Numbers, op: Operation, function: Function, a: Array, b: Array) -> Array:
    if type(op) in DIVISIONS:
        return numbers.where(op, "division by zero", _is_zero(b), function(a, b))
    return numbers.where(op, "shift", _is_too_large(b), function(a, b))


def _site(kind: str, op: Operation) -> Site:
    position = file_line_column(op.location)
    if position is None:
        return Site(kind, "", 0, 0)
    return Site(kind, position.filename.data, position.line.data, position.column.data)


def _is_zero(divisor: Array) -> Array:
    return divisor == 0


def _is_too_large(amount: Array) -> Array:
    if amount.dtype == np.bool_:
        return amount
    bits = amount.dtype.itemsize * 8
    return (amount < 0) | (amount >= bits)
