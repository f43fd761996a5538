import sys

import torch
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.runtime.errors import OutOfResources


@triton.jit
def mismatched(x_ptr):
    a = tl.arange(0, 16)
    b = tl.arange(0, 32)
    tl.store(x_ptr + a, a + b)


x = torch.zeros(32, device="cuda")
try:
    mismatched[(1,)](x)
except CompilationError as error:
    print("refused", "a + b" in str(error))
except OutOfResources:
    print("too much")
if "--fail" in sys.argv:
    mismatched[(1,)](x)
sys.exit(3)
