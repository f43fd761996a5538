"""Attention without the matrix of scores in memory, causal and not, forward and backward.

    python examples/fused_attention.py

The forward pass keeps of each query the logarithm, to base 2, of the sum of its exponentials, from which the backward
pass computes the probabilities again.
"""

from __future__ import annotations

import math

import numpy as np

import mytriton as triton
import mytriton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def attend(
    acc,
    total,
    highest,
    q,
    k_ptr,
    v_ptr,
    start,
    stop,
    rows,
    n_context,
    scale,
    HEAD: tl.constexpr,
    BLOCK_N: tl.constexpr,
    MASKED: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    # One pass over the keys from `start` to `stop`, with the sums kept relative to the highest score so far.
    heads = tl.arange(0, HEAD)
    for first in range(start, stop, BLOCK_N):
        columns = first + tl.arange(0, BLOCK_N)
        if MASKED:
            inside = columns[:, None] < n_context
            k = tl.load(k_ptr + columns[:, None] * HEAD + heads[None, :], mask=inside, other=0.0)
            v = tl.load(v_ptr + columns[:, None] * HEAD + heads[None, :], mask=inside, other=0.0)
        else:
            k = tl.load(k_ptr + columns[:, None] * HEAD + heads[None, :])
            v = tl.load(v_ptr + columns[:, None] * HEAD + heads[None, :])
        scores = tl.dot(q, tl.trans(k)) * scale
        if MASKED:
            seen = columns[None, :] < n_context
            if CAUSAL:
                seen = seen & (columns[None, :] <= rows[:, None])
            scores = tl.where(seen, scores, -1.0e6)
        new_highest = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp2(scores - new_highest[:, None])
        shrink = tl.exp2(highest - new_highest)
        total = total * shrink + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        highest = new_highest
    return acc, total, highest


@triton.jit
def attention_forward_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    lse_ptr,
    n_context,
    sm_scale,
    HEAD: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    pid_m = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * n_context
    heads = tl.arange(0, HEAD)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = rows[:, None] < n_context
    at = (head + rows)[:, None] * HEAD + heads[None, :]
    q = tl.load(q_ptr + at, mask=inside, other=0.0)
    k_ptr += head * HEAD
    v_ptr += head * HEAD

    acc = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    highest = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    scale = sm_scale * LOG2_E
    # Blocks of keys that every query of this program sees need no mask; the rest, at the end, do.
    if CAUSAL:
        whole = pid_m * BLOCK_M // BLOCK_N * BLOCK_N
        stop = tl.minimum((pid_m + 1) * BLOCK_M, n_context)
    else:
        whole = n_context // BLOCK_N * BLOCK_N
        stop = n_context
    acc, total, highest = attend(
        acc, total, highest, q, k_ptr, v_ptr, 0, whole, rows, n_context, scale, HEAD, BLOCK_N, False, CAUSAL
    )
    acc, total, highest = attend(
        acc, total, highest, q, k_ptr, v_ptr, whole, stop, rows, n_context, scale, HEAD, BLOCK_N, True, CAUSAL
    )
    out = acc / total[:, None]
    tl.store(lse_ptr + head + rows, highest + tl.log2(total), mask=rows < n_context)
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def attention_backward_delta_kernel(out_ptr, dout_ptr, delta_ptr, n_rows, HEAD: tl.constexpr, BLOCK_M: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = rows[:, None] * HEAD + tl.arange(0, HEAD)[None, :]
    mask = rows[:, None] < n_rows
    out = tl.load(out_ptr + at, mask=mask, other=0.0).to(tl.float32)
    dout = tl.load(dout_ptr + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(out * dout, axis=1), mask=rows < n_rows)


@triton.jit
def attention_backward_kv_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    dout_ptr,
    lse_ptr,
    delta_ptr,
    dk_ptr,
    dv_ptr,
    n_context,
    sm_scale,
    HEAD: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    # One program for a block of keys, over all queries that see one of them. Scores are transposed: [keys, queries].
    head = tl.program_id(1).to(tl.int64) * n_context
    heads = tl.arange(0, HEAD)
    keys = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    of_keys = (head + keys)[:, None] * HEAD + heads[None, :]
    inside = keys[:, None] < n_context
    k = tl.load(k_ptr + of_keys, mask=inside, other=0.0)
    v = tl.load(v_ptr + of_keys, mask=inside, other=0.0)
    dk = tl.zeros([BLOCK_N, HEAD], dtype=tl.float32)
    dv = tl.zeros([BLOCK_N, HEAD], dtype=tl.float32)
    start = 0
    if CAUSAL:
        start = tl.program_id(0) * BLOCK_N // BLOCK_M * BLOCK_M
    for first in range(start, n_context, BLOCK_M):
        rows = first + tl.arange(0, BLOCK_M)
        present = rows < n_context
        of_rows = (head + rows)[:, None] * HEAD + heads[None, :]
        q = tl.load(q_ptr + of_rows, mask=present[:, None], other=0.0)
        dout = tl.load(dout_ptr + of_rows, mask=present[:, None], other=0.0)
        lse = tl.load(lse_ptr + head + rows, mask=present, other=0.0)
        delta = tl.load(delta_ptr + head + rows, mask=present, other=0.0)
        p = tl.exp2(tl.dot(k, tl.trans(q)) * (sm_scale * LOG2_E) - lse[None, :])
        seen = present[None, :]
        if CAUSAL:
            seen = seen & (keys[:, None] <= rows[None, :])
        p = tl.where(seen, p, 0.0)
        dv = tl.dot(p.to(dout.dtype), dout, dv)
        dp = tl.dot(v, tl.trans(dout))
        dscores = p * (dp - delta[None, :])
        dk = tl.dot(dscores.to(q.dtype), q, dk)
    tl.store(dk_ptr + of_keys, (dk * sm_scale).to(dk_ptr.dtype.element_ty), mask=inside)
    tl.store(dv_ptr + of_keys, dv.to(dv_ptr.dtype.element_ty), mask=inside)


@triton.jit
def attention_backward_q_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    dout_ptr,
    lse_ptr,
    delta_ptr,
    dq_ptr,
    n_context,
    sm_scale,
    HEAD: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    # One program for a block of queries, over all keys that one of them sees.
    head = tl.program_id(1).to(tl.int64) * n_context
    heads = tl.arange(0, HEAD)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    of_rows = (head + rows)[:, None] * HEAD + heads[None, :]
    inside = rows[:, None] < n_context
    q = tl.load(q_ptr + of_rows, mask=inside, other=0.0)
    dout = tl.load(dout_ptr + of_rows, mask=inside, other=0.0)
    lse = tl.load(lse_ptr + head + rows, mask=rows < n_context, other=0.0)
    delta = tl.load(delta_ptr + head + rows, mask=rows < n_context, other=0.0)
    dq = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
    stop = n_context
    if CAUSAL:
        stop = tl.minimum((tl.program_id(0) + 1) * BLOCK_M, n_context)
    for first in range(0, stop, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        of_keys = (head + keys)[:, None] * HEAD + heads[None, :]
        k = tl.load(k_ptr + of_keys, mask=keys[:, None] < n_context, other=0.0)
        v = tl.load(v_ptr + of_keys, mask=keys[:, None] < n_context, other=0.0)
        p = tl.exp2(tl.dot(q, tl.trans(k)) * (sm_scale * LOG2_E) - lse[:, None])
        seen = keys[None, :] < n_context
        if CAUSAL:
            seen = seen & (keys[None, :] <= rows[:, None])
        p = tl.where(seen, p, 0.0)
        dp = tl.dot(dout, tl.trans(v))
        dscores = p * (dp - delta[:, None])
        dq = tl.dot(dscores.to(k.dtype), k, dq)
    tl.store(dq_ptr + of_rows, (dq * sm_scale).to(dq_ptr.dtype.element_ty), mask=inside)


def forward(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool, block_m: int = 32, block_n: int = 32
) -> tuple[np.ndarray, np.ndarray]:
    """softmax(q k^T / sqrt(head)) v for q, k and v [batch, heads, context, head], and the logarithms of the sums."""
    batch, heads, context, head = q.shape
    out, lse = np.empty_like(q), np.empty(q.shape[:3], np.float32)
    attention_forward_kernel[(triton.cdiv(context, block_m), batch * heads)](
        q,
        k,
        v,
        out,
        lse,
        context,
        head**-0.5,
        HEAD=head,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        CAUSAL=causal,
    )
    return out, lse


def backward(
    dout: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, out: np.ndarray, lse: np.ndarray, causal: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of q, k and v, from that of the result."""
    batch, heads, context, head = q.shape
    delta = np.empty_like(lse)
    dq, dk, dv = np.empty_like(q), np.empty_like(k), np.empty_like(v)
    attention_backward_delta_kernel[(triton.cdiv(lse.size, 32),)](out, dout, delta, lse.size, HEAD=head, BLOCK_M=32)
    grid = (triton.cdiv(context, 32), batch * heads)
    arrays = (q, k, v, dout, lse, delta)
    meta = {"HEAD": head, "BLOCK_M": 32, "BLOCK_N": 32, "CAUSAL": causal}
    attention_backward_kv_kernel[grid](*arrays, dk, dv, context, head**-0.5, **meta)
    attention_backward_q_kernel[grid](*arrays, dq, context, head**-0.5, **meta)
    return dq, dk, dv


def reference(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, dout: np.ndarray, causal: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What attention is, and its gradients, in float64."""
    q, k, v, dout = (x.astype(np.float64) for x in (q, k, v, dout))
    scale = 1 / math.sqrt(q.shape[-1])
    scores = q @ k.swapaxes(2, 3) * scale
    if causal:
        scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    out = p @ v
    dscores = p * (dout @ v.swapaxes(2, 3) - (dout * out).sum(axis=-1, keepdims=True)) * scale
    return out, dscores @ k, dscores.swapaxes(2, 3) @ q, p.swapaxes(2, 3) @ dout


def main(batch: int = 1, heads: int = 2, context: int = 85, head: int = 16) -> float:
    """The largest difference from NumPy, over the result and the three gradients, causal and not."""
    rng = np.random.default_rng(0)
    q, k, v, dout = (rng.standard_normal((batch, heads, context, head), dtype=np.float32) for _ in range(4))
    worst = 0.0
    for causal in (False, True):
        out, lse = forward(q, k, v, causal)
        results = (out, *backward(dout, q, k, v, out, lse, causal))
        wanted = reference(q, k, v, dout, causal)
        for name, result, expected in zip(("result", "dq", "dk", "dv"), results, wanted, strict=True):
            difference = float(np.abs(result - expected).max())
            kind = "causal attention" if causal else "attention"
            print(f"{kind} of {context} queries, {name}: the largest difference is {difference:.2e}")
            worst = max(worst, difference)
    return worst


if __name__ == "__main__":
    main()
