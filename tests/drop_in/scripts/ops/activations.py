import triton
from triton import language as tl

SQRT_HALF: tl.constexpr = tl.constexpr(0.7071067811865476)


@triton.jit
def sigmoid(x):
    return 1.0 / (1.0 + tl.exp(-x))


@triton.jit
def silu(x):
    return x * sigmoid(x)


@triton.jit
def gelu(x):
    return 0.5 * x * (1.0 + tl.math.erf(x * SQRT_HALF))
