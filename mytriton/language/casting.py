"""Conversions between dtypes."""

from __future__ import annotations

from mytriton import messages
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import dtype, float32, int1, int64
from mytriton.language.values import Argument, is_number, like, member, tensor

ROUNDING_MODES = ("rtne", "rtz")


@member
@builtin
def cast(input: Argument, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """`input` in another dtype: its value, or with `bitcast` its bits.

    `fp_downcast_rounding`: "rtne" (to nearest, ties to even) or "rtz" (towards zero), for a float that gets narrower.
    """
    from mytriton.language.operators import number_as, to_tensor

    target, rounding, value = checked_dtype(dtype), unwrap(fp_downcast_rounding), unwrap(input)
    if unwrap(bitcast):
        return bitcast_to(to_tensor(value), target)
    if is_number(value) and rounding is None and not target.is_ptr():
        return number_as(value, target)
    return cast_to(to_tensor(value), target, rounding)


@member
@builtin
def to(input: Argument, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """The same as `cast`."""
    return cast(input, dtype, fp_downcast_rounding, bitcast)


def checked_dtype(value: object) -> dtype:
    """The scalar type that `value` is; raises `CompilationError` for anything else and for types not supported yet."""
    value = unwrap(value)
    if not isinstance(value, dtype) or value.is_block() or value.is_void():
        raise messages.not_a_dtype(value)
    if value.scalar.is_fp8():
        raise messages.fp8_unsupported(value)
    return value


def cast_to(value: tensor, target: dtype, rounding: str | None = None) -> tensor:
    """The elements of `value` converted to the scalar type `target`."""
    source = value.dtype
    if source == target:
        return value
    if rounding is not None:
        _check_rounding(rounding, source, target)
    if source.is_ptr() or target.is_ptr():
        return _cast_pointer(value, target)
    if source.is_floating():
        return _cast_float(value, target, rounding)
    return _cast_integer(value, target)


def bitcast_to(value: tensor, target: dtype) -> tensor:
    """The bits of the elements of `value` as the scalar type `target`, which has as many."""
    source = value.dtype
    if source == target:
        return value
    if source.is_ptr() or target.is_ptr():
        return cast_to(value, target)
    if source.primitive_bitwidth != target.primitive_bitwidth:
        raise messages.bitcast_of_other_size(source, target)
    if source.is_int() and target.is_int():
        return like(value, value.handle, target)
    return _convert("bitcast", value, target)


def _check_rounding(rounding: str, source: dtype, target: dtype) -> None:
    if rounding not in ROUNDING_MODES:
        raise messages.bad_choice("fp_downcast_rounding", rounding, ROUNDING_MODES)
    narrows = source.is_floating() and target.is_floating() and target.primitive_bitwidth < source.primitive_bitwidth
    if not narrows:
        raise messages.rounding_without_narrowing(source, target)


def _convert(op: str, value: tensor, target: dtype) -> tensor:
    type = value.type.with_element_ty(target)
    return tensor(current_builder().convert(op, value.handle, type), type)


def _is_not_zero(value: tensor) -> tensor:
    from mytriton.language.operators import not_equal

    return not_equal(value, 0)


def _cast_float(value: tensor, target: dtype, rounding: str | None) -> tensor:
    source = value.dtype
    if target.is_bool():
        return _is_not_zero(value)
    if target.is_floating():
        return _cast_float_to_float(value, target, rounding)
    if source.primitive_bitwidth < 32:
        value = cast_to(value, float32)
    return _convert("fptosi" if target.is_int_signed() else "fptoui", value, target)


def _cast_float_to_float(value: tensor, target: dtype, rounding: str | None) -> tensor:
    source = value.dtype
    widths = source.primitive_bitwidth, target.primitive_bitwidth
    if widths == (16, 16) or rounding == "rtz":
        type = value.type.with_element_ty(target)
        return tensor(current_builder().convert_float(value.handle, type, rounding or "rtne"), type)
    if widths == (16, 64):
        return cast_to(cast_to(value, float32), target)
    return _convert("extf" if widths[0] < widths[1] else "truncf", value, target)


def _cast_integer(value: tensor, target: dtype) -> tensor:
    source = value.dtype
    if target.is_bool():
        return _is_not_zero(value)
    if target.is_floating():
        return _convert("sitofp" if source.is_int_signed() else "uitofp", value, target)
    if source.int_bitwidth == target.int_bitwidth:
        return like(value, value.handle, target)
    if source.int_bitwidth > target.int_bitwidth:
        return _convert("trunci", value, target)
    return _convert("extsi" if source.is_int_signed() else "extui", value, target)


def _cast_pointer(value: tensor, target: dtype) -> tensor:
    source = value.dtype
    if source.is_ptr() and target.is_ptr():
        return _convert("ptr_bitcast", value, target)
    if source.is_ptr() and target.is_int() and target.int_bitwidth == 64:
        return _convert("ptr_to_int", value, target)
    if source.is_ptr() and target == int1:
        return _is_not_zero(cast_to(value, int64))
    if source.is_int() and target.is_ptr():
        # An address is 64 bits wide.
        return _convert("int_to_ptr", cast_to(value, int64) if source.int_bitwidth < 64 else value, target)
    raise messages.bad_cast(source, target)
