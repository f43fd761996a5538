"""Statements: each does in a kernel what it does in Python."""

# A kernel is no Python to a type checker: its constants are numbers, and numbers have the methods of tensors.
# pyright: reportAttributeAccessIssue=false, reportUnnecessaryComparison=false, reportUnnecessaryIsInstance=false
# pyright: reportArgumentType=false, reportInvalidTypeForm=false, reportPossiblyUnboundVariable=false

from __future__ import annotations

import numpy as np
import pytest

import mytriton.language as tl
from mytriton.runtime.jit import jit
from tests.unit.frontend.harness import run, text_of


def results(kernel, *arguments, count=8, **constants):
    """What the kernel stores to its first parameter, an int32 array that holds -99 before."""
    out = np.full(count, -99, np.int32)
    run(kernel, out, *arguments, **constants)
    return out.tolist()


# Assignments


@jit
def assignments(out, n):
    """A text at the start is a comment."""
    x = n + 1
    y: tl.int32 = x * 2
    z = w = y - x
    a, b = x, y
    a, b = b, a
    (c, [d, e]) = 1, (2, 3)
    x += 10
    x -= 1
    x *= 3
    x //= 2
    x %= 100
    x <<= 2
    x >>= 1
    x |= 8
    x &= 255
    x ^= 3
    tl.store(out, x)
    tl.store(out + 1, z + w)
    tl.store(out + 2, a * 1000 + b)
    tl.store(out + 3, c * 100 + d * 10 + e)
    tl.store(out + 4, (v := n * 7) + v)


def test_assignments():
    def expected(n):
        x = n + 1
        y = x * 2
        z = w = y - x
        a, b = y, x
        x = (((x + 10 - 1) * 3 // 2 % 100) << 2) >> 1
        x = ((x | 8) & 255) ^ 3
        return [x, z + w, a * 1000 + b, 123, 14 * n, -99, -99, -99]

    for n in (0, 5, 70):
        assert results(assignments, n) == expected(n)


@jit
def constants(out, n, BLOCK: tl.constexpr):
    half: tl.constexpr = BLOCK // 2
    later: tl.constexpr
    later = half + 1
    plain = BLOCK * 2
    offsets = tl.arange(0, half)
    tl.store(out + offsets, offsets + later)
    # A number that a variable was assigned may stand where a constant is needed.
    tl.store(out + half + tl.arange(0, plain // BLOCK * 2 if half > 100 else 1), plain)


def test_constants_fold():
    assert results(constants, 3, BLOCK=8) == [5, 6, 7, 8, 16, -99, -99, -99]


@jit
def number_as_extent(out):
    size = 4
    tl.store(out + tl.arange(0, size), tl.zeros((size,), tl.int32))


def test_number_may_be_an_extent():
    assert results(number_as_extent) == [0, 0, 0, 0, -99, -99, -99, -99]


# if


@jit
def branches(out, n, m):
    a = 1
    if n > 3:
        a = n
        b = 10
    elif n == 3:
        b = 20
    else:
        a = -n
        b = 30
    if m > n:
        b += 1
    tl.store(out, a)
    tl.store(out + 1, b)
    if m == n:
        if n > 0:
            tl.store(out + 2, 1)
        else:
            tl.store(out + 2, 2)


def test_branches():
    def expected(n, m):
        a, b = (n, 10) if n > 3 else (1, 20) if n == 3 else (-n, 30)
        return [a, b + (m > n), (1 if n > 0 else 2) if m == n else -99, -99, -99, -99, -99, -99]

    for n, m in [(5, 2), (3, 4), (3, 3), (-1, -1), (0, 9)]:
        assert results(branches, n, m) == expected(n, m)


@jit
def constant_branch(out, FLAG: tl.constexpr, OTHER: tl.constexpr):
    if FLAG:
        x = 1
    else:
        x = tl.no_such_function(2)
    if OTHER is None:
        y = 5
    elif OTHER == "a":
        y = 6
    else:
        y = 7.5
    if not FLAG and OTHER:
        x = tl.no_such_function(3)
    tl.store(out, x)
    tl.store(out + 1, y)


def test_constant_condition_compiles_one_side():
    assert results(constant_branch, FLAG=True, OTHER=None)[:2] == [1, 5]
    assert results(constant_branch, FLAG=True, OTHER="a")[:2] == [1, 6]
    assert results(constant_branch, FLAG=True, OTHER=3)[:2] == [1, 7]


@jit
def values_of_several_types(out, n):
    if n > 0:
        pair = (n, n * 2.5)
        block = tl.arange(0, 4)
    else:
        pair = (0, -1.0)
        block = tl.arange(4, 8)
    tl.store(out, pair[0])
    tl.store(out + 1, pair[1].to(tl.int32))
    tl.store(out + 2 + tl.arange(0, 4), block)


def test_tuples_and_blocks_come_out_of_branches():
    assert results(values_of_several_types, 4) == [4, 10, 0, 1, 2, 3, -99, -99]
    assert results(values_of_several_types, -4) == [0, -1, 4, 5, 6, 7, -99, -99]


@jit
def reused_name(out, n):
    if n > 0:
        x = tl.zeros((4,), tl.float32)
        tl.store(out + tl.arange(0, 4), x)
    else:
        x = 3
        tl.store(out, x)
    x = n * 2
    tl.store(out + 4, x)


def test_name_that_is_not_needed_afterwards_may_differ():
    assert results(reused_name, 1) == [0, 0, 0, 0, 2, -99, -99, -99]
    assert results(reused_name, -1) == [3, -99, -99, -99, -2, -99, -99, -99]


# Conditional expressions


@jit
def conditional(out, p, n, FLAG: tl.constexpr):
    tl.store(out, n if n > 3 else 7)
    tl.store(out + 1, 1 if FLAG else tl.no_such_function(n))
    # A side with a load is evaluated only if it is taken.
    tl.store(out + 2, tl.load(p + n) if n < 4 else -1)
    tl.store(out + 3, (n > 2) and (n < 5))
    tl.store(out + 4, (n < 2) or (n > 5))
    tl.store(out + 5, n < 4 and tl.load(p + n) > 11)
    tl.store(out + 6, not n)
    tl.store(out + 7, 2 < n <= 6 != 5)


def test_conditional_expressions():
    p = np.array([10, 11, 12, 13], np.int32)
    for n in range(8):
        assert results(conditional, p, n, FLAG=True) == [
            n if n > 3 else 7,
            1,
            p[n] if n < 4 else -1,
            2 < n < 5,
            n < 2 or n > 5,
            n < 4 and p[n] > 11,
            not n,
            2 < n <= 6,
        ]


@jit
def constant_logic(out, n, A: tl.constexpr, B: tl.constexpr):
    tl.store(out, 1 if A and B else 2)
    tl.store(out + 1, 1 if A or tl.no_such_function(n) else 2)
    if A and n > 3:
        tl.store(out + 2, 1)
    if B and tl.no_such_function(n):
        tl.store(out + 3, 1)
    tl.store(out + 4, (A and 7) + (B or 5))


def test_constants_in_logic_cut_it_short():
    assert results(constant_logic, 4, A=True, B=False)[:5] == [2, 1, 1, -99, 12]


# for


@jit
def for_loops(out, n, m):
    total = 0
    for i in range(n):
        total += i
    tl.store(out, total)
    total = 0
    for i in range(m, n):
        total = total * 2 + i
    tl.store(out + 1, total)
    total = 0
    for i in range(m, n, 3):
        total = total * 2 + i
    tl.store(out + 2, total)
    total = 0
    for i in range(n, m, -2):
        total = total * 2 + i
    tl.store(out + 3, total)
    count = 0
    for i in range(n):
        for j in range(i, m):
            count += i * j
    tl.store(out + 4, count)
    for i in tl.range(n, num_stages=3):
        tl.store(out + 5, i)
    first = 0
    second = 1
    for _ in range(n):
        first, second = second, first + second
    tl.store(out + 6, first)


def test_for_loops():
    def folded(numbers):
        total = 0
        for number in numbers:
            total = total * 2 + number
        return total

    def fibonacci(n):
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return a

    for n, m in [(5, 2), (0, 0), (1, 0), (9, 4), (-3, 2), (7, 20)]:
        assert results(for_loops, n, m) == [
            sum(range(n)),
            folded(range(m, n)),
            folded(range(m, n, 3)),
            folded(range(n, m, -2)),
            sum(i * j for i in range(n) for j in range(i, m)),
            n - 1 if n > 0 else -99,
            fibonacci(n),
            -99,
        ]


@jit
def runtime_step(out, start, stop, step):
    total = 0
    turns = 0
    for i in range(start, stop, step):
        total += i * (turns + 1)
        turns += 1
    tl.store(out, total)
    tl.store(out + 1, turns)


@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [(88, -1, -8), (0, 10, 3), (5, 5, 2), (5, 2, 1), (2, 5, -1), (0, 1, 100), (-7, 7, 7), (3, -9, -5)],
)
def test_step_of_unknown_sign(start, stop, step):
    numbers = list(range(start, stop, step))
    expected = [sum(number * (turn + 1) for turn, number in enumerate(numbers)), len(numbers)]
    assert results(runtime_step, start, stop, step)[:2] == expected


def test_step_of_zero_makes_no_turn():
    assert results(runtime_step, 0, 10, 0)[:2] == [0, 0]


def test_step_of_unknown_sign_at_the_limits_of_int32():
    low, high = -(2**31), 2**31 - 1
    for bounds in [(low, high, high), (high, low, low), (low, high, 2**30), (high, high, low)]:
        assert results(runtime_step, *bounds)[1] == len(range(*bounds))


@jit
def unsigned_bounds(out, start, stop):
    turns = 0
    last = start
    for i in range(start, stop):
        turns += 1
        last = i
    tl.store(out, turns)
    tl.store(out + 1, (last == stop - 1).to(tl.int32))


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_unsigned_bounds(dtype):
    top = np.iinfo(dtype).max
    assert results(unsigned_bounds, dtype(top - 5), dtype(top))[:2] == [5, 1]
    assert results(unsigned_bounds, dtype(top), dtype(top - 5))[0] == 0
    assert results(unsigned_bounds, dtype(3), dtype(7))[:2] == [4, 1]


@jit
def loop_variable_afterwards(out, n):
    i = 77
    for i in range(0, n, 2):  # noqa: B007
        pass
    tl.store(out, i)
    for j in range(5):
        i = j
        j = j * 10
    tl.store(out + 1, i)
    tl.store(out + 2, j)


def test_loop_variable_keeps_its_last_value():
    assert results(loop_variable_afterwards, 7)[:3] == [6, 4, 40]
    assert results(loop_variable_afterwards, 0)[:3] == [77, 4, 40]


@jit
def leaving_loops(out, n, m):
    total = 0
    for i in range(n):
        if i == m:
            break
        if i % 3 == 1:
            continue
        total += i
        if total > 50:
            total = -total
            break
    tl.store(out, total)
    count = 0
    while True:
        count += 1
        if count % 2 == 0:
            continue
        if count > n:
            break
    tl.store(out + 1, count)
    inner = 0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            inner += 1
    tl.store(out + 2, inner)
    for i in range(10, 0, -1):
        if i < n:
            tl.store(out + 3, i)
            break


def test_break_and_continue():
    def expected(n, m):
        total = 0
        for i in range(n):
            if i == m:
                break
            if i % 3 == 1:
                continue
            total += i
            if total > 50:
                total = -total
                break
        count = 0
        while True:
            count += 1
            if count % 2 == 0:
                continue
            if count > n:
                break
        first_below = next((i for i in range(10, 0, -1) if i < n), -99)
        return [total, count, n * (n + 1) // 2, first_below]

    for n, m in [(0, 0), (5, 3), (20, 100), (12, 11)]:
        assert results(leaving_loops, n, m)[:4] == expected(n, m)


@jit
def unrolled(out, n, COUNT: tl.constexpr, NAMES: tl.constexpr):
    total = 0
    for i in tl.static_range(COUNT):
        size: tl.constexpr = i + 1
        total += tl.sum(tl.zeros((size,), tl.int32) + n)
    tl.store(out, total)
    for i in tl.static_range(1, 8, 3):
        tl.store(out + i, i * n)
    for i, value in enumerate((n, 5)):
        total += i * value
    for name in NAMES:
        if name == "skip":
            continue
        if name == "stop":
            break
        total += 1000
    for i in tl.static_range(0):
        total = tl.no_such_function(i)
    tl.store(out + 2, total)


def test_unrolled_loops():
    n = 3
    got = results(unrolled, n, COUNT=4, NAMES=("a", "skip", "b", "stop", "c"))
    assert got == [n * 10, n, n * 10 + 5 + 2000, -99, 4 * n, -99, -99, 7 * n]


# while


@jit
def collatz(out, x):
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    tl.store(out, steps)


def test_while():
    assert results(collatz, 27)[0] == 111
    assert results(collatz, 1)[0] == 0


@jit
def while_with_load(out, p, n):
    i = 0
    while i < n and tl.load(p + i) != 0:
        i += 1
    tl.store(out, i)


def test_while_evaluates_its_test_no_further_than_needed():
    p = np.array([3, 1, 4, 0, 5], np.int32)
    assert results(while_with_load, p, 5)[0] == 3
    assert results(while_with_load, p[:3].copy(), 3)[0] == 3


# Functions


@jit
def absolute(x):
    if x < 0:
        return -x
    return x


@jit
def classified(x, LIMIT: tl.constexpr = 10):
    if x > LIMIT:
        return x, 1
    elif x < -LIMIT:
        y = -x
        return y, 2
    if x == 0:
        return 0, 3
    z = x * 2
    return z, 4


@jit
def stores(out, x):
    if x > 2:
        tl.store(out, x)
        return
    tl.store(out + 1, x)


@jit
def twice(x, F: tl.constexpr):
    if F:
        return x * 2
    return tl.no_such_function(x)


@jit
def summed(first, *others):
    total = first
    for other in others:
        total += other
    return total


@jit
def calls(out, n):
    tl.store(out + 2, absolute(n))
    value, kind = classified(n)
    tl.store(out + 3, value * 10 + kind)
    value, kind = classified(n, LIMIT=2)
    tl.store(out + 4, value * 10 + kind)
    for i in range(n):
        if i > 0:
            stores(out, i)
    tl.store(out + 5, twice(n, True))
    tl.store(out + 6, summed(n, 10, n, 20))
    tl.store(out + 7, summed(n) if n == 0 else absolute(absolute(n - 5)))


def test_calls_of_other_functions():
    def kind(x, limit):
        if x > limit:
            return x * 10 + 1
        return -x * 10 + 2 if x < -limit else 3 if x == 0 else x * 20 + 4

    for n in (-20, -1, 0, 3, 4, 30):
        last = n - 1 if n > 3 else -99
        second = min(2, n - 1) if n > 1 else -99
        assert results(calls, n) == [
            last,
            second,
            abs(n),
            kind(n, 10),
            kind(n, 2),
            2 * n,
            2 * n + 30,
            abs(n - 5) if n else 0,
        ]


@jit
def early_return(out, n):
    if n > 10:
        return
    tl.store(out, n)
    if n > 5:
        tl.store(out + 1, n)
        return
    else:
        tl.store(out + 2, n)
    if n > 3:
        if n == 4:
            tl.store(out + 3, n)
            return
        tl.store(out + 4, n)
    tl.store(out + 5, n)


def test_kernel_may_return_early():
    for n, stored in [(11, ()), (7, (0, 1)), (4, (0, 2, 3)), (5, (0, 2, 4, 5)), (1, (0, 2, 5))]:
        assert results(early_return, n) == [n if position in stored else -99 for position in range(8)]


def made_in_a_function(scale):
    factor = tl.constexpr(scale)

    @jit
    def scaled(out, n):
        tl.store(out, n * factor)

    return scaled


def test_closures():
    assert results(made_in_a_function(3), 5)[0] == 15
    assert results(made_in_a_function(4), 5)[0] == 20


# What becomes of it


def test_for_loop_carries_only_what_it_changes_and_what_is_needed():
    @jit
    def kernel(out, n, FLAG: tl.constexpr):
        total = 0
        unchanged = n
        temporary = 1.5
        for i in range(n):
            temporary = i * 2
            if FLAG:
                unchanged = 0
            total += temporary + unchanged
        tl.store(out, total)

    text = text_of(kernel, {"out": "*i32", "n": "i32"}, FLAG=False)
    assert "iter_args(%total_1 = %c0_i32) -> (i32)" in text


def test_equal_constants_exist_once():
    @jit
    def kernel(out, n):
        tl.store(out + 3, n + 3)
        if n > 3:
            tl.store(out + 3 * n, 3)

    assert text_of(kernel, {"out": "*i32", "n": "i32"}).count("arith.constant") == 1


def test_exit_that_only_sets_a_flag_needs_no_branch():
    @jit
    def kernel(out, n):
        i = 0
        while True:
            i += 1
            if i * i > n:
                break
        tl.store(out, i)

    text = text_of(kernel, {"out": "*i32", "n": "i32"})
    assert "scf.if" not in text
    assert results(kernel, 20)[0] == 5
