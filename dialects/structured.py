"""Structured control flow put together as `building.py` does it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Attribute, Region, SSAValue

from mytriton.dialects.building import create


def for_loop(lower: SSAValue, upper: SSAValue, step: SSAValue, initial: Sequence[SSAValue], body: Region) -> scf.ForOp:
    """`scf.for`; the region's arguments are the index and, for each initial value, the one that is carried."""
    return create(scf.ForOp, (lower, upper, step, *initial), [value.type for value in initial], regions=(body,))


def if_branch(condition: SSAValue, result_types: Sequence[Attribute], then: Region, otherwise: Region) -> scf.IfOp:
    """`scf.if`; the second region is empty where nothing is done otherwise."""
    return create(scf.IfOp, (condition,), result_types, regions=(then, otherwise))


def yield_values(values: Sequence[SSAValue]) -> scf.YieldOp:
    """`scf.yield`."""
    return create(scf.YieldOp, values)
