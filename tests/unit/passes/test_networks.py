"""Sorting networks and reversals as Triton's library writes them, for every element: NaN, zeros of both signs, ties.

The texts are put together here; what they compute is said by NumPy, step by step.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import mytriton as triton

NAMES = {
    "int8": "i8",
    "uint8": "i8",
    "int16": "i16",
    "int32": "i32",
    "uint32": "i32",
    "int64": "i64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
}
Step = tuple[int, "int | None", bool]
"""The bit that moves, the bit that turns the order, and whether the order is turned everywhere."""


def sort_steps(bits: int, of: int, descending: bool) -> list[Step]:
    """Runs of 2**bits elements in order, of `2**of` elements, each run the other way round than the one before."""
    return [
        (bit, stage if stage < of else None, descending and stage == of)
        for stage in range(1, bits + 1)
        for bit in reversed(range(stage))
    ]


class NetworkText:
    """TTIR of a kernel that loads, puts steps of a network after each other, and stores."""

    def __init__(self, bits: int, dtype: str):
        self.bits, self.dtype, self.element = bits, dtype, NAMES[dtype]
        self.integer = "i" + self.element.lstrip("if")
        self.lines: list[str] = []
        self.count = 0

    def add(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def shape(self, extent_at: dict[int, int] | None = None, other: int = 2) -> str:
        at = extent_at or {}
        return "x".join(str(at.get(axis, other)) for axis in range(self.bits))

    def partner(self, value: str, axis: int, element: str) -> str:
        whole, kept = f"tensor<{self.shape()}x{self.integer}>", f"tensor<{self.shape({axis: 1})}x{self.integer}>"
        left = f"tensor<{'x'.join(['2'] * (self.bits - 1))}x{self.integer}>"
        own = value
        if element != self.integer:
            own = self.add(f"tt.bitcast {value} : tensor<{self.shape()}x{element}> -> {whole}")
        total = self.add(
            f'"tt.reduce"({own}) <{{axis = {axis} : i32}}> ({{\n^bb0(%a: {self.integer}, %b: {self.integer}):\n'
            f"%c = arith.xori %a, %b : {self.integer}\ntt.reduce.return %c : {self.integer}\n}}) : ({whole}) -> {left}"
        )
        expanded = self.add(f"tt.expand_dims {total} {{axis = {axis} : i32}} : {left} -> {kept}")
        sums = self.add(f"tt.broadcast {expanded} : {kept} -> {whole}")
        other = self.add(f"arith.xori {own}, {sums} : {whole}")
        if element == self.integer:
            return other
        return self.add(f"tt.bitcast {other} : {whole} -> tensor<{self.shape()}x{element}>")

    def step(self, value: str, step: Step) -> str:
        bit, falls, descending = step
        axis = self.bits - 1 - bit
        whole, bools = f"tensor<{self.shape()}x{self.element}>", f"tensor<{self.shape()}xi1>"
        other = self.partner(value, axis, self.element)
        kind = "cmpf ogt" if self.element.startswith("f") else "cmpi ugt" if self.dtype[0] == "u" else "cmpi sgt"
        greater = self.add(f"arith.{kind}, {value}, {other} : {whole}")
        range = self.add("tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>")
        index, type = self.index(range, axis)
        if falls is not None:
            turned, turned_type = self.index(range, self.bits - 1 - falls)
            both = f"tensor<{self.shape({axis: 2, self.bits - 1 - falls: 2}, 1)}xi32>"
            index = self.add(f"tt.broadcast {index} : {type} -> {both}")
            turned = self.add(f"tt.broadcast {turned} : {turned_type} -> {both}")
            index, type = self.add(f"arith.xori {turned}, {index} : {both}"), both
        if descending:
            one = self.add(f"arith.constant dense<1> : {type}")
            index = self.add(f"arith.xori {index}, {one} : {type}")
        zero = self.add(f"arith.constant dense<0> : {type}")
        right = self.add(f"arith.cmpi ne, {index}, {zero} : {type}")
        rights = self.add(f"tt.broadcast {right} : {type[:-4]}i1> -> {bools}")
        swap = self.add(f"arith.cmpi ne, {greater}, {rights} : {bools}")
        return self.add(f"arith.select {swap}, {other}, {value} : {bools}, {whole}")

    def index(self, range: str, axis: int) -> tuple[str, str]:
        type = f"tensor<{self.shape({axis: 2}, 1)}xi32>"
        return self.add(f"tt.reshape {range} : tensor<2xi32> -> {type}"), type

    def text(self, steps: list[Step], flips: tuple[int, ...] = ()) -> str:
        size, element = 1 << self.bits, self.element
        vector, whole = f"tensor<{size}x{element}>", f"tensor<{self.shape()}x{element}>"
        pointers = f"tensor<{size}x!tt.ptr<{element}>>"
        at = self.add(f"tt.make_range {{end = {size} : i32, start = 0 : i32}} : tensor<{size}xi32>")
        accesses: list[str] = []
        for name in ("x", "out"):
            splat = self.add(f"tt.splat %{name} : !tt.ptr<{element}> -> {pointers}")
            accesses.append(self.add(f"tt.addptr {splat}, {at} : {pointers}, tensor<{size}xi32>"))
        value = self.add(f"tt.load {accesses[0]} : {pointers}")
        value = self.add(f"tt.reshape {value} : {vector} -> {whole}")
        for axis in flips:
            value = self.partner(value, axis, element)
        for step in steps:
            value = self.step(value, step)
        value = self.add(f"tt.reshape {value} : {whole} -> {vector}")
        parameters = f"%x: !tt.ptr<{element}>, %out: !tt.ptr<{element}>"
        store = f"tt.store {accesses[1]}, {value} : {pointers}"
        return "\n".join([f"tt.func public @kernel({parameters}) {{", *self.lines, store, "tt.return", "}"])


def network(values: Any, bits: int, steps: list[Step]) -> Any:
    """Each step on the pairs: they change places, or become the same one, or stay."""
    number = np.arange(1 << bits)
    for step in steps:
        values = after_step(values, number, step)
    return values


def after_step(values: Any, number: Any, step: Step) -> Any:
    bit, falls, descending = step
    partner = values[number ^ (1 << bit)]
    right = (number >> bit & 1) ^ (0 if falls is None else number >> falls & 1) ^ descending
    with np.errstate(invalid="ignore"):
        takes_partner = (values > partner) != right.astype(bool)
    after = values.copy()
    after[takes_partner] = partner[takes_partner]
    return after


def inputs(dtype: str, size: int) -> list[Any]:
    random, kind = np.random.default_rng(size), np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        wide = random.integers(limits.min, limits.max, size, dtype=kind, endpoint=True)
        return [wide, random.integers(0, 3, size).astype(kind)]
    special = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.5, -1.5], kind)
    return [random.standard_normal(size).astype(kind), random.choice(special, size)]


def run(text: str, values: Any, num_warps: int) -> tuple[Any, triton.TTIRKernel]:
    found, kernel = np.zeros_like(values), triton.compile_ttir(text, num_warps=num_warps)
    kernel[(1,)](values.copy(), found)
    return found, kernel


def bits_of(values: Any) -> Any:
    """The bits, with all NaNs alike."""
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values)
    return values.view(f"u{values.dtype.itemsize}")


@pytest.mark.parametrize("dtype", NAMES)
def test_sorts(dtype: str) -> None:
    for bits, descending in ((2, True), (6, False), (8, True)):
        steps = sort_steps(bits, bits, descending)
        text = NetworkText(bits, dtype).text(steps)
        for values, num_warps in product(inputs(dtype, 1 << bits), (1, 4)):
            found, kernel = run(text, values, num_warps)
            np.testing.assert_array_equal(bits_of(found), bits_of(network(values, bits, steps)))
            assert "^=" not in kernel.asm["cuda"]  # no sum is left


def test_a_network_that_is_no_sort() -> None:
    """Steps in any order, the order turned by any bit."""
    bits, random = 9, np.random.default_rng(3)
    steps: list[Step] = []
    for _ in range(40):
        bit, falls = random.permutation(bits)[:2].tolist()
        steps.append((bit, falls if random.integers(2) else None, bool(random.integers(2))))
    for dtype in ("float32", "uint32"):
        text = NetworkText(bits, dtype).text(steps)
        for values, num_warps in product(inputs(dtype, 1 << bits), (1, 2, 8)):
            found, _ = run(text, values, num_warps)
            np.testing.assert_array_equal(bits_of(found), bits_of(network(values, bits, steps)))


@pytest.mark.parametrize("dtype", ["int8", "float16", "float64"])
def test_the_interpreter_computes_a_step_as_the_sums_that_it_was(dtype: str) -> None:
    from mytriton.passes.raise_exchanges import RaiseExchanges
    from mytriton.ttir import make_context, parse_module, print_module

    steps = sort_steps(4, 4, True)
    text = NetworkText(4, dtype).text(steps)
    module = parse_module(text)
    RaiseExchanges().apply(make_context(), module)
    raised = print_module(module)
    assert raised.count("tt.compare_exchange") == len(steps) and "tt.reduce" not in raised
    for values in inputs(dtype, 16):
        for one in (text, raised):
            with triton.interpret():
                found, _ = run(one, values, 4)
            np.testing.assert_array_equal(bits_of(found), bits_of(network(values, 4, steps)))


@pytest.mark.parametrize("flips", [(0, 1, 2, 3, 4, 5, 6, 7), (3,), (7, 0), (2, 2)])
def test_flips(flips: tuple[int, ...]) -> None:
    bits, mask = 8, 0
    for axis in flips:
        mask ^= 1 << bits - 1 - axis
    for dtype, num_warps in product(("int32", "float16"), (1, 4)):
        values = inputs(dtype, 1 << bits)[1]
        found, kernel = run(NetworkText(bits, dtype).text([], flips), values, num_warps)
        np.testing.assert_array_equal(found.view("u1"), values[np.arange(1 << bits) ^ mask].view("u1"))
        assert "^=" not in kernel.asm["cuda"]
