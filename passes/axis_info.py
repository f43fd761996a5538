"""What is known of the integers and pointers in a tensor along each dimension: contiguity, divisibility, constancy.

The facts prove wide accesses (`access_width`) and choose layouts. They hold for every positive size, power of two or
not.

Assumed of the program: signed index arithmetic does not overflow where a nonnegative value is divided, and the divisor
is not zero. Everything else holds in wrapping arithmetic; of a contiguous group only the part up to its divisibility is
known not to wrap (no aligned group crosses a power of two), which is the part that `access_width` uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerAttr, IntegerType, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.constants import splat_value
from mytriton.dialects.linear_layout import next_power_of_two
from mytriton.dialects.tensor_types import bit_width, element_type, is_integer, shape_of
from mytriton.dialects.ttg import element_bytes

HIGHEST = 1 << 30
"""The divisibility of zero, and the largest that is told apart."""

MAX_ROUNDS = 4
"""Rounds over a loop's body after which facts that still change are given up."""


class AxisInfo(NamedTuple):
    """Facts of one value, per dimension (a scalar has one dimension of size 1); all numbers are powers of two.

    Along a dimension, cut the indices into groups of `contiguity` that start at its multiples: in a group each value
    is the one before plus 1 (pointers: plus one element), and the first value of each group is divisible by
    `divisibility` (pointers: in bytes). In groups of `constancy` all values are equal. `constant` is the value of all
    elements if known.
    """

    contiguity: tuple[int, ...]
    divisibility: tuple[int, ...]
    constancy: tuple[int, ...]
    constant: int | None = None
    nonnegative: bool = False

    def divisibility_of_groups(self, dim: int, size: int, unit: int = 1) -> int:
        """What divides the values at multiples of `size` along `dim`, where neighbours differ by `unit`."""
        divisibility = self.divisibility[dim]
        return divisibility if size >= self.contiguity[dim] else min(divisibility, size * unit)

    def divisibility_of_all(self, unit: int = 1) -> int:
        """What divides every element."""
        return max(self.divisibility_of_groups(dim, 1, unit) for dim in range(len(self.divisibility)))


def highest_divisor(value: int) -> int:
    """The largest power of two, up to `HIGHEST`, that divides a value."""
    return min(value & -value, HIGHEST) if value else HIGHEST


def extents(type: Attribute) -> tuple[int, ...]:
    """The group sizes that cover whole dimensions of a tensor; (1,) for a scalar."""
    shape = shape_of(type)
    return tuple(next_power_of_two(size) for size in shape) if shape else (1,)


def unknown(type: Attribute) -> AxisInfo:
    """No fact at all."""
    ones = (1,) * len(extents(type))
    return AxisInfo(ones, ones, ones)


def uniform(type: Attribute, divisibility: int, constant: int | None = None, nonnegative: bool = False) -> AxisInfo:
    """All elements are equal."""
    sizes = extents(type)
    return AxisInfo((1,) * len(sizes), (divisibility,) * len(sizes), sizes, constant, nonnegative)


def unit_of(type: Attribute) -> int:
    """By how much the next element differs: the size of a pointer's element, else 1."""
    element = element_type(type)
    return element_bytes(element.pointee) if isinstance(element, tt.PointerType) else 1


def meet(left: AxisInfo, right: AxisInfo, unit: int) -> AxisInfo:
    """What holds of a value that is one of two."""
    if left == right:
        return left
    contiguity = tuple(map(min, left.contiguity, right.contiguity))
    divisibility = tuple(
        min(
            left.divisibility_of_groups(dim, contiguity[dim], unit),
            right.divisibility_of_groups(dim, contiguity[dim], unit),
        )
        for dim in range(len(contiguity))
    )
    return AxisInfo(
        contiguity,
        divisibility,
        tuple(map(min, left.constancy, right.constancy)),
        left.constant if left.constant == right.constant else None,
        left.nonnegative and right.nonnegative,
    )


class AxisInfoAnalysis:
    """The facts of every value of a function, computed at once; read them with `info`."""

    def __init__(self, function: tt.FuncOp):
        self.facts: dict[SSAValue, AxisInfo] = {}
        blocks = function.body.blocks
        if not blocks:
            return
        attrs = function.arg_attrs.data if function.arg_attrs is not None else ()
        for index, argument in enumerate(blocks[0].args):
            facts = unknown(argument.type)
            self.facts[argument] = with_hints(facts, attrs[index].data) if index < len(attrs) else facts
        for block in blocks:
            self.visit_block(block)

    def info(self, value: SSAValue) -> AxisInfo:
        """The facts of a value; none where nothing was computed."""
        found = self.facts.get(value)
        return unknown(value.type) if found is None else found

    def access_width(self, pointer: SSAValue, mask: SSAValue | None, dim: int, max_bytes: int = 16) -> int:
        """How many neighbouring elements along `dim` one aligned access may move, starting at multiples of the number.

        Every such group lies contiguously at an address that is a multiple of its bytes, its mask is all true or all
        false, and the dimension's size is a multiple of it.
        """
        unit = unit_of(pointer.type)
        facts = self.info(pointer)
        width = min(facts.contiguity[dim], facts.divisibility[dim] // unit, max(1, max_bytes // unit))
        if mask is not None:
            width = min(width, self.info(mask).constancy[dim])
        shape = shape_of(pointer.type)
        return max(1, min(width, highest_divisor(shape[dim]) if shape else 1))

    # Walking

    def visit_block(self, block: Block) -> None:
        for op in block.ops:
            self.visit(op)

    def visit(self, op: Operation) -> None:
        if isinstance(op, scf.ForOp):
            self.visit_for(op)
        elif isinstance(op, scf.IfOp):
            self.visit_if(op)
        elif isinstance(op, scf.WhileOp):
            self.visit_while(op)
        elif op.regions:
            for result in op.results:
                self.facts[result] = unknown(result.type)
        elif len(op.results) == 1:
            transfer = TRANSFERS.get(type(op))
            if transfer is not None:
                facts = transfer(op, [self.info(operand) for operand in op.operands])
            elif op.name.startswith(("arith.", "math.")) or isinstance(op, ELEMENTWISE_TT):
                facts = elementwise(op, [self.info(operand) for operand in op.operands])
            else:
                facts = unknown(op.results[0].type)
            self.facts[op.results[0]] = with_hints(facts, op.attributes) if op.attributes else facts

    def visit_for(self, op: scf.ForOp) -> None:
        index, *carried = op.body.block.args
        lower, step = self.info(op.lb), self.info(op.step)
        self.facts[index] = uniform(
            index.type,
            min(lower.divisibility[0], step.divisibility[0]),
            nonnegative=lower.nonnegative and step.nonnegative,
        )
        self.iterate(list(op.iter_args), carried, op.body)
        for result, argument in zip(op.results, carried, strict=True):
            self.facts[result] = self.info(argument)

    def visit_if(self, op: scf.IfOp) -> None:
        for region in op.regions:
            for block in region.blocks:
                self.visit_block(block)
        yields = [yielded(region) for region in op.regions if region.blocks]
        for index, result in enumerate(op.results):
            facts = [self.info(values[index]) for values in yields]
            self.facts[result] = meet(facts[0], facts[1], unit_of(result.type)) if len(facts) == 2 else facts[0]

    def visit_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region, op.after_region

        def visit_before() -> None:
            self.visit_block(before.block)
            condition = before.block.last_op
            if isinstance(condition, scf.ConditionOp):
                for argument, value in zip(after.block.args, condition.args, strict=True):
                    self.facts[argument] = self.info(value)

        self.iterate(list(op.arguments), list(before.block.args), after, visit_before)
        for result, argument in zip(op.results, after.block.args, strict=True):
            self.facts[result] = self.info(argument)

    def iterate(
        self,
        initial: Sequence[SSAValue],
        carried: Sequence[SSAValue],
        region: Region,
        first: Callable[[], None] | None = None,
    ) -> None:
        """Visits a loop's body until the facts of the carried values hold for all iterations."""
        for argument, value in zip(carried, initial, strict=True):
            self.facts[argument] = self.info(value)
        rounds = 0
        changed = True
        while changed:
            if first is not None:
                first()
            self.visit_block(region.block)
            changed = False
            rounds += 1
            for argument, value in zip(carried, yielded(region), strict=True):
                old = self.facts[argument]
                new = meet(old, self.info(value), unit_of(argument.type))
                if new != old:
                    changed = True
                    self.facts[argument] = new if rounds < MAX_ROUNDS else unknown(argument.type)


def yielded(region: Region) -> tuple[SSAValue, ...]:
    last = region.block.last_op
    return tuple(last.operands) if isinstance(last, scf.YieldOp) else ()


def with_hints(facts: AxisInfo, attributes: Mapping[str, Attribute]) -> AxisInfo:
    """The facts raised to what the attributes tt.divisibility, tt.contiguity and tt.constancy promise."""
    rank = len(facts.contiguity)

    def raised(name: str, known: tuple[int, ...]) -> tuple[int, ...]:
        promised = hint_values(attributes.get(name), rank)
        return tuple(map(max, known, map(highest_divisor, promised))) if promised else known

    return facts._replace(
        contiguity=raised("tt.contiguity", facts.contiguity),
        divisibility=raised("tt.divisibility", facts.divisibility),
        constancy=raised("tt.constancy", facts.constancy),
    )


def hint_values(attribute: Attribute | None, rank: int) -> tuple[int, ...]:
    match attribute:
        case IntegerAttr():
            values: tuple[int, ...] = (attribute.value.data,) * rank
        case DenseArrayBase():
            values = attribute.get_values() if isa(attribute, DenseArrayBase[IntegerType]) else ()
        case _ if isa(attribute, DenseIntOrFPElementsAttr):
            values = tuple(int(value) for value in attribute.get_values() if isinstance(value, int | float))
        case _:
            return ()
    return values if len(values) == rank and all(value > 0 for value in values) else ()


# What each operation does to the facts of its operands

ELEMENTWISE_TT = (tt.FpToFpOp, tt.ClampFOp, tt.PreciseSqrtOp, tt.PreciseDivFOp, tt.MulhiUIOp)

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
