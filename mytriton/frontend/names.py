"""What a name of a kernel stands for outside of it, and which of those things a kernel may use."""

from __future__ import annotations

import builtins
import enum
import types
from typing import Any, TypeGuard

from mytriton import messages
from mytriton.frontend.frame import Frame
from mytriton.language.aggregates import aggregate_value
from mytriton.language.constexpr import constexpr, unwrap
from mytriton.language.context import is_builtin
from mytriton.language.dtypes import dtype
from mytriton.runtime.constexpr_function import ConstexprFunction

ABSENT = object()

PYTHON_FUNCTIONS: frozenset[Any] = frozenset(
    {abs, all, any, bool, divmod, enumerate, float, int, isinstance, len, list, max, min, pow, print, range, repr}
    | {reversed, round, sorted, str, sum, tuple, zip}
)
"""The functions of Python that a kernel may call, most of them on compile-time values only."""

_CONSTANT_TYPES = (bool, int, float, str, bytes, type(None), tuple, dtype, enum.Enum)


def global_value(frame: Frame, name: str) -> Any:
    """What the name stands for outside of the function; raises `CompilationError` if nothing, or nothing usable."""
    cell = frame.closure_variable(name)
    if cell is not None:
        try:
            value = cell.cell_contents
        except ValueError:
            raise messages.undefined_name(name) from None
    else:
        value = frame.namespace.get(name, ABSENT)
    if value is ABSENT:
        value = getattr(builtins, name, ABSENT)
        if value is ABSENT:
            raise messages.undefined_name(name, [*frame.variables, *frame.namespace])
        if is_breakpoint(value):
            return value
        if not isinstance(value, type | types.BuiltinFunctionType) or value not in PYTHON_FUNCTIONS:
            raise messages.python_function_unsupported(name)
        return value
    if isinstance(value, constexpr):
        return _inside(value)
    if is_usable(value):
        return jit_function_in(value)
    raise messages.global_not_constexpr(name, value)


def module_attribute(module: types.ModuleType, name: str) -> Any:
    """An attribute of a module that a kernel uses by the module's name."""
    value = getattr(module, name, ABSENT)
    if value is ABSENT:
        names = getattr(module, "__all__", None) or dir(module)
        raise messages.no_such_attribute(f"module {module.__name__}", name, names)
    value = _inside(value)
    if is_usable(value) or isinstance(value, _CONSTANT_TYPES):
        return jit_function_in(value)
    raise messages.global_not_constexpr(f"{module.__name__}.{name}", value)


def _inside(value: Any) -> Any:
    """What a constexpr holds, and any other value as it is; a Python function inside may be called on constants."""
    if not isinstance(value, constexpr):
        return value
    held = unwrap(value)
    return ConstexprFunction(held) if isinstance(held, types.FunctionType) else held


def is_usable(value: object) -> bool:
    """Whether a kernel may use this global as it is: code and types, but no data, which could change unnoticed."""
    if isinstance(value, types.ModuleType | dtype):
        return True
    if is_constexpr_function(value) or is_named_tuple_class(value) or is_aggregate_class(value):
        return True
    if is_breakpoint(value) or is_builtin(value) or is_jit_function(jit_function_in(value)):
        return True
    if isinstance(value, type):
        return value in PYTHON_FUNCTIONS or value.__module__.startswith("mytriton.language")
    if isinstance(value, enum.Enum):
        return type(value).__module__.startswith("mytriton.language")
    if isinstance(value, types.BuiltinFunctionType):
        return value in PYTHON_FUNCTIONS or value.__module__ == "math"
    return False


def is_jit_function(value: object) -> bool:
    return getattr(value, "is_mytriton_jit", False) is True


def is_breakpoint(value: object) -> bool:
    """Whether this is `breakpoint`, or the function of a debugger that does the same, such as `pdb.set_trace`."""
    is_function = isinstance(value, types.FunctionType | types.MethodType)
    return value is builtins.breakpoint or (is_function and value.__name__ == "set_trace")


def is_constexpr_function(value: object) -> bool:
    return getattr(value, "is_mytriton_constexpr_function", False) is True


def is_named_tuple_class(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_make")  # pyright: ignore[reportUnknownArgumentType]


def is_aggregate_class(value: object) -> TypeGuard[type[aggregate_value]]:
    return isinstance(value, type) and issubclass(value, aggregate_value)


def jit_function_in(value: Any) -> Any:
    """The jit function inside of a wrapper such as an autotuner; any other value as it is."""
    inner = value
    while not is_jit_function(inner):
        if not type(inner).__module__.startswith("mytriton.runtime"):
            return value
        inner = getattr(inner, "fn", None)
    return inner
