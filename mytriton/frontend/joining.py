"""Values of variables where control flow meets: what a branch yields and what a loop carries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir import SSAValue

from mytriton import messages
from mytriton.frontend.frame import UNNEEDED, Undefined
from mytriton.language.casting import cast_to
from mytriton.language.context import current_builder
from mytriton.language.dtypes import descriptor_handle_type, dtype, int64
from mytriton.language.operators import constant, to_tensor
from mytriton.language.values import are_alike, is_number, like_composite, parts_of, tensor


def leaves(value: Any) -> Iterator[tensor]:
    """The tensors in a value, which may be made of values."""
    if isinstance(value, tensor):
        yield value
    for part in parts_of(value) or ():
        yield from leaves(part)


def with_leaves(value: Any, replacements: Iterator[tensor]) -> Any:
    """The value with its tensors replaced, in order."""
    if isinstance(value, tensor):
        return next(replacements)
    parts = parts_of(value)
    return value if parts is None else like_composite(value, [with_leaves(part, replacements) for part in parts])


def same_constant(a: Any, b: Any) -> bool:
    """Whether two values are the same compile-time value; 1, 1.0 and True differ."""
    if a is b:
        return True
    if type(a) is not type(b) or any(True for value in (a, b) for _ in leaves(value)):
        return False
    parts, others = parts_of(a), parts_of(b)
    if parts is not None and others is not None:
        return are_alike(a, b) and all(same_constant(x, y) for x, y in zip(parts, others, strict=True))
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
        if a is UNNEEDED or b is UNNEEDED:
            a, b = (zeros_for(y) if x is UNNEEDED else x for x, y in ((a, b), (b, a)))
        if isinstance(a, tensor) or isinstance(b, tensor):
            return self._add_tensors(a, b)
        if are_alike(a, b):
            return like_composite(
                a, [self.add(x, y) for x, y in zip(parts_of(a) or (), parts_of(b) or (), strict=True)]
            )
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
    parts = parts_of(form)
    return form if parts is None else like_composite(form, [filled(part, results) for part in parts])


def zeros_for(value: Any) -> Any:
    """What stands for a value that is never used: the same with zeros in place of its tensors."""
    return with_leaves(value, (_zero(leaf) for leaf in leaves(value)))


def _zero(value: tensor) -> tensor:
    if isinstance(value.type, descriptor_handle_type):
        return tensor(current_builder().poison(value.type), value.type)
    if not value.dtype.is_ptr():
        return constant(0, value.dtype, value.shape)
    return cast_to(constant(0, int64, value.shape), value.dtype)


def _number_like(value: Any, other: Any) -> Any:
    """A number in the dtype of the scalar that it is joined with, where its kind allows that."""
    if not is_number(value) or not isinstance(other, tensor) or other.is_block or other.dtype.is_ptr():
        return value
    natural = to_tensor(value)
    return constant(value, other.dtype) if natural.dtype.kind().value <= other.dtype.kind().value else natural
