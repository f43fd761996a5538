import torch, triton, triton.language as tl
from torch.library import Library, triton_op, wrap_triton, custom_op, register_autograd, register_fake
from torch import Tensor
@triton.jit
def k(x, o, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) * s, mask=i < n)
def scale(x, s):
    o = torch.empty_like(x); k[(triton.cdiv(x.numel(), 64),)](x, o, x.numel(), s, B=64); return o
x = torch.arange(100, device="cuda", dtype=torch.float32)
# 1. a library of its own
lib = Library("m1", "FRAGMENT")
lib.define("scale(Tensor x, float s) -> Tensor")
lib.impl("scale", lambda x, s: scale(x, s), dispatch_key="CUDA")
lib._register_fake("scale", lambda x, s: torch.empty_like(x))
print(torch.ops.m1.scale(x, 2.0).sum().item(), torch.ops.m1.scale(x, 2.0).device)
# 2. custom_op for a device
@custom_op("m2::scale", mutates_args=(), device_types="cuda")
def m2scale(x: Tensor, s: float) -> Tensor:
    return scale(x, s)
@m2scale.register_kernel("cpu")
def _(x, s): return x * s + 1
@m2scale.register_fake
def _(x, s): return torch.empty_like(x)
def bwd(ctx, g): return torch.ops.m2.scale(g.contiguous(), ctx.s), None
def setup(ctx, inputs, output): ctx.s = inputs[1]
m2scale.register_autograd(bwd, setup_context=setup)
y = x.clone().requires_grad_(); z = torch.ops.m2.scale(y, 3.0); z.sum().backward(); print(z.sum().item(), y.grad.sum().item(), z.device)
# 3. triton_op
@triton_op("m2::tscale", mutates_args={})
def tscale(x: Tensor, s: float) -> Tensor:
    o = torch.empty_like(x)
    wrap_triton(k)[(triton.cdiv(x.numel(), 64),)](x, o, x.numel(), s, B=64)
    return o
print(tscale(x, 4.0).sum().item(), torch.ops.m2.tscale(x, 4.0).device, torch.compile(tscale)(x, 0.5).sum().item())
# 4. in place
@custom_op("m2::inplace", mutates_args={"o"})
def inplace(x: Tensor, o: Tensor) -> None:
    k[(2,)](x, o, x.numel(), 5.0, B=64)
o = torch.empty_like(x); inplace(x, o); print(o.sum().item())
# 5. impl decorators of torch.library
torch.library.define("m3::f", "(Tensor x) -> Tensor")
@torch.library.impl("m3::f", "cuda")
def f(x): return scale(x, 6.0)
print(torch.ops.m3.f(x).sum().item())
@torch.library.impl("m3::f", "CPU")
def fc(x): return x - 1
print(torch.ops.m3.f(x).sum().item())
lib.define("both(Tensor x) -> Tensor")
lib.impl("both", lambda x: x * 2, "CompositeExplicitAutograd"); print(torch.ops.m1.both(x).sum().item())
# hooks and amp
class F(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx, x): ctx.save_for_backward(x); print(x.dtype, torch.is_autocast_enabled("cuda")); return scale(x, 2.0)
    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, g): print(g.dtype); return scale(g.contiguous(), 2.0)
with torch.autocast("cuda", dtype=torch.float16):
    h = x.half().requires_grad_(); F.apply(h).sum().backward(); print(h.grad.dtype)
torch.library.opcheck(m2scale, (x, 2.0), test_utils=("test_schema", "test_faketensor")); print("checked")
