"""Between which numbers the elements of an integer are, as far as the operations that compute it say."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.tensor_types import bit_width, element_type, is_integer
from mytriton.passes.assumptions import Promise, promises

MAXIMUM_DEPTH = 64

LARGEST_GRID = (2**31 - 1, 65535, 65535)
"""How many programs there may be along each axis of a grid."""


FACTOR_BITS = 30
LARGEST_FACTOR = 1 << FACTOR_BITS


class Range(NamedTuple):
    """Signed integers from `low` to `high`, both of them included."""

    low: int
    high: int

    def joined(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high))

    def within(self, other: Range) -> bool:
        return other.low <= self.low and self.high <= other.high

    def has(self, number: int) -> bool:
        return self.low <= number <= self.high


def all_of(width: int) -> Range:
    """The signed integers of so many bits."""
    return Range(-(1 << width - 1), (1 << width - 1) - 1)


class Ranges:
    """The ranges of the values of one function, found when they are asked for."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, Range] = {}
        self._factors: dict[SSAValue, int] = {}
        self._promises: dict[Block, dict[SSAValue, Promise]] = {}

    def of(self, value: SSAValue, depth: int = MAXIMUM_DEPTH) -> Range:
        """The range of all elements of an integer or of a tensor of them."""
        found = self._known.get(value)
        if found is None:
            whole = all_of(bit_width(element_type(value.type)))
            # A value that is computed from itself, around a loop, may be anything.
            self._known[value] = whole
            found = self._computed(value, whole, depth - 1) if depth else whole
            found = self._promised(value, _multiples(found if found.within(whole) else whole, self.factor(value)))
            if depth:
                self._known[value] = found
            else:
                del self._known[value]
        return found

    def factor(self, value: SSAValue, depth: int = MAXIMUM_DEPTH) -> int:
        """A power of two that divides each element of an integer, also where the number has wrapped."""
        found = self._factors.get(value)
        if found is None and depth:
            # A value that is computed from itself, around a loop, may be anything.
            self._factors[value] = 1
            found = self._factors[value] = min(LARGEST_FACTOR, self._computed_factor(value, depth - 1))
        return found or 1

    def _computed_factor(self, value: SSAValue, depth: int) -> int:
        number = arith.integer_constant(value)
        if number is not None:
            return number & -number or LARGEST_FACTOR
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if not isinstance(loop, scf.ForOp) or value.index:
                return 1
            return min(self.factor(loop.lb, depth), self.factor(loop.step, depth))
        match value.owner:
            case arith.MuliOp(lhs=lhs, rhs=rhs):
                return self.factor(lhs, depth) * self.factor(rhs, depth)
            case arith.AddiOp(lhs=lhs, rhs=rhs) | arith.SubiOp(lhs=lhs, rhs=rhs):
                return min(self.factor(lhs, depth), self.factor(rhs, depth))
            case arith.ShLIOp(lhs=lhs, rhs=rhs):
                amount = arith.integer_constant(rhs)
                return self.factor(lhs, depth) << amount if amount is not None and 0 <= amount < FACTOR_BITS else 1
            case tt.SplatOp(src=src) | tt.BroadcastOp(src=src) | tt.ExpandDimsOp(src=src) | tt.TransOp(src=src):
                return self.factor(src, depth)
            case arith.ExtSIOp() | tt.ReshapeOp() as op:
                return self.factor(op.operands[0], depth)
            case _:
                return 1

    def exact(self, op: Operation, depth: int = MAXIMUM_DEPTH) -> Range:
        """The range of a sum, difference, product or shift to the left before it is wrapped."""
        left, right = (self.of(operand, depth) for operand in op.operands)
        return _EXACT[type(op)](left, right)

    def _promised(self, value: SSAValue, found: Range) -> Range:
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        if block is None:
            return found
        if block not in self._promises:
            self._promises[block] = promises(block)
        promise = self._promises[block].get(value)
        if promise is None:
            return found
        if promise.constant is not None:
            return Range(promise.constant, promise.constant)
        return found._replace(low=max(found.low, 0)) if promise.nonnegative and found.high >= 0 else found

    def _computed(self, value: SSAValue, whole: Range, depth: int) -> Range:
        if isinstance(value, BlockArgument):
            return self._of_argument(value, whole, depth)
        number = arith.integer_constant(value)
        if number is not None:
            return Range(number, number)
        op = value.owner
        if isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.ShLIOp):
            return self.exact(op, depth)
        match op:
            case tt.MakeRangeOp(start=start, end=end):
                return Range(start.value.data, end.value.data - 1)
            case tt.GetProgramIdOp(axis=axis):
                return Range(0, LARGEST_GRID[axis.value.data] - 1)
            case tt.GetNumProgramsOp(axis=axis):
                return Range(1, LARGEST_GRID[axis.value.data])
            case tt.SplatOp(src=src) | tt.UnsplatOp(src=src) | tt.BroadcastOp(src=src) | tt.ExpandDimsOp(src=src):
                return self.of(src, depth)
            case tt.ReshapeOp(src=src) | tt.TransOp(src=src) | tt.SplitOp(src=src) | tt.ExtractSliceOp(src=src):
                return self.of(src, depth)
            case tt.JoinOp(lhs=lhs, rhs=rhs) | arith.SelectOp(lhs=lhs, rhs=rhs) if is_integer(element_type(value.type)):
                return self.of(lhs, depth).joined(self.of(rhs, depth))
            case arith.MinSIOp(lhs=lhs, rhs=rhs):
                left, right = self.of(lhs, depth), self.of(rhs, depth)
                return Range(min(left.low, right.low), min(left.high, right.high))
            case arith.MaxSIOp(lhs=lhs, rhs=rhs):
                left, right = self.of(lhs, depth), self.of(rhs, depth)
                return Range(max(left.low, right.low), max(left.high, right.high))
            case arith.ExtSIOp():
                return self.of(op.operands[0], depth)
            case arith.TruncIOp():
                return self.of(op.operands[0], depth)
            case arith.ExtUIOp():
                source = op.operands[0]
                found = self.of(source, depth)
                if found.low >= 0 and element_type(source.type) != i1:
                    return found
                return Range(0, (1 << bit_width(element_type(source.type))) - 1)
            case arith.DivSIOp(lhs=lhs, rhs=rhs):
                left, right = self.of(lhs, depth), self.of(rhs, depth)
                if right.low <= 0:
                    return whole
                return Range(min(left.low, 0), max(left.high, 0)) if right.low == 1 else _quotient(left, right)
            case arith.RemSIOp(lhs=lhs, rhs=rhs):
                left, right = self.of(lhs, depth), self.of(rhs, depth)
                if right.low <= 0:
                    return whole
                largest = right.high - 1
                low = 0 if left.low >= 0 else max(left.low, -largest)
                return Range(low, 0 if left.high <= 0 else min(left.high, largest))
            case arith.AndIOp(lhs=lhs, rhs=rhs):
                highs = [found.high for operand in (lhs, rhs) if (found := self.of(operand, depth)).low >= 0]
                return Range(0, min(highs)) if highs else whole
            case arith.ShRSIOp(lhs=lhs):
                left = self.of(lhs, depth)
                return Range(min(left.low, -1 if left.low < 0 else 0), max(left.high, 0))
            case _:
                return whole

    def _of_argument(self, value: BlockArgument, whole: Range, depth: int) -> Range:
        loop = value.block.parent_op()
        if not isinstance(loop, scf.ForOp) or value.index or self.of(loop.step, depth).low <= 0:
            return whole
        low, high = self.of(loop.lb, depth).low, self.of(loop.ub, depth).high - 1
        return Range(low, max(low, high))


def _multiples(range: Range, divisor: int) -> Range:
    """The range of those numbers that can be divided."""
    low, high = -(-range.low // divisor) * divisor, range.high // divisor * divisor
    return Range(low, high) if low <= high else range


def _products(left: Range, right: Range) -> Range:
    corners = [a * b for a in left for b in right]
    return Range(min(corners), max(corners))


def _shifted(left: Range, right: Range) -> Range:
    """x * 2**n; a number of bits that no type has is a fault of its own."""
    low, high = (max(0, min(bits, 64)) for bits in right)
    return _products(left, Range(1 << low, 1 << high))


def _quotient(left: Range, right: Range) -> Range:
    corners = [abs(a) // b * (1 if a >= 0 else -1) for a in left for b in right]
    return Range(min(*corners, 0), max(*corners, 0))


_EXACT: dict[type[Operation], Callable[[Range, Range], Range]] = {
    arith.AddiOp: lambda left, right: Range(left.low + right.low, left.high + right.high),
    arith.SubiOp: lambda left, right: Range(left.low - right.high, left.high - right.low),
    arith.MuliOp: _products,
    arith.ShLIOp: _shifted,
}
