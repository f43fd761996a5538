"""Which accesses to global memory through one pointer a program must keep in order.

The threads of a block run at different speeds, so that one may store an element before another has loaded it, although
the program loads first. That matters where a program both reads and writes through one pointer, unless each thread
reads and writes the same elements. Accesses through different pointers are not ordered: whether they reach the same
memory is not known here. Of two stores the later one must win where both store a tensor of one shape to the same
places; other threads do it only where the layouts differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, starmap
from typing import NamedTuple

from xdsl.ir import Attribute, Block, Operation, SSAValue

from mytriton.dialects import cuda, tt, ttg
from mytriton.dialects.building import walk
from mytriton.dialects.layouts import DistributedEncodingAttr, layout_of
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.passes.distinct_addresses import Addresses
from mytriton.passes.pointer_roots import PointerRoots, is_parameter

ACCESSES = frozenset(
    (
        tt.LoadOp,
        tt.StoreOp,
        *(op for op in tt.TT.operations if issubclass(op, tt.AtomicOp)),
        ttg.LoadTileOp,
        ttg.CopyTileOp,
        cuda.LoadOp,
        cuda.StoreOp,
    )
)
"""The operations that access global memory."""


FOUND_IN_MEMORY = "pointers that are no parameters"
"""What all pointers come from that a program loads from memory, or makes of integers: any two may be equal."""

Origin = SSAValue | str
"""Where a pointer comes from: a parameter, or `FOUND_IN_MEMORY`."""


class PointerAccess(NamedTuple):
    """An access through a pointer: `origin` is where the pointer comes from, `address` the exact pointers if known."""

    op: Operation
    origin: Origin
    address: SSAValue | None
    is_write: bool
    is_atomic: bool
    by_copies: bool
    """Whether threads that hold copies of an element each do it; of stores and atomic operations only one does."""
    type: Attribute
    """The type of the pointers, which tells the threads that do it."""
    is_distinct: bool
    """Whether no two elements are known to have one address, so that other threads have other addresses."""

    def conflicts(self, other: object) -> bool:
        """Whether this access must not start before `other`, which came earlier, has been done by all threads.

        Of two stores to one element by different threads either may come last, unless they are of one shape and differ
        in their layout, or have the very same addresses, some of which may be equal.
        """
        if not isinstance(other, PointerAccess) or self.origin is not other.origin:
            return False
        same_address = self.address is not None and self.address is other.address
        if self.is_write and other.is_write and not (self.is_atomic or other.is_atomic):
            return differ_in_layout(self.type, other.type) or (same_address and not self.is_distinct)
        if self.is_write == other.is_write or (self.is_atomic and other.is_atomic):
            return False
        same_threads = self.is_distinct and not (self.by_copies or other.by_copies)
        return not (same_address and same_threads)

    def in_another_turn(self, loop: Operation) -> PointerAccess:
        """The access as it was in an earlier turn of a loop: what is computed in the loop was something else then."""
        if self.address is not None and is_inside(self.address, loop):
            return self._replace(address=None)
        return self


def is_inside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined in a region of an operation."""
    owner = value.owner
    parent = owner.parent_op() if isinstance(owner, Block) else owner
    if isinstance(owner, Block) and parent is op:
        return True
    while parent is not None and parent is not op:
        parent = parent.parent_op()
    return parent is op and owner is not op


class PointerAccesses:
    """The accesses of a function that may have to be ordered.

    They are those through pointers that it reads and writes, or that it stores to in several layouts, or more than once
    at addresses of which some may be equal.
    """

    def __init__(self, function: Operation, roots: PointerRoots):
        read: set[Origin] = set()
        written: set[Origin] = set()
        stored: dict[Origin, set[Attribute]] = {}
        addresses: set[SSAValue] = set()
        stored_again: set[SSAValue] = set()
        self._roots = roots
        self._addresses = Addresses()
        for op in walk(function):
            if op.__class__ in ACCESSES:
                for pointer, is_write, _ in accessed_pointers(op):
                    (written if is_write else read).update(self._origins(pointer))
                if isinstance(op, tt.StoreOp):
                    for origin in self._origins(op.ptr):
                        stored.setdefault(origin, set()).add(op.ptr.type)
                    (stored_again if op.ptr in addresses else addresses).add(op.ptr)
        self.both = read & written
        self.both |= {
            origin for origin, types in stored.items() if any(starmap(differ_in_layout, combinations(types, 2)))
        }
        for pointer in stored_again:
            if not self._addresses.are_distinct(pointer):
                self.both |= self._origins(pointer)

    def of(self, op: Operation, outer: Operation) -> Iterable[PointerAccess]:
        """What an operation does, as a part of `outer`."""
        if not self.both or op.__class__ not in ACCESSES:
            return
        for pointer, is_write, is_atomic in accessed_pointers(op):
            address = pointer if op is outer else None
            by_copies = not (is_write or is_atomic or belongs_to_one_thread(pointer))
            origins = self._origins(pointer) & self.both
            is_distinct = bool(origins) and self._addresses.are_distinct(pointer)
            for origin in origins:
                yield PointerAccess(outer, origin, address, is_write, is_atomic, by_copies, pointer.type, is_distinct)

    def _origins(self, pointer: SSAValue) -> set[Origin]:
        return {root if is_parameter(root) else FOUND_IN_MEMORY for root in self._roots.of(pointer)}


def accessed_pointers(op: Operation) -> Iterable[tuple[SSAValue, bool, bool]]:
    """(pointer, is it written through, is the access atomic) for the accesses of one operation to global memory."""
    match op:
        case tt.LoadOp():
            yield op.ptr, False, False
        case tt.StoreOp():
            yield op.ptr, True, False
        case tt.AtomicOp():
            yield op.operands[0], False, True
            yield op.operands[0], True, True
        case ttg.LoadTileOp() | ttg.CopyTileOp():
            tile = op.tile.owner
            if isinstance(tile, ttg.GlobalTileOp):
                yield tile.base, False, False
        case cuda.LoadOp() | cuda.StoreOp():
            if isinstance(op.base.type, tt.PointerType):
                yield op.base, isinstance(op, cuda.StoreOp), False
        case _:
            return


def differ_in_layout(a: Attribute, b: Attribute) -> bool:
    """Whether two types are tensors of one shape in different layouts."""
    return is_tensor_type(a) and is_tensor_type(b) and a != b and a.get_shape() == b.get_shape()


def belongs_to_one_thread(pointer: SSAValue) -> bool:
    """Whether no two threads hold one element: then a thread's own order is all the order there is."""
    if not is_tensor_type(pointer.type) or not isinstance(pointer.type.encoding, DistributedEncodingAttr):
        return False
    return layout_of(pointer.type).thread_free_mask == 0
