"""Python's expressions, arguments and values in kernels: what each computes is what Python computes."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportUnnecessaryComparison=false, reportUnnecessaryIsInstance=false, reportConstantRedefinition=false

# ruff: noqa: RUF021, SIM201, SIM223

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check
from tests.kernels.python_reference import check_like_python

FACTORS = tl.constexpr((2, 3, 5))


@triton.jit
def comparisons(a, b):
    x = a < b < 10
    y = 0 <= a != b >= 3
    z = a == a == b
    return 1 if x else 0, 1 if y else 0, 1 if z else 0, 1 if not (a > b) else 0


@triton.jit
def logic(a, b):
    x = 1 if a > 2 and b > 2 else 0
    y = 1 if a > 2 or b > 2 and not a == b else 0
    z = 1 if not (a > 2 or b > 2) and (a != 4 or b == 2) else 0
    # Constants in between decide by themselves.
    w = 1 if (a > 2 and True) or (False and b > 2) or (None and a) else 0
    return x, y, z, w


@triton.jit
def choices(a, b):
    x = a if a > b else b if b > 5 else 7
    y = (a, b) if a > b else (b, 10)
    z = (a if b > 3 else a + 1) * (2 if a > 3 else 3)
    return x, y[0], y[1], z


@triton.jit
def sequences(a, b):
    pairs = [(i, i * a) for i in range(4) if i % 2 == 1]
    table = [[i * j + b for j in range(3)] for i in (1, 2)]
    total = 0
    for i, (x, y) in enumerate(pairs):
        total += i * 100 + x * 10 + y
    for x, y in zip((a, b), (3, 4)):  # noqa: B905
        total += x * y
    for i, x in enumerate([a, b], 1):
        total += i * x
    for x in reversed((1, a)):
        total = total * 3 + x
    for x in tuple(i + a for i in (1, 2)):
        total += x
    return total, table[1][2], len(pairs), len(table[0])


@triton.jit
def slices_of_tuples(a, b):
    t = (a, b, 3, 4, a + b)
    last, second = t[-1], t[1]
    middle, odd, backwards = t[1:4], t[::2], t[::-1]
    two = 2
    return last, second, middle[two], odd[1], backwards[0], len(t[two:]), len(t[-2:])


@triton.jit
def unpacking(a, b):
    first, *rest = (a, b, 3)
    *start, end = [*rest, a, 8]
    (x, (y, z)), w = (first, (rest[0], end)), start[-1]
    x, y = y, x
    p = q = x + 1
    both = (*start, *rest)
    return x, y, z, w, p, q, len(both), both[-1]


@triton.jit
def constants(a, b):
    size: tl.constexpr = 3 * 4 // 5 + 7 % 4
    large = (2**100 >> 98) + (-7 // 2) + (-7 % 3)
    kinds = (1 < 2 < 3) + (not 0) + (3 in (1, 2, 3)) + ("b" in "abc")
    text = len("ab" * size + "c")
    return large + a, kinds, text, size, max(3, 5, 4) + min((2, 1)) + abs(-4) + sum((1, 2)), round(2.6) + int("12")


@triton.jit
def functions_of_python(a, b):
    return max(a, b, 4), min(a, b), abs(a - b), pow(a, 2), a**3, sum((a, b, 1)), -a, +b, ~a


@triton.jit
def bits(a, b):
    return a & b, a | b, a ^ b, a << 3, (a * 100) >> 2, ~(a & 5) & 255


@triton.jit
def defaults(x, by=3, plus: tl.constexpr = 10, bias=None):
    if bias is not None:
        x += bias
    if bias is None and plus is not None:
        x += plus
    return x * by


@triton.jit
def keywords(x, *rest, scale=2, shift):
    for value in rest:
        x += value
    return x * scale + shift


@triton.jit
def positional(x, /, y, *, z=1):
    return x * 100 + y * 10 + z


@triton.jit
def arguments(a, b):
    t = (b, 1)
    return (
        defaults(a),
        defaults(a, 2, bias=b),
        defaults(a, plus=1, by=b),
        keywords(a, shift=1),
        keywords(a, b, 5, *t, shift=b, scale=3),
        keywords(*t, shift=a),
        positional(a, b),
        positional(a, y=2, z=b),
    )


@triton.jit
def assignment_expressions(a, b):
    x = (y := a + 1) * (z := y + b)
    t = ((w := x), w + 1)
    squares = [last := i * i for i in range(4)]
    return x, y, z, t[1], last, squares[2]


@triton.jit
def applied(function: tl.constexpr, *values):
    result = values[0]
    for value in values[1:]:
        result = function(result, value)
    return result


@triton.jit
def product(x, y):
    return x * y


@triton.jit
def larger(x, y):
    return x if x > y else y


@triton.jit
def functions_as_values(a, b):
    chosen: tl.constexpr = larger if len((1, 2)) == 2 else product
    total = 0
    for function in (product, larger):
        total = total * 100 + function(a, b)
    return applied(product, a, b, 2), applied(chosen, a, b, 5, 3), total


@triton.jit
def global_constants(a, b):
    total = 0
    for factor in FACTORS:
        total = total * factor + a
    return total, FACTORS[1] * b, len(FACTORS)


FUNCTIONS = [
    comparisons,
    logic,
    choices,
    sequences,
    slices_of_tuples,
    unpacking,
    constants,
    functions_of_python,
    bits,
    arguments,
    assignment_expressions,
    functions_as_values,
    global_constants,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize(("a", "b"), [(0, 0), (3, 8), (8, 3), (4, 2)])
def test_expressions(function: Any, a: int, b: int) -> None:
    check_like_python(function, a, b)


# What Python has no numbers for


@triton.jit
def tiles_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    chosen = x if n > 3 else x * 2
    pair = (x, -x) if n > 5 else (x + 1, x + 2)
    # A load that is not taken is not done.
    far = tl.load(x_ptr + i + (n - 3) * 1000000) if n == 3 else x
    tl.store(out_ptr + i, chosen)
    tl.store(out_ptr + N + i, pair[0] + pair[1] * 10)
    tl.store(out_ptr + 2 * N + i, far)
    tl.store(out_ptr + 3 * N + i, (x > 2) & (x < 6) | (x == 7))
    tl.store(out_ptr + 4 * N + i, 2 < x < 6)


@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_choices_between_tiles(n: int) -> None:
    x = np.arange(20, dtype=np.int32)
    pair = (x, -x) if n > 5 else (x + 1, x + 2)
    wanted = np.stack(
        [
            x if n > 3 else 2 * x,
            pair[0] + 10 * pair[1],
            x,
            ((x > 2) & (x < 6)) | (x == 7),
            (x > 2) & (x < 6),
        ]
    ).astype(np.int32)
    check(tiles_kernel, (1,), [x, n], [np.empty_like(wanted)], [wanted], order=[0, 2, 1], N=20)


@triton.jit
def tile_parts_kernel(x_ptr, out_ptr, i, j, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    n, m = tl.arange(0, N), tl.arange(0, M)
    tl.store(out_ptr + n, x[i])
    tl.store(out_ptr + n, x[1], mask=n < 2)
    tl.store(out_ptr + N + m, x[:, j])
    tl.store(out_ptr + 2 * N, x[i, j] + x[-1, 0])
    tl.store(out_ptr + 2 * N + 1, tl.sum(x[1:3, ::2]) + tl.sum(x[i, None, 2:]) + tl.sum(x[::-1, -3:-1]))
    for k in range(i, 0, -1):
        tl.store(out_ptr + 2 * N + 1 + k, tl.max(x[k], axis=0))


@pytest.mark.parametrize(("i", "j"), [(0, 5), (2, 0), (3, -1)])
def test_parts_of_tiles(i: int, j: int) -> None:
    m, n = 4, 6
    x = np.random.default_rng(i).integers(0, 1000, (m, n)).astype(np.int32)
    wanted = np.full(2 * n + 2 + 4, 0x5A5A5A5A, np.int32)
    wanted[:n] = x[i]
    wanted[:2] = x[1, :2]
    wanted[n : n + m] = x[:, j]
    wanted[2 * n] = x[i, j] + x[-1, 0]
    wanted[2 * n + 1] = x[1:3, ::2].sum() + x[i, 2:].sum() + x[::-1, -3:-1].sum()
    for k in range(i, 0, -1):
        wanted[2 * n + 1 + k] = x[k].max()
    out = np.empty_like(wanted)
    check(tile_parts_kernel, (1,), [x, i, j], [out], [wanted], order=[0, 3, 1, 2], M=m, N=n)


class Window(NamedTuple):
    first: Any
    size: Any = 4


@triton.jit
def clipped(window, limit):
    return window._replace(size=limit) if window.size > limit else window


@triton.jit
def named_tuples_kernel(out_ptr, n):
    window = Window(n)
    for i in range(3):
        window = Window(window.first + i, window.size * 2)
        if window.size > 20:
            window = Window(size=20, first=window[0])
            break
    tl.static_assert(isinstance(window, Window) and isinstance(window, tuple))
    tl.store(out_ptr, window.first)
    tl.store(out_ptr + 1, window.size)


def test_named_tuples_in_loops_that_break() -> None:
    wanted = np.array([5 + 0 + 1 + 2, 20], np.int32)
    check(named_tuples_kernel, (1,), [5], [np.empty_like(wanted)], [wanted], order=[1, 0], num_warps=(1, 4))


@triton.jit
def texts_kernel(out_ptr, n, SIZE: tl.constexpr, KIND: tl.constexpr):
    three = 3
    tl.static_assert(f"{SIZE} {SIZE:04d} {SIZE / 4:.2f} {KIND!r} {three} {n.dtype}" == "10 0010 2.50 'sum' 3 int32")
    tl.static_assert(f"{SIZE=}{'x' * 3}" == "SIZE=10xxx" and KIND.upper() == "SUM" and KIND[1:] == "um")
    if KIND == "sum":
        tl.store(out_ptr, n)


def test_texts_are_known_when_the_kernel_is_compiled() -> None:
    wanted = np.array([7], np.int32)
    check(texts_kernel, (1,), [7], [np.empty(1, np.int32)], [wanted], order=[1, 0], SIZE=10, KIND="sum")


@triton.jit
def assertion_kernel(out_ptr, n, SIZE: tl.constexpr):
    known = 4
    tl.static_assert(known)
    assert SIZE % 4 == 0, f"SIZE is {SIZE}"
    tl.store(out_ptr, n)


def test_assertions_of_constants() -> None:
    with pytest.raises(CompilationError, match="assertion failed: SIZE is 6"):
        assertion_kernel.warmup("*i32", "i32", SIZE=6)
    assertion_kernel.warmup("*i32", "i32", SIZE=8)


def test_arrays_without_an_axis_are_arrays() -> None:
    x, out = np.array(41, np.int32), np.array(0, np.int32)
    check(one_element_kernel, (1,), [x], [out.reshape(1)], [np.array([42])], num_warps=(1,))
    one_element_kernel[(1,)](x, out)
    assert out == 42


@triton.jit
def one_element_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr) + 1)
