"""Values that nothing defines: what a mask leaves out of a load, quotients by zero, shifts by too many bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import i1, i32
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.attribute_names import EMPTY
from mytriton.dialects.building import walk
from mytriton.dialects.tensor_types import bit_width, element_type, is_tensor_type, with_element_type
from mytriton.passes.checks.accesses import check_access, used_by_access
from mytriton.passes.checks.builder import Shadow, ShadowBuilder, uniform_source
from mytriton.passes.checks.descriptions import described
from mytriton.passes.checks.kind import (
    CLEAN,
    LANES,
    MOVEMENTS,
    UNIFORM,
    Kind,
    Transfer,
    is_computation,
    through_gather,
    through_movement,
    through_slice,
    through_sort,
)
from mytriton.passes.checks.ranges import Range

DIVISIONS = frozenset((arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp))
SHIFTS = frozenset((arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp))

BRANCHES = {scf.IfOp: "decides a branch", scf.ConditionOp: "decides whether a loop goes on"}

Absorbing: TypeAlias = "arith.AndIOp | arith.OrIOp | arith.MuliOp"


class Undefined(Kind):
    """The results of operations on undefined values are undefined, but for those that do not depend on them."""

    def used(self, op: Operation) -> Sequence[SSAValue]:
        match op:
            case scf.IfOp(cond=condition) | scf.ConditionOp(condition=condition) | tt.AssertOp(condition=condition):
                return (condition,)
            case scf.ForOp():
                return op.lb, op.ub, op.step
            case _:
                return used_by_access(op)

    def check(self, op: Operation) -> None:
        match op:
            case scf.IfOp(cond=condition) | scf.ConditionOp(condition=condition):
                self.shadowing.check(op, condition, BRANCHES[type(op)], by_all=True)
            case tt.AssertOp(condition=condition):
                self.shadowing.check(op, condition, "is the condition of an assertion", by_all=True)
            case scf.ForOp():
                for bound in (op.lb, op.ub, op.step):
                    self.shadowing.check(op, bound, "is a bound of a loop", by_all=True)
            case _:
                check_access(self.shadowing, op)

    def spreads_from(self, op: Operation) -> Sequence[SSAValue]:
        if isinstance(op, tt.LoadOp):
            return () if op.other is None else (op.other,)
        if isinstance(op, tt.ReduceOp | tt.ScanOp | tt.MapElementwiseOp):
            return op.srcs
        return op.operands if is_computation(op) else ()

    def is_origin(self, op: Operation) -> bool:
        kind = type(op)
        if kind in DIVISIONS:
            return self.ranges.of(op.operands[1]).has(0)
        if kind in SHIFTS:
            return not self.ranges.of(op.operands[1]).within(Range(0, _width(op) - 1))
        if isinstance(op, tt.LoadOp):
            return op.mask is not None and op.other is None and arith.integer_constant(op.mask) is None
        return op.name == "ub.poison"

    def carries_shadows(self, op: Operation) -> bool:
        return isinstance(op, tt.MapElementwiseOp) or (
            isinstance(op, tt.ReduceOp | tt.ScanOp) and any(map(self.is_origin, walk(op)[1:]))
        )

    def level(self, op: Operation, result: SSAValue, level_of: Callable[[SSAValue], int]) -> int:
        level = max(map(level_of, self.spreads_from(op)), default=CLEAN)
        is_origin = self.is_origin(op)
        if not level and not is_origin:
            return CLEAN
        match op:
            case tt.LoadOp(mask=mask):
                return LANES if mask is not None and is_tensor_type(mask.type) else UNIFORM
            case arith.SelectOp(cond=condition):
                return LANES if is_tensor_type(condition.type) else level
            case arith.AndIOp() | arith.OrIOp() | arith.MuliOp():
                return LANES
            case tt.HistogramOp():
                return UNIFORM
            case _ if is_origin and type(op) in DIVISIONS | SHIFTS and uniform_source(op.operands[1]) is None:
                return LANES
            case _:
                return max(level, UNIFORM)

    def shadows(self, op: Operation, builder: ShadowBuilder) -> list[Shadow]:
        transfer = TRANSFERS.get(type(op))
        if transfer is not None:
            return transfer(self, op, builder)
        if op.name == "ub.poison":
            return [self.origin(op, builder, "empty" if EMPTY in op.attributes else "poison")]
        shadow = self.of_all(builder, self.spreads_from(op))
        return [shadow] * len(op.results)

    def origin(self, op: Operation, builder: ShadowBuilder, kind: str) -> SSAValue:
        return builder.number(self.tables.origin(op, kind, described(op)))


def _width(op: Operation) -> int:
    return bit_width(element_type(op.results[0].type))


def _load(kind: Undefined, op: tt.LoadOp, builder: ShadowBuilder) -> list[Shadow]:
    """load p, m -> select m, 0, origin; load p, m, other -> select m, 0, shadow of other"""
    missing = kind.origin(op, builder, "masked load") if op.other is None else kind.of(op.other)
    assert op.mask is not None
    return [builder.choose(op.mask, None, missing)]


def _division(kind: Undefined, op: arith.IntegerBinaryOp, builder: ShadowBuilder) -> list[Shadow]:
    """x / y -> select y == 0, origin, 0, and the shadows of both"""
    shadow = kind.of_all(builder, op.operands)
    if not kind.is_origin(op):
        return [shadow]
    divisor = op.rhs if uniform_source(op.rhs) is None else builder.uniform(op.rhs)
    own = builder.choose(builder.compare("eq", divisor, 0), kind.origin(op, builder, "division by zero"), None)
    return [builder.both(shadow, own)]


def _shift(kind: Undefined, op: arith.IntegerBinaryOp, builder: ShadowBuilder) -> list[Shadow]:
    """x << y -> select y >= width, origin, 0, and the shadows of both"""
    shadow = kind.of_all(builder, op.operands)
    if not kind.is_origin(op):
        return [shadow]
    amount = op.rhs if uniform_source(op.rhs) is None else builder.uniform(op.rhs)
    own = kind.origin(op, builder, "shift")
    if arith.integer_constant(amount) is not None:
        return [builder.both(shadow, own)]
    return [builder.both(shadow, builder.choose(builder.compare("uge", amount, _width(op)), own, None))]


def _select(kind: Undefined, op: arith.SelectOp, builder: ShadowBuilder) -> list[Shadow]:
    """select c, x, y -> select c, shadow of x, shadow of y, and the shadow of c"""
    chosen = builder.choose(op.cond, kind.of(op.lhs), kind.of(op.rhs))
    return [builder.both(chosen, kind.of(op.cond))]


def _absorbing(kind: Undefined, op: Absorbing, builder: ShadowBuilder) -> list[Shadow]:
    """a and b, a * b -> 0 where a is defined and 0, or b is, and the shadows of both elsewhere; or: with all bits 1"""
    left, right = kind.of(op.lhs), kind.of(op.rhs)
    shadow = builder.both(left, right)
    for value, own in ((op.lhs, left), (op.rhs, right)):
        if own is not None:
            # An undefined operand decides nothing: its shadow counts.
            defined = builder.compare("eq", builder.as_type(own, with_element_type(value.type, i32)), 0)
            decides = builder.add(arith.AndIOp(defined, _decides(op, value, builder)))
            shadow = builder.choose(decides, None, shadow)
        elif element_type(value.type) == i1 and not isinstance(op, arith.OrIOp):
            shadow = builder.choose(value, shadow, None)
        else:
            shadow = builder.choose(_decides(op, value, builder), None, shadow)
    return [shadow]


def _decides(op: Absorbing, value: SSAValue, builder: ShadowBuilder) -> SSAValue:
    """Whether the result is known from one operand alone."""
    if element_type(value.type) == i1:
        return value if isinstance(op, arith.OrIOp) else builder.negated(value)
    return builder.compare("eq", value, -1 if isinstance(op, arith.OrIOp) else 0)


def _reduce(kind: Undefined, op: tt.ReduceOp, builder: ShadowBuilder) -> list[Shadow]:
    """reduce(x, y, axis) -> the largest along the axis of the shadows of x and y"""
    shadow = builder.largest(kind.of_all(builder, op.srcs), op.axis.value.data)
    return [shadow] * len(op.results)


def _scan(kind: Undefined, op: tt.ScanOp, builder: ShadowBuilder) -> list[Shadow]:
    """scan(x, y, axis) -> the largest so far of the shadows of x and y"""
    shadow = builder.largest_before(kind.of_all(builder, op.srcs), op)
    return [shadow] * len(op.results)


def dot_shadow(builder: ShadowBuilder, op: tt.DotOp, a: Shadow, b: Shadow, c: Shadow) -> Shadow:
    """dot(a, b, c) -> the largest of a row of a, of a column of b, and of the element of c"""
    assert is_tensor_type(op.d.type)
    shape = op.d.type.get_shape()
    rank = len(shape)
    rows = builder.spread(builder.largest(a, rank - 1), rank - 1, shape)
    columns = builder.spread(builder.largest(b, rank - 2), rank - 2, shape)
    return builder.all((rows, columns, c))


def _dot(kind: Undefined, op: tt.DotOp, builder: ShadowBuilder) -> list[Shadow]:
    """dot(a, b, c) -> the largest of a row of a, of a column of b, and of the element of c"""
    return [dot_shadow(builder, op, kind.of(op.a), kind.of(op.b), kind.of(op.c))]


def _histogram(kind: Undefined, op: tt.HistogramOp, builder: ShadowBuilder) -> list[Shadow]:
    """histogram(x, m) -> the largest of all that are counted, for each bin"""
    counted = kind.of(op.src) if op.mask is None else builder.choose(op.mask, kind.of(op.src), None)
    mask = None if op.mask is None else kind.of(op.mask)
    return [builder.largest_of_all(builder.both(counted, mask))]


TRANSFERS: dict[type[Operation], Transfer] = {
    tt.LoadOp: _load,
    **dict.fromkeys(DIVISIONS, _division),
    **dict.fromkeys(SHIFTS, _shift),
    **dict.fromkeys(MOVEMENTS, through_movement),
    arith.SelectOp: _select,
    arith.AndIOp: _absorbing,
    arith.OrIOp: _absorbing,
    arith.MuliOp: _absorbing,
    tt.ExtractSliceOp: through_slice,
    tt.GatherOp: through_gather,
    tt.SortOp: through_sort,
    tt.CompareExchangeOp: through_sort,
    tt.ReduceOp: _reduce,
    tt.ScanOp: _scan,
    tt.DotOp: _dot,
    tt.HistogramOp: _histogram,
}
