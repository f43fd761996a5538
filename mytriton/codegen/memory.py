"""Accesses to global memory, shared memory and registers, pointers, and what lanes of a warp exchange, as C."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from mytriton.codegen.errors import codegen_error
from mytriton.codegen.expression import PRIMARY, UNARY, Expression, binary, call, cast, conditional, element
from mytriton.codegen.expressions import Expressions, Handler
from mytriton.codegen.floats import small_float
from mytriton.codegen.literals import literal
from mytriton.codegen.types import (
    BITS,
    SMALL_FLOATS,
    bits_of,
    is_small_float,
    is_vector,
    scalar_type,
    unsigned_type,
    value_type,
    vector_form,
)
from mytriton.dialects import arith, cuda
from mytriton.dialects.tt import PointerType

_LOADS = {"ca": "__ldca", "cg": "__ldcg", "cs": "__ldcs", "cv": "__ldcv"}
_STORES = {"wb": "__stwb", "cg": "__stcg", "cs": "__stcs", "wt": "__stwt"}


def place(expressions: Expressions, base: SSAValue, indices: Sequence[SSAValue]) -> Expression:
    """The element of an array or behind a pointer: `a[i][j]`, `p[i]`."""
    if isinstance(base.owner, cuda.PtrAddOp) and base not in expressions.names:
        if arith.integer_constant(indices[0]) == 0:
            return element(expressions.of(base.owner.ptr), expressions.signed(base.owner.offset))
    return element(expressions.of(base), *(expressions.signed(index) for index in indices))


def vector_place(type: VectorType[Attribute], first: Expression, is_read: bool) -> Expression:
    """The vector that starts at an element: `*(float4 *)&a[i]`."""
    const = "const " if is_read else ""
    return Expression(f"*({const}{vector_form(type).c_type} *)&{first.at_least(PRIMARY)}", UNARY)


def zero(expressions: Expressions, type: Attribute) -> Expression:
    """The zero of a scalar or vector."""
    if is_vector(type):
        form = vector_form(type)
        part = "0u"
        if form.per_part == 1:
            part = zero(expressions, type.element_type).text
        return Expression(part) if form.count == 1 else call(f"make_{form.c_type}", *[part] * form.count)
    if isinstance(type, PointerType):
        return Expression("nullptr")
    expressions.use_type(scalar_type(type))
    return Expression(literal(arith.ConstantOp.of(type, 0).value))


# Some functions of CUDA know no bool and no small float: such a value travels as an integer.

CARRIERS = {"bool": "unsigned char", **{name: unsigned_type(BITS[type]) for type, name in SMALL_FLOATS.items()}}


def packed(type: Attribute, value: Expression) -> Expression:
    """A value as the integer that carries it; any other value as it is."""
    if is_small_float(type):
        return Expression(f"{value.at_least(PRIMARY)}.bits")
    return value


def unpacked(expressions: Expressions, type: Attribute, carrier: Expression) -> Expression:
    """The value that an integer carries."""
    if is_small_float(type):
        return small_float(expressions, scalar_type(type), carrier)
    return binary(carrier, "!=", Expression("0")) if scalar_type(type) == "bool" else carrier


def load(expressions: Expressions, op: cuda.LoadOp) -> Expression:
    """`mask ? p[i] : other`."""
    loaded = _loaded(expressions, op, place(expressions, op.base, op.indices))
    if op.mask is None:
        return loaded
    other = zero(expressions, op.result.type) if op.other is None else expressions.of(op.other)
    return conditional(expressions.of(op.mask), loaded, other)


def _loaded(expressions: Expressions, op: cuda.LoadOp, where: Expression) -> Expression:
    type = op.result.type
    is_volatile = op.is_volatile is not None and op.is_volatile.value.data != 0
    function = None if op.cache is None else _cache_function(op, _LOADS, op.cache.data)
    if is_vector(type):
        if is_volatile:
            raise codegen_error(op, f"a volatile load reads one element, not {type}")
        if function is None:
            return vector_place(type, where, True)
        return expressions.call(function, f"(const {vector_form(type).c_type} *)&{where.text}")
    if function is None and not is_volatile:
        return where
    carrier = CARRIERS.get(scalar_type(type))
    if function is None:
        read = Expression(f"*(const volatile {carrier or scalar_type(type)} *)&{where.text}", UNARY)
    else:
        address = f"&{where.text}" if carrier is None else f"(const {carrier} *)&{where.text}"
        read = expressions.call(function, address)
    return unpacked(expressions, type, read)


def store(expressions: Expressions, op: cuda.StoreOp) -> str:
    """`p[i] = value;`, or under a mask `if (mask) p[i] = value;`."""
    type = op.value.type
    where, value = place(expressions, op.base, op.indices), expressions.of(op.value)
    if op.cache is not None:
        function = _cache_function(op, _STORES, op.cache.data)
        carrier = value_type(type) if is_vector(type) else CARRIERS.get(scalar_type(type))
        address = f"&{where.text}" if carrier is None else f"({carrier} *)&{where.text}"
        statement = expressions.call(function, address, value if is_vector(type) else packed(type, value)).text
    elif is_vector(type):
        statement = f"{vector_place(type, where, False).text} = {value.text}"
    else:
        statement = f"{where.text} = {value.text}"
    if op.mask is None:
        return f"{statement};"
    return f"if ({expressions.of(op.mask).text}) {statement};"


def _cache_function(op: Operation, functions: dict[str, str], cache: str) -> str:
    if cache not in functions:
        raise codegen_error(op, f"{op.name}: the cache modifier is one of {', '.join(functions)}, found {cache!r}")
    return functions[cache]


def _get(expressions: Expressions, op: cuda.GetOp) -> Expression:
    first = element(expressions.of(op.regs), expressions.signed(op.index))
    if is_vector(op.result.type):
        return vector_place(op.result.type, first, True)
    return first


def shuffle(
    expressions: Expressions, type: Attribute, value: Expression, lane: str, function: str = "__shfl_xor_sync"
) -> Expression:
    """The value of another lane: the one whose number differs in the bits of a mask, unless `function` says more."""
    if bits_of(type) < 32:
        # The shuffles of CUDA exist for types of 32 and 64 bits.
        value = cast("int", packed(type, value))
    read = expressions.call(function, "0xffffffff", value, lane)
    return unpacked(expressions, type, cast(CARRIERS[scalar_type(type)], read) if is_small_float(type) else read)


def _shuffle_xor(expressions: Expressions, op: cuda.ShuffleXorOp) -> Expression:
    return shuffle(expressions, op.value.type, expressions.of(op.value), expressions.signed(op.lane_mask).text)


def _shuffle(expressions: Expressions, op: cuda.ShuffleOp) -> Expression:
    lane = expressions.signed(op.lane).text
    return shuffle(expressions, op.value.type, expressions.of(op.value), lane, "__shfl_sync")


def _add_to_pointer(expressions: Expressions, op: cuda.PtrAddOp) -> Expression:
    return binary(expressions.of(op.ptr), "+", expressions.signed(op.offset))


def _cast_pointer(expressions: Expressions, op: cuda.PtrCastOp) -> Expression:
    c_type = scalar_type(op.result.type)
    expressions.use_type(c_type)
    return cast(c_type, expressions.of(op.value))


def _pointer_to_integer(expressions: Expressions, op: cuda.PtrToIntOp) -> Expression:
    address = cast("long long", expressions.of(op.value))
    c_type = scalar_type(op.result.type)
    return address if c_type == "long long" else cast(c_type, address)


def _integer_to_pointer(expressions: Expressions, op: cuda.IntToPtrOp) -> Expression:
    address = expressions.of(op.value)
    if bits_of(op.value.type) < 64:
        address = cast("unsigned long long", expressions.unsigned(op.value))
    c_type = scalar_type(op.result.type)
    expressions.use_type(c_type)
    return cast(c_type, address)


def _thread_id(expressions: Expressions, op: cuda.ThreadIdOp) -> Expression:
    return Expression("threadIdx.x", unsigned=True)


def _grid_position(expressions: Expressions, op: cuda.GridPositionOp) -> Expression:
    vector = "blockIdx" if isinstance(op, cuda.BlockIdOp) else "gridDim"
    return Expression(f"{vector}.{cuda.AXES[op.axis.value.data]}", unsigned=True)


HANDLERS: dict[type[Operation], Handler] = {
    cuda.LoadOp: load,
    cuda.GetOp: _get,
    cuda.ShuffleXorOp: _shuffle_xor,
    cuda.ShuffleOp: _shuffle,
    cuda.PtrAddOp: _add_to_pointer,
    cuda.PtrCastOp: _cast_pointer,
    cuda.PtrToIntOp: _pointer_to_integer,
    cuda.IntToPtrOp: _integer_to_pointer,
    cuda.ThreadIdOp: _thread_id,
    cuda.BlockIdOp: _grid_position,
    cuda.GridDimOp: _grid_position,
}
