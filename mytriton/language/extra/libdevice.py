"""The functions of NVIDIA's libdevice, such as `libdevice.tanh(x)`, element by element.

Their names and dtypes are those of Triton 3.9. Nothing is promoted: the operands must have the dtypes of one of a
function's forms, where a number has the dtype that it has by itself. Their shapes broadcast.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import float32, float64, int1, int32, int64, uint32, uint64
from mytriton.language.operators import to_tensor
from mytriton.language.shapes import broadcast_all
from mytriton.language.values import Argument, block_like, tensor

if TYPE_CHECKING:
    from mytriton.libdevice import Overload

_DTYPES = {
    "int32": int32,
    "uint32": uint32,
    "int64": int64,
    "uint64": uint64,
    "fp32": float32,
    "fp64": float64,
}

_TESTS = frozenset({"finitef", "isfinited", "isinf", "isnan"})
"""The functions whose result becomes a boolean."""


def _call(name: str, overloads: tuple[Overload, ...], arguments: tuple[Argument, ...]) -> tensor:
    operands = [to_tensor(unwrap(argument)) for argument in arguments]
    dtypes = tuple(operand.dtype.name for operand in operands)
    overload = next((overload for overload in overloads if overload.operands == dtypes), None)
    if overload is None:
        raise messages.no_such_overload(name, dtypes, [overload.operands for overload in overloads])
    operands = broadcast_all(operands)
    type = block_like(_DTYPES[overload.result], operands[0].shape)
    handles = [operand.handle for operand in operands]
    result = tensor(current_builder().extern_elementwise(overload.symbol, handles, type), type)
    return cast_to(result, int1) if name in _TESTS else result


def _function(name: str, overloads: tuple[Overload, ...]) -> Any:
    parameters = [
        inspect.Parameter(f"arg{index}", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for index in range(len(overloads[0].operands))
    ]
    signature = inspect.Signature(parameters)

    def function(*args: Argument, **kwargs: Argument) -> tensor:
        return _call(name, overloads, signature.bind(*args, **kwargs).args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "; ".join(f"({', '.join(o.operands)}) -> {o.result}" for o in overloads)
    function.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    return builtin(function)


def __getattr__(name: str) -> Any:
    # Made when it is first asked for: most kernels use none, and few use many.
    from mytriton.libdevice import FUNCTIONS

    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = globals()[name] = _function(name, FUNCTIONS[name])
    return function


def __dir__() -> list[str]:
    from mytriton.libdevice import FUNCTIONS

    return sorted(FUNCTIONS)
