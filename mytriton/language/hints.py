"""What a kernel tells the compiler, and the compiler the user: hints, assertions and messages at compile time."""

from __future__ import annotations

from typing import Any

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder, is_silent
from mytriton.language.dtypes import int1
from mytriton.language.shapes import constant_int
from mytriton.language.values import Operand, is_sequence, tensor


@builtin
def multiple_of(input: tensor, values: Any) -> tensor:
    """Promises that the first of every run of elements along each axis is divisible by the number given for it."""
    return _hint("multiple_of", "tt.divisibility", input, values)


@builtin
def max_contiguous(input: tensor, values: Any) -> tensor:
    """Promises that each run of so many elements along each axis is contiguous: every one is 1 more than the last."""
    return _hint("max_contiguous", "tt.contiguity", input, values)


@builtin
def max_constancy(input: tensor, values: Any) -> tensor:
    """Promises that each run of so many elements along each axis has equal elements."""
    return _hint("max_constancy", "tt.constancy", input, values)


def _hint(function: str, attribute: str, value: object, numbers: object) -> tensor:
    if not isinstance(value, tensor):
        raise messages.not_a_value(value)
    numbers = unwrap(numbers)
    items = list(numbers) if is_sequence(numbers) else [numbers]
    amounts = [constant_int(item, "values") for item in items]
    if len(amounts) != (len(value.shape) or 1):
        raise messages.hint_of_wrong_rank(function, amounts, value.shape)
    if any(not 0 < amount < 1 << 31 for amount in amounts):
        raise messages.hint_not_positive(function, amounts)
    current_builder().set_hint(value.handle, attribute, amounts)
    return value


@builtin
def assume(cond: Operand) -> None:
    """Promises that a scalar condition holds wherever the program comes here; nothing checks it."""
    condition = unwrap(cond)
    if isinstance(condition, tensor) and condition.constant is None:
        if condition.is_block:
            raise messages.scalar_expected("assume", "condition", condition.type)
        current_builder().assume(cast_to(condition, int1).handle)


@builtin
def static_assert(cond: Any, msg: Any = "") -> None:
    """Refuses to compile the kernel where a condition that is known at compile time does not hold."""
    cond = unwrap(cond)
    if isinstance(cond, tensor) and cond.constant is None:
        raise messages.static_condition_at_runtime("static_assert")
    if not (cond.constant if isinstance(cond, tensor) else cond):
        raise messages.static_assertion_failed(str(unwrap(msg)))


@builtin
def static_print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    """Prints while the kernel is compiled; of a value that is not known then, its type."""
    if is_silent():
        return
    print(*(unwrap(value) for value in values), sep=unwrap(sep), end=unwrap(end), file=file, flush=bool(unwrap(flush)))
