import contextlib, functools, inspect, os, warnings
import torch, triton, triton.language as tl
import triton.language.extra.libdevice as tldevice
from packaging import version
SUPPORTS_AUTOTUNE_CACHE = "cache_results" in inspect.signature(triton.autotune).parameters
CACHE_RESULTS = os.getenv("CACHE_RESULTS", "1") == "1"
autotune_cache_kwargs = {"cache_results": CACHE_RESULTS} if SUPPORTS_AUTOTUNE_CACHE else {}
@functools.cache
def get_available_device() -> str:
    try:
        return triton.runtime.driver.active.get_current_target().backend
    except BaseException:
        return "cpu"
device = get_available_device(); device = "cuda" if device in ("cuda", "hip") else device
device_torch_lib = getattr(torch, device)
@functools.cache
def get_all_max_shared_mem():
    try:
        return [triton.runtime.driver.active.utils.get_device_properties(i)["max_shared_mem"] for i in range(device_torch_lib.device_count())]
    except BaseException:
        return [-1]
@functools.cache
def check_shared_mem(arch="none", tensor_idx=0):
    return get_all_max_shared_mem()[tensor_idx] >= {"ada": 101376, "ampere": 166912, "none": 102400}[arch]
BS_LIST = [32, 64] if check_shared_mem() else [16, 32]
is_nvidia_hopper = "NVIDIA H" in torch.cuda.get_device_name(0) or torch.cuda.get_device_capability()[0] >= 9
NUM_WARPS = [2, 4] if is_nvidia_hopper else [2, 4, 8]
if os.environ.get("USE_FAST_OPS", "0") == "1":
    exp, exp2, log = tldevice.fast_expf, tldevice.exp2, tldevice.fast_logf
else:
    exp, exp2, log = tl.exp, tl.math.exp2, tl.log
@triton.jit
def safe_exp(x):
    return exp(tl.where(x <= 0, x, float("-inf")))
if not hasattr(tl, "gather"):
    @triton.jit
    def gather(src, index, axis, _builder=None): return None
else:
    gather = tl.gather
if hasattr(triton.language, "_experimental_make_tensor_descriptor"):
    make_tensor_descriptor = triton.language._experimental_make_tensor_descriptor
elif hasattr(triton.language, "make_tensor_descriptor"):
    make_tensor_descriptor = triton.language.make_tensor_descriptor
else:
    make_tensor_descriptor = None
def input_guard(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        a = (i if not isinstance(i, torch.Tensor) else i.contiguous() for i in args)
        tensor = next((x for x in args if isinstance(x, torch.Tensor)), None)
        ctx = device_torch_lib.device(tensor.device.index) if tensor is not None else contextlib.nullcontext()
        with ctx:
            return fn(*a, **kwargs)
    return wrapper

@triton.heuristics({"HAS_SCALE": lambda args: args["scale"] is not None, "IS_VARLEN": lambda args: args["cu_seqlens"] is not None})
@triton.autotune(configs=[triton.Config({"BS": BS}, num_warps=num_warps) for BS in BS_LIST for num_warps in NUM_WARPS], key=["B", "H", "S", "BT", "IS_VARLEN", "REVERSE"], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=["T"])
def chunk_local_cumsum_vector_kernel(s, o, scale, cu_seqlens, chunk_indices, T, B: tl.constexpr, H: tl.constexpr, S: tl.constexpr, BT: tl.constexpr, BS: tl.constexpr, REVERSE: tl.constexpr, HAS_SCALE: tl.constexpr, IS_VARLEN: tl.constexpr, HEAD_FIRST: tl.constexpr):
    i_s, i_t, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i_b, i_h = i_bh // H, i_bh % H
    if IS_VARLEN:
        i_n, i_t = tl.load(chunk_indices + i_t * 2).to(tl.int32), tl.load(chunk_indices + i_t * 2 + 1).to(tl.int32)
        bos, eos = tl.load(cu_seqlens + i_n).to(tl.int32), tl.load(cu_seqlens + i_n + 1).to(tl.int32)
        T = eos - bos
    else:
        bos, eos = i_b * T, i_b * T + T
    o_i = tl.arange(0, BT)
    if REVERSE:
        m_s = tl.where(o_i[:, None] <= o_i[None, :], 1., 0.)
    else:
        m_s = tl.where(o_i[:, None] >= o_i[None, :], 1., 0.)
    if HEAD_FIRST:
        p_s = tl.make_tensor_descriptor(s, [T, S], [S, 1], [BT, BS])
    o_t = i_t * BT + o_i; o_s = i_s * BS + tl.arange(0, BS)
    m = (o_t < T)[:, None] & (o_s < S)[None, :]
    off = (bos * H + i_h) * S + o_t[:, None] * H * S + o_s[None, :]
    b_s = tl.load(s + off, mask=m, other=0).to(tl.float32)
    b_o = tl.dot(m_s, b_s, allow_tf32=False)
    if HAS_SCALE:
        b_o *= scale
    tl.store(o + off, b_o.to(o.dtype.element_ty, fp_downcast_rounding="rtne"), mask=m)

@input_guard
def cumsum(g, BT, reverse=False, scale=None, cu_seqlens=None):
    B, T, H, S = g.shape
    idx = None
    NT = triton.cdiv(T, BT)
    if cu_seqlens is not None:
        pairs = [(n, c) for n in range(len(cu_seqlens) - 1) for c in range(triton.cdiv(int(cu_seqlens[n + 1] - cu_seqlens[n]), BT))]
        idx = torch.tensor(pairs, device=g.device, dtype=torch.int32); NT = len(pairs)
    out = torch.empty_like(g, dtype=torch.float)
    def grid(meta): return (triton.cdiv(meta["S"], meta["BS"]), NT, B * H)
    chunk_local_cumsum_vector_kernel[grid](s=g, o=out, scale=scale, cu_seqlens=cu_seqlens, chunk_indices=idx, T=T, B=B, H=H, S=S, BT=BT, REVERSE=reverse, HEAD_FIRST=False)
    return out
torch.manual_seed(0)
g = torch.randn(2, 50, 2, 20, device=device)
for rev in (False, True):
    o = cumsum(g, 16, rev, 0.5)
    parts = [p.flip(1).cumsum(1).flip(1) if rev else p.cumsum(1) for p in g.split(16, 1)]
    torch.testing.assert_close(o, torch.cat(parts, 1) * 0.5, atol=1e-4, rtol=1e-4)
    print(round(o.abs().mean().item(), 4))
cu = torch.tensor([0, 7, 30, 50], device=device)
o = cumsum(g[:1], 16, cu_seqlens=cu)
ref = torch.cat([torch.cat([p.cumsum(1) for p in g[:1, a:b].split(16, 1)], 1) for a, b in zip(cu[:-1].tolist(), cu[1:].tolist())], 1)
torch.testing.assert_close(o, ref, atol=1e-4, rtol=1e-4)
print(round(o.abs().mean().item(), 4), len(chunk_local_cumsum_vector_kernel.fn.cache))
