import torch
import triton
import triton.language as tl


@triton.jit
def _swiglu_forward(a_ptr, b_ptr, c_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i, mask=i < n, other=0).to(tl.float32)
    b = tl.load(b_ptr + i, mask=i < n, other=0)
    tl.store(c_ptr + i, (a * tl.sigmoid(a)).cast(b.dtype) * b, mask=i < n)


@triton.jit
def _swiglu_backward(dc_ptr, a_ptr, b_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dc = tl.load(dc_ptr + i, mask=i < n, other=0)
    a = tl.load(a_ptr + i, mask=i < n, other=0).to(tl.float32)
    b = tl.load(b_ptr + i, mask=i < n, other=0)
    s = tl.sigmoid(a)
    silu = a * s
    tl.store(a_ptr + i, dc * (silu * (1 - s) + s) * b, mask=i < n)
    tl.store(b_ptr + i, dc * silu, mask=i < n)


class SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        assert a.is_cuda and b.device.type == "cuda"
        c = torch.empty_like(a)
        _swiglu_forward[(triton.cdiv(a.numel(), 128),)](a, b, c, a.numel(), BLOCK=128)
        ctx.save_for_backward(a, b)
        return c

    @staticmethod
    def backward(ctx, dc):
        a, b = (t.clone() for t in ctx.saved_tensors)
        assert dc.is_cuda and torch.zeros(1, device="cuda").device == a.device
        _swiglu_backward[(triton.cdiv(a.numel(), 128),)](dc.contiguous(), a, b, a.numel(), BLOCK=128)
        return a, b


torch.manual_seed(4)
a = torch.randn(20, 30, device="cuda", requires_grad=True)
b = torch.randn(20, 30, device="cuda", requires_grad=True)
weight = torch.randn(20, 30, device="cuda")
(SwiGLU.apply(a, b) * weight).sum().backward()
grads = a.grad.clone(), b.grad.clone()
a.grad = b.grad = None
(torch.nn.functional.silu(a) * b * weight).sum().backward()
torch.testing.assert_close(grads[0], a.grad)
torch.testing.assert_close(grads[1], b.grad)
print(grads[0][0, :4].tolist(), grads[1][0, :4].tolist())
