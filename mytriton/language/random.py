"""Random numbers by the Philox generator: the same seed and offset give the same numbers on every device."""

from __future__ import annotations

from typing import TypeAlias

from mytriton import messages
from mytriton.language.casting import bitcast_to, cast_to
from mytriton.language.constexpr import constexpr, unwrap
from mytriton.language.context import builtin
from mytriton.language.dtypes import int32, int64, uint32, uint64
from mytriton.language.math import cos, log, maximum, sin, sqrt, umulhi
from mytriton.language.operators import add, constant, invert, mul, to_tensor
from mytriton.language.selection import where
from mytriton.language.shapes import constant_int
from mytriton.language.values import Argument, tensor

Four: TypeAlias = tuple[tensor, tensor, tensor, tensor]

N_ROUNDS_DEFAULT = constexpr(10)

# The multipliers and the steps of the key, of the generator of 32 bits and of the one of 64.
_CONSTANTS = {
    32: (0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85),
    64: (0xD2E7470EE14C6C93, 0xCA5A826395121157, 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B),
}
_UNSIGNED = {32: uint32, 64: uint64}

# The largest factors with which the greatest integer stays below 1 once it is rounded to float32.
_SCALES = {32: 4.6566127342e-10, 64: 1.0842020432385337e-19}


@builtin
def philox_impl(
    c0: tensor, c1: tensor, c2: tensor, c3: tensor, k0: tensor, k1: tensor, n_rounds: Argument = N_ROUNDS_DEFAULT
) -> Four:
    """`n_rounds` rounds of Philox on the counter (c0, c1, c2, c3) with the key (k0, k1), all uint32 or all uint64."""
    counter = [to_tensor(unwrap(value)) for value in (c0, c1, c2, c3)]
    dtype = counter[0].dtype
    if dtype not in (uint32, uint64):
        raise messages.wrong_dtype("philox_impl", dtype, ("uint32", "uint64"))
    first, second, first_step, second_step = _CONSTANTS[dtype.int_bitwidth]
    keys = to_tensor(unwrap(k0)), to_tensor(unwrap(k1))
    for _ in range(constant_int(n_rounds, "n_rounds")):
        a, b, c, d = counter
        counter = [
            umulhi(second, c) ^ b ^ keys[0],
            mul(second, c, sanitize_overflow=False),
            umulhi(first, a) ^ d ^ keys[1],
            mul(first, a, sanitize_overflow=False),
        ]
        keys = add(keys[0], first_step, sanitize_overflow=False), add(keys[1], second_step, sanitize_overflow=False)
    a, b, c, d = counter
    return a, b, c, d


@builtin
def philox(
    seed: Argument,
    c0: Argument,
    c1: Argument,
    c2: Argument,
    c3: Argument,
    n_rounds: Argument = N_ROUNDS_DEFAULT,
) -> Four:
    """Four random integers for each counter (c0, c1, c2, c3): uint32 for counters of 32 bits, uint64 for 64."""
    key = to_tensor(unwrap(seed))
    if not key.dtype.is_int():
        raise messages.wrong_dtype("philox", key.dtype, ("an integer",))
    key = cast_to(key, uint64)
    counter = [to_tensor(unwrap(value)) for value in (c0, c1, c2, c3)]
    dtype = counter[0].dtype
    if not dtype.is_int() or dtype.int_bitwidth not in _UNSIGNED:
        raise messages.wrong_dtype("philox", dtype, ("int32", "uint32", "int64", "uint64"))
    unsigned = _UNSIGNED[dtype.int_bitwidth]
    if unsigned == uint32:
        low, high = cast_to(key, uint32), cast_to(key >> 32, uint32)
    else:
        low, high = key, constant(0, uint64)
    a, b, c, d = (bitcast_to(value, unsigned) for value in counter)
    return philox_impl(a, b, c, d, low, high, n_rounds)


@builtin
def randint4x(seed: Argument, offset: Argument, n_rounds: Argument = N_ROUNDS_DEFAULT) -> Four:
    """Four blocks of random uint32, for a seed and a block of offsets."""
    position = to_tensor(unwrap(offset))
    if not position.dtype.is_int():
        raise messages.wrong_dtype("randint4x", position.dtype, ("an integer",))
    low = cast_to(position, uint32)
    zero = constant(0, uint32, low.shape)
    high = cast_to(position >> 32, uint32) if position.dtype.int_bitwidth > 32 else zero
    return philox(seed, low, high, zero, zero, n_rounds)


@builtin
def randint(seed: Argument, offset: Argument, n_rounds: Argument = N_ROUNDS_DEFAULT) -> tensor:
    """A block of random uint32, for a seed and a block of offsets; `randint4x` gives four for the price of one."""
    return randint4x(seed, offset, n_rounds)[0]


@builtin
def uint_to_uniform_float(x: tensor) -> tensor:
    """Random integers of 32 or 64 bits as float32, uniform in [0, 1)."""
    value = to_tensor(unwrap(x))
    if not value.dtype.is_int() or value.dtype.int_bitwidth not in _SCALES:
        raise messages.wrong_dtype("uint_to_uniform_float", value.dtype, ("int32", "uint32", "int64", "uint64"))
    bits = value.dtype.int_bitwidth
    signed = bitcast_to(value, int32 if bits == 32 else int64)
    return where(signed < 0, invert(signed), signed) * _SCALES[bits]


@builtin
def rand(seed: Argument, offset: Argument, n_rounds: Argument = N_ROUNDS_DEFAULT) -> tensor:
    """A block of random float32, uniform in [0, 1), for a seed and a block of offsets."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@builtin
def rand4x(seed: Argument, offsets: Argument, n_rounds: Argument = N_ROUNDS_DEFAULT) -> Four:
    """Four blocks of random float32, uniform in [0, 1), for a seed and a block of offsets."""
    a, b, c, d = (uint_to_uniform_float(value) for value in randint4x(seed, offsets, n_rounds))
    return a, b, c, d


@builtin
def pair_uniform_to_normal(u1: tensor, u2: tensor) -> tuple[tensor, tensor]:
    """Two blocks that are uniform in [0, 1) as two that are normal, by the transform of Box and Muller."""
    angle = 6.283185307179586 * u2
    radius = sqrt(-2.0 * log(maximum(1.0e-7, u1)))
    return radius * cos(angle), radius * sin(angle)


@builtin
def randn(seed: Argument, offset: Argument, n_rounds: Argument = N_ROUNDS_DEFAULT) -> tensor:
    """A block of normal random float32, for a seed and a block of offsets."""
    first, second, _, _ = randint4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(uint_to_uniform_float(first), uint_to_uniform_float(second))[0]


@builtin
def randn4x(seed: Argument, offset: Argument, n_rounds: Argument = N_ROUNDS_DEFAULT) -> Four:
    """Four blocks of normal random float32, for a seed and a block of offsets."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    return (*pair_uniform_to_normal(u1, u2), *pair_uniform_to_normal(u3, u4))
