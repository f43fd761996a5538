"""Atomic operations: one thread does the operation on each element, and fences order the accesses around it."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mytriton.dialects import arith, cuda, tt
from mytriton.dialects.building import region_of
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.structured import if_branch, yield_values
from mytriton.dialects.tensor_types import element_type
from mytriton.passes.to_cuda.converter import Converter, is_tensor, layout, tensor_type
from mytriton.passes.to_cuda.emitter import Emitter
from mytriton.passes.to_cuda.memory import base_and_index

Place = tuple[SSAValue, SSAValue, SSAValue | None]
"""The base, the index and the mask of one element."""

MakeOperation = Callable[[Place, SSAValue | None], Operation]
"""The operation on the element at a place, with the values that a register holds."""


def convert_atomic_rmw(converter: Converter, op: Operation) -> None:
    """atomic_rmw -> cuda.atomic_rmw of each register between fences; without its result where nobody reads it"""
    assert isinstance(op, tt.AtomicRMWOp)
    has_result = op.result.first_use is not None

    def make(place: Place, register: SSAValue | None) -> Operation:
        base, index, mask = place
        value = converter.element(op.val, register)
        return cuda.AtomicRMWOp(op.operation, value, base, [index], mask, op.memory_scope, has_result)

    _convert(converter, op, op.ptr, op.mask, make)


def convert_atomic_cas(converter: Converter, op: Operation) -> None:
    """atomic_cas -> cuda.atomic_cas of each register between fences; without its result where nobody reads it"""
    assert isinstance(op, tt.AtomicCASOp)
    has_result = op.result.first_use is not None

    def make(place: Place, register: SSAValue | None) -> Operation:
        base, index, mask = place
        expected, value = (converter.element(operand, register) for operand in (op.cmp, op.val))
        return cuda.AtomicCASOp(expected, value, base, [index], mask, op.memory_scope, has_result)

    _convert(converter, op, op.ptr, None, make)


def convert_atomic_load(converter: Converter, op: Operation) -> None:
    """atomic_load -> cuda.atomic_load of each register before a fence"""
    assert isinstance(op, tt.AtomicLoadOp)

    def make(place: Place, register: SSAValue | None) -> Operation:
        base, index, mask = place
        return cuda.AtomicLoadOp(base, [index], mask, op.memory_scope)

    _convert(converter, op, op.ptr, op.mask, make)


def convert_atomic_store(converter: Converter, op: Operation) -> None:
    """atomic_store -> cuda.atomic_store of each register after a fence"""
    assert isinstance(op, tt.AtomicStoreOp)

    def make(place: Place, register: SSAValue | None) -> Operation:
        base, index, mask = place
        return cuda.AtomicStoreOp(converter.element(op.val, register), base, [index], mask, op.memory_scope)

    _convert(converter, op, op.ptr, op.mask, make)


def convert_atomic_poll(converter: Converter, op: Operation) -> None:
    """atomic_poll -> cuda.atomic_poll of each register before a fence; all have the same deadline"""
    assert isinstance(op, tt.AtomicPollOp)
    emitter = converter.emitter
    deadline: SSAValue | None = None
    if op.timeout_ns is not None:
        now = emitter.add(cuda.GlobalTimerOp(), "now")
        deadline = emitter.add(arith.AddiOp(now, converter.scalar(op.timeout_ns)), "deadline")

    def make(place: Place, register: SSAValue | None) -> Operation:
        base, index, mask = place
        expected = converter.element(op.expected, register)
        return cuda.AtomicPollOp(expected, base, [index], mask, deadline, op.memory_scope)

    _convert(converter, op, op.ptr, None, make)


def _convert(converter: Converter, op: tt.AtomicOp, ptr: SSAValue, mask: SSAValue | None, make: MakeOperation) -> None:
    """The operation on each register. The fences of a single one are inside the condition of its mask."""
    emitter, results = converter.emitter, list(op.results)
    has_result = bool(results) and results[0].first_use is not None
    releases, acquires = op.releases, op.acquires and has_result
    hint = results[0].name_hint or "old" if results else None

    def fence_if(needed: bool) -> None:
        if needed:
            emitter.add_op(cuda.FenceOp(op.memory_scope))

    def done(place: Place, register: SSAValue | None) -> list[SSAValue]:
        made = make(place, register)
        emitter.add_op(made)
        if made.results:
            made.results[0].name_hint = hint
        return [made.results[0]] if has_result else []

    def fenced(place: Callable[[], tuple[SSAValue, SSAValue]], condition: SSAValue | None) -> list[SSAValue]:
        fence_if(releases)
        values = done((*place(), condition), None)
        fence_if(acquires)
        return values

    def single(place: Callable[[], tuple[SSAValue, SSAValue]], condition: SSAValue | None) -> list[SSAValue]:
        if condition is None or not (releases or acquires):
            return fenced(place, condition)
        return _guarded(emitter, condition, lambda: fenced(place, None), hint)

    values: list[SSAValue]
    if not is_tensor(ptr):
        first = emitter.add(arith.CmpiOp(emitter.thread_id(), emitter.constant(0), "eq"))
        condition = emitter.conjunction([None if mask is None else converter.scalar(mask), first])
        values = single(lambda: (converter.scalar(ptr), emitter.constant(0)), condition)
    else:
        ptr_layout, shape = layout(ptr), tensor_type(ptr).get_shape()
        owns = emitter.owns_elements(ptr_layout)

        def condition_of(register: SSAValue | None) -> SSAValue | None:
            in_bounds = emitter.in_bounds(ptr_layout, shape, register)
            chosen = None if mask is None else converter.element(mask, register)
            return emitter.conjunction([chosen, in_bounds, owns])

        if ptr_layout.register_count == 1:
            values = single(lambda: base_and_index(converter, ptr, converter.address(ptr), None), condition_of(None))
        else:
            address = converter.address(ptr)

            def body(register: SSAValue | None) -> list[SSAValue]:
                base, index = base_and_index(converter, ptr, address, register)
                return done((base, index, condition_of(register)), register)

            fence_if(releases)
            types = [element_type(result.type) for result in results if has_result]
            values = emitter.map(ptr_layout.register_count, types, body, hints=[hint])
            fence_if(acquires)
    for old, new in zip(results, values, strict=False):
        converter.set(old, new)


def _guarded(
    emitter: Emitter, condition: SSAValue, work: Callable[[], list[SSAValue]], hint: str | None
) -> list[SSAValue]:
    """if condition { work } else { 0 }"""
    outer, emitter.block = emitter.block, Block()
    values = work()
    emitter.add_op(yield_values(values))
    then, otherwise = emitter.block, Region()
    emitter.block = outer
    if values:
        zeros = [emitter.attribute_constant(_zero(value.type)) for value in values]
        otherwise = region_of(Block([yield_values(zeros)]))
    branch = if_branch(condition, [value.type for value in values], region_of(then), otherwise)
    emitter.add_op(branch)
    for result in branch.results:
        result.name_hint = hint
    return list(branch.results)


def _zero(element: Attribute) -> IntegerAttr | FloatAttr:
    zero = IntegerAttr(0, i1) if element == i1 else constant_attr(element, 0)
    assert isinstance(zero, IntegerAttr | FloatAttr)
    return zero
