"""Values of variables where control flow meets: what a branch yields and what a loop carries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir import SSAValue

from mytriton import messages
from mytriton.frontend.frame import Undefined
from mytriton.language.dtypes import dtype
from mytriton.language.operators import constant, to_tensor
from mytriton.language.values import is_number, is_tuple, tensor


def leaves(value: Any) -> Iterator[tensor]:
    """The tensors in a value, which may be a tuple of values."""
    if isinstance(value, tensor):
        yield value
    elif is_tuple(value):
        for element in value:
            yield from leaves(element)


def with_leaves(value: Any, replacements: Iterator[tensor]) -> Any:
    """The value with its tensors replaced, in order."""
    if isinstance(value, tensor):
        return next(replacements)
    if is_tuple(value):
        return like_tuple(value, [with_leaves(element, replacements) for element in value])
    return value


def like_tuple(value: tuple[Any, ...], elements: Sequence[Any]) -> tuple[Any, ...]:
    """A tuple, or named tuple, of the kind of `value` with other elements."""
    return type(value)._make(elements) if hasattr(value, "_make") else tuple(elements)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


def same_constant(a: Any, b: Any) -> bool:
    """Whether two values are the same compile-time value; 1, 1.0 and True differ."""
    if a is b:
        return True
    if type(a) is not type(b) or any(True for value in (a, b) for _ in leaves(value)):
        return False
    if is_tuple(a):
        return len(a) == len(b) and all(same_constant(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b or (a != a and b != b))


@dataclass(frozen=True)
class _Result:
    """The place of a result of the branch."""

    index: int
    type: dtype


class Join:
    """Pairs of values, of which the one or the other is taken when the kernel runs."""

    def __init__(self) -> None:
        self.first: list[tensor] = []
        self.second: list[tensor] = []

    def add(self, a: Any, b: Any) -> Any:
        """Notes a pair; gives a form for `filled`. Raises `CompilationError` where the two cannot become one value."""
        if isinstance(a, Undefined):
            return a
        if isinstance(b, Undefined):
            return b
        if isinstance(a, tensor) or isinstance(b, tensor):
            return self._add_tensors(a, b)
        if is_tuple(a) and is_tuple(b) and type(a) is type(b) and len(a) == len(b):
            return like_tuple(a, [self.add(x, y) for x, y in zip(a, b, strict=True)])
        if same_constant(a, b):
            return a
        if is_number(a) and is_number(b):
            return self._add_tensors(to_tensor(a), to_tensor(b))
        raise messages.values_do_not_join(a, b)

    def _add_tensors(self, a: Any, b: Any) -> Any:
        a, b = _number_like(a, b), _number_like(b, a)
        if not isinstance(a, tensor) or not isinstance(b, tensor) or a.type != b.type:
            raise messages.values_do_not_join(a, b)
        if a.handle is b.handle:
            return a
        self.first.append(a)
        self.second.append(b)
        return _Result(len(self.first) - 1, a.type)

    @property
    def types(self) -> list[dtype]:
        return [value.type for value in self.first]


def filled(form: Any, results: Sequence[SSAValue]) -> Any:
    """The value for a form that `Join.add` gave, from the results of the branch."""
    if isinstance(form, _Result):
        return tensor(results[form.index], form.type)
    if is_tuple(form):
        return like_tuple(form, [filled(element, results) for element in form])
    return form


def _number_like(value: Any, other: Any) -> Any:
    """A number in the dtype of the scalar that it is joined with, where its kind allows that."""
    if not is_number(value) or not isinstance(other, tensor) or other.is_block or other.dtype.is_ptr():
        return value
    natural = to_tensor(value)
    return constant(value, other.dtype) if natural.dtype.kind().value <= other.dtype.kind().value else natural
