"""Which dtype a value has: arguments, numbers, and what operators make of two dtypes."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false, reportAssignmentType=false

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check
from tests.semantics.elementwise import bfloat16, check_each, check_one
from tests.semantics.rules import promotion_table
from tests.unit.test_language_promotion import FACTS, facts

# Arguments


@triton.jit
def argument_kernel(value, out_ptr, DTYPE: tl.constexpr):
    tl.static_assert(value.dtype == DTYPE)
    tl.store(out_ptr, value)


@triton.jit
def annotated_kernel(value: tl.int64, out_ptr):
    tl.static_assert(value.dtype == tl.int64)
    tl.store(out_ptr, value << 40)


@pytest.mark.rule("argument-dtypes")
@pytest.mark.parametrize(
    ("value", "kernel_dtype", "dtype"),
    [
        (True, tl.int1, np.bool_),
        (7, tl.int32, np.int32),
        (-(2**31), tl.int32, np.int32),
        (2**31, tl.int64, np.int64),
        (2**63, tl.uint64, np.uint64),
        (np.uint8(200), tl.int32, np.int32),
        (2.5, tl.float32, np.float32),
        (np.float64(0.1), tl.float32, np.float32),
    ],
)
def test_dtypes_of_arguments(value: Any, kernel_dtype: Any, dtype: Any) -> None:
    check_one(argument_kernel, [value], [value], dtype, DTYPE=kernel_dtype)


@pytest.mark.rule("argument-dtypes")
def test_annotated_argument() -> None:
    check_one(annotated_kernel, [3], [3 << 40], np.int64)


@triton.jit
def sum_with_argument_kernel(x_ptr, n, out_ptr, DTYPE: tl.constexpr):
    total = tl.load(x_ptr) + n
    tl.static_assert(total.dtype == DTYPE)
    tl.store(out_ptr, total)


@triton.jit(do_not_specialize=["n"])
def sum_with_unspecialized_argument_kernel(x_ptr, n, out_ptr, DTYPE: tl.constexpr):
    total = tl.load(x_ptr) + n
    tl.static_assert(total.dtype == DTYPE)
    tl.store(out_ptr, total)


@pytest.mark.rule("argument-one")
def test_argument_that_is_one_is_a_number() -> None:
    x = np.array([127], np.int8)
    check_one(sum_with_argument_kernel, [x, 1], [-128], DTYPE=tl.int8)
    check_one(sum_with_argument_kernel, [x, 2], [129], DTYPE=tl.int32)
    check_one(sum_with_unspecialized_argument_kernel, [x, 1], [128], DTYPE=tl.int32)


# Numbers


@triton.jit
def numbers_kernel(out_ptr):
    true, small, medium, large, huge = True, -(2**31), 2**31, 2**32, 2**63
    tl.static_assert(true.dtype == tl.int1)
    tl.static_assert(small.dtype == tl.int32)
    tl.static_assert(medium.dtype == tl.uint32)
    tl.static_assert(large.dtype == tl.int64)
    tl.static_assert(huge.dtype == tl.uint64)
    single, double, tiny, infinite = 0.1, 1e39, 1e-39, float("inf")
    tl.static_assert(single.dtype == tl.float32)
    tl.static_assert(double.dtype == tl.float64)
    tl.static_assert(tiny.dtype == tl.float64)
    tl.static_assert(infinite.dtype == tl.float32)
    tl.store(out_ptr, huge)


@pytest.mark.rule("number-dtype")
def test_dtypes_of_numbers() -> None:
    check_one(numbers_kernel, [], [2**63], np.uint64)


@triton.jit
def numbers_and_tensors_kernel(byte_ptr, half_ptr, flag_ptr, out_ptr):
    byte, half, flag = tl.load(byte_ptr), tl.load(half_ptr), tl.load(flag_ptr)
    tl.static_assert((byte + 1).dtype == tl.int8)
    tl.static_assert((True + byte).dtype == tl.int8)
    tl.static_assert((half * 2).dtype == tl.float16)
    tl.static_assert((0.1 * half).dtype == tl.float16)
    tl.static_assert((byte * 0.5).dtype == tl.float32)
    tl.static_assert((byte * 1e300).dtype == tl.float64)
    tl.static_assert((flag + 1).dtype == tl.int32)
    tl.static_assert((flag * 0.5).dtype == tl.float32)
    tl.store(out_ptr, half * 0.1)
    tl.store(out_ptr + 1, byte * 0.5)


@pytest.mark.rule("number-and-tensor")
def test_number_takes_the_dtype_of_the_tensor() -> None:
    byte, half, flag = np.array([100], np.int8), np.array([3], np.float16), np.array([True])
    wanted = [np.float16(3) * np.float16(0.1), 50]
    check_one(numbers_and_tensors_kernel, [byte, half, flag], wanted, np.float32)


@triton.jit
def number_too_large_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr) + 300)


@triton.jit
def number_negative_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr) + -1)


@triton.jit
def number_at_the_limits_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, (x + 127).to(tl.int32) + (x + -128).to(tl.int32))


@pytest.mark.rule("number-range")
def test_number_must_be_in_the_range_of_the_dtype() -> None:
    with pytest.raises(CompilationError, match=r"300.*int8"):
        number_too_large_kernel.warmup("*i8", "*i8")
    with pytest.raises(CompilationError, match=r"-1.*uint16"):
        number_negative_kernel.warmup("*u16", "*u16")
    check_one(number_at_the_limits_kernel, [np.array([0], np.int8)], [-1])


@triton.jit
def variable_kernel(x_ptr, out_ptr, C: tl.constexpr):
    x = tl.load(x_ptr)
    three = 3
    constant: tl.constexpr = 3
    tl.static_assert((x + three).dtype == tl.int32)
    tl.static_assert((x + constant).dtype == tl.int8)
    tl.static_assert((x + C).dtype == tl.int8)
    tl.static_assert((x + 3).dtype == tl.int8)
    tl.store(out_ptr, x + three)
    tl.store(out_ptr + 1, x + constant)
    tl.store(out_ptr + 2, x + C)


@pytest.mark.rule("number-variable")
def test_variable_that_holds_a_number_is_a_tensor() -> None:
    check_one(variable_kernel, [np.array([126], np.int8)], [129, -127, -127], C=3)


# Two tensors

DTYPES: dict[str, Any] = {
    "int1": np.bool_,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "fp16": np.float16,
    "bf16": bfloat16,
    "fp32": np.float32,
    "fp64": np.float64,
}


@triton.jit
def added(x, y):
    return x + y


@pytest.mark.rule("promotion")
def test_table_of_promotion_is_that_of_triton() -> None:
    recorded = {operands: fact.split(":")[0] for operator, operands, fact in facts(FACTS) if operator == "add"}
    table = promotion_table()
    assert set(table) == {(a, b) for a in DTYPES for b in DTYPES}
    assert table == {operands: recorded[operands] for operands in table}


@pytest.mark.rule("promotion")
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("int8", "int16"),
        ("int32", "uint32"),
        ("int8", "uint32"),
        ("uint8", "int16"),
        ("int64", "fp16"),
        ("fp16", "bf16"),
        ("bf16", "fp32"),
        ("fp32", "fp64"),
        ("int1", "int8"),
    ],
)
def test_sums_of_two_dtypes(a: str, b: str) -> None:
    x, y = np.array([1, 0, 1], DTYPES[a]), np.array([1, 2, 3], DTYPES[b])
    check_each(added, [x, y], np.array([2, 2, 4], DTYPES[promotion_table()[a, b]]))


@triton.jit
def quotient(x, y):
    return x / y


@triton.jit
def remainder(x, y):
    return x % y


@triton.jit
def rounded_quotient(x, y):
    return x // y


@pytest.mark.rule("division-dtypes")
def test_small_floats_are_divided_in_float32() -> None:
    for dtype in (np.dtype(np.float16), bfloat16):
        x, y = np.array([1, 5], dtype), np.array([3, 3], dtype)
        check_each(quotient, [x, y], x.astype(np.float32) / y.astype(np.float32), rtol=1e-6)
        check_each(remainder, [x, y], np.array([1, 2], np.float32))
    x = np.array([1.0, 5.0])
    check_each(quotient, [x, x * 3], np.array([1 / 3, 1 / 3]), rtol=1e-15)


@pytest.mark.rule("division-dtypes")
@pytest.mark.parametrize("function", [quotient, remainder, rounded_quotient], ids=lambda function: function.__name__)
def test_signed_and_unsigned_are_not_divided(function: Any) -> None:
    x, y = np.array([1], np.int32), np.array([1], np.uint32)
    with pytest.raises(CompilationError, match="one is signed and the other is not"):
        check_each(function, [x, y], x)


@triton.jit
def pointer_kernel(x_ptr, unsigned, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr + 3))
    tl.store(out_ptr + 1, tl.load(2 + x_ptr))
    tl.store(out_ptr + 2, tl.load(x_ptr + 3 - 2))
    # As an int8 the offset would be -56.
    tl.store(out_ptr + 3, tl.load(x_ptr + unsigned.to(tl.uint8)))
    tl.store(out_ptr + 4, tl.load(x_ptr + 255 - unsigned.to(tl.uint8)))


@pytest.mark.rule("pointer-offsets")
def test_pointers_count_in_elements() -> None:
    x = np.arange(256, dtype=np.int64) * 10
    check_one(pointer_kernel, [x, 200], [30, 20, 10, 2000, 550], np.int64)


@triton.jit
def fp8_kernel(x_ptr, y_ptr, out_ptr):
    x, y = tl.load(x_ptr), tl.load(y_ptr)
    tl.static_assert((x + x).dtype == tl.float8e4nv and (x + y).dtype == tl.float16 and (x * 2.0).dtype == x.dtype)
    tl.store(out_ptr, (x + x).to(tl.float32))
    tl.store(out_ptr + 1, (x + y).to(tl.float32))


@triton.jit
def fp8_with_integer_kernel(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) + tl.arange(0, 1))


@triton.jit
def storage_kernel(x_ptr):
    x = tl.load(x_ptr.to(tl.pointer_type(tl.float8e4b15)))
    tl.store(x_ptr, x * x)


@pytest.mark.rule("fp8")
def test_floats_of_8_bits_are_rounded_after_each_operation() -> None:
    x, y = np.array([17], ml_dtypes.float8_e4m3fn), np.array([2.5], ml_dtypes.float8_e5m2)
    # The first sum needs no more digits, and the second needs six of the eleven that float16 has.
    check_one(fp8_kernel, [x, y], [32, 18.5], np.float32)
    with pytest.raises(CompilationError, match="fp8e5"):
        fp8_with_integer_kernel.warmup("*fp8e5")
    with pytest.raises(CompilationError, match="fp8e4b15"):
        storage_kernel.warmup("*u8")


@triton.jit
def boolean_kernel(x_ptr, y_ptr, sum_ptr, product_ptr, difference_ptr, less_ptr, count_ptr):
    i = tl.arange(0, 4)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.static_assert((x + y).dtype == tl.int1)
    tl.store(sum_ptr + i, x + y)
    tl.store(product_ptr + i, x * y)
    tl.store(difference_ptr + i, x - y)
    tl.store(less_ptr + i, x < y)
    tl.store(count_ptr + i, x.to(tl.int32) + y)


@pytest.mark.rule("boolean-arithmetic")
def test_booleans_are_integers_of_one_bit() -> None:
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    outputs = [*(np.empty(4, np.bool_) for _ in range(4)), np.empty(4, np.int32)]
    wanted = [x ^ y, x & y, x ^ y, ~x & y, x.astype(np.int32) + y]
    check(boolean_kernel, (1,), [x, y], outputs, wanted, num_warps=(1,))
