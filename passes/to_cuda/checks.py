"""Checks of shadow values: each element that is faulty and active is reported."""

from __future__ import annotations

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, cuda, ttg
from mytriton.passes.to_cuda.converter import Converter, is_tensor, layout, tensor_type


def convert_check(converter: Converter, op: Operation) -> None:
    """check -> a map of reports; of the threads that hold copies of an element one reports it, or with `by_all` each"""
    assert isinstance(op, ttg.CheckOp)
    emitter, shadow = converter.emitter, op.shadow

    pointer = op.pointer
    address = converter.address(pointer) if pointer is not None and is_tensor(pointer) else None

    def pointer_element(register: SSAValue | None) -> SSAValue | None:
        if pointer is None:
            return None
        if not is_tensor(pointer):
            return converter.scalar(pointer)
        return converter.element(pointer, register) if address is None else converter.pointer(address, register)

    def report(register: SSAValue | None, guard: SSAValue | None) -> None:
        origin = converter.element(shadow, register) if is_tensor(shadow) else converter.scalar(shadow)
        mask = None
        if op.mask is not None:
            mask = converter.element(op.mask, register) if is_tensor(op.mask) else converter.scalar(op.mask)
        is_faulty = emitter.add(arith.CmpiOp(origin, emitter.constant(0, i32), "ne"))
        condition = emitter.conjunction([guard, mask, is_faulty])
        assert condition is not None
        emitter.add_op(cuda.ReportOp(origin, op.sink.value.data, condition, pointer_element(register)))

    if not is_tensor(shadow):
        report(None, None if op.by_all else emitter.add(arith.CmpiOp(emitter.thread_id(), emitter.constant(0), "eq")))
        return
    owns = None if op.by_all else emitter.owns_elements(layout(shadow))

    def body(register: SSAValue | None) -> list[SSAValue]:
        inside = emitter.in_bounds(layout(shadow), tensor_type(shadow).get_shape(), register)
        report(register, emitter.conjunction([inside, owns]))
        return []

    emitter.map(layout(shadow).register_count, [], body)
