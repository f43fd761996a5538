"""`inline-maps`: register arrays that are cheaper to compute again, or needed in one place only, are not kept."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from mytriton.dialects import arith, cuda

MAX_REPEATED_OPERATIONS = 24
"""A map with more operations than this is computed once, however cheap each of them is."""

CHEAP = (
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
"""Operations on indices, masks and addresses, which the compiler of the printed text folds and shares again."""


@dataclass(frozen=True)
class InlineMaps(ModulePass):
    """Moves the region of a `cuda.map` to where its elements are read with `cuda.get`.

    - get(splat x) -> x.
    - A map of index arithmetic, or one that only reads another array, is copied to each of its uses.
    - Any other map that is read in one place, by a map of the same registers, becomes part of that map. Loads stay in a
      map apart from stores, so that a tile is loaded as a whole before the first store.
    """

    name = "inline-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.block.ops:
            if isinstance(kernel, cuda.FuncOp):
                for producer in [op for op in kernel.walk() if isinstance(op, cuda.SplatOp | cuda.MapOp)]:
                    if isinstance(producer, cuda.SplatOp):
                        _inline_splat(producer)
                    else:
                        _inline_map(producer)


def _inline_splat(splat: cuda.SplatOp) -> None:
    """get(splat x) -> x"""
    for get in _gets(splat.result):
        if not isinstance(get.result.type, VectorType):
            get.result.replace_all_uses_with(splat.value)
            Rewriter.erase_op(get)
    if not splat.result.uses.get_length():
        Rewriter.erase_op(splat)


def _inline_map(producer: cuda.MapOp) -> None:
    """get(map f, i) -> f(i)"""
    if not producer.outputs or producer.step.value.data != 1:
        return
    yielded = producer.yielded
    if _is_cheap(producer):
        for number, output in enumerate(producer.outputs):
            for get in _gets(output):
                if not isinstance(get.result.type, VectorType):
                    _copy_region(producer, yielded.values[number], get)
    else:
        get = _single_reader(producer)
        if get is not None:
            assert isinstance(get.regs, OpResult)
            _copy_region(producer, yielded.values[get.regs.index], get)
    if not any(output.uses.get_length() for output in producer.outputs):
        Rewriter.erase_op(producer)


def _gets(array: SSAValue) -> list[cuda.GetOp]:
    return [use.operation for use in array.uses if isinstance(use.operation, cuda.GetOp)]


def _is_cheap(producer: cuda.MapOp) -> bool:
    """Whether a map is worth computing again at each use: index arithmetic, or another array in another order."""
    count = 0
    for op in producer.body.block.ops:
        if isinstance(op, cuda.YieldOp | cuda.GetOp | arith.ConstantOp):
            continue
        count += 1
        if not isinstance(op, CHEAP) or _is_long_division(op):
            return False
    uses = sum(output.uses.get_length() for output in producer.outputs)
    return count <= MAX_REPEATED_OPERATIONS or uses <= 1


def _is_long_division(op: Operation) -> bool:
    """Whether this divides by something that is known only when the kernel runs, which takes tens of instructions."""
    divisions = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp)
    return isinstance(op, divisions) and not isinstance(op.rhs.owner, arith.ConstantOp)


def _single_reader(producer: cuda.MapOp) -> cuda.GetOp | None:
    """The one read of a map's results, if moving the map's work there changes nothing but where it is done."""
    uses = [use for output in producer.outputs for use in output.uses]
    if len(uses) != 1 or not isinstance(get := uses[0].operation, cuda.GetOp):
        return None
    consumer = get.parent_op()
    if not isinstance(consumer, cuda.MapOp) or consumer.parent is not producer.parent:
        return None
    same_registers = consumer.size == producer.size and consumer.step == producer.step
    if not same_registers or get.index is not consumer.index:
        return None
    loads = any(not op.has_trait(Pure) for op in producer.body.walk() if not isinstance(op, cuda.YieldOp))
    if not loads:
        return get
    if any(not _is_load_or_pure(op) for op in producer.body.walk()):
        return None
    if any(_writes(op) for op in consumer.body.walk()):
        return None
    return get if _only_reads_between(producer, consumer) else None


def _is_load_or_pure(op: Operation) -> bool:
    return isinstance(op, cuda.YieldOp) or op.has_trait(Pure) or (op.has_trait(MemoryReadEffect) and not _writes(op))


def _writes(op: Operation) -> bool:
    """Whether an operation writes memory, or waits for other threads that do."""
    return op.has_trait(MemoryWriteEffect)


def _only_reads_between(first: Operation, last: Operation) -> bool:
    """Whether no operation between two of one block writes memory or waits for others."""
    op = first.next_op
    while op is not None and op is not last:
        for inner in op.walk():
            if _writes(inner):
                return False
        op = op.next_op
    return op is last


def _copy_region(producer: cuda.MapOp, value: SSAValue, get: cuda.GetOp) -> None:
    """Computes `value` of the producer's region for the register that `get` reads, in front of it."""
    mapping: dict[SSAValue, SSAValue] = {producer.index: get.index}
    needed = _needed_for(value, producer.body.block)
    clones = [op.clone(mapping) for op in producer.body.block.ops if op in needed]
    Rewriter.insert_op(clones, InsertPoint.before(get))
    result = mapping.get(value, value)
    if result.name_hint is None:
        result.name_hint = get.result.name_hint
    get.result.replace_all_uses_with(result)
    Rewriter.erase_op(get)


def _needed_for(value: SSAValue, block: Block) -> set[Operation]:
    """The operations of a block on which a value depends."""
    needed: set[Operation] = set()
    pending = [value]
    while pending:
        op = pending.pop().owner
        if isinstance(op, Operation) and op.parent is block and op not in needed:
            needed.add(op)
            for inner in op.walk():
                pending.extend(inner.operands)
    return needed
