"""Python's statements in kernels: what each computes is what Python computes."""

# A kernel is no Python to a type checker: both sides of a branch may be compiled.
# pyright: reportPossiblyUnboundVariable=false, reportUnnecessaryComparison=false, reportConstantRedefinition=false

from __future__ import annotations

from typing import Any

import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.python_reference import check_like_python


@triton.jit
def breaks_inside_of_if_inside_of_while_inside_of_for(a, b):
    total, turns = 0, 0
    for i in range(a):
        x = i
        while x < 20:
            turns += 1
            if x % 3 == 0:
                if x > b:
                    break
            x += i + 1
            if x == 7:
                continue
            total += x
        if total > 100:
            break
        total += 1
    return total, turns


@triton.jit
def returns_in_nested_loops(a, b):
    for i in range(a):
        j = 0
        while j < 5:
            for k in range(3):
                if i * j + k == b:
                    return i, j, k
                if k > j:
                    break
            j += 1
        if i == 6:
            return -1, i, j
    return -2, a, b


@triton.jit
def returns_between_unrolled_loops(a, b):
    total = 0
    for i in tl.static_range(3):
        for j in range(b):
            if i * 10 + j == a:
                return i, total
            total += j
        for k in tl.static_range(2):
            if total > 50 + k:
                return -1, total
    return -2, total


@triton.jit
def tuples_around_loops(a, b):
    state = (a, (b, 1))
    for i in range(5):
        x, (y, z) = state
        state = (y, (x + z, i))
        if x > 100:
            state = (0, state[1])
    first, (second, third) = state
    while first < 50:
        first, second = second, first + second + 1
    return first, second, third


@triton.jit
def assignments_in_conditions(a, b):
    total = 0
    if (x := a * 2) > 10:
        total += x
    elif (y := x + b) > 4:
        total += y * 100
    while (rest := a - total) > 3:
        total += rest // 2 + 1
    return total, x, rest


@triton.jit
def assignments_in_conditions_of_loops_that_break(a, b):
    total = 0
    while (x := total + a) < 40:
        total += 3
        if x == b:
            break
    while (z := total - 1) > 5 and total != b:
        total -= 2
        if total == 11:
            continue
        total -= z % 2
    return total, x, z


@triton.jit
def endless_loops(a, b):
    steps = 0
    while True:
        if a == 1:
            break
        a = a // 2 if a % 2 == 0 else 3 * a + 1
        steps += 1
        while True:
            b += 1
            if b % 5 == 0:
                break
        if steps > 40:
            break
    return steps, a, b


@triton.jit
def loops_with_every_step(a, b):
    total, turns = 0, 0
    for i in range(a, b):
        total += i
        turns += 1
    for i in range(b, a, -1):
        total += i * 2
        turns += 1
    for i in range(20, -20, -7):
        total += i * i
        turns += 1
    for i in range(a, b, b - a + 1):
        total += i
        turns += 1
    for i in range(b, a, 3):
        total -= i
        turns += 1
    for i in tl.range(a + 10, a, -4):
        total ^= i
        turns += 1
    for i in tl.static_range(9, 0, -4):
        total += i * a
        turns += 1
    return total, turns


@triton.jit
def loop_variables_afterwards(a, b):
    i, j = -1, -1
    for i in range(a, b, 2):
        j = i * 10
        i = 100
    for k in range(3):
        b += k
    return i, j, k, b


@triton.jit
def every_augmented_assignment(a, b):
    x = a
    x += b
    x -= 3
    x *= 5
    x |= 64
    x &= 127
    x ^= 21
    x <<= 2
    x >>= 1
    x //= 3
    x %= 17
    x **= 2
    return x, a, b


@triton.jit
def ladder(a, b):
    if a < 0:
        kind = 0
        if b < 0:
            return kind, 1
    elif a == 0:
        if b == 0:
            kind = 10
        elif b < 3:
            kind = 11
        else:
            return 12, 2
    elif a < 5 and b < 5:
        kind = 20
        while kind < 30:
            kind += b + 1
            if kind == 26:
                return kind, 3
    else:
        kind = 40
        for i in range(a):
            if i == b:
                kind += i
                break
    return kind, 4


@triton.jit
def names_for_different_things(a, b):
    total = 0
    for x in (1, 2, 3):
        total += x
    for x in ((1, 2), (a, b)):
        total += x[0] * x[1]
    if a > b:
        y = (a, b)
        total += y[0]
    else:
        y = b
        total += y
    for y in range(3):
        total += y
    return total, a


@triton.jit
def chosen_by_constants(a, b):
    kinds: tl.constexpr = (0, 1, 2)
    total = 0
    for kind in kinds:
        if kind == 0:
            x = a
        elif kind == 1:
            x = b
            if a > b:
                continue
        else:
            x = undefined_if_compiled(kind, a)
        total = total * 10 + x
    return total, len(kinds)


@triton.jit
def undefined_if_compiled(kind, a):
    if kind == 2:
        return a + 1
    return this_is_defined_nowhere(kind)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


@triton.jit
def nothing_but_text(a, b):
    """A text."""
    "another text"
    for _ in range(a):
        pass
    while b < 0:
        """Nothing."""
        b += 1
    return a, b


@triton.jit
def early_ends(a, b):
    total = 0
    for i in range(10):
        if i == a:
            continue
        elif i > b:
            break
        else:
            if i % 2 == 0:
                total += 1
                continue
        total += 10
        if total > 35:
            return total, i
    return total, -1


FUNCTIONS = [
    breaks_inside_of_if_inside_of_while_inside_of_for,
    returns_in_nested_loops,
    returns_between_unrolled_loops,
    tuples_around_loops,
    assignments_in_conditions,
    assignments_in_conditions_of_loops_that_break,
    endless_loops,
    loops_with_every_step,
    loop_variables_afterwards,
    every_augmented_assignment,
    ladder,
    names_for_different_things,
    chosen_by_constants,
    nothing_but_text,
    early_ends,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize(("a", "b"), [(0, 0), (3, 8), (8, 3), (4, 2), (7, 23), (2, 4)])
def test_statements(function: Any, a: int, b: int) -> None:
    check_like_python(function, a, b)
