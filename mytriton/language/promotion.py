"""Which dtype an operation on two dtypes is computed in.

`docs/semantics.md` has the rules as a table. A Python number is weaker than a tensor: if its kind (boolean, integer,
float) is not above the tensor's, it takes the tensor's dtype.
"""

from __future__ import annotations

from mytriton import messages
from mytriton.language.dtypes import bfloat16, dtype, float16, float32, float64


def integer_dtype(a: dtype, b: dtype) -> dtype:
    """The wider of two integer dtypes; of two of the same width, the unsigned one."""
    if a.int_bitwidth != b.int_bitwidth:
        return a if a.int_bitwidth > b.int_bitwidth else b
    return a if a.is_int_unsigned() else b


def common_dtype(
    a: dtype, b: dtype, a_is_number: bool = False, b_is_number: bool = False, is_division: bool = False
) -> dtype:
    """The dtype that both operands are cast to.

    `is_division`: the operation is `/`, `//`, `%` or `fdiv`, which floats below 32 bits do in float32 and integers of
    different signedness do not do at all.
    """
    if a_is_number != b_is_number:
        number, tensor = (a, b) if a_is_number else (b, a)
        if number.kind().value <= tensor.kind().value:
            a = b = tensor
    if a.is_fp64() or b.is_fp64():
        return float64
    if a.is_floating() or b.is_floating():
        return float32 if is_division else _float_dtype(a, b)
    if is_division and a.int_signedness != b.int_signedness:
        raise messages.division_of_different_signedness(a, b)
    return integer_dtype(a, b)


def _float_dtype(a: dtype, b: dtype) -> dtype:
    """The dtype for two dtypes of which one is a float and none is a float64."""
    if a.is_fp32() or b.is_fp32():
        return float32
    if a.is_fp16() or b.is_fp16():
        return float16
    if a.is_bf16() or b.is_bf16():
        return bfloat16 if a == b else float32
    if a.is_fp8() and b.is_fp8():
        return a if a == b else float16
    raise messages.no_common_dtype(a, b)
