"""A mixture of experts and paged attention, as serving engines write them."""
from __future__ import annotations
import functools, json, logging, os
from importlib.util import find_spec
from typing import Any, Optional
import torch
HAS_TRITON = find_spec("triton") is not None or find_spec("pytorch-triton-xpu") is not None
if HAS_TRITON:
    try:
        from triton.backends import backends
        active = [x.driver for x in backends.values() if x.driver and x.driver.is_active()]
        print("drivers", len(active) >= 0)
    except ImportError as e:
        HAS_TRITON = False
if HAS_TRITON:
    import triton
    import triton.language as tl
else:
    raise SystemExit("no triton")
logger = logging.getLogger(__name__)

@triton.jit
def write_zeros_to_output(c_ptr, stride_cm, stride_cn, pid_n, N, offs_token, token_mask, BLOCK_SIZE_M, BLOCK_SIZE_N, compute_type):
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=compute_type)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_token[:, None] + stride_cn * offs_cn[None, :]
    c_mask = token_mask[:, None] & (offs_cn[None, :] < N)
    tl.store(c_ptrs, accumulator, mask=c_mask)

@triton.jit
def fused_moe_kernel(
    a_ptr, b_ptr, c_ptr, b_bias_ptr, a_scale_ptr, topk_weights_ptr, sorted_token_ids_ptr, expert_ids_ptr, num_tokens_post_padded_ptr,
    N, K, EM, num_valid_tokens,
    stride_am, stride_ak, stride_be, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr,
    MUL_ROUTED_WEIGHT: tl.constexpr, top_k: tl.constexpr, compute_type: tl.constexpr, use_fp8_w8a8: tl.constexpr, HAS_BIAS: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(EM, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    num_tokens_post_padded = tl.load(num_tokens_post_padded_ptr)
    if pid_m * BLOCK_SIZE_M >= num_tokens_post_padded:
        return
    offs_token_id = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M).to(tl.int64)
    offs_token = tl.load(sorted_token_ids_ptr + offs_token_id)
    token_mask = offs_token < num_valid_tokens
    off_experts = tl.load(expert_ids_ptr + pid_m).to(tl.int64)
    if off_experts == -1:
        write_zeros_to_output(c_ptr, stride_cm, stride_cn, pid_n, N, offs_token, token_mask, BLOCK_SIZE_M, BLOCK_SIZE_N, compute_type)
        return
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N).to(tl.int64)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (offs_token[:, None] // top_k * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + off_experts * stride_be + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    if use_fp8_w8a8:
        a_scale = tl.load(a_scale_ptr)
    if HAS_BIAS:
        bias = tl.load(b_bias_ptr + off_experts * N + offs_bn, mask=(offs_bn < N), other=0.0)
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (offs_k[None, :] < K - k * BLOCK_SIZE_K), other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        if use_fp8_w8a8:
            accumulator = tl.dot(a, b, acc=accumulator)
        else:
            accumulator += tl.dot(a, b)
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk
    if HAS_BIAS:
        accumulator = accumulator + bias[None, :]
    if MUL_ROUTED_WEIGHT:
        moe_weight = tl.load(topk_weights_ptr + offs_token, mask=token_mask, other=0)
        accumulator = accumulator * moe_weight[:, None]
    accumulator = accumulator.to(compute_type)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_token[:, None] + stride_cn * offs_cn[None, :]
    c_mask = token_mask[:, None] & (offs_cn[None, :] < N)
    tl.store(c_ptrs, accumulator, mask=c_mask)

def moe_align(topk_ids, block, E):
    flat = topk_ids.flatten().tolist(); n = len(flat)
    ids, experts = [], []
    for e in range(E):
        mine = [i for i, x in enumerate(flat) if x == e]
        while len(mine) % block: mine.append(n)
        ids += mine; experts += [e] * (len(mine) // block)
    return (torch.tensor(ids, dtype=torch.int32, device="cuda"), torch.tensor(experts, dtype=torch.int32, device="cuda"), torch.tensor([len(ids)], dtype=torch.int32, device="cuda"))

@functools.lru_cache
def get_config(M: int) -> dict[str, Any]:
    name = torch.cuda.get_device_name().replace(" ", "_")
    logger.info("config of %s", name)
    return {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 3}

def invoke(A, B, bias, C, w, ids, topk):
    cfg = get_config(A.shape[0])
    sorted_ids, experts, padded = moe_align(ids, cfg["BLOCK_SIZE_M"], B.shape[0])
    EM = sorted_ids.shape[0]
    grid = lambda META: (triton.cdiv(EM, META["BLOCK_SIZE_M"]) * triton.cdiv(B.shape[1], META["BLOCK_SIZE_N"]),)
    fused_moe_kernel[grid](
        A, B, C, bias, None, w, sorted_ids, experts, padded, B.shape[1], A.shape[1], EM, ids.numel(),
        A.stride(0), A.stride(1), B.stride(0), B.stride(2), B.stride(1), C.stride(1), C.stride(2),
        MUL_ROUTED_WEIGHT=True, top_k=topk, compute_type=tl.float16, use_fp8_w8a8=False, HAS_BIAS=bias is not None, **cfg)

torch.manual_seed(0)
M, K, N, E, T = 9, 40, 48, 4, 2
A = torch.randn(M, K, device="cuda", dtype=torch.float16) / 4
B = torch.randn(E, N, K, device="cuda", dtype=torch.float16) / 4
score = torch.softmax(torch.randn(M, E, device="cuda"), -1)
w, ids = torch.topk(score, T)
for bias in (None, torch.randn(E, N, device="cuda", dtype=torch.float16)):
    C = torch.empty(M, T, N, device="cuda", dtype=torch.float16)
    invoke(A, B, bias, C, w, ids.to(torch.int32), T)
    ref = torch.stack([torch.stack([(A[m].float() @ B[e].float().T + (bias[e].float() if bias is not None else 0)) * w[m, j] for j, e in enumerate(ids[m].tolist())]) for m in range(M)])
    torch.testing.assert_close(C.float(), ref, atol=2e-2, rtol=2e-2)
print("moe", round(C.float().abs().mean().item(), 3))

@triton.jit
def kernel_paged(out_ptr, q_ptr, k_cache, v_cache, block_tables, seq_lens, scale, stride_bt: tl.int64, num_heads: tl.constexpr, HEAD: tl.constexpr, BLOCK: tl.constexpr, USE_SINKS: tl.constexpr = False):
    seq = tl.program_id(0); head = tl.program_id(1)
    d = tl.arange(0, HEAD)
    q = tl.load(q_ptr + (seq * num_heads + head) * HEAD + d).to(tl.float32)
    n = tl.load(seq_lens + seq)
    m = float("-inf"); l = 1.0 if USE_SINKS else 0.0
    acc = tl.zeros([HEAD], dtype=tl.float32)
    for j in range(0, tl.cdiv(n, BLOCK)):
        blk = tl.load(block_tables + seq * stride_bt + j).to(tl.int64)
        t = j * BLOCK + tl.arange(0, BLOCK)
        base = blk * BLOCK * num_heads * HEAD + tl.arange(0, BLOCK)[:, None] * num_heads * HEAD + head * HEAD + d[None, :]
        k = tl.load(k_cache + base, mask=(t < n)[:, None], other=0.0).to(tl.float32)
        v = tl.load(v_cache + base, mask=(t < n)[:, None], other=0.0).to(tl.float32)
        s = tl.sum(k * q[None, :], axis=1) * scale
        s = tl.where(t < n, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, axis=0))
        p = tl.exp(s - m_new); alpha = tl.exp(m - m_new)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        l = l * alpha + tl.sum(p, axis=0); m = m_new
    tl.store(out_ptr + (seq * num_heads + head) * HEAD + d, acc / l)

S, H, D, BL, NB = 3, 2, 16, 16, 12
q = torch.randn(S, H, D, device="cuda"); kc = torch.randn(NB, BL, H, D, device="cuda"); vc = torch.randn(NB, BL, H, D, device="cuda")
bt = torch.randperm(NB, device="cuda", dtype=torch.int32).view(S, 4); lens = torch.tensor([5, 40, 64], dtype=torch.int32, device="cuda")
out = torch.empty_like(q)
kernel_paged[(S, H)](out, q, kc, vc, bt, lens, D**-0.5, bt.stride(0), H, D, BL)
for s in range(S):
    k = kc[bt[s].long()].reshape(-1, H, D)[: lens[s]]; v = vc[bt[s].long()].reshape(-1, H, D)[: lens[s]]
    ref = torch.einsum("th,thd->hd", torch.softmax(torch.einsum("hd,thd->th", q[s], k) * D**-0.5, 0), v)
    torch.testing.assert_close(out[s], ref, atol=1e-4, rtol=1e-4)
print("paged", round(out.abs().sum().item(), 2))
