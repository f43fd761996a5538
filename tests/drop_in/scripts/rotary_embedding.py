import ctypes, functools
from contextlib import nullcontext
from typing import Optional, Tuple
import torch, triton, triton.language as tl
from packaging.version import Version
import triton.language as tl
MAX_FUSED_SIZE: int = 65536
next_power_of_2 = triton.next_power_of_2
if Version(torch.__version__) < Version("2.4.0"):
    torch_amp_custom_fwd = torch.cuda.amp.custom_fwd
else:
    torch_amp_custom_fwd = torch.amp.custom_fwd(device_type="cuda"); torch_amp_custom_bwd = torch.amp.custom_bwd(device_type="cuda")
if Version(triton.__version__) >= Version("3.0.0"):
    from triton.language.extra import libdevice
    triton_tanh = libdevice.tanh
    triton_cast = tl.cast
else:
    triton_tanh = tl.math.tanh
    @triton.jit
    def triton_cast(x, dtype): return x.to(dtype)
@functools.lru_cache(1)
def is_cdna(): return False
def calculate_settings(n: int) -> Tuple[int, int]:
    BLOCK_SIZE: int = next_power_of_2(n)
    num_warps: int = 4
    if BLOCK_SIZE >= 32768: num_warps = 32
    elif BLOCK_SIZE >= 8192: num_warps = 16
    elif BLOCK_SIZE >= 2048: num_warps = 8
    return BLOCK_SIZE, num_warps
DEVICE_COUNT = torch.cuda.device_count()
torch_gpu_device = torch.cuda.device if DEVICE_COUNT > 1 else (lambda *a: nullcontext())
_CUDA_STREAMS = {(index := torch.cuda.device(i).idx): ctypes.c_void_p(torch._C._cuda_getCurrentRawStream(index)) for i in range(DEVICE_COUNT)}
torch_mm, torch_mv = torch.mm, torch.mv
ROPE_GROUP_SIZE: int = 4
def _rope_embedding(Q, Q_row_stride: tl.constexpr, cos, cos_row_stride: tl.constexpr, sin, sin_row_stride: tl.constexpr, seqlen, head_dim: tl.constexpr, n_heads: tl.constexpr, BACKWARD_PASS: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    ROPE_GROUP_SIZE = 4
    row_position = tl.program_id(0)
    group_head_position = tl.program_id(1)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    half_head_dim = head_dim // 2
    mask = col_offsets < half_head_dim
    sin1 = tl.load(sin + (row_position % seqlen) * sin_row_stride + half_head_dim * 0 + col_offsets, mask=mask, other=0)
    cos1 = tl.load(cos + (row_position % seqlen) * cos_row_stride + half_head_dim * 0 + col_offsets, mask=mask, other=0)
    if BACKWARD_PASS:
        sin1 = -sin1
    head_start = group_head_position * ROPE_GROUP_SIZE
    head_end = min((head_start + ROPE_GROUP_SIZE), n_heads)
    for k in range(head_start, head_end):
        offs_q1 = row_position * Q_row_stride + k * head_dim + col_offsets
        offs_q2 = row_position * Q_row_stride + k * head_dim + col_offsets + half_head_dim
        Q1 = tl.load(Q + offs_q1, mask=mask, other=0).to(sin1.dtype)
        Q2 = tl.load(Q + offs_q2, mask=mask, other=0).to(sin1.dtype)
        tl.store(Q + offs_q1, Q1 * cos1 - Q2 * sin1, mask=mask)
        tl.store(Q + offs_q2, Q2 * cos1 + Q1 * sin1, mask=mask)
_rope_embedding = triton.jit(_rope_embedding)
_rope_embedding = triton.heuristics({"BACKWARD_PASS": lambda args: bool(args["BACKWARD_PASS"])})(_rope_embedding)

class Fast_RoPE_Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, Q, cos, sin):
        cos, sin = cos.squeeze(), sin.squeeze()
        batch, seq_len, n_heads, head_dim = Q.shape
        Q = Q.clone().view(batch * seq_len, n_heads * head_dim)
        n_rows, n_cols = Q.shape
        BLOCK_SIZE, num_warps = calculate_settings(head_dim // 2)
        div, mod = divmod(n_heads, ROPE_GROUP_SIZE); n_groups = div + (mod != 0)
        with torch_gpu_device(Q.device):
            _rope_embedding[(n_rows, n_groups,)](Q, Q.stride(0), cos, cos.stride(0), sin, sin.stride(0), seq_len, head_dim, n_heads, BACKWARD_PASS=False, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
        ctx.args = BLOCK_SIZE, num_warps, n_groups; ctx.cos, ctx.sin = cos, sin
        return Q.view(batch, seq_len, n_heads, head_dim)
    @staticmethod
    def backward(ctx, dY):
        batch, seq_len, n_heads, head_dim = dY.shape
        dY = dY.reshape(batch * seq_len, n_heads * head_dim).clone()
        B, w, g = ctx.args
        _rope_embedding[(dY.shape[0], g,)](dY, dY.stride(0), ctx.cos, ctx.cos.stride(0), ctx.sin, ctx.sin.stride(0), seq_len, head_dim, n_heads, BACKWARD_PASS=True, BLOCK_SIZE=B, num_warps=w)
        return dY.view(batch, seq_len, n_heads, head_dim), None, None
torch.manual_seed(0)
Q = torch.randn(2, 5, 6, 20, device="cuda:0", requires_grad=True)
t = torch.outer(torch.arange(5, device="cuda").float(), 10000 ** (-torch.arange(0, 20, 2, device="cuda").float() / 20)); emb = torch.cat([t, t], -1)
cos, sin = emb.cos(), emb.sin()
out = Fast_RoPE_Embedding.apply(Q, cos, sin)
rot = lambda x: torch.cat([-x[..., 10:], x[..., :10]], -1)
Q2 = Q.detach().clone().requires_grad_()
ref = Q2 * cos[None, :, None] + rot(Q2) * sin[None, :, None]
w = torch.randn_like(ref); (out * w).sum().backward(); (ref * w).sum().backward()
torch.testing.assert_close(out, ref); torch.testing.assert_close(Q.grad, Q2.grad)
print("rope", round(out.sum().item(), 3), round(Q.grad.abs().sum().item(), 3))

@triton.jit
def _approx_forward_kernel(e, g, h, n_elements, BLOCK_SIZE: tl.constexpr, LONG_INDEXING: tl.constexpr):
    block_idx = tl.program_id(0)
    if LONG_INDEXING:
        offsets = block_idx.to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE).to(tl.int64)
        n_elements = tl.cast(n_elements, tl.int64)
    else:
        offsets = block_idx * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    s = 0.7978845608028654
    e_row = tl.load(e + offsets, mask=mask, other=0).to(tl.float32)
    g_row = tl.load(g + offsets, mask=mask, other=0)
    f_row = 0.5 * e_row * (triton_tanh(s * e_row * (1.0 + 0.044715 * e_row * e_row)) + 1.0)
    f_row = triton_cast(f_row, g_row.dtype)
    tl.store(h + offsets, f_row * g_row, mask=mask)
for long in (0, 1):
    e = torch.randn(3, 333, device="cuda", dtype=torch.bfloat16); g = torch.randn_like(e); h = torch.empty_like(e)
    grid = lambda meta: (triton.cdiv(e.numel(), meta["BLOCK_SIZE"]),)
    _approx_forward_kernel[grid](e, g, h, e.numel(), BLOCK_SIZE=1024, LONG_INDEXING=long)
    torch.testing.assert_close(h, torch.nn.functional.gelu(e.float(), approximate="tanh").to(e.dtype) * g, atol=2e-2, rtol=2e-2)
print("geglu")
