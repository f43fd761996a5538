"""The steps of a sorting network that Triton's text has, each within a warp."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from mytriton.dialects import tt, ttg
from mytriton.dialects.building import erase, replace_uses
from mytriton.dialects.layouts import LinearEncodingAttr, layout_of
from mytriton.dialects.linear_layout import LinearLayout, is_power_of_two
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.passes.encodings import blocked_encoding, with_encoding
from mytriton.passes.network_layouts import compares_within_warp, knows_places, with_warps_moved
from mytriton.passes.tile_builder import TileBuilder


class ExchangeSteps:
    """tt.compare_exchange x -> convert_layout(ttg.compare_exchange(convert_layout(x))), in which no element leaves its
    warp.

    What one step has left in another layout is taken from there by the next one, if it can be.
    """

    def __init__(self, num_warps: int):
        self.num_warps = num_warps
        self.moved: dict[SSAValue, SSAValue] = {}
        self.following: dict[tt.CompareExchangeOp, tuple[int, ...]] = {}

    def lower(self, steps: Sequence[tt.CompareExchangeOp]) -> None:
        for step in reversed(steps):
            users = [use.operation for use in step.result.uses]
            later = [self.following[user] for user in users if isinstance(user, tt.CompareExchangeOp)]
            self.following[step] = (step.axis.value.data, *max(later, key=len, default=()))
        for step in steps:
            self.pass_as_vector(step)
            self.lower_step(step)
        for value in reversed(self.moved):
            erase_unused(value)

    def pass_as_vector(self, op: tt.CompareExchangeOp) -> None:
        """compare_exchange(convert_layout(x)) -> compare_exchange(reshape(convert_layout(reshape(x))))"""
        conversion = op.src.owner
        if isinstance(conversion, ttg.ConvertLayoutOp):
            assert is_tensor_type(op.src.type)
            op.operands[0] = converted(TileBuilder(op), conversion.src, op.src.type)
            erase_unused(conversion.result)

    def lower_step(self, op: tt.CompareExchangeOp) -> None:
        builder = TileBuilder(op)
        falls = None if op.falls is None else op.falls.value.data
        source = self.within_warp(op, builder)
        step = ttg.CompareExchangeOp(
            source,
            op.axis.value.data,
            distance=1,
            block=2 if falls is None else 1,
            descending=op.descending is not None,
            block_axis=falls,
            unsigned=op.unsigned is not None,
        )
        result = builder.add(step)
        result.name_hint = op.result.name_hint
        if result.type != op.result.type:
            assert is_tensor_type(op.result.type)
            moved, result = result, converted(builder, result, op.result.type)
            self.moved[result] = moved
        replace_uses(op.result, result)
        erase(op)

    def within_warp(self, op: tt.CompareExchangeOp, builder: TileBuilder) -> SSAValue:
        """The operand in a layout in which the elements that are compared are in one warp."""
        for value in (op.src, self.moved.get(op.src)):
            if value is not None and compares_within_warp(op, layout_of_value(value)):
                return value
        type, layout = op.src.type, layout_of_value(op.src)
        assert is_tensor_type(type)
        if not knows_places(op, layout):
            layout = blocked_encoding(type.get_shape(), self.num_warps).to_linear(type.get_shape())
        if not compares_within_warp(op, layout):
            layout = with_warps_moved(layout, self.following[op])
        return converted(builder, op.src, with_encoding(type, LinearEncodingAttr.of(layout)))


def converted(builder: TileBuilder, value: SSAValue, type: TensorType[Attribute]) -> SSAValue:
    """A value in another layout, as a vector on the way: a buffer with rows of two elements would be mostly padding."""
    shape = type.get_shape()
    if not all(map(is_power_of_two, shape)):
        return named(builder.add(ttg.ConvertLayoutOp(value, type)), value)
    size = (prod(shape),)
    flat = [vector_of(type.element_type, layout.reshape(size)) for layout in (layout_of_value(value), layout_of(type))]
    vector = named(builder.add(tt.ReshapeOp(value, flat[0])), value)
    moved = named(builder.add(ttg.ConvertLayoutOp(vector, flat[1])), value)
    return named(builder.add(tt.ReshapeOp(moved, type)), value)


def erase_unused(value: SSAValue) -> None:
    """Removes a conversion that nothing reads."""
    while value.first_use is None and isinstance(value.owner, tt.ReshapeOp | ttg.ConvertLayoutOp):
        op = value.owner
        value = op.src
        erase(op)


def named(value: SSAValue, like: SSAValue) -> SSAValue:
    value.name_hint = like.name_hint
    return value


def vector_of(element: Attribute, layout: LinearLayout) -> TensorType[Attribute]:
    return TensorType(element, layout.shape, LinearEncodingAttr.of(layout))


def layout_of_value(value: SSAValue) -> LinearLayout:
    assert is_tensor_type(value.type)
    return layout_of(value.type)
