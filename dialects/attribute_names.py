"""The names of the attributes by which a frontend or a pass tells later passes, or the printer, what it found."""

NUM_WARPS = "ttg.num-warps"
"""Of a module: how many warps a block has."""

THREADS_PER_WARP = "ttg.threads-per-warp"
"""Of a module: how many threads a warp has."""

ACCESS_LAYOUT = "ttg.access_layout"
"""Of a load or store of a tensor: the layout in which to do it."""

VECTOR_WIDTH = "ttg.vector"
"""Of a load or store: how many neighbouring elements one access may move; vectorize-accesses has proved it."""

READ_ONLY = "cuda.const"
"""Of a pointer among the parameters of a kernel: nothing is stored through it."""

UNROLL = "cuda.unroll"
"""Of a loop that is unrolled: by the factor that this integer says, or in full where it has no value."""

MAY_OVERFLOW = "cuda.may_overflow"
"""Of a loop whose counter might step over the largest number of its type; it is left before that."""

UNSIGNED = "unsignedCmp"
"""Of an `scf.for` that compares unsigned numbers, which MLIR calls so."""

EMPTY = "tt.empty"
"""Of poison that the kernel asked for by `tl.empty`."""
