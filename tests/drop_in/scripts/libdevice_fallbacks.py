import torch
import triton
import triton.language as tl

try:
    from triton.language.extra.intel import libdevice
except ModuleNotFoundError:
    from triton.language.extra import libdevice

try:
    from triton.language.extra.libdevice import tanh
except ImportError:
    from triton.language.math import tanh

try:
    import triton.experimental.nothing_here as experimental
except ImportError as error:
    experimental = None

HAS_GATHER = hasattr(tl, "gather")


@triton.jit
def kernel(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, tanh(x))
    tl.store(z_ptr + i, libdevice.pow(tl.abs(x), x))


x = torch.linspace(-2, 2, 32, device="cuda")
y, z = torch.empty_like(x), torch.empty_like(x)
kernel[(1,)](x, y, z, BLOCK=32)
torch.testing.assert_close(y, torch.tanh(x))
torch.testing.assert_close(z, x.abs() ** x)
print(experimental, HAS_GATHER, f"{y.sum().item():.5f} {z.sum().item():.5f}")
