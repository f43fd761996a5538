"""Which register of one layout holds what a register of another layout asks for, within the same thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import prod

from xdsl.ir import SSAValue

from mytriton.dialects import arith
from mytriton.dialects.linear_layout import LANE, REGISTER, WARP, Basis, LinearLayout, Segment, segments
from mytriton.passes.to_cuda.emitter import Emitter

CoordinateMap = Callable[[Basis], Basis]
"""From the coordinates of one tensor to those of another; the functions below give the same object for the same map,
so that what follows from it is computed once."""


@dataclass(frozen=True)
class RegisterMap:
    """A map from register numbers to register numbers: the exclusive or of `origin` and, for each bit i, `masks[i]`."""

    masks: tuple[int, ...]
    source_bits: int
    origin: int = 0

    @cached_property
    def is_identity(self) -> bool:
        is_aligned = len(self.masks) == self.source_bits and not self.origin
        return is_aligned and all(mask == 1 << bit for bit, mask in enumerate(self.masks))

    def emit(self, emitter: Emitter, register: SSAValue | None) -> SSAValue | None:
        """The source register's number for a target register's; None where the source has a single register."""
        if self.source_bits == 0:
            return None
        if self.is_identity:
            return register
        part, union = self._segments, self._union
        if not part:
            return emitter.constant(self.origin)
        assert register is not None
        moved = emitter.bits(register, len(self.masks), part, sum(self.masks) != union)
        if not self.origin or moved is None:
            return moved
        origin = emitter.constant(self.origin)
        if self.origin & union:
            return emitter.add(arith.XOrIOp(moved, origin))
        return emitter.add_index(moved, origin)

    @cached_property
    def _segments(self) -> list[Segment]:
        return segments([(bit, mask) for bit, mask in enumerate(self.masks) if mask])

    @cached_property
    def _union(self) -> int:
        union = 0
        for mask in self.masks:
            union |= mask
        return union


@lru_cache(maxsize=4096)
def register_map(
    target: LinearLayout, source: LinearLayout, to_source: CoordinateMap, origin: Basis | None = None
) -> RegisterMap | None:
    """The map from registers of `target` to those of `source` that hold the coordinates `to_source` asks for.

    With `origin`, which no thread's coordinates overlap, to those that hold these coordinates added to it.
    None where a thread would need an element of another thread, or a register that depends on the thread.
    """
    for name in (LANE, WARP):
        wanted = [to_source(basis) for basis in target.bases.get(name, ())]
        held = list(source.bases.get(name, ()))
        if wanted != held:
            return None
    held = [source.flatten(basis) for basis in source.bases.get(REGISTER, ())]
    masks: list[int] = []
    for basis in target.bases.get(REGISTER, ()):
        mask = _combination(source.flatten(to_source(basis)), held)
        if mask is None:
            return None
        masks.append(mask)
    start = 0 if origin is None else _combination(source.flatten(origin), held)
    return None if start is None else RegisterMap(tuple(masks), len(held), start)


def _combination(wanted: int, vectors: Sequence[int]) -> int | None:
    """Which of the vectors, as a mask, have `wanted` as their exclusive or; None if none do."""
    rows: list[tuple[int, int]] = []
    for position, vector in enumerate(vectors):
        mask = 1 << position
        for pivot, pivot_mask in rows:
            if vector ^ pivot < vector:
                vector, mask = vector ^ pivot, mask ^ pivot_mask
        if vector:
            rows.append((vector, mask))
            rows.sort(reverse=True)
    mask = 0
    for pivot, pivot_mask in rows:
        if wanted ^ pivot < wanted:
            wanted, mask = wanted ^ pivot, mask ^ pivot_mask
    return None if wanted else mask


def same_coordinates(basis: Basis) -> Basis:
    return basis


@cache
def without_dim(dim: int) -> CoordinateMap:
    """Coordinates of an expanded tensor to those of the tensor it was made of."""
    return lambda basis: basis[:dim] + basis[dim + 1 :]


def with_last_dim(basis: Basis) -> Basis:
    """Coordinates of the first half of a tensor to those in the tensor."""
    return (*basis, 0)


@lru_cache(maxsize=4096)
def pinned(shape: tuple[int, ...]) -> CoordinateMap:
    """Coordinates of a broadcast tensor to those of its source of `shape`: zero where the source has size 1."""
    return lambda basis: tuple(0 if size == 1 else value for value, size in zip(basis, shape, strict=True))


@lru_cache(maxsize=4096)
def permuted(order: tuple[int, ...]) -> CoordinateMap:
    """Coordinates of a transposed tensor (dimension i is the source's order[i]) to those of its source."""

    def to_source(basis: Basis) -> Basis:
        source = [0] * len(order)
        for dim, source_dim in enumerate(order):
            source[source_dim] = basis[dim]
        return tuple(source)

    return to_source


@lru_cache(maxsize=4096)
def row_major(target: LinearLayout, source: LinearLayout) -> CoordinateMap:
    """Coordinates of a reshaped tensor to those of its source; both have the same power-of-two size."""
    assert prod(target.shape) == prod(source.shape)
    return lambda basis: source.unflatten(target.flatten(basis))
