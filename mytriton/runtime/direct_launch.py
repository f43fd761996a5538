"""Launching a compiled kernel itself, as `kernel.warmup(...)[grid](...)`: its arguments must fit the compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from mytriton.errors import ArgumentError
from mytriton.runtime.arguments import CONSTANT, Argument, describe
from mytriton.runtime.constants import constant_key, unwrapped
from mytriton.runtime.parameters import Parameter, bind
from mytriton.runtime.specialize import Specialization, one_device
from mytriton.structures import Structure, is_composite, structure_of


def values_like(kernel: str, like: Specialization, args: Sequence[Any]) -> list[tuple[Parameter, Argument, Any]]:
    """Parameters of a kernel that was compiled for arguments as in `like`, with those arguments and the values given.

    `args` has a value for every parameter, or for every one that is no constant of the compiled code. Raises
    `ArgumentError` for another number of them.
    """
    args = [part for value in args for part in _parts(value)]
    pairs = list(zip(like.parameters, like.arguments, strict=True))
    passed = [(parameter, wanted) for parameter, wanted in pairs if wanted.type != CONSTANT]
    if len(args) != len(passed) or len(args) == len(pairs):
        args = bind(kernel, like.parameters, args, {})
        passed = pairs
    return [(*pair, unwrapped(value)) for pair, value in zip(passed, args, strict=True)]


def specialization_like(
    kernel: str, like: Specialization, values: Sequence[tuple[Parameter, Argument, Any]]
) -> Specialization:
    """The arguments of a launch with `values`, as `values_like` gives them, of a kernel compiled as in `like`.

    Raises `ArgumentError` where the compiled code does not fit: another type, another constant, a pointer that is not
    aligned.
    """
    found = [_fitting(kernel, *value) for value in values]
    parameters = [parameter for parameter, _, _ in values]
    read_only = [p.name for p, argument in zip(parameters, found, strict=True) if not argument.writable]
    return Specialization(parameters, found, like.key, one_device(kernel, parameters, found), read_only)


def _parts(value: Any) -> list[Any]:
    """What stands for an argument in the compiled code: itself, or its structure and its parts."""
    if not is_composite(value):
        return [value]
    structure, parts = structure_of("", value)
    return [structure, *(part.value for part in parts)]


def _fitting(kernel: str, parameter: Parameter, wanted: Argument, value: Any) -> Argument:
    if isinstance(wanted.value, Structure) and isinstance(value, Structure):
        if wanted.value.is_like(value):
            return wanted
    if wanted.type == CONSTANT:
        if constant_key(value, parameter.name, kernel) != constant_key(wanted.value, parameter.name, kernel):
            _refuse(kernel, parameter, f"the constant {wanted.value!r}", repr(value))
        return wanted
    # The value 1 is a number like any other where the code was compiled for all of them.
    found = describe(value, replace(parameter, specialize=False), kernel)
    if found.type != wanted.type:
        _refuse(kernel, parameter, f"the type {wanted.type}", found.type)
    if wanted.divisible and not describe(value, parameter, kernel).divisible:
        _refuse(kernel, parameter, "a number that 16 divides", str(found.value))
    return found


def _refuse(kernel: str, parameter: Parameter, wanted: str, found: str) -> NoReturn:
    raise ArgumentError(
        f"kernel {kernel} was compiled for {wanted} as the argument {parameter.name!r}, found {found}; "
        "launch the function itself to have it compiled for these arguments"
    )
