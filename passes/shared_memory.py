"""Shared buffers before they exist: when each is in use, and at which byte of the block's shared memory each begins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from mytriton.dialects.building import operations
from mytriton.dialects.ttg import MemDescType
from mytriton.passes.scratch import array_bytes

ALIGNMENT = 16
"""Every buffer begins at a multiple of this many bytes, the widest access of a thread."""

STATIC_LIMIT = 48 * 1024
"""Bytes of shared memory that a kernel may declare without asking for more at launch."""

KIBIBYTE = 1024
OPT_IN_LIMITS = {
    75: 64 * KIBIBYTE,
    80: 163 * KIBIBYTE,
    86: 99 * KIBIBYTE,
    87: 163 * KIBIBYTE,
    88: 99 * KIBIBYTE,
    89: 99 * KIBIBYTE,
    90: 227 * KIBIBYTE,
    100: 227 * KIBIBYTE,
    103: 227 * KIBIBYTE,
    110: 227 * KIBIBYTE,
    120: 99 * KIBIBYTE,
    121: 99 * KIBIBYTE,
}
"""Bytes that one block can have when it asks at launch, by compute capability (CUDA C++ Programming Guide, table
"Technical Specifications per Compute Capability")."""


def opt_in_limit(arch: str) -> int:
    """The bytes of dynamic shared memory that one block can have on an architecture such as `sm_90a`.

    Raises ValueError for an architecture that is not known.
    """
    digits = arch.removeprefix("sm_").rstrip("af")
    if not arch.startswith("sm_") or not digits.isdigit() or int(digits) not in OPT_IN_LIMITS:
        known = ", ".join(f"sm_{capability}" for capability in OPT_IN_LIMITS)
        raise ValueError(f"unknown architecture {arch!r}, expected one of {known}")
    return OPT_IN_LIMITS[int(digits)]


@dataclass(frozen=True)
class Access:
    """A place where a buffer is read or written: at an operation (or just before it), in that operation's block."""

    position: float
    block: Block | None
    is_write: bool


@dataclass(eq=False)
class SharedBuffer:
    """A buffer that a kernel needs: its type and name, the operation that asks for it, and where it is accessed."""

    name: str
    type: MemDescType
    source: Operation
    accesses: list[Access] = field(default_factory=list[Access])
    start: float = 0.0
    end: float = 0.0
    offset: int = 0

    @property
    def nbytes(self) -> int:
        return array_bytes(self.type)

    def lives_with(self, other: SharedBuffer) -> bool:
        """Whether some moment finds both in use."""
        return self.start <= other.end and other.start <= self.end

    def overlaps(self, other: SharedBuffer) -> bool:
        """Whether the two share a byte."""
        return self.offset < other.offset + other.nbytes and other.offset < self.offset + self.nbytes


class ProgramOrder:
    """Operations numbered in the order of the text."""

    def __init__(self, function: Operation):
        self.positions: dict[Operation, int] = {}
        self.ends: dict[Operation, int] = {}
        self.is_structured = True
        self._number(function)

    def _number(self, op: Operation) -> None:
        self.positions[op] = len(self.positions)
        if not op.regions:
            return
        for region in op.regions:
            self.is_structured &= region.first_block is region.last_block
            for block in region.blocks:
                for nested in operations(block):
                    self._number(nested)
        self.ends[op] = len(self.positions)

    def read(self, op: Operation, after: bool = False) -> Access:
        return Access(self.positions[op] + (0.25 if after else 0.0), op.parent, False)

    def write(self, op: Operation, before: bool = False) -> Access:
        return Access(self.positions[op] - (0.5 if before else 0.0), op.parent, True)

    def set_live_range(self, buffer: SharedBuffer) -> None:
        """A buffer is live from its first write to its last read, and around the loops that its contents survive."""
        accesses = sorted(buffer.accesses, key=lambda access: access.position)
        if not self.is_structured or not accesses:
            buffer.start, buffer.end = 0, len(self.positions)
            return
        buffer.start, buffer.end = accesses[0].position, accesses[-1].position
        for loop in dict.fromkeys(loop for access in accesses for loop in enclosing_loops(access.block)):
            start, end = self.positions[loop], self.ends[loop]
            inside = [access for access in accesses if start < access.position < end]
            if len(inside) < len(accesses) or not _written_first(inside):
                buffer.start, buffer.end = min(buffer.start, start), max(buffer.end, end)


def _written_first(accesses: Sequence[Access]) -> bool:
    """Whether no iteration of a loop can read what an earlier one wrote."""
    first = accesses[0]
    return first.is_write and all(first.block in tuple(enclosing_blocks(access.block)) for access in accesses)


def enclosing_blocks(block: Block | None) -> Iterable[Block]:
    """The block and those around it, innermost first."""
    while block is not None:
        yield block
        block = block.parent_block()


def enclosing_loops(block: Block | None) -> Iterable[Operation]:
    """The loops around a block, innermost first."""
    for around in enclosing_blocks(block):
        op = around.parent_op()
        if isinstance(op, scf.ForOp | scf.WhileOp):
            yield op


def assign_offsets(buffers: Sequence[SharedBuffer]) -> int:
    """Gives each buffer the lowest offset where it shares no byte with a buffer that lives with it; returns the total.

    Large buffers go first, as they are hardest to place.
    """
    placed: list[SharedBuffer] = []
    for buffer in sorted(buffers, key=lambda buffer: -buffer.nbytes):
        neighbours = [other for other in placed if other.lives_with(buffer)]
        ends = sorted(align(other.offset + other.nbytes) for other in neighbours)
        for offset in (0, *ends):
            buffer.offset = offset
            if not any(buffer.overlaps(other) for other in neighbours):
                break
        placed.append(buffer)
    return max((buffer.offset + buffer.nbytes for buffer in buffers), default=0)


def align(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT
