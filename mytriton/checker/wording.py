"""The words of a fault: its message, the lines of its report, and the usual mend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mytriton.checker.faults import FaultArray, FaultSide, KernelFault

_VERBS = {"read": "reads", "write": "writes", "atomic": "updates"}
_ARTICLED = {"read": "a read", "write": "a write", "atomic": "an atomic update"}


def report(fault: KernelFault) -> str:
    """The fault as other errors about a line of a kernel are shown."""
    own, *others = fault.sides
    lines = [f"{_place(own)}error: {fault.message}", *_excerpt(own), *_calls(own)]
    lines.append(f"note: {_who(own)} of kernel {fault.kernel}")
    lines += [f"note: {note}" for note in fault.notes]
    if fault.array is not None and not fault.array.is_shared:
        lines.append(f"note: {described(fault.array)}")
    for other in others:
        if other.location is not None and other.location == own.location:
            lines.append(f"note: {_other(other, own)}, on the same line")
            continue
        lines.append(f"{_place(other)}note: {_other(other, own)}")
        lines += [*_excerpt(other), *_calls(other)]
    if fault.hint:
        lines.append(f"hint: {fault.hint}")
    return "\n".join(lines)


def _place(side: FaultSide) -> str:
    return f"{side.location}: " if side.location is not None and side.location.line else ""


def _excerpt(side: FaultSide) -> list[str]:
    """The line of the kernel with its caret; that of the CUDA C where the other is not known."""
    if side.location is not None and (found := side.location.excerpt()):
        return found
    if side.cuda_line and side.location is None:
        return [f"line {side.cuda_line} of the CUDA C: {side.cuda_text}"]
    return []


def _calls(side: FaultSide) -> list[str]:
    """The calls that led to a line, each with its own line."""
    lines: list[str] = []
    callee = side.location.function if side.location else ""
    for call in side.callers:
        what = f"in {callee} called from here" if callee else "called from here"
        lines += [f"{call}: note: {what}", *call.excerpt()]
        callee = call.function
    return lines


def _who(side: FaultSide) -> str:
    thread = "" if side.thread is None else f", thread {side.thread},"
    return f"program {side.program}{thread}"


def _other(side: FaultSide, own: FaultSide) -> str:
    if not side.access:
        return "the value is used here"
    thread = "" if side.thread is None else f"thread {side.thread} of "
    program = "the same program" if side.program == own.program else f"program {side.program}"
    return f"the other access, {_ARTICLED[side.access]} by {thread}{program}"


def described(array: FaultArray) -> str:
    """`x_ptr is a float32 array of shape (128, 64)`"""
    return f"{array.name} is {_article(array.dtype)} {array.dtype} array of shape {array.shape}"


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" and not word.startswith("u") else "a"


def element(name: str, index: Sequence[int] | None) -> str:
    """`x_ptr[3, 5]`, or `x_ptr` where the index is not known or there are no axes."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def place(array: FaultArray) -> str | None:
    """`x_ptr[3, 5]`, or `3 elements before the beginning of x_ptr`; None where the place is not known."""
    if array.index is not None:
        return element(array.name, array.index)
    if array.outside:
        where = "before the beginning" if array.outside < 0 else "past the end"
        return f"{many(abs(array.outside), 'element')} {where} of {array.name}"
    return None


def accesses(access: str) -> str:
    """`reads`, `writes` or `updates`."""
    return _VERBS[access]


def many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


# Where an access out of bounds is


def out_of_bounds(access: str, array: FaultArray) -> tuple[str, list[str]]:
    """The message, and what else is to be said of the place."""
    verb = accesses(access)
    if 0 in array.shape:
        message = f"{verb} {array.name}, which has no elements"
    elif array.beyond is not None:
        message = f"{verb} {element(array.name, array.beyond)}, between the rows of the array"
    elif array.outside < 0:
        message = f"{verb} {array.name} {many(-array.outside, 'element')} before its beginning"
    elif array.outside > 0:
        message = f"{verb} {array.name} {many(array.outside, 'element')} past its end"
    else:
        message = f"{verb} a place in {array.name} that no element has"
    if array.inside_of is None:
        return message, []
    return message, [f"the place belongs to {element(array.inside_of, array.inside_index)}, another argument"]


# The usual mends

REPORT_IT = "this is a mistake of mytriton, not of your program: please report it together with the kernel"

HINTS = {
    "out of bounds": "give the access a mask that is true for the elements of the array only, such as "
    "mask=offsets < n, or launch as many programs as the array has tiles",
    "out of bounds, masked": "the mask lets more through than the array has: compare it with the array's own size, "
    "and check the strides that the launch passes",
    "gap": "pass the strides of this array to the kernel, and mask the columns as well as the rows",
    "misaligned": "tl.multiple_of, tl.max_contiguous or tl.assume promises more than is true of this launch, or a "
    "pointer was cast to larger elements; promise what the arguments keep, or pass an aligned array",
    "program race": "have each element written by one program, or add with tl.atomic_add; what one program is to "
    "read of another belongs in a second launch, or behind an atomic operation that both do",
    "thread race": "put tl.debug_barrier() between the two accesses",
    "thread race, one line": "the same element is accessed by several positions of one tile: make their offsets "
    "different, or mask all but one of them, or use an atomic operation",
    "masked load": "give the load a value for what its mask or boundary check leaves out, by other=0.0 or "
    "padding_option='zero', or mask what is done with the value",
    "poison": "give it a value before it is used, on every path",
    "empty": "give each element that is used a value before, as tl.where does, or write tl.zeros where zeros are meant",
    "wrapped": "make an operand 64 bits wide before the operation, as in x.to(tl.int64)",
    "division by zero": "replace the divisor where it is zero, as in tl.where(d == 0, 1, d), also for elements "
    "that a mask leaves out later",
    "shift": "keep the number of bits from 0 to one less than the width of the number",
    "nonfinite": "subtract the maximum before tl.exp, add a small number to what is divided by, or use wider floats",
    "steps": "the condition of the loop may never become false; if the kernel is only long, give "
    "mytriton.sanitize(steps=...) a larger number",
}
"""By the situation: what to do about a fault, in one sentence."""
