import sys

import torch

from . import bias_act

x = torch.ones(2, 8, device="cuda")
print(sys.argv[1:], __package__, bias_act(x, torch.zeros(8, device="cuda"), "gelu").sum().item())
