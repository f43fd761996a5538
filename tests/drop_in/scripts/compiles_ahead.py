import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


source = ASTSource(
    fn=kernel,
    signature={"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"},
    constexprs={"BLOCK": 128},
    attrs={(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]]},
)
compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 2})
print(compiled.metadata.name, compiled.metadata.num_warps, compiled.metadata.shared)
print("tt.load" in compiled.asm["ttir"], compiled.asm["ttir"].count("tt.divisibility = 16"))
