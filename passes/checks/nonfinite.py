"""NaN and infinities that an operation makes of finite numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isfinite

from xdsl.dialects.builtin import Float16Type, f32, i32
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.building import operations
from mytriton.dialects.float8 import float8_format
from mytriton.dialects.tensor_types import bit_width, element_type, is_float, is_tensor_type, with_element_type
from mytriton.passes.checks.accesses import access_of, check_values
from mytriton.passes.checks.builder import Shadow, ShadowBuilder
from mytriton.passes.checks.descriptions import described
from mytriton.passes.checks.kind import (
    CLEAN,
    LANES,
    MOVEMENTS,
    UNIFORM,
    Kind,
    Transfer,
    is_computation,
    through_movement,
    through_sort,
)
from mytriton.passes.checks.undefined import dot_shadow

CHOICES = frozenset(
    (arith.MinimumfOp, arith.MaximumfOp, arith.MinnumfOp, arith.MaxnumfOp, arith.NegfOp, arith.ExtFOp, tt.ClampFOp)
)
"""Operations that give a number that is not finite only where an operand is none."""

CHOICE_NAMES = frozenset(("math.absf", "math.copysign"))


class Nonfinite(Kind):
    """A result that is not finite is the fault of the operation if its operands are finite, and else theirs."""

    def used(self, op: Operation) -> Sequence[SSAValue]:
        access = access_of(op)
        return () if access is None else _floats(access.values)

    def check(self, op: Operation) -> None:
        access = access_of(op)
        if access is not None and _floats(access.values):
            check_values(self.shadowing, op, access)

    def spreads_from(self, op: Operation) -> Sequence[SSAValue]:
        if isinstance(op, tt.ReduceOp | tt.ScanOp):
            return _floats(op.srcs)
        if isinstance(op, tt.BitcastOp | arith.BitcastOp | arith.ConstantOp):
            return ()
        return _floats(op.operands) if is_computation(op) else ()

    def is_origin(self, op: Operation) -> bool:
        if not any(is_float(element_type(result.type)) for result in op.results):
            return False
        kind = type(op)
        if kind in CHOICES or op.name in CHOICE_NAMES or kind in TRANSFERS_OF_MOVEMENTS or kind in NEVER:
            return False
        if isinstance(op, tt.ReduceOp | tt.ScanOp):
            return not _only_chooses(op)
        if isinstance(op, arith.SIToFPOp | arith.UIToFPOp):
            # Any integer of 64 bits is a float of 32 bits, or a bfloat16.
            element = element_type(op.results[0].type)
            return isinstance(element, Float16Type) or float8_format(element) is not None
        if isinstance(op, tt.FpToFpOp):
            return bit_width(element_type(op.result.type)) < bit_width(element_type(op.src.type))
        return is_computation(op)

    def carries_shadows(self, op: Operation) -> bool:
        return isinstance(op, tt.MapElementwiseOp)

    def level(self, op: Operation, result: SSAValue, level_of: Callable[[SSAValue], int]) -> int:
        if not is_float(element_type(result.type)):
            return CLEAN
        level = max(map(level_of, self.spreads_from(op)), default=CLEAN)
        if not level and not self.is_origin(op):
            return CLEAN
        return max(level, UNIFORM) if type(op) in TRANSFERS_OF_MOVEMENTS else LANES

    def shadows(self, op: Operation, builder: ShadowBuilder) -> list[Shadow]:
        transfer = TRANSFERS.get(type(op))
        if transfer is not None:
            return transfer(self, op, builder)
        operands = self.spreads_from(op)
        shadow = self.of_all(builder, operands)
        if len(operands) == 1 and (type(op) in CHOICES or op.name in CHOICE_NAMES):
            return [shadow]
        return self.of_results(op, builder, shadow, lambda: self.all_finite(builder, operands))

    def of_results(
        self, op: Operation, builder: ShadowBuilder, shadow: Shadow, are_finite: Callable[[], SSAValue | None]
    ) -> list[Shadow]:
        """select(finite(result), 0, select(operands are finite, origin, the operands' shadow)) for each result"""
        if self.is_origin(op):
            origin = builder.number(self.tables.origin(op, "nonfinite", described(op)))
            finite = are_finite()
            shadow = origin if finite is None else builder.choose(finite, origin, shadow)
        return [
            builder.choose(is_finite(builder, result), None, shadow) if is_float(element_type(result.type)) else None
            for result in op.results
        ]

    def all_finite(self, builder: ShadowBuilder, values: Sequence[SSAValue]) -> SSAValue | None:
        """Whether each of some values is finite; None where they are known to be."""
        found: SSAValue | None = None
        for value in dict.fromkeys(values):
            number = arith.float_constant(value)
            if number is None or not isfinite(number):
                own = is_finite(builder, value)
                found = own if found is None else builder.add(arith.AndIOp(found, own))
        return found


def _floats(values: Sequence[SSAValue]) -> list[SSAValue]:
    return [value for value in values if is_float(element_type(value.type))]


def is_finite(builder: ShadowBuilder, value: SSAValue) -> SSAValue:
    """Whether a float is neither NaN nor infinite."""
    from xdsl.dialects import math

    element = element_type(value.type)
    if bit_width(element) < 32:
        wide = with_element_type(value.type, f32)
        is_small = float8_format(element) is not None
        value = builder.add(tt.FpToFpOp(value, wide) if is_small else arith.ExtFOp(value, wide))
    size = builder.add(math.AbsFOp(value))
    return builder.add(arith.CmpfOp(size, builder.like(value, inf), "olt"))


def _only_chooses(op: tt.ReduceOp | tt.ScanOp) -> bool:
    """Whether a combination gives one of the elements that it combines."""
    return all(
        type(inner) in CHOICES
        or isinstance(inner, arith.SelectOp | tt.ReduceReturnOp | tt.ScanReturnOp)
        or not any(is_float(element_type(result.type)) for result in inner.results)
        for inner in operations(op.combine_op.block)
    )


def _combination(kind: Nonfinite, op: tt.ReduceOp | tt.ScanOp, builder: ShadowBuilder) -> list[Shadow]:
    """reduce(x) -> of the result as of another operation, with the largest shadow and whether all of x are finite"""

    def combined(shadow: Shadow) -> Shadow:
        if isinstance(op, tt.ScanOp):
            return builder.largest_before(shadow, op)
        return builder.largest(shadow, op.axis.value.data)

    def are_finite() -> SSAValue | None:
        finite = kind.all_finite(builder, _floats(op.srcs))
        return None if finite is None else _all_along(builder, finite, combined)

    shadow = combined(kind.of_all(builder, _floats(op.srcs)))
    return kind.of_results(op, builder, shadow, are_finite)


def _all_along(builder: ShadowBuilder, finite: SSAValue, combined: Callable[[Shadow], Shadow]) -> SSAValue:
    """Whether of the conditions that are combined all are true."""
    flaws = builder.add(arith.ExtUIOp(builder.negated(finite), with_element_type(finite.type, i32)))
    found = combined(flaws)
    assert found is not None
    return builder.compare("eq", found, 0)


def _dot(kind: Nonfinite, op: tt.DotOp, builder: ShadowBuilder) -> list[Shadow]:
    """dot(a, b, c) -> of the result as of another operation, with all of a row, of a column and the element of c"""
    if not is_float(element_type(op.d.type)):
        return [None]

    def are_finite() -> SSAValue | None:
        flaws = [_flaws(kind, builder, operand) for operand in op.operands]
        found = dot_shadow(builder, op, *flaws)
        assert is_tensor_type(op.d.type)
        return None if found is None else builder.compare("eq", found, 0)

    shadow = dot_shadow(builder, op, kind.of(op.a), kind.of(op.b), kind.of(op.c))
    return kind.of_results(op, builder, shadow, are_finite)


def _flaws(kind: Nonfinite, builder: ShadowBuilder, value: SSAValue) -> Shadow:
    """1 where an element is not finite."""
    finite = kind.all_finite(builder, [value])
    if finite is None:
        return None
    return builder.add(arith.ExtUIOp(builder.negated(finite), with_element_type(value.type, i32)))


def _select(kind: Nonfinite, op: arith.SelectOp, builder: ShadowBuilder) -> list[Shadow]:
    """select c, x, y -> select c, shadow of x, shadow of y"""
    return [builder.choose(op.cond, kind.of(op.lhs), kind.of(op.rhs))]


def _slice(kind: Nonfinite, op: tt.ExtractSliceOp, builder: ShadowBuilder) -> list[Shadow]:
    """extract_slice(x, i) -> extract_slice(shadow of x, i)"""
    return builder.moved(op, [kind.of(op.src)], op.offsets)


def _gather(kind: Nonfinite, op: tt.GatherOp, builder: ShadowBuilder) -> list[Shadow]:
    """gather(x, i) -> gather(shadow of x, i)"""
    return builder.moved(op, [kind.of(op.src)], (op.indices,))


def _sort(kind: Nonfinite, op: tt.CompareExchangeOp, builder: ShadowBuilder) -> list[Shadow]:
    """compare_exchange(x) -> the largest shadow along the axis, where the result is not finite"""
    (shadow,) = through_sort(kind, op, builder)
    return [builder.choose(is_finite(builder, op.result), None, shadow)]


TRANSFERS_OF_MOVEMENTS: dict[type[Operation], Transfer] = {
    **dict.fromkeys(MOVEMENTS, through_movement),
    tt.ExtractSliceOp: _slice,
    tt.GatherOp: _gather,
}

NEVER = frozenset((arith.SelectOp, arith.ConstantOp, tt.BitcastOp, arith.BitcastOp, tt.CompareExchangeOp))

TRANSFERS: dict[type[Operation], Transfer] = {
    **TRANSFERS_OF_MOVEMENTS,
    arith.SelectOp: _select,
    tt.CompareExchangeOp: _sort,
    tt.ReduceOp: _combination,
    tt.ScanOp: _combination,
    tt.DotOp: _dot,
}
