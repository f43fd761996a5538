"""Loops in a kernel's text that the CPU device runs in another way, with the same operations on the same operands.

They are what kernels spend their time in, and what a C++ compiler does not make fast. An outer product on the registers
of a thread, and floats of 16 bits that become floats, are operations on vectors. The lanes of a butterfly would wait
for each other at every step; as one operation of the warp it is one wait.
"""

from __future__ import annotations

import re

# #pragma unroll
# for (int r = 0; r < 32; ++r) {
#     acc[r] = fmaf(a_column[r / 8], b_row[r % 8], acc[r]);
# }
_OUTER_PRODUCT = re.compile(
    r"^( *)#pragma unroll\n"
    r"\1for \(int (\w+) = 0; \2 < (\d+); \+\+\2\) \{\n"
    r"\1    (\w+)\[\2\] = fmaf?\((\w+)\[\2 ([/%]) (\d+)\], (\w+)\[\2 (?!\6)[/%] \7\], \4\[\2\]\);\n"
    r"\1\}$",
    re.ASCII | re.MULTILINE,
)

# #pragma unroll
# for (int r = 0; r < 8; ++r) {
#     half a = a_tile[r * 8][k];
#     a_column[r] = half_to_float(a);
# }
_CONVERSION = re.compile(
    r"^( *)#pragma unroll\n"
    r"\1for \(int (\w+) = 0; \2 < (\d+); \+\+\2\) \{\n"
    r"((?:\1    (?:(?:int|long long|bool|half|bfloat16) \w+ = [^\n]*;|//[^\n]*)\n)*)"
    r"\1    (\w+)\[\2\] = (?:half|bfloat16)_to_float\((\w+(?:\[\w+\])?)\);\n"
    r"\1\}$",
    re.ASCII | re.MULTILINE,
)

# #pragma unroll
# for (int mask = 16; mask >= 1; mask /= 2) {
#     float other = __shfl_xor_sync(0xffffffff, x, mask);
#     x = fmaxf(x, other);
# }
_BUTTERFLY = re.compile(
    r"^( *)#pragma unroll\n"
    r"\1for \(int (\w+) = (\d+); \2 [<>]= (\d+); \2 [*/]= 2\) \{\n"
    r"((?:\1    [^\n=]*\w+ = [^\n=]*__shfl_xor_sync\([^\n]*\n)+)"
    r"((?:\1    [^\n]*\n)*)"
    r"\1\}$",
    re.ASCII | re.MULTILINE,
)
_SHUFFLE = re.compile(
    r" *(\w[\w ]*?) (\w+) = [^\n=]*?__shfl_xor_sync\(0xffffffff, (?:\([\w ]+\))?(\w+)(?:\.\w+)?, (\w+)\)[^\n]*\n",
    re.ASCII,
)


def rewrite_loops(text: str) -> str:
    """The text with these loops as calls of functions of our headers; each line stays where it was."""
    text = _OUTER_PRODUCT.sub(_outer_product, text)
    text = _CONVERSION.sub(_conversion, text)
    return _BUTTERFLY.sub(_butterfly, text)


def _outer_product(loop: re.Match[str]) -> str:
    indent, _, size, accumulator, left, operator, columns, right = loop.groups()
    column, row = (left, right) if operator == "/" else (right, left)
    call = f"mytriton_add_outer_product<{size}, {columns}>({accumulator}, {column}, {row});"
    return f"\n\n{indent}{call}\n"


def _conversion(loop: re.Match[str]) -> str:
    """for r { half x = ...; y[r] = half_to_float(x) } -> to_float(y, [](r) { half x = ...; return x })."""
    indent, index, size, statements, result, value = loop.groups()
    if not statements and value.endswith(f"[{index}]"):
        array = value.partition("[")[0]
        return f"\n\n{indent}mytriton_to_float<{size}>({result}, &{array}[0]);\n"
    begin = f"mytriton_to_float<{size}>({result}, [&](const int {index}) {{"
    return f"\n{indent}{begin}\n{statements}{indent}    return {value};\n{indent}}});"


def _butterfly(loop: re.Match[str]) -> str:
    """for each mask { other = shuffle(x, mask); x = combine(x, other) } -> butterfly([](x, other) { ... }, x).

    All lanes are computed by one of them, so besides its arguments the combination sees only what is the same for all.
    """
    indent, mask, first, last, shuffles, body = loop.groups()
    received = [match.groups() for match in _SHUFFLE.finditer(shuffles)]
    if len(received) != shuffles.count("\n") or any(by != mask for *_, by in received):
        return loop[0]
    own = [value for _, _, value, _ in received]
    parameters = [
        "const uint3 threadIdx",
        f"const int {mask}",
        *(f"{c_type} &{value}" for c_type, _, value, _ in received),
        *(f"{c_type} {partner}" for c_type, partner, _, _ in received),
    ]
    begin = f"mytriton_butterfly<{first}, {last}>(mytriton_self, __LINE__, [&]({', '.join(parameters)}) {{"
    blank = "\n" * len(received)
    return f"\n\n{indent}{begin}{blank}{body}{indent}}}, {', '.join(own)});"
