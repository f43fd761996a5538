"""Where each variable is declared, and its C name: the name of the Python variable if there is one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType, i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from mytriton.codegen.types import is_vector
from mytriton.dialects import cuda
from mytriton.dialects.tt import PointerType
from mytriton.passes.variables.coalescing import Variable
from mytriton.passes.variables.liveness import CARRIERS


def declaration_point(variable: Variable, order: dict[Operation, int]) -> Operation:
    """The first operation, in the innermost block around all definitions, that is one or holds one."""
    if len(variable.values) == 1:
        return defining_operation(variable.values[0])
    definers = {defining_operation(value) for value in variable.values}
    if len(definers) == 1:
        return definers.pop()
    paths = [_path(op) for op in definers]
    depth = 0
    while all(len(path) > depth for path in paths) and len({path[depth] for path in paths}) == 1:
        depth += 1
    if any(len(path) == depth for path in paths):
        return paths[0][depth - 1]
    return min((path[depth] for path in paths), key=lambda op: order[op])


def defining_operation(value: SSAValue) -> Operation:
    """The operation that makes the value, or that passes it into a region."""
    op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    assert op is not None
    return op


def _path(op: Operation) -> list[Operation]:
    """The operations around an operation and itself, the outermost first."""
    path = [op]
    while (parent := path[-1].parent_op()) is not None:
        path.append(parent)
    return path[::-1]


def hint_of(values: Iterable[SSAValue]) -> str:
    """What a variable is called: like a result of a loop or branch, else like what is carried, else like the first."""
    values = list(values)
    if len(values) > 1:
        values.sort(key=_rank)
    for value in values:
        if value.name_hint is not None:
            return value.name_hint
    return _default_name(values[0])


def _rank(value: SSAValue) -> int:
    if isinstance(value, BlockArgument):
        return 1
    return 0 if isinstance(value.owner, CARRIERS) else 2


def _default_name(value: SSAValue) -> str:
    match value.owner:
        case cuda.ThreadIdOp():
            return "tid"
        case cuda.BlockIdOp() as op:
            return f"block_{cuda.AXES[op.axis.value.data]}"
        case cuda.GridDimOp() as op:
            return f"grid_{cuda.AXES[op.axis.value.data]}"
        case cuda.SharedArrayOp() as op:
            return op.array_name.data
        case cuda.SharedViewOp() as op:
            return op.view_name.data
        case _:
            return _name_by_type(value)


def _name_by_type(value: SSAValue) -> str:
    element = value.type
    if isinstance(element, cuda.RegsType) or is_vector(element):
        return "regs" if isinstance(element, cuda.RegsType) else "v"
    if isinstance(element, PointerType):
        return "ptr"
    if element == i1:
        return "cond"
    if isinstance(element, IntegerType):
        return "index"
    return "x" if isinstance(element, AnyFloat) else "v"


def shared_name(op: cuda.SharedArrayOp | cuda.SharedViewOp) -> str:
    """What an array in shared memory is called by whoever made it."""
    return op.array_name.data if isinstance(op, cuda.SharedArrayOp) else op.view_name.data


def vector_accessed(values: Sequence[SSAValue]) -> bool:
    """Whether any of the register arrays is read or written as vectors."""
    for value in values:
        if not isinstance(value.type, cuda.RegsType):
            return False
        if isinstance(value.owner, cuda.MapOp) and value.owner.step.value.data > 1:
            return True
        for use in value.uses:
            if isinstance(use.operation, cuda.GetOp) and is_vector(use.operation.result.type):
                return True
    return False
