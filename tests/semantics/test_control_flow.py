"""Loops, branches, constants and calls."""

# A kernel is no Python to a type checker: its constants are numbers, and both sides of a branch may be compiled.
# pyright: reportPossiblyUnboundVariable=false, reportUnnecessaryComparison=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.semantics.elementwise import check_one

# Loops


@triton.jit
def bounds_kernel(n, out_ptr):
    end, step, turns = n, n - 2, 0
    for i in range(1, end, step):
        end = 100
        step = 1
        i = i * 1000
        turns += 1
    tl.store(out_ptr, turns)
    tl.store(out_ptr + 1, end)


@pytest.mark.rule("range-bounds")
@pytest.mark.parametrize("n", [1, 5, 12])
def test_bounds_are_evaluated_once(n: int) -> None:
    turns = len(range(1, n, n - 2))
    check_one(bounds_kernel, [n], [turns, 100 if turns else n])


@triton.jit
def steps_kernel(start, end, step, out_ptr):
    turns, last = 0, -99
    for i in range(start, end, step):
        turns += 1
        last = i
    tl.store(out_ptr, turns)
    tl.store(out_ptr + 1, last)
    turns, last = 0, -99
    for i in range(start, end, -3):
        turns += 1
        last = i
    tl.store(out_ptr + 2, turns)
    tl.store(out_ptr + 3, last)


@triton.jit
def zero_step_kernel(out_ptr):
    for i in range(0, 5, 0):
        tl.store(out_ptr, i)


@pytest.mark.rule("range-step")
@pytest.mark.parametrize(
    "bounds",
    [(0, 10, 3), (10, 0, -3), (10, 0, 3), (0, 10, -3), (2**31 - 5, 2**31 - 1, 3), (-(2**31), 2**31 - 1, 2**30)],
)
def test_step_may_be_negative(bounds: tuple[int, int, int]) -> None:
    wanted: list[int] = []
    for step in (bounds[2], -3):
        # The loop down from the largest number would take too long.
        turns = range(bounds[0], bounds[1], step)
        wanted += [len(turns), turns[-1] if turns else -99]
    check_one(steps_kernel, [*bounds], wanted)


@pytest.mark.rule("range-step")
def test_step_of_zero() -> None:
    check_one(steps_kernel, [9, 0, 0], [0, -99, 3, 3])
    with pytest.raises(CompilationError, match="must not be 0"):
        zero_step_kernel.warmup("*i32")


@triton.jit
def loop_dtype_kernel(n, out_ptr):
    for i in range(n):
        tl.static_assert(i.dtype == tl.int32)
    for i in range(n.to(tl.int64)):
        tl.static_assert(i.dtype == tl.int64)
    last = tl.full((), 0, tl.uint8)
    for i in range(tl.full((), 250, tl.uint8), tl.full((), 253, tl.uint8)):
        tl.static_assert(i.dtype == tl.int32)
        last = i.to(tl.uint8)
    tl.store(out_ptr, last)


@triton.jit
def float_bound_kernel(x, out_ptr):
    for i in range(x):
        tl.store(out_ptr, i)


@triton.jit
def unsigned_loop_kernel(n, out_ptr):
    last = tl.full((), 0, tl.uint32)
    turns = 0
    for i in range((n + 2147483647).to(tl.uint32), (n + 2147483647).to(tl.uint32) + 3):
        tl.static_assert(i.dtype == tl.uint32)
        last = i
        turns += 1
    tl.store(out_ptr, last)
    tl.store(out_ptr + 1, turns)


@pytest.mark.rule("loop-variable-dtype")
def test_dtype_of_the_loop_variable() -> None:
    check_one(loop_dtype_kernel, [3], [252])
    check_one(unsigned_loop_kernel, [5], [2**31 + 6, 3], np.int64)
    with pytest.raises(CompilationError, match="integers"):
        float_bound_kernel.warmup("fp32", "*i32")


@triton.jit
def counter_kernel(n, out_ptr):
    seen = 0
    for i in range(n):
        seen = seen * 10 + i
        i = 7
    tl.store(out_ptr, seen)


@pytest.mark.rule("loop-variable-assignment")
def test_assignment_to_the_loop_variable_ends_with_the_turn() -> None:
    check_one(counter_kernel, [4], [123])


@triton.jit
def last_value_kernel(n, out_ptr):
    i = 77
    for i in range(0, n, 2):  # noqa: B007
        pass
    tl.store(out_ptr, i)
    for j in range(3):
        j = j * 10
    tl.store(out_ptr + 1, j)


@triton.jit
def undefined_after_loop_kernel(n, out_ptr):
    for i in range(n):  # noqa: B007
        pass
    tl.store(out_ptr, i)


@triton.jit
def defined_in_loop_kernel(n, out_ptr):
    for i in range(n):
        x = i
    tl.store(out_ptr, x)


@pytest.mark.rule("loop-variable-afterwards")
@pytest.mark.parametrize(("n", "last"), [(7, 6), (0, 77)])
def test_loop_variable_keeps_its_last_value(n: int, last: int) -> None:
    check_one(last_value_kernel, [n], [last, 20])
    for kernel in (undefined_after_loop_kernel, defined_in_loop_kernel):
        with pytest.raises(CompilationError, match="may be undefined"):
            kernel.warmup("i32", "*i32")


@triton.jit
def carried_kernel(x_ptr, n, out_ptr):
    total = tl.zeros((), tl.float32)
    count = 0
    for i in range(n):
        total += tl.load(x_ptr + i)
        count += 2
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, count)


@triton.jit
def changed_dtype_kernel(x_ptr, n, out_ptr):
    total = 0
    for i in range(n):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)


@pytest.mark.rule("loop-carried")
def test_variable_keeps_its_type_around_a_loop() -> None:
    x = np.array([0.5, 1.5, 3], np.float32)
    check_one(carried_kernel, [x, 3], [5, 6], np.float32)
    with pytest.raises(CompilationError, match=r"'total' is .*int32.* before the loop"):
        changed_dtype_kernel.warmup("*fp32", "i32", "*fp32")


@triton.jit
def unrolled_kernel(out_ptr, N: tl.constexpr):
    total = 0
    for i in tl.static_range(N):
        # The number of the turn is a constant.
        x = tl.zeros((i + 1,), tl.int32) + 1
        total += tl.sum(x)
    for name, factor in (("first", 10), ("second", 100)):
        total += factor if name == "second" else 2 * factor
    tl.store(out_ptr, total)


@triton.jit
def runtime_static_range_kernel(n, out_ptr):
    for i in tl.static_range(n):
        tl.store(out_ptr, i)


@pytest.mark.rule("static-range")
def test_static_range_is_unrolled() -> None:
    check_one(unrolled_kernel, [], [1 + 2 + 3 + 4 + 120], N=4)
    with pytest.raises(CompilationError, match="static_range"):
        runtime_static_range_kernel.warmup("i32", "*i32")


@triton.jit
def while_kernel(x_ptr, n, out_ptr):
    i = 0
    while i < n and tl.load(x_ptr + i) != 0:
        i += 1
    tl.store(out_ptr, i)


@triton.jit
def endless_kernel(out_ptr):
    while True:
        tl.store(out_ptr, 1)


@pytest.mark.rule("while")
def test_while() -> None:
    x = np.array([3, 1, 0, 4], np.int32)
    check_one(while_kernel, [x, 4], [2])
    check_one(while_kernel, [x, 2], [2])
    check_one(while_kernel, [x, 0], [0])
    with pytest.raises(CompilationError, match="never ends"):
        endless_kernel.warmup("*i32")


@triton.jit
def leaving_kernel(n, m, out_ptr):
    total = 0
    for i in range(n):
        if i == m:
            break
        if i % 2 == 1:
            continue
        total += i
    tl.store(out_ptr, total)


@triton.jit
def leaving_unrolled_kernel(n, out_ptr):
    turns = 0
    for i in tl.static_range(4):
        if n == i:
            break
        turns += 1
    tl.store(out_ptr, turns)


@triton.jit
def loop_else_kernel(n, out_ptr):
    for i in range(n):
        tl.store(out_ptr, i)
    else:
        tl.store(out_ptr, -1)


@pytest.mark.rule("break-and-continue")
@pytest.mark.parametrize(("n", "m", "total"), [(10, 100, 20), (10, 5, 6), (10, 0, 0), (0, 0, 0)])
def test_break_and_continue(n: int, m: int, total: int) -> None:
    check_one(leaving_kernel, [n, m], [total])
    check_one(leaving_unrolled_kernel, [n], [min(n, 4)])
    with pytest.raises(CompilationError, match="else"):
        loop_else_kernel.warmup("i32", "*i32")


# Branches


@triton.jit
def branches_kernel(n, out_ptr):
    a = 1
    if n > 3:
        a = n
        b = tl.arange(0, 4) * n
    elif n == 3:
        b = tl.arange(0, 4)
    else:
        a = -n
        b = tl.zeros((4,), tl.int32)
    tl.store(out_ptr + tl.arange(0, 4), b + a)


@triton.jit
def one_side_kernel(n, out_ptr):
    if n > 3:
        x = 1
    tl.store(out_ptr, x)


@triton.jit
def different_types_kernel(n, x_ptr, out_ptr):
    if n > 3:
        y = tl.load(x_ptr)
    else:
        y = 0
    tl.store(out_ptr, y)


@pytest.mark.rule("if")
@pytest.mark.parametrize(("n", "wanted"), [(5, [5, 10, 15, 20]), (3, [1, 2, 3, 4]), (-2, [2, 2, 2, 2])])
def test_values_out_of_branches(n: int, wanted: list[int]) -> None:
    check_one(branches_kernel, [n], wanted)
    with pytest.raises(CompilationError, match="may be undefined"):
        one_side_kernel.warmup("i32", "*i32")
    with pytest.raises(CompilationError, match=r"'y' is .*int8"):
        different_types_kernel.warmup("i32", "*i8", "*i32")


@triton.jit
def constant_if_kernel(x, out_ptr, FLAG: tl.constexpr):
    if FLAG:
        y = x * 2
    else:
        y = tl.no_such_function(x)
    tl.store(out_ptr, y if FLAG is not None else tl.no_such_function(y))


@pytest.mark.rule("constant-if")
def test_only_the_side_that_is_taken_is_compiled() -> None:
    check_one(constant_if_kernel, [4], [8], FLAG=True)
    with pytest.raises(CompilationError, match="no_such_function"):
        constant_if_kernel.warmup("i32", "*i32", FLAG=False)


@triton.jit
def conditional_kernel(x_ptr, n, out_ptr):
    # The side that is not taken would read outside of the array.
    tl.store(out_ptr, tl.load(x_ptr + n) if n < 3 else -1)
    tl.store(out_ptr + 1, n if n > 1 else 2 * n)


@pytest.mark.rule("conditional-expression")
@pytest.mark.parametrize(("n", "wanted"), [(0, [7, 0]), (2, [9, 2]), (10**8, [-1, 10**8])])
def test_conditional_expression(n: int, wanted: list[int]) -> None:
    check_one(conditional_kernel, [np.array([7, 8, 9], np.int32), n], wanted)


@triton.jit
def early_return_kernel(n, out_ptr):
    for i in tl.static_range(3):
        tl.store(out_ptr + i, 0)
    if n > 10:
        return
    tl.store(out_ptr, n)
    if n > 5:
        tl.store(out_ptr + 1, n)
        return
    tl.store(out_ptr + 2, n)


@triton.jit
def return_in_loop_kernel(n, out_ptr):
    tl.store(out_ptr, n)
    for i in range(n):
        if i * 2 >= n:
            return
        tl.store(out_ptr, n)
    tl.store(out_ptr, -1)


@triton.jit
def returning_kernel(n, out_ptr):
    tl.store(out_ptr, n)
    return n


@pytest.mark.rule("return")
@pytest.mark.parametrize(("n", "wanted"), [(11, [0, 0, 0]), (7, [7, 7, 0]), (2, [2, 0, 2])])
def test_early_return(n: int, wanted: list[int]) -> None:
    check_one(early_return_kernel, [n], wanted)
    check_one(return_in_loop_kernel, [n], [n])
    with pytest.raises(CompilationError, match="return"):
        returning_kernel.warmup("i32", "*i32")


# Constants

LIMIT = tl.constexpr(12)
PLAIN = 12


@triton.jit
def constants_kernel(out_ptr, C: tl.constexpr, WORD: tl.constexpr):
    large = (C + 1) ** 20 % 1000
    tl.store(out_ptr, large)
    tl.store(out_ptr + 1, len(WORD) + (LIMIT if WORD == "two" else 0))
    tl.store(out_ptr + 2, max(C, 5) * int(2.9))
    half: tl.constexpr = C // 2
    tl.store(out_ptr + 3, tl.sum(tl.full((half,), 1, tl.int32)))


@triton.jit
def plain_global_kernel(out_ptr):
    tl.store(out_ptr, PLAIN)


@pytest.mark.rule("constants")
def test_constants_are_computed_by_python() -> None:
    check_one(constants_kernel, [], [10**20 % 1000, 15, 18, 4], C=9, WORD="two")


@pytest.mark.rule("globals")
def test_globals_must_be_constants() -> None:
    with pytest.raises(CompilationError, match="'PLAIN'"):
        plain_global_kernel.warmup("*i32")


@triton.jit
def known_number_kernel(out_ptr, C: tl.constexpr):
    size = C * 2
    tl.store(out_ptr + tl.arange(0, size), tl.zeros((size,), tl.int32) + size)


@triton.jit
def changed_number_kernel(n, out_ptr):
    size = 4
    if n > 0:
        size = 8
    tl.store(out_ptr + tl.arange(0, size), 1)


@pytest.mark.rule("known-numbers")
def test_variable_may_stand_where_a_constant_is_needed() -> None:
    check_one(known_number_kernel, [], [6] * 6, C=3)
    with pytest.raises(CompilationError, match="end"):
        changed_number_kernel.warmup("i32", "*i32")


@triton.jit
def flagged(x, ADD: tl.constexpr, SIZE: tl.constexpr):
    if ADD:
        return x + tl.full((SIZE,), SIZE, tl.int32)
    return x


@triton.jit
def annotated_kernel(n, out_ptr, C: tl.constexpr):
    total: tl.constexpr = C * n
    wide: tl.constexpr = C + 1
    x = tl.arange(0, 4) + tl.constexpr(total)
    tl.store(out_ptr + tl.arange(0, 4), flagged(x, total > 10, tl.constexpr(wide)))


@triton.jit
def annotated_size_kernel(n, out_ptr):
    size: tl.constexpr = n + 1
    tl.store(out_ptr + tl.arange(0, size), 1)


@pytest.mark.rule("constexpr-annotation")
@pytest.mark.parametrize(("n", "wanted"), [(2, [6, 7, 8, 9]), (4, [16, 17, 18, 19])])
def test_an_annotation_does_not_make_a_constant(n: int, wanted: list[int]) -> None:
    check_one(annotated_kernel, [n], wanted, C=3)
    with pytest.raises(CompilationError, match="end must be an integer that is known when the kernel is compiled"):
        annotated_size_kernel.warmup("i32", "*i32")


@triton.jit
def assertion_kernel(n, out_ptr, C: tl.constexpr):
    assert n > 100
    tl.static_assert(C > 1, "C is too small")
    tl.store(out_ptr, n)


@pytest.mark.rule("assertions")
def test_only_what_is_known_is_asserted_without_debugging() -> None:
    check_one(assertion_kernel, [5], [5], C=2)
    with pytest.raises(CompilationError, match="C is too small"):
        assertion_kernel.warmup("i32", "*i32", C=1)


# Calls


@triton.jit
def classified(x, LIMIT: tl.constexpr = 10):
    if x > LIMIT:
        return x, 1
    return -x, 2


@triton.jit
def first_or_second(x):
    if x > 0:
        return x
    return x * 0.5


@triton.jit
def call_kernel(n, out_ptr):
    value, kind = classified(n)
    tl.store(out_ptr, value * 10 + kind)
    value, kind = classified(n, LIMIT=2)
    tl.store(out_ptr + 1, value * 10 + kind)


@triton.jit
def returns_differ_kernel(n, out_ptr):
    tl.store(out_ptr, first_or_second(n))


@triton.jit
def recursive(n):
    return recursive(n - 1)


@triton.jit
def recursive_kernel(n, out_ptr):
    tl.store(out_ptr, recursive(n))


@pytest.mark.rule("calls")
def test_calls_of_other_functions() -> None:
    check_one(call_kernel, [5], [-48, 51])
    check_one(call_kernel, [11], [111, 111])
    with pytest.raises(CompilationError, match="fp32"):
        returns_differ_kernel.warmup("i32", "*fp32")
    with pytest.raises(CompilationError, match="calls itself"):
        recursive_kernel.warmup("i32", "*i32")


@triton.jit
def side_effects(out_ptr, value):
    tl.store(out_ptr, value)
    return value


@triton.jit
def evaluation_kernel(out_ptr):
    tl.store(out_ptr + 1, side_effects(out_ptr, 1) + side_effects(out_ptr, 2) * 10)


@pytest.mark.rule("evaluation-order")
def test_operands_are_evaluated_from_left_to_right() -> None:
    check_one(evaluation_kernel, [], [2, 21])


@triton.jit
def last_numbers_kernel(start, end, out_ptr):
    turns = 0
    for _ in range(start, end, 2):
        turns += 1
    tl.store(out_ptr, turns)
    turns = 0
    for _ in range(2147483000, end, 1000):
        turns += 1
    tl.store(out_ptr + 1, turns)
    turns = 0
    for _ in range(start, 2147483647, 5):
        turns += 1
    tl.store(out_ptr + 2, turns)
    turns = 0
    for _ in range(-2147483648, end, 2147483647):
        turns += 1
    tl.store(out_ptr + 3, turns)


@pytest.mark.rule("range-step")
@pytest.mark.parametrize("start", [2**31 - 4, 2**31 - 40, 2**31 - 1])
def test_loops_end_at_the_largest_number(start: int) -> None:
    end = 2**31 - 1
    ranges = [range(start, end, 2), range(2147483000, end, 1000), range(start, end, 5), range(-(2**31), end, end)]
    check_one(last_numbers_kernel, [start, end], [len(turns) for turns in ranges])
