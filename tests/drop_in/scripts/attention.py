import math

import torch
import triton
import triton.language as tl


@triton.jit
def _inner(acc, l_i, m_i, q, K, V, start_m, seq, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):  # fmt: skip
    offs_m = start_m * BM + tl.arange(0, BM)
    offs_d = tl.arange(0, D)
    for start in range(0, seq, BN):
        offs_n = start + tl.arange(0, BN)
        k = tl.load(K + offs_n[None, :] * D + offs_d[:, None], mask=offs_n[None, :] < seq, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * scale
        keep = offs_n[None, :] < seq
        if CAUSAL:
            keep = keep & (offs_m[:, None] >= offs_n[None, :])
        qk = tl.where(keep, qk, -1e30)
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_new[:, None])
        alpha = tl.math.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(V + offs_n[:, None] * D + offs_d[None, :], mask=offs_n[:, None] < seq, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m_i = m_new
    return acc, l_i, m_i


@triton.autotune([triton.Config({"BM": 32, "BN": 16}, num_warps=4)], key=["seq", "D"])
@triton.jit
def attention_kernel(Q, K, V, Out, seq, scale, D: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):  # fmt: skip
    start_m, head = tl.program_id(0), tl.program_id(1)
    Q += head * seq * D
    K += head * seq * D
    V += head * seq * D
    Out += head * seq * D
    offs_m = start_m * BM + tl.arange(0, BM)
    at = offs_m[:, None] * D + tl.arange(0, D)[None, :]
    q = tl.load(Q + at, mask=offs_m[:, None] < seq, other=0.0)
    m_i = tl.zeros([BM], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    acc, l_i, m_i = _inner(acc, l_i, m_i, q, K, V, start_m, seq, scale * 1.44269504, CAUSAL, BM, BN, D)
    tl.store(Out + at, acc / l_i[:, None], mask=offs_m[:, None] < seq)


@torch.no_grad()
def attention(q, k, v, causal):
    *batch, seq, dim = q.shape
    out = torch.empty_like(q)
    grid = lambda args: (triton.cdiv(seq, args["BM"]), math.prod(batch), 1)
    attention_kernel[grid](q, k, v, out, seq, 1 / math.sqrt(dim), D=dim, CAUSAL=causal)
    return out


torch.manual_seed(9)
q, k, v = (torch.randn(1, 2, 45, 16, device="cuda") for _ in range(3))
for causal in (False, True):
    out = attention(q, k, v, causal)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    torch.testing.assert_close(out, expected, atol=1e-4, rtol=1e-4)
    print(causal, f"{out.abs().sum().item():.4f}")
