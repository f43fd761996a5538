"""Where pointers come from, and whether the memory that they reach is only read.

The roots of a pointer, or of a tensor of them, are the values that it may be computed from: parameters of the kernel,
and pointers of which no more is known, as those made of integers.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from mytriton.dialects import cuda, tt, ttg

ARITHMETIC = frozenset(
    (
        tt.AddPtrOp,
        tt.SplatOp,
        tt.BroadcastOp,
        tt.ExpandDimsOp,
        tt.ReshapeOp,
        tt.TransOp,
        tt.UnsplatOp,
        tt.SplitOp,
        tt.ExtractSliceOp,
        tt.BitcastOp,
        cuda.PtrAddOp,
        ttg.ConvertLayoutOp,
        ttg.FlipOp,
        ttg.RepadOp,
    )
)
"""Operations that only compute pointers, from their first operand."""

LOADS = frozenset((tt.LoadOp, cuda.LoadOp, ttg.CheckOp, cuda.ReportOp))
"""Operations that do no more with a pointer than to read what it points to."""


class PointerRoots:
    """The roots of the pointers of a function, found when they are asked for and then kept."""

    def __init__(self) -> None:
        self._roots: dict[SSAValue, frozenset[SSAValue]] = {}
        self._is_only_loaded: dict[SSAValue, bool] = {}

    def of(self, pointer: SSAValue) -> frozenset[SSAValue]:
        """The roots of a pointer or of a tensor of pointers."""
        found = self._roots.get(pointer)
        if found is None:
            self._find(pointer)
            found = self._roots[pointer]
        return found

    def is_constant_memory(self, pointer: SSAValue) -> bool:
        """Whether a pointer comes from parameters of the kernel through which nothing is written."""
        return all(is_parameter(root) and self._only_loaded(root) for root in self.of(pointer))

    def _find(self, pointer: SSAValue) -> None:
        """Keeps the roots of a pointer and of all that it is computed from; visits a value once for each root."""
        computed_from: dict[SSAValue, list[SSAValue]] = {pointer: []}
        reached: list[tuple[SSAValue, SSAValue]] = []
        pending = [pointer]
        for value in pending:
            origins = sources(value)
            if not origins:
                reached.append((value, value))
            for source in origins:
                if source in self._roots:
                    reached += [(root, value) for root in self._roots[source]]
                elif source in computed_from:
                    computed_from[source].append(value)
                else:
                    computed_from[source] = [value]
                    pending.append(source)
        roots: dict[SSAValue, set[SSAValue]] = {value: set() for value in pending}
        while reached:
            root, value = reached.pop()
            if root not in roots[value]:
                roots[value].add(root)
                reached += [(root, computed) for computed in computed_from[value]]
        for value, found in roots.items():
            self._roots[value] = frozenset(found)

    def _only_loaded(self, root: SSAValue) -> bool:
        found = self._is_only_loaded.get(root)
        if found is None:
            found = self._is_only_loaded[root] = is_only_loaded(root)
        return found


def sources(pointer: SSAValue) -> Sequence[SSAValue]:
    """The pointers of which a pointer is computed in one step, or that it may be; a root has none."""
    if isinstance(pointer, BlockArgument):
        return _sources_of_argument(pointer)
    assert isinstance(pointer, OpResult)
    op = pointer.op
    if op.__class__ in ARITHMETIC or op.__class__ is cuda.PtrCastOp:
        return op.operands[:1]
    match op:
        case scf.ForOp():
            return op.iter_args[pointer.index], _last(op.body).operands[pointer.index]
        case scf.WhileOp():
            return (_passed_on(op, pointer.index),)
        case scf.IfOp():
            return [_last(region).operands[pointer.index] for region in op.regions]
        case ttg.LocalLoadOp() | ttg.LocalGatherOp():
            return [store.src for use in op.buffer.uses if isinstance(store := use.operation, ttg.LocalStoreOp)]
        case _:
            return _pointers_among(op.operands)


def _sources_of_argument(argument: BlockArgument) -> Sequence[SSAValue]:
    match loop := argument.block.parent_op():
        case None | tt.FuncOp() | cuda.FuncOp():
            return ()
        case scf.ForOp() if argument.index:
            return loop.iter_args[argument.index - 1], _last(loop.body).operands[argument.index - 1]
        case scf.WhileOp() if argument.block is loop.before_region.block:
            return loop.arguments[argument.index], _last(loop.after_region).operands[argument.index]
        case scf.WhileOp():
            return (_passed_on(loop, argument.index),)
        case _:
            return _pointers_among(loop.operands)


def _pointers_among(values: Sequence[SSAValue]) -> Sequence[SSAValue]:
    return [value for value in values if tt.is_pointer(value.type)]


def _passed_on(loop: scf.WhileOp, number: int) -> SSAValue:
    """What the condition of a loop passes on to its body, and at last to its results."""
    return _last(loop.before_region).operands[number + 1]


def _last(region: Region) -> Operation:
    last = region.block.last_op
    assert last is not None
    return last


def is_parameter(value: SSAValue) -> bool:
    """Whether this is a parameter of a function."""
    owner = value.owner
    return isinstance(owner, Block) and isinstance(owner.parent_op(), tt.FuncOp | cuda.FuncOp)


def is_only_loaded(pointer: SSAValue) -> bool:
    """Whether every use of a pointer, and of the pointers computed from it, is a load.

    A pointer that is cast, joined with another, or carried by a loop counts as one that may be written through.
    """
    pending = [pointer]
    for value in pending:
        for use in value.uses:
            op = use.operation
            if op.__class__ in ARITHMETIC:
                pending += op.results
            elif op.__class__ not in LOADS:
                return False
    return True
