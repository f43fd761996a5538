"""A value of some type where none is read: zero, the address 0, or a descriptor that is poison."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import LocationAttr, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.building import append
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.tensor_types import element_type, with_element_type
from mytriton.passes.tile_builder import TileBuilder

Add = Callable[[Operation], SSAValue]


def placeholder(into: Block, type: Attribute, location: LocationAttr) -> SSAValue:
    """A value of `type`, computed at the end of `into`."""

    def add(op: Operation) -> SSAValue:
        op.location = location
        append(into, op)
        return op.results[0]

    return _placeholder(add, type)


def placeholder_before(op: Operation, type: Attribute) -> SSAValue:
    """A value of `type`, computed in front of an operation."""
    return _placeholder(TileBuilder(op).add, type)


def _placeholder(add: Add, type: Attribute) -> SSAValue:
    if isinstance(type, tt.TensorDescType):
        from xdsl.dialects import ub

        return add(ub.PoisonOp(type))
    if isinstance(element_type(type), tt.PointerType):
        addresses = with_element_type(type, i64)
        return add(tt.IntToPtrOp(add(arith.ConstantOp(constant_attr(addresses, 0))), type))
    return add(arith.ConstantOp(constant_attr(type, 0)))
