"""What each operation does to the facts that are known of its operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.constants import splat_value
from mytriton.dialects.tensor_types import bit_width, element_type, is_integer, shape_of
from mytriton.passes.axis_facts import HIGHEST, AxisInfo, extents, highest_divisor, meet, uniform, unit_of, unknown

ELEMENTWISE_TT = (
    tt.FpToFpOp,
    tt.ClampFOp,
    tt.PreciseSqrtOp,
    tt.PreciseDivFOp,
    tt.MulhiUIOp,
    tt.ExternElementwiseOp,
)

Transfer = Callable[[Any, list[AxisInfo]], AxisInfo]


def elementwise(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    """Equal operands give equal results; nothing else is known."""
    ones = (1,) * len(operands[0].constancy)
    return AxisInfo(ones, ones, common_constancy(operands))


def common_constancy(operands: Sequence[AxisInfo]) -> tuple[int, ...]:
    return tuple(map(min, *(facts.constancy for facts in operands))) if len(operands) > 1 else operands[0].constancy


def constant(op: arith.ConstantOp, operands: list[AxisInfo]) -> AxisInfo:
    type = op.result.type
    value = splat_value(op.value)
    if value is None:
        return unknown(type)
    if not isinstance(value, int):
        return uniform(type, 1)
    return uniform(type, highest_divisor(value), value, value >= 0)


def make_range(op: tt.MakeRangeOp, operands: list[AxisInfo]) -> AxisInfo:
    start = op.start.value.data
    return AxisInfo(extents(op.result.type), (highest_divisor(start),), (1,), None, start >= 0)


def grid_index(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    return uniform(op.results[0].type, 1, nonnegative=True)


def splat(op: tt.SplatOp, operands: list[AxisInfo]) -> AxisInfo:
    (facts,) = operands
    return uniform(op.result.type, facts.divisibility[0], facts.constant, facts.nonnegative)


def unsplat(op: tt.UnsplatOp, operands: list[AxisInfo]) -> AxisInfo:
    (facts,) = operands
    return uniform(op.result.type, facts.divisibility_of_all(), facts.constant, facts.nonnegative)


def broadcast(op: tt.BroadcastOp, operands: list[AxisInfo]) -> AxisInfo:
    (facts,) = operands
    sizes = shape_of(op.src.type) or ()
    all_sizes = extents(op.result.type)
    constancy = tuple(
        whole if size == 1 else known for size, known, whole in zip(sizes, facts.constancy, all_sizes, strict=True)
    )
    contiguity = tuple(1 if size == 1 else known for size, known in zip(sizes, facts.contiguity, strict=True))
    return facts._replace(constancy=constancy, contiguity=contiguity)


def expand_dims(op: tt.ExpandDimsOp, operands: list[AxisInfo]) -> AxisInfo:
    (facts,) = operands
    axis = op.axis.value.data
    every = facts.divisibility_of_all(unit_of(op.src.type))

    def inserted(values: tuple[int, ...], value: int) -> tuple[int, ...]:
        return (*values[:axis], value, *values[axis:])

    return facts._replace(
        contiguity=inserted(facts.contiguity, 1),
        divisibility=inserted(facts.divisibility, every),
        constancy=inserted(facts.constancy, 1),
    )


def transpose(op: tt.TransOp, operands: list[AxisInfo]) -> AxisInfo:
    (facts,) = operands
    order = op.permutation
    return facts._replace(
        contiguity=tuple(facts.contiguity[dim] for dim in order),
        divisibility=tuple(facts.divisibility[dim] for dim in order),
        constancy=tuple(facts.constancy[dim] for dim in order),
    )


def reshape(op: tt.ReshapeOp, operands: list[AxisInfo]) -> AxisInfo:
    """Dimensions of size 1 may come and go; of another reshape only what holds of all elements is kept."""
    (facts,) = operands
    source, target = shape_of(op.src.type) or (), shape_of(op.result.type) or ()
    every = facts.divisibility_of_all(unit_of(op.src.type))
    if all(known >= size for known, size in zip(facts.constancy, source, strict=True)):
        return uniform(op.result.type, every, facts.constant, facts.nonnegative)
    kept = [dim for dim, size in enumerate(source) if size != 1]
    if op.allow_reorder is not None or [source[dim] for dim in kept] != [size for size in target if size != 1]:
        return unknown(op.result.type)._replace(divisibility=(every,) * len(target), nonnegative=facts.nonnegative)
    remaining = iter(kept)
    places = [None if size == 1 else next(remaining) for size in target]
    return facts._replace(
        contiguity=tuple(1 if dim is None else facts.contiguity[dim] for dim in places),
        divisibility=tuple(every if dim is None else facts.divisibility[dim] for dim in places),
        constancy=tuple(1 if dim is None else facts.constancy[dim] for dim in places),
    )


def add(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    return sum_of(operands[0], operands[1], 1)


def add_pointer(op: tt.AddPtrOp, operands: list[AxisInfo]) -> AxisInfo:
    pointer, offset = operands
    unit = unit_of(op.ptr.type)
    scaled = offset._replace(divisibility=tuple(min(value * unit, HIGHEST) for value in offset.divisibility))
    return sum_of(pointer, scaled, unit)._replace(constant=None, nonnegative=False)


def sum_of(left: AxisInfo, right: AxisInfo, unit: int) -> AxisInfo:
    """x + y, where neighbours in a contiguous group differ by `unit`."""
    dims = range(len(left.contiguity))
    contiguity = tuple(
        max(
            min(left.contiguity[dim], right.constancy[dim]),
            min(left.constancy[dim], right.contiguity[dim]),
        )
        for dim in dims
    )
    divisibility = tuple(
        min(
            left.divisibility_of_groups(dim, contiguity[dim], unit),
            right.divisibility_of_groups(dim, contiguity[dim], unit),
        )
        for dim in dims
    )
    known = None if left.constant is None or right.constant is None else left.constant + right.constant
    nonnegative = left.nonnegative and right.nonnegative
    return AxisInfo(contiguity, divisibility, common_constancy((left, right)), known, nonnegative)


def subtract(op: arith.SubiOp, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    dims = range(len(left.contiguity))
    contiguity = tuple(min(left.contiguity[dim], right.constancy[dim]) for dim in dims)
    divisibility = tuple(
        min(left.divisibility_of_groups(dim, contiguity[dim]), right.divisibility_of_groups(dim, contiguity[dim]))
        for dim in dims
    )
    known = None if left.constant is None or right.constant is None else left.constant - right.constant
    return AxisInfo(contiguity, divisibility, common_constancy(operands), known, known is not None and known >= 0)


def multiply(op: arith.MuliOp, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    if right.constant == 1:
        return left
    if left.constant == 1:
        return right
    known = None if left.constant is None or right.constant is None else left.constant * right.constant
    divisibility = tuple(
        min(left.divisibility_of_groups(dim, 1) * right.divisibility_of_groups(dim, 1), HIGHEST)
        for dim in range(len(left.contiguity))
    )
    ones = (1,) * len(divisibility)
    nonnegative = left.nonnegative and right.nonnegative
    return AxisInfo(ones, divisibility, common_constancy(operands), known, nonnegative)


def shift_left(op: arith.ShLIOp, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    amount = right.constant
    if amount is None or not 0 <= amount < 31:
        return elementwise(op, operands)
    factor = right._replace(
        divisibility=(1 << amount,) * len(right.divisibility), constant=1 << amount, nonnegative=True
    )
    return multiply(op, [left, factor])  # pyright: ignore[reportArgumentType]


def divide(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    if right.constant == 1:
        return left
    constancy = constancy_of_comparison(left, right) if left.nonnegative else common_constancy(operands)
    divisibility = (1,) * len(constancy)
    divisor = right.constant
    if divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0:
        divisibility = tuple(max(1, left.divisibility_of_groups(dim, 1) // divisor) for dim in range(len(constancy)))
    nonnegative = left.nonnegative and right.nonnegative
    return AxisInfo((1,) * len(constancy), divisibility, constancy, None, nonnegative)


def shift_right(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    amount = right.constant
    if amount is None or not 0 <= amount < 31 or not left.nonnegative:
        return elementwise(op, operands)
    divisor = right._replace(
        divisibility=(1 << amount,) * len(right.divisibility), constant=1 << amount, nonnegative=True
    )
    return divide(op, [left, divisor])


def remainder(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    dims = range(len(left.contiguity))
    contiguity = (1,) * len(dims)
    if left.nonnegative:
        contiguity = tuple(aligned_group(left, right, dim) if left.contiguity[dim] > 1 else 1 for dim in dims)
    divisibility = tuple(
        min(left.divisibility_of_groups(dim, contiguity[dim]), right.divisibility_of_groups(dim, contiguity[dim]))
        for dim in dims
    )
    return AxisInfo(contiguity, divisibility, common_constancy(operands), None, left.nonnegative)


def aligned_group(moving: AxisInfo, fixed: AxisInfo, dim: int) -> int:
    """The largest group where `moving` counts up from a multiple of the group's size and `fixed` is such a multiple."""
    size = min(moving.contiguity[dim], fixed.constancy[dim], moving.divisibility[dim])
    return min(size, fixed.divisibility_of_groups(dim, size))


def constancy_of_comparison(moving: AxisInfo, fixed: AxisInfo) -> tuple[int, ...]:
    """Where floor(moving / fixed) and moving < fixed do not change."""
    return tuple(
        max(min(moving.constancy[dim], fixed.constancy[dim]), aligned_group(moving, fixed, dim))
        for dim in range(len(moving.constancy))
    )


def compare(op: arith.CmpiOp, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    # With x counting up from a multiple of the group's size and y such a multiple, x < y and x >= y are the same for
    # the whole group; x <= y and x > y are not, unless it is y that counts.
    match op.predicate_name:
        case "slt" | "sge" | "ult" | "uge":
            constancy = constancy_of_comparison(left, right)
        case "sgt" | "sle" | "ugt" | "ule":
            constancy = constancy_of_comparison(right, left)
        case _:
            constancy = common_constancy(operands)
    ones = (1,) * len(constancy)
    return AxisInfo(ones, ones, constancy)


def bitwise_and(op: arith.AndIOp, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    divisibility = tuple(
        max(left.divisibility_of_groups(dim, 1), right.divisibility_of_groups(dim, 1))
        for dim in range(len(left.contiguity))
    )
    nonnegative = left.nonnegative or right.nonnegative
    return AxisInfo((1,) * len(divisibility), divisibility, common_constancy(operands), None, nonnegative)


def bitwise_or(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    left, right = operands
    divisibility = tuple(
        min(left.divisibility_of_groups(dim, 1), right.divisibility_of_groups(dim, 1))
        for dim in range(len(left.contiguity))
    )
    nonnegative = left.nonnegative and right.nonnegative
    return AxisInfo((1,) * len(divisibility), divisibility, common_constancy(operands), None, nonnegative)


def extremum(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    """The smaller or larger of two: within a group where both count up, or both stay, it is always the same operand."""
    return meet(operands[0], operands[1], 1)._replace(constant=None)


def select(op: arith.SelectOp, operands: list[AxisInfo]) -> AxisInfo:
    condition, left, right = operands
    unit = unit_of(op.result.type)
    both = meet(left, right, unit)
    if not isa(op.cond.type, TensorType):
        return both
    contiguity = tuple(map(min, both.contiguity, condition.constancy))
    return AxisInfo(
        contiguity,
        tuple(both.divisibility_of_groups(dim, contiguity[dim], unit) for dim in range(len(contiguity))),
        tuple(map(min, both.constancy, condition.constancy)),
        both.constant,
        both.nonnegative,
    )


def integer_cast(op: arith.CastOp, operands: list[AxisInfo]) -> AxisInfo:
    (facts,) = operands
    source, target = element_type(op.operands[0].type), element_type(op.results[0].type)
    if not is_integer(source) or not is_integer(target) or bit_width(source) == 1 or bit_width(target) == 1:
        return elementwise(op, operands)
    if isinstance(op, arith.TruncIOp):
        return facts._replace(constant=None, nonnegative=False)
    if isinstance(op, arith.ExtUIOp):
        return facts._replace(constant=facts.constant if facts.nonnegative else None, nonnegative=True)
    return facts


def bitcast(op: Operation, operands: list[AxisInfo]) -> AxisInfo:
    """Pointers keep their facts where the elements keep their size, else only what holds of every pointer."""
    (facts,) = operands
    source, target = op.operands[0].type, op.results[0].type
    if not tt.is_pointer(source) and not tt.is_pointer(target):
        return elementwise(op, operands)
    if unit_of(source) == unit_of(target):
        return facts
    every = facts.divisibility_of_all(unit_of(source))
    ones = (1,) * len(facts.contiguity)
    return AxisInfo(ones, (every,) * len(ones), facts.constancy)


def load(op: tt.LoadOp, operands: list[AxisInfo]) -> AxisInfo:
    """Lanes that read one address under one mask get one value."""
    if op.is_volatile:
        return unknown(op.result.type)
    return unknown(op.result.type)._replace(constancy=common_constancy(operands))


TRANSFERS: dict[type[Operation], Transfer] = {
    arith.ConstantOp: constant,
    tt.MakeRangeOp: make_range,
    tt.GetProgramIdOp: grid_index,
    tt.GetNumProgramsOp: grid_index,
    tt.SplatOp: splat,
    tt.UnsplatOp: unsplat,
    tt.BroadcastOp: broadcast,
    tt.ExpandDimsOp: expand_dims,
    tt.TransOp: transpose,
    tt.ReshapeOp: reshape,
    arith.AddiOp: add,
    tt.AddPtrOp: add_pointer,
    arith.SubiOp: subtract,
    arith.MuliOp: multiply,
    arith.ShLIOp: shift_left,
    arith.DivSIOp: divide,
    arith.DivUIOp: divide,
    arith.ShRSIOp: shift_right,
    arith.ShRUIOp: shift_right,
    arith.RemSIOp: remainder,
    arith.RemUIOp: remainder,
    arith.CmpiOp: compare,
    arith.AndIOp: bitwise_and,
    arith.OrIOp: bitwise_or,
    arith.XOrIOp: bitwise_or,
    arith.MinSIOp: extremum,
    arith.MaxSIOp: extremum,
    arith.SelectOp: select,
    arith.ExtSIOp: integer_cast,
    arith.ExtUIOp: integer_cast,
    arith.TruncIOp: integer_cast,
    arith.IndexCastOp: integer_cast,
    tt.BitcastOp: bitcast,
    tt.IntToPtrOp: bitcast,
    tt.PtrToIntOp: bitcast,
    tt.LoadOp: load,
    ttg.ConvertLayoutOp: lambda op, operands: operands[0],
}
