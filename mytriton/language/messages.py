"""What a running kernel prints and checks, and where its threads wait for each other."""

from __future__ import annotations

import string
from typing import Any

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import float16, int1
from mytriton.language.operators import equal, logical_not, or_, to_tensor
from mytriton.language.values import Argument, Operand, member, tensor


@builtin
def device_print(prefix: str, *args: Argument, hex: bool = False) -> None:
    """Prints values while the kernel runs, each with `prefix`, a text that is known when it is compiled.

    `hex`: integers as hexadecimal numbers, and floats too. Python's `print` does the same.
    """
    text = unwrap(prefix)
    if not isinstance(text, str):
        raise messages.prefix_not_text(text)
    if any(character not in string.printable for character in text):
        raise messages.prefix_not_ascii(text)
    values = [with_its_value(to_tensor(unwrap(arg))) for arg in args]
    if values:
        text = f"{text.removesuffix(' ').removesuffix(':')}: "
    if len(text) > 2 and not text.startswith(" "):
        text = f" {text}"
    signed = [value.dtype.is_int_signed() for value in values]
    current_builder().print_values(text, bool(unwrap(hex)), [value.handle for value in values], signed)


def with_its_value(value: tensor) -> tensor:
    """The same number in a dtype that holds it as such: a `float8e4b15` is a byte otherwise."""
    return cast_to(value, float16) if value.dtype.is_fp8e4b15() else value


@member
@builtin
def device_assert(cond: Argument, msg: Any = "", mask: Argument | None = None) -> None:
    """Ends the launch with an error where the condition is false, and the mask true.

    It is compiled only with the option `debug=True`. `msg` is a text that is known when the kernel is compiled.
    Python's `assert` does the same.
    """
    text = unwrap(msg)
    if not isinstance(text, str):
        raise messages.message_not_text(text)
    builder = current_builder()
    if not builder.debug:
        return
    condition, mask = cast_to(to_tensor(unwrap(cond)), int1), unwrap(mask)
    if mask is not None:
        condition = or_(condition, logical_not(to_tensor(mask)))
    builder.check(condition.handle, text)


@builtin
def expect_zero(x: Argument, mask: Argument) -> Operand:
    """`x`, of which is said that it is 0 where the mask is true; the option `debug=True` checks that."""
    value = unwrap(x)
    if current_builder().debug:
        device_assert(equal(value, 0), "expect_zero expected x == 0 where mask is true", mask)
    return value


@builtin
def debug_barrier() -> None:
    """All threads of a program wait here for each other; what was stored before is seen after."""
    current_builder().barrier()
