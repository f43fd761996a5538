"""Sampling, quantization, scans, atomics, grouped pointers, random numbers."""
import torch, triton, triton.language as tl, math
torch.manual_seed(3); dev = torch.device("cuda", torch.cuda.current_device())
@triton.jit
def topk_topp(logits, out, V, k, p, BLOCK: tl.constexpr):
    row = tl.program_id(0); c = tl.arange(0, BLOCK)
    x = tl.load(logits + row * V + c, mask=c < V, other=-float("inf"))
    s = tl.sort(x, descending=True)
    kth = tl.max(tl.where(c == k - 1, s, -float("inf")))
    m = tl.max(s); e = tl.exp(s - m); cum = tl.cumsum(e / tl.sum(e), 0)
    keep = (cum - e / tl.sum(e)) < p
    thr = tl.min(tl.where(keep, s, float("inf")))
    tl.store(out + row * V + c, tl.where((x >= kth) & (x >= thr), x, -float("inf")), mask=c < V)
x = torch.randn(4, 50, device=dev); o = torch.empty_like(x); topk_topp[(4,)](x, o, 50, 10, 0.9, 64); print((o > -1e30).sum(1).tolist())
@triton.jit
def int4_dequant(q, s, o, K, N, G: tl.constexpr, BK: tl.constexpr, BN: tl.constexpr):
    k = tl.program_id(0) * BK + tl.arange(0, BK); n = tl.arange(0, BN)
    w = tl.load(q + (k[:, None] // 8) * N + n[None, :])
    shift = (k % 8) * 4
    v = ((w >> shift[:, None]) & 0xF) - 8
    sc = tl.load(s + (k[:, None] // G) * N + n[None, :])
    tl.store(o + k[:, None] * N + n[None, :], v.to(tl.float16) * sc)
q = torch.randint(-2**31, 2**31 - 1, (4, 16), device=dev, dtype=torch.int32); s = torch.rand(2, 16, device=dev, dtype=torch.float16); o = torch.empty(32, 16, device=dev, dtype=torch.float16)
int4_dequant[(2,)](q, s, o, 32, 16, G=16, BK=16, BN=16); print(round(o.float().sum().item(), 2))
@triton.jit
def combine(a1, b1, a2, b2): return a1 * a2, a2 * b1 + b2
@triton.jit
def selective(a, b, o, L: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, L)[:, None] * D + tl.arange(0, D)[None, :]
    _, h = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, combine)
    tl.store(o + i, h)
a = torch.rand(16, 8, device=dev); b = torch.randn(16, 8, device=dev); o = torch.empty_like(a); selective[(1,)](a, b, o, 16, 8)
h = torch.zeros(8, device=dev); 
for t in range(16): h = a[t] * h + b[t]
print(torch.allclose(o[-1], h, atol=1e-5), round(o.sum().item(), 4))
@triton.jit
def grouped(ptrs, sizes, o, n, B: tl.constexpr):
    g = tl.program_id(0)
    p = tl.load(ptrs + g).to(tl.pointer_type(tl.float16)); k = tl.load(sizes + g)
    i = tl.arange(0, B)
    v = tl.load(p + i, mask=i < k, other=0.0)
    tl.store(o + g, tl.sum(v.to(tl.float32)))
ts = [torch.ones(k, device=dev, dtype=torch.float16) * k for k in (3, 10, 16)]
print("ptr", len({t.data_ptr() for t in ts}))
@triton.jit
def locked(x, lock, count, acc, B: tl.constexpr):
    i = tl.arange(0, B); v = tl.load(x + tl.program_id(0) * B + i)
    while tl.atomic_cas(lock, 0, 1) == 1: pass
    c = tl.load(count)
    if c == 0: tl.atomic_xchg(count, 1)
    else: v += tl.load(acc + i)
    tl.store(acc + i, v)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
x = torch.randn(6, 32, device=dev); acc = torch.empty(32, device=dev); locks = torch.zeros(2, dtype=torch.int32, device=dev); locked[(6,)](x, locks, locks[1:], acc, 32); print(torch.allclose(acc, x.sum(0), atol=1e-5))
@triton.jit
def rnd(o, seed, p, B: tl.constexpr):
    i = tl.arange(0, B); r = tl.rand(seed, i)
    tl.store(o + i, tl.where(r > p, 1 / (1 - p), 0.0)); tl.store(o + B + i, tl.randn(seed, i)); tl.store(o + 2 * B + i, tl.randint(seed, i).to(tl.float32))
o = torch.empty(3 * 64, device=dev); rnd[(1,)](o, 123, 0.3, 64); print([round(v, 3) for v in (o[:64].sum().item(), o[64:128].sum().item())], o[128].item())
@triton.jit
def hist(x, o, n, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, B); tl.store(o + tl.arange(0, BINS), tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS))
x = torch.randint(0, 16, (128,), device=dev, dtype=torch.int32); o = torch.empty(16, device=dev, dtype=torch.int32); hist[(1,)](x, o, 128, 128, 16); print(torch.equal(o.long(), torch.bincount(x.long(), minlength=16)))
@triton.jit
def fp8(x, s, o, N, eps, fmin, fmax, B: tl.constexpr):
    r = tl.program_id(0); c = tl.arange(0, B); m = c < N
    y = tl.load(x + r * N + c, mask=m, other=0.0).to(tl.float32)
    amax = tl.maximum(tl.max(tl.abs(y)), eps); sc = amax / fmax
    tl.store(o + r * N + c, tl.clamp(y / sc, fmin, fmax).to(o.dtype.element_ty), mask=m); tl.store(s + r, sc)
x = torch.randn(4, 100, device=dev, dtype=torch.bfloat16); o = torch.empty_like(x, dtype=torch.float8_e4m3fn); s = torch.empty(4, device=dev); fi = torch.finfo(o.dtype)
fp8[(4,)](x, s, o, 100, 1e-10, fi.min, fi.max, 128); print(bool(((o.float() * s[:, None] - x.float()).abs() <= s[:, None] * 64).all()), o.dtype)
@triton.jit
def welford(m1, v1, w1, m2, v2, w2):
    d = m2 - m1; w = w1 + w2; r = tl.where(w == 0, 0.0, w2 / w)
    return m1 + d * r, v1 + v2 + d * d * w1 * r, w
@triton.jit
def var(x, o, N, B: tl.constexpr):
    c = tl.arange(0, B); v = tl.load(x + c, mask=c < N, other=0.0); w = tl.where(c < N, 1.0, 0.0)
    m, s, n = tl.reduce((v, tl.zeros([B], tl.float32), w), 0, welford)
    tl.store(o, m); tl.store(o + 1, s / n)
x = torch.randn(100, device=dev); o = torch.empty(2, device=dev); var[(1,)](x, o, 100, 128); print(torch.allclose(o, torch.stack([x.mean(), x.var(unbiased=False)]), atol=1e-5))
@triton.jit
def printing(x, B: tl.constexpr):
    tl.static_print("block", B); tl.static_assert(B % 2 == 0, "even"); tl.device_assert(tl.load(x) == 0, "zero")
    i = tl.arange(0, B); a, b = tl.split(tl.reshape(i, (B // 2, 2))); c = tl.interleave(a, b); d = tl.join(a, b)
    tl.store(x + i, tl.where(c == i, 7, 0)); tl.store(x + B + i, tl.ravel(tl.trans(d)))
x = torch.zeros(32, dtype=torch.int32, device=dev); printing[(1,)](x, 16); print(x.tolist())
@triton.jit
def splitk(a, b, c, M, N, K, SK: tl.constexpr, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B); n = tl.program_id(1) * B + tl.arange(0, B); k = tl.program_id(2) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in range(tl.program_id(2), tl.cdiv(K, B), SK):
        k = i * B + tl.arange(0, B)
        acc = tl.dot(tl.load(a + m[:, None] * K + k, (m[:, None] < M) & (k < K), 0.), tl.load(b + k[:, None] * N + n, (k[:, None] < K) & (n < N), 0.), acc, input_precision="ieee")
    tl.atomic_add(c + m[:, None] * N + n, acc, mask=(m[:, None] < M) & (n < N), sem="relaxed")
a = torch.randn(20, 70, device=dev); b = torch.randn(70, 30, device=dev); c = torch.zeros(20, 30, device=dev); splitk[(2, 2, 3)](a, b, c, 20, 30, 70, 3, 16); print(torch.allclose(c, a @ b, atol=1e-4))
