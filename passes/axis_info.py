"""What is known of the integers and pointers in a tensor along each dimension: contiguity, divisibility, constancy.

The facts prove wide accesses (`access_width`) and choose layouts. They hold for every positive size, power of two or
not.

Assumed of the program: signed index arithmetic does not overflow where a nonnegative value is divided, and the divisor
is not zero. Everything else holds in wrapping arithmetic; of a contiguous group only the part up to its divisibility is
known not to wrap (no aligned group crosses a power of two), which is the part that `access_width` uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from mytriton.dialects import tt
from mytriton.dialects.tensor_types import shape_of
from mytriton.passes.assumptions import Promise, promises
from mytriton.passes.axis_facts import AxisInfo, highest_divisor, meet, uniform, unit_of, unknown
from mytriton.passes.axis_transfers import ELEMENTWISE_TT, TRANSFERS, elementwise

MAX_ROUNDS = 4
"""Rounds over a loop's body after which facts that still change are given up."""


class AxisInfoAnalysis:
    """The facts of every value of a function, computed at once; read them with `info`."""

    def __init__(self, function: tt.FuncOp):
        self.facts: dict[SSAValue, AxisInfo] = {}
        self.promises: dict[SSAValue, Promise] = {}
        blocks = function.body.blocks
        if not blocks:
            return
        self.promises = promises(blocks[0])
        attrs = function.arg_attrs.data if function.arg_attrs is not None else ()
        for index, argument in enumerate(blocks[0].args):
            facts = unknown(argument.type)
            self.set_facts(argument, with_hints(facts, attrs[index].data) if index < len(attrs) else facts)
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

    def set_facts(self, value: SSAValue, facts: AxisInfo) -> None:
        """The facts that were found for a value and those that an assumption promises."""
        promise = self.promises.get(value)
        self.facts[value] = facts if promise is None else promise.raised(facts)

    # Walking

    def visit_block(self, block: Block) -> None:
        found = promises(block)
        if found:
            self.promises.update(found)
        for op in block.ops:
            self.visit(op)

    def visit(self, op: Operation) -> None:
        if op.regions:
            self.visit_with_regions(op)
        elif len(op.results) == 1:
            transfer = TRANSFERS.get(type(op))
            if transfer is not None:
                facts = transfer(op, [self.info(operand) for operand in op.operands])
            elif op.name.startswith(("arith.", "math.")) or isinstance(op, ELEMENTWISE_TT):
                facts = elementwise(op, [self.info(operand) for operand in op.operands])
            else:
                facts = unknown(op.results[0].type)
            self.set_facts(op.results[0], with_hints(facts, op.attributes) if op.attributes else facts)

    def visit_with_regions(self, op: Operation) -> None:
        if isinstance(op, scf.ForOp):
            self.visit_for(op)
        elif isinstance(op, scf.IfOp):
            self.visit_if(op)
        elif isinstance(op, scf.WhileOp):
            self.visit_while(op)
        else:
            for result in op.results:
                self.facts[result] = unknown(result.type)

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
