"""Notebook style, closures, classes, other spellings."""
from __future__ import annotations
import enum, functools, dataclasses, types, typing as tp
import numpy as np, torch
import triton as tr
from triton import jit, cdiv, language as T, Config, autotune, heuristics
from triton.language import constexpr, load, store, arange, program_id as pid
from triton.runtime.driver import driver
BLOCK: T.constexpr = 64
SCALE = T.constexpr(2.5)
class Mode(enum.IntEnum):
    ADD = 0
    MUL = 1
LUT = {torch.float32: T.float32, torch.float16: T.float16, torch.int32: T.int32}
@jit
def elementwise(x, y, o, n: "i32", mode: constexpr, dtype: constexpr, B: constexpr = 128):
    i = pid(0) * B + arange(0, B)
    m = i < n
    a = load(x + i, m).to(dtype); b = load(y + i, m, other=0).to(dtype)
    if mode == 0: r = a + b
    else: r = a * b
    store(o + i, r, m)
def run(x, y, mode, **kw):
    o = torch.empty_like(x); g = lambda meta: (cdiv(x.numel(), meta["B"]),)
    elementwise[g](x, y, o, x.numel(), mode, LUT[x.dtype], **kw); return o
x = torch.arange(300, device="cuda", dtype=torch.float32); y = torch.full_like(x, 2)
print(run(x, y, 0).sum().item(), run(x, y, Mode.MUL, B=64).sum().item(), run(x.half(), y.half(), 1, num_warps=2).sum().item())
def make_kernel(op, name):
    @jit
    def kernel(x, o, B: constexpr):
        i = arange(0, B)
        store(o + i, op(load(x + i)))
    kernel.__name__ = name
    return kernel
@jit
def square(v): return v * v
@jit
def relu(v): return T.maximum(v, 0)
for op in (square, relu):
    o = torch.empty(64, device="cuda"); make_kernel(op, "k")[(1,)](x - 30, o, 64); print(o.sum().item())
class Op(torch.nn.Module):
    B = 32
    @staticmethod
    @jit
    def kernel(x, w, o, n, B: constexpr):
        row = pid(0); c = arange(0, B); acc = T.zeros((B,), dtype=T.float32)
        for off in range(0, n, B):
            k = off + c
            acc += load(x + row * n + k, mask=k < n, other=0.).to(T.float32) * load(w + k, mask=k < n, other=0.)
        store(o + row, T.sum(acc, axis=0))
    def __init__(self, n):
        super().__init__(); self.weight = torch.nn.Parameter(torch.arange(n, dtype=torch.float32) / n)
    def forward(self, x):
        o = x.new_empty(x.shape[0]); self.kernel[x.shape[0],](x, self.weight, o, x.shape[1], self.B); return o
m = Op(100).to("cuda"); z = torch.ones(3, 100, device="cuda").requires_grad_(False)
with torch.no_grad(): print(m(z), m.weight.device)
@autotune([Config({"B": 32}, num_warps=1), Config({"B": 64})], key=["n"], reset_to_zero=["o"], restore_value=["x"], prune_configs_by={"perf_model": lambda **k: k["B"], "top_k": 1})
@heuristics({"EVEN": lambda a: a["n"] % a["B"] == 0})
@heuristics({"TWICE": lambda a: a["n"] > 10})
@jit
def accumulate(x, o, n, B: constexpr, EVEN: constexpr, TWICE: constexpr):
    i = pid(0) * B + arange(0, B)
    v = load(x + i) if EVEN else load(x + i, mask=i < n, other=0)
    if TWICE: v = v * 2
    store(x + i, v + 1, mask=i < n)
    T.atomic_add(o, T.sum(v))
o = torch.zeros(1, device="cuda"); xs = torch.ones(96, device="cuda")
accumulate[lambda m: (cdiv(96, m["B"]),)](xs, o, 96); print(o.item(), xs.sum().item(), accumulate.best_config.kwargs)
partial = functools.partial(accumulate[(1,)], xs, o); partial(5); print(o.item())
@dataclasses.dataclass
class Params:
    n: int; alpha: float
p = Params(10, 0.5)
@jit
def scalars(o, n, alpha, flag, none, B: constexpr):
    i = arange(0, B)
    if none is None: alpha = alpha + 1
    if flag: alpha *= 2
    store(o + i, alpha, mask=i < n)
o = torch.zeros(16, device="cuda"); scalars[(1, 1, 1)](o, n=p.n, alpha=p.alpha, flag=True, none=None, B=16); print(o.sum().item())
a = np.arange(12, dtype=np.float64); 
@jit
def tup(o, s, vals, B: constexpr):
    k, (u, v) = s
    for i in T.static_range(len(vals)): store(o + i, vals[i] + k * u - v)
o = torch.zeros(4, device="cuda"); tup[(1,)](o, (2, (3, 4)), (1.0, 2.0, 3.0), 4); print(o)
print(elementwise.__name__, elementwise.arg_names[:3], elementwise.fn.__name__, elementwise.params[4].is_constexpr, isinstance(elementwise, tr.runtime.JITFunction), elementwise.__module__)
@jit
def glob(o, B: constexpr): store(o + arange(0, B), SCALE + 0.0 * arange(0, B))
o = torch.zeros(BLOCK, device="cuda"); glob[(1,)](o, BLOCK); print(o.sum().item())
