"""What is left of a shadow where a mask is true: nothing, for a value that was loaded under the same mask."""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.building import clone
from mytriton.dialects.tensor_types import element_type, is_tensor_type, shape_of
from mytriton.passes.checks.builder import Shadow, ShadowBuilder

MOVES = (tt.BroadcastOp, tt.ExpandDimsOp, tt.TransOp, tt.ReshapeOp, tt.SplatOp)
"""Operations by which each element of the result is one of the operand."""

MAXIMUM_DEPTH = 64
"""How many operations one behind the other are looked at; what is before them is left as it is."""

Facts = frozenset[SSAValue]


def conjuncts(mask: SSAValue) -> Facts:
    """The values that are true in each element where the mask is true."""
    found: set[SSAValue] = set()
    pending = [mask]
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            if isinstance(value.owner, arith.AndIOp) and element_type(value.type) == i1:
                pending += value.owner.operands
    return frozenset(found)


class UnderMask:
    """Simplifies the shadows of one check, with operations of `builder`."""

    def __init__(self, builder: ShadowBuilder):
        self._builder = builder
        self._known: dict[tuple[SSAValue, Facts], Shadow] = {}

    def simplified(self, shadow: Shadow, true: Facts, depth: int = MAXIMUM_DEPTH) -> Shadow:
        """A shadow that is the same where all of `true` are true, of fewer operations."""
        if shadow is None or not depth or not isinstance(shadow.owner, Operation):
            return shadow
        key = shadow, true
        if key not in self._known:
            self._known[key] = self._simplified(shadow, shadow.owner, true, depth - 1)
        return self._known[key]

    def _simplified(self, shadow: SSAValue, op: Operation, true: Facts, depth: int) -> Shadow:
        match op:
            case arith.ConstantOp():
                return None if arith.integer_constant(shadow) == 0 else shadow
            case arith.SelectOp():
                return self._selection(op, true, depth)
            case arith.MaxSIOp(lhs=lhs, rhs=rhs):
                first, second = self.simplified(lhs, true, depth), self.simplified(rhs, true, depth)
                return shadow if first is lhs and second is rhs else self._builder.both(first, second)
            case _ if isinstance(op, MOVES):
                masks = [mask.operands[0] for value in true if (mask := _moved_alike(value, op)) is not None]
                facts = Facts().union(*map(conjuncts, masks))
                source = self.simplified(op.src, facts, depth)
                if source is op.src:
                    return shadow
                if source is None or not is_tensor_type(source.type):
                    return source
                return self._builder.add(clone(op, {op.src: source}))
            case _:
                return shadow

    def _selection(self, op: arith.SelectOp, true: Facts, depth: int) -> Shadow:
        """select(c, x, y) -> x where c is known to be true; if not, the same of what is left of both"""
        if op.cond in true:
            return self.simplified(op.lhs, true, depth)
        first = self.simplified(op.lhs, true | conjuncts(op.cond), depth)
        second = self.simplified(op.rhs, true, depth)
        if first is op.lhs and second is op.rhs:
            return op.result
        return self._builder.choose(op.cond, first, second)


def _moved_alike(mask: SSAValue, op: Operation) -> Operation | None:
    """The operation that makes a mask of another one in the way in which `op` makes a shadow; None if there is none."""
    made = mask.owner
    if not isinstance(made, Operation) or type(made) is not type(op) or made.properties != op.properties:
        return None
    values = (made.operands[0], op.operands[0]), (made.results[0], op.results[0])
    return made if all(shape_of(one.type) == shape_of(other.type) for one, other in values) else None
