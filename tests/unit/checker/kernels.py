# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportArgumentType=false
"""Kernels with faults, for the tests of this folder."""

from __future__ import annotations

import mytriton as triton
import mytriton.language as tl


@triton.jit
def copy_unmasked(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets), mask=offsets < n)


@triton.jit
def store_unmasked(out_ptr, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, value)


@triton.jit
def load_at(x_ptr, out_ptr, offset):
    tl.store(out_ptr, tl.load(x_ptr + offset))


@triton.jit
def add_at(x_ptr, offset):
    tl.atomic_add(x_ptr + offset, 1)


@triton.jit
def copy_table(x_ptr, out_ptr, row_stride, column_stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    columns = tl.arange(0, COLUMNS)[None, :]
    tile = tl.load(x_ptr + rows * row_stride + columns * column_stride)
    tl.store(out_ptr + rows * COLUMNS + columns, tile)


@triton.jit
def sum_all(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.store(out_ptr, tl.load(out_ptr) + tl.sum(x))


@triton.jit
def sum_atomically(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(out_ptr, tl.sum(x))


@triton.jit
def shift_in_place(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets + 1, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def scatter(out_ptr, places_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.load(places_ptr + offsets), offsets)


@triton.jit
def add_rows(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask) + tl.load(y_ptr + offsets, mask), mask)


@triton.jit
def with_print(x_ptr, BLOCK: tl.constexpr):
    tl.device_print("program", tl.program_id(0))
    tl.store(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 1.0)


@triton.jit
def with_assert(x_ptr, n):
    tl.device_assert(n == 0, "n is not zero")
    tl.store(x_ptr + tl.program_id(0), 1.0)


@triton.jit
def through_table(table_ptr, out_ptr):
    x_ptr = tl.load(table_ptr).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr, tl.load(x_ptr + 100))


@triton.jit
def count_forever(out_ptr):
    n = tl.load(out_ptr)
    while n >= 0:
        n = (n + 1) % 100
    tl.store(out_ptr, n)


@triton.jit
def row_of(x_ptr, row, COLUMNS: tl.constexpr):
    return tl.load(x_ptr + row * COLUMNS + tl.arange(0, COLUMNS))


@triton.jit
def sum_of_row(x_ptr, out_ptr, row, COLUMNS: tl.constexpr):
    x = row_of(x_ptr, row, COLUMNS)
    tl.store(out_ptr, tl.sum(x))
