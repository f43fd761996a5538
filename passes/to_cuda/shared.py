"""The kernel's shared arrays, from the byte offsets that allocate-shared gave the buffers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from mytriton.dialects import cuda, ttg
from mytriton.passes.scratch import array_bytes, array_shape
from mytriton.passes.to_cuda.emitter import Emitter

STATIC_LIMIT = 48 * 1024
"""Bytes of shared memory that a kernel may declare; more must be dynamic (CUDA C++ Programming Guide)."""

MOST_JOINED = 2
"""The number of buffers up to which the array that they share is called after all of them."""


@dataclass
class SharedArray:
    """Buffers of one type at one place, which are one array; `offset` is None where the place was left open."""

    name: str
    shared_type: cuda.SharedType
    offset: int | None
    nbytes: int
    buffers: list[ttg.LocalAllocOp] = field(default_factory=list[ttg.LocalAllocOp])

    @property
    def end(self) -> int:
        return (self.offset or 0) + self.nbytes


def make_shared_arrays(emitter: Emitter, buffers: Sequence[ttg.LocalAllocOp]) -> dict[SSAValue, SSAValue]:
    """One array for the buffers of one type and place; views into one array of bytes where arrays share bytes or are
    too many for static shared memory."""
    arrays = _group(buffers)
    total = max((array.end for array in arrays), default=0)
    values: dict[SSAValue, SSAValue] = {}
    if total <= STATIC_LIMIT and not _overlap(arrays):
        for array in arrays:
            emitter.source = array.buffers[0]
            value = emitter.add(cuda.SharedArrayOp(array.name, array.shared_type), array.name)
            values.update((buffer.result, value) for buffer in array.buffers)
        return values
    pool_type = cuda.SharedType([(total + 15) // 16 * 16], i8)
    emitter.source = None
    pool_op = cuda.SharedArrayOp("shared_memory", pool_type, dynamic=total > STATIC_LIMIT)
    pool = emitter.add(pool_op, "shared_memory")
    for array in arrays:
        emitter.source = array.buffers[0]
        view = cuda.SharedViewOp(pool, array.name, array.offset or 0, array.shared_type)
        value = emitter.add(view, array.name)
        values.update((buffer.result, value) for buffer in array.buffers)
    return values


def _group(buffers: Sequence[ttg.LocalAllocOp]) -> list[SharedArray]:
    arrays: list[SharedArray] = []
    for buffer in buffers:
        assert isinstance(buffer.result.type, ttg.MemDescType)
        memdesc = buffer.result.type
        shared_type = cuda.SharedType(array_shape(memdesc.encoding, memdesc.get_shape()), memdesc.element_type)
        offset = None if buffer.offset is None else buffer.offset.value.data
        same = [a for a in arrays if offset is not None and (a.offset, a.shared_type) == (offset, shared_type)]
        if not same:
            same = [SharedArray("", shared_type, offset, array_bytes(memdesc))]
            arrays += same
        same[0].buffers.append(buffer)
    used: set[str] = set()
    for array in arrays:
        array.name = _unused_name(_joint_name(array.buffers), used)
        used.add(array.name)
    return arrays


def _overlap(arrays: Sequence[SharedArray]) -> bool:
    """Whether two arrays share bytes; arrays without an offset are apart from all others."""
    ranges = sorted((array.offset, array.end) for array in arrays if array.offset is not None)
    return any(end > start for (_, end), (start, _) in pairwise(ranges))


def _joint_name(buffers: Sequence[ttg.LocalAllocOp]) -> str:
    """The name of an array that these buffers share: `q_tile` and `k_tile` are `q_k_tile`, more of them just `tile`."""
    given = [buffer.buffer_name.data if buffer.buffer_name is not None else "buffer" for buffer in buffers]
    if len(given) == 1:
        return given[0]
    # Without the numbers that tell buffers of one name apart.
    names = list(dict.fromkeys(re.sub(r"_\d+$", "", name) for name in given))
    if len(names) == 1:
        return names[0]
    kinds = {name.rpartition("_")[2] for name in names}
    if len(kinds) > 1:
        return "buffer"
    (kind,) = kinds
    parts = [name.removesuffix(kind).rstrip("_") for name in names]
    return "_".join([*parts, kind]) if len(names) <= MOST_JOINED and all(parts) else kind


def _unused_name(name: str, used: set[str]) -> str:
    candidate, number = name, 1
    while candidate in used:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
