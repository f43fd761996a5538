"""A kernel's CUDA C text with pointers and shared arrays that look at each access, for include/checked.h.

Every line stays where it was. Only the kernel itself changes; what is before it needs no pointers on the CPU.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from mytriton.float8 import FLOAT8

_SIZES = {
    "bool": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "half": 2,
    "bfloat16": 2,
    **{format.c_name: 1 for format in FLOAT8.values()},
    "int": 4,
    "unsigned": 4,
    "unsigned int": 4,
    "float": 4,
    "long long": 8,
    "unsigned long long": 8,
    "double": 8,
}
_POINTER_BYTES = 8

_QUALIFIERS = r"(?:const |volatile )*"
_SCALAR = "(?:" + "|".join(sorted(map(re.escape, _SIZES), key=len, reverse=True)) + ")"
_VECTOR = r"(?:(?:u?char|u?short|u?int|u?longlong|float|double)[1-4])"
_ELEMENT = rf"{_QUALIFIERS}(?:{_VECTOR}|{_SCALAR})(?: \*)*"

_KERNEL = re.compile(r'^extern "C" __global__', re.MULTILINE)

# __shared__ __align__(16) float x_tile[64][16];
_SHARED = re.compile(rf"^( *)__shared__ __align__\((\d+)\) ({_SCALAR}(?: \*)*) ?(\w+)((?:\[\d+\])*);$", re.ASCII)
# extern __shared__ __align__(16) unsigned char dynamic_shared[];
_DYNAMIC = re.compile(r"^( *)extern __shared__ __align__\((\d+)\) unsigned char (\w+)\[\];$", re.ASCII)
# float (*a)[16] = (float (*)[16])(pool + 1024);    float *a = (float *)pool;
_VIEW = re.compile(
    rf"^( *)({_SCALAR}(?: \*)*) ?(?:\(\*(\w+)\)((?:\[\d+\])+)|\*(\w+)) = "
    r"\([^=]*?\)(?:\((\w+) \+ (\d+)\)|(\w+));$",
    re.ASCII,
)
_POINTER_CAST = re.compile(rf"\(({_ELEMENT}) ?\*\)(?=[&\w(])", re.ASCII)
_POINTER_TYPE = re.compile(rf"(?<![\w<])({_ELEMENT}) \*(?=\w)", re.ASCII)
_DEREFERENCE = re.compile(r"(?<![\w)\]/>*-])\*(?=[\w(&])", re.ASCII)
_OR_NULL = re.compile(r"(?<=\? )(?=[^?]* : nullptr\b)", re.ASCII)
_LOOP = re.compile(r"^ *(?:for|while) \(.*\{$|^ *do \{$", re.ASCII)
_STRING = re.compile(r'("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True)
class CheckedText:
    """A kernel's text for the checker, with the bytes of its shared memory and of a cell there, a power of two."""

    text: str
    shared_bytes: int
    shared_shift: int


def checked_text(text: str, dynamic_shared_bytes: int) -> CheckedText:
    """The text with checked pointers and shared arrays; `dynamic_shared_bytes` is the size of `dynamic_shared`."""
    kernel = _KERNEL.search(text)
    assert kernel is not None, "the text has no kernel"
    lines = text[kernel.start() :].split("\n")
    shared = _SharedMemory(dynamic_shared_bytes)
    offset = text.count("\n", 0, kernel.start())
    result: list[str] = []
    previous = ""
    for number, line in enumerate(lines, offset + 1):
        result.append(_checked_line(line, number, previous, shared))
        if line.strip():
            previous = line.strip()
    return CheckedText(text[: kernel.start()] + "\n".join(result), shared.bytes, shared.shift())


class _SharedMemory:
    """Where the shared arrays of a kernel are."""

    def __init__(self, dynamic_bytes: int):
        self.bytes = 0
        self._dynamic_bytes = dynamic_bytes
        self._offsets: dict[str, int] = {}
        self._sizes: list[int] = []

    def place(self, name: str, size: int, alignment: int) -> int:
        offset = -(-self.bytes // alignment) * alignment
        self.bytes = offset + size
        self._offsets[name] = offset
        return offset

    def place_dynamic(self, name: str, alignment: int) -> None:
        self.place(name, self._dynamic_bytes, alignment)

    def offset(self, name: str) -> int | None:
        return self._offsets.get(name)

    def use(self, size: int) -> None:
        self._sizes.append(size)

    def shift(self) -> int:
        return min(self._sizes, default=4).bit_length() - 1


def _checked_line(line: str, number: int, previous: str, shared: _SharedMemory) -> str:
    stripped = line.lstrip()
    if not stripped or stripped.startswith(("//", "#")):
        return line
    if (dynamic := _DYNAMIC.match(line)) is not None:
        shared.place_dynamic(dynamic[3], int(dynamic[2]))
        return ""
    if (array := _SHARED.match(line)) is not None:
        return _shared_array(array, number, shared)
    if (view := _VIEW.match(line)) is not None and (made := _shared_view(view, number, shared)) is not None:
        return made
    parts = _STRING.split(line)
    line = "".join(part if i % 2 else _checked_code(part) for i, part in enumerate(parts))
    if _LOOP.match(line) and not previous.startswith("#pragma unroll"):
        line += " mytriton_step(mytriton_self, __LINE__);"
    return line


def _checked_code(code: str) -> str:
    code = _OR_NULL.sub("mytriton_pointer() ->* ", code)
    code = _POINTER_CAST.sub(lambda match: f"mytriton_cast<{match[1]}>() ->* ", code)
    code = _POINTER_TYPE.sub(lambda match: f"mytriton_global<{match[1]}> ", code)
    return _DEREFERENCE.sub("mytriton_here(mytriton_self, __LINE__) ->* ", code)


def _extents(text: str) -> list[int]:
    return [int(extent) for extent in re.findall(r"\d+", text)]


def _size(c_type: str) -> int:
    return _POINTER_BYTES if c_type.endswith("*") else _SIZES[c_type]


def _shared_array(array: re.Match[str], number: int, shared: _SharedMemory) -> str:
    indent, alignment, c_type, name, extents_text = array.groups()
    extents, size = _extents(extents_text), _size(c_type)
    offset = shared.place(name, size * math.prod(extents), int(alignment))
    if c_type == "unsigned char":  # bytes for views, of which each says its type
        return ""
    shared.use(size)
    return f"{indent}{_declaration(c_type, name, extents, offset, number)}"


def _shared_view(view: re.Match[str], number: int, shared: _SharedMemory) -> str | None:
    indent, c_type, name, extents, flat, pool_at, offset, pool = view.groups()
    start = shared.offset(pool_at or pool)
    if start is None:
        return None
    size = _size(c_type)
    shared.use(size)
    place = start + int(offset or 0)
    # How many rows there are is not said; the next array begins where this one ends at the latest.
    rows = max(1, (shared.bytes - place) // (size * math.prod(_extents(extents or ""))))
    return f"{indent}{_declaration(c_type, name or flat, [rows, *_extents(extents or '')], place, number)}"


def _declaration(c_type: str, name: str, extents: list[int], offset: int, number: int) -> str:
    arguments = ", ".join([c_type, *map(str, extents)])
    return f"mytriton_shared<{arguments}> {name}(mytriton_self, {offset}, {number});"
