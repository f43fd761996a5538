"""`where`."""

from __future__ import annotations

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import int1
from mytriton.language.operators import dtype_of, operands, to_tensor
from mytriton.language.shapes import broadcast_pair
from mytriton.language.values import Argument, Operand, like, tensor


@builtin
def where(condition: Argument, x: Argument, y: Argument) -> tensor:
    """The element of `x` where `condition` is true, else that of `y`; both are evaluated in any case."""
    chosen = cast_to(to_tensor(unwrap(condition)), int1)
    a, b = _alternatives(unwrap(x), unwrap(y))
    chosen, a = broadcast_pair(chosen, a)
    b = broadcast_pair(a, b)[1]
    return like(a, current_builder().select(chosen.handle, a.handle, b.handle))


def _alternatives(x: Operand, y: Operand) -> tuple[tensor, tensor]:
    if not isinstance(x, tensor) or not x.dtype.is_ptr():
        return operands(x, y, "where")
    if dtype_of(y) != x.dtype:
        raise messages.bad_operands("where", x.dtype, dtype_of(y))
    return broadcast_pair(x, to_tensor(y))
