"""Each barrier of a printed kernel is needed: without it the checker finds a race, in the text as it is otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.runtime import cpu
from mytriton.runtime.cpu.faults import RawKind

RACES = {RawKind.SHARED_RACE, RawKind.SHARED_UNINITIALISED, RawKind.THREAD_RACE}
BARRIER = "__syncthreads();"
RNG = np.random.default_rng(5)


@triton.jit
def staged_product(a, b, out, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.arange(0, BM)
    j = tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        r = k + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + r[None, :], mask=(r < K)[None, :], other=0.0)
        y = tl.load(b + r[:, None] * BN + j[None, :], mask=(r < K)[:, None], other=0.0)
        acc += tl.dot(x, y)
    tl.store(out + i[:, None] * BN + j[None, :], acc)


@triton.jit
def product_of_registers(a, b, out, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    first = tl.dot(tl.load(a + at), tl.load(b + at))
    tl.store(out + at, tl.dot(tl.trans(first) + 1.0, first))


@triton.jit
def softmax(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def norm_in_a_loop(x, out, rows, B: tl.constexpr):
    i = tl.arange(0, B)
    for row in range(rows):
        v = tl.load(x + row * B + i)
        mean = tl.sum(v, 0) / B
        variance = tl.sum((v - mean) * (v - mean), 0) / B
        tl.store(out + row * B + i, (v - mean) / tl.sqrt(variance + 1e-5))


@triton.jit
def running_sum(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0))


@triton.jit
def in_order(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def transposed(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :])
    tl.store(out + i[:, None] * B + i[None, :], tl.trans(v))


@triton.jit
def counted(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + tl.arange(0, 64), tl.histogram(tl.load(x + i), 64))


@triton.jit
def picked(x, at, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.gather(tl.load(x + i), tl.load(at + i), 0))


@triton.jit
def rows_and_columns(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :])
    tl.store(out + i, tl.max(v, 0) + tl.min(v, 1))


@triton.jit
def ticket(counter, out, B: tl.constexpr):
    number = tl.atomic_add(counter, 1)
    tl.store(out + tl.arange(0, B), number)
    second = tl.atomic_add(counter, 1)
    tl.store(out + B + tl.arange(0, B), second)


@triton.jit
def turned_in_place(x, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + B - 1 - i)
    tl.store(x + i, v)


@triton.jit
def written_and_read(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, i.to(tl.float32))
    tl.store(out + i, tl.load(x + B - 1 - i))


@dataclass(frozen=True)
class Case:
    kernel: Any
    args: tuple[Any, ...]
    constants: dict[str, Any]
    num_warps: int

    def __str__(self) -> str:
        return f"{self.kernel.__name__}-{self.num_warps}"


def floats(*shape: int) -> np.ndarray:
    return RNG.random(shape, np.float32)


def cases() -> list[Case]:
    found: list[Case] = []
    for warps in (2, 4, 8):
        half = [floats(64, 48).astype(np.float16), floats(48, 64).astype(np.float16)]
        whole = [floats(64, 48), floats(48, 64)]
        tiles = {"BM": 64, "BN": 64, "BK": 16}
        ints = RNG.integers(0, 64, 512).astype(np.int32)
        found += [
            Case(staged_product, (*whole, floats(64, 64), 48), tiles, warps),
            Case(staged_product, (*half, floats(64, 64), 48), tiles, warps),
            Case(product_of_registers, (floats(32, 32), floats(32, 32), floats(32, 32)), {"B": 32}, warps),
            Case(softmax, (floats(1000), floats(1000), 1000), {"B": 1024}, warps),
            Case(norm_in_a_loop, (floats(5, 512), floats(5, 512), 5), {"B": 512}, warps),
            Case(running_sum, (floats(512), floats(512)), {"B": 512}, warps),
            Case(in_order, (floats(512), floats(512)), {"B": 512}, warps),
            Case(transposed, (floats(64, 64), floats(64, 64)), {"B": 64}, warps),
            Case(counted, (ints, np.zeros(64, np.int32)), {"B": 512}, warps),
            Case(picked, (floats(512), ints, floats(512)), {"B": 512}, warps),
            Case(rows_and_columns, (floats(64, 64), floats(64)), {"B": 64}, warps),
            Case(ticket, (np.zeros(1, np.int32), np.zeros(1024, np.int32)), {"B": 512}, warps),
            Case(turned_in_place, (floats(512),), {"B": 512}, warps),
            Case(written_and_read, (floats(512), floats(512)), {"B": 512}, warps),
        ]
    return found


CASES = cases()


def kinds(text: str, case: Case, metadata: cpu.KernelMetadata, written: frozenset[int], **options: Any) -> set[RawKind]:
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in case.args]
    arrays = [
        cpu.ArrayExtent(i, a.ctypes.data, a.nbytes, element_bytes=a.itemsize, written=i in written)
        for i, a in enumerate(arguments)
        if isinstance(a, np.ndarray)
    ]
    values = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments]
    kernel = cpu.compile_checked(text, metadata)
    return {RawKind(fault.kind) for fault in kernel.launch_checked((1,), values, arrays, **options)}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_barrier_is_missed(case: Case) -> None:
    compiled = case.kernel.warmup(*case.args, **case.constants, num_warps=case.num_warps, grid=(1,))
    kernel, text = compiled.kernel, compiled.asm["cuda"]
    metadata = cpu.KernelMetadata(kernel.name, kernel.params, kernel.num_warps, kernel.dynamic_shared_bytes)
    written = compiled.written_arguments
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if line.strip() == BARRIER]
    assert places
    for seed in (None, 7, 8):
        assert not kinds(text, case, metadata, written, exact=True, seed=seed)
        assert kinds(text, case, metadata, written, seed=seed) <= {RawKind.SUSPICION}
    for place in places:
        without = "\n".join([*lines[:place], "", *lines[place + 1 :]])
        found = kinds(without, case, metadata, written, exact=True)
        assert found and found <= RACES, f"line {place + 1} of\n{text}"


@pytest.mark.parametrize("case", CASES[:14], ids=str)
def test_a_barrier_that_only_some_threads_reach(case: Case) -> None:
    compiled = case.kernel.warmup(*case.args, **case.constants, num_warps=case.num_warps, grid=(1,))
    kernel, text = compiled.kernel, compiled.asm["cuda"].rstrip()
    metadata = cpu.KernelMetadata(kernel.name, kernel.params, kernel.num_warps, kernel.dynamic_shared_bytes)
    changed = text.removesuffix("}") + f"    if (threadIdx.x < 32) {BARRIER}\n}}\n"
    with pytest.raises(cpu.DeadlockError, match="threads 0-31 wait at __syncthreads"):
        kinds(changed, case, metadata, compiled.written_arguments, exact=True)
