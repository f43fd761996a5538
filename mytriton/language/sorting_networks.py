"""Networks that put signed integers in order along an axis of 2**n elements, which is taken as n axes of 2.

The index along the last of these is the lowest bit of the element's number.
"""

from __future__ import annotations

from mytriton.language.context import current_builder
from mytriton.language.math import maximum, minimum
from mytriton.language.reductions import reduced_along
from mytriton.language.shapes import reshape
from mytriton.language.values import like, tensor


def is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def merged(keys: tensor, axis: int, descending: bool) -> tensor:
    """The keys, which go up and then down along an axis or the other way round, in order."""
    count = keys.shape[axis].bit_length() - 1
    return reshape(_merged_bits(_split(keys, axis), axis, count, count, descending), keys.shape)


def largest_merged(keys: tensor, axis: int, number: int, descending: bool) -> tensor:
    """The `number` largest keys along an axis, the largest first; the smallest ones without `descending`.

    Runs of that many keys are put in order, alternately up and down. Of two neighbouring runs, what is larger at each
    place are the largest keys of both, which go down and up: they are merged, until one run is left.
    """
    combine = maximum if descending else minimum
    if number == 1:
        return reshape(reduced_along([keys], axis, combine)[0], (*keys.shape[:axis], 1, *keys.shape[axis + 1 :]))
    bits, left = number.bit_length() - 1, keys.shape[axis].bit_length() - 1
    shape = (*keys.shape[:axis], number, *keys.shape[axis + 1 :])
    keys = _split(keys, axis)
    for stage in range(1, bits + 1):
        keys = _merged_bits(keys, axis, left, stage, False)
    while left > bits:
        (keys,) = reduced_along([keys], axis + left - 1 - bits, combine)
        left -= 1
        keys = _merged_bits(keys, axis, left, bits, descending)
    return reshape(keys, shape)


def _split(keys: tensor, axis: int) -> tensor:
    bits = keys.shape[axis].bit_length() - 1
    return reshape(keys, (*keys.shape[:axis], *[2] * bits, *keys.shape[axis + 1 :]))


def _merged_bits(keys: tensor, axis: int, left: int, stage: int, descending: bool) -> tensor:
    """Runs of 2**stage keys in order, alternately up and down; of all 2**left keys, as `descending` says."""
    for bit in reversed(range(stage)):
        falls = axis + left - 1 - stage if stage < left else None
        moving = axis + left - 1 - bit
        handle = current_builder().compare_exchange(keys.handle, moving, falls, descending and falls is None)
        keys = like(keys, handle)
    return keys
