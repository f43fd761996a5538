"""Sums, differences, products and left shifts of 32 bits and less that do not fit, on their way to an address."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.tensor_types import (
    bit_width,
    element_type,
    is_fixed_width_integer,
    is_tensor_type,
    with_element_type,
)
from mytriton.passes.checks.accesses import access_of, check_address
from mytriton.passes.checks.builder import Shadow, ShadowBuilder, uniform_source
from mytriton.passes.checks.descriptions import described
from mytriton.passes.checks.kind import (
    CLEAN,
    LANES,
    MOVEMENTS,
    UNIFORM,
    Kind,
    Transfer,
    through_movement,
)
from mytriton.passes.checks.ranges import all_of

WRAPPING = frozenset((arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp))
LINEAR = frozenset((*WRAPPING, arith.ExtSIOp, arith.MinSIOp, arith.MaxSIOp, tt.AddPtrOp, *MOVEMENTS))
"""Operations through which a number goes on its way to an address. A hash may wrap: it has others."""

WIDEST = 32


class Wrapped(Kind):
    """A number that has wrapped stays wrong in what is added to it or multiplied with it."""

    def used(self, op: Operation) -> Sequence[SSAValue]:
        access = access_of(op)
        return () if access is None else (access.pointer,)

    def check(self, op: Operation) -> None:
        access = access_of(op)
        if access is not None:
            check_address(self.shadowing, op, access, is_shown=True)

    def spreads_from(self, op: Operation) -> Sequence[SSAValue]:
        match op:
            case arith.SelectOp(lhs=lhs, rhs=rhs):
                return lhs, rhs
            case tt.BitcastOp(src=src) if tt.is_pointer(src.type):
                return (src,)
            case tt.ExtractSliceOp(src=src):
                return (src,)
            case _:
                return op.operands if type(op) in LINEAR else ()

    def is_origin(self, op: Operation) -> bool:
        if type(op) not in WRAPPING:
            return False
        element = element_type(op.results[0].type)
        if not is_fixed_width_integer(element) or not 1 < bit_width(element) <= WIDEST:
            return False
        return not self.ranges.exact(op).within(all_of(bit_width(element)))

    def level(self, op: Operation, result: SSAValue, level_of: Callable[[SSAValue], int]) -> int:
        level = max(map(level_of, self.spreads_from(op)), default=CLEAN)
        if self.is_origin(op):
            is_uniform = all(uniform_source(operand) is not None for operand in op.operands)
            return max(level, UNIFORM if is_uniform else LANES)
        if level and isinstance(op, arith.SelectOp) and is_tensor_type(op.cond.type):
            return LANES
        return level

    def shadows(self, op: Operation, builder: ShadowBuilder) -> list[Shadow]:
        transfer = TRANSFERS.get(type(op))
        if transfer is not None:
            return transfer(self, op, builder)
        return [self.of_all(builder, self.spreads_from(op))]


def _arithmetic(
    kind: Wrapped, op: arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.ShLIOp, builder: ShadowBuilder
) -> list[Shadow]:
    """x + y -> select the sum is not exact, origin, 0, and the shadows of both"""
    shadow = kind.of_all(builder, op.operands)
    if not kind.is_origin(op):
        return [shadow]
    lhs, rhs, result = op.lhs, op.rhs, op.result
    if all(uniform_source(operand) is not None for operand in op.operands) and is_tensor_type(op.result.type):
        lhs, rhs = builder.uniform(lhs), builder.uniform(rhs)
        result = builder.add(type(op)(lhs, rhs))
    origin = builder.number(kind.tables.origin(op, "wrapped", described(op)))
    return [builder.both(shadow, builder.choose(_has_wrapped(builder, op, lhs, rhs, result), origin, None))]


def _has_wrapped(builder: ShadowBuilder, op: Operation, lhs: SSAValue, rhs: SSAValue, result: SSAValue) -> SSAValue:
    """Whether `result` is not the sum, difference or product of two numbers, or the first one times 2**second."""
    if isinstance(op, arith.ShLIOp):
        return builder.compare("ne", builder.add(arith.ShRSIOp(result, rhs)), lhs)
    if isinstance(op, arith.MuliOp):
        wide = with_element_type(lhs.type, i64 if bit_width(element_type(lhs.type)) > 16 else i32)
        exact = arith.MuliOp(builder.add(arith.ExtSIOp(lhs, wide)), builder.add(arith.ExtSIOp(rhs, wide)))
        return builder.compare("ne", builder.add(exact), builder.add(arith.ExtSIOp(result, wide)))
    # A sum has wrapped where its sign is that of neither operand, a difference where it is not that of the first one
    # and the signs of the operands differ.
    other = result if isinstance(op, arith.AddiOp) else lhs
    first = builder.add(arith.XOrIOp(lhs, result))
    second = builder.add(arith.XOrIOp(rhs, other))
    return builder.compare("slt", builder.add(arith.AndIOp(first, second)), 0)


def _select(kind: Wrapped, op: arith.SelectOp, builder: ShadowBuilder) -> list[Shadow]:
    """select c, x, y -> select c, shadow of x, shadow of y"""
    return [builder.choose(op.cond, kind.of(op.lhs), kind.of(op.rhs))]


def _slice(kind: Wrapped, op: tt.ExtractSliceOp, builder: ShadowBuilder) -> list[Shadow]:
    """extract_slice(x, i) -> extract_slice(shadow of x, i)"""
    return builder.moved(op, [kind.of(op.src)], op.offsets)


TRANSFERS: dict[type[Operation], Transfer] = {
    **dict.fromkeys(WRAPPING, _arithmetic),
    **dict.fromkeys(MOVEMENTS, through_movement),
    arith.SelectOp: _select,
    tt.ExtractSliceOp: _slice,
}
