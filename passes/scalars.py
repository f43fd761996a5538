"""Sums of scalars, as an analysis holds them before there are operations for them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free
from xdsl.utils.hints import isa

from mytriton.dialects import arith
from mytriton.dialects.constants import wrap

MAXIMUM_COMPARED_DEPTH = 16


@dataclass(frozen=True)
class Scalar:
    """The integer `terms[0] + terms[1] + ... + constant` of `type`; narrower terms are sign-extended to it first."""

    terms: tuple[SSAValue, ...]
    constant: int
    type: IntegerType

    @staticmethod
    def of(value: SSAValue) -> Scalar:
        assert isa(value.type, IntegerType)
        number = arith.integer_constant(value)
        return Scalar((value,), 0, value.type) if number is None else Scalar((), number, value.type)

    @property
    def is_zero(self) -> bool:
        return not self.terms and self.constant == 0

    @property
    def is_one(self) -> bool:
        return not self.terms and self.constant == 1

    def plus(self, other: Scalar) -> Scalar:
        assert self.type == other.type
        constant = wrap(self.constant + other.constant, self.type.bitwidth)
        return Scalar(self.terms + other.terms, constant, self.type)

    def equals(self, other: Scalar) -> bool:
        """Whether both are the same sum, in whatever order."""
        if (self.constant, self.type, len(self.terms)) != (other.constant, other.type, len(other.terms)):
            return False
        rest = list(other.terms)
        for term in self.terms:
            match = next((candidate for candidate in rest if same_value(term, candidate)), None)
            if match is None:
                return False
            rest.remove(match)
        return True


def same_value(left: SSAValue, right: SSAValue, depth: int = MAXIMUM_COMPARED_DEPTH) -> bool:
    """Whether two values are computed in the same way from the same values, by operations without side effects."""
    if left is right:
        return True
    first, second = left.owner, right.owner
    if not isinstance(first, Operation) or not isinstance(second, Operation) or depth == 0:
        return False
    return (
        first.name == second.name
        and left.type == right.type
        and len(first.results) == 1
        and not first.regions
        and first.properties == second.properties
        and len(first.operands) == len(second.operands)
        and is_side_effect_free(first)
        and all(same_value(a, b, depth - 1) for a, b in zip(first.operands, second.operands, strict=True))
    )
