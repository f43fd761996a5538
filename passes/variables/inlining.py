"""Which values are written in place, inside the expression that uses them, and which get a variable.

Constants are always written in place, and so is a pure value with a single use in the same block, as long as the line
stays readable. A pure value moves to the statement that it is written in; nothing else moves.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.traits import Pure

from mytriton.codegen.floats import REPEATING_PREDICATES
from mytriton.dialects import arith, cuda
from mytriton.dialects.building import has_trait, operations
from mytriton.passes.effects import Effects, effects_of

WIDEST_STATEMENT = 84
"""Columns that the expression of one statement may take, by estimate."""

WIDEST_OPERAND = 20
"""Columns below which moving an operand into a variable of its own does not pay."""

# Values that are named by what they are, and values that are arrays or the like.
_NEVER = frozenset(
    (
        cuda.ThreadIdOp,
        cuda.BlockIdOp,
        cuda.GridDimOp,
        cuda.ShuffleXorOp,
        cuda.ShuffleOp,
        cuda.SplatOp,
        cuda.SharedArrayOp,
        cuda.SharedViewOp,
    )
)


class Inlining:
    """The values of one kernel that are written in place; `statements` says where that is."""

    def __init__(self, function: cuda.FuncOp):
        self.in_place: set[SSAValue] = set()
        self._widths: dict[SSAValue, int] = {}
        self._block(function.body.block)

    def statements(self, use: Use) -> list[Use]:
        """The operands of statements in which a use of a value ends up, through the values written in place."""
        results = use.operation.results
        if len(results) != 1 or results[0] not in self.in_place:
            return [use]
        return [statement for outer in results[0].uses for statement in self.statements(outer)]

    def _block(self, block: Block) -> None:
        for op in operations(block):
            self._operation(op)
            if op.regions:
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
        total = _own_width(op)
        for operand in op.operands:
            total += self._width(operand)
        if total <= WIDEST_STATEMENT:
            return total
        operands = [(self._width(operand), operand) for operand in op.operands]
        for width, operand in sorted(operands, key=lambda entry: -entry[0]):
            is_constant = isinstance(operand.owner, arith.ConstantOp)
            if total <= WIDEST_STATEMENT or width < WIDEST_OPERAND:
                break
            if operand in self.in_place and not is_constant:
                self.in_place.discard(operand)
                self._widths.pop(operand, None)
                total -= width - _name_width(operand)
        return total

    def _width(self, value: SSAValue) -> int:
        width = self._widths.get(value)
        return _name_width(value) if width is None else width

    def _inline_last_loads(self, block: Block) -> None:
        """A load that a `cuda.map` yields is written straight into the register, where nothing can write in between."""
        last = block.last_op
        if last is None or last.__class__ is not cuda.YieldOp or not isinstance(last.parent_op(), cuda.MapOp):
            return
        op = last.prev_op
        while op is not None:
            if op.__class__ is cuda.LoadOp:
                if op.results[0].get_user_of_unique_use() is last:
                    self.in_place.add(op.results[0])
            elif not _is_pure(op):
                break
            op = op.prev_op


def _is_pure(op: Operation) -> bool:
    return effects_of(op) is Effects.NONE


def _can_be_in_place(op: Operation, result: OpResult) -> bool:
    kind = op.__class__
    if kind is arith.ConstantOp:
        return True
    if kind in _NEVER or not has_trait(op, Pure):
        return False
    block = op.parent
    if kind is cuda.GetOp and isinstance(op.operands[1], BlockArgument):
        # As short as a name: it may be repeated.
        return all(use.operation.parent is block and _may_hold_expression(use) for use in result.uses)
    use = result.get_unique_use()
    return use is not None and use.operation.parent is block and _may_hold_expression(use)


def _may_hold_expression(use: Use) -> bool:
    """Whether the operand is written exactly once, and not evaluated again and again."""
    op = use.operation
    kind = op.__class__
    if kind is scf.ForOp:
        return use.index not in (1, 2)
    if isinstance(op, arith.CmpfOp):
        return op.predicate_name not in REPEATING_PREDICATES
    return kind is not cuda.SplatOp


def _name_width(value: SSAValue) -> int:
    name = value.name_hint
    return len(name) if name else 3


def _own_width(op: Operation) -> int:
    """Columns beside the operands: operators, function names, parentheses."""
    width = _OWN_WIDTHS.get(op.__class__)
    return 6 + 3 * len(op.operands) if width is None else width


_OWN_WIDTHS: dict[type[Operation], int] = {
    arith.ConstantOp: 4,
    cuda.GetOp: 2,
    cuda.PtrAddOp: 2,
    cuda.LoadOp: 8,
    **dict.fromkeys((arith.AddfOp, arith.MulfOp, arith.SubfOp, arith.CmpiOp, arith.CmpfOp), 4),
    **{op: 4 for op in arith.Arith.operations if issubclass(op, arith.IntegerBinaryOp)},
}
