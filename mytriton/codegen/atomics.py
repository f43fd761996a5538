"""Atomic operations as C: CUDA's own functions where it has them for a type, the bits as another type where not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from mytriton.codegen.errors import codegen_error
from mytriton.codegen.expression import UNARY, Expression, cast, conditional
from mytriton.codegen.expressions import Expressions, Handler
from mytriton.codegen.memory import CARRIERS, packed, place, unpacked, zero
from mytriton.codegen.types import bits_of, scalar_type, signed_type, unsigned_type
from mytriton.dialects import cuda
from mytriton.dialects.cuda import memory_element_type

_SUFFIXES = {"cta": "_block", "gpu": "", "sys": "_system"}
"""Of CUDA's functions, by the scope of the threads for which the access is one step."""

_FUNCTIONS = {
    "and": "atomicAnd",
    "or": "atomicOr",
    "xor": "atomicXor",
    "add": "atomicAdd",
    "fadd": "atomicAdd",
    "max": "atomicMax",
    "min": "atomicMin",
    "umax": "atomicMax",
    "umin": "atomicMin",
    "exch": "atomicExch",
}
_UNSIGNED = ("umax", "umin")
_SIGNED = ("max", "min")

_AS_INTEGER = {"float": "__float_as_int", "double": "__double_as_longlong"}
_AS_FLOAT = {"float": "__int_as_float", "double": "__longlong_as_double"}
_SMALL_ADDITIONS = {"half": "atomic_add_half", "bfloat16": "atomic_add_bfloat16"}
_FENCES = {"cta": "fence_block", "gpu": "fence", "sys": "fence_system"}


Access: TypeAlias = cuda.AtomicRMWOp | cuda.AtomicCASOp | cuda.AtomicLoadOp | cuda.AtomicStoreOp | cuda.AtomicPollOp

Call: TypeAlias = tuple[Expression, str | None]
"""A call, and the integer type in which it gives what memory held, where that is not the element's own."""


def _read_modify_write(expressions: Expressions, op: cuda.AtomicRMWOp) -> Call:
    """`atomicAdd(&p[i], x)`"""
    type, kind, suffix = op.value.type, op.kind, _SUFFIXES[op.memory_scope]
    c_type, value = scalar_type(type), expressions.of(op.value)
    address = _address(expressions, op).text
    if kind == "fadd":
        function = _SMALL_ADDITIONS.get(c_type, "atomicAdd")
        return expressions.call(function + suffix, address, value), None
    function = _FUNCTIONS[kind] + suffix
    if kind == "exch" and c_type == "float":
        return expressions.call(function, address, value), None
    bits = bits_of(type)
    if bits not in (32, 64):
        raise codegen_error(op, f"{op.name} on {type} cannot be written as CUDA C")
    # CUDA has all functions for int, unsigned and unsigned long long, and only minimum and maximum for long long.
    is_unsigned = kind in _UNSIGNED or (bits == 64 and kind not in _SIGNED)
    return _on_words(expressions, function, unsigned_type(bits) if is_unsigned else signed_type(bits), op, [op.value])


def _compare_and_swap(expressions: Expressions, op: cuda.AtomicCASOp) -> Call:
    """`atomicCAS(&p[i], expected, x)`"""
    bits = bits_of(op.value.type)
    if bits not in (16, 32, 64):
        raise codegen_error(op, f"{op.name} on {op.value.type} cannot be written as CUDA C")
    word = signed_type(bits) if bits == 32 else unsigned_type(bits)
    function = "atomicCAS" + _SUFFIXES[op.memory_scope]
    if bits == 16:
        # CUDA has this one for the GPU's threads only, who are more than those of the block.
        function = "atomic_cas_short_system" if op.memory_scope == "sys" else "atomicCAS"
    return _on_words(expressions, function, word, op, [op.expected, op.value])


def _on_words(
    expressions: Expressions,
    function: str,
    word: str,
    op: cuda.AtomicRMWOp | cuda.AtomicCASOp,
    operands: Sequence[SSAValue],
) -> Call:
    """A call of a function for integers of a type, on the bits of the elements."""
    values: list[Expression] = []
    for operand in operands:
        value, c_type = packed(operand.type, expressions.of(operand)), scalar_type(operand.type)
        if c_type in _AS_INTEGER:
            value = expressions.call(_AS_INTEGER[c_type], value)
        if word.startswith("unsigned") != value.unsigned and c_type not in _SMALL_ADDITIONS:
            value = cast(word, value)
        values.append(value)
    address = _address(expressions, op).text
    is_own = word == scalar_type(op.value.type)
    called = expressions.call(function, address if is_own else f"({word} *){address}", *values)
    return called, None if is_own else word


def _access(expressions: Expressions, op: cuda.AtomicRMWOp | cuda.AtomicCASOp) -> Call:
    return (
        _read_modify_write(expressions, op) if isinstance(op, cuda.AtomicRMWOp) else _compare_and_swap(expressions, op)
    )


def _old_value(expressions: Expressions, op: cuda.AtomicRMWOp | cuda.AtomicCASOp) -> Expression:
    """`mask ? atomicAdd(&p[i], x) : 0`"""
    old, word = _access(expressions, op)
    type = op.value.type
    c_type = scalar_type(type)
    if word is not None and c_type in _AS_FLOAT:
        bits = cast(signed_type(bits_of(type)), old) if word.startswith("unsigned") else old
        old = expressions.call(_AS_FLOAT[c_type], bits)
    elif word is not None:
        old = unpacked(expressions, type, old) if c_type in _SMALL_ADDITIONS else cast(c_type, old)
    return old if op.mask is None else conditional(expressions.of(op.mask), old, zero(expressions, type))


def _load(expressions: Expressions, op: cuda.AtomicLoadOp) -> Expression:
    """`mask ? atomic_load(&p[i]) : 0`"""
    type = op.result.type
    loaded = expressions.call("atomic_load", _carrier_address(expressions, op))
    read = unpacked(expressions, type, loaded)
    return read if op.mask is None else conditional(expressions.of(op.mask), read, zero(expressions, type))


def _poll(expressions: Expressions, op: cuda.AtomicPollOp) -> Expression:
    """`mask ? atomic_poll(&p[i], expected) : false`"""
    address, expected = _carrier_address(expressions, op), expressions.signed(op.expected)
    if op.deadline is None:
        done = expressions.call("atomic_poll", address, expected)
    else:
        done = expressions.call("atomic_poll_until", address, expected, expressions.unsigned(op.deadline))
    return done if op.mask is None else conditional(expressions.of(op.mask), done, Expression("false"))


def _timer(expressions: Expressions, op: cuda.GlobalTimerOp) -> Expression:
    return expressions.call("global_timer")._replace(unsigned=True)


def _address(expressions: Expressions, op: Access) -> Expression:
    """`&p[i]`, or `p` for the first element behind a pointer."""
    where = place(expressions, op.base, op.indices)
    if where.text.endswith("[0]") and len(op.indices) == 1:
        return Expression(where.text.removesuffix("[0]"))
    return Expression(f"&{where.text}", UNARY)


def _carrier_address(
    expressions: Expressions, op: cuda.AtomicLoadOp | cuda.AtomicStoreOp | cuda.AtomicPollOp
) -> Expression:
    """The address of an element, of the type as which it travels."""
    carrier = CARRIERS.get(scalar_type(memory_element_type(op.base.type)))
    address = _address(expressions, op)
    return address if carrier is None else cast(f"{carrier} *", address)


def statement(expressions: Expressions, op: cuda.AtomicRMWOp | cuda.AtomicCASOp | cuda.AtomicStoreOp) -> str:
    """`if (mask) atomicAdd(&p[i], x);`, where nobody reads what was there before."""
    if isinstance(op, cuda.AtomicStoreOp):
        value = packed(op.value.type, expressions.of(op.value))
        done = expressions.call("atomic_store", _carrier_address(expressions, op), value)
    else:
        done, _ = _access(expressions, op)
    return f"{done.text};" if op.mask is None else f"if ({expressions.of(op.mask).text}) {done.text};"


def fence(expressions: Expressions, op: cuda.FenceOp) -> str:
    """`fence();`"""
    return f"{expressions.call(_FENCES[op.memory_scope]).text};"


HANDLERS: dict[type[Operation], Handler] = {
    cuda.AtomicRMWOp: _old_value,
    cuda.AtomicCASOp: _old_value,
    cuda.AtomicLoadOp: _load,
    cuda.AtomicPollOp: _poll,
    cuda.GlobalTimerOp: _timer,
}
