"""The contents of arrays, kept while a kernel is launched several times on them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from mytriton.errors import ArgumentError


class ArrayContents:
    """Copies of NumPy arrays, torch tensors, or other arrays that have `copy`, by the names of their parameters."""

    def __init__(self, arrays: Mapping[str, Any]):
        self._saved = [(array, _copy_of(name, array)) for name, array in arrays.items() if array is not None]

    def restore(self) -> None:
        """Gives every array the values that it had."""
        for array, copy in self._saved:
            _fill(array, copy)


def set_to_zero(arrays: Mapping[str, Any]) -> None:
    """Sets every array to zero."""
    for array in arrays.values():
        if array is not None:
            _fill(array, 0)


def _copy_of(name: str, array: Any) -> Any:
    copy = getattr(array, "clone", None) or getattr(array, "copy", None)
    if copy is None:
        raise ArgumentError(f"autotune is to restore or reset argument {name!r}, which is no array: {array!r}")
    return copy()


def _fill(array: Any, value: Any) -> None:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        with torch.no_grad():
            array.copy_(value) if isinstance(value, torch.Tensor) else array.zero_()
        return
    array[...] = value
