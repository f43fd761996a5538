"""`x[...]`: new axes, slices and single elements of a tensor."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from mytriton import messages
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import current_builder
from mytriton.language.dtypes import block_type, int32, int64
from mytriton.language.shapes import insert_axis, item, reshape
from mytriton.language.values import is_tuple, tensor


class Part(NamedTuple):
    """What is taken along one axis: `size` elements from `start` on, `step` apart; a dropped axis goes."""

    start: int | tensor
    size: int
    step: int = 1
    is_dropped: bool = False


def index(value: tensor, subscript: Any) -> tensor:
    """`value[subscript]` as in NumPy, with `None`, `...`, constant slices, and constant or runtime integers."""
    entries = [unwrap(entry) for entry in (subscript if is_tuple(subscript) else (subscript,))]
    rank = len(value.shape)
    taken = sum(entry is not None and entry is not Ellipsis for entry in entries)
    if taken > rank:
        raise messages.too_many_indices(value.type, rank, taken)
    entries = _without_ellipsis(entries, rank - taken)
    parts: list[Part] = []
    new_axes: list[int] = []
    kept = 0
    for entry in entries:
        if entry is None:
            new_axes.append(kept + len(new_axes))
            continue
        part = _part(entry, value.shape[len(parts)], value)
        parts.append(part)
        kept += not part.is_dropped
    result = _extract(value, parts)
    for axis in new_axes:
        result = insert_axis(result, axis)
    return result


def _without_ellipsis(entries: list[Any], missing: int) -> list[Any]:
    """The entries with a `:` for each axis that they do not name: at the `...`, or at the end."""
    position = next((place for place, entry in enumerate(entries) if entry is Ellipsis), len(entries))
    after = entries[position + 1 :]
    if any(entry is Ellipsis for entry in after):
        raise messages.two_ellipses()
    return [*entries[:position], *[slice(None)] * missing, *after]


def _part(entry: Any, extent: int, value: tensor) -> Part:
    if isinstance(entry, slice):
        return _slice(cast("slice[Any, Any, Any]", entry), extent)
    if isinstance(entry, tensor) and entry.constant is not None:
        entry = entry.constant
    if isinstance(entry, tensor):
        return Part(_position(entry, extent), 1, is_dropped=True)
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise messages.bad_index(value.type, entry)
    if not -extent <= entry < extent:
        raise messages.index_out_of_range(entry, extent)
    return Part(entry % extent, 1, is_dropped=True)


def _slice(entry: slice[Any, Any, Any], extent: int) -> Part:
    bounds = [_bound(bound) for bound in (entry.start, entry.stop, entry.step)]
    if bounds[2] == 0:
        raise messages.slice_with_step_zero()
    chosen = range(extent)[slice(*bounds)]
    if not chosen:
        raise messages.empty_slice(extent)
    return Part(chosen.start, len(chosen), chosen.step if len(chosen) > 1 else 1)


def _bound(bound: Any) -> int | None:
    bound = unwrap(bound)
    if isinstance(bound, tensor):
        bound = bound.constant
        if bound is None:
            raise messages.runtime_slice()
    if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int)):
        raise messages.bad_slice(bound)
    return bound


def _position(entry: tensor, extent: int) -> tensor:
    """An index that is known when the kernel runs, counted from 0, as an int32; one out of range stays so."""
    from mytriton.language.math import maximum, minimum
    from mytriton.language.operators import add, less_than
    from mytriton.language.selection import where

    if entry.is_block:
        raise messages.index_is_block(entry.type)
    if not entry.dtype.is_int() or entry.dtype.is_bool():
        raise messages.bad_index_dtype(entry.dtype)
    if entry.dtype.is_int_signed():
        if entry.dtype.int_bitwidth < 32:
            entry = cast_to(entry, int32)
        entry = where(less_than(entry, 0), add(entry, extent), entry)
        return cast_to(maximum(minimum(entry, extent), -1), int32) if entry.dtype == int64 else entry
    if entry.dtype.int_bitwidth < 32:
        return cast_to(entry, int32)
    return cast_to(minimum(entry, extent), int32)


def _extract(value: tensor, parts: list[Part]) -> tensor:
    sizes = tuple(part.size for part in parts)
    if sizes != value.shape or any(part.step != 1 for part in parts):
        builder = current_builder()
        offsets = [
            part.start.handle if isinstance(part.start, tensor) else builder.constant(part.start, int32)
            for part in parts
        ]
        handle = builder.extract_slice(value.handle, offsets, sizes, [part.step for part in parts])
        value = tensor(handle, block_type(value.dtype, sizes))
    shape = [part.size for part in parts if not part.is_dropped]
    if len(shape) == len(parts):
        return value
    return reshape(value, shape) if shape else item(value)
