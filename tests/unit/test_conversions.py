"""Conversions between random layouts, lowered and run on the CPU device, for every width of elements.

A value goes through a chain of layouts, so that what threads hold only as copies counts too: the next conversion may
read it.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from mytriton.dialects.layouts import LinearEncodingAttr, SliceEncodingAttr
from mytriton.dialects.linear_layout import LinearLayout
from mytriton.options import Options
from mytriton.pass_manager import run_passes
from mytriton.passes.allocate_shared import AllocateShared
from mytriton.passes.pipeline import standard_passes
from mytriton.ttir import make_context, parse_module
from tests.unit.codegen.running import launch, needs_compiler
from tests.unit.random_layouts import random_layout, same_warps

pytestmark = needs_compiler

CHAINS = 8
SHAPES = [(1,), (7,), (64,), (100,), (512,), (8, 8), (5, 24), (16, 32), (3, 50), (2, 3, 5), (4, 8, 16), (6, 1, 20)]
DTYPES = {"i1": np.bool_, "i8": np.int8, "f16": np.float16, "i32": np.int32, "f64": np.float64}


class Chain:
    """Operations that load a tensor in one layout, convert it several times, and store it in the last layout."""

    def __init__(self, number: int, shape: tuple[int, ...], layouts: list[LinearLayout], element: str):
        self.number, self.shape, self.element = number, shape, element
        self.encodings = [LinearEncodingAttr.of(layout) for layout in layouts]
        self.lines: list[str] = []

    def tensor(self, element: str, encoding: object, shape: tuple[int, ...] | None = None) -> str:
        sizes = "".join(f"{size}x" for size in (self.shape if shape is None else shape))
        return f"tensor<{sizes}{element}, {encoding}>"

    def add(self, name: str, operation: str) -> str:
        value = f"%{name}_{self.number}_{len(self.lines)}"
        self.lines.append(f"  {value} = {operation}")
        return value

    def coordinate(self, dim: int, encoding: LinearEncodingAttr) -> str:
        """The index along a dimension, in a layout of the whole tensor."""
        others = [other for other in range(len(self.shape)) if other != dim]
        slices: list[Any] = [encoding]
        for other in reversed(others):
            slices.append(SliceEncodingAttr(other, slices[-1]))
        shape: tuple[int, ...] = (self.shape[dim],)
        own = self.tensor("i32", slices.pop(), shape)
        value = self.add("range", f"tt.make_range {{end = {shape[0]} : i32, start = 0 : i32}} : {own}")
        for other in others:
            shape = (*shape[:other], 1, *shape[other:])
            wide = self.tensor("i32", slices.pop(), shape)
            value = self.add("row", f"tt.expand_dims {value} {{axis = {other} : i32}} : {own} -> {wide}")
            own = wide
        whole = self.tensor("i32", encoding)
        return value if shape == self.shape else self.add("all", f"tt.broadcast {value} : {own} -> {whole}")

    def index(self, encoding: LinearEncodingAttr) -> str:
        type = self.tensor("i32", encoding)
        total = self.coordinate(0, encoding)
        for dim in range(1, len(self.shape)):
            size = self.add("size", f"arith.constant dense<{self.shape[dim]}> : {type}")
            scaled = self.add("scaled", f"arith.muli {total}, {size} : {type}")
            total = self.add("index", f"arith.addi {scaled}, {self.coordinate(dim, encoding)} : {type}")
        return total

    def pointers(self, base: str, encoding: LinearEncodingAttr) -> str:
        type, offsets = self.tensor(f"!tt.ptr<{self.element}>", encoding), self.tensor("i32", encoding)
        splat = self.add("base", f"tt.splat {base} : !tt.ptr<{self.element}> -> {type}")
        return self.add("ptr", f"tt.addptr {splat}, {self.index(encoding)} : {type}, {offsets}")

    def convert(self, value: str, element: str, source: object, target: object) -> str:
        types = f"{self.tensor(element, source)} -> {self.tensor(element, target)}"
        return self.add("moved", f"ttg.convert_layout {value} : {types}")

    def write(self, converts_pointers: bool) -> list[str]:
        first, *rest = self.encodings
        value = self.pointers(f"%in{self.number}", first)
        element = f"!tt.ptr<{self.element}>"
        if not converts_pointers:
            value, element = self.load(value, first), self.element
        for source, target in zip(self.encodings, rest, strict=False):
            value = self.convert(value, element, source, target)
        last = self.encodings[-1]
        if converts_pointers:
            value = self.load(value, last)
        out = self.pointers(f"%out{self.number}", last)
        self.lines.append(f"  tt.store {out}, {value} : {self.tensor(f'!tt.ptr<{self.element}>', last)}")
        return self.lines

    def load(self, pointers: str, encoding: object) -> str:
        return self.add("x", f"tt.load {pointers} : {self.tensor(f'!tt.ptr<{self.element}>', encoding)}")


@pytest.mark.parametrize("warp_bits", range(4))
@pytest.mark.parametrize("stays_in_warps", [False, True])
def test_conversions_between_random_layouts(warp_bits: int, stays_in_warps: bool):
    random = Random(10 * warp_bits + stays_in_warps)
    chains: list[Chain] = []
    for number in range(CHAINS):
        shape = random.choice(SHAPES)
        layouts = [random_layout(random, shape, warp_bits)]
        for _ in range(3):
            other = same_warps(random, layouts[-1]) if stays_in_warps else random_layout(random, shape, warp_bits)
            layouts.append(other)
        chains.append(Chain(number, shape, layouts, random.choice(list(DTYPES))))
    params = [f"%{name}{c.number}: !tt.ptr<{c.element}>" for c in chains for name in ("in", "out")]
    lines = [line for chain in chains for line in chain.write(converts_pointers=chain.number == 0)]
    body = "\n".join(lines)
    attributes = f'"ttg.num-warps" = {1 << warp_bits} : i32, "ttg.threads-per-warp" = 32 : i32'
    module = parse_module(
        f"module attributes {{{attributes}}} {{\ntt.func @k({', '.join(params)}) {{\n{body}\n  tt.return\n}}\n}}"
    )
    passes = standard_passes(Options(num_warps=1 << warp_bits))
    start = next(index for index, one in enumerate(passes) if isinstance(one, AllocateShared))
    run_passes(make_context(), module, passes[start:], verify=True)

    arrays: list[Any] = []
    for chain in chains:
        dtype = DTYPES[chain.element]
        count = math.prod(chain.shape)
        values = np.frombuffer(random.randbytes(count), np.int8)
        inputs = values % 2 == 0 if dtype is np.bool_ else values.astype(dtype)
        arrays += [inputs, np.zeros(count, dtype)]
    text = launch(module, 1, *arrays)
    assert "__shfl" in text if stays_in_warps else "scratch[" in text
    for chain, given, found in zip(chains, arrays[::2], arrays[1::2], strict=True):
        assert found.tolist() == given.tolist(), (chain.shape, chain.element, chain.encodings)
