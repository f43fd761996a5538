"""Conversions between dtypes."""

from __future__ import annotations

from mytriton import messages
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import dtype, float8e4b15, float16, float32, int1, int8, int16, int32, int64
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
    """The scalar type that `value` is; raises `CompilationError` for anything else."""
    value = unwrap(value)
    if not isinstance(value, dtype) or value.is_void():
        raise messages.not_a_dtype(value)
    # The type of a tile means that of its elements, as in `x.to(block_pointer.dtype.element_ty)`.
    return value.scalar


def cast_to(value: tensor, target: dtype, rounding: str | None = None) -> tensor:
    """The elements of `value` converted to the scalar type `target`."""
    source = value.dtype
    if source == target:
        return value
    if rounding is not None:
        _check_rounding(rounding, source, target)
    if source.is_ptr() or target.is_ptr():
        return _cast_pointer(value, target)
    if target.is_fp8e4b15():
        return _cast_to_fp8e4b15(value)
    if source.is_fp8e4b15():
        return cast_to(_cast_from_fp8e4b15(value), target)
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
    if _is_held_as_integer(source) and _is_held_as_integer(target):
        return like(value, value.handle, target)
    return _convert("bitcast", value, target)


def _is_held_as_integer(type: dtype) -> bool:
    return type.is_int() or type.is_fp8e4b15()


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
    if widths == (16, 16) or rounding == "rtz" or source.is_fp8() or target.is_fp8():
        type = value.type.with_element_ty(target)
        if widths[0] > widths[1] or widths == (16, 16):
            rounding = rounding or "rtne"
        return tensor(current_builder().convert_float(value.handle, type, rounding), type)
    if widths == (16, 64):
        return cast_to(cast_to(value, float32), target)
    return _convert("extf" if widths[0] < widths[1] else "truncf", value, target)


def _cast_to_fp8e4b15(value: tensor) -> tensor:
    """Triton's rule: to float16 towards zero, limited to 1.75, and then rounded to nearest, ties away from zero.

    The format is float16 without its first exponent bit and its last seven mantissa bits; it has no NaN, and 1.75 is
    what one becomes. The IR has no such type and holds its bits as an integer.
    """
    from mytriton.language.math import minimum

    source = value.dtype
    half = value if source.is_fp16() else cast_to(value, float16, "rtz" if source.primitive_bitwidth > 16 else None)
    bits = cast_to(bitcast_to(half, int16), int32)
    magnitude = minimum(bits & 0x7FFF, 0x3F00)
    code = ((magnitude * 2 + 0x80) | (bits & 0x8000)) >> 8
    return like(value, cast_to(code, int8).handle, float8e4b15)


def _cast_from_fp8e4b15(value: tensor) -> tensor:
    """The bits at their places in a float16."""
    bits = cast_to(like(value, value.handle, int8), int32)
    half = ((bits & 0x7F) << 7) | ((bits & 0x80) << 8)
    return bitcast_to(cast_to(half, int16), float16)


def _cast_integer(value: tensor, target: dtype) -> tensor:
    source = value.dtype
    if target.is_bool():
        return _is_not_zero(value)
    if target.is_fp8():
        return cast_to(cast_to(value, float32), target)
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
