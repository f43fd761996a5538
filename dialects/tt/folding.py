"""What the canonicalization of `tt` operations needs of them."""

from __future__ import annotations

import math

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

from mytriton.dialects.arith import FoldResult, constant_value
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.float8 import float8_format
from mytriton.dialects.tensor_types import element_type


class TTCanonicalization(HasCanonicalizationPatternsTrait):
    """The rewrites of `canonicalization.py`, imported when a canonicalization first asks for them."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        raise NotImplementedError("the patterns depend on the operation")

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        from mytriton.dialects.tt.canonicalization import PATTERNS

        return PATTERNS.get(op, ())


def fold_to_constant(source: SSAValue, type: Attribute) -> FoldResult:
    """The constant of a type with the elements of a source whose elements are all one known number."""
    value = constant_value(source)
    if value is None or (isinstance(value, float) and math.isinf(value) and float8_format(element_type(source.type))):
        return None
    return (constant_attr(type, value),)
