import torch
import triton
import triton.language as tl


@triton.jit
def relu(x):
    return tl.where(x > 0, x, 0.0)


@triton.jit
def leaky(x):
    return tl.where(x > 0, x, 0.01 * x)


@triton.jit
def apply(x_ptr, y_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, FUNCTION(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def max_with_index(a, i, b, j):
    take_a = (a > b) | ((a == b) & (i < j))
    return tl.where(take_a, a, b), tl.where(take_a, i, j)


@triton.jit
def reductions(x_ptr, sum_ptr, max_ptr, at_ptr, scan_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(sum_ptr, tl.reduce(x, 0, add))
    largest, at = tl.reduce((x, i), 0, max_with_index)
    tl.store(max_ptr, largest)
    tl.store(at_ptr, at)
    tl.store(scan_ptr + i, tl.associative_scan(x, 0, add))


x = torch.sin(torch.arange(64.0)).to("cuda")
for function in (relu, leaky):
    y = torch.empty_like(x)
    apply[(4,)](x, y, 64, function, BLOCK=16)
    print(function.__name__, y.sum().item())
total, largest, scan = torch.empty(1).cuda(), torch.empty(1).cuda(), torch.empty_like(x)
at = torch.empty(1, dtype=torch.int32, device="cuda")
reductions[(1,)](x, total, largest, at, scan, BLOCK=64)
assert at.item() == x.argmax().item()
torch.testing.assert_close(scan, x.cumsum(0), rtol=1e-4, atol=1e-5)
print(total.item(), largest.item(), at.item())
