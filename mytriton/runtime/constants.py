"""Constants that go into compiled code: how they are told apart in memory, and written into a key that lasts."""

from __future__ import annotations

import types
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, cast

from mytriton.errors import ArgumentError
from mytriton.structures import Structure

if TYPE_CHECKING:
    from mytriton.runtime.jit import JITFunction


def unwrapped(value: object) -> Any:
    """The value inside a `tl.constexpr` or a NumPy scalar; anything else as it is."""
    kind = type(value)
    if kind is int or kind is bool or kind is float or kind is str:
        return value
    if kind.__name__ == "constexpr" and kind.__module__.startswith("mytriton.language"):
        return unwrapped(cast(Any, value).value)
    if kind.__module__ == "numpy" and kind.__name__ != "ndarray" and hasattr(value, "item"):
        return cast(Any, value).item()
    return value


def constant_key(value: object, name: str = "", kernel: str = "") -> Hashable:
    """What tells `value` from other constants: its type and its value, so that 1, 1.0 and True are three constants.

    Every NaN of a type is the same constant, and 0.0 is not -0.0. Raises `ArgumentError` for a value without a hash.
    """
    kind = type(value)
    if kind is int or kind is bool or kind is str:
        return kind, value
    if kind is float:
        return kind, repr(value)
    if isinstance(value, (tuple, list)):
        items = cast(tuple[Any, ...], value)
        return kind, tuple([constant_key(unwrapped(item), name, kernel) for item in items])
    if getattr(value, "is_mytriton_jit", False):
        return kind, value, cast("JITFunction", value).fingerprint()
    try:
        hash(value)
    except TypeError:
        raise ArgumentError(
            f"argument {name!r} of kernel {kernel} is a constexpr of type {kind.__name__}, which has no hash; "
            "pass a number, a string, a dtype, a function or a tuple of them"
        ) from None
    return kind, value


def constant_text(value: object) -> str | None:
    """A text that every process gives to equal constants and to no others; None where there is no such text."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str, bytes):
        return f"{kind.__name__} {value!r}"
    if kind in (tuple, list):
        texts = [constant_text(item) for item in cast(tuple[Any, ...], value)]
        return None if None in texts else f"{kind.__name__} ({', '.join(cast(list[str], texts))})"
    if isinstance(value, Structure):
        return value.text()
    if getattr(value, "is_mytriton_jit", False):
        function = cast("JITFunction", value)
        return f"function {function.fingerprint()}" if function.has_lasting_fingerprint() else None
    if kind.__module__.startswith("mytriton.language"):
        if kind.__name__ == "constexpr":
            inner = constant_text(cast(Any, value).value)
            return None if inner is None else f"constexpr {inner}"
        return f"{kind.__name__} {value}" if kind.__name__ in ("dtype", "pointer_type") else _name_of(value)
    if kind.__name__ == "dtype" and kind.__module__.partition(".")[0] in ("torch", "numpy"):
        return f"{kind.__module__} dtype {value}"
    return _name_of(value)


def _name_of(value: Any) -> str | None:
    """The full name of a module, or of a class or function that only a new version of its package changes."""
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    module = getattr(value, "__module__", None) or ""
    name = getattr(value, "__qualname__", None)
    if name is None or "<locals>" in name:
        return None
    if isinstance(value, (types.BuiltinFunctionType, type)) or module.partition(".")[0] == "mytriton":
        return f"name {module}.{name}"
    return None
