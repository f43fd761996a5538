import functools, importlib, operator
from typing import Callable, Optional
import torch, torch.nn as nn
import triton
import triton.language as tl
from packaging.version import Version

def is_hip() -> bool: return torch.version.hip is not None
def infer_device():
    if torch.cuda.is_available(): return "cuda"
    if hasattr(torch, "xpu") and torch.xpu.is_available(): return "xpu"
    return "cpu"
def compare_version(package: str, op: Callable, target: str):
    try:
        pkg = importlib.import_module(package)
    except ImportError:
        return False
    return op(Version(pkg.__version__), Version(target))
def get_amp_custom_fwd_bwd():
    device = infer_device()
    if compare_version("torch", operator.ge, "2.4.0"):
        return functools.partial(torch.amp.custom_fwd, device_type=device), functools.partial(torch.amp.custom_bwd, device_type=device)
    return torch.cuda.amp.custom_fwd, torch.cuda.amp.custom_bwd
amp_custom_fwd, amp_custom_bwd = get_amp_custom_fwd_bwd()
torch_to_triton_dtype = {torch.float32: tl.float32, torch.float16: tl.float16, torch.bfloat16: tl.bfloat16}
if compare_version("triton", operator.ge, "3.0.0"):
    try:
        from triton.language.extra.libdevice import rsqrt, tanh
    except ModuleNotFoundError:
        from triton.language.extra.cuda.libdevice import rsqrt, tanh
else:
    from triton.language.math import rsqrt, tanh
def calculate_settings(n):
    MAX_FUSED_SIZE = 65536
    BLOCK_SIZE = triton.next_power_of_2(n)
    if BLOCK_SIZE > MAX_FUSED_SIZE: raise RuntimeError("too big")
    num_warps = 4
    if BLOCK_SIZE >= 32768: num_warps = 32 if not is_hip() else 16
    elif BLOCK_SIZE >= 8192: num_warps = 16
    elif BLOCK_SIZE >= 2048: num_warps = 8
    return BLOCK_SIZE, num_warps
def ensure_contiguous(fn):
    @functools.wraps(fn)
    def wrapper(ctx, *args, **kwargs):
        f = lambda x: x.contiguous() if isinstance(x, torch.Tensor) else x
        return fn(ctx, *map(f, args), **{k: f(v) for k, v in kwargs.items()})
    return wrapper
_CASTING_MODE_NONE: tl.constexpr = tl.constexpr(-1)
_CASTING_MODE_LLAMA: tl.constexpr = tl.constexpr(0)
_CASTING_MODE_GEMMA: tl.constexpr = tl.constexpr(1)

@triton.jit
def _rms_norm_forward_kernel(Y_ptr, Y_row_stride, X_ptr, X_row_stride, W_ptr, W_row_stride, RSTD_ptr, RSTD_row_stride, n_cols, eps, offset, casting_mode: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0).to(tl.int64)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    Y_ptr += row_idx * Y_row_stride
    X_ptr += row_idx * X_row_stride
    RSTD_ptr += row_idx * RSTD_row_stride
    X_row = tl.load(X_ptr + col_offsets, mask=mask, other=0)
    X_row_dtype = X_row.dtype
    W_row = tl.load(W_ptr + col_offsets, mask=mask, other=0)
    if casting_mode == _CASTING_MODE_LLAMA:
        X_row = X_row.to(tl.float32)
    if casting_mode == _CASTING_MODE_GEMMA:
        W_row = W_row.to(tl.float32)
        X_row = X_row.to(tl.float32)
    if casting_mode == _CASTING_MODE_NONE:
        eps = eps.to(X_row_dtype)
        offset = offset.to(X_row_dtype)
    mean_square = tl.sum(X_row * X_row, axis=0) / n_cols
    rstd = rsqrt(mean_square + eps)
    tl.store(RSTD_ptr, rstd)
    X_row = X_row * rstd
    if casting_mode == _CASTING_MODE_LLAMA:
        X_row = X_row.to(X_row_dtype)
    Y_row = X_row * (offset + W_row)
    if casting_mode == _CASTING_MODE_GEMMA:
        Y_row = Y_row.to(X_row_dtype)
    tl.store(Y_ptr + col_offsets, Y_row, mask=mask)

@triton.jit
def cross_entropy_kernel(X_ptr, X_stride, Y_ptr, Y_stride, weight_ptr, loss_ptr, z_loss_ptr, loss_stride, n_cols, n_non_ignore, sum_non_ignore_weight, ignore_index, lse_square_scale: tl.constexpr, label_smoothing: tl.constexpr, reduction: tl.constexpr, softcap, RETURN_Z_LOSS: tl.constexpr, BLOCK_SIZE: tl.constexpr, HAS_WEIGHT: tl.constexpr, HAS_SOFTCAPPING: tl.constexpr, HAS_GRADIENTS: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    Y_ptr += program_id * Y_stride
    y = tl.load(Y_ptr)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + X_offsets, 0.0, mask=X_offsets < n_cols)
        return
    loss_ptr += program_id * loss_stride
    if RETURN_Z_LOSS:
        z_loss_ptr += program_id * loss_stride
    if HAS_WEIGHT:
        weight_y = tl.load(weight_ptr + y).cast(tl.float32)
    m = float("-inf")
    d = 0.0
    ori_X_y = tl.load(X_ptr + y).cast(tl.float32)
    if HAS_SOFTCAPPING:
        ori_X_y = softcap * tanh(ori_X_y / softcap)
    scaled_x_sum = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).cast(tl.float32)
        if HAS_SOFTCAPPING:
            X_block = softcap * tanh(X_block / softcap)
        block_max = tl.max(X_block)
        if label_smoothing > 0:
            scaled_x_sum += tl.sum(tl.where(X_offsets < n_cols, -eps * X_block, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(X_block - m_new))
        m = m_new
    lse = m + tl.log(d)
    if HAS_GRADIENTS:
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).cast(tl.float32)
            if HAS_SOFTCAPPING:
                intermediate = tanh(X_block / softcap)
                X_block = softcap * intermediate
            X_block = tl.exp(X_block - m) / d
            X_block += 2 * lse_square_scale * lse * X_block
            X_block += -eps
            X_block = tl.where(X_offsets != y, X_block, X_block - (1 - label_smoothing))
            if reduction == "mean":
                X_block = X_block / n_non_ignore
            if HAS_SOFTCAPPING:
                X_block = X_block * (1 - intermediate * intermediate)
            tl.store(X_ptr + X_offsets, X_block, mask=X_offsets < n_cols)
    tl.debug_barrier()
    loss = lse - ori_X_y
    if label_smoothing > 0:
        smooth_loss = scaled_x_sum + label_smoothing * lse
        loss = loss * (1 - label_smoothing) + smooth_loss
    z_loss = lse_square_scale * lse * lse
    if reduction == "mean":
        loss = loss / n_non_ignore
        z_loss = z_loss / n_non_ignore
    loss += z_loss
    tl.store(loss_ptr, loss)
    if RETURN_Z_LOSS:
        tl.store(z_loss_ptr, z_loss)

class CE(torch.autograd.Function):
    @staticmethod
    @amp_custom_fwd()
    @ensure_contiguous
    def forward(ctx, x, y, smoothing, softcap):
        g = x.detach().clone(); BT, V = x.shape
        loss = torch.zeros(BT, dtype=x.dtype, device=x.device)
        n = (y != -100).sum().item()
        B, w = calculate_settings(V)
        cross_entropy_kernel[(BT,)](X_ptr=g, X_stride=g.stride(-2), Y_ptr=y, Y_stride=y.stride(-1), weight_ptr=None, loss_ptr=loss, z_loss_ptr=None, loss_stride=loss.stride(-1), n_cols=V, n_non_ignore=n, sum_non_ignore_weight=n, ignore_index=-100, lse_square_scale=0.0, label_smoothing=smoothing, reduction="mean", softcap=softcap, RETURN_Z_LOSS=False, BLOCK_SIZE=min(B, 32), HAS_WEIGHT=False, HAS_SOFTCAPPING=softcap is not None, HAS_GRADIENTS=x.requires_grad or True, num_warps=32 if not is_hip() else 16)
        ctx.save_for_backward(g)
        return loss.sum()
    @staticmethod
    @amp_custom_bwd()
    @ensure_contiguous
    def backward(ctx, go):
        (g,) = ctx.saved_tensors
        return g * go, None, None, None
torch.manual_seed(1)
dev = infer_device()
for smoothing, cap in ((0.0, None), (0.1, None), (0.0, 3.0)):
    x = torch.randn(7, 96, device=dev, requires_grad=True); y = torch.randint(0, 96, (7,), device=dev); y[2] = -100
    loss = CE.apply(x, y, smoothing, cap); loss.backward()
    x2 = x.detach().clone().requires_grad_(); z = cap * torch.tanh(x2 / cap) if cap else x2
    ref = torch.nn.functional.cross_entropy(z, y, label_smoothing=smoothing); ref.backward()
    torch.testing.assert_close(loss, ref, atol=1e-4, rtol=1e-4); torch.testing.assert_close(x.grad, x2.grad, atol=1e-5, rtol=1e-4)
    print("ce", round(loss.item(), 4))
for mode in (0, 1, -1):
    X = torch.randn(5, 100, device=dev, dtype=torch.float16); W = torch.randn(100, device=dev, dtype=torch.float16); Y = torch.empty_like(X); R = torch.empty(5, device=dev, dtype=torch.float32)
    B, nw = calculate_settings(100)
    _rms_norm_forward_kernel[(5,)](Y, Y.stride(0), X, X.stride(0), W, W.stride(0), R, R.stride(0), 100, 1e-5, 1.0, mode, BLOCK_SIZE=B, num_warps=nw)
    ref = X.float() * torch.rsqrt(X.float().pow(2).mean(-1, keepdim=True) + 1e-5) * (1 + W.float())
    torch.testing.assert_close(Y.float(), ref, atol=3e-2, rtol=3e-2)
print("rms", str(R.dtype))
