"""Which compiled form of a kernel a call needs: the types of its arguments and the facts about them that pay off."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from mytriton.errors import ArgumentError
from mytriton.runtime.argument_types import describe_type
from mytriton.runtime.arguments import ALIGNMENT, CONSTANT, Argument, describe
from mytriton.runtime.constants import constant_key, constant_text, unwrapped
from mytriton.runtime.parameters import Parameter


@dataclass(frozen=True, slots=True)
class Specialization:
    """The arguments of one call. Calls with equal `key` share their compiled code.

    `device` is where the arrays live, empty where there are none. `read_only` names the parameters whose arrays may not
    be written to.
    """

    parameters: Sequence[Parameter]
    arguments: list[Argument]
    key: tuple[Hashable, ...]
    device: str
    read_only: list[str]

    def values(self) -> list[Any]:
        """What the compiled kernel is launched with: the addresses and the numbers, without the constants."""
        return [argument.value for argument in self.arguments if argument.type != CONSTANT]

    def signature(self) -> dict[str, str]:
        """The type of each parameter that is no constant, as in Triton's signatures."""
        return {p.name: a.type for p, a in zip(self.parameters, self.arguments, strict=True) if a.type != CONSTANT}

    def constants(self) -> dict[str, Any]:
        """The value of each constant parameter."""
        return {p.name: a.value for p, a in zip(self.parameters, self.arguments, strict=True) if a.type == CONSTANT}

    def attributes(self) -> dict[str, dict[str, int]]:
        """What is known of each parameter that something is known of: `{"x_ptr": {"divisibility": 16}}`."""
        return {
            p.name: {"divisibility": ALIGNMENT}
            for p, a in zip(self.parameters, self.arguments, strict=True)
            if a.divisible
        }

    def lasting_text(self) -> str | None:
        """The key as a text that means the same in every process, or None where a constant has none."""
        lines: list[str] = []
        for parameter, argument in zip(self.parameters, self.arguments, strict=True):
            text = (
                constant_text(argument.value) if argument.type == CONSTANT else f"{argument.type} {argument.divisible}"
            )
            if text is None:
                return None
            lines.append(f"{parameter.name}: {text}")
        return "\n".join(lines)


def specialize(
    kernel: str, parameters: Sequence[Parameter], values: Sequence[Any], types_allowed: bool = False
) -> Specialization:
    """Describes the value of each parameter; with `types_allowed` a value may be a type (see `describe_type`).

    Raises `ArgumentError` for a value that no kernel takes, and where the arrays live on more than one device.
    """
    arguments: list[Argument] = []
    key: list[Hashable] = []
    read_only: list[str] = []
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.is_constexpr:
            constant = unwrapped(value)
            arguments.append(Argument(CONSTANT, False, constant))
            key.append(constant_key(constant, parameter.name, kernel))
            continue
        argument = describe_type(value, parameter, kernel) if types_allowed else None
        if argument is None:
            argument = describe(unwrapped(value), parameter, kernel)
        arguments.append(argument)
        if argument.type == CONSTANT:
            key.append(constant_key(argument.value, parameter.name, kernel))
            continue
        key.append((argument.type, argument.divisible))
        if not argument.writable:
            read_only.append(parameter.name)
    return Specialization(parameters, arguments, tuple(key), one_device(kernel, parameters, arguments), read_only)


def one_device(kernel: str, parameters: Sequence[Parameter], arguments: Sequence[Argument]) -> str:
    """Where the arrays among the arguments live; empty if there are none. Raises `ArgumentError` for more than one."""
    device = owner = ""
    for parameter, argument in zip(parameters, arguments, strict=True):
        if argument.device and argument.device != device:
            if device:
                raise ArgumentError(
                    f"the arrays of kernel {kernel} must live on one device, "
                    f"but {owner!r} is on {device} and {parameter.name!r} is on {argument.device}"
                )
            device, owner = argument.device, parameter.name
    return device
