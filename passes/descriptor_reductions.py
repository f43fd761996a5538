"""What `tt.descriptor_reduce` does to the elements of a tile, as atomic operations on pointers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Block, Region, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.tensor_types import bit_width, element_type, is_float, with_element_type
from mytriton.errors import PassError
from mytriton.passes.encodings import shape_of_tensor
from mytriton.passes.tile_builder import TileBuilder

_FOR_FLOATS = ("add", "min", "max")
_COUNTERS = ("inc", "dec")

Update = Callable[[TileBuilder, SSAValue, SSAValue], SSAValue]
"""From what memory holds and an element, what memory is to hold."""


@dataclass(frozen=True)
class Reduction:
    """A reduction of the elements of a descriptor, which are signless integers or floats."""

    op: tt.DescriptorReduceOp
    type: tt.TensorDescType

    def lower(self, base: SSAValue, pointers: SSAValue, value: SSAValue, mask: SSAValue) -> None:
        """The atomic operations, in front of the reduction; `base` points to the first element of the array."""
        kind, element = self.op.reduction, self.type.element
        self._check(kind)
        builder = TileBuilder(self.op)
        if kind in _COUNTERS:
            _swap_until_done(builder, base, pointers, value, mask, _increment if kind == "inc" else _decrement)
        elif not is_float(element):
            unsigned = kind in ("min", "max") and self.type.is_unsigned
            _update(builder, f"u{kind}" if unsigned else kind, pointers, value, mask)
        elif kind == "add":
            _update(builder, "fadd", pointers, value, mask)
        elif kind not in _FOR_FLOATS:
            _update(builder, kind, pointers, value, mask)
        elif bit_width(element) == 16:
            _swap_until_done(builder, base, pointers, value, mask, _smaller if kind == "min" else _larger)
        else:
            _extremum(builder, kind, pointers, value, mask)

    def _check(self, kind: str) -> None:
        element = self.type.element
        if kind in _COUNTERS:
            if is_float(element) or bit_width(element) != 32 or not self.type.is_unsigned:
                raise self._error("unsigned integers of 32 bits")
        elif is_float(element) and kind in _FOR_FLOATS:
            if bit_width(element) < 16:
                raise self._error("floats of 16, 32 and 64 bits")
        elif bit_width(element) < 32:
            raise self._error("elements of 32 and 64 bits")

    def _error(self, expected: str) -> PassError:
        found = self.type.block.element_type
        return PassError(f"the reduction '{self.op.reduction}' is of {expected}, found {found}", self.op.location)


def _update(builder: TileBuilder, kind: str, pointers: SSAValue, value: SSAValue, mask: SSAValue) -> None:
    builder.insert(tt.AtomicRMWOp(kind, pointers, value, mask, "relaxed", "gpu"))


def _bits(builder: TileBuilder, value: SSAValue) -> SSAValue:
    """The bits of floats as integers, and integers as they are."""
    return _as_integers(builder, value, IntegerType(bit_width(element_type(value.type))))


def _as_integers(builder: TileBuilder, value: SSAValue, integer: IntegerType) -> SSAValue:
    type = with_element_type(value.type, integer)
    return value if value.type == type else builder.add(tt.BitcastOp(value, type))


def _to_integers(builder: TileBuilder, pointers: SSAValue, integer: IntegerType) -> SSAValue:
    type = with_element_type(pointers.type, tt.PointerType(integer))
    return pointers if pointers.type == type else builder.add(tt.BitcastOp(pointers, type))


def _extremum(builder: TileBuilder, kind: str, pointers: SSAValue, value: SSAValue, mask: SSAValue) -> None:
    """min x -> min of the bits of x where x is positive, umax of them where it is negative; max in the same way.

    The bits of floats that are not negative are in the order of their values; those of negative ones are in the
    opposite order, and as unsigned numbers above all others.
    """
    bits = _bits(builder, value)
    addresses = _to_integers(builder, pointers, IntegerType(bit_width(element_type(bits.type))))
    zero = builder.like(bits, 0)
    for update, predicate in ((kind, "sge"), ("umin" if kind == "max" else "umax", "slt")):
        chosen = builder.add(arith.AndIOp(mask, builder.add(arith.CmpiOp(bits, zero, predicate))))
        _update(builder, update, addresses, bits, chosen)


# Operations that no GPU has for elements of such a type


def _swap_until_done(
    builder: TileBuilder, base: SSAValue, pointers: SSAValue, value: SSAValue, mask: SSAValue, update: Update
) -> None:
    """Reads, computes, and swaps if memory still holds what was read, until that was so for all elements.

    Whoever is not to do anything swaps an element for itself: what it points to, or the first one of the array.
    """
    value = _bits(builder, value)
    integer, shape = IntegerType(bit_width(element_type(value.type))), shape_of_tensor(value)
    first = builder.splat(_to_integers(builder, base, integer), shape)
    addresses = builder.add(arith.SelectOp(mask, _to_integers(builder, pointers, integer), first))
    old = builder.add(tt.AtomicLoadOp(addresses, mask, "relaxed", "gpu"))
    types = (mask.type, old.type)
    before, after = Block(arg_types=types), Block(arg_types=types)
    in_test, in_turn = TileBuilder(builder.anchor, before), TileBuilder(builder.anchor, after)
    in_test.insert(scf.ConditionOp(_any(in_test, before.args[0]), *before.args))
    pending, old_now = after.args
    wanted = in_turn.add(arith.SelectOp(pending, update(in_turn, old_now, value), old_now))
    found = in_turn.add(tt.AtomicCASOp(addresses, old_now, wanted, "relaxed", "gpu"))
    has_failed = in_turn.add(arith.CmpiOp(found, old_now, "ne"))
    in_turn.insert(scf.YieldOp(in_turn.add(arith.AndIOp(pending, has_failed)), found))
    builder.insert(scf.WhileOp((mask, old), types, [before], [after]))


def _any(builder: TileBuilder, conditions: SSAValue) -> SSAValue:
    """Whether any element is true."""
    count = prod(shape_of_tensor(conditions))
    block = Block(arg_types=(i1, i1))
    inside = TileBuilder(builder.anchor, block)
    inside.insert(tt.ReduceReturnOp(inside.add(arith.OrIOp(block.args[0], block.args[1]))))
    return builder.add(tt.ReduceOp([builder.reshape(conditions, (count,))], 0, Region(block)))


def _increment(builder: TileBuilder, old: SSAValue, limit: SSAValue) -> SSAValue:
    """old + 1, or 0 where that is beyond the limit"""
    following = builder.add(arith.AddiOp(old, builder.like(old, 1)))
    is_last = builder.add(arith.CmpiOp(old, limit, "uge"))
    return builder.add(arith.SelectOp(is_last, builder.like(old, 0), following))


def _decrement(builder: TileBuilder, old: SSAValue, limit: SSAValue) -> SSAValue:
    """old - 1, or the limit where that is not from 0 to the limit"""
    # The number before 0 is the largest one.
    previous = builder.add(arith.SubiOp(old, builder.like(old, 1)))
    is_beyond = builder.add(arith.CmpiOp(previous, limit, "uge"))
    return builder.add(arith.SelectOp(is_beyond, limit, previous))


def _smaller(builder: TileBuilder, old: SSAValue, value: SSAValue) -> SSAValue:
    is_less = arith.CmpiOp(_rank(builder, value), _rank(builder, old), "slt")
    return builder.add(arith.SelectOp(builder.add(is_less), value, old))


def _larger(builder: TileBuilder, old: SSAValue, value: SSAValue) -> SSAValue:
    is_greater = arith.CmpiOp(_rank(builder, value), _rank(builder, old), "sgt")
    return builder.add(arith.SelectOp(builder.add(is_greater), value, old))


def _rank(builder: TileBuilder, bits: SSAValue) -> SSAValue:
    """Integers in the order of the floats of 16 bits: those of negative floats are inverted but for the sign."""
    sign = builder.add(arith.ShRSIOp(bits, builder.like(bits, 15)))
    inverted = builder.add(arith.AndIOp(sign, builder.like(bits, 0x7FFF)))
    return builder.add(arith.XOrIOp(bits, inverted))
