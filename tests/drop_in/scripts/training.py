import torch
import triton
import triton.language as tl
from torch.amp import custom_bwd, custom_fwd


@triton.jit
def relu_squared(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    r = tl.maximum(x, 0.0)
    tl.store(y_ptr + i, r * r, mask=i < n)


@triton.jit
def relu_squared_grad(x_ptr, dy_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(dx_ptr + i, 2 * tl.maximum(x, 0.0) * tl.load(dy_ptr + i, mask=i < n), mask=i < n)


class ReluSquared(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cuda")
    def forward(ctx, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        relu_squared[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    @custom_bwd(device_type="cuda")
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty(x.shape, device="cuda", dtype=x.dtype)
        relu_squared_grad[(triton.cdiv(x.numel(), 64),)](x, dy.contiguous(), dx, x.numel(), BLOCK=64)
        return dx


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 1)

    def forward(self, x):
        return self.second(ReluSquared.apply(self.first(x)))


torch.manual_seed(5)
assert torch.cuda.is_available()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
x = torch.randn(64, 8, device=device)
target = x.sum(1, keepdim=True) ** 2
losses = []
for _ in range(20):
    optimizer.zero_grad(set_to_none=True)
    loss = torch.nn.functional.mse_loss(net(x), target)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    losses.append(loss.item())
torch.cuda.synchronize()
assert losses[-1] < losses[0]
print([round(value, 3) for value in losses[::5]])
