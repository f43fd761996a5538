"""Which accesses to global memory through one pointer a program must keep in order.

The threads of a block run at different speeds, so that one may store an element before another has loaded it, although
the program loads first. That matters where a program both reads and writes through one pointer, unless each thread
reads and writes the same elements. Accesses through different pointers are not ordered: whether they reach the same
memory is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.layouts import DistributedEncodingAttr, layout_of
from mytriton.dialects.tensor_types import is_tensor_type

POINTER_ARITHMETIC = (
    tt.AddPtrOp,
    tt.SplatOp,
    tt.BroadcastOp,
    tt.ExpandDimsOp,
    tt.ReshapeOp,
    tt.TransOp,
    tt.BitcastOp,
    cuda.PtrAddOp,
    cuda.PtrCastOp,
    ttg.ConvertLayoutOp,
)


class PointerAccess(NamedTuple):
    """An access through a pointer: `root` is where the pointer comes from, `address` the exact pointers if known."""

    op: Operation
    root: SSAValue
    address: SSAValue | None
    is_write: bool
    is_atomic: bool
    by_copies: bool
    """Whether threads that hold copies of an element each do it; of stores and atomic operations only one does."""

    def conflicts(self, other: object) -> bool:
        """Whether this access must not start before `other`, which came earlier, has been done by all threads.

        Of two stores to one element by different threads either may come last.
        """
        if not isinstance(other, PointerAccess) or self.root is not other.root:
            return False
        if self.is_write == other.is_write or (self.is_atomic and other.is_atomic):
            return False
        same_threads = not (self.by_copies or other.by_copies)
        return self.address is None or self.address is not other.address or not same_threads

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
    """The accesses of a function that may have to be ordered: those through pointers that it reads and writes."""

    def __init__(self, function: Operation):
        read: set[SSAValue] = set()
        written: set[SSAValue] = set()
        self._roots: dict[SSAValue, frozenset[SSAValue]] = {}
        for op in function.walk():
            for pointer, is_write, _ in accessed_pointers(op):
                (written if is_write else read).update(self.roots(pointer))
        self.both = read & written

    def of(self, op: Operation, outer: Operation) -> Iterable[PointerAccess]:
        """What an operation does, as a part of `outer`."""
        if not self.both:
            return
        for pointer, is_write, is_atomic in accessed_pointers(op):
            address = pointer if op is outer else None
            by_copies = not (is_write or is_atomic or belongs_to_one_thread(pointer))
            for root in self.roots(pointer) & self.both:
                yield PointerAccess(outer, root, address, is_write, is_atomic, by_copies)

    def roots(self, pointer: SSAValue) -> frozenset[SSAValue]:
        """The values that a pointer, or a tensor of them, may be computed from: parameters, loaded pointers."""
        found = self._roots.get(pointer)
        if found is None:
            found = self._roots[pointer] = frozenset(_roots(pointer, set()))
        return found


def _roots(pointer: SSAValue, seen: set[SSAValue]) -> Iterable[SSAValue]:
    if pointer in seen:
        return
    seen.add(pointer)
    for source in _sources(pointer):
        if source is pointer:
            yield pointer
        else:
            yield from _roots(source, seen)


def _sources(pointer: SSAValue) -> list[SSAValue]:
    """Where a pointer comes from: itself, if that is as far as can be seen."""
    owner = pointer.owner
    if isinstance(pointer, BlockArgument):
        loop = pointer.block.parent_op()
        if isinstance(loop, scf.ForOp) and pointer.index > 0:
            return _carried(loop, pointer.index - 1)
        return [pointer]
    assert isinstance(owner, Operation)
    match owner:
        case scf.ForOp():
            return _carried(owner, owner.results.index(pointer))
        case scf.IfOp():
            number = owner.results.index(pointer)
            ends = [region.block.last_op for region in owner.regions if region.blocks]
            return [end.operands[number] for end in ends if end is not None]
        case arith.SelectOp():
            return [owner.lhs, owner.rhs]
        case _:
            return [owner.operands[0]] if isinstance(owner, POINTER_ARITHMETIC) else [pointer]


def _carried(loop: scf.ForOp, number: int) -> list[SSAValue]:
    last = loop.body.block.last_op
    assert last is not None
    return [loop.iter_args[number], last.operands[number]]


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


def belongs_to_one_thread(pointer: SSAValue) -> bool:
    """Whether no two threads hold one element: then a thread's own order is all the order there is."""
    if not is_tensor_type(pointer.type) or not isinstance(pointer.type.encoding, DistributedEncodingAttr):
        return False
    return layout_of(pointer.type).thread_free_mask == 0
