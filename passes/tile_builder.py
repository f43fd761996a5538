"""Puts operations on tiles in front of an operation that is being replaced."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.building import append, insert_before
from mytriton.dialects.constants import Constant, constant_attr
from mytriton.dialects.tensor_types import is_tensor_type, with_element_type


class TileBuilder:
    """Operations at the location of `anchor`, in front of it, or at the end of a block."""

    def __init__(self, anchor: Operation, block: Block | None = None):
        self.anchor = anchor
        self.block = block

    def add(self, op: Operation) -> SSAValue:
        """Puts an operation in place and gives its result."""
        self.insert(op)
        return op.results[0]

    def insert(self, op: Operation) -> None:
        op.location = self.anchor.location
        if self.block is None:
            insert_before((op,), self.anchor)
        else:
            append(self.block, op)

    def constant(self, type: Attribute, value: Constant) -> SSAValue:
        return self.add(arith.ConstantOp(constant_attr(type, value)))

    def like(self, value: SSAValue, number: Constant) -> SSAValue:
        """A constant of the type of a value."""
        return self.constant(value.type, number)

    def range(self, size: int) -> SSAValue:
        return self.add(tt.MakeRangeOp(0, size))

    def splat(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        return self.add(tt.SplatOp(value, TensorType(value.type, shape)))

    def broadcast(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        assert is_tensor_type(value.type)
        if value.type.get_shape() == tuple(shape):
            return value
        return self.add(tt.BroadcastOp(value, TensorType(value.type.element_type, shape)))

    def along(self, value: SSAValue, axis: int, rank: int) -> SSAValue:
        """A tensor of rank 1 as one of a higher rank that only varies along `axis`."""
        for other in range(rank):
            if other != axis:
                value = self.add(tt.ExpandDimsOp(value, other))
        return value

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        assert is_tensor_type(value.type)
        if value.type.get_shape() == tuple(shape):
            return value
        return self.add(tt.ReshapeOp(value, TensorType(value.type.element_type, shape)))

    def transpose(self, value: SSAValue, *order: int) -> SSAValue:
        return self.add(tt.TransOp(value, order))

    def as_integer(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Signed integers as wider ones."""
        type = with_element_type(value.type, element)
        return value if value.type == type else self.add(arith.ExtSIOp(value, type))
