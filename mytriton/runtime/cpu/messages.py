"""Shows what the threads of a launch recorded: each printed value whole, program after program."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from mytriton.errors import DeviceAssertionError

_VALUES = 16


class _Record(ctypes.Structure):
    """`struct mytriton_record` of include/messages.h."""

    description: bytes
    text: bytes
    file: bytes | None
    line: int
    count: int
    program: Sequence[int]
    thread: int
    values: Sequence[int]
    _fields_: ClassVar = [
        ("description", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_uint),
        ("count", ctypes.c_uint),
        ("program", ctypes.c_uint * 3),
        ("thread", ctypes.c_uint),
        ("values", ctypes.c_ulonglong * _VALUES),
    ]


class Message(NamedTuple):
    """A record of one thread; of what is printed `file` is None."""

    description: str
    text: str
    file: str | None
    line: int
    program: tuple[int, ...]
    values: tuple[int, ...]


def tell(kernel: str, data: bytes) -> None:
    """Prints what was printed; raises `DeviceAssertionError` for the first program with a condition that is false."""
    size = ctypes.sizeof(_Record)
    messages = [_message(_Record.from_buffer_copy(data, start)) for start in range(0, len(data), size)]
    lines = _printed([message for message in messages if message.file is None])
    if lines:
        print("\n".join(lines), flush=True)
    failures = [message for message in messages if message.file is not None]
    if failures:
        first = min(failures, key=lambda message: message.program[::-1])
        raise DeviceAssertionError(f"{first.file}:{first.line}: {kernel}: {_failure(first)}")


def _message(record: _Record) -> Message:
    return Message(
        record.description.decode(),
        record.text.decode(),
        None if record.file is None else record.file.decode(),
        record.line,
        tuple(record.program),
        tuple(record.values[: record.count]),
    )


_FORMAT = re.compile(
    r"pid \(%u, %u, %u\)(?: idx \([%d, ]*\))?(.*?)(?:(%f|%a|%p|%(?:ll)?[du]|0x%\d+(?:ll)?x)( \(operand \d+\))?)?\n",
    re.ASCII | re.DOTALL,
)

_DTYPES = {
    **{f"{letter}{bits}": f"{letter}{bits // 8}" for letter in "iu" for bits in (8, 16, 32, 64)},
    "i1": "?",
    "f16": "f2",
    "bf16": "f4",
    "f32": "f4",
    "f64": "f8",
    "ptr": "u8",
}


class _Value:
    """What one program prints at one place at one time, gathered from its threads."""

    def __init__(self, message: Message):
        import numpy as np

        self.message = message
        self.kind, shape = _kind_and_shape(message.description)
        self.elements = np.zeros(shape, _DTYPES[self.kind]) if self.kind else None

    def line(self) -> str:
        from mytriton.device_messages import printed

        match = _FORMAT.fullmatch(self.message.text)
        assert match is not None, self.message.text
        prefix, conversion, operand = match[1].replace("%%", "%"), match[2] or "", match[3] or ""
        is_hex = conversion in ("%a", "%p") or conversion.startswith("0x")
        return printed(self.message.program, prefix, self.elements, is_hex) + operand


def _kind_and_shape(description: str) -> tuple[str, tuple[int, ...]]:
    kind, _, shape = description.rstrip("]").partition("[")
    return kind, tuple(map(int, shape.split("x"))) if shape else ()


def _printed(messages: Sequence[Message]) -> list[str]:
    """The lines of all programs; the values of each in the order in which its first thread came to them."""
    values: dict[Any, _Value] = {}
    turns: dict[Any, int] = {}
    order: list[_Value] = []
    for message in messages:
        place = message.values[3:-1]
        element = (message.program, message.text, message.description, place)
        turn = turns[element] = turns.get(element, -1) + 1
        key = (*element[:3], turn)
        value = values.get(key)
        if value is None:
            value = values[key] = _Value(message)
        if not any(place):
            order.append(value)
        if value.elements is not None:
            value.elements[place] = _number(message.values[-1], value.kind)
    order.sort(key=lambda value: value.message.program[::-1])
    return [value.line() for value in order]


def _number(bits: int, kind: str) -> Any:
    if "f" in kind:
        return struct.unpack("=d", struct.pack("=Q", bits))[0]
    width = 64 if kind == "ptr" else int(kind[1:])
    value = bits & (1 << width) - 1
    return value - (1 << width) if kind[0] == "i" and width > 1 and value >> (width - 1) else value


def _failure(message: Message) -> str:
    from mytriton.device_messages import assertion_failure

    shape, *relation = message.description.split()
    rank = len(_kind_and_shape(shape)[1])
    place, values = message.values[:rank], message.values[rank:]
    if not relation:
        return assertion_failure(message.text, message.program, place)
    left, predicate, right = relation
    shown: list[Any] = []
    for bits, description in zip(values, (left, right), strict=True):
        kind = _kind_and_shape(description)[0]
        # An unsigned comparison shows unsigned numbers.
        is_unsigned = predicate.startswith("u") and kind[0] == "i"
        shown.append(_number(bits, f"u{kind[1:]}" if is_unsigned else kind))
    return assertion_failure(message.text, message.program, place, predicate, shown)
