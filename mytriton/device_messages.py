"""How what a running kernel tells is shown: the values that it prints, and the conditions that do not hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_RELATIONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def printed(program: Sequence[int], prefix: str, value: Array | None = None, is_hex: bool = False) -> str:
    """One line, or as many as NumPy makes, for one value that one program prints.

    NumPy leaves out the middle of a large array, and `numpy.set_printoptions` says from which size on.
    """
    start = f"pid ({', '.join(map(str, program))}){prefix}"
    if value is None:
        return start
    if is_hex:
        return start + np.array2string(value, formatter={"all": _hexadecimal})
    return start + (np.array2string(value) if value.shape else str(value[()]))


def _hexadecimal(number: Any) -> str:
    if number.dtype.kind == "f":
        return float(number).hex()
    digits = 1 if number.dtype.kind == "b" else 2 * number.dtype.itemsize
    return f"0x{int(number) & (1 << 4 * digits) - 1:0{digits}x}"


def assertion_failure(
    message: str, program: Sequence[int], element: Sequence[int], relation: str = "", values: Sequence[Any] = ()
) -> str:
    """Which element of which program does not hold, with the two values that `relation`, such as `slt`, compares."""
    text = f"device assertion failed: {message}" if message else "device assertion failed"
    text += f" [program ({', '.join(map(str, program))})"
    if element:
        text += f", element ({', '.join(map(str, element))})"
    if len(values) == 2:
        symbol = _RELATIONS.get(relation[-2:], relation)
        text += f": {_number(values[0])} {symbol} {_number(values[1])} is false"
    return text + "]"


def _number(value: Any) -> str:
    return str(value.item() if hasattr(value, "item") else value)
