"""
Prints, as JSON, what the real Triton makes of small kernels: the text of `tt`, PTX, or the message of its refusal.

Each kernel shows a sentence about Triton in `docs/semantics.md`; `test_semantics.py` says which text it expects.
"""

import json

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile


@triton.jit
def logic(p, n):
    tl.store(p, n > 0 and tl.load(p) > 0)


@triton.jit
def not_of_an_integer(p, n):
    tl.store(p, not n)


@triton.jit
def unsigned_offset(p, n):
    tl.store(p - n.to(tl.uint8), 1)


@triton.jit
def ceiling(p, n):
    tl.store(p, tl.cdiv(n, 7))


@triton.jit
def float_remainder(p, n):
    tl.store(p, n % 2.5)


@triton.jit
def too_large(p, n):
    tl.store(p, tl.full((), 300, tl.int8).to(tl.int32))


@triton.jit
def known_number(p, n):
    size = 4
    tl.store(p + tl.arange(0, size), 1)


@triton.jit
def leaving(p, n):
    for i in range(n):
        if i > 3:
            break
        tl.store(p + i, i)


@triton.jit
def conditional(p, n):
    tl.store(p, n if n > 0 else 0.5)


@triton.jit
def three(p, n):
    tl.store(p + tl.arange(0, 3), 1)


@triton.jit
def product(p, n):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(p + at)
    tl.store(p + at, tl.dot(x, x))


@triton.jit
def small_sum(p, n):
    x = tl.load(p)
    tl.store(p, x * x + x)


@triton.jit
def masked(p, n):
    i = tl.arange(0, 128)
    tl.store(p + i, tl.load(p + i + 128, mask=i < n))


@triton.jit
def one_element(p, n):
    tl.store(p + tl.arange(0, 1), tl.flip(tl.arange(0, 1), 0))


KERNELS = [
    (logic, "*i32", "i32", "ttir"),
    (not_of_an_integer, "*i32", "i32", "ttir"),
    (unsigned_offset, "*i32", "i32", "ttir"),
    (ceiling, "*i32", "i32", "ttir"),
    (float_remainder, "*fp32", "fp32", "ptx"),
    (too_large, "*i32", "i32", "ttir"),
    (known_number, "*i32", "i32", "ttir"),
    (leaving, "*i32", "i32", "ttir"),
    (conditional, "*fp32", "i32", "ttir"),
    (three, "*i32", "i32", "ttir"),
    (product, "*fp32", "i32", "ttir"),
    (small_sum, "*bf16", "i32", "ptx"),
    (masked, "*i32", "i32", "ptx"),
    (one_element, "*i32", "i32", "ttir"),
]


def text_of(kernel, pointer, number, stage):
    source = ASTSource(kernel, {"p": pointer, "n": number}, constexprs={})
    try:
        return compile(source, target=GPUTarget("cuda", 90, 32)).asm[stage]
    except Exception as error:
        return f"error: {error}"


print(json.dumps({kernel.__name__: text_of(kernel, *rest) for kernel, *rest in KERNELS}))
