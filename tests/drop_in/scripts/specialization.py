import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n", "step"])
def strided(x_ptr, y_ptr, n, step, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i * step, mask=i < n), mask=i < n)


@triton.jit(do_not_specialize_on_alignment=["x_ptr"], debug=True)
def checked(x_ptr, n: tl.int64, flag, BLOCK: tl.constexpr = 32):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.device_assert(x >= 0, "negative", mask=i < n)
    if flag:
        tl.store(x_ptr + i, x * 2, mask=i < n)


x = torch.arange(100, device="cuda")
for n, step in ((16, 1), (20, 3), (1, 2)):
    y = torch.zeros(n, dtype=x.dtype, device="cuda")
    strided[(triton.cdiv(n, 16),)](x, y, n, step, BLOCK=16)
    assert torch.equal(y, x[::step][:n])
    print(n, step, y.tolist())
checked[(1,)](x[1:], 20, True)
checked[(1,)](x[1:], 20, False)
print(x[:24].tolist())
