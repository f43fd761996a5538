"""Kernels for the names that access memory, and for those of no other kind."""

from __future__ import annotations

from tests.oracle.cases import Case, case

ATOMICS = {
    "add": ("int32", "int64", "uint32", "uint64", "float32", "float64"),
    "max": ("int32", "int64", "uint32", "float32"),
    "min": ("int32", "int64", "uint32", "float32"),
    "and": ("int32", "int64"),
    "or": ("int32", "uint64"),
    "xor": ("int32", "uint32"),
    "xchg": ("int32", "int64", "uint32"),
}


def atomics() -> list[Case]:
    cases: list[Case] = []
    memory_of = "i = tl.arange(0, 64)\n"
    for operation, dtypes in ATOMICS.items():
        for dtype in dtypes:
            for form in (f"tl.atomic_{operation}(m_ptr + i, x)", f"(m_ptr + i).atomic_{operation}(x)"):
                memory = {"m": f"{dtype}[64]"}
                cases.append(
                    case(
                        f"{form}-{dtype}",
                        f"{memory_of}result = {form}",
                        f"{dtype}[64]",
                        x=f"{dtype}[64]",
                        memory=memory,
                    )
                )
            masked = f"{memory_of}tl.atomic_{operation}(m_ptr + i, x, mask=i % 3 == 0)\nresult = x"
            cases.append(
                case(
                    f"{operation} masked-{dtype}",
                    masked,
                    f"{dtype}[64]",
                    x=f"{dtype}[64]",
                    memory={"m": f"{dtype}[64]"},
                )
            )
    for name, expression in {
        "atomic_cas": "tl.atomic_cas(m_ptr + i, x, x * 0 + 77)",
        "tensor.atomic_cas": "(m_ptr + i).atomic_cas(x, x * 0 + 77)",
        "atomic_load": "tl.atomic_load(m_ptr + i)",
        "tensor.atomic_load": "(m_ptr + i).atomic_load()",
        "atomic_poll": "tl.atomic_poll(m_ptr + i, 5, timeout_ns=1).to(tl.int32)",
        "tensor.atomic_poll": "(m_ptr + i).atomic_poll(5, timeout_ns=1).to(tl.int32)",
    }.items():
        cases.append(
            case(name, f"{memory_of}result = {expression}", "int32[64]", x="int32[64]", memory={"m": "int32[64]"})
        )
    for name, expression in {
        "atomic_store": "tl.atomic_store(m_ptr + i, x)",
        "tensor.atomic_store": "(m_ptr + i).atomic_store(x, mask=i > 7)",
        "store": "tl.store(m_ptr + i, x, mask=i % 2 == 0)",
        "tensor.store": "(m_ptr + i).store(x)",
    }.items():
        lines = f"{memory_of}{expression}\nresult = x"
        cases.append(case(name, lines, "int32[64]", x="int32[64]", memory={"m": "int32[64]"}))
    return cases


HELPERS = """
@triton.jit
def two(pair):
    return pair[1], pair[0] * 2


"""


AGGREGATE = """
@triton.aggregate
class Both:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first, second):
        self.first = first
        self.second = second


"""


def rest() -> list[Case]:
    i = "i = tl.arange(0, 64)\n"
    dot = {"x": "float32[16,16]", "y": "float32[16,16]", "z": "float32[16,16]"}
    described = "d = tl.make_tensor_descriptor(m_ptr, [20, 32], [32, 1], [8, 16])\n"
    cases = [
        case("dot", "result = tl.dot(x, y, z, input_precision='ieee')", "float32[16,16]", **dot),
        case("dot of int8", "result = tl.dot(x, y)", "int32[16,32]", x="int8[16,32]", y="int8[32,32]"),
        case("dot of halves", "result = tl.dot(x, y)", "float32[16,16]", x="float16[16,16]", y="float16[16,16]"),
        case(
            "dot of batches",
            "result = tl.dot(x, y, input_precision='ieee')",
            "float32[2,16,16]",
            x="float32[2,16,16]",
            y="float32[2,16,16]",
        ),
        case("descriptor", f"{described}result = d.load([8, 16])", "int32[8,16]", memory={"m": "int32[20,32]"}),
        case("beyond the end", f"{described}result = d.load([15, 24])", "int32[8,16]", memory={"m": "int32[20,32]"}),
        case(
            "padding_option",
            "d = tl.make_tensor_descriptor(m_ptr, [5, 8], [8, 1], [8, 8], padding_option='nan')\n"
            "result = d.load([1, 4])",
            "float32[8,8]",
            memory={"m": "float32[5,8]"},
        ),
        case(
            "descriptor gather and scatter",
            "d = tl.make_tensor_descriptor(m_ptr, [20, 32], [32, 1], [1, 16])\n"
            "rows = (tl.arange(0, 8) * 5) % 23\nresult = d.gather(rows, 16)\nd.scatter(x, rows, 0)",
            "int32[8,16]",
            x="int32[8,16]",
            memory={"m": "int32[20,32]"},
        ),
        case(
            "load_tensor_descriptor",
            f"{described}result = tl.load_tensor_descriptor(d, [1, 0])",
            "int32[8,16]",
            memory={"m": "int32[20,32]"},
        ),
        case(
            "store_tensor_descriptor",
            f"{described}tl.store_tensor_descriptor(d, [16, 24], x)\nd.store([0, 0], x)\nresult = x",
            "int32[8,16]",
            x="int32[8,16]",
            memory={"m": "int32[20,32]"},
        ),
        case("load", f"{i}result = tl.load(m_ptr + i, mask=i > 5, other=9)", "int32[64]", memory={"m": "int32[64]"}),
        case(
            "hints",
            f"{i}a = tl.max_contiguous(tl.multiple_of(i, 16), 16)\nresult = tl.max_constancy(a, 1)",
            "int32[64]",
        ),
        case("assume", f"{i}tl.assume(tl.num_programs(0) > 0)\ntl.debug_barrier()\nresult = i", "int32[64]"),
        case(
            "program_id",
            "at = tl.program_id(0) * 6 + tl.program_id(1) * 3 + tl.program_id(2)\n"
            "tl.store(m_ptr + at, tl.num_programs(1) * 100 + at)\nresult = 1",
            "int32[]",
            memory={"m": "int32[24]"},
            grid=(4, 2, 3),
        ),
        case("range", "result = x\nfor k in tl.range(3, 11, 2):\n    result += k", "int32[64]", x="int32[64]"),
        case(
            "static_range",
            "result = x\nfor k in tl.static_range(4):\n    result = result * 2 + k\ntl.static_assert(True)",
            "int32[64]",
            x="int32[64]",
        ),
        case(
            "condition",
            "result = x\nk = 0\nwhile tl.condition(k < 5):\n    result += k\n    k += 1",
            "int32[64]",
            x="int32[64]",
        ),
        case("swizzle2d", f"{i}a, b = tl.swizzle2d(i // 8, i % 8, 8, 8, 4)\nresult = a * 100 + b", "int32[64]"),
        case("tuple", "a, b = two((x, x + 1))\nresult = a - b", "int32[64]", x="int32[64]", functions=HELPERS),
        case("to_tensor", "result = tl.to_tensor(3) + x", "int32[64]", x="int32[64]"),
        case("expect_zero", "result = tl.expect_zero(x, x > 100)", "int32[64]", x="int32[64]"),
        case("constexpr", "k: tl.constexpr = 5\nresult = x + k", "int32[64]", x="int32[64]"),
        case("device_assert", "tl.device_assert(x < 1000)\nresult = x", "int32[64]", x="int32[64]"),
    ]
    scaled = "tl.dot_scaled(x, tl.full((16, 1), 127, tl.uint8), 'e5m2', y, s, 'e5m2')"
    cases += [
        case(
            "dot_scaled",
            f"s = tl.full((16, 1), 129, tl.uint8)\nresult = {scaled}",
            "float32[16,16]",
            x="float8e5[16,32] short",
            y="float8e5[32,16] short",
        ),
        case(
            "aggregate_replace",
            "both = Both(x, x + 1)\nother = tl.aggregate_replace(both, second=x * 2)\n"
            "result = other.first + other.second * 10 + both.second",
            "int32[64]",
            x="int32[64]",
            functions=AGGREGATE,
        ),
        case("tuples", "pair = tl.tuple([x, x * 3])\nresult = pair[1] - pair[0]", "int32[64]", x="int32[64]"),
    ]
    for name, expression, dtype in (
        ("philox", "tl.philox(7, i, i * 0, i * 0, i * 0)[1]", "uint32"),
        ("philox_impl", "tl.philox_impl(i.to(tl.uint32), k, k, k, k + 5, k, 10)[2]", "uint32"),
        ("randint", "tl.randint(77, i)", "uint32"),
        ("randint4x", "tl.randint4x(77, i)[3]", "uint32"),
        ("rand", "tl.rand(77, i)", "float32"),
        ("rand4x", "tl.rand4x(77, i)[2]", "float32"),
        ("uint_to_uniform_float", "tl.uint_to_uniform_float((i * 123456789).to(tl.uint32))", "float32"),
    ):
        cases.append(case(name, f"{i}k = (i * 0).to(tl.uint32)\nresult = {expression}", f"{dtype}[64]"))
    for name, expression in (
        ("randn", "tl.randn(77, i)"),
        ("randn4x", "tl.randn4x(77, i)[1]"),
        ("pair_uniform_to_normal", "tl.pair_uniform_to_normal(tl.rand(1, i), tl.rand(2, i))[0]"),
    ):
        cases.append(case(name, f"{i}result = {expression}", "float32[64]", tolerance=2e-5))
    return cases


def cases() -> list[Case]:
    """Every case of this file; their names differ."""
    return [*atomics(), *rest()]
