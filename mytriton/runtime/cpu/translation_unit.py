"""The C++ source around a kernel's CUDA C text: the header before it, and after it what the runtime calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mytriton.errors import SourceLocation, UnsupportedError
from mytriton.runtime.cpu.checked_text import checked_text
from mytriton.runtime.cpu.loops import rewrite_loops

# A thread that uses one of these may wait for another thread of its block, so each has a stack of its own.
_COLLECTIVE = re.compile(
    r"\b(?:__syncthreads\w*|__syncwarp|__\w+_sync|atomicCAS\w*|atomicExch\w*|atomic_cas\w*|atomic_poll\w*"
    r"|__nanosleep)\b",
    re.ASCII,
)
_DYNAMIC_SHARED = re.compile(r"\bextern __shared__\b.*\bdynamic_shared\[\]")

# Functions that are rare enough to have a header of their own, which takes time to compile.
_LIBDEVICE = re.compile(
    r"\b(?:__(?!\w+2\w+_rz\b)\w+_r[zdu]|__(?:double2float|u?int2float|u?ll2float|u?ll2double)_rz"
    r"|(?:is_nan|is_infinite|is_finite|sign_bit|power)_f(?:32|64)|reciprocal_high|__u?r?hadd|__u?mul24|__u?sad"
    r"|(?:[jy][01n]|cyl_bessel_i[01]|erfc?inv|erfcx|ilogb|llrint|llround|r?norm[34]d|normcdf|normcdfinv|rhypot|scalbn"
    r"|sinpi|cospi)f?)\(",
    re.ASCII,
)

_MESSAGES = re.compile(r"^ .*\b(?:print_element|assert_failed)\(", re.ASCII | re.MULTILINE)

_REGISTERS = re.compile(r"\bmytriton_(?:add_outer_product|to_float)<", re.ASCII)

_ASSEMBLY = re.compile(r"^ +asm\b")
_LINE_COMMENT = re.compile(r"^ +// (\S+):(\d+)  (.*)$")

_FIBER_STACK_BYTES = 64 * 1024
_LOOP_STACK_BYTES = 1024 * 1024


@dataclass(frozen=True)
class KernelMetadata:
    """What must be known of a kernel besides its text.

    `params`: name and C type of each parameter, such as `("x", "float *")`. `num_warps`: warps of 32 threads in a
    block. `shared_bytes`: the size of `dynamic_shared`, where the text declares it.
    """

    name: str
    params: Sequence[tuple[str, str]]
    num_warps: int
    shared_bytes: int = 0


def refuse_ptx(text: str) -> None:
    """Raises UnsupportedError, with the line in the user's file, for inline assembly in a kernel itself."""
    in_kernel, location = False, None
    for line in text.splitlines():
        if line and line[0] not in " {":
            in_kernel = line.startswith('extern "C" __global__')
        elif in_kernel and (comment := _LINE_COMMENT.match(line)) is not None:
            location = SourceLocation(comment[1], int(comment[2]), source_line=comment[3])
        elif in_kernel and _ASSEMBLY.match(line):
            raise UnsupportedError(
                "inline assembly runs on GPUs only, not on the CPU device",
                location,
                hint="write it with the functions of tl, or of tl.extra.libdevice, to run it on a CPU",
            )


def uses_collectives(text: str) -> bool:
    """Whether threads of a block may wait for each other."""
    return _COLLECTIVE.search(text) is not None


def large_frame_bytes(text: str) -> int:
    """The size from which on a stack frame makes the stacks larger than usual."""
    return (_FIBER_STACK_BYTES if uses_collectives(text) else _LOOP_STACK_BYTES) // 4


def translation_unit(text: str, kernel: KernelMetadata, checked: bool = False) -> str:
    """The source of one kernel; `checked`: it looks at each access, for launches with the checker."""
    fibers = uses_collectives(text)
    threads = 32 * kernel.num_warps
    body = rewrite_loops(text.rstrip("\n"))
    check_lines: list[str] = []
    if checked:
        made = checked_text(body, kernel.shared_bytes)
        body = made.text
        check_lines = [
            "#define MYTRITON_CHECKED_KERNEL",
            f"#define MYTRITON_SHARED_BYTES {made.shared_bytes}",
            f"#define MYTRITON_SHARED_SHIFT {made.shared_shift}",
        ]
    lines = [
        f"#define MYTRITON_FIBERS {int(fibers)}",
        *check_lines,
        f"#define MYTRITON_STACK {_FIBER_STACK_BYTES if fibers else _LOOP_STACK_BYTES}",
        *(["#define MYTRITON_USES_MESSAGES"] if _MESSAGES.search(text) else []),
        *(["#define MYTRITON_USES_LIBDEVICE"] if _LIBDEVICE.search(text) else []),
        *(["#define MYTRITON_USES_REGISTERS"] if _REGISTERS.search(body) else []),
        '#include "mytriton_cpu.h"',
        "namespace {",
    ]
    if not checked and _DYNAMIC_SHARED.search(text):
        lines.append(
            f'extern "C" {{ __shared__ __align__(16) unsigned char dynamic_shared[{max(1, kernel.shared_bytes)}]; }}'
        )
    rest = ", __VA_ARGS__" if kernel.params else ""
    lines += [
        f"#define {kernel.name}({'...' if kernel.params else ''}) {kernel.name}(MYTRITON_PARAMETERS{rest})",
        f'#line 1 "{source_name(kernel)}"',
        body,
        '#line 1 "launch"',
        f"#undef {kernel.name}",
        "void mytriton_run(mytriton_thread *self, const unsigned char *arguments) {",
    ]
    arguments = [_argument(i, c_type, checked) for i, (_, c_type, *_) in enumerate(kernel.params)]
    if fibers:
        lines.append(f"  if (self->index >= {threads}) __builtin_unreachable();")
        call = [f"MYTRITON_ARGUMENTS(self, self->index, {threads})", *arguments]
        lines.append(f"  {kernel.name}({', '.join(call)});")
    else:
        call = [f"MYTRITON_ARGUMENTS(self, thread, {threads})", *arguments]
        lines += [
            f"  for (unsigned turn = 0; turn < {threads}; ++turn) {{",
            f"    const unsigned thread = {'turn ^ self->block->check->thread_order' if checked else 'turn'};",
            "    self->index = thread;",
            *(["    self->key = thread << 22;"] if checked else []),
            f"    {kernel.name}({', '.join(call)});",
            "  }",
        ]
    lines += ["}", "}  // namespace", f"MYTRITON_KERNEL({threads})", ""]
    return "\n".join(lines)


def _argument(index: int, c_type: str, checked: bool) -> str:
    """How the kernel's parameter number `index` is read; of an array that is checked, all is known by its number."""
    if checked and c_type.endswith("*"):
        array = f"self->block->check->array_of_parameter[{index}]"
        return f"mytriton_array_argument<{c_type.removesuffix('*').rstrip()}>(self, arguments, {index}, {array})"
    return f"mytriton_argument<{c_type}>(arguments, {index})"


def source_name(kernel: KernelMetadata) -> str:
    """What the compiler calls the CUDA C text in its messages."""
    return f"{kernel.name}.cu"
