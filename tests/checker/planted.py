"""Kernels with a fault each. The lines that a report must name end with `# here`, in the order in which it names them
where the order matters: `# here` is the fault, `# there` its other side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mytriton as triton
import mytriton.language as tl
from mytriton.checker import (
    DivisionByZeroError,
    IntegerWrapError,
    KernelFault,
    MisalignedAccessError,
    NonFiniteError,
    OutOfBoundsError,
    ProgramRaceError,
    ShiftError,
    StepLimitError,
    ThreadRaceError,
    UndefinedValueError,
)


@dataclass(frozen=True)
class Planted:
    """A launch that must fail: `array` and `index` are those of the report, where they are known for certain."""

    name: str
    kind: type[KernelFault]
    kernel: Any
    grid: tuple[int, ...]
    args: Callable[[], tuple[Any, ...]]
    constants: dict[str, Any] = field(default_factory=dict[str, Any])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    array: str | None = None
    index: tuple[int, ...] | None = None
    lines_of: Any = None  # the function that has the marks, where it is not the kernel


PLANTED: list[Planted] = []


def plant(
    kind: type[KernelFault], grid: tuple[int, ...], args: Callable[[], tuple[Any, ...]], **rest: Any
) -> Callable[[Any], Any]:
    """Below it stands the kernel; what is no field of `Planted` is a constant of the kernel."""
    known = {"options", "array", "index", "lines_of"}
    fields = {name: value for name, value in rest.items() if name in known}
    constants = {name: value for name, value in rest.items() if name not in known}

    def add(kernel: Any) -> Any:
        PLANTED.append(Planted(kernel.__name__, kind, kernel, grid, args, constants, **fields))
        return kernel

    return add


def f32(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def i32(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int32)


# ---- out of bounds


@plant(OutOfBoundsError, (4,), lambda: (f32(1000), f32(1024)), B=256, array="x")
@triton.jit
def load_without_a_mask(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)  # here
    tl.store(out + i, v)


@plant(OutOfBoundsError, (4,), lambda: (f32(1024), f32(1000)), B=256, array="out")
@triton.jit
def store_without_a_mask(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(out + i, v)  # here


@plant(OutOfBoundsError, (4,), lambda: (f32(1000), 1000), B=256, array="out")
@triton.jit
def mask_off_by_one(out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, 1.0, mask=i <= n)  # here


@plant(OutOfBoundsError, (1,), lambda: (f32(64), f32(64)), B=64, array="x")
@triton.jit
def before_the_beginning(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i - 1))  # here


@plant(OutOfBoundsError, (2, 2), lambda: (f32(40, 60), f32(40, 60), 40, 60), B=32, array="out")
@triton.jit
def rows_and_columns_mixed_up(x, out, rows, columns, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=inside, other=0)
    tl.store(out + c[None, :] * columns + r[:, None], v, mask=inside)  # here


@plant(OutOfBoundsError, (2, 3, 4), lambda: (f32(2, 3, 4, 8),), B=8, array="out")
@triton.jit
def a_grid_of_three_dimensions(out, B: tl.constexpr):
    p = (tl.program_id(0) * 3 + tl.program_id(1)) * 4 + tl.program_id(2) + 1
    tl.store(out + p * B + tl.arange(0, B), 1.0)  # here


@plant(OutOfBoundsError, (1,), lambda: (np.zeros(100, np.float16), f32(128)), B=128, array="x")
@triton.jit
def half_floats(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i).to(tl.float32)  # here
    tl.store(out + i, v)


@plant(OutOfBoundsError, (1,), lambda: (np.zeros(100, np.int8),), B=128, array="out")
@triton.jit
def bytes_of_eight_bits(out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, i.to(tl.int8))  # here


@plant(OutOfBoundsError, (1,), lambda: (f32(95),), B=96, array="out", index=None)
@triton.jit
def no_power_of_two(out, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), 1.0)  # here


def neighbours() -> tuple[np.ndarray, np.ndarray]:
    both = f32(128)
    return both[:64], both[64:]


@plant(OutOfBoundsError, (1,), neighbours, B=64, array="x")
@triton.jit
def into_the_array_beside(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i + 8))  # here


@plant(OutOfBoundsError, (1,), lambda: (f32(64), np.array([3, 64, 5, 7], np.int32), f32(4)), array="x")
@triton.jit
def gathered_from_outside(x, at, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(x + tl.load(at + i)))  # here


@plant(OutOfBoundsError, (1,), lambda: (np.array([3, -1, 5, 7], np.int32), f32(8)), array="out")
@triton.jit
def scattered_to_outside(at, out):
    i = tl.arange(0, 4)
    tl.store(out + tl.load(at + i), 1.0)  # here


@plant(OutOfBoundsError, (1,), lambda: (f32(30, 40), f32(32, 64)), array="x")
@triton.jit
def block_pointer_without_a_check(x, out):
    block = tl.make_block_ptr(x, (30, 40), (40, 1), (0, 0), (32, 64), (1, 0))
    v = tl.load(block, boundary_check=(1,))  # here
    i = tl.arange(0, 32)
    j = tl.arange(0, 64)
    inside = (i < 30)[:, None] & (j < 40)[None, :]
    tl.store(out + i[:, None] * 64 + j[None, :], v, mask=inside)


@plant(OutOfBoundsError, (1,), lambda: (f32(8, 32)[:, :20], f32(8, 32)), array="x")
@triton.jit
def columns_of_a_view(x, out):
    i = tl.arange(0, 8)
    j = tl.arange(0, 32)
    at = i[:, None] * 32 + j[None, :]
    tl.store(out + at, tl.load(x + at))  # here


@plant(OutOfBoundsError, (1,), lambda: (f32(64)[::-1], f32(64)), array="x")
@triton.jit
def a_view_that_goes_back(x, out):
    i = tl.arange(0, 64)
    tl.store(out + i, tl.load(x + i))  # here


@plant(OutOfBoundsError, (1,), lambda: (f32(0), f32(4)), array="x")
@triton.jit
def an_empty_array(x, out):
    tl.store(out, tl.load(x))  # here


@plant(OutOfBoundsError, (1,), lambda: (i32(10),), array="count")
@triton.jit
def atomic_addition_outside(count):
    tl.atomic_add(count + tl.arange(0, 16), 1)  # here


@plant(OutOfBoundsError, (1,), lambda: (f32(100), f32(1), 100), B=32, array="x")
@triton.jit
def the_last_turn_of_a_loop(x, out, n, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        total += tl.load(x + k + tl.arange(0, B))  # here
    tl.store(out, tl.sum(total, 0))


@triton.jit
def load_beyond(p, i):
    return tl.load(p + i + 1)  # here


@plant(OutOfBoundsError, (1,), lambda: (f32(32), f32(32)), array="x", lines_of=load_beyond)
@triton.jit
def in_a_function_that_is_called(x, out):
    i = tl.arange(0, 32)
    tl.store(out + i, load_beyond(x, i))  # call


@plant(OutOfBoundsError, (1, 1), lambda: (f32(64, 40), f32(40, 64), f32(64, 64), 40), array="a")
@triton.jit
def dot_without_a_mask_on_k(a, b, out, K):
    i = tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 16):
        j = k + tl.arange(0, 16)
        left = tl.load(a + i[:, None] * K + j[None, :])  # here
        right = tl.load(b + j[:, None] * 64 + i[None, :], mask=(j < K)[:, None], other=0.0)
        acc += tl.dot(left, right)
    tl.store(out + i[:, None] * 64 + i[None, :], acc)


@plant(OutOfBoundsError, (2,), lambda: (np.zeros(30, np.float64), np.zeros(32, np.float64)), array="x")
@triton.jit
def a_reduction_of_too_much(x, out):
    v = tl.load(x + tl.program_id(0) * 16 + tl.arange(0, 16))  # here
    tl.store(out + tl.program_id(0), tl.max(v, 0))


# ---- values that nothing defines


@plant(UndefinedValueError, (1,), lambda: (f32(60), f32(1), 60), B=64)
@triton.jit
def sum_of_masked_lanes(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)  # here
    tl.store(out, tl.sum(v, 0))  # there


@plant(UndefinedValueError, (1,), lambda: (f32(60), f32(64), 60), B=64)
@triton.jit
def softmax_without_other(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)  # here
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + i, e / tl.sum(e, 0), mask=i < n)  # there


@plant(UndefinedValueError, (1,), lambda: (f32(32, 20), f32(32, 32), 20))
@triton.jit
def dot_of_masked_lanes(a, out, K):
    i = tl.arange(0, 32)
    left = tl.load(a + i[:, None] * K + i[None, :], mask=(i < K)[None, :])  # here
    acc = tl.dot(left, tl.trans(left))
    tl.store(out + i[:, None] * 32 + i[None, :], acc)  # there


@plant(UndefinedValueError, (1,), lambda: (f32(64), f32(64), 60), B=64)
@triton.jit
def scan_of_masked_lanes(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i >= 64 - n)  # here
    tl.store(out + i, tl.cumsum(v, 0))  # there


@plant(UndefinedValueError, (1,), lambda: (i32(10), f32(64), f32(64), 10))
@triton.jit
def an_address_of_masked_lanes(at, x, out, n):
    i = tl.arange(0, 16)
    k = tl.load(at + i, mask=i < n)  # here
    v = tl.load(x + k)  # there
    tl.store(out + i, v)


@plant(UndefinedValueError, (1,), lambda: (i32(4), i32(4), 0))
@triton.jit
def a_branch_on_a_masked_value(x, out, n):
    flag = tl.load(x, mask=n > 0)  # here
    if flag > 0:  # there
        tl.store(out, 1)


@plant(UndefinedValueError, (1,), lambda: (i32(4), i32(4), 0))
@triton.jit
def a_loop_on_a_masked_value(x, out, n):
    count = tl.load(x, mask=n > 0)  # here
    for k in range(count):  # there
        tl.store(out, k)


@plant(UndefinedValueError, (1,), lambda: (f32(10), f32(1), 10))
@triton.jit
def an_atomic_addition_of_masked_lanes(x, out, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i, mask=i < n)  # here
    tl.atomic_add(out + i * 0, v)  # there


@plant(UndefinedValueError, (1,), lambda: (i32(10), f32(16), 10))
@triton.jit
def a_mask_of_masked_lanes(x, out, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i, mask=i < n)  # here
    tl.store(out + i, 1.0, mask=v == 0)  # there


@plant(UndefinedValueError, (1,), lambda: (f32(10), f32(16), 10))
@triton.jit
def a_choice_by_masked_lanes(x, out, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i, mask=i < n)  # here
    tl.store(out + i, tl.where(v > 0, 1.0, 2.0))  # there


@plant(UndefinedValueError, (1,), lambda: (f32(100), f32(1), 100))
@triton.jit
def a_sum_carried_by_a_loop(x, out, n):
    total = tl.zeros((32,), tl.float32)
    for k in range(0, n, 32):
        i = k + tl.arange(0, 32)
        total += tl.load(x + i, mask=i < n)  # here
    tl.store(out, tl.sum(total, 0))  # there


@plant(UndefinedValueError, (1,), lambda: (np.ones(10, np.float16), np.ones(16, np.float16), 10))
@triton.jit
def masked_lanes_of_half_floats(x, out, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i, mask=i < n)  # here
    tl.store(out + i, v + 1)  # there


@plant(UndefinedValueError, (1,), lambda: (np.ones(10, np.int8), np.ones(16, np.int8), 10))
@triton.jit
def masked_lanes_of_eight_bits(x, out, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i, mask=i < n)  # here
    tl.store(out + i, v * 2)  # there


@plant(UndefinedValueError, (1,), lambda: (f32(64), 40), array="out", index=(40,))
@triton.jit
def elements_that_nothing_set(out, n):
    i = tl.arange(0, 64)
    v = tl.empty((64,), tl.float32)  # here
    v = tl.where(i < n, 1.0, v)
    tl.store(out + i, v * 2)  # there


@plant(UndefinedValueError, (2, 2), lambda: (i32(4),), array="out")
@triton.jit
def an_address_that_nothing_set(out):
    at = tl.empty((8,), tl.int32)  # here
    tl.atomic_add(out + at % 4, 1)  # there


@plant(UndefinedValueError, (1,), lambda: (i32(2, 8),), array="out")
@triton.jit
def an_atomic_addition_of_what_nothing_set(out):
    v = tl.empty((2, 8), tl.int32)  # here
    i = tl.arange(0, 2)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.atomic_add(out + i, v + 1)  # there


@plant(UndefinedValueError, (1,), lambda: (f32(64),), array="out", index=(0,))
@triton.jit
def a_sum_that_begins_with_what_nothing_set(out):
    total = tl.empty((1,), tl.float32)  # here
    for k in range(4):
        total += k
    tl.store(out + tl.arange(0, 1), total)  # there


@plant(UndefinedValueError, (1,), lambda: (f32(1),))
@triton.jit
def a_branch_on_what_nothing_set(out):
    v = tl.empty((4, 4), tl.float16)  # here
    if tl.max(tl.max(v, 1), 0) < 1:  # there
        tl.store(out, 1.0)


@plant(UndefinedValueError, (1,), lambda: (f32(10), f32(16), 10))
@triton.jit
def sorted_masked_lanes(x, out, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i, mask=i < n)  # here
    tl.store(out + i, tl.sort(v))  # there


@plant(UndefinedValueError, (3,), lambda: (f32(90), i32(3), 90))
@triton.jit
def the_place_of_a_maximum(x, out, n):
    p = tl.program_id(0)
    i = p * 32 + tl.arange(0, 32)
    v = tl.load(x + i, mask=i < n)  # here
    tl.store(out + p, tl.argmax(v, 0))  # there


# ---- offsets of 32 bits that wrap


@plant(IntegerWrapError, (3,), lambda: (f32(64), 1 << 30))
@triton.jit
def a_program_times_a_stride(x, stride):
    p = tl.program_id(0)
    offset = p * stride * (p + 1)  # here
    tl.store(x + offset, 1.0, mask=p >= 2)


@plant(IntegerWrapError, (1,), lambda: (f32(64), f32(16), 1 << 28), array="x")
@triton.jit
def lanes_times_a_stride(x, out, stride):
    i = tl.arange(0, 16)
    v = tl.load(x + i * stride, mask=i >= 8)  # here
    tl.store(out + i, v, mask=i >= 8)


@plant(IntegerWrapError, (1,), lambda: (np.full(4, 1 << 28, np.int32), f32(16)), array="out")
@triton.jit
def bits_that_are_shifted_out(x, out):
    at = tl.load(x) << 4  # here
    tl.store(out + at, 1.0)


@plant(IntegerWrapError, (1,), lambda: (f32(64), f32(4, 4), 1 << 29))
@triton.jit
def a_row_times_a_stride(x, out, stride):
    i = tl.arange(4, 8)
    j = tl.arange(0, 4)
    v = tl.load(x + i[:, None] * stride + j[None, :])  # here
    tl.store(out + (i - 4)[:, None] * 4 + j[None, :], v)


@plant(IntegerWrapError, (1,), lambda: (f32(64), 1 << 30))
@triton.jit
def widened_too_late(x, stride):
    i = tl.arange(2, 6)
    offset = (i * stride).to(tl.int64)  # here
    tl.store(x + offset, 1.0)


@plant(IntegerWrapError, (1,), lambda: (i32(64), 1 << 30))
@triton.jit
def in_an_atomic_addition(x, stride):
    i = tl.arange(2, 6)
    tl.atomic_add(x + i * stride, 1)  # here


@plant(IntegerWrapError, (1,), lambda: (f32(64), 1 << 30))
@triton.jit
def carried_by_a_loop(x, step):
    offset = 0
    for _ in range(3):
        offset += step  # here
    tl.store(x + offset, 1.0)


# ---- division and shifts


@plant(DivisionByZeroError, (1,), lambda: (np.arange(16, dtype=np.int32), i32(16)))
@triton.jit
def a_quotient(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, 100 // tl.load(x + i))  # here


@plant(DivisionByZeroError, (1,), lambda: (np.arange(16, dtype=np.int8), np.zeros(16, np.int8)))
@triton.jit
def a_remainder(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, v % (v - 7))  # here


@plant(DivisionByZeroError, (2,), lambda: (f32(64), 0))
@triton.jit
def a_group_of_no_programs(x, group):
    p = tl.program_id(0)
    row = p // group  # here
    tl.store(x + row + p + 2, 1.0)  # there


@plant(DivisionByZeroError, (1,), lambda: (np.arange(16, dtype=np.uint64), np.zeros(16, np.uint64)))
@triton.jit
def a_quotient_without_sign(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i + 1, mask=i < 15, other=0) // tl.load(x + i))  # here


@plant(ShiftError, (1,), lambda: (np.arange(16, dtype=np.int32) * 4, i32(16)))
@triton.jit
def a_shift_to_the_left(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, 1 << tl.load(x + i))  # here


@plant(ShiftError, (1,), lambda: (np.arange(16, dtype=np.int64) * 5, np.zeros(16, np.int64)))
@triton.jit
def a_shift_to_the_right(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, v >> v)  # here


@plant(ShiftError, (1,), lambda: (np.arange(16, dtype=np.uint8), np.zeros(16, np.uint8)))
@triton.jit
def a_shift_of_eight_bits(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, v << v)  # here


# ---- numbers that are not finite

NONFINITE = {"nonfinite": True}


@plant(NonFiniteError, (1,), lambda: (np.arange(16, dtype=np.float32), f32(16)), options=NONFINITE)
@triton.jit
def logarithm_of_zero(x, out):
    i = tl.arange(0, 16)
    v = tl.log(tl.load(x + i))  # here
    tl.store(out + i, v)  # there


@plant(NonFiniteError, (1,), lambda: (np.arange(16, dtype=np.float32), f32(16)), options=NONFINITE)
@triton.jit
def zero_by_zero(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, v / v)  # here


@plant(NonFiniteError, (1,), lambda: (f32(16) * 100, f32(16)), options=NONFINITE)
@triton.jit
def exponential_too_large(x, out):
    i = tl.arange(0, 16)
    e = tl.exp(tl.load(x + i))  # here
    tl.store(out + i, e)  # there


@plant(NonFiniteError, (1,), lambda: (f32(16) * -4, f32(16)), options=NONFINITE)
@triton.jit
def root_of_less_than_zero(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.sqrt(tl.load(x + i)))  # here


@plant(NonFiniteError, (1,), lambda: (f32(16) * 70000, np.zeros(16, np.float16)), options=NONFINITE)
@triton.jit
def too_large_for_half(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i).to(tl.float16)  # here
    tl.store(out + i, v)  # there


@plant(NonFiniteError, (1,), lambda: (f32(16, 16) * np.float32(1e30), f32(16, 16)), options=NONFINITE)
@triton.jit
def a_product_too_large(x, out):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.dot(v, v))  # here


@plant(NonFiniteError, (1,), lambda: (f32(16) * np.float32(3e38), f32(1)), options=NONFINITE)
@triton.jit
def a_sum_too_large(x, out):
    v = tl.load(x + tl.arange(0, 16))
    total = tl.sum(v, 0)  # here
    tl.store(out, total)  # there


@triton.jit
def root_where_larger(a, b, c, d):
    top = tl.where(a > c, a, c)
    if a > c:
        top = tl.sqrt(d)  # here
    return top * 2, b, (a > 0).to(tl.int32), 1


@plant(
    NonFiniteError,
    (1,),
    lambda: (np.arange(1024, dtype=np.float32) - 900, f32(1024) * -1, f32(2, 1024)),
    options=NONFINITE,
    array="out",
    lines_of=root_where_larger,
)
@triton.jit
def in_a_function_of_pairs_of_elements(x, y, out):
    i = tl.arange(0, 1024)
    larger, positive = tl.map_elementwise(root_where_larger, tl.load(x + i), tl.load(y + i), pack=2)
    tl.store(out + i, larger)
    tl.store(out + 1024 + i, positive)


@triton.jit
def inverse_of_root(a):
    root = tl.sqrt(a - 3)
    while root > 100:
        root /= 10
    return 1 / root  # here


@plant(
    NonFiniteError,
    (1,),
    lambda: (np.arange(3, 67, dtype=np.float32), f32(64)),
    options=NONFINITE,
    array="out",
    index=(0,),
    lines_of=inverse_of_root,
)
@triton.jit
def in_a_function_of_elements(x, out):
    i = tl.arange(0, 64)
    tl.store(out + i, tl.map_elementwise(inverse_of_root, tl.load(x + i)))


# ---- races between programs


@plant(ProgramRaceError, (2,), lambda: (i32(16),), array="out", index=(0,))
@triton.jit
def all_programs_write_the_same(out):
    tl.store(out + tl.arange(0, 16), tl.program_id(0))  # here


@plant(ProgramRaceError, (8,), lambda: (f32(64),), array="out")
@triton.jit
def two_programs_for_one_tile(out):
    p = tl.program_id(0) // 2
    tl.store(out + p * 16 + tl.arange(0, 16), 1.0)  # here


@plant(ProgramRaceError, (4,), lambda: (f32(66),), array="x")
@triton.jit
def a_stencil_in_place(x):
    i = tl.program_id(0) * 16 + tl.arange(0, 16) + 1
    v = tl.load(x + i - 1) + tl.load(x + i) + tl.load(x + i + 1)
    tl.store(x + i, v)


@plant(ProgramRaceError, (4,), lambda: (np.arange(64, dtype=np.int32) % 4, i32(4)), array="count")
@triton.jit
def a_count_without_atomics(x, count):
    bin = tl.load(x + tl.program_id(0))
    n = tl.load(count + bin % 1)
    tl.store(count + bin % 1, n + 1)


@plant(ProgramRaceError, (2, 2), lambda: (f32(64),), array="out")
@triton.jit
def tiles_of_two_dimensions_that_overlap(out):
    p = tl.program_id(0) + tl.program_id(1)
    tl.store(out + p * 16 + tl.arange(0, 16), 1.0)  # here


@plant(ProgramRaceError, (2, 2, 2), lambda: (f32(128),), array="out")
@triton.jit
def a_dimension_that_is_forgotten(out):
    p = tl.program_id(0) * 2 + tl.program_id(2)
    tl.store(out + p * 16 + tl.arange(0, 16), 1.0)  # here


@plant(ProgramRaceError, (4,), lambda: (f32(64), f32(1)), array="out", index=(0,))
@triton.jit
def parts_of_a_sum_that_are_stored(x, out):
    v = tl.load(x + tl.program_id(0) * 16 + tl.arange(0, 16))
    tl.store(out, tl.sum(v, 0))  # here


@plant(ProgramRaceError, (2,), lambda: (f32(16), i32(1)), array="data")
@triton.jit
def a_flag_that_publishes_nothing(data, flag):
    i = tl.arange(0, 16)
    if tl.program_id(0) == 0:
        tl.store(data + i, 1.0)  # there
        tl.atomic_xchg(flag, 1, sem="relaxed")
    else:
        while tl.atomic_add(flag, 0, sem="relaxed") == 0:
            pass
        v = tl.load(data + i)  # here
        tl.store(data + 16 + i, v, mask=i < 0)


def shifted() -> tuple[np.ndarray, np.ndarray]:
    x = f32(65)
    return x[:64], x[1:]


@plant(ThreadRaceError, (4,), shifted)
@triton.jit
def arrays_that_overlap(x, out):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i))


@plant(ProgramRaceError, (2,), lambda: (i32(4),), array="out")
@triton.jit
def a_store_beside_an_atomic_addition(out):
    if tl.program_id(0) == 0:
        tl.atomic_add(out, 1)
    else:
        tl.store(out, 0)


# ---- races within a program


def twice() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = f32(256)
    return x, x, f32(256)


@plant(ThreadRaceError, (1,), twice)
@triton.jit
def one_array_by_two_names(x, y, out):
    i = tl.arange(0, 256)
    tl.store(x + i, i.to(tl.float32))  # there
    v = tl.load(y + 255 - i)  # here
    tl.store(out + i, v)


@plant(ThreadRaceError, (1,), lambda: (i32(64),), array="out", index=(0,))
@triton.jit
def several_values_for_one_element(out):
    i = tl.arange(0, 64)
    tl.store(out + i // 4, i)  # here


@plant(ThreadRaceError, (1,), lambda: (np.arange(128, dtype=np.int32) % 8, i32(8)), array="count")
@triton.jit
def a_scatter_to_equal_places(at, count):
    i = tl.arange(0, 128)
    tl.store(count + tl.load(at + i), i)  # here


# ---- alignment


@plant(MisalignedAccessError, (1,), lambda: (f32(1200), f32(1200), 2))
@triton.jit
def a_promise_that_does_not_hold(x, out, by):
    i = tl.arange(0, 1024)
    by = tl.multiple_of(by, 4)
    tl.store(out + i, tl.load(x + by + i))  # here


@plant(MisalignedAccessError, (1,), lambda: (np.zeros(4200, np.float16), 3))
@triton.jit
def a_promise_for_half_floats(out, by):
    i = tl.arange(0, 4096)
    by = tl.multiple_of(by, 8)
    tl.store(out + by + i, i.to(tl.float16))  # here


@plant(MisalignedAccessError, (1,), lambda: (np.zeros(65, np.int32),))
@triton.jit
def a_pointer_of_another_type(x):
    wide = (x + 1).to(tl.pointer_type(tl.int64))
    tl.store(wide, 1)  # here


# ---- loops without end

STEPS = {"steps": 10_000}


@plant(StepLimitError, (2,), lambda: (i32(4), 0), options=STEPS)
@triton.jit
def a_loop_without_end(out, step):
    k = 0
    while k < 10:  # here
        k += step
    tl.store(out, k)


@plant(StepLimitError, (1,), lambda: (i32(4),), options=STEPS)
@triton.jit
def waits_for_nobody(flag):
    while tl.atomic_add(flag, 0) == 0:  # here
        pass
    tl.store(flag + 1, 1)


# ---- atomic operations


@plant(ProgramRaceError, (8,), lambda: (i32(1),), array="total", index=(0,))
@triton.jit
def a_total_that_one_program_sets_to_zero(total):
    pid = tl.program_id(0)
    if pid == 0:
        tl.store(total, 0)
    tl.atomic_add(total, pid, sem="relaxed")  # here


# ---- locks


@plant(ProgramRaceError, (4,), lambda: (i32(1), f32(64)), array="data")
@triton.jit
def what_is_stored_after_the_lock_was_given_back(lock, data):
    i = tl.arange(0, 64)
    while tl.atomic_cas(lock, 0, 1) != 0:
        pass
    v = tl.load(data + i)  # here
    tl.atomic_xchg(lock, 0)
    tl.store(data + i, v + 1)  # there


@plant(ProgramRaceError, (2,), lambda: (i32(2), f32(64)), array="data")
@triton.jit
def two_locks_for_one_array(locks, data):
    i = tl.arange(0, 64)
    lock = locks + tl.program_id(0) % 2
    while tl.atomic_cas(lock, 0, 1) != 0:
        pass
    tl.store(data + i, tl.load(data + i) + 1)
    tl.atomic_xchg(lock, 0)


@plant(ProgramRaceError, (8,), lambda: (f32(8, 60), f32(2, 60), i32(4), 60), array="sums", GROUPS=4, B=64)
@triton.jit
def more_locks_than_buffers(x, sums, locks, n, GROUPS: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    at = sums + row % (GROUPS // 2) * n + i
    lock = locks + row % GROUPS
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    v += tl.load(at, mask=i < n, other=0.0)  # here
    tl.store(at, v, mask=i < n)  # there
    tl.atomic_xchg(lock, 0)


@plant(ProgramRaceError, (4,), lambda: (i32(1), f32(64)), array="data")
@triton.jit
def a_lock_that_publishes_nothing(lock, data):
    i = tl.arange(0, 64)
    while tl.atomic_cas(lock, 0, 1, sem="relaxed") != 0:
        pass
    v = tl.load(data + i)  # here
    tl.store(data + i, v + 1)  # there
    tl.atomic_xchg(lock, 0, sem="relaxed")
