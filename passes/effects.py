"""What an operation may do besides computing its results, answered once for each class of operations."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import cache

from xdsl.ir import Operation
from xdsl.traits import (
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    get_effects,
)
from xdsl.transforms.dead_code_elimination import result_only_effects


class Effects(IntEnum):
    """What is the worst that an operation does to memory, from harmless to unknown."""

    NONE = 0
    READ = 1
    ALLOCATE = 2
    WRITE = 3
    """It writes, or nothing is known of it."""


@cache
def effects_of_class(op_class: type[Operation]) -> Effects | None:
    """The effects that all operations of a class have; None where it depends on the operation."""
    traits = {type(trait) for trait in op_class.traits if isinstance(trait, MemoryEffect)}
    if not traits or MemoryWriteEffect in traits:
        return Effects.WRITE
    if traits <= {NoMemoryEffect, Pure}:
        return Effects.NONE
    if traits <= {NoMemoryEffect, Pure, MemoryReadEffect}:
        return Effects.READ
    return None


@cache
def has_effects_of_its_body(op_class: type[Operation]) -> bool:
    """Whether the operations inside of an operation of this class are all that it does."""
    return {type(trait) for trait in op_class.traits if isinstance(trait, MemoryEffect)} == {RecursiveMemoryEffect}


@cache
def stays_without_uses(op_class: type[Operation]) -> bool:
    """Whether operations of this class have a purpose of their own: terminators and symbols."""
    return any(isinstance(trait, IsTerminator | SymbolOpInterface) for trait in op_class.traits)


def effects_of(op: Operation) -> Effects:
    """The worst that `op`, with the operations inside of it, does to memory."""
    effects = effects_of_class(type(op))
    if effects is not None:
        return effects
    if not has_effects_of_its_body(type(op)):
        return _declared_effects(op)
    worst = Effects.NONE
    pending = [op]
    while pending:
        for inner in _children(pending.pop()):
            effects = effects_of_class(type(inner))
            if effects is None:
                if has_effects_of_its_body(type(inner)):
                    pending.append(inner)
                    continue
                effects = _declared_effects(inner)
            if effects is Effects.WRITE:
                return effects
            worst = max(worst, effects)
    return worst


def is_unused(op: Operation) -> bool:
    """Whether nothing would change without `op`: no result is used, and it does nothing else that can be observed."""
    for result in op.results:
        if result.first_use is not None:
            return False
    op_class = type(op)
    effects = effects_of_class(op_class)
    if effects is Effects.WRITE or stays_without_uses(op_class):
        return False
    if effects is None:
        effects = effects_of(op)
    # What is allocated is not missed if it is the operation's own.
    return effects <= Effects.READ or (effects is Effects.ALLOCATE and result_only_effects(op))


def _children(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops


def _declared_effects(op: Operation) -> Effects:
    effects = get_effects(op)
    if effects is None:
        return Effects.WRITE
    worst = Effects.NONE
    for effect in effects:
        match effect.kind:
            case MemoryEffectKind.READ:
                worst = max(worst, Effects.READ)
            case MemoryEffectKind.ALLOC:
                worst = max(worst, Effects.ALLOCATE)
            case _:
                return Effects.WRITE
    return worst
