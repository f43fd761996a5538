import torch
import triton
import triton.language as tl


class RMSNorm(torch.nn.Module):
    EPS = tl.constexpr(1e-6)

    def __init__(self, hidden):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(0.5, 1.5, hidden))

    @staticmethod
    @triton.jit
    def _kernel(x_ptr, w_ptr, y_ptr, hidden, eps, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.arange(0, BLOCK)
        mask = cols < hidden
        x = tl.load(x_ptr + row * hidden + cols, mask=mask, other=0.0)
        variance = tl.sum(x * x, axis=0) / hidden
        y = x * tl.math.rsqrt(variance + eps) * tl.load(w_ptr + cols, mask=mask)
        tl.store(y_ptr + row * hidden + cols, y, mask=mask)

    def forward(self, x):
        assert x.is_cuda and self.weight.is_cuda, (x.device, self.weight.device)
        y = torch.empty_like(x)
        hidden = x.shape[-1]
        rows = x.numel() // hidden
        self._kernel[(rows,)](
            x, self.weight, y, hidden, self.EPS.value, BLOCK=triton.next_power_of_2(hidden), num_warps=2
        )
        return y


class Ops:
    @triton.jit
    def square(x):
        return x * x

    @triton.jit
    def kernel(x_ptr, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n)
        tl.store(x_ptr + i, x * x, mask=i < n)


torch.manual_seed(2)
norm = RMSNorm(48).cuda()
x = torch.randn(3, 5, 48, device="cuda")
y = norm(x)
expected = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * norm.weight
torch.testing.assert_close(y, expected.detach())
z = torch.arange(10.0, device="cuda")
Ops.kernel[(1,)](z, 10, BLOCK=16)
print(y[0, 0, :6].tolist(), z.tolist())
