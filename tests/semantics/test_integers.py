"""Arithmetic on integers, comparisons and truth values."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check
from tests.semantics.elementwise import check_each, check_one

SIGNED = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)


@triton.jit
def added(x, y):
    return x + y


@triton.jit
def subtracted(x, y):
    return x - y


@triton.jit
def multiplied(x, y):
    return x * y


@triton.jit
def divided(x, y):
    return x // y


@triton.jit
def remainder(x, y):
    return x % y


@triton.jit
def true_quotient(x, y):
    return x / y


@triton.jit
def shifted_left(x, y):
    return x << y


@triton.jit
def shifted_right(x, y):
    return x >> y


@triton.jit
def ceiling(x, y):
    return tl.cdiv(x, y)


@triton.jit
def negated(x):
    return -x


@triton.jit
def absolute(x):
    return tl.abs(x)


@triton.jit
def inverted(x):
    return ~x


@triton.jit
def is_less(x, y):
    return x < y


@triton.jit
def high_half(x, y):
    return tl.umulhi(x, y)


def limits(dtype: Any) -> tuple[int, int]:
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def wrapped(values: list[int], dtype: Any) -> np.ndarray:
    """The integers modulo two to the power of the width."""
    low, high = limits(dtype)
    return np.array([(value - low) % (high - low + 1) + low for value in values], dtype)


@pytest.mark.rule("integer-overflow")
@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_arithmetic_wraps(dtype: Any) -> None:
    low, high = limits(dtype)
    pairs = [(high, 1), (low, 1), (high, high), (low, low), (high // 3, 7), (low + 5, high - 5)]
    inputs = [np.array([pair[side] for pair in pairs], dtype) for side in (0, 1)]
    check_each(added, inputs, wrapped([a + b for a, b in pairs], dtype))
    check_each(subtracted, inputs, wrapped([a - b for a, b in pairs], dtype))
    check_each(multiplied, inputs, wrapped([a * b for a, b in pairs], dtype))


@pytest.mark.rule("negation")
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint32])
def test_smallest_integer_is_its_own_opposite(dtype: Any) -> None:
    low, high = limits(dtype)
    values = [low, low + 1, 0, 1, high]
    x = np.array(values, dtype)
    check_each(negated, [x], wrapped([-value for value in values], dtype))
    check_each(absolute, [x], wrapped([abs(value) for value in values], dtype))


@triton.jit
def table_kernel(table_ptr, seed, n, out_ptr):
    """A pseudo-random entry of a table: what wraps is made a valid index again."""
    i = tl.arange(0, 64)
    hashed = (seed + i) * 1103515245 + 12345
    tl.store(out_ptr + i, tl.load(table_ptr + (hashed % n + n) % n))


@triton.jit
def offsets_kernel(x_ptr, out_ptr, n):
    offsets = tl.program_id(0) * 100 + tl.arange(0, 128)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def stored_offsets_kernel(out_ptr, n):
    offsets = tl.program_id(0) * 100 + tl.arange(0, 128)
    tl.store(out_ptr + offsets, offsets, mask=offsets < n)


@pytest.mark.rule("index-overflow")
def test_index_that_wraps_and_is_made_valid_again() -> None:
    table = np.arange(1000, 1097, dtype=np.int32)
    n, seed = len(table), 123456
    hashed = wrapped([(seed + i) * 1103515245 + 12345 for i in range(64)], np.int32)
    check_one(table_kernel, [table, seed, n], table[hashed % n])


@triton.jit
def hashed_mask_kernel(seed, out_ptr):
    i = tl.arange(0, 64)
    tl.store(out_ptr + i, 1, mask=(i + seed) * 1103515245 * 48271 > 0)


@pytest.mark.rule("index-overflow")
def test_a_mask_that_is_made_of_a_hash_wraps() -> None:
    hashed = wrapped([(i + 12345) * 1103515245 * 48271 for i in range(64)], np.int32)
    assert 0 < np.count_nonzero(hashed > 0) < 64
    out = np.zeros(64, np.int32)
    hashed_mask_kernel[(1,)](12345, out)
    np.testing.assert_array_equal(out, hashed > 0)
    with triton.interpret():
        hashed_mask_kernel[(1,)](12345, out := np.zeros_like(out))
    np.testing.assert_array_equal(out, hashed > 0)
    text = hashed_mask_kernel.warmup("i32", "*i32", grid=(1,)).asm["cuda"]
    assert f"{1103515245 * 48271 % 2**32}u" in text


@pytest.mark.rule("index-overflow")
def test_only_what_serves_addresses_is_plain_arithmetic() -> None:
    text = offsets_kernel.warmup("*fp32", "*fp32", "i32").asm["cuda"]
    assert "* 100 + " in text
    assert "unsigned" not in text
    assert "100u" in stored_offsets_kernel.warmup("*i32", "i32").asm["cuda"]


DIVISIONS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3), (0, 5), (1, 100), (-1, 100)]


@pytest.mark.rule("integer-division")
@pytest.mark.parametrize("dtype", SIGNED)
def test_division_rounds_towards_zero(dtype: Any) -> None:
    x, y = (np.array([pair[side] for pair in DIVISIONS], dtype) for side in (0, 1))
    check_each(divided, [x, y], np.array([3, -3, -3, 3, 2, -2, 0, 0, 0], dtype))
    check_each(remainder, [x, y], np.array([1, -1, 1, -1, 0, 0, 0, 1, -1], dtype))


@pytest.mark.rule("integer-division")
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_division_of_unsigned_integers(dtype: Any) -> None:
    high = limits(dtype)[1]
    x, y = np.array([high, high, 7, 0], dtype), np.array([2, high - 1, 9, 3], dtype)
    check_each(divided, [x, y], np.array([high // 2, 1, 0, 0], dtype))
    check_each(remainder, [x, y], np.array([1, 1, 7, 0], dtype))


@triton.jit
def constant_division_kernel(x, out_ptr, C: tl.constexpr):
    tl.store(out_ptr, x // 2)
    tl.store(out_ptr + 1, C // 2)
    tl.store(out_ptr + 2, x % 2)
    tl.store(out_ptr + 3, C % 2)


@pytest.mark.rule("constant-division")
def test_constants_are_divided_as_in_python() -> None:
    check_one(constant_division_kernel, [-7], [-3, -4, -1, 1], C=-7)


@triton.jit
def number_division_kernel(x, out_ptr):
    tl.store(out_ptr, x // 0)
    tl.store(out_ptr + 1, x % 0)
    tl.store(out_ptr + 2, x // -1)


@pytest.mark.mytriton_sanitize(False)  # divides by zero
@pytest.mark.rule("division-by-zero")
@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_division_by_zero_gives_all_ones(dtype: Any) -> None:
    low, high = limits(dtype)
    x = np.array([0, 1, high, low], dtype)
    ones = wrapped([-1] * 4, dtype)
    check_each(divided, [x, np.zeros(4, dtype)], ones)
    check_each(remainder, [x, np.zeros(4, dtype)], ones)


@triton.jit
def numbers_division_kernel(out_ptr, C: tl.constexpr):
    tl.store(out_ptr, C // 0)


@pytest.mark.mytriton_sanitize(False)  # divides by zero
@pytest.mark.rule("division-by-zero")
def test_division_by_the_number_zero() -> None:
    check_one(number_division_kernel, [5], [-1, -1, -5])
    with pytest.raises(CompilationError, match="division"):
        numbers_division_kernel.warmup("*i32", C=3)


@pytest.mark.rule("division-overflow")
@pytest.mark.parametrize("dtype", SIGNED)
def test_smallest_integer_divided_by_minus_one(dtype: Any) -> None:
    low, high = limits(dtype)
    x, y = np.array([low, low + 1, high], dtype), np.array([-1, -1, -1], dtype)
    check_each(divided, [x, y], np.array([low, high, -high], dtype))
    check_each(remainder, [x, y], np.zeros(3, dtype))


@pytest.mark.rule("true-division")
def test_integers_are_divided_as_float32() -> None:
    x, y = np.array([7, -7, 2**24 + 1, 1], np.int32), np.array([2, 2, 1, 0], np.int32)
    check_each(true_quotient, [x, y], np.array([3.5, -3.5, 2**24, np.inf], np.float32))
    big = np.array([2**62 + 1], np.int64)
    check_each(true_quotient, [big, np.array([1], np.int64)], np.array([2.0**62], np.float32))


@pytest.mark.rule("ceiling-division")
def test_ceiling_division_is_exact() -> None:
    for dtype in (np.int8, np.int32):
        low, high = limits(dtype)
        pairs = [(7, 2), (8, 2), (-7, 2), (7, -2), (-7, -2), (0, 3), (high, 2), (high, high), (low, 3)]
        x, y = (np.array([pair[side] for pair in pairs], dtype) for side in (0, 1))
        check_each(ceiling, [x, y], np.array([-(-a // b) for a, b in pairs], dtype))
    high = limits(np.uint32)[1]
    check_each(ceiling, [np.array([high], np.uint32), np.array([2], np.uint32)], np.array([2**31], np.uint32))


@pytest.mark.mytriton_sanitize(False)  # shifts by too many bits
@pytest.mark.rule("shift-amount")
@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_shift_by_the_width_or_more(dtype: Any) -> None:
    width = np.iinfo(dtype).bits
    low, high = limits(dtype)
    amounts = [0, 1, width - 1, width, width + 1, high]
    y = np.array(amounts, dtype)
    for value in (high, low, 5):
        x = np.full(len(amounts), value, dtype)
        left = wrapped([value << amount if amount < width else 0 for amount in amounts], dtype)
        check_each(shifted_left, [x, y], left)
        check_each(shifted_right, [x, y], np.array([value >> min(amount, width) for amount in amounts], dtype))


@pytest.mark.mytriton_sanitize(False)  # shifts by too many bits
@pytest.mark.rule("shift-amount")
def test_negative_amount_is_a_large_one() -> None:
    x, y = np.array([7, -7], np.int32), np.array([-1, -1], np.int32)
    check_each(shifted_left, [x, y], np.array([0, 0], np.int32))
    check_each(shifted_right, [x, y], np.array([0, -1], np.int32))


@triton.jit
def shift_kernel(signed_ptr, unsigned_ptr, amount, out_ptr):
    signed, unsigned = tl.load(signed_ptr), tl.load(unsigned_ptr)
    tl.store(out_ptr, signed >> amount)
    tl.store(out_ptr + 1, unsigned >> amount)
    # The sum of the two dtypes is uint32, but the left operand is signed.
    both = signed >> unsigned.to(tl.uint32)
    tl.static_assert(both.dtype == tl.uint32)
    tl.store(out_ptr + 2, both.to(tl.int32))
    tl.store(out_ptr + 3, -64 >> amount)


@pytest.mark.rule("shift-right")
def test_sign_of_the_left_operand_decides() -> None:
    signed, unsigned = np.array([-64], np.int32), np.array([2], np.uint8)
    check_one(shift_kernel, [signed, unsigned, 4], [-4, 0, -16, -4])


@triton.jit
def mixed_bits(x, y):
    return (x & 0x0F) | (y ^ x)


@triton.jit
def float_bits(x, y):
    return x.to(tl.float32) & y


@pytest.mark.rule("bitwise")
def test_bitwise_operators() -> None:
    x, y = np.array([0x5A, 0, -1], np.int8), np.array([0x0F, -1, 1], np.int8)
    check_each(mixed_bits, [x, y], (x & 0x0F) | (y ^ x))
    check_each(inverted, [x], ~x)
    unsigned, flags = x.astype(np.uint8), np.array([True, False])
    check_each(inverted, [unsigned], ~unsigned)
    check_each(inverted, [flags], ~flags)
    with pytest.raises(CompilationError, match="&"):
        check_each(float_bits, [x, y], x)


@pytest.mark.rule("upper-half")
def test_upper_half_of_a_product() -> None:
    x, y = np.array([2**31, 2**32 - 1, 3], np.uint32), np.array([2**31, 2**32 - 1, 5], np.uint32)
    check_each(high_half, [x, y], np.array([int(a) * int(b) >> 32 for a, b in zip(x, y, strict=True)], np.uint32))
    x, y = np.array([2**63, 2**64 - 1], np.uint64), np.array([2**63 + 1, 2**64 - 1], np.uint64)
    check_each(high_half, [x, y], np.array([int(a) * int(b) >> 64 for a, b in zip(x, y, strict=True)], np.uint64))


@triton.jit
def cube(x):
    return x**3


@triton.jit
def zeroth_power(x):
    return x**0


@triton.jit
def power(x, y):
    return x**y


@triton.jit
def inverse(x):
    return x**-1


@pytest.mark.rule("power")
def test_powers() -> None:
    for dtype in (np.int8, np.int32, np.uint32):
        values = [0, 1, 5, 100]
        x = np.array(values, dtype)
        check_each(cube, [x], wrapped([value**3 for value in values], dtype))
        check_each(zeroth_power, [x], np.ones(4, dtype))
    x, y = np.array([0.5, 3, -2, 10], np.float32), np.array([2, 0.5, 3, -3], np.float32)
    check_each(power, [x, y], (x.astype(np.float64) ** y).astype(np.float32), rtol=1e-6)
    integers = np.array([4, 9], np.int32)
    check_each(power, [integers, y[:2]], np.array([16, 3], np.float32), rtol=1e-6)
    for function, inputs in ((power, [integers, integers]), (inverse, [integers])):
        with pytest.raises(CompilationError, match="int32"):
            check_each(function, inputs, integers)


@triton.jit
def matrix_operator_kernel(p):
    x = tl.load(p + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(p, tl.sum(x @ x))


@pytest.mark.rule("matrix-operator")
def test_matrix_operator_is_refused() -> None:
    with pytest.raises(CompilationError, match="@"):
        matrix_operator_kernel.warmup("*fp32")


@triton.jit
def results(a, b, i):
    """Eleven results of two integers, one for each number in `i`."""
    x = tl.where(i == 0, a + b, a - b)
    x = tl.where(i == 2, a * b, x)
    x = tl.where(i == 3, a // b, x)
    x = tl.where(i == 4, a % b, x)
    x = tl.where(i == 5, a << b, x)
    x = tl.where(i == 6, a >> b, x)
    x = tl.where(i == 7, tl.maximum(a, b), x)
    x = tl.where(i == 8, a.to(tl.int8).to(a.dtype), x)
    x = tl.where(i == 9, a.to(tl.float32).to(a.dtype), x)
    return tl.where(i == 10, (a.to(tl.float32) / b.to(tl.float32)).to(a.dtype), x)


@triton.jit
def known_kernel(out_ptr, DTYPE: tl.constexpr, A: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, 11)
    tl.store(out_ptr + i, results(tl.full((), A, DTYPE), tl.full((), B, DTYPE), i))


@triton.jit
def unknown_kernel(a_ptr, b_ptr, out_ptr):
    i = tl.arange(0, 11)
    tl.store(out_ptr + i, results(tl.load(a_ptr), tl.load(b_ptr), i))


@pytest.mark.mytriton_sanitize(False)  # divides by zero and shifts by too many bits
@pytest.mark.rule("folding")
@pytest.mark.parametrize(
    ("dtype", "a", "b"),
    [(np.int32, -(2**31), -1), (np.int32, 7, 0), (np.int8, -128, -7), (np.uint32, 2**32 - 1, 33), (np.int64, -9, 4)],
)
def test_known_operands_give_the_same_results(dtype: Any, a: int, b: int) -> None:
    language = tl.dtype(np.dtype(dtype).name)
    unknown, x, y = np.empty(11, dtype), np.array([a], dtype), np.array([b], dtype)
    with triton.interpret():
        unknown_kernel[(1,)](x, y, unknown)
    assert unknown.tolist()[:3] == wrapped([a + b, a - b, a * b], dtype).tolist()
    check_one(unknown_kernel, [x, y], unknown, dtype)
    check_one(known_kernel, [], unknown, dtype, DTYPE=language, A=a, B=b)


# Comparisons


@triton.jit
def less_than_minus_one(x):
    return x < -1


@pytest.mark.rule("compare-integers")
def test_signed_and_unsigned_are_compared_as_unsigned() -> None:
    x, y = np.array([-1, 1, 2], np.int32), np.array([1, 1, 3], np.uint32)
    check_each(is_less, [x, y], np.array([False, False, True]))
    # The wider dtype is signed and holds both.
    check_each(is_less, [x, y.astype(np.uint8)], np.array([True, False, True]))
    check_each(is_less, [np.array([200], np.uint8), np.array([100], np.uint8)], np.array([False]))
    with pytest.raises(CompilationError, match="-1"):
        check_each(less_than_minus_one, [y], np.array([False] * 3))


@triton.jit
def between(x, y):
    return -3 < x <= y < 10


@pytest.mark.rule("compare-chain")
def test_chain_of_comparisons() -> None:
    x, y = np.array([-3, -2, 5, 6, 5], np.int32), np.array([0, 0, 5, 5, 10], np.int32)
    check_each(between, [x, y], (x > -3) & (x <= y) & (y < 10))


# Truth values


@triton.jit
def truth_kernel(x_ptr, y_ptr, not_ptr, and_ptr, or_ptr):
    i = tl.arange(0, 4)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(not_ptr + i, not x)
    tl.store(and_ptr + i, x > 0 and y > 0)
    tl.store(or_ptr + i, x > 0 or y > 0)


@triton.jit
def and_of_integers_kernel(x, out_ptr):
    tl.store(out_ptr, x and x > 0)


@triton.jit
def guarded_load_kernel(x_ptr, n, out_ptr):
    tl.store(out_ptr, n > 0 and tl.load(x_ptr + 1000000 * (1 - n)) > 0)


@triton.jit
def if_tensor_kernel(x_ptr, out_ptr):
    if tl.load(x_ptr + tl.arange(0, 4)):
        tl.store(out_ptr, 1)


@pytest.mark.rule("logic")
def test_logic_is_done_on_each_element() -> None:
    x, y = np.array([0, 1, 0, 2], np.int32), np.array([0, 0, 3, 4], np.int32)
    outputs = [np.empty(4, np.bool_) for _ in range(3)]
    check(truth_kernel, (1,), [x, y], outputs, [x == 0, (x > 0) & (y > 0), (x > 0) | (y > 0)], num_warps=(1,))
    with pytest.raises(CompilationError, match="int1"):
        and_of_integers_kernel.warmup("i32", "*i1")
    with pytest.raises(CompilationError, match="single value"):
        if_tensor_kernel.warmup("*i32", "*i32")


@pytest.mark.rule("logic")
def test_second_scalar_operand_is_evaluated_only_if_it_is_needed() -> None:
    x = np.array([5], np.int32)
    check_one(guarded_load_kernel, [x, 1], [True], np.bool_)
    check_one(guarded_load_kernel, [x, -1], [False], np.bool_)


@triton.jit
def chosen(condition, x, y):
    return tl.where(condition, x, y)


@triton.jit
def where_kernel(condition_ptr, x_ptr, out_ptr):
    i = tl.arange(0, 4)
    rows = tl.where(tl.load(condition_ptr + i)[:, None], tl.load(x_ptr + i)[None, :], -1)
    tl.store(out_ptr + i[:, None] * 4 + i[None, :], rows)


@pytest.mark.rule("where")
def test_where() -> None:
    condition = np.array([0, 3, -1, 0], np.int32)
    x, y = np.array([1, 2, 3, 4], np.int8), np.array([0.5, 0.25, 8, 9], np.float32)
    check_each(chosen, [condition, x, y], np.array([0.5, 2, 3, 9], np.float32))
    check_each(chosen, [condition != 0, x, x + 10], np.array([11, 2, 3, 14], np.int8))
    rows = np.where((condition != 0)[:, None], x[None, :], -1)
    check_one(where_kernel, [condition, x.astype(np.int32)], rows)
