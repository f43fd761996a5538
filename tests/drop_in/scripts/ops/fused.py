import torch
import triton
import triton.language as tl

from . import activations
from .activations import gelu
from .utils import ensure_contiguous


@triton.jit
def _bias_act(X, Bias, Y, M, N, stride, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    x += tl.load(Bias + cols, mask=mask, other=0.0)
    if ACTIVATION == "silu":
        x = activations.silu(x)
    elif ACTIVATION == "gelu":
        x = gelu(x)
    tl.store(Y + row * stride + cols, x.to(Y.dtype.element_ty), mask=mask)


@ensure_contiguous
def bias_act(x, bias, activation="silu"):
    y = torch.empty_like(x)
    M, N = x.shape
    with torch.cuda.device(x.device):
        _bias_act[(M,)](x, bias, y, M, N, x.stride(0), ACTIVATION=activation, BLOCK=triton.next_power_of_2(N))
    return y
