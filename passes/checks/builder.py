"""Builds operations on shadow values: i32 numbers, 0 where an element is as it should be.

A shadow of a tensor is a scalar where it is the same for all elements, and a tensor otherwise. None stands for 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.building import append, create, insert_before, region_of
from mytriton.dialects.constants import Constant, constant_attr
from mytriton.dialects.structured import if_branch, yield_values
from mytriton.dialects.tensor_types import element_type, is_tensor_type, shape_of, with_element_type

Shadow: TypeAlias = "SSAValue | None"


class ShadowBuilder:
    """Puts operations behind `anchor`, or in front of it, with its location."""

    def __init__(self, anchor: Operation, is_before: bool = False):
        self.anchor = anchor
        self._point = anchor if is_before else anchor.next_op
        self._block: Block | None = None

    # Operations

    def add(self, op: Operation) -> SSAValue:
        """Puts an operation in place and gives its first result."""
        self.insert(op)
        return op.results[0]

    def insert(self, op: Operation) -> None:
        op.location = self.anchor.location
        if self._block is not None:
            append(self._block, op)
            return
        assert self._point is not None, "nothing stands behind a terminator"
        insert_before((op,), self._point)

    def where(self, condition: SSAValue) -> tuple[Block | None, Operation]:
        """An `scf.if`, whose body is filled until `end` gets what this gives."""
        block = Block()
        branch = if_branch(condition, (), region_of(block), Region())
        self.insert(branch)
        outer, self._block = self._block, block
        return outer, branch

    def end(self, outer: tuple[Block | None, Operation]) -> None:
        self.insert(yield_values(()))
        self._block = outer[0]

    def constant(self, type: Attribute, value: Constant) -> SSAValue:
        return self.add(arith.ConstantOp(constant_attr(type, value)))

    def like(self, value: SSAValue, number: Constant) -> SSAValue:
        """A constant of the type of a value."""
        return self.constant(value.type, number)

    def compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue | int) -> SSAValue:
        right = rhs if isinstance(rhs, SSAValue) else self.like(lhs, rhs)
        return self.add(arith.CmpiOp(lhs, right, predicate))

    def negated(self, condition: SSAValue) -> SSAValue:
        return self.add(arith.XOrIOp(condition, self.like(condition, 1)))

    def uniform(self, value: SSAValue) -> SSAValue:
        """The scalar that all elements of a value are known to be."""
        found = uniform_source(value)
        assert found is not None
        return found if isinstance(found, SSAValue) else self.constant(element_type(value.type), found)

    # Shadows

    def number(self, origin: int) -> SSAValue:
        """The shadow of a value that is faulty everywhere."""
        return self.constant(i32, origin)

    def as_tensor(self, shadow: Shadow, shape: Sequence[int]) -> SSAValue:
        type = TensorType(i32, shape)
        if shadow is None:
            return self.constant(type, 0)
        if is_tensor_type(shadow.type):
            return shadow
        number = arith.integer_constant(shadow)
        return self.constant(type, number) if number is not None else self.add(tt.SplatOp(shadow, type))

    def as_type(self, shadow: Shadow, type: Attribute) -> SSAValue:
        """A shadow as a value of i32, or of a tensor of them, that it is known to fit."""
        if is_tensor_type(type):
            return self.as_tensor(shadow, type.get_shape())
        assert shadow is None or not is_tensor_type(shadow.type), "a shadow that is not the same for all elements"
        return self.constant(i32, 0) if shadow is None else shadow

    def both(self, first: Shadow, second: Shadow) -> Shadow:
        """The larger one of each element."""
        if first is None or second is None or first is second:
            return second if first is None else first
        for one, other in ((first, second), (second, first)):
            if isinstance(one.owner, arith.MaxSIOp) and other in one.owner.operands:
                return one
        shape = shape_of(first.type) or shape_of(second.type)
        if shape is not None:
            first, second = self.as_tensor(first, shape), self.as_tensor(second, shape)
        return self.add(arith.MaxSIOp(first, second))

    def all(self, shadows: Iterable[Shadow]) -> Shadow:
        result: Shadow = None
        for shadow in shadows:
            result = self.both(result, shadow)
        return result

    def choose(self, condition: SSAValue, first: Shadow, second: Shadow) -> Shadow:
        """select(condition, first, second), and what is known of it from selections by the same condition."""
        first, second = _chosen(condition, first, True), _chosen(condition, second, False)
        if first is second:
            return first
        shape = shape_of(condition.type)
        if shape is None:
            shape = next((found for s in (first, second) if s is not None and (found := shape_of(s.type))), None)
        type: Attribute = i32 if shape is None else TensorType(i32, shape)
        first, second = self.as_type(first, type), self.as_type(second, type)
        return self.add(arith.SelectOp(condition, first, second))

    def is_faulty(self, shadow: SSAValue) -> SSAValue:
        return self.compare("ne", shadow, 0)

    def moved(self, op: Operation, shadows: Sequence[Shadow], operands: Sequence[SSAValue]) -> list[Shadow]:
        """The shadows of the results of an operation that moves elements, from those of its first operands.

        It is done on the shadows in place of these; `operands` are the rest of its operands.
        """
        if all(shadow is None for shadow in shadows):
            return [None] * len(op.results)
        if all(shadow is None or not is_tensor_type(shadow.type) for shadow in shadows):
            return [self.all(shadows)] * len(op.results)
        moved = [
            self.as_tensor(shadow, shape_of(value.type) or ())
            for shadow, value in zip(shadows, op.operands, strict=False)
        ]
        types = [with_element_type(result.type, i32) for result in op.results]
        copy = create(type(op), (*moved, *operands), types, dict(op.properties))
        self.insert(copy)
        return list(copy.results)

    def largest(self, shadow: Shadow, axis: int) -> Shadow:
        """The largest along an axis of a shadow that is a tensor; the axis goes away."""
        if shadow is None or not is_tensor_type(shadow.type):
            return shadow
        return self.add(tt.ReduceOp([shadow], axis, _to_largest(tt.ReduceReturnOp)))

    def largest_before(self, shadow: Shadow, scan: tt.ScanOp) -> Shadow:
        """For each element the largest of those that a scan combines for it."""
        if shadow is None or not is_tensor_type(shadow.type):
            return shadow
        return self.add(tt.ScanOp([shadow], scan.axis.value.data, scan.is_reverse, _to_largest(tt.ScanReturnOp)))

    def largest_of_all(self, shadow: Shadow) -> Shadow:
        """The largest of all elements, as a scalar."""
        while shadow is not None and is_tensor_type(shadow.type):
            shadow = self.largest(shadow, 0)
        return shadow

    def spread(self, shadow: Shadow, axis: int, shape: Sequence[int]) -> Shadow:
        """A shadow without an axis, repeated along that axis of `shape`."""
        if shadow is None or not is_tensor_type(shadow.type):
            return shadow
        expanded = self.add(tt.ExpandDimsOp(shadow, axis))
        type = TensorType(i32, shape)
        return expanded if expanded.type == type else self.add(tt.BroadcastOp(expanded, type))


def _to_largest(end: type[tt.ReduceReturnOp | tt.ScanReturnOp]) -> Region:
    block = Block(arg_types=(i32, i32))
    maximum = arith.MaxSIOp(block.args[0], block.args[1])
    append(block, maximum)
    append(block, end(maximum))
    return region_of(block)


def uniform_source(value: SSAValue) -> SSAValue | Constant | None:
    """The scalar, or the number, that all elements of a value are; None where they may differ."""
    while isinstance(value.owner, _MOVED):
        value = value.owner.src
    if not is_tensor_type(value.type):
        return value
    if isinstance(value.owner, tt.SplatOp):
        return value.owner.src
    return arith.constant_value(value)


_MOVED = (tt.BroadcastOp, tt.ExpandDimsOp, tt.TransOp, tt.ReshapeOp)


def _chosen(condition: SSAValue, shadow: Shadow, side: bool) -> Shadow:
    """What a shadow is where a condition is known: select(c, x, y) -> x where c is true."""
    while shadow is not None and isinstance(select := shadow.owner, arith.SelectOp) and select.cond is condition:
        shadow = select.lhs if side else select.rhs
    return None if shadow is not None and arith.integer_constant(shadow) == 0 else shadow
