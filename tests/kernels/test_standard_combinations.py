"""The functions of `tl.standard` that programs pass to `tl.reduce` and `tl.associative_scan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl


@triton.jit
def reduce_with(x_ptr, out_ptr, COMBINE: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, BLOCK)), 0, COMBINE))


@triton.jit
def reduce_pairs_with(x_ptr, value_ptr, index_ptr, COMBINE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value, index = tl.reduce((tl.load(x_ptr + at), at), 0, COMBINE)
    tl.store(value_ptr, value)
    tl.store(index_ptr, index)


@triton.jit
def scan_by_name(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.associative_scan(tl.load(x_ptr + at), 0, tl.standard._sum_combine))


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("_sum_combine", np.add),
        ("_prod_combine", np.multiply),
        ("_xor_combine", np.bitwise_xor),
        ("_or_combine", np.bitwise_or),
        ("_elementwise_max", np.maximum),
        ("_elementwise_min", np.minimum),
    ],
)
def test_one_value(name: str, reference: np.ufunc) -> None:
    x = np.random.default_rng(1).integers(-9, 9, 64).astype(np.int32) | 1
    out = np.empty(1, np.int32)
    reduce_with[(1,)](x, out, getattr(tl.standard, name), BLOCK=64)
    assert out[0] == reference.reduce(x, dtype=np.int32)


@pytest.mark.parametrize("tie_break", ["left", "fast"])
@pytest.mark.parametrize(("name", "reference"), [("argmax", np.argmax), ("argmin", np.argmin)])
def test_a_value_and_its_index(name: str, reference: Callable[..., Any], tie_break: str) -> None:
    x = np.random.default_rng(2).integers(0, 5, 128).astype(np.float32)
    value, index = np.empty(1, np.float32), np.empty(1, np.int32)
    reduce_pairs_with[(1,)](x, value, index, getattr(tl.standard, f"_{name}_combine_tie_break_{tie_break}"), BLOCK=128)
    assert index[0] == reference(x) and value[0] == x[index[0]]


def test_in_a_kernel_by_name() -> None:
    x, out = np.arange(32, dtype=np.int32), np.empty(32, np.int32)
    scan_by_name[(1,)](x, out, BLOCK=32)
    np.testing.assert_array_equal(out, np.cumsum(x))


def test_others_are_not_there() -> None:
    assert not hasattr(tl.standard, "_nothing") and not hasattr(tl.standard, "__nothing__")
