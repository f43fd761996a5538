"""Which values are written in place, inside the expression that uses them, and which get a variable.

Constants are always written in place, and so is a pure value with a single use in the same block, as long as the line
stays readable. A pure value moves to the statement that it is written in; nothing else moves.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, OpResult, SSAValue, Use
from xdsl.traits import NoMemoryEffect, Pure, is_side_effect_free

from mytriton.codegen.floats import REPEATING_PREDICATES
from mytriton.dialects import arith, cuda

WIDEST_STATEMENT = 84
"""Columns that the expression of one statement may take, by estimate."""

WIDEST_OPERAND = 20
"""Columns below which moving an operand into a variable of its own does not pay."""

# Values that are named by what they are, and values that are arrays or the like.
_NEVER = (
    cuda.ThreadIdOp,
    cuda.BlockIdOp,
    cuda.GridDimOp,
    cuda.ShuffleXorOp,
    cuda.SplatOp,
    cuda.SharedArrayOp,
    cuda.SharedViewOp,
)


class Inlining:
    """The values of one kernel that are written in place; `statements` says where that is."""

    def __init__(self, function: cuda.FuncOp):
        self.in_place: set[SSAValue] = set()
        self._widths: dict[SSAValue, int] = {}
        self._statements: dict[Operation, tuple[Operation, ...]] = {}
        self._block(function.body.block)

    def statements(self, use: Use) -> list[Use]:
        """The operands of statements in which a use of a value ends up, through the values written in place."""
        result = use.operation.results[0] if len(use.operation.results) == 1 else None
        if result is None or result not in self.in_place:
            return [use]
        return [statement for outer in result.uses for statement in self.statements(outer)]

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._operation(op)
            for region in op.regions:
                for inner in region.blocks:
                    self._block(inner)
        self._inline_last_loads(block)

    def _operation(self, op: Operation) -> None:
        width = self._fit(op)
        if len(op.results) != 1 or op.regions:
            return
        result = op.results[0]
        if _can_be_in_place(op, result):
            self.in_place.add(result)
            self._widths[result] = width

    def _fit(self, op: Operation) -> int:
        """The estimated width of an operation's expression, after giving variables to operands that are too wide."""
        operands = [(self._width(operand), operand) for operand in op.operands]
        total = sum(width for width, _ in operands) + _own_width(op, len(operands))
        if total <= WIDEST_STATEMENT:
            return total
        for width, operand in sorted(operands, key=lambda entry: -entry[0]):
            is_constant = isinstance(operand.owner, arith.ConstantOp)
            if total <= WIDEST_STATEMENT or width < WIDEST_OPERAND:
                break
            if operand in self.in_place and not is_constant:
                self.in_place.discard(operand)
                total -= width - _name_width(operand)
        return total

    def _width(self, value: SSAValue) -> int:
        if value in self.in_place:
            return self._widths[value]
        return _name_width(value)

    def _inline_last_loads(self, block: Block) -> None:
        """A load that a `cuda.map` yields is written straight into the register, where nothing can write in between."""
        last = block.last_op
        if not isinstance(last, cuda.YieldOp) or not isinstance(last.parent_op(), cuda.MapOp):
            return
        op = last.prev_op
        while op is not None and (isinstance(op, cuda.LoadOp) or _is_pure(op)):
            if isinstance(op, cuda.LoadOp):
                use = op.result.get_user_of_unique_use()
                if use is last:
                    self.in_place.add(op.result)
            op = op.prev_op


def _is_pure(op: Operation) -> bool:
    return op.has_trait(Pure) or op.has_trait(NoMemoryEffect) or is_side_effect_free(op)


def _can_be_in_place(op: Operation, result: OpResult) -> bool:
    if isinstance(op, arith.ConstantOp):
        return True
    if isinstance(op, _NEVER) or not op.has_trait(Pure):
        return False
    block = op.parent
    if isinstance(op, cuda.GetOp) and not isinstance(op.index.owner, Operation):
        # As short as a name: it may be repeated.
        return all(use.operation.parent is block and _may_hold_expression(use) for use in result.uses)
    use = result.get_unique_use()
    return use is not None and use.operation.parent is block and _may_hold_expression(use)


def _may_hold_expression(use: Use) -> bool:
    """Whether the operand is written exactly once, and not evaluated again and again."""
    op = use.operation
    if isinstance(op, scf.ForOp):
        return use.index not in (1, 2)
    if isinstance(op, arith.CmpfOp):
        return op.predicate_name not in REPEATING_PREDICATES
    return not isinstance(op, cuda.SplatOp)


def _name_width(value: SSAValue) -> int:
    return len(value.name_hint) if value.name_hint else 3


def _own_width(op: Operation, operands: int) -> int:
    """Columns beside the operands: operators, function names, parentheses."""
    match op:
        case arith.ConstantOp():
            return 4
        case cuda.GetOp() | cuda.PtrAddOp():
            return 2
        case cuda.LoadOp():
            return 8
        case (
            arith.AddfOp() | arith.MulfOp() | arith.SubfOp() | arith.IntegerBinaryOp() | arith.CmpiOp() | arith.CmpfOp()
        ):
            return 4
        case _:
            return 6 + 3 * operands
