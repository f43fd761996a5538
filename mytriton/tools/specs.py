"""Passes, targets and frontends as the command line names them: `name{option=value}`."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Mapping
from types import NoneType
from typing import TypeVar, get_args, get_type_hints

from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible
from xdsl.utils.exceptions import ArgSpecParseError

from mytriton.errors import OptionError
from mytriton.verify import one_line

_ValueT = TypeVar("_ValueT")
_ConvertibleT = TypeVar("_ConvertibleT", bound=ArgSpecConvertible)


class UsageError(OptionError):
    """The command line asks for something that there is not."""


def parse_specs(option: str, text: str, parse: Callable[[str], list[ArgSpec]]) -> list[ArgSpec]:
    """What `parse` makes of `text`, the value of the command-line option `option`."""
    try:
        return parse(text)
    except ArgSpecParseError as error:
        raise UsageError(f"{option} '{text}' is malformed: {_problem(error)}") from None


def look_up(kind: str, option: str, text: str, name: str, known: Mapping[str, _ValueT]) -> _ValueT:
    """The entry `name` of `known`; an error suggests the name that is closest."""
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    advice = f"did you mean '{close[0]}'?" if close else "--help lists what there is"
    raise UsageError(f"unknown {kind} '{name}' in {option} '{text}'; {advice}")


def from_spec(kind: str, spec: ArgSpec, convertible: type[_ConvertibleT]) -> _ConvertibleT:
    """The pass, target or frontend that `spec` describes, with every option checked."""
    options = [field.name for field in dataclasses.fields(convertible) if field.name != "name" and field.init]
    for name in spec.normalize_parameter_names().parameters:
        if name not in options:
            known = ", ".join(option.replace("_", "-") for option in options)
            has = f"its options are {known}" if known else "it has none"
            raise UsageError(f"the {kind} {spec.name} has no option '{name.replace('_', '-')}'; {has}")
    try:
        return convertible.from_spec(spec)
    except (ValueError, TypeError) as error:
        _refuse_wrong_types(kind, spec, convertible)
        raise UsageError(f"the {kind} '{spec}' cannot be made: {one_line(str(error))}") from None


def _refuse_wrong_types(kind: str, spec: ArgSpec, convertible: type[ArgSpecConvertible]) -> None:
    """Raises the error for the first option whose value has another type than the option."""
    types = get_type_hints(convertible)
    for name, values in spec.normalize_parameter_names().parameters.items():
        try:
            convertible.from_spec(ArgSpec(spec.name, {name: values}))
        except ValueError as error:
            if not str(error).startswith("Incompatible types"):
                continue
            option, found = name.replace("_", "-"), ",".join(map(str, values))
            raise UsageError(
                f"the option '{option}' of the {kind} {spec.name} takes {_type_text(types[name])}, found '{found}'"
            ) from None


def _type_text(type: object) -> str:
    names = {int: "an integer", float: "a number", bool: "true or false", str: "a text"}
    parts = [part for part in get_args(type) or (type,) if part is not NoneType]
    return " or ".join(names[part] if part in names else str(part) for part in parts)


def _problem(error: ArgSpecParseError) -> str:
    """xDSL's message without its own picture of the text."""
    lines = [line.strip(" ^") for line in str(error).splitlines()]
    last = next((line for line in reversed(lines) if line), "it cannot be read")
    return last[0].lower() + last[1:]
