"""Elements of shared buffers that are read, or counted, by number."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, cuda, ttg
from mytriton.passes.to_cuda.converter import Converter, layout, tensor_type
from mytriton.passes.to_cuda.memory import buffer_indices, coordinates


def convert_local_gather(converter: Converter, op: Operation) -> None:
    """local_gather -> a map of loads, of which one coordinate is the element of the indices; out of range reads 0."""
    assert isinstance(op, ttg.LocalGatherOp) and isinstance(op.buffer.type, ttg.MemDescType)
    emitter, buffer = converter.emitter, converter.scalar(op.buffer)
    result_layout, result_type, axis = layout(op.result), tensor_type(op.result), op.axis.value.data
    extent = op.buffer.type.get_shape()[axis]

    def body(register: SSAValue | None) -> list[SSAValue]:
        places = coordinates(converter, result_layout, register)
        places[axis] = converter.element(op.indices, register)
        is_element = emitter.in_bounds(result_layout, result_type.get_shape(), register)
        mask = emitter.conjunction([is_element, _is_below(converter, places[axis], extent)])
        indices = buffer_indices(converter, op.buffer, places)
        return [emitter.add(cuda.LoadOp(buffer, indices, mask), op.result.name_hint)]

    (array,) = emitter.map(result_layout.register_count, [result_type.element_type], body, hints=[op.result.name_hint])
    converter.set(op.result, array)


def _is_below(converter: Converter, number: SSAValue, extent: int) -> SSAValue:
    """0 <= number < extent, in one unsigned comparison."""
    emitter = converter.emitter
    return emitter.add(arith.CmpiOp(number, emitter.constant(extent, number.type), "ult"))


def convert_local_histogram(converter: Converter, op: Operation) -> None:
    """local_histogram -> a map of atomic additions; of the threads that hold copies of an element, one counts it."""
    assert isinstance(op, ttg.LocalHistogramOp) and isinstance(op.buffer.type, ttg.MemDescType)
    emitter, buffer = converter.emitter, converter.scalar(op.buffer)
    src_layout, src_type = layout(op.src), tensor_type(op.src)
    (bins,), element_type = op.buffer.type.get_shape(), op.buffer.type.element_type
    owns = emitter.owns_elements(src_layout)
    scope = "cta"

    def body(register: SSAValue | None) -> list[SSAValue]:
        number = converter.element(op.src, register)
        chosen = None if op.mask is None else converter.element(op.mask, register)
        is_element = emitter.in_bounds(src_layout, src_type.get_shape(), register)
        mask = emitter.conjunction([chosen, is_element, owns, _is_below(converter, number, bins)])
        one, indices = emitter.constant(1, element_type), buffer_indices(converter, op.buffer, [number])
        emitter.add_op(cuda.AtomicRMWOp("add", one, buffer, indices, mask, scope, False))
        return []

    emitter.map(src_layout.register_count, [], body)
