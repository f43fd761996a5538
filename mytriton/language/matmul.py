"""`dot`."""

from __future__ import annotations

import math

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import block_type, dtype, float16, float32, float64, int16, int32
from mytriton.language.operators import constant
from mytriton.language.shapes import constant_int, reshape
from mytriton.language.values import tensor

FLOAT8_DTYPES = ("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15")
OPERAND_DTYPES = ("int8", "uint8", *FLOAT8_DTYPES, "fp16", "bf16", "fp32", "fp64")
INPUT_PRECISIONS = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")


@builtin
def dot(
    input: tensor,
    other: tensor,
    acc: tensor | None = None,
    input_precision: str | None = None,
    allow_tf32: bool | None = None,
    max_num_imprecise_acc: int | None = None,
    out_dtype: dtype | None = None,
) -> tensor:
    """The matrix product of `input` [M, K] and `other` [K, N], plus `acc` [M, N]; axes before those are a batch.

    The result is float32; for integers of 8 bits int32, for float64 float64, and for floats of 16 and 8 bits also
    float16 where `out_dtype` or the dtype of `acc` says so. Any two integers of 8 bits may be multiplied, and any two
    floats of 8 bits, else the operands have one dtype. `input_precision` is what products of float32 may be reduced to;
    one of `INPUT_PRECISIONS`, "ieee" by default.
    """
    acc, out_dtype = unwrap(acc), unwrap(out_dtype)
    _check_operands(input, other)
    if len(input.shape) > 3:
        flat_acc = flat_batch(acc) if isinstance(acc, tensor) else acc
        product = dot(
            flat_batch(input),
            flat_batch(other),
            flat_acc,
            input_precision,
            allow_tf32,
            max_num_imprecise_acc,
            out_dtype,
        )
        return reshape(product, (*input.shape[:-2], *product.shape[-2:]))
    if input.dtype.is_uint8() or other.dtype.is_uint8():
        input, other = cast_to(input, int16), cast_to(other, int16)
    if input.dtype.is_fp8e4b15() or other.dtype.is_fp8e4b15():
        input, other = cast_to(input, float16), cast_to(other, float16)
    result_dtype = _result_dtype(input.dtype, acc, out_dtype)
    shape = (*input.shape[:-1], other.shape[-1])
    accumulator = accumulator_for(acc, result_dtype, shape)
    handle = current_builder().dot(
        input.handle,
        other.handle,
        accumulator.handle,
        _precision(input.dtype, input_precision, allow_tf32),
        0 if unwrap(max_num_imprecise_acc) is None else constant_int(max_num_imprecise_acc, "max_num_imprecise_acc"),
    )
    return tensor(handle, block_type(result_dtype, shape))


def flat_batch(value: tensor) -> tensor:
    """The value with the axes of the batch as one."""
    return reshape(value, (math.prod(value.shape[:-2]), *value.shape[-2:]))


def _check_operands(lhs: object, rhs: object) -> None:
    if not isinstance(lhs, tensor) or not lhs.is_block:
        raise messages.block_expected("dot", lhs)
    if not isinstance(rhs, tensor) or not rhs.is_block:
        raise messages.block_expected("dot", rhs)
    for operand in (lhs, rhs):
        if operand.dtype.name not in OPERAND_DTYPES:
            raise messages.wrong_dtype("dot", operand.dtype, OPERAND_DTYPES)
    is_short = all(operand.dtype.is_fp8() for operand in (lhs, rhs)) or all(
        operand.dtype.name in ("int8", "uint8") for operand in (lhs, rhs)
    )
    if lhs.dtype != rhs.dtype and not is_short:
        raise messages.dot_of_different_dtypes(lhs.dtype, rhs.dtype)
    check_factors(lhs.shape, rhs.shape)


def check_factors(lhs: tuple[int, ...], rhs: tuple[int, ...]) -> None:
    """Raises `CompilationError` unless matrices of these shapes, or batches of them, can be multiplied."""
    if len(lhs) != len(rhs) or len(lhs) < 2:
        raise messages.dot_of_wrong_rank(lhs, rhs)
    if lhs[:-2] != rhs[:-2]:
        raise messages.dot_of_different_batches(lhs, rhs)
    if lhs[-1] != rhs[-2]:
        raise messages.dot_of_different_k(lhs, rhs)


def _result_dtype(operand: dtype, acc: object, out_dtype: object) -> dtype:
    if out_dtype is not None and not isinstance(out_dtype, dtype):
        raise messages.not_a_dtype(out_dtype)
    if acc is not None and not isinstance(acc, tensor):
        raise messages.block_expected("dot", acc)
    wanted = out_dtype if out_dtype is not None else acc.dtype if acc is not None else None
    allowed = {"int8": (int32,), "int16": (int32,), "fp64": (float64,), "fp16": (float32, float16)}.get(
        operand.name, (float32,)
    )
    if operand.is_fp8():
        allowed = (float32, float16)
    if wanted is None or (operand.name in ("int8", "int16", "fp64") and out_dtype == float32):
        return allowed[0]
    if wanted not in allowed:
        raise messages.dot_result_dtype(operand, wanted, allowed)
    return wanted


def accumulator_for(acc: tensor | None, result_dtype: dtype, shape: tuple[int, ...]) -> tensor:
    """What a product of `shape` is added to: `acc`, which must be like it, or zeros."""
    if acc is None:
        return constant(0, result_dtype, shape)
    if acc.shape != shape:
        raise messages.dot_accumulator_shape(acc.shape, shape)
    if acc.dtype != result_dtype:
        raise messages.dot_accumulator_dtype(acc.dtype, result_dtype)
    return acc


def _precision(operand: dtype, input_precision: object, allow_tf32: object) -> str:
    input_precision, allow_tf32 = unwrap(input_precision), unwrap(allow_tf32)
    if input_precision is not None and allow_tf32 is not None:
        raise messages.two_precisions()
    if allow_tf32 is not None:
        input_precision = "tf32" if allow_tf32 else "ieee"
    if input_precision is None:
        input_precision = current_builder().default_input_precision
    if not isinstance(input_precision, str) or input_precision.lower() not in INPUT_PRECISIONS:
        raise messages.bad_choice("input_precision", input_precision, INPUT_PRECISIONS)
    return input_precision.lower() if operand.is_fp32() else "ieee"
