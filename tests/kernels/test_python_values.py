"""Python in kernels: tuples, named tuples, aggregates, functions as values, and functions of constants."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
# pyright: reportReturnType=false

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from mytriton.language.core import _aggregate  # pyright: ignore[reportPrivateUsage]
from tests.kernels.harness import check, compiles

WARPS = (1, 4)


def check_numbers(kernel: Any, inputs: list[Any], wanted: list[int], **meta: Any) -> None:
    """The kernel takes the output last, and writes the numbers `wanted` to it."""
    expected = np.array(wanted, np.int32)
    check(kernel, (1,), inputs, [np.empty_like(expected)], [expected], num_warps=WARPS, **meta)


class Span(NamedTuple):
    first: Any
    size: Any = 7


@triton.jit
def grown(span, by):
    return Span(span.first - by, size=span.size + by)


@triton.jit
def named_tuple_kernel(n, out):
    span = Span(n)
    for i in range(3):
        span = grown(span, i)
    if n > 10:
        span = Span(first=n, size=100)
    first, size = span
    tl.static_assert(isinstance(span, Span) and len(span) == 2)
    tl.store(out, first)
    tl.store(out + 1, span[1] + size)


@pytest.mark.parametrize("n", [5, 12])
def test_named_tuples(n: int) -> None:
    check_numbers(named_tuple_kernel, [n], [2, 20] if n == 5 else [12, 200])


@triton.jit
def total(*values):
    result = 0
    for value in values:
        result += value
    return result


@triton.jit
def options(a, *rest, scale=10, shift):
    return (a + total(*rest)) * scale + shift


@triton.jit
def tuples_kernel(n, out):
    t = (n, n + 1, 3)
    for _ in range(2):
        t = t[1:] + t[:1]
    a, *b = t
    *c, d = (a, *b, 8)
    tl.store(out, total(*t))
    tl.store(out + 1, a * 100 + b[0] * 10 + b[1])
    tl.store(out + 2, options(n, 1, 2, shift=c[1]) + d)
    pairs = tl.tuple([x * 2 for x in t])
    tl.store(out + 3, sum_of(tuple(x + 1 for x in pairs)))
    if (last := t[-1]) > 3:
        tl.store(out + 4, last)


@triton.jit
def sum_of(values):
    return total(*values)


def test_tuples() -> None:
    check_numbers(tuples_kernel, [5], [14, 356, 93, 31, 6])


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def folded(values, combine: tl.constexpr, start):
    for value in values:
        start = combine(start, value)
    return start


@triton.jit
def functions_kernel(n, out, COMBINE: tl.constexpr, ALL: tl.constexpr):
    tl.store(out, folded((n, 2, 3), COMBINE, 1))
    tl.store(out + 1, folded((n, 2), add, 0))
    for i in tl.static_range(len(ALL)):
        tl.store(out + 2 + i, ALL[i](n, 10))


def test_functions_as_constants() -> None:
    check_numbers(functions_kernel, [5], [30, 7, 15, 50], COMBINE=multiply, ALL=[add, multiply], order=[0, 1])
    check_numbers(functions_kernel, [5], [11, 7], COMBINE=add, ALL=(), order=[0, 1])


def make_kernel(function: Any, amount: int) -> Any:
    captured = tl.constexpr(amount)

    @triton.jit
    def closure_kernel(n, out):
        tl.store(out, function(n, captured))

    return closure_kernel


def test_closures() -> None:
    for function, wanted in ((add, 12), (multiply, 35)):
        check_numbers(make_kernel(function, 7), [5], [wanted])


@tl.constexpr_function
def digits(number, base=10):
    """Python that a kernel could not be made of."""
    found = []
    while number:
        number, digit = divmod(number, base)
        found.append(digit)
    return found[::-1]


@triton.jit
def digits_kernel(n, out, NUMBER: tl.constexpr):
    known: tl.constexpr = digits(NUMBER)
    for i in tl.static_range(len(known)):
        tl.store(out + i, known[i] * n)
    base = 16
    tl.store(out + len(known), digits(255, base=base)[0])


def test_functions_of_constants() -> None:
    assert digits(tl.constexpr(120)) == [1, 2, 0]
    check_numbers(digits_kernel, [2], [2, 4, 6, 15], NUMBER=123)


@triton.jit
def runtime_digits_kernel(n, out):
    tl.store(out, digits(n)[0])


def test_function_of_constants_with_a_runtime_value() -> None:
    with pytest.raises(CompilationError, match="known only when the kernel runs"):
        runtime_digits_kernel.warmup("i32", "*i32")


@triton.aggregate
class Counter:
    count: tl.tensor
    step: tl.constexpr

    @triton.constexpr_function
    def __init__(self, count, step=1):
        self.count = count
        self.step = tl.constexpr(step)

    @triton.jit
    def advanced(self, times):
        return Counter(self.count + times * self.step, self.step)

    @staticmethod
    @triton.jit
    def starting(count):
        return Counter(count, 10)

    @triton.constexpr_function
    def doubled_step(self):
        return self.step * 2

    @property
    def dtype(self):
        return self.count.dtype


@_aggregate
class Pair:
    left: Counter
    right: Counter
    label: tl.constexpr = "pair"

    @triton.jit
    def sum(self):
        return self._total()

    @triton.jit
    def _total(self):
        return self.left.count + self.right.count


@triton.jit
def aggregates_kernel(n, out):
    counter = Counter(n, 3)
    for i in range(4):
        counter = counter.advanced(i)
    pair = Pair(counter, right=Counter.starting(n))
    if n > 3:
        pair = tl.aggregate_replace(pair, left=pair.left.advanced(times=100))
    tl.static_assert(pair.label == "pair" and counter.dtype == tl.int32 and isinstance(pair, Pair))
    tl.store(out, pair.left.count)
    tl.store(out + 1, pair.sum())
    tl.store(out + 2, pair.right.doubled_step())


@pytest.mark.parametrize("n", [1, 5])
def test_aggregates(n: int) -> None:
    left = n + 18 + (300 if n > 3 else 0)
    check_numbers(aggregates_kernel, [n], [left, left + n, 20])


@triton.jit
def changed_aggregate_kernel(n, out):
    counter = Counter(n)
    counter.count = n
    tl.store(out, counter.count)


@triton.jit
def missing_field_kernel(n, out):
    pair = Pair(Counter(n))
    tl.store(out, pair.left.count)


@triton.jit
def runtime_constant_kernel(n, out):
    tl.store(out, Counter(n, n).count)


@triton.jit
def unknown_member_kernel(n, out):
    tl.store(out, Counter(n).cuont)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (changed_aggregate_kernel, "assignment to an attribute"),
        (missing_field_kernel, "missing a required argument: 'right'"),
        (runtime_constant_kernel, "the field 'step' is a constexpr"),
        (unknown_member_kernel, "did you mean 'count'"),
    ],
)
def test_aggregates_that_are_refused(kernel: Any, message: str) -> None:
    with pytest.raises(CompilationError, match=message):
        kernel.warmup("i32", "*i32")


@triton.jit
def message_kernel(n, out, N: tl.constexpr):
    tl.static_assert(N % 4 == 0, f"{N=} is not a multiple of {4:>2}, {N / 3:.2f}")
    tl.store(out, n)


def test_formatted_messages() -> None:
    with pytest.raises(CompilationError, match=r"N=6 is not a multiple of  4, 2\.00"):
        message_kernel.warmup("i32", "*i32", N=6)


@pytest.mark.parametrize("kernel", [named_tuple_kernel, tuples_kernel, aggregates_kernel], ids=lambda k: k.__name__)
def test_accepted_for_every_gpu(kernel: Any) -> None:
    compiles(kernel, "i32", "*i32")
