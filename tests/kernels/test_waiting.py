"""Loops in which a program waits for another one: the interpreter says so where the CPU device waits."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl

WAITS = "waits for a value that no program will write: the interpreter runs programs one after another"


@triton.jit
def load_kernel(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        while tl.atomic_load(flag_ptr) == 0:  # here
            pass
        tl.store(out_ptr, 7)
    else:
        tl.atomic_xchg(flag_ptr, 1)


@triton.jit
def add_nothing_kernel(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        while tl.atomic_add(flag_ptr, 0) == 0:  # here
            pass
        tl.store(out_ptr, 7)
    else:
        tl.atomic_add(flag_ptr, 1)


@triton.jit
def lock_kernel(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        while tl.atomic_cas(flag_ptr, 1, 2) != 1:  # here
            pass
        tl.store(out_ptr, 7)
    else:
        tl.atomic_xchg(flag_ptr, 1)


@triton.jit
def tile_kernel(flag_ptr, out_ptr):
    i = tl.arange(0, 4)
    if tl.program_id(0) == 0:
        seen = tl.zeros((4,), tl.int32)
        while tl.sum(seen) < 4:  # here
            seen = tl.load(flag_ptr + i, volatile=True)
        tl.store(out_ptr, 7)
    else:
        tl.store(flag_ptr + i, 1)


@triton.jit
def swinging_kernel(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        wait = 1
        while tl.atomic_load(flag_ptr) == 0:  # here
            wait = wait * 3 % 7
        tl.store(out_ptr, 7 + wait * 0)
    else:
        tl.atomic_xchg(flag_ptr, 1)


@triton.jit
def counting_kernel(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        turns = 0
        while tl.atomic_load(flag_ptr) == 0:  # here
            turns += 1
            if turns % 2 == 0:
                turns += 2
        tl.store(out_ptr, 7 + turns * 0)
    else:
        tl.atomic_xchg(flag_ptr, 1)


@triton.jit
def waited_for(flag_ptr):
    while tl.atomic_load(flag_ptr) == 0:  # here
        pass
    return 7


@triton.jit
def calling_kernel(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        tl.store(out_ptr, waited_for(flag_ptr))
    else:
        tl.atomic_xchg(flag_ptr, 1)


@triton.jit
def breaking_kernel(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        while True:  # here
            if tl.atomic_load(flag_ptr) != 0:
                break
        tl.store(out_ptr, 7)
    else:
        tl.atomic_xchg(flag_ptr, 1)


WAITING = [
    load_kernel,
    add_nothing_kernel,
    lock_kernel,
    tile_kernel,
    swinging_kernel,
    counting_kernel,
    breaking_kernel,
    calling_kernel,
]


@pytest.mark.rule("order-of-programs")
@pytest.mark.parametrize("kernel", WAITING, ids=lambda kernel: kernel.__name__)
def test_waiting_for_a_later_program_is_an_error_of_the_interpreter(kernel: Any):
    flag, out = np.zeros(4, np.int32), np.zeros(1, np.int32)
    source = waited_for if kernel is calling_kernel else kernel
    line = source.source_line + next(i for i, text in enumerate(source.src.splitlines()) if "# here" in text)
    with triton.interpret(), pytest.raises(triton.LaunchError, match=WAITS) as error:
        kernel[(2,)](flag, out)
    assert str(error.value).startswith(f"{__file__}:{line}:")
    assert str(error.value).count(__file__) == 1
    # The next launch is as ever, and there are devices on which both programs run.
    flag[:] = 1
    with triton.interpret():
        kernel[(1,)](flag, out)
    assert out[0] == 7
    if kernel is not tile_kernel:
        flag[:], out[:] = 0, 0
        kernel[(2,)](flag, out)
        assert out[0] == 7


# Loops that do end


@triton.jit
def clock_kernel(out_ptr):
    start = tl.extra.cuda.globaltimer()
    while tl.extra.cuda.globaltimer() < start + 2000000:
        pass
    tl.store(out_ptr, 1)


@triton.jit
def countdown_kernel(x_ptr, out_ptr):
    while tl.load(x_ptr) > 0:
        tl.store(x_ptr, tl.load(x_ptr) - 1)
    tl.store(out_ptr, 1)


@triton.jit
def atomic_countdown_kernel(x_ptr, out_ptr):
    while tl.atomic_add(x_ptr, -1) > 1:
        pass
    tl.store(out_ptr, 1)


@triton.jit
def long_count_kernel(n, out_ptr):
    turns, unused = 0, 0.0
    while turns < n:
        turns += 1
        unused = -unused
    tl.store(out_ptr, turns)


@triton.jit
def searching_kernel(x_ptr, out_ptr, n):
    at = 0
    while tl.load(x_ptr + at) != n:
        at += 1
    tl.store(out_ptr, at)


@triton.jit
def nested_kernel(x_ptr, out_ptr, n):
    total = 0
    turn = 0
    while turn < n:
        inner = 0
        while inner < turn:
            inner += 1
            if inner % 2 == 0:
                total += tl.load(x_ptr)
        turn += 1
    tl.store(out_ptr, total)


def test_loops_that_come_to_an_end_do():
    out = np.zeros(1, np.int32)
    x = np.zeros(3000, np.int32)
    for context in (triton.interpret(), nullcontext()):
        with context:
            out[:] = 0
            clock_kernel[(1,)](out)
            assert out[0] == 1
            for kernel in (countdown_kernel, atomic_countdown_kernel):
                x[0], out[0] = 1500, 0
                kernel[(1,)](x, out)
                assert out[0] == 1 and x[0] == 0
            long_count_kernel[(1,)](2500, out)
            assert out[0] == 2500
            x[:], x[2345] = 0, 9
            searching_kernel[(1,)](x, out, 9)
            assert out[0] == 2345
            x[0] = 1
            nested_kernel[(1,)](x, out, 60)
            assert out[0] == sum(turn // 2 for turn in range(60))


def test_waiting_beyond_an_array_is_an_access_outside_of_it():
    """The place moves on, though nothing but the access depends on it."""
    with triton.interpret(), pytest.raises(triton.LaunchError, match="out of bounds: byte 12000"):
        searching_kernel[(1,)](np.zeros(3000, np.int32), np.zeros(1, np.int32), 9)


@triton.jit
def one_after_the_other_kernel(flags_ptr, out_ptr, BLOCK: tl.constexpr):
    """Each program waits for the one before it, whose tile it goes on with."""
    pid = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    while tl.load(flags_ptr + pid, volatile=True) == 0:
        pass
    tl.debug_barrier()
    before = tl.load(out_ptr + pid * BLOCK + i, volatile=True)
    tl.store(out_ptr + (pid + 1) * BLOCK + i, before + 1)
    tl.debug_barrier()
    tl.atomic_xchg(flags_ptr + pid + 1, 1)


@pytest.mark.mytriton_sanitize(False)  # a volatile load waits, and orders nothing
@pytest.mark.parametrize("num_warps", [1, 4])
def test_waiting_with_volatile_loads(num_warps: int) -> None:
    for context in (triton.interpret(), nullcontext()):
        with context:
            flags, out = np.zeros(41, np.int32), np.zeros((41, 256), np.int32)
            flags[0] = 1
            one_after_the_other_kernel[(40,)](flags, out, BLOCK=256, num_warps=num_warps)
        assert (out == np.arange(41)[:, None]).all()


@triton.jit
def only_waiting_kernel(flag_ptr):
    while tl.load(flag_ptr, volatile=True) == 0:
        pass


@triton.jit
def two_looks_kernel(flag_ptr, out_ptr):
    tl.load(flag_ptr, volatile=True)
    tl.store(out_ptr, tl.load(flag_ptr, volatile=True) - tl.load(flag_ptr, volatile=True))


def test_volatile_loads_are_done_as_often_as_they_are_written() -> None:
    text = only_waiting_kernel.warmup("*i32", grid=(1,)).asm["cuda"]
    assert "while (true) {" in text and text.count("volatile int") == 1
    assert two_looks_kernel.warmup("*i32", "*i32", grid=(1,)).asm["cuda"].count("volatile int") == 3
    x = np.zeros(1, np.int32)
    with triton.sanitize(steps=100), pytest.raises(triton.KernelFault, match="too many steps"):
        only_waiting_kernel[(1,)](x)
    x[0] = 1
    only_waiting_kernel[(1,)](x)
