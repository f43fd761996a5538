"""What a running kernel tells: values that it prints, and conditions that it checks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    f32,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from mytriton.dialects import arith, cuda, tt
from mytriton.dialects.layouts import layout_of
from mytriton.dialects.tensor_types import (
    bit_width,
    element_type,
    is_fixed_width_integer,
    is_float,
    is_tensor_type,
    shape_of,
)
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.converter import Converter, is_tensor, layout, tensor_type
from mytriton.passes.to_cuda.emitter import Emitter
from mytriton.passes.to_cuda.memory import coordinates

PROGRAM = "pid (%u, %u, %u)"

_FLOAT_NAMES: dict[type[Attribute], str] = {
    Float16Type: "f16",
    BFloat16Type: "bf16",
    Float32Type: "f32",
    Float64Type: "f64",
}


def convert_print(converter: Converter, op: Operation) -> None:
    """print -> for each value a map of prints of its elements, by the threads that own them"""
    assert isinstance(op, tt.PrintOp)
    prefix, is_hex = op.prefix.data.replace("%", "%%"), op.hex.value.data != 0
    if not op.args:
        _print(converter, "", f"{PROGRAM}{prefix}\n", [], _first_thread(converter.emitter))
    for number, (value, signed) in enumerate(zip(op.args, op.is_signed.get_values(), strict=True)):
        suffix = f" (operand {number})" if len(op.args) > 1 else ""
        _print_value(converter, value, signed != 0, is_hex, prefix, suffix)


def _first_thread(emitter: Emitter) -> SSAValue:
    return emitter.add(arith.CmpiOp(emitter.thread_id(), emitter.constant(0), "eq"))


def _print_value(
    converter: Converter, value: SSAValue, is_signed: bool, is_hex: bool, prefix: str, suffix: str
) -> None:
    emitter, element = converter.emitter, element_type(value.type)
    conversion = _conversion(element, is_signed, is_hex)
    description = described(value.type, is_signed)
    if not is_tensor(value):
        printed = _printable(emitter, converter.scalar(value), is_signed)
        _print(converter, description, f"{PROGRAM}{prefix}{conversion}{suffix}\n", [printed], _first_thread(emitter))
        return
    owns = emitter.owns_elements(layout(value))
    shape = tensor_type(value).get_shape()
    places = ", ".join(["%d"] * len(shape))
    text = f"{PROGRAM} idx ({places}){prefix}{conversion}{suffix}\n"

    def body(register: SSAValue | None) -> list[SSAValue]:
        mask = emitter.conjunction([emitter.in_bounds(layout(value), shape, register), owns])
        printed = _printable(emitter, converter.element(value, register), is_signed)
        _print(converter, description, text, [*coordinates(converter, layout(value), register), printed], mask)
        return []

    emitter.map(layout(value).register_count, [], body)


def _print(converter: Converter, description: str, text: str, args: Sequence[SSAValue], mask: SSAValue | None) -> None:
    emitter = converter.emitter
    program = [emitter.add(cuda.BlockIdOp(axis)) for axis in range(3)]
    emitter.add_op(cuda.PrintOp(description, text, [*program, *args], mask))


def described(value_type: Attribute, is_signed: bool = True) -> str:
    """The type of a value, as `u8[4x16]`; without the brackets for a scalar."""
    element = element_type(value_type)
    if is_fixed_width_integer(element):
        bits = bit_width(element)
        name = f"{'i' if is_signed or bits == 1 else 'u'}{bits}"
    elif isinstance(element, tt.PointerType):
        name = "ptr"
    else:
        name = _FLOAT_NAMES.get(type(element), "f32")
    shape = shape_of(value_type)
    return name if shape is None else f"{name}[{'x'.join(map(str, shape))}]"


def _conversion(element: Attribute, is_signed: bool, is_hex: bool) -> str:
    if isinstance(element, tt.PointerType):
        return "%p"
    if not is_fixed_width_integer(element):
        return "%a" if is_hex else "%f"
    bits = bit_width(element)
    length = "ll" if bits == 64 else ""
    if is_hex:
        return f"0x%0{max(1, bits // 4)}{length}x"
    return f"%{length}{'d' if is_signed else 'u'}"


def _printable(emitter: Emitter, value: SSAValue, is_signed: bool) -> SSAValue:
    """A scalar of at least 32 bits, as C passes it to `printf`."""
    type = value.type
    if is_fixed_width_integer(type) and bit_width(type) < 32:
        extends_sign = is_signed and bit_width(type) > 1
        return emitter.add((arith.ExtSIOp if extends_sign else arith.ExtUIOp)(value, i32))
    if is_float(type) and bit_width(type) < 32:
        return emitter.add(arith.ExtFOp(value, f32))
    return value


def convert_assert(converter: Converter, op: Operation) -> None:
    """assert -> a map of assertions on the elements; padding holds whatever it is"""
    assert isinstance(op, tt.AssertOp)
    emitter, condition = converter.emitter, op.condition
    place = location_of(op)
    file, line = (place.file.rsplit("/", 1)[-1], place.line) if place is not None else ("", 0)
    compared = _compared(converter, condition)
    shape = shape_of(condition.type)
    description = f"[{'x'.join(map(str, shape or ()))}]"
    if compared is not None:
        left, right = compared.operands
        description += f" {described(left.type)} {compared.predicate_name} {described(right.type)}".replace("_", "")

    def check(register: SSAValue | None, indices: Sequence[SSAValue], inside: SSAValue | None) -> None:
        holds = converter.element(condition, register)
        if inside is not None:
            outside = emitter.add(arith.XOrIOp(inside, emitter.constant(1, inside.type)))
            holds = emitter.add(arith.OrIOp(outside, holds))
        values: list[SSAValue] = []
        if compared is not None:
            values = [_printable(emitter, converter.element(value, register), True) for value in compared.operands]
        message = op.message.data
        emitter.add_op(cuda.AssertOp(holds, message, file, line, description, [*indices, *values]))

    if not is_tensor(condition):
        check(None, [], None)
        return

    def body(register: SSAValue | None) -> list[SSAValue]:
        inside = emitter.in_bounds(layout(condition), tensor_type(condition).get_shape(), register)
        check(register, coordinates(converter, layout(condition), register), inside)
        return []

    emitter.map(layout(condition).register_count, [], body)


def comparison(condition: SSAValue) -> arith.CmpiOp | arith.CmpfOp | None:
    """The comparison that a condition is; of `a < b or c`, which is false only if both are, the first part."""
    op = condition.owner
    if isinstance(op, arith.OrIOp):
        op = op.lhs.owner
    return op if isinstance(op, arith.CmpiOp | arith.CmpfOp) else None


def _compared(converter: Converter, condition: SSAValue) -> arith.CmpiOp | arith.CmpfOp | None:
    """The comparison that the condition is, where its operands have scalar elements to show."""
    op = comparison(condition)
    if op is None:
        return None
    for operand in op.operands:
        if is_tensor_type(operand.type) and layout_of(operand.type) != layout(condition):
            return None
    return op


def convert_grid_dependency(converter: Converter, op: Operation) -> None:
    """grid_dependency_wait, grid_dependency_launch_dependents -> cuda.grid_dependency"""
    action = "wait" if isinstance(op, tt.GridDependencyWaitOp) else "launch_dependents"
    converter.emitter.add_op(cuda.GridDependencyOp(action))
