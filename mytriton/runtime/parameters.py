"""The parameters of a kernel, and how the values of a call are bound to them."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

from mytriton.errors import ArgumentError
from mytriton.structures import is_composite, structure_of

MISSING = inspect.Parameter.empty
"""The default of a parameter that has none."""

_CONSTEXPR_WORD = re.compile(r"\bconstexpr\b")
NUMBER_TYPES = {
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
}
"""The dtypes that all libraries call by one name, and Triton's names in signatures."""

_SCALAR_TYPES = {
    "int1": "i1",
    **NUMBER_TYPES,
    "float8e4nv": "fp8e4nv",
    "float8e5": "fp8e5",
    "float8e4b8": "fp8e4b8",
    "float8e5b16": "fp8e5b16",
    "float8e4b15": "fp8e4b15",
    "bool": "i1",
    "u1": "i1",
}
SCALAR_TYPES = frozenset(_SCALAR_TYPES.values())
"""How the types of scalar arguments are written, as in Triton's signatures."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a kernel.

    `scalar_type` is the type that an annotation such as `n: tl.int64` gives it. `specialize`: a value of 1 and
    divisibility by 16 may go into the compiled code; `specialize_on_alignment`: divisibility by 16 may.
    """

    index: int
    name: str
    default: Any
    annotation: Any
    is_constexpr: bool
    scalar_type: str | None
    specialize: bool = True
    specialize_on_alignment: bool = True

    @property
    def has_default(self) -> bool:
        return self.default is not MISSING

    @property
    def num(self) -> int:
        """Triton's name of `index`."""
        return self.index

    @property
    def do_not_specialize(self) -> bool:
        return not self.specialize

    @property
    def do_not_specialize_on_alignment(self) -> bool:
        return not self.specialize_on_alignment

    def __str__(self) -> str:
        text = f"{self.name}: constexpr" if self.is_constexpr else self.name
        return f"{text}={self.default!r}" if self.has_default else text


def parameters_of(
    function: Callable[..., Any],
    do_not_specialize: Iterable[int | str] = (),
    do_not_specialize_on_alignment: Iterable[int | str] = (),
) -> list[Parameter]:
    """The parameters of `function`; the two iterables name some of them, by position or by name."""
    unspecialized, unaligned = set(do_not_specialize), set(do_not_specialize_on_alignment)
    parameters: list[Parameter] = []
    for index, parameter in enumerate(inspect.signature(function).parameters.values()):
        is_constexpr = _is_constexpr(parameter.annotation, function)
        parameters.append(
            Parameter(
                index,
                parameter.name,
                parameter.default,
                parameter.annotation,
                is_constexpr,
                None if is_constexpr else _scalar_type(parameter.annotation),
                index not in unspecialized and parameter.name not in unspecialized,
                index not in unaligned and parameter.name not in unaligned,
            )
        )
    return parameters


def scalar_type_name(text: str) -> str | None:
    """`"int32"`, `"i32"`, `"tl.int32"` -> `"i32"`; None where `text` names no scalar type."""
    word = text.rpartition(".")[2]
    word = _SCALAR_TYPES.get(word, word)
    return word if word in SCALAR_TYPES else None


def _is_constexpr(annotation: Any, function: Callable[..., Any]) -> bool:
    if annotation is MISSING:
        return False
    if not isinstance(annotation, str):
        return getattr(annotation, "__name__", None) == "constexpr" or bool(_CONSTEXPR_WORD.search(str(annotation)))
    if _CONSTEXPR_WORD.search(annotation):
        return True
    # The class may go by another name, as in `from triton.language import constexpr as const`.
    root, *attributes = annotation.strip("'\"").split(".")
    value = getattr(function, "__globals__", cast(dict[str, Any], {})).get(root)
    for attribute in attributes:
        value = getattr(value, attribute, None)
    return isinstance(value, type) and value.__name__ == "constexpr"


def _scalar_type(annotation: Any) -> str | None:
    if annotation is MISSING or annotation in (int, float, bool):
        return None
    if isinstance(annotation, str):
        text = annotation.strip("'\"")
        return None if text in ("int", "float", "bool") else scalar_type_name(text)
    return scalar_type_name(str(annotation)) if _is_language_dtype(annotation) else None


def _is_language_dtype(annotation: Any) -> bool:
    return type(annotation).__name__ == "dtype" and type(annotation).__module__.startswith("mytriton.language")


def expand(parameters: Sequence[Parameter], values: Sequence[Any]) -> tuple[Sequence[Parameter], Sequence[Any]]:
    """The same with one parameter more for each part of an argument that is made of others.

    The argument itself becomes a constant, its `Structure`.
    """
    if not any(is_composite(value) and not p.is_constexpr for p, value in zip(parameters, values, strict=True)):
        return parameters, values
    taken = {parameter.name for parameter in parameters}
    new_parameters: list[Parameter] = []
    new_values: list[Any] = []
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.is_constexpr or not is_composite(value):
            new_parameters.append(parameter)
            new_values.append(value)
            continue
        name = parameter.name
        while any(other.startswith(f"{name}_") for other in taken):
            name += "_"
        structure, parts = structure_of(name, value)
        new_parameters.append(replace(parameter, is_constexpr=True))
        new_values.append(structure)
        for part in parts:
            is_constant = part.is_constant or isinstance(part.value, str) or type(part.value).__name__ == "constexpr"
            new_parameters.append(replace(parameter, name=part.name, is_constexpr=is_constant))
            new_values.append(part.value)
    return new_parameters, new_values


def bind_variadic(
    name: str, function: Callable[..., Any], parameters: Sequence[Parameter], args: Sequence[Any], kwargs: Any
) -> list[Any]:
    """Like `bind`, for a kernel with `*args`, which is a tuple."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        _refuse(name, parameters, str(error))
    bound.apply_defaults()
    return list(bound.arguments.values())


def bind(
    name: str, parameters: Sequence[Parameter], positional: Sequence[Any], keywords: Mapping[str, Any]
) -> list[Any]:
    """The value of each parameter, from a call of kernel `name`; raises `ArgumentError` where they do not fit."""
    if len(positional) > len(parameters):
        _refuse(name, parameters, f"takes {len(parameters)} arguments, but {len(positional)} were given")
    values = list(positional)
    used = 0
    for parameter in parameters[len(positional) :]:
        if parameter.name in keywords:
            values.append(keywords[parameter.name])
            used += 1
        elif parameter.default is not MISSING:
            values.append(parameter.default)
        else:
            given = set(keywords)
            missing = [p.name for p in parameters[len(positional) :] if p.name not in given and p.default is MISSING]
            unknown = [k for k in keywords if k not in {p.name for p in parameters}]
            if unknown:
                _refuse_keyword(name, parameters, unknown[0])
            plural = "s" if len(missing) > 1 else ""
            _refuse(name, parameters, f"is missing the argument{plural} {', '.join(map(repr, missing))}")
    if used != len(keywords):
        names = [parameter.name for parameter in parameters]
        for keyword in keywords:
            if keyword not in names:
                _refuse_keyword(name, parameters, keyword)
            if keyword in names[: len(positional)]:
                _refuse(name, parameters, f"got two values for the argument {keyword!r}")
    return values


def _refuse_keyword(name: str, parameters: Sequence[Parameter], keyword: str) -> NoReturn:
    close = difflib.get_close_matches(keyword, [parameter.name for parameter in parameters], 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    _refuse(name, parameters, f"has no parameter and no option {keyword!r}{hint}")


def _refuse(name: str, parameters: Sequence[Parameter], what: str) -> NoReturn:
    raise ArgumentError(f"kernel {name} {what}\nits signature is {signature_text(name, parameters)}")


def signature_text(name: str, parameters: Sequence[Parameter]) -> str:
    """`add(x_ptr, n, BLOCK: constexpr=64)`"""
    return f"{name}({', '.join(map(str, parameters))})"


def refuse_variadic(name: str, function: Callable[..., Any]) -> None:
    """Refuses a kernel with `**kwargs`: keywords that are no parameters are options of the launch."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            raise ArgumentError(f"kernel {name} cannot be launched: its parameter {str(parameter)!r} takes any number")
