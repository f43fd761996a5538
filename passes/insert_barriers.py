"""`insert-barriers`: threads wait where one could see shared memory before or after it should.

A barrier stands before an access that conflicts with an earlier one: two accesses to the same bytes, at least one of
them a write, with no barrier between them on some path, which may go around a loop. Barriers are only put where all
threads of a block arrive; code that only some threads reach, or that they leave at different times, counts as one
access. No barrier is put that could be left out.

Where a program reads and writes global memory through one pointer, the accesses are kept in the program's order in the
same way (see pointer_order.py).

An atomic operation that releases or acquires orders the accesses to global memory of all threads, not only those of the
thread that does it: there is a barrier between it and accesses before it (it releases) or after it (it acquires).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, NamedTuple, TypeGuard

from xdsl.context import Context
from xdsl.dialects import math, scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.building import operations, walk
from mytriton.dialects.layouts import DistributedEncodingAttr, layout_of
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.errors import PassError
from mytriton.passes.divergence import divergent_values
from mytriton.passes.pointer_order import PointerAccess, PointerAccesses
from mytriton.passes.pointer_roots import PointerRoots


@dataclass(frozen=True)
class InsertBarriers(ModulePass):
    """Puts `ttg.barrier` (in a `cuda.func`: `cuda.barrier`) between conflicting accesses to shared memory."""

    name: ClassVar[str] = "insert-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in operations(op.body.block):
            if isinstance(function, tt.FuncOp | cuda.FuncOp):
                placement = BarrierPlacement(function)
                for position in placement.barriers():
                    barrier = cuda.BarrierOp() if isinstance(function, cuda.FuncOp) else ttg.BarrierOp()
                    barrier.location = position.location
                    assert position.parent is not None
                    position.parent.insert_op_before(barrier, position)


class GlobalAccess(NamedTuple):
    """An access to global memory, in a function in which atomic operations order such accesses."""

    op: Operation
    releases: bool = False
    acquires: bool = False
    is_accumulation: bool = False
    """Whether it is done on each element for itself and its result is not used, by the default semantics."""
    is_constant: bool = False
    """Whether it reads memory to which the kernel does not write."""

    def conflicts(self, other: Access | GlobalAccess | PointerAccess) -> bool:
        """Whether this access must not start before `other`, which came earlier, has been done by all threads."""
        if not isinstance(other, GlobalAccess):
            return False
        if self.is_accumulation and (other.is_accumulation or other.is_constant):
            # Nobody learns from a sum which of its terms are in it.
            return False
        return other.acquires or self.releases


class Access(NamedTuple):
    """Bytes of shared memory that an operation reads or writes: [start, end) of what `memory` names."""

    memory: object
    start: int
    end: int
    is_write: bool
    op: Operation
    tensor: Attribute | None = None
    buffer: Attribute | None = None
    """The types between which elements move, where each thread has its own ones and they are all of the buffer's."""

    def conflicts(self, other: Access | GlobalAccess | PointerAccess) -> bool:
        if not isinstance(other, Access):
            return False
        if not (self.is_write or other.is_write) or self.memory is not other.memory:
            return False
        if self.start >= other.end or other.start >= self.end:
            return False
        if self.tensor is not None and self.start == other.start:
            # Each thread touches what it has touched before, and nobody else did.
            if self.tensor == other.tensor and self.buffer == other.buffer:
                return False
        # An operation that is run again writes the same elements from the same threads.
        return not (self.op is other.op and self.is_write and other.is_write)


State = frozenset[Access | GlobalAccess | PointerAccess]
"""The accesses after which there has been no barrier, on some path."""

NOTHING: State = frozenset()

BARRIERS = (ttg.BarrierOp, cuda.BarrierOp)
COMPUTATIONS = frozenset((*arith.Arith.operations, *math.Math.operations))
"""Operations that access no memory, of which there are many."""

STRUCTURED = (scf.ForOp, scf.IfOp, scf.WhileOp)


class BarrierPlacement:
    """Decides before which operations of a function a barrier is needed."""

    def __init__(self, function: tt.FuncOp | cuda.FuncOp):
        self.function = function
        self.divergent = divergent_values(function)
        self.orders_global = any(releases_or_acquires(op) for op in walk(function))
        self.roots = PointerRoots()
        self.through_pointers = PointerAccesses(function, self.roots)
        self.accesses: dict[Operation, State] = {}
        self.relevant: dict[Block, list[Operation]] = {}
        self.needed: dict[Operation, bool] = {}
        self.has_conflict = False
        self._loops = 0
        self._follows_loop = False
        self._doubtful: set[Operation] = set()
        self._collect(function.body)

    def barriers(self) -> list[Operation]:
        """The operations that need a barrier before them, in the order of the text."""
        if not self.accesses:
            return []
        body = self.function.body
        if len(body.blocks) != 1:
            raise PassError("shared memory in a function with unstructured control flow", self.function.location)
        self._run(body, NOTHING, decide=True)
        # What was decided for a loop, and on what a loop left, took in states that its own barriers have made
        # impossible. Anywhere else the access that asked for a barrier is there.
        for op in [op for op, needed in self.needed.items() if needed and op in self._doubtful]:
            self.needed[op] = False
            self.has_conflict = False
            self._run(body, NOTHING, decide=False)
            self.needed[op] = self.has_conflict
        return [op for op, needed in self.needed.items() if needed]

    # What accesses shared memory

    def _collect(self, region: Region) -> bool:
        """Fills `relevant` and `accesses`; whether there is anything relevant in the region."""
        found = False
        for block in region.blocks:
            ops = [op for op in operations(block) if op.__class__ not in COMPUTATIONS and self._is_relevant(op)]
            self.relevant[block] = ops
            found |= bool(ops)
        return found

    def _is_relevant(self, op: Operation) -> bool:
        if isinstance(op, BARRIERS):
            return True
        if isinstance(op, STRUCTURED) and not self._is_divergent(op):
            found = [self._collect(region) for region in op.regions]
            return any(found)
        found_accesses: list[Access | GlobalAccess | PointerAccess] = []
        for nested in walk(op):
            if nested.__class__ not in COMPUTATIONS:
                found_accesses += accesses_of(nested, op)
                if self.orders_global:
                    found_accesses += global_accesses_of(nested, op, self.roots)
                if self.through_pointers.both:
                    found_accesses += self.through_pointers.of(nested, op)
        accesses: State = frozenset(found_accesses)
        if accesses:
            if op.regions:
                refuse_exchange_inside(op)
            self.accesses[op] = accesses
        return bool(accesses)

    def _is_divergent(self, op: Operation) -> bool:
        """Whether threads may disagree on how often the regions of `op` are run."""
        if isinstance(op, scf.WhileOp):
            condition = op.before_region.block.last_op
            return isinstance(condition, scf.ConditionOp) and condition.condition in self.divergent
        controls = (op.lb, op.ub, op.step) if isinstance(op, scf.ForOp) else op.operands[:1]
        return any(control in self.divergent for control in controls)

    # The flow of states. With `decide` barriers are chosen on the way; without it those chosen so far are used, and
    # `has_conflict` says whether they do not suffice.

    def _run(self, region: Region, state: State, decide: bool) -> State:
        for op in self.relevant[region.block]:
            if isinstance(op, BARRIERS):
                state = NOTHING
                self._follows_loop = False
            elif op in self.accesses:
                state = self._access(op, state, decide)
            elif isinstance(op, scf.IfOp):
                state = self._branch(op, state, decide)
            else:
                state = self._loop(op, state, decide)
        return state

    def _access(self, op: Operation, state: State, decide: bool) -> State:
        accesses = self.accesses[op]
        if not decide and self.needed.get(op):
            state = NOTHING
        is_conflict = any(new.conflicts(old) for new in accesses for old in state)
        if decide:
            self.needed[op] = is_conflict
            if is_conflict:
                state = NOTHING
                if self._loops or self._follows_loop:
                    self._doubtful.add(op)
                self._follows_loop = False
        else:
            self.has_conflict |= is_conflict
        return state | accesses

    def _branch(self, op: scf.IfOp, state: State, decide: bool) -> State:
        follows_loop = before = self._follows_loop
        branches: list[State] = []
        for region in op.regions:
            self._follows_loop = before
            branches.append(self._run(region, state, decide) if region.blocks else state)
            follows_loop |= self._follows_loop
        self._follows_loop = follows_loop
        return NOTHING.union(*branches)

    def _loop(self, op: Operation, state: State, decide: bool) -> State:
        if not decide:
            return self._repeat(op, NOTHING if self.needed.get(op) else state, decide=False)
        # First only what the loop itself asks for. If that leaves a conflict with what came before, one barrier before
        # the loop is cheaper than one in every iteration.
        self._loops += 1
        self._repeat(op, NOTHING, decide=True)
        self._loops -= 1
        found, self.has_conflict = self.has_conflict, False
        after = self._repeat(op, state, decide=False)
        self.needed[op] = self.has_conflict
        self.has_conflict = found
        self._doubtful.add(op)
        self._follows_loop = True
        return self._repeat(op, NOTHING, decide=False) if self.needed[op] else after

    def _repeat(self, op: Operation, state: State, decide: bool) -> State:
        """The state after a loop that is entered in `state`."""
        while True:
            if isinstance(op, scf.WhileOp):
                after = self._run(op.before_region, state, decide)
                again = state | in_another_turn(self._run(op.after_region, after, decide), op)
            else:
                again = after = state | in_another_turn(self._run(op.regions[0], state, decide), op)
            if again == state:
                return after
            state = again


def in_another_turn(state: State, loop: Operation) -> State:
    """The accesses of one turn of a loop, as the next turn sees them."""
    return frozenset(access.in_another_turn(loop) if isinstance(access, PointerAccess) else access for access in state)


def accesses_of(op: Operation, outer: Operation) -> Iterable[Access]:
    """What an operation does to shared memory, as a part of `outer`."""
    match op:
        case ttg.LocalStoreOp():
            yield of_own_elements(shared_access(op.buffer, True, outer), op.src.type, op.buffer.type)
        case ttg.LocalLoadOp() if not op.offsets:
            yield of_own_elements(shared_access(op.buffer, False, outer), op.result.type, op.buffer.type)
        case ttg.CopyTileOp():
            yield shared_access(op.buffer, True, outer)
        case ttg.LocalLoadOp() | ttg.LocalGatherOp():
            yield shared_access(op.buffer, False, outer)
        case cuda.StoreOp():
            if is_shared(op.base):
                yield shared_access(op.base, True, outer)
        case ttg.DotOp() | cuda.LoadOp():
            yield from (shared_access(operand, False, outer) for operand in op.operands if is_shared(operand))
        case cuda.SharedViewOp():
            pass
        case _:
            for operand in op.operands:
                if is_shared(operand):
                    yield shared_access(operand, False, outer)
                    yield shared_access(operand, True, outer)


def releases_or_acquires(op: Operation) -> bool:
    return op.__class__ not in COMPUTATIONS and isinstance(op, tt.AtomicOp) and (op.releases or acquires(op))


def acquires(op: tt.AtomicOp) -> bool:
    """Whether what comes after an operation must wait for it; nothing can depend on a value that is not used."""
    return op.acquires and any(result.first_use is not None for result in op.results)


def global_accesses_of(op: Operation, outer: Operation, roots: PointerRoots) -> Iterable[GlobalAccess]:
    """What an operation does to global memory, as a part of `outer`."""
    match op:
        case tt.AtomicOp():
            is_used = any(result.first_use is not None for result in op.results)
            is_tensor = is_tensor_type(op.operands[0].type)
            is_accumulation = isinstance(op, tt.AtomicRMWOp) and is_tensor and not is_used and op.semantics != "release"
            yield GlobalAccess(outer, op.releases, acquires(op), is_accumulation)
        case tt.LoadOp():
            yield GlobalAccess(outer, is_constant=not op.is_volatile and roots.is_constant_memory(op.ptr))
        case tt.StoreOp():
            yield GlobalAccess(outer)
        case cuda.LoadOp() | cuda.StoreOp():
            if not is_shared(op.base):
                is_constant = isinstance(op, cuda.LoadOp) and roots.is_constant_memory(op.base)
                yield GlobalAccess(outer, is_constant=is_constant)
        case _:
            return


def is_shared(value: SSAValue) -> bool:
    return isinstance(value.type, ttg.MemDescType | cuda.SharedType)


def of_own_elements(access: Access, tensor: Attribute, buffer: Attribute) -> Access:
    """The access, with the types that say which thread has which element, unless threads have copies of some."""
    if not is_distributed(tensor) or layout_of(tensor).thread_free_mask:
        return access
    return access._replace(tensor=tensor, buffer=buffer)


def is_distributed(tensor: Attribute) -> TypeGuard[TensorType[Any]]:
    return isinstance(tensor, TensorType) and isinstance(tensor.encoding, DistributedEncodingAttr)


WHOLE_BLOCK = "the shared memory of the block"


def shared_access(buffer: SSAValue, is_write: bool, op: Operation) -> Access:
    owner = buffer.owner
    size = size_of(buffer)
    if isinstance(owner, ttg.LocalAllocOp) and owner.offset is not None:
        start = owner.offset.value.data
        return Access(WHOLE_BLOCK, start, start + size, is_write, op)
    if isinstance(owner, cuda.SharedViewOp):
        start = owner.offset.value.data
        return Access(owner.pool, start, start + size, is_write, op)
    return Access(buffer, 0, size, is_write, op)


def size_of(buffer: SSAValue) -> int:
    if isinstance(buffer.type, ttg.MemDescType):
        return buffer.type.nbytes
    assert isinstance(buffer.type, cuda.SharedType)
    return prod(buffer.type.get_shape()) * ttg.element_bytes(buffer.type.element_type)


def refuse_exchange_inside(op: Operation) -> None:
    """Raises PassError if threads would have to wait for each other inside `op`, where not all of them come."""
    accesses: list[Access] = []
    for nested in op.walk():
        if isinstance(nested, BARRIERS):
            raise PassError("a barrier that not all threads of the block reach", nested.location)
        for access in accesses_of(nested, nested):
            if any(access.conflicts(other) for other in accesses):
                raise PassError(
                    "threads exchange data through shared memory where not all of them come", nested.location
                )
            accesses.append(access)
