"""What a kernel's `tl.assume` promises of single values."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.passes.axis_facts import AxisInfo, highest_divisor


class Promise(NamedTuple):
    """What is promised of a scalar; nothing by default."""

    divisibility: int = 1
    nonnegative: bool = False
    constant: int | None = None

    def raised(self, facts: AxisInfo) -> AxisInfo:
        """The facts of the scalar and what is promised of it."""
        constant = facts.constant if self.constant is None else self.constant
        divisor = self.divisibility if constant is None else highest_divisor(constant)
        return facts._replace(
            divisibility=tuple(max(known, divisor) for known in facts.divisibility),
            nonnegative=facts.nonnegative or self.nonnegative or (constant is not None and constant >= 0),
            constant=constant,
        )

    def both(self, other: Promise) -> Promise:
        constant = self.constant if other.constant is None else other.constant
        return Promise(max(self.divisibility, other.divisibility), self.nonnegative or other.nonnegative, constant)


def promises(block: Block) -> dict[SSAValue, Promise]:
    """What the assumptions in a block say of the values that are defined in it.

    Such a value is never computed without the assumption, so the promise holds wherever it is used. Of a value from
    outside the block nothing is taken: there may be uses of it that the program reaches without the assumption.
    """
    found: dict[SSAValue, Promise] = {}
    for op in block.ops:
        if op.__class__ is tt.AssumeOp:
            assert isinstance(op, tt.AssumeOp)
            for value, promise in _promised(op.condition):
                if _block_of(value) is block:
                    found[value] = found.get(value, Promise()).both(promise)
    return found


def _block_of(value: SSAValue) -> Block | None:
    return value.owner.parent if isinstance(value.owner, Operation) else value.owner


def _promised(condition: SSAValue) -> list[tuple[SSAValue, Promise]]:
    """What follows for single values from a condition that holds."""
    match condition.owner:
        case arith.AndIOp(lhs=lhs, rhs=rhs):
            return [*_promised(lhs), *_promised(rhs)]
        case arith.CmpiOp(lhs=lhs, rhs=rhs):
            pass
        case _:
            return []
    predicate = condition.owner.predicate_name
    left, right = arith.integer_constant(lhs), arith.integer_constant(rhs)
    if left is not None:
        lhs, right, predicate = rhs, left, _MIRRORED.get(predicate, predicate)
    if right is None:
        return []
    return [(value, promise) for value, promise in _compared(lhs, predicate, right) if promise != Promise()]


_MIRRORED = {
    "slt": "sgt",
    "sgt": "slt",
    "sle": "sge",
    "sge": "sle",
    "ult": "ugt",
    "ugt": "ult",
    "ule": "uge",
    "uge": "ule",
}


def _compared(value: SSAValue, predicate: str, bound: int) -> list[tuple[SSAValue, Promise]]:
    """`value predicate bound` holds; what is said of an extended value is said of the value itself too."""
    if predicate == "eq" and bound == 0:
        found = _divided(value)
        if found:
            return found
    nonnegative = (predicate == "sge" and bound >= 0) or (predicate == "sgt" and bound >= -1)
    constant = bound if predicate == "eq" else None
    promise = Promise(nonnegative=nonnegative, constant=constant)
    return [(seen, promise) for seen in _before_extension(value)]


def _divided(value: SSAValue) -> list[tuple[SSAValue, Promise]]:
    """x % c == 0 and x & (c - 1) == 0 -> a power of two that divides x"""
    match value.owner:
        case arith.RemSIOp(lhs=x, rhs=divisor) | arith.RemUIOp(lhs=x, rhs=divisor):
            number = arith.integer_constant(divisor)
            power = 0 if number is None else highest_divisor(number)
        case arith.AndIOp(lhs=x, rhs=mask):
            number = arith.integer_constant(mask)
            power = 0 if number is None else highest_divisor(number + 1)
        case _:
            return []
    return [(seen, Promise(divisibility=power)) for seen in _before_extension(x)] if power > 1 else []


def _before_extension(value: SSAValue) -> list[SSAValue]:
    values = [value]
    while isinstance(value.owner, arith.ExtSIOp):
        value = value.owner.operands[0]
        values.append(value)
    return values
