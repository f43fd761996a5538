"""Arithmetic, bitwise operations and comparisons on tensors and numbers, with Triton's promotion and broadcasting."""

from __future__ import annotations

import struct

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import dtype, float32, int1, int64, type_of_number
from mytriton.language.promotion import common_dtype
from mytriton.language.shapes import broadcast_pair, broadcast_to_shape
from mytriton.language.values import Argument, Number, Operand, block_like, is_number, like, member, tensor

# Operands


@builtin
def to_tensor(value: object) -> tensor:
    """The value as a tensor; a number becomes a scalar of the dtype that it has by itself."""
    if isinstance(value, tensor):
        return value
    if not is_number(value):
        raise messages.not_a_value(value)
    return constant(value, type_of_number(value))


def constant(value: Number, element_ty: dtype, shape: tuple[int, ...] = ()) -> tensor:
    """A tensor of `shape` with every element equal to `value`, which must be in the range of the dtype."""
    if not is_number(value) or not _is_numeric(element_ty):
        raise messages.not_a_constant_of(value, element_ty)
    if element_ty.is_int():
        if isinstance(value, float):
            if value != 0.0:
                raise messages.float_for_integer(value, element_ty)
            value = 0
        low, high = element_ty.get_int_min_value(), element_ty.get_int_max_value()
        if value < low and element_ty.is_int_unsigned():
            raise messages.negative_for_unsigned(value, element_ty)
        if not low <= value <= high:
            raise messages.number_out_of_range(value, element_ty)
    if element_ty.is_fp8e4b15():
        return broadcast_to_shape(cast_to(constant(float(value), float32), element_ty), shape)
    type = block_like(element_ty, shape)
    return tensor(current_builder().constant(value, type), type)


def number_as(value: Number, element_ty: dtype, shape: tuple[int, ...] = ()) -> tensor:
    """The number cast to a dtype, as `cast` would: an integer wraps, a float that becomes an integer is cut off."""
    natural = dtype_of(value)
    if element_ty.is_bool():
        return constant(value != 0, element_ty, shape)
    if element_ty.is_int() and natural.is_int():
        low, width = element_ty.get_int_min_value(), element_ty.int_bitwidth
        return constant((int(value) - low) % (1 << width) + low, element_ty, shape)
    if element_ty.is_floating() and (natural.is_floating() or abs(value) <= 1 << 24):
        # The number is a float32 first, so a narrower float rounds twice.
        number = struct.unpack("f", struct.pack("f", value))[0] if natural.is_fp32() else float(value)
        return constant(number, element_ty, shape)
    return broadcast_to_shape(cast_to(to_tensor(value), element_ty), shape)


def dtype_of(value: Operand) -> dtype:
    """The dtype of a tensor, or the one that a number has by itself; raises `CompilationError` for anything else."""
    if isinstance(value, tensor):
        return value.dtype
    if not is_number(value):
        raise messages.not_a_value(value)
    return type_of_number(value)


def operands(lhs: Operand, rhs: Operand, symbol: str, is_division: bool = False) -> tuple[tensor, tensor]:
    """Both operands in the dtype and the shape in which the operation is done."""
    lhs_type, rhs_type = dtype_of(lhs), dtype_of(rhs)
    if not _is_numeric(lhs_type) or not _is_numeric(rhs_type):
        raise messages.bad_operands(symbol, lhs_type, rhs_type)
    common = common_dtype(lhs_type, rhs_type, is_number(lhs), is_number(rhs), is_division)
    if common.is_fp8e4b15():
        raise messages.no_arithmetic(symbol, common)
    return _in_common(lhs, rhs, common)


def _in_common(lhs: Operand, rhs: Operand, common: dtype) -> tuple[tensor, tensor]:
    # A number becomes a constant of the other operand's shape at once.
    if not isinstance(lhs, tensor):
        lhs = constant(lhs, common, rhs.shape if isinstance(rhs, tensor) else ())
    if not isinstance(rhs, tensor):
        rhs = constant(rhs, common, lhs.shape)
    return broadcast_pair(cast_to(lhs, common), cast_to(rhs, common))


def _integer_operands(lhs: Operand, rhs: Operand, symbol: str) -> tuple[tensor, tensor]:
    lhs, rhs = operands(lhs, rhs, symbol)
    if not lhs.dtype.is_int():
        raise messages.bad_operands(symbol, lhs.dtype, rhs.dtype)
    return lhs, rhs


def _is_numeric(type: dtype) -> bool:
    return type.is_int() or type.is_floating()


def _emit(integer_op: str | None, float_op: str, lhs: tensor, rhs: tensor) -> tensor:
    op = float_op if lhs.dtype.is_floating() else integer_op
    assert op is not None
    return like(lhs, current_builder().binary(op, lhs.handle, rhs.handle))


def _is_identity(number: Operand, unit: int, other: Operand) -> bool:
    """Whether an integer operation of `other` with the number changes nothing, so that no operation is needed."""
    if isinstance(number, tensor | bool | float) or number != unit:
        return False
    return isinstance(other, tensor) and other.dtype.is_int() and not other.dtype.is_bool()


# Arithmetic


@builtin
def add(x: Argument, y: Argument, sanitize_overflow: bool = True) -> tensor:
    """`x + y`; a pointer plus an integer counts in elements."""
    if _is_pointer(x) or _is_pointer(y):
        return _add_pointer(x, y)
    if _is_identity(y, 0, x):
        return to_tensor(x)
    if _is_identity(x, 0, y):
        return to_tensor(y)
    return _emit("addi", "addf", *operands(x, y, "+"))


@builtin
def sub(x: Argument, y: Argument, sanitize_overflow: bool = True) -> tensor:
    """`x - y`; a pointer minus an integer counts in elements."""
    if _is_pointer(x) and not _is_pointer(y):
        if not dtype_of(y).is_int():
            raise messages.bad_operands("-", dtype_of(x), dtype_of(y))
        if not isinstance(y, tensor):
            return _add_pointer(x, -y)
        # An unsigned offset is widened before its sign changes, so that the difference is the true one.
        return _add_pointer(x, negate(cast_to(y, int64) if y.dtype.is_int_unsigned() else y))
    if _is_identity(y, 0, x):
        return to_tensor(x)
    return _emit("subi", "subf", *operands(x, y, "-"))


@builtin
def mul(x: Argument, y: Argument, sanitize_overflow: bool = True) -> tensor:
    """`x * y`"""
    if _is_identity(y, 1, x):
        return to_tensor(x)
    if _is_identity(x, 1, y):
        return to_tensor(y)
    return _emit("muli", "mulf", *operands(x, y, "*"))


def truediv(x: Operand, y: Operand) -> tensor:
    """`x / y`; integers are divided in float32."""
    lhs, rhs = operands(x, y, "/", is_division=True)
    if lhs.dtype.is_int():
        lhs, rhs = cast_to(lhs, float32), cast_to(rhs, float32)
    return _emit(None, "divf", lhs, rhs)


def floordiv(x: Operand, y: Operand) -> tensor:
    """`x // y` of integers, rounded towards zero as in C."""
    lhs, rhs = operands(x, y, "//", is_division=True)
    if not lhs.dtype.is_int():
        raise messages.float_floor_division(dtype_of(x), dtype_of(y))
    return _emit("divsi" if lhs.dtype.is_int_signed() else "divui", "divf", lhs, rhs)


def mod(x: Operand, y: Operand) -> tensor:
    """`x % y`, with the sign of `x` as in C."""
    lhs, rhs = operands(x, y, "%", is_division=True)
    return _emit("remsi" if lhs.dtype.is_int_signed() else "remui", "remf", lhs, rhs)


def power(x: Operand, y: Operand) -> tensor:
    """`x ** y`; of integers where `y` is a number that is not negative, else of floats."""
    exponent = y.constant if isinstance(y, tensor) and not y.is_block else y
    if is_number(exponent) and not isinstance(exponent, float):
        base = to_tensor(x)
        if base.dtype.is_int() and exponent >= 0:
            return _product(base, exponent)
        if base.dtype.is_floating() and exponent == 2:
            return mul(base, base)
        y = float(exponent) if base.dtype.is_floating() else y
    lhs, rhs = operands(x, y, "**")
    if not lhs.dtype.is_floating():
        raise messages.power_of_integers(dtype_of(x), dtype_of(y))
    return like(lhs, current_builder().binary("powf", lhs.handle, rhs.handle))


def _product(x: tensor, factors: int) -> tensor:
    """`x * x * ...`, by squaring."""
    result: tensor | None = None
    while factors:
        if factors & 1:
            result = x if result is None else mul(result, x)
        factors >>= 1
        if factors:
            x = mul(x, x)
    return constant(1, x.dtype, x.shape) if result is None else result


def negate(x: tensor) -> tensor:
    """`-x`"""
    if x.dtype.is_fp8e4b15():
        raise messages.no_arithmetic("-", x.dtype)
    if x.dtype.is_floating():
        return like(x, current_builder().unary("negf", x.handle))
    if not x.dtype.is_int():
        raise messages.bad_operand("-", x.dtype)
    return _emit("subi", "subf", constant(0, x.dtype, x.shape), x)


def _is_pointer(value: Operand) -> bool:
    return isinstance(value, tensor) and value.dtype.is_ptr()


def _add_pointer(x: Operand, y: Operand) -> tensor:
    if _is_pointer(y):
        if _is_pointer(x):
            raise messages.sum_of_pointers(dtype_of(x), dtype_of(y))
        x, y = y, x
    assert isinstance(x, tensor)
    if not dtype_of(y).is_int():
        raise messages.bad_pointer_offset(x.dtype, dtype_of(y))
    if not isinstance(y, tensor):
        if y == 0:
            return x
        y = constant(y, type_of_number(y), x.shape)
    # The IR's offsets are signed, so one that is not is widened.
    offset = cast_to(y, int64) if y.dtype.is_int_unsigned() and y.dtype.int_bitwidth < 64 else y
    pointer, offset = broadcast_pair(x, offset)
    return like(pointer, current_builder().add_pointer(pointer.handle, offset.handle))


# Bitwise operations


def and_(x: Operand, y: Operand) -> tensor:
    """`x & y`"""
    return _emit("andi", "", *_integer_operands(x, y, "&"))


def or_(x: Operand, y: Operand) -> tensor:
    """`x | y`"""
    return _emit("ori", "", *_integer_operands(x, y, "|"))


def xor(x: Operand, y: Operand) -> tensor:
    """`x ^ y`"""
    return _emit("xori", "", *_integer_operands(x, y, "^"))


def lshift(x: Operand, y: Operand) -> tensor:
    """`x << y`"""
    return _emit("shli", "", *_integer_operands(x, y, "<<"))


def rshift(x: Operand, y: Operand) -> tensor:
    """`x >> y`; a signed `x` keeps its sign."""
    signed = x.dtype.is_int_signed() if isinstance(x, tensor) else dtype_of(y).is_int_signed()
    return _emit("shrsi" if signed else "shrui", "", *_integer_operands(x, y, ">>"))


def invert(x: tensor) -> tensor:
    """`~x`; of an `int1` its logical opposite."""
    if not x.dtype.is_int():
        raise messages.bad_operand("~", x.dtype)
    ones = -1 if x.dtype.is_int_signed() else x.dtype.get_int_max_value()
    return _emit("xori", "", x, constant(ones, x.dtype, x.shape))


# Comparisons


def _compare(x: Operand, y: Operand, symbol: str, float_op: str, signed_op: str, unsigned_op: str) -> tensor:
    lhs, rhs = operands(x, y, symbol)
    builder = current_builder()
    if lhs.dtype.is_floating():
        return like(lhs, builder.compare_floats(float_op, lhs.handle, rhs.handle), int1)
    op = signed_op if lhs.dtype.is_int_signed() else unsigned_op
    return like(lhs, builder.compare_integers(op, lhs.handle, rhs.handle), int1)


def less_than(x: Operand, y: Operand) -> tensor:
    """`x < y`"""
    return _compare(x, y, "<", "olt", "slt", "ult")


def less_equal(x: Operand, y: Operand) -> tensor:
    """`x <= y`"""
    return _compare(x, y, "<=", "ole", "sle", "ule")


def greater_than(x: Operand, y: Operand) -> tensor:
    """`x > y`"""
    return _compare(x, y, ">", "ogt", "sgt", "ugt")


def greater_equal(x: Operand, y: Operand) -> tensor:
    """`x >= y`"""
    return _compare(x, y, ">=", "oge", "sge", "uge")


def equal(x: Operand, y: Operand) -> tensor:
    """`x == y`; a NaN equals nothing."""
    return _compare(x, y, "==", "oeq", "eq", "eq")


def not_equal(x: Operand, y: Operand) -> tensor:
    """`x != y`; a NaN differs from everything."""
    return _compare(x, y, "!=", "une", "ne", "ne")


# Truth values


def truth(x: tensor) -> tensor:
    """Whether each element is not zero, as `int1`."""
    return cast_to(x, int1)


def logical_not(x: tensor) -> tensor:
    """`not x`, element by element."""
    return invert(truth(x))


@member
@builtin
def logical_and(x: tensor, other: Argument) -> tensor:
    """`x and other`, element by element, of any dtypes; both are evaluated."""
    return and_(truth(x), truth(to_tensor(unwrap(other))))


@member
@builtin
def logical_or(x: tensor, other: Argument) -> tensor:
    """`x or other`, element by element, of any dtypes; both are evaluated."""
    return or_(truth(x), truth(to_tensor(unwrap(other))))


def promoted_triple(x: Operand, y: Operand, z: Operand) -> tuple[tensor, tensor, tensor]:
    """Three operands in one dtype and shape; the order in which they are given does not matter."""
    tensor_type: dtype | None = None
    number_type: dtype | None = None
    for value in (x, y, z):
        type = dtype_of(value)
        if not _is_numeric(type):
            raise messages.bad_operand("this operation", type)
        if isinstance(value, tensor):
            tensor_type = type if tensor_type is None else common_dtype(tensor_type, type)
        else:
            number_type = type if number_type is None else common_dtype(number_type, type, True, True)
    if tensor_type is None or number_type is None:
        common = tensor_type or number_type
    else:
        common = common_dtype(tensor_type, number_type, b_is_number=True)
    assert common is not None
    a, b, c = (cast_to(v, common) if isinstance(v, tensor) else constant(v, common) for v in (x, y, z))
    a, b = broadcast_pair(a, b)
    a, c = broadcast_pair(a, c)
    b, c = broadcast_pair(b, c)
    return a, b, c
