"""How a Python range becomes the bounds of an `scf.for`, whose step is positive and whose comparison is signed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.ir import SSAValue

from mytriton import messages
from mytriton.dialects import arith, tt
from mytriton.dialects.arith import integer_constant
from mytriton.language import operators
from mytriton.language.casting import cast_to
from mytriton.language.dtypes import dtype, int64
from mytriton.language.promotion import integer_dtype
from mytriton.language.ranges import LoopRange
from mytriton.language.selection import where
from mytriton.language.values import tensor


@dataclass(frozen=True)
class LoopBounds:
    """The bounds of the loop in the IR; `index` makes the number that the kernel sees from the loop's own counter."""

    start: tensor
    end: tensor
    step: tensor
    index: Callable[[tensor], tensor]
    index_type: dtype
    surely_runs: bool

    @property
    def counter_type(self) -> dtype:
        return self.start.type


def loop_bounds(loop: LoopRange) -> LoopBounds:
    """The bounds for a range; raises `CompilationError` for bounds that are no integers and for a step of 0."""
    for value in (loop.start, loop.end, loop.step):
        _check_bound(value)
    numbers = [_known(value) for value in (loop.start, loop.end, loop.step)]
    if numbers[2] == 0:
        raise messages.zero_step()
    start, end, step = (operators.to_tensor(value) for value in (loop.start, loop.end, loop.step))
    type = integer_dtype(integer_dtype(start.dtype, end.dtype), step.dtype)
    start, end, step = (cast_to(value, type) for value in (start, end, step))
    known = [number for number in numbers if number is not None]
    surely_runs = len(known) == 3 and len(range(known[0], known[1], known[2])) > 0
    if type.is_int_unsigned() and type.int_bitwidth == 64:
        return _counted(start, end, step, surely_runs)
    if not isinstance(loop.step, tensor) and loop.step < 0:
        magnitude = operators.constant(-loop.step, type)

        def downwards(counter: tensor) -> tensor:
            return (start - counter) + (end if isinstance(loop.end, tensor) else loop.end)

        return LoopBounds(end, start, magnitude, downwards, type, surely_runs)
    if not _is_positive(step.handle):
        return _counted(start, end, step, surely_runs)
    if type.is_int_unsigned():
        wide = [cast_to(value, int64) for value in (start, end, step)]
        return LoopBounds(*wide, index=lambda counter: cast_to(counter, type), index_type=type, surely_runs=surely_runs)
    return LoopBounds(start, end, step, lambda counter: counter, type, surely_runs)


def _check_bound(value: Any) -> None:
    if isinstance(value, tensor):
        if value.is_block or not value.dtype.is_int():
            raise messages.bad_loop_bound(value)
    elif not isinstance(value, int):
        raise messages.bad_loop_bound(value)


def _known(value: Any) -> int | None:
    return integer_constant(value.handle) if isinstance(value, tensor) else int(value)


def _is_positive(value: SSAValue) -> bool:
    """Whether an integer is greater than zero, as far as one can see."""
    if (number := integer_constant(value)) is not None:
        return number > 0
    owner = value.owner
    if isinstance(owner, arith.MuliOp | arith.AddiOp):
        return _is_positive(owner.lhs) and _is_positive(owner.rhs)
    return isinstance(owner, tt.GetNumProgramsOp)


def _counted(start: tensor, end: tensor, step: tensor, surely_runs: bool) -> LoopBounds:
    """Counts the turns, for a step of unknown sign, with which a step of 0 makes no turn."""
    unsigned = start.dtype.is_int_unsigned()
    zero = operators.constant(0, start.dtype)
    upwards = operators.not_equal(step, zero) if unsigned else step > zero
    runs = upwards & (start < end)
    distance, size = end - start, step
    if not unsigned:
        runs = runs | ((step < zero) & (start > end))
        distance, size = where(upwards, distance, start - end), where(upwards, step, zero - step)
    # As unsigned numbers, which hold the distance between any two signed ones.
    bits = dtype(f"uint{start.dtype.int_bitwidth}")
    distance, size = cast_to(distance, bits), cast_to(size, bits)
    turns = cast_to((distance - 1) // size, int64) + 1
    end_count = where(runs, turns, operators.constant(0, int64))

    def index(counter: tensor) -> tensor:
        return start + cast_to(counter, start.dtype) * step

    one = operators.constant(1, int64)
    return LoopBounds(operators.constant(0, int64), end_count, one, index, start.dtype, surely_runs)
