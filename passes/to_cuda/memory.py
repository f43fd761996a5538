"""Loads and stores of tensors: global memory through pointers, shared memory through buffers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.attribute_names import VECTOR_WIDTH
from mytriton.dialects.linear_layout import LinearLayout
from mytriton.passes.scratch import has_vectors, row_padding, shared_vector_width
from mytriton.passes.to_cuda.converter import Address, Converter, is_tensor, layout, tensor_type
from mytriton.passes.to_cuda.emitter import NO_WRAP


def vector_width(op: Operation) -> int:
    width = op.attributes.get(VECTOR_WIDTH)
    return width.value.data if isinstance(width, IntegerAttr) else 1


def convert_load(converter: Converter, op: Operation) -> None:
    """load -> a map of predicated loads; a lane that is masked off without `other` reads zero."""
    assert isinstance(op, tt.LoadOp)
    emitter = converter.emitter
    cache, volatile = _cache_of(op), op.is_volatile
    if not is_tensor(op.result):
        mask = None if op.mask is None else converter.scalar(op.mask)
        other = None if op.other is None else converter.scalar(op.other)
        base = converter.scalar(op.ptr)
        load = cuda.LoadOp(base, [emitter.constant(0)], mask, other, cache=cache, is_volatile=volatile)
        converter.set(op.result, emitter.add(load, op.result.name_hint))
        return
    width = vector_width(op)
    result_layout, result_type = layout(op.result), tensor_type(op.result)
    address = converter.address(op.ptr)
    others = None if op.other is None else array_for_vectors(converter, op.other, width)

    def body(register: SSAValue | None) -> list[SSAValue]:
        base, index = base_and_index(converter, op.ptr, address, register)
        in_bounds = emitter.in_bounds(result_layout, result_type.get_shape(), register)
        mask = emitter.conjunction([_mask_element(converter, op.mask, register), in_bounds])
        other = None
        if mask is not None and op.other is not None and not _is_zero_splat(converter, op.other):
            other = vector_or_element(converter, op.other, others, register, width)
        load = cuda.LoadOp(base, [index], mask, other, width, cache=cache, is_volatile=volatile)
        return [emitter.add(load, op.result.name_hint)]

    (array,) = emitter.map(
        result_layout.register_count, [result_type.element_type], body, width, hints=[op.result.name_hint]
    )
    converter.set(op.result, array)


def convert_store(converter: Converter, op: Operation) -> None:
    """store -> a map of predicated stores; of the threads that hold copies of an element, one stores it."""
    assert isinstance(op, tt.StoreOp)
    emitter, cache = converter.emitter, _cache_of(op)
    if not is_tensor(op.value):
        thread_zero = emitter.add(arith.CmpiOp(emitter.thread_id(), emitter.constant(0), "eq"))
        mask = emitter.conjunction([None if op.mask is None else converter.scalar(op.mask), thread_zero])
        value, base = converter.scalar(op.value), converter.scalar(op.ptr)
        emitter.add_op(cuda.StoreOp(value, base, [emitter.constant(0)], mask, cache))
        return
    width = vector_width(op)
    value_layout, value_type = layout(op.value), tensor_type(op.value)
    address = converter.address(op.ptr)
    owns = emitter.owns_elements(value_layout)
    array = array_for_vectors(converter, op.value, width)

    def body(register: SSAValue | None) -> list[SSAValue]:
        base, index = base_and_index(converter, op.ptr, address, register)
        in_bounds = emitter.in_bounds(value_layout, value_type.get_shape(), register)
        mask = emitter.conjunction([_mask_element(converter, op.mask, register), in_bounds, owns])
        value = vector_or_element(converter, op.value, array, register, width)
        emitter.add_op(cuda.StoreOp(value, base, [index], mask, cache))
        return []

    emitter.map(value_layout.register_count, [], body, width)


def vector_or_element(
    converter: Converter, value: SSAValue, array: SSAValue | None, register: SSAValue | None, width: int
) -> SSAValue:
    """What one access moves: an element, or `width` neighbours of the value's register array."""
    if array is not None:
        return converter.emitter.get(array, register, width)
    if value in converter.splats:
        return converter.emitter.splat_vector(converter.splats[value], width)
    return converter.element(value, register)


def array_for_vectors(converter: Converter, value: SSAValue, width: int) -> SSAValue | None:
    """The value's register array, made before the map that reads it, where `width` neighbours are read at once."""
    return converter.array(value) if width > 1 and value not in converter.splats else None


def base_and_index(
    converter: Converter, ptr: SSAValue, address: Address | None, register: SSAValue | None
) -> tuple[SSAValue, SSAValue]:
    """Where the element of a register is: behind a pointer, so many elements further."""
    if address is None:
        return converter.element(ptr, register), converter.emitter.constant(0)
    return address.base, converter.offset(address, register)


def _mask_element(converter: Converter, mask: SSAValue | None, register: SSAValue | None) -> SSAValue | None:
    return None if mask is None else converter.element(mask, register)


def _is_zero_splat(converter: Converter, value: SSAValue) -> bool:
    """Whether every element is the zero that a load without `other` gives (positive zero for floats)."""
    if value not in converter.splats:
        return False
    constant = converter.splats[value].owner
    if not isinstance(constant, arith.ConstantOp):
        return False
    match constant.value:
        case IntegerAttr(value=number):
            return number.data == 0
        case FloatAttr(value=number):
            return number.data == 0.0 and str(number.data) == "0.0"
        case _:
            return False


def _cache_of(op: tt.LoadOp | tt.StoreOp) -> str | None:
    return None if op.cache_modifier == "none" else op.cache_modifier


# Shared memory


def convert_local_store(converter: Converter, op: Operation) -> None:
    """local_store -> a map of stores at each register's coordinates."""
    assert isinstance(op, ttg.LocalStoreOp)
    emitter, buffer = converter.emitter, converter.scalar(op.buffer)
    src_layout, src_type = layout(op.src), tensor_type(op.src)
    width = vector_width_in(src_layout, src_type.get_shape(), op.buffer)
    owns = emitter.owns_elements(src_layout)
    array = array_for_vectors(converter, op.src, width)

    def body(register: SSAValue | None) -> list[SSAValue]:
        indices = buffer_indices(converter, op.buffer, coordinates(converter, src_layout, register))
        mask = emitter.conjunction([emitter.in_bounds(src_layout, src_type.get_shape(), register), owns])
        value = vector_or_element(converter, op.src, array, register, width)
        emitter.add_op(cuda.StoreOp(value, buffer, indices, mask))
        return []

    emitter.map(src_layout.register_count, [], body, width)


def convert_local_load(converter: Converter, op: Operation) -> None:
    """local_load -> a map of loads at each register's coordinates; padding reads nothing."""
    assert isinstance(op, ttg.LocalLoadOp)
    emitter, buffer = converter.emitter, converter.scalar(op.buffer)
    result_layout, result_type = layout(op.result), tensor_type(op.result)
    assert isinstance(op.buffer.type, ttg.MemDescType)
    shape, buffer_shape = result_type.get_shape(), op.buffer.type.get_shape()
    reshaped = not op.offsets and shape != buffer_shape
    width = 1 if reshaped else vector_width_in(result_layout, shape, op.buffer, last_start(op))

    def body(register: SSAValue | None) -> list[SSAValue]:
        indices = coordinates(converter, result_layout, register)
        if reshaped:
            indices = _row_major_coordinates(converter, indices, shape, buffer_shape)
        for dim, offset in enumerate(op.offsets):
            start, step = converter.scalar(offset), op.steps[dim]
            if step != 1:
                indices[dim] = emitter.add(arith.MuliOp(indices[dim], emitter.constant(step), overflow=NO_WRAP))
            indices[dim] = emitter.add(arith.AddiOp(start, indices[dim], overflow=NO_WRAP))
        mask = emitter.in_bounds(result_layout, shape, register)
        load = cuda.LoadOp(buffer, buffer_indices(converter, op.buffer, indices), mask, None, width)
        return [emitter.add(load, op.result.name_hint)]

    (array,) = emitter.map(
        result_layout.register_count, [result_type.element_type], body, width, hints=[op.result.name_hint]
    )
    converter.set(op.result, array)


def last_start(op: ttg.LocalLoadOp) -> int:
    """Where a load starts along the last dimension; 1 stands for all that a wide access may not rely on."""
    if not op.offsets:
        return 0
    start = arith.integer_constant(op.offsets[-1])
    return start if start is not None and op.steps[-1] == 1 else 1


def coordinates(converter: Converter, tensor_layout: LinearLayout, register: SSAValue | None) -> list[SSAValue]:
    """The coordinates of the element in a register, one for each dimension."""
    emitter = converter.emitter
    return [emitter.coordinate_or_zero(tensor_layout, dim, register) for dim in range(tensor_layout.rank)]


def _row_major_coordinates(
    converter: Converter, indices: Sequence[SSAValue], shape: Sequence[int], target: Sequence[int]
) -> list[SSAValue]:
    """The coordinates in `target` of the element whose coordinates in `shape` are given, both in row-major order."""
    emitter = converter.emitter
    position = indices[0]
    for extent, index in zip(shape[1:], indices[1:], strict=True):
        scaled = emitter.add(arith.MuliOp(position, emitter.constant(extent), overflow=NO_WRAP))
        position = emitter.add(arith.AddiOp(scaled, index, overflow=NO_WRAP))
    result: list[SSAValue] = []
    for extent in reversed(target[1:]):
        result.append(emitter.add(arith.RemSIOp(position, emitter.constant(extent))))
        position = emitter.add(arith.DivSIOp(position, emitter.constant(extent)))
    return [position, *reversed(result)]


def vector_width_in(tensor_layout: LinearLayout, shape: tuple[int, ...], buffer: SSAValue, start: int = 0) -> int:
    """How many neighbours along the last dimension one access to a buffer may move, from `start` on."""
    assert isinstance(buffer.type, ttg.MemDescType)
    element_type, encoding = buffer.type.element_type, buffer.type.encoding
    if not has_vectors(element_type):
        return 1
    element_bytes = ttg.element_bytes(element_type)
    return shared_vector_width(tensor_layout, shape, buffer.type.get_shape(), encoding, element_bytes, start)


def buffer_indices(converter: Converter, buffer: SSAValue, indices: list[SSAValue]) -> list[SSAValue]:
    """The indices of an element in the array of a buffer: a padded vector is an array of rows."""
    assert isinstance(buffer.type, ttg.MemDescType)
    padding = row_padding(buffer.type.encoding, buffer.type.get_shape())
    if padding is None or len(indices) > 1:
        return indices
    emitter, (index,) = converter.emitter, indices
    interval = emitter.constant(padding[0], index.type)
    return [emitter.add(arith.DivSIOp(index, interval)), emitter.add(arith.RemSIOp(index, interval))]
