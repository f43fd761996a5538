# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportArgumentType=false
# pyright: reportUnknownLambdaType=false, reportOperatorIssue=false
"""Kernels for the tests of checks. The comments `# origin` and `# use` mark the lines that a report is to name."""

from __future__ import annotations

import mytriton as triton
import mytriton.language as tl


@triton.jit
def add(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + 1, mask=mask)


@triton.jit
def stored_everywhere(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)  # origin
    tl.store(out + offsets, value * 2)  # use


@triton.jit
def summed(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)  # origin
    tl.store(out, tl.sum(value, 0))  # use


@triton.jit
def summed_of_zeros(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + offsets, mask=offsets < n, other=0), 0))


@triton.jit
def summed_where(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out, tl.sum(tl.where(mask, tl.load(x + offsets, mask=mask), 0), 0))


@triton.jit
def summed_in_loop(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x + offsets, mask=offsets < n)  # origin
    tl.store(out + tl.arange(0, BLOCK), total)  # use


@triton.jit
def counted_while(x, out, n, BLOCK: tl.constexpr):
    limit = tl.load(x, mask=n > 0)  # origin
    i = 0
    while i < limit:  # use
        i += 1
    tl.store(out, i)


@triton.jit
def branched(x, out, n, BLOCK: tl.constexpr):
    value = tl.load(x, mask=n > 0)  # origin
    if value > 3:  # use
        tl.store(out, 1)


@triton.jit
def scattered(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    place = tl.load(x + offsets, mask=offsets < n)  # origin
    tl.store(out + place, offsets)  # use


@triton.jit
def scattered_masked(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    place = tl.load(x + offsets, mask=offsets < n)
    tl.store(out + place, offsets, mask=(offsets < n) & (place < BLOCK))


@triton.jit
def masked_by_undefined(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    place = tl.load(x + offsets, mask=offsets < n)  # origin
    tl.store(out + offsets, offsets, mask=place < BLOCK)  # use


@triton.jit
def added_atomically(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)  # origin
    tl.atomic_add(out + offsets, value)  # use


@triton.jit
def divided(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    quotient = 100 // (tl.load(x + offsets) - n)  # origin
    tl.store(out + offsets, quotient)  # use


@triton.jit
def divided_where_not_zero(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    divisor = tl.load(x + offsets) - n
    tl.store(out + offsets, 100 // tl.where(divisor == 0, 1, divisor))
    tl.store(out + offsets, tl.where(divisor == 0, 1, 100 // divisor))


@triton.jit
def divided_by_scalar(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    remainder = tl.load(x + offsets) % (n - n)  # origin
    tl.store(out + offsets, remainder)  # use


@triton.jit
def divided_by_constant_zero(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    zero = tl.full((BLOCK,), 0, tl.int32)
    quotient = tl.load(x + offsets) // zero  # origin
    tl.store(out + offsets, quotient)  # use


@triton.jit
def smallest_by_minus_one(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, (tl.load(x + offsets) * 0 - 2147483647 - 1) // (n - n - 1))


@triton.jit
def shifted(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    bits = n << (offsets + 20)  # origin
    tl.store(out + offsets, bits)  # use


@triton.jit
def shifted_by_constant(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    width = tl.full((BLOCK,), 32, tl.int32)
    bits = offsets << width  # origin
    tl.store(out + offsets, bits)  # use


@triton.jit
def shifted_little(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, n << (offsets % 32))


@triton.jit
def divide(a, b):
    return a // b  # origin


@triton.jit
def reduced_by_division(x, out, n, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))
    tl.store(out, tl.reduce(value, 0, divide))  # use


@triton.jit
def divide_if(a, b):
    result = a
    if a < 3:
        result = a // b  # origin
    return result


@triton.jit
def mapped_by_division(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets)
    tl.store(out + offsets, tl.map_elementwise(divide_if, value, value - n))  # use


@triton.jit
def scanned(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets != n)  # origin
    total = tl.cumsum(value, 0)
    tl.store(out + offsets, total, mask=offsets < n)
    tl.store(out + offsets, total, mask=offsets > n)  # use


@triton.jit
def multiplied(x, out, n, BLOCK: tl.constexpr):
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    place = rows * 16 + columns
    a = tl.load(x + place, mask=rows != n).to(tl.float32)  # origin
    b = tl.load(x + place).to(tl.float32)
    c = tl.dot(a, b).to(tl.int32)
    tl.store(out + place, c, mask=rows != n)
    tl.store(out + place, c)  # use


@triton.jit
def gathered(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets != n)  # origin
    swapped = tl.gather(value, BLOCK - 1 - offsets, 0)
    tl.store(out + offsets, swapped, mask=offsets != BLOCK - 1 - n)
    tl.store(out + offsets, swapped)  # use


@triton.jit
def sorted_all(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets != n)  # origin
    tl.store(out + offsets, tl.sort(value), mask=offsets == n)  # use


@triton.jit
def of_another_width(x, out, n, BLOCK: tl.constexpr):
    """The tensors have sizes that are no powers of two."""
    offsets = tl.arange(0, 48)
    value = tl.load(x + offsets, mask=offsets != n)  # origin
    tl.store(out + offsets, value, mask=offsets != n)
    tl.store(out, tl.max(value, 0))  # use


@triton.jit
def wrapped(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    place = (n + offsets) * 1000000000  # origin
    tl.store(out + place - place, offsets, mask=offsets < 1)  # use


@triton.jit
def wrapped_in_scalars(x, out, n, BLOCK: tl.constexpr):
    start = n * 1000000000  # origin
    tl.store(out + (start + tl.arange(0, BLOCK)) - start, n)  # use


@triton.jit
def wrapped_where_masked(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets * 1000000000, offsets, mask=offsets < 1)


@triton.jit
def hashed(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    place = (offsets * 1000000007 + n) % BLOCK
    tl.store(out + tl.where(place < 0, place + BLOCK, place), n * 1000000000)
    bits = (offsets * 1000000007 + n) & (BLOCK - 1)
    tl.store(out + bits, n)


@triton.jit
def quotients(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets).to(tl.float32)
    ratio = 1.0 / (value - n)  # origin
    tl.store(out + offsets, ratio.to(tl.int32, bitcast=True))
    tl.store(out.to(tl.pointer_type(tl.float32)) + offsets, ratio, mask=offsets != n)
    tl.store(out.to(tl.pointer_type(tl.float32)) + offsets, ratio)  # use


@triton.jit
def infinite_in_memory(x, out, n, BLOCK: tl.constexpr):
    """What is not finite in memory is not the fault of the sum or of the maximum."""
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x.to(tl.pointer_type(tl.float32)) + offsets, mask=offsets < n, other=float("-inf"))
    largest = tl.max(value, 0)
    tl.store(out.to(tl.pointer_type(tl.float32)) + offsets, tl.exp(value - largest))
    tl.store(out.to(tl.pointer_type(tl.float32)) + offsets, value + 1.0)


@triton.jit
def narrowed(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = (tl.load(x + offsets).to(tl.float32) + 70000.0).to(tl.float16)  # origin
    tl.store(out.to(tl.pointer_type(tl.float16)) + offsets, value)  # use


@triton.jit
def overflowing_sum(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets).to(tl.float32) * 0.0 + 3e38
    tl.store(out.to(tl.pointer_type(tl.float32)), tl.sum(value, 0))  # use


@triton.jit
def helper(x, offsets):
    return tl.load(x + offsets)  # in a helper


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(  # the load
        x + offsets,
        mask=offsets < n,
        other=0,
    )
    largest = tl.max(value, 0)  # the maximum
    more = helper(x, offsets)
    shared = tl.gather(more, offsets ^ 33, 0)  # the gather
    tl.store(out + offsets, value - largest + shared, mask=offsets < n)  # the store


@triton.jit
def product(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        inner = k + tl.arange(0, BK)
        left = tl.load(a + rows * K + inner[None, :], mask=(rows < M) & (inner[None, :] < K), other=0.0)  # left
        right = tl.load(b + inner[:, None] * N + columns, mask=(inner[:, None] < K) & (columns < N), other=0.0)  # right
        acc += tl.dot(left, right)  # the dot
    tl.store(out + rows * N + columns, acc, mask=(rows < M) & (columns < N))  # the product


@triton.jit
def multiplied_by_a_number(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)  # origin
    tl.store(out + i, (value * n) & n)  # use


@triton.jit
def multiplied_by_zero(x, out, n, BLOCK: tl.constexpr):
    """The element that is left out may be an infinity."""
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n).to(tl.float32)  # origin
    tl.store(out + i, (value * (i < n)).to(tl.int32))  # use


@triton.jit
def left_out_by_integers(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i, value * (i < n).to(tl.int32))
    tl.store(out + i, (value > 0).to(tl.int32) & (i < n))
    tl.store(out + i, value & tl.where(i < n, -1, 0))
    tl.store(out + i, value | tl.where(i < n, 0, -1))
