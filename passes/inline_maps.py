"""`inline-maps`: register arrays that are cheaper to compute again, or needed in one place only, are not kept."""

from __future__ import annotations

from dataclasses import dataclass, field

from typing_extensions import TypeIs
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from mytriton.dialects import arith, cuda
from mytriton.dialects.building import (
    clone,
    detach,
    erase,
    has_trait,
    insert_before,
    of_class,
    operations,
    replace_uses,
    set_name,
    walk,
)
from mytriton.dialects.tensor_types import is_vector_type

MAX_REPEATED_OPERATIONS = 24
"""A map with more operations than this is computed once, however cheap each of them is."""

CHEAP = frozenset(
    (
        arith.AddiOp,
        arith.SubiOp,
        arith.MuliOp,
        arith.DivSIOp,
        arith.DivUIOp,
        arith.RemSIOp,
        arith.RemUIOp,
        arith.AndIOp,
        arith.OrIOp,
        arith.XOrIOp,
        arith.ShLIOp,
        arith.ShRSIOp,
        arith.ShRUIOp,
        arith.MinSIOp,
        arith.MaxSIOp,
        arith.CmpiOp,
        arith.SelectOp,
        arith.ExtSIOp,
        arith.ExtUIOp,
        arith.TruncIOp,
        cuda.PtrAddOp,
        cuda.PtrCastOp,
    )
)
"""Operations on indices, masks and addresses, which the compiler of the printed text folds and shares again."""

DIVISIONS = frozenset((arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp))
UNCOUNTED = frozenset((cuda.YieldOp, cuda.GetOp, arith.ConstantOp))


@dataclass(frozen=True)
class InlineMaps(ModulePass):
    """Moves the region of a `cuda.map` to where its elements are read with `cuda.get`.

    - get(splat x) -> x.
    - A map of index arithmetic, or one that only reads another array, is copied to each of its uses.
    - Any other map that is read in one place, by a map of the same registers, becomes part of that map. Loads stay in a
      map apart from stores, so that a tile is loaded as a whole before the first store.

    What becomes of each map is decided from the first one to the last, and done from the last one to the first: no
    operation is moved twice.
    """

    name = "inline-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in operations(op.body.block):
            if isinstance(kernel, cuda.FuncOp):
                _inline_all(kernel)


def _inline_all(kernel: cuda.FuncOp) -> None:
    ops = walk(kernel)
    producers: list[cuda.SplatOp | cuda.MapOp] = of_class(ops, cuda.SplatOp, cuda.MapOp)
    plan = Plan(ops)
    for producer in producers:
        if isinstance(producer, cuda.MapOp):
            plan.decide(producer)
    for producer in reversed(producers):
        if isinstance(producer, cuda.SplatOp):
            _inline_splat(producer)
        elif (fate := plan.fates.get(producer)) is not None:
            _inline_map(producer, fate)


@dataclass
class Fate:
    """What becomes of a map, and what it will hold when all before it have met theirs."""

    is_copied: bool = False
    is_moved: bool = False
    is_pure: bool = True
    """Whether it only computes."""

    only_reads: bool = True
    """Whether it does nothing but compute and read memory."""

    needed: list[set[Operation]] = field(default_factory=list[set[Operation]])
    """For each result of a map that is copied, the operations of its region on which it depends."""

    sizes: list[int] = field(default_factory=list[int])
    """For each result of a map that is copied, the operations of one copy."""


class Plan:
    """Decides for one kernel, map by map in the order of the text, which are copied and which are moved."""

    def __init__(self, ops: list[Operation]):
        self.fates: dict[Operation, Fate] = {}
        self._writers = _writers(ops)
        self._written_before: dict[Block, dict[Operation, int]] = {}
        self._absorbed: dict[Operation, list[Fate]] = {}

    def decide(self, producer: cuda.MapOp) -> None:
        if not producer.results or producer.step.value.data != 1:
            return
        fate = self.fates[producer] = Fate()
        absorbed = self._absorbed.get(producer, ())
        block = producer.regions[0].block
        if not absorbed and self._is_cheap(producer, block):
            fate.is_copied = True
            fate.needed = [_needed_for(value, block) for value in producer.yielded.operands]
            fate.sizes = [sum(map(self._size, needed)) for needed in fate.needed]
            return
        for op in walk(producer)[1:]:
            if op.__class__ is not cuda.YieldOp and not has_trait(op, Pure):
                fate.is_pure = False
                fate.only_reads &= has_trait(op, MemoryReadEffect) and not _writes(op)
        for other in absorbed:
            fate.is_pure &= other.is_pure
        if (consumer := self._single_reader(producer, fate)) is not None:
            fate.is_moved = True
            self._absorbed.setdefault(consumer, []).append(fate)

    def _is_cheap(self, producer: cuda.MapOp, block: Block) -> bool:
        """Whether a map is worth computing again at each use: index arithmetic, or another array in another order."""
        count = 0
        for op in operations(block):
            kind = op.__class__
            if kind not in UNCOUNTED and (kind not in CHEAP or (kind in DIVISIONS and not self._is_constant(op))):
                return False
            count += self._size(op)
        return count <= MAX_REPEATED_OPERATIONS or sum(result.uses.get_length() for result in producer.results) <= 1

    def _size(self, op: Operation) -> int:
        """How many operations there will be in place of one: those of a copy for an element that is read."""
        if op.__class__ not in UNCOUNTED:
            return 1
        if (source := _array_read(op)) is None or (fate := self.fates.get(source.op)) is None or not fate.is_copied:
            return 0
        return fate.sizes[source.index]

    def _is_constant(self, division: Operation) -> bool:
        """Whether the divisor will be known; otherwise a division takes tens of instructions."""
        divisor = division.operands[1]
        while (source := _array_read(divisor.owner)) is not None:
            if isinstance(source.op, cuda.SplatOp):
                divisor = source.op.value
            elif (fate := self.fates.get(source.op)) is not None and fate.is_copied:
                assert isinstance(source.op, cuda.MapOp)
                divisor = source.op.yielded.operands[source.index]
            else:
                return False
        return isinstance(divisor.owner, arith.ConstantOp)

    def _single_reader(self, producer: cuda.MapOp, fate: Fate) -> cuda.MapOp | None:
        """The map with the one read of a map's results, if moving the map's work there changes nothing but where it is
        done."""
        if (get := _single_get(producer)) is None:
            return None
        consumer = get.parent_op()
        if not isinstance(consumer, cuda.MapOp) or consumer.parent is not producer.parent:
            return None
        same_registers = consumer.size == producer.size and consumer.step == producer.step
        if not same_registers or get.index is not consumer.index:
            return None
        if fate.is_pure:
            return consumer
        if not fate.only_reads or consumer in self._writers:
            return None
        return consumer if self._only_reads_between(producer, consumer) else None

    def _only_reads_between(self, first: Operation, last: Operation) -> bool:
        """Whether no operation between two of one block writes memory or waits for others."""
        block = first.parent
        assert block is not None
        if (before := self._written_before.get(block)) is None:
            before = self._written_before[block] = {}
            count = 0
            for op in operations(block):
                before[op] = count
                count += op in self._writers
        return before[last] == before[first] + (first in self._writers)


def _writers(ops: list[Operation]) -> set[Operation]:
    """The operations that write memory or wait for other threads that do, and those around them."""
    writers: set[Operation] = set()
    for op in ops:
        if _writes(op):
            outer: Operation | None = op
            while outer is not None and outer not in writers:
                writers.add(outer)
                outer = outer.parent_op()
    return writers


def _writes(op: Operation) -> bool:
    return has_trait(op, MemoryWriteEffect)


def _array_read(op: Operation | Block) -> OpResult | None:
    """The array of which an operation reads one element."""
    if not _is_get(op) or is_vector_type(op.results[0].type):
        return None
    array = op.operands[0]
    return array if isinstance(array, OpResult) else None


def _is_get(op: Operation | Block) -> TypeIs[cuda.GetOp]:
    return op.__class__ is cuda.GetOp


def _single_get(producer: cuda.MapOp) -> cuda.GetOp | None:
    """The only use of a map's results, where it reads them."""
    uses = [use for result in producer.results if (use := result.first_use) is not None]
    if len(uses) != 1 or any(result.has_more_than_one_use() for result in producer.results):
        return None
    get = uses[0].operation
    return get if isinstance(get, cuda.GetOp) else None


def _needed_for(value: SSAValue, block: Block) -> set[Operation]:
    """The operations of a block, none of which has a region, on which a value depends."""
    needed: set[Operation] = set()
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, OpResult) and value.op.parent is block and value.op not in needed:
            needed.add(value.op)
            pending += value.op.operands
    return needed


def _inline_splat(splat: cuda.SplatOp) -> None:
    """get(splat x) -> x"""
    for get in _gets(splat.result):
        _replace(get, splat.value)
    if splat.result.first_use is None:
        erase(splat)


def _inline_map(producer: cuda.MapOp, fate: Fate) -> None:
    """get(map f, i) -> f(i)"""
    values, block = producer.yielded.operands, producer.regions[0].block
    if fate.is_moved:
        get = _single_get(producer)
        assert get is not None
        array = get.operands[0]
        assert isinstance(array, OpResult)
        _move_region(block, producer.index, values[array.index], get)
    elif fate.is_copied:
        reads = [(get, result.index) for result in producer.results for get in _gets(result)]
        is_all = len(reads) == sum(result.uses.get_length() for result in producer.results)
        ops = operations(block)
        for number, (get, index) in enumerate(reads, start=1):
            if is_all and number == len(reads):
                _move_region(block, producer.index, values[index], get, fate.needed[index])
            else:
                needed = [op for op in ops if op in fate.needed[index]]
                _copy_region(needed, producer.index, values[index], get)
    else:
        return  # a map that does something stays, also where nobody reads its results
    if all(result.first_use is None for result in producer.results):
        erase(producer)


def _gets(array: SSAValue) -> list[cuda.GetOp]:
    """The reads of single elements of an array."""
    readers = of_class((use.operation for use in array.uses), cuda.GetOp)
    return [get for get in readers if not is_vector_type(get.results[0].type)]


def _copy_region(ops: list[Operation], index: SSAValue, value: SSAValue, get: cuda.GetOp) -> None:
    """Computes `value` of a map's region for the register that `get` reads, in front of it."""
    mapping: dict[SSAValue, SSAValue] = {index: get.operands[1]}
    insert_before([clone(op, mapping) for op in ops], get)
    _replace(get, mapping.get(value, value))


def _move_region(
    block: Block, index: SSAValue, value: SSAValue, get: cuda.GetOp, needed: set[Operation] | None = None
) -> None:
    """Puts the operations of a map's region, or those that are needed of them, in front of the read of `value`."""
    register = get.operands[1]
    ops = [op for op in operations(block) if (needed is None or op in needed) and not isinstance(op, cuda.YieldOp)]
    for op in ops:
        detach(op)
    replace_uses(index, register)
    insert_before(ops, get)
    _replace(get, register if value is index else value)


def _replace(get: cuda.GetOp, value: SSAValue) -> None:
    """The value in place of what was read, with its name if it has none of its own."""
    result = get.results[0]
    if value.name_hint is None:
        set_name(value, result.name_hint)
    replace_uses(result, value)
    erase(get)
