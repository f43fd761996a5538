"""The kernel's shared arrays, from the byte offsets that allocate-shared gave the buffers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from mytriton.dialects import cuda, ttg
from mytriton.passes.to_cuda.emitter import Emitter

STATIC_LIMIT = 48 * 1024
"""Bytes of shared memory that a kernel may declare; more must be dynamic (CUDA C++ Programming Guide)."""


def make_shared_arrays(emitter: Emitter, buffers: Sequence[ttg.LocalAllocOp]) -> dict[SSAValue, SSAValue]:
    """One array for each buffer; views into one array of bytes where buffers share bytes or are too many for static."""
    types = [_shared_type(buffer) for buffer in buffers]
    offsets = [None if buffer.offset is None else buffer.offset.value.data for buffer in buffers]
    ends = [
        (offset or 0) + _memdesc(buffer).nbytes for offset, buffer in zip(offsets, buffers, strict=True)
    ]
    total = max(ends, default=0)
    names = _unique_names(buffers)
    arrays: dict[SSAValue, SSAValue] = {}
    if total <= STATIC_LIMIT and not _overlap(offsets, ends):
        for buffer, name, shared_type in zip(buffers, names, types, strict=True):
            emitter.source = buffer
            arrays[buffer.result] = emitter.add(cuda.SharedArrayOp(name, shared_type), name)
        return arrays
    pool_type = cuda.SharedType([(total + 15) // 16 * 16], i8)
    emitter.source = None
    dynamic = total > STATIC_LIMIT
    pool = emitter.add(cuda.SharedArrayOp("shared_memory", pool_type, dynamic=dynamic), "shared_memory")
    for buffer, name, shared_type, offset in zip(buffers, names, types, offsets, strict=True):
        emitter.source = buffer
        arrays[buffer.result] = emitter.add(cuda.SharedViewOp(pool, name, offset or 0, shared_type), name)
    return arrays


def _memdesc(buffer: ttg.LocalAllocOp) -> ttg.MemDescType:
    assert isinstance(buffer.result.type, ttg.MemDescType)
    return buffer.result.type


def _shared_type(buffer: ttg.LocalAllocOp) -> cuda.SharedType:
    memdesc = _memdesc(buffer)
    return cuda.SharedType(memdesc.get_shape(), memdesc.element_type)


def _overlap(offsets: Sequence[int | None], ends: Sequence[int]) -> bool:
    """Whether two buffers share bytes; buffers without an offset are arrays of their own."""
    ranges = sorted((offset, end) for offset, end in zip(offsets, ends, strict=True) if offset is not None)
    return any(end > start for (_, end), (start, _) in zip(ranges, ranges[1:], strict=False))


def _unique_names(buffers: Sequence[ttg.LocalAllocOp]) -> list[str]:
    names: list[str] = []
    for buffer in buffers:
        name = buffer.buffer_name.data if buffer.buffer_name is not None else "buffer"
        candidate, number = name, 1
        while candidate in names:
            number += 1
            candidate = f"{name}_{number}"
        names.append(candidate)
    return names
