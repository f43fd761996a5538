"""The language of kernels: `import mytriton.language as tl`.

The names, and what they do, are those of Triton 3.9. The functions run while a kernel is compiled; outside of a kernel
they raise an error that says so.
"""

from __future__ import annotations

import builtins
import importlib
from typing import Any

from mytriton.language import extra, math, target_info
from mytriton.language.aggregates import aggregate_replace
from mytriton.language.atomics import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_load,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_poll,
    atomic_store,
    atomic_xchg,
    atomic_xor,
)
from mytriton.language.block_pointers import advance, make_block_ptr
from mytriton.language.casting import cast
from mytriton.language.constexpr import constexpr
from mytriton.language.creation import arange, empty, full, num_programs, program_id, zeros, zeros_like
from mytriton.language.descriptors import (
    load_tensor_descriptor,
    make_tensor_descriptor,
    store_tensor_descriptor,
    tensor_descriptor,
    tensor_descriptor_type,
)
from mytriton.language.dtypes import (
    MAX_TENSOR_NUMEL as TRITON_MAX_TENSOR_NUMEL,
)
from mytriton.language.dtypes import (
    bfloat16,
    block_type,
    dtype,
    float8e4b8,
    float8e4b15,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    pi32_t,
    pointer_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from mytriton.language.elementwise import inline_asm_elementwise, map_elementwise
from mytriton.language.gathering import gather, histogram
from mytriton.language.hints import (
    assume,
    max_constancy,
    max_contiguous,
    multiple_of,
    static_assert,
    static_print,
)
from mytriton.language.joining import cat, interleave, join, split
from mytriton.language.math import (
    PropagateNan,
    abs,
    cdiv,
    ceil,
    clamp,
    cos,
    div_rn,
    erf,
    exp,
    exp2,
    fdiv,
    floor,
    fma,
    log,
    log2,
    maximum,
    minimum,
    rsqrt,
    sigmoid,
    sin,
    sqrt,
    sqrt_rn,
    umulhi,
)
from mytriton.language.matmul import dot
from mytriton.language.memory import load, store
from mytriton.language.messages import debug_barrier, device_assert, device_print, expect_zero
from mytriton.language.operators import add, mul, sub, to_tensor
from mytriton.language.ordering import bitonic_merge, flip, sort, topk
from mytriton.language.random import (
    pair_uniform_to_normal,
    philox,
    philox_impl,
    rand,
    rand4x,
    randint,
    randint4x,
    randn,
    randn4x,
    uint_to_uniform_float,
)
from mytriton.language.ranges import condition, range, static_range
from mytriton.language.reductions import argmax, argmin, max, min, reduce, reduce_or, sum, xor_sum
from mytriton.language.scaled_matmul import dot_scaled
from mytriton.language.scans import associative_scan, cumprod, cumsum
from mytriton.language.selection import where
from mytriton.language.shapes import (
    broadcast,
    broadcast_to,
    expand_dims,
    permute,
    ravel,
    reshape,
    squeeze,
    trans,
    unsqueeze,
    view,
)
from mytriton.language.standard import softmax, swizzle2d
from mytriton.language.type_names import const, constexpr_type, str_to_ty, tuple_type
from mytriton.language.values import tensor
from mytriton.runtime.constexpr_function import constexpr_function

__all__ = [
    "TRITON_MAX_TENSOR_NUMEL",
    "PropagateNan",
    "abs",
    "add",
    "advance",
    "aggregate_replace",
    "arange",
    "argmax",
    "argmin",
    "associative_scan",
    "assume",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_load",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_poll",
    "atomic_store",
    "atomic_xchg",
    "atomic_xor",
    "bfloat16",
    "bitonic_merge",
    "block_type",
    "broadcast",
    "broadcast_to",
    "cast",
    "cat",
    "cdiv",
    "ceil",
    "clamp",
    "condition",
    "const",
    "constexpr",
    "constexpr_function",
    "constexpr_type",
    "cos",
    "cumprod",
    "cumsum",
    "debug_barrier",
    "device_assert",
    "device_print",
    "div_rn",
    "dot",
    "dot_scaled",
    "dtype",
    "empty",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "expect_zero",
    "extra",
    "fdiv",
    "flip",
    "float8e4b8",
    "float8e4b15",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "float16",
    "float32",
    "float64",
    "floor",
    "fma",
    "full",
    "gather",
    "histogram",
    "inline_asm_elementwise",
    "int1",
    "int8",
    "int16",
    "int32",
    "int64",
    "interleave",
    "join",
    "load",
    "load_tensor_descriptor",
    "log",
    "log2",
    "make_block_ptr",
    "make_tensor_descriptor",
    "map_elementwise",
    "math",
    "max",
    "max_constancy",
    "max_contiguous",
    "maximum",
    "min",
    "minimum",
    "mul",
    "multiple_of",
    "num_programs",
    "pair_uniform_to_normal",
    "permute",
    "philox",
    "philox_impl",
    "pi32_t",
    "pointer_type",
    "program_id",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "range",
    "ravel",
    "reduce",
    "reduce_or",
    "reshape",
    "rsqrt",
    "sigmoid",
    "sin",
    "slice",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "sqrt_rn",
    "squeeze",
    "static_assert",
    "static_print",
    "static_range",
    "store",
    "store_tensor_descriptor",
    "str_to_ty",
    "sub",
    "sum",
    "swizzle2d",
    "target_info",
    "tensor",
    "tensor_descriptor",
    "tensor_descriptor_type",
    "to_tensor",
    "topk",
    "trans",
    "tuple",
    "tuple_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uint_to_uniform_float",
    "umulhi",
    "unsqueeze",
    "view",
    "void",
    "where",
    "xor_sum",
    "zeros",
    "zeros_like",
]


tuple = builtins.tuple
"""The class of tuples; to a kernel it is Python's."""

slice = builtins.slice
"""The class of slices; to a kernel it is Python's."""

_experimental_make_tensor_descriptor = make_tensor_descriptor
"""The name under which older Tritons had it."""


def __getattr__(name: str) -> Any:
    if name == "core":
        return importlib.import_module("mytriton.language.core")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
