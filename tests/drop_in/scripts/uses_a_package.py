import argparse

import torch
import torch.nn.functional as F

from ops import bias_act

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=7)
parser.add_argument("--dtype", default="float32", choices=["float32", "float16", "bfloat16"])
args = parser.parse_args()

torch.manual_seed(1)
x = torch.randn(args.rows, 100, device="cuda", dtype=getattr(torch, args.dtype))
bias = torch.randn(100, device="cuda")
for name, reference in (("silu", F.silu), ("gelu", F.gelu), (None, lambda v: v)):
    ours = bias_act(x, bias, activation=name)
    torch.testing.assert_close(ours, reference(x.float() + bias).to(x.dtype), rtol=1e-2, atol=1e-3)
    print(name, f"{ours.double().sum().item():.4f}")
