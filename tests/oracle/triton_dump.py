"""Run by an interpreter that has the real Triton: prints its TTIR of a kernel, or what it makes of TTIR text.

triton_dump.py dump KERNEL        triton_dump.py check < TEXT
"""

import os
import sys
import tempfile
import warnings

# The cache of Triton does not ask where a kernel stands, and the dump says so.
os.environ["TRITON_ALWAYS_COMPILE"] = "1"
warnings.simplefilter("ignore")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):  # noqa: E501  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k_base in range(0, K, BK):
        ks = k_base + tl.arange(0, BK)
        a_mask = (rows[:, None] < M) & (ks[None, :] < K)
        a = tl.load(a_ptr + rows[:, None] * stride_a + ks[None, :], mask=a_mask, other=0.0)
        b_mask = (ks[:, None] < K) & (columns[None, :] < N)
        b = tl.load(b_ptr + ks[:, None] * stride_b + columns[None, :], mask=b_mask, other=0.0)
        acc = acc + tl.dot(a, b)  # the dot
    c_mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_c + columns[None, :], acc, mask=c_mask)


@triton.jit
def softmax(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + columns, mask=columns < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n + columns, e / tl.sum(e, axis=0), mask=columns < n)


POINTERS_AND_SIZES = {
    **dict.fromkeys(["a_ptr", "b_ptr", "c_ptr"], "*fp32"),
    **dict.fromkeys(["M", "N", "K", "stride_a", "stride_b", "stride_c"], "i32"),
}
KERNELS = {
    "matmul": (matmul, POINTERS_AND_SIZES, {"BM": 64, "BN": 64, "BK": 16}),
    "softmax": (softmax, {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"}, {"BLOCK": 256}),
}


def dump(name: str) -> str:
    """Triton's TTIR of the kernel `name`."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    kernel, signature, constants = KERNELS[name]
    source = ASTSource(kernel, {**signature, **dict.fromkeys(constants, "constexpr")}, constants)
    return triton.compile(source, target=GPUTarget("cuda", 80, 32)).asm["ttir"]


def check(text: str) -> str:
    """`text`, read and printed by Triton."""
    from triton._C.libtriton import ir

    context = ir.context()
    ir.load_dialects(context)
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()
        return str(ir.parse_mlir_module(file.name, context))


if __name__ == "__main__":
    print(dump(sys.argv[2]) if sys.argv[1] == "dump" else check(sys.stdin.read()))
