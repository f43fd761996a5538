"""Structured control flow, and the operations on the grid and the block."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, Region, SSAValue

from mytriton.dialects import arith, cuda, tt
from mytriton.dialects.attribute_names import MAY_OVERFLOW, UNSIGNED
from mytriton.dialects.structured import for_loop, if_branch, yield_values
from mytriton.dialects.tensor_types import is_fixed_width_integer
from mytriton.errors import CompilationError, PassError
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.converter import Converter


def convert_for(converter: Converter, op: Operation) -> None:
    """scf.for carries registers where it carried tensors."""
    assert isinstance(op, scf.ForOp)
    if UNSIGNED in op.attributes:
        raise PassError("scf.for unsigned is left: run expand-operations first", op.location)
    lower, upper, step = (converter.scalar(bound) for bound in (op.lb, op.ub, op.step))
    initial = [converter.array(value) for value in op.iter_args]
    body = converter.convert_region(op.body, [lower.type, *(value.type for value in initial)])
    converter.emitter.source = op
    loop = for_loop(lower, upper, step, initial, body)
    loop.attributes = dict(op.attributes)
    if _may_overflow(converter, op):
        loop.attributes[MAY_OVERFLOW] = UnitAttr()
    _finish(converter, op, loop)


def _may_overflow(converter: Converter, loop: scf.ForOp) -> bool:
    """Whether the counter might step over the largest number of its type before it meets the bound."""
    step, upper, type = arith.integer_constant(loop.step), arith.integer_constant(loop.ub), loop.ub.type
    if step == 1 or not is_fixed_width_integer(type):
        return False
    if step is None:
        return True
    if upper is not None:
        return upper - 1 + step >= 1 << (type.bitwidth - 1)
    # A counter that meets the bound exactly steps over nothing.
    facts = converter.facts
    return any(facts.info(bound).divisibility[0] % step for bound in (loop.lb, loop.ub))


def convert_if(converter: Converter, op: Operation) -> None:
    assert isinstance(op, scf.IfOp)
    condition = converter.scalar(op.cond)
    regions = [
        converter.convert_region(region, []) if region.blocks else Region()
        for region in (op.true_region, op.false_region)
    ]
    result_types = [converter.converted_type(result.type) for result in op.results]
    converter.emitter.source = op
    branch = if_branch(condition, result_types, regions[0], regions[1])
    branch.attributes = dict(op.attributes)
    _finish(converter, op, branch)


def convert_while(converter: Converter, op: Operation) -> None:
    assert isinstance(op, scf.WhileOp)
    initial = [converter.array(value) for value in op.arguments]
    result_types = [converter.converted_type(result.type) for result in op.results]
    before = converter.convert_region(op.before_region, [value.type for value in initial])
    after = converter.convert_region(op.after_region, result_types)
    converter.emitter.source = op
    loop = scf.WhileOp(initial, result_types, before, after)
    loop.attributes = dict(op.attributes)
    _finish(converter, op, loop)


def _finish(converter: Converter, old: Operation, new: Operation) -> None:
    converter.emitter.add_op(new)
    for old_result, new_result in zip(old.results, new.results, strict=True):
        converter.set(old_result, new_result)


def convert_yield(converter: Converter, op: Operation) -> None:
    converter.emitter.add_op(yield_values(_arrays(converter, op.operands)))


def convert_condition(converter: Converter, op: Operation) -> None:
    assert isinstance(op, scf.ConditionOp)
    converter.emitter.add_op(scf.ConditionOp(converter.scalar(op.condition), *_arrays(converter, op.args)))


def _arrays(converter: Converter, values: Sequence[SSAValue]) -> list[SSAValue]:
    return [converter.array(value) for value in values]


def convert_program_id(converter: Converter, op: Operation) -> None:
    assert isinstance(op, tt.GetProgramIdOp)
    converter.set(op.result, converter.emitter.add(cuda.BlockIdOp(op.axis.value.data)))


def convert_num_programs(converter: Converter, op: Operation) -> None:
    assert isinstance(op, tt.GetNumProgramsOp)
    converter.set(op.result, converter.emitter.add(cuda.GridDimOp(op.axis.value.data)))


def convert_barrier(converter: Converter, op: Operation) -> None:
    converter.emitter.add_op(cuda.BarrierOp())


def convert_return(converter: Converter, op: Operation) -> None:
    if op.operands:
        raise CompilationError("a kernel returns no value", location_of(op))
    converter.emitter.add_op(cuda.ReturnOp())


def convert_call(converter: Converter, op: Operation) -> None:
    raise CompilationError(
        "convert-to-cuda: a call of a tt function that was not inlined", location_of(op), hint="inline it first"
    )
