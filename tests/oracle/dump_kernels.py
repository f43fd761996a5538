"""Kernels whose control flow Triton writes as branches between blocks, or in another form than mytriton's frontend."""

from __future__ import annotations

from tests.oracle.cases import Case, case

FUNCTIONS = """
@triton.jit
def first_large(x_ptr, n):
    if n <= 0:
        return -1.0
    x = tl.load(x_ptr)
    if x > 1.0:
        return x
    return x * 2.0


@triton.jit(noinline=True)
def called(x, n):
    if n > 5:
        return x + 1
    return x * 2


@triton.jit
def nested(n):
    if n > 2:
        if n > 4:
            return 5
        else:
            if n > 3:
                return 4
    return called(n, n)


"""


def early_returns() -> list[Case]:
    """Kernels that return before their end."""
    lines = """
i = tl.program_id(0)
n = tl.load(n_ptr + i)
if n < 0:
    tl.store(out_ptr + i, 100)
    return
if n > 3:
    if n > 6:
        return
    tl.store(out_ptr + i, 200)
tl.store(out_ptr + i, tl.load(out_ptr + i) + n)
"""
    memory = {"n": "int32[16]", "out": "int32[16]"}
    return [
        case("early returns", lines, {}, memory=memory, grid=(16,)),
        case(
            "functions that return early",
            """
n = tl.load(n_ptr + tl.program_id(0))
tl.store(out_ptr + tl.program_id(0), first_large(x_ptr + tl.program_id(0), n))
""",
            {},
            memory={"n": "int32[16]", "x": "float32[16]", "out": "float32[16]"},
            functions=FUNCTIONS,
            grid=(16,),
        ),
        case(
            "functions that call each other",
            """
n = tl.load(n_ptr + tl.program_id(0))
total = 0
for k in range(n):
    total += nested(k)
    if total > 20:
        total -= called(total, k)
tl.store(out_ptr + tl.program_id(0), total)
""",
            {},
            memory={"n": "int32[16] positive", "out": "int32[16]"},
            functions=FUNCTIONS,
            grid=(16,),
        ),
    ]


def loops() -> list[Case]:
    return [
        case(
            "loops with attributes",
            """
total = tl.zeros([64], tl.float32)
for k in tl.range(0, 8, num_stages=3, loop_unroll_factor=2, flatten=True, disallow_acc_multi_buffer=True):
    total += tl.load(m_ptr + tl.arange(0, 64)) * k
for k in tl.range(7, -1, -2):
    total = total * 0.5 + k
for k in tl.static_range(3):
    total += k
result = total
""",
            "float32[64]",
            memory={"m": "float32[64]"},
        ),
        case(
            "while loops",
            """
n = tl.load(n_ptr + tl.program_id(0))
steps = 0
while n != 1:
    if n % 2 == 0:
        n = n // 2
    else:
        n = 3 * n + 1
    steps += 1
    while steps > 1000:
        steps -= 1
tl.store(out_ptr + tl.program_id(0), steps)
""",
            {},
            memory={"n": "int32[16] positive", "out": "int32[16]"},
            grid=(16,),
        ),
        case(
            "branches of tensors",
            """
n = tl.load(n_ptr)
x = tl.load(m_ptr + tl.arange(0, 64))
if n > 0:
    y = x * 2
    p = m_ptr + tl.arange(0, 64)
elif n < -5:
    y = x - 1
    p = m_ptr + 63 - tl.arange(0, 64)
else:
    y = x
    p = m_ptr + tl.arange(0, 64) // 2
result = y + tl.load(p)
""",
            "float32[64]",
            memory={"n": "int32[1]", "m": "float32[64]"},
        ),
    ]


def descriptors() -> list[Case]:
    return [
        case(
            "descriptors in loops and branches",
            """
a = tl.make_tensor_descriptor(m_ptr, shape=[20, 32], strides=[32, 1], block_shape=[8, 16])
b = tl.make_tensor_descriptor(w_ptr, shape=[20, 32], strides=[32, 1], block_shape=[8, 16], padding_option="nan")
total = tl.zeros([8, 16], tl.float32)
for k in range(0, 40, 8):
    total += a.load([k - 4, k])
    if k > 16:
        b.store([k - 16, 0], total)
    b.atomic_add([0, 16], total)
result = tl.where(total > 0, b.load([16, 8]), total)
""",
            "float32[8,16]",
            memory={"m": "float32[640]", "w": "float32[640]"},
        ),
        *(
            # Not in those that Triton's interpreter runs: it has no such operations.
            case(
                f"descriptor reductions of {dtype}",
                """
d = tl.make_tensor_descriptor(m_ptr, shape=[20, 32], strides=[32, 1], block_shape=[8, 16])
d.atomic_add([16, 0], x)
d.atomic_min([0, 0], x)
d.atomic_max([0, 16], x)
d.atomic_and([8, 0], x)
d.atomic_or([8, 16], x)
d.atomic_xor([16, 16], x)
result = x
""",
                f"{dtype}[8,16]",
                x=f"{dtype}[8,16]",
                memory={"m": f"{dtype}[20,32]"},
            )
            for dtype in ("int32", "uint32")
        ),
    ]


CONTROL_FLOW: list[Case] = [*early_returns(), *loops(), *descriptors()]
