"""Operations that work on each element for itself, and those that only rename where an element is."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue

from mytriton import libdevice
from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.building import create
from mytriton.dialects.constants import constant_attr, splat_value
from mytriton.dialects.linear_layout import LANE, Basis, LinearLayout
from mytriton.dialects.tensor_types import element_type, is_tensor_type
from mytriton.errors import CompilationError
from mytriton.passes.effects import Effects, effects_of
from mytriton.passes.encodings import pads_alike
from mytriton.passes.lane_exchange import lane_exchange
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.converter import Converter, Elements, is_tensor, layout, tensor_type
from mytriton.passes.to_cuda.emitter import NO_WRAP, Emitter, element_type_of, true_or
from mytriton.passes.to_cuda.register_map import (
    CoordinateMap,
    permuted,
    pinned,
    row_major,
    same_coordinates,
    with_last_dim,
    without_dim,
)
from mytriton.passes.to_cuda.shuffles import exchange_lanes


def convert_elementwise(converter: Converter, op: Operation) -> None:
    """op(tensors) -> a map over registers of op(elements); op on scalars stays."""
    (result,), sources, emitter = op.results, op.operands, converter.emitter
    if not is_tensor(result):
        element = element_operation(op, [converter.scalar(source) for source in sources])
        converter.set(result, emitter.add(element))
        return
    splats = converter.splats
    if all(source in splats for source in sources if is_tensor(source)) and effects_of(op) is Effects.NONE:
        operands = [converter.element(source, None) for source in sources]
        splats[result] = emitter.add(element_operation(op, operands), result.name_hint)
        return
    if isinstance(op, tt.AddPtrOp | tt.BitcastOp) and converter.keeps_address(result):
        return

    def body(register: SSAValue | None) -> list[SSAValue]:
        operands = [converter.element(source, register) for source in sources]
        return [emitter.add(element_operation(op, operands), result.name_hint)]

    element_type = tensor_type(result).element_type
    (array,) = emitter.map(layout(result).register_count, [element_type], body, hints=[result.name_hint])
    converter.set(result, array)


def element_operation(op: Operation, operands: list[SSAValue]) -> Operation:
    """The operation on one element of each operand."""
    result_type = op.results[0].type
    if is_tensor_type(result_type):
        result_type = result_type.element_type
    if op.__class__ not in _RENAMED:
        element = create(op.__class__, operands, (result_type,), op.properties.copy())
        if op.attributes:
            element.attributes = op.attributes.copy()
        return element
    match op:
        case tt.AddPtrOp():
            return cuda.PtrAddOp(*operands)
        case tt.BitcastOp():
            if isinstance(result_type, tt.PointerType):
                return cuda.PtrCastOp(operands[0], result_type)
            return arith.BitcastOp(operands[0], result_type)
        case tt.IntToPtrOp():
            return cuda.IntToPtrOp(operands[0], result_type)
        case tt.PtrToIntOp():
            return cuda.PtrToIntOp(operands[0], result_type)
        case tt.PreciseDivFOp():
            return cuda.PreciseDivOp(*operands)
        case tt.PreciseSqrtOp():
            return cuda.PreciseSqrtOp(*operands)
        case tt.MulhiUIOp():
            return cuda.MulhiUIOp(*operands)
        case tt.ExternElementwiseOp():
            return cuda.CallOp(_cuda_function(op), operands, result_type)
        case _:
            raise AssertionError(op.name)


_RENAMED = frozenset(
    {
        tt.AddPtrOp,
        tt.BitcastOp,
        tt.IntToPtrOp,
        tt.PtrToIntOp,
        tt.PreciseDivFOp,
        tt.PreciseSqrtOp,
        tt.MulhiUIOp,
        tt.ExternElementwiseOp,
    }
)
"""The operations that are called otherwise in the cuda dialect."""


def _cuda_function(op: tt.ExternElementwiseOp) -> str:
    symbol = op.symbol.data
    if (overload := libdevice.SYMBOLS.get(symbol)) is None:
        raise CompilationError(
            f"the function {symbol} is not one of libdevice",
            location_of(op),
            hint="only the functions of tl.extra.cuda.libdevice can be called",
        )
    if len(op.srcs) != len(overload.operands):
        raise CompilationError(
            f"{symbol} takes {len(overload.operands)} operands, found {len(op.srcs)}", location_of(op)
        )
    return libdevice.cuda_name(symbol)


def convert_constant(converter: Converter, op: Operation) -> None:
    """A constant is made once, at the top of the kernel; a tensor constant is a splat."""
    assert isinstance(op, arith.ConstantOp)
    value = op.value
    if isinstance(value, DenseIntOrFPElementsAttr):
        number = splat_value(value)
        if number is None:
            raise CompilationError(
                "a constant tensor with different elements is not supported",
                location_of(op),
                hint="build it from tl.arange and tl.where",
            )
        element = constant_attr(tensor_type(op.result).element_type, number)
        assert isinstance(element, IntegerAttr | FloatAttr)
        converter.splats[op.result] = converter.emitter.attribute_constant(element)
        return
    assert isinstance(value, IntegerAttr | FloatAttr)
    converter.values[op.result] = converter.emitter.attribute_constant(value)


def convert_splat(converter: Converter, op: Operation) -> None:
    """splat x -> x, remembered as the element of every register."""
    assert isinstance(op, tt.SplatOp)
    converter.splats[op.result] = converter.scalar(op.src)


def convert_make_range(converter: Converter, op: Operation) -> None:
    """make_range -> the coordinate of each register, plus the start."""
    assert isinstance(op, tt.MakeRangeOp)
    emitter, start = converter.emitter, op.start.value.data

    def body(register: SSAValue | None) -> list[SSAValue]:
        coordinate = emitter.coordinate(layout(op.result), 0, register)
        first = emitter.constant(start) if start or coordinate is None else None
        total = emitter.add_index(coordinate, first)
        assert total is not None
        return [total]

    (array,) = emitter.map(layout(op.result).register_count, [i32], body, hints=[op.result.name_hint])
    converter.set(op.result, array)


def convert_map_elementwise(converter: Converter, op: Operation) -> None:
    """map_elementwise -> a map that runs the region for each register, or for each group of `pack` registers"""
    assert isinstance(op, tt.MapElementwiseOp)
    emitter, pack, source = converter.emitter, op.pack.value.data, op.scalar_op.block
    count = layout(op.srcs[0]).register_count
    if count % pack:
        raise CompilationError(
            f"pack must divide the elements of a thread, found pack = {pack} and {count} elements", location_of(op)
        )

    def body(group: SSAValue | None) -> list[SSAValue]:
        elements: list[SSAValue] = []
        for src in op.srcs:
            for offset in range(pack):
                register = None if count == 1 else _register_in_group(emitter, group, pack, offset)
                elements.append(converter.element(src, register))
        for argument, element in zip(source.args, elements, strict=True):
            converter.values[argument] = element
        *inner, last = source.ops
        for nested in inner:
            converter.convert(nested)
        emitter.source = op
        return [converter.scalar(operand) for operand in last.operands]

    types = [element_type(result.type) for result in op.result for _ in range(pack)]
    values = emitter.map(count // pack, types, body)
    for number, result in enumerate(op.result):
        parts = values[number * pack : (number + 1) * pack]
        converter.set(result, parts[0] if pack == 1 else _interleaved(emitter, parts, count))


def _register_in_group(emitter: Emitter, group: SSAValue | None, pack: int, offset: int) -> SSAValue:
    if group is None:
        return emitter.constant(offset)
    first = emitter.add(arith.MuliOp(group, emitter.constant(pack), overflow=NO_WRAP)) if pack > 1 else group
    return emitter.add(arith.AddiOp(first, emitter.constant(offset), overflow=NO_WRAP)) if offset else first


def _interleaved(emitter: Emitter, parts: list[SSAValue], count: int) -> SSAValue:
    """parts[r % pack][r / pack] for each register r"""
    pack = len(parts)

    def body(register: SSAValue | None) -> list[SSAValue]:
        assert register is not None
        group = emitter.add(arith.DivSIOp(register, emitter.constant(pack)))
        offset = emitter.add(arith.RemSIOp(register, emitter.constant(pack)))
        value = emitter.get(parts[-1], group)
        for number in reversed(range(pack - 1)):
            is_this = emitter.add(arith.CmpiOp(offset, emitter.constant(number), "eq"))
            value = emitter.add(arith.SelectOp(is_this, emitter.get(parts[number], group), value))
        return [value]

    return emitter.map(count, [element_type_of(parts[0])], body)[0]


def convert_in_bounds(converter: Converter, op: Operation) -> None:
    """in_bounds -> each coordinate of a padded dimension compared with its size."""
    assert isinstance(op, ttg.InBoundsOp)
    emitter, result_type = converter.emitter, tensor_type(op.result)

    def body(register: SSAValue | None) -> list[SSAValue]:
        condition = emitter.in_bounds(layout(op.result), result_type.get_shape(), register)
        return [true_or(condition, emitter)]

    (array,) = emitter.map(layout(op.result).register_count, [result_type.element_type], body)
    converter.set(op.result, array)


def convert_join(converter: Converter, op: Operation) -> None:
    """join(a, b) -> a map that takes registers of one and of the other in turn."""
    assert isinstance(op, tt.JoinOp)
    emitter, dim = converter.emitter, layout(op.lhs).rank
    parts = [
        Elements(operand, (converter.register_map(op.result, operand, without_dim(dim)),))
        for operand in (op.lhs, op.rhs)
    ]

    def body(register: SSAValue | None) -> list[SSAValue]:
        first, second = (converter.mapped_element(part, register) for part in parts)
        position = emitter.coordinate_or_zero(layout(op.result), dim, register)
        is_first = emitter.add(arith.CmpiOp(position, emitter.constant(0), "eq"))
        return [emitter.add(arith.SelectOp(is_first, first, second), op.result.name_hint)]

    element_type = tensor_type(op.result).element_type
    (array,) = emitter.map(layout(op.result).register_count, [element_type], body, hints=[op.result.name_hint])
    converter.set(op.result, array)


def convert_unsplat(converter: Converter, op: Operation) -> None:
    """unsplat(x) -> the only register of x, of which every thread has a copy"""
    assert isinstance(op, tt.UnsplatOp)
    converter.set(op.result, converter.element(op.src, None))


def convert_renaming(converter: Converter, op: Operation) -> None:
    """broadcast, expand_dims, trans, reshape, convert_layout, split, extract_slice within a thread -> the same
    registers, renumbered."""
    match op:
        case tt.BroadcastOp():
            _rename(converter, op.result, op.src, pinned(tensor_type(op.src).get_shape()))
        case tt.ExpandDimsOp():
            _rename(converter, op.result, op.src, without_dim(op.axis.value.data))
        case tt.TransOp():
            _rename(converter, op.result, op.src, permuted(tuple(op.order.get_values())))
        case tt.ReshapeOp():
            target, source = layout(op.result), layout(op.src)
            is_alike = pads_alike(tensor_type(op.src).get_shape(), tensor_type(op.result).get_shape())
            if not is_alike or not _exchanged(converter, op, source.reshape(target.shape)):
                _rename(converter, op.result, op.src, row_major(target, source))
        case tt.SplitOp():
            for half, result in enumerate(op.results):
                origin = (*(0 for _ in range(layout(result).rank)), half)
                _rename(converter, result, op.src, with_last_dim, origin)
        case tt.ExtractSliceOp():
            _rename(converter, op.result, op.src, same_coordinates, op.constant_offsets)
        case ttg.ConvertLayoutOp():
            if not _exchanged(converter, op, layout(op.src)):
                _rename(converter, op.result, op.src, same_coordinates)
        case _:
            raise AssertionError(op.name)


def _exchanged(converter: Converter, op: tt.ReshapeOp | ttg.ConvertLayoutOp, source: LinearLayout) -> bool:
    """Whether elements change lanes and no warps: shuffles have then moved them."""
    target = layout(op.result)
    if op.src in converter.splats or source.conversion_level(target) != LANE:
        return False
    exchange = lane_exchange(source, target)
    assert exchange is not None
    hint = op.result.name_hint or op.src.name_hint
    converter.set(op.result, exchange_lanes(converter.emitter, exchange, converter.array(op.src), hint))
    return True


def _rename(
    converter: Converter, result: SSAValue, src: SSAValue, to_source: CoordinateMap, origin: Basis | None = None
) -> None:
    if src in converter.splats:
        converter.splats[result] = converter.splats[src]
        return
    if src not in converter.values and converter.keeps_address(result):
        return
    step = converter.register_map(result, src, to_source, origin)
    if step.is_identity:
        converter.set(result, converter.array(src))
        return
    array = converter.array(src)

    def body(register: SSAValue | None) -> list[SSAValue]:
        return [converter.emitter.get(array, step.emit(converter.emitter, register))]

    (renamed,) = converter.emitter.map(
        layout(result).register_count,
        [tensor_type(result).element_type],
        body,
        hints=[result.name_hint or src.name_hint],
    )
    converter.set(result, renamed)
