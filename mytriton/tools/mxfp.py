"""Tensors of the OCP microscaling formats: 4-bit floats (E2M1) and scales that are powers of two (E8M0).

The formats are those of the "OCP Microscaling Formats (MX) Specification", version 1.0, sections 5.3.3 and 5.4.1.
Needs torch.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from mytriton.errors import ArgumentError

torch: Any = import_module("torch")

MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""The numbers that the three lower bits of an E2M1 stand for; the fourth is the sign."""

_BIAS = 127
_NAN = 255


class _Encoded:
    """Bytes that stand for floats: `data`, a uint8 tensor. Made from floats, or with a size to be filled."""

    def __init__(self, data: Any = None, size: int | Sequence[int] | None = None, device: Any = None):
        if data is None and size is None:
            raise ArgumentError(f"{type(self).__name__} takes data or a size")
        if data is not None and not isinstance(data, torch.Tensor):
            raise ArgumentError(f"{type(self).__name__} takes a tensor of torch, found {type(data).__name__}")
        self.device = device if data is None else data.device
        if data is not None:
            self.data: Any = self._encode(data)
        else:
            self.size = (size,) if isinstance(size, int) else tuple(size or ())

    def _encode(self, values: Any) -> Any:
        raise NotImplementedError

    def _random_bytes(self, low: int, high: int) -> Any:
        return torch.randint(low, high + 1, self.size, dtype=torch.uint8, device=self.device)

    def _check_float32(self, dtype: Any) -> None:
        if dtype != torch.float32:
            raise ArgumentError(f"{type(self).__name__} becomes a float32, found {dtype}")


class MXFP4Tensor(_Encoded):
    """4-bit floats, one in each byte of `data`.

    From floats, to the nearest, of two that are as near to the one with an even mantissa; what is too large, and NaN,
    become 6 with their sign.
    """

    def _encode(self, values: Any) -> Any:
        middles = [(low + high) / 2 for low, high in itertools.pairwise(MAGNITUDES)]
        borders = torch.tensor(middles, dtype=torch.float32, device=values.device)
        # A float on the border above an odd code goes up, so there the border is the float before.
        borders[1::2] = torch.nextafter(borders[1::2], torch.zeros_like(borders[1::2]))
        magnitudes = values.float().abs().nan_to_num(nan=MAGNITUDES[-1]).contiguous()
        codes = torch.bucketize(magnitudes, borders).to(torch.uint8)
        return codes | torch.signbit(values).to(torch.uint8) << 3

    def random(self) -> MXFP4Tensor:
        """Fills it with random codes, all of which are finite numbers."""
        self.data = self._random_bytes(0, 15)
        return self

    def to(self, dtype: Any) -> Any:
        """The numbers; `dtype` is `torch.float32`."""
        self._check_float32(dtype)
        table = torch.tensor([*MAGNITUDES, *(-m for m in MAGNITUDES)], dtype=dtype, device=self.data.device)
        return table[self.data.long()]

    def to_packed_tensor(self, dim: int) -> Any:
        """Two in each byte, neighbours along `dim`, the first in the lower half; an odd extent is filled up with 0."""
        if not 0 <= dim < self.data.ndim:
            raise ArgumentError(f"the axis {dim} to pack along is not one of {self.data.ndim}")
        first, second = (self.data.movedim(dim, 0)[start::2] for start in (0, 1))
        packed = first.clone()
        packed[: len(second)] |= second << 4
        return packed.movedim(0, dim).contiguous()

    def unpack_packed_tensor(self, packed_tensor: Any, dim: int, original_shape: Sequence[int]) -> Any:
        """The codes, one in each byte, of what `to_packed_tensor(dim)` made of a tensor of `original_shape`."""
        both = torch.stack((packed_tensor & 0xF, packed_tensor >> 4), dim=dim + 1)
        return both.flatten(dim, dim + 1).narrow(dim, 0, original_shape[dim])


class MXScaleTensor(_Encoded):
    """Powers of two from 2**-127 to 2**127, as bytes; 255 is NaN.

    From floats, rounded down to a power of two; what is not positive and finite becomes NaN.
    """

    def _encode(self, values: Any) -> Any:
        is_valid = torch.isfinite(values) & (values > 0)
        exponents = torch.frexp(torch.where(is_valid, values.float(), 1.0)).exponent - 1
        return torch.where(is_valid, (exponents + _BIAS).clamp(0, _NAN - 1), _NAN).to(torch.uint8)

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Fills it with random powers of two from `low` to `high`, all of them by default."""
        first = 0 if low is None else max(0, int(math.log2(low)) + _BIAS)
        last = _NAN - 1 if high is None else min(_NAN - 1, max(0, int(math.log2(high)) + _BIAS))
        if first > last:
            raise ArgumentError(f"there are no scales from {low} to {high}")
        self.data = self._random_bytes(first, last)
        return self

    def to(self, dtype: Any) -> Any:
        """The numbers; `dtype` is `torch.float32`."""
        self._check_float32(dtype)
        return fp8e8m0_to_float32(self.data)


def fp8e8m0_to_float32(scale: Any) -> Any:
    """The numbers, as float32, that a tensor of E8M0 bytes stands for."""
    codes = scale.view(torch.uint8)
    powers = torch.ldexp(torch.ones_like(codes, dtype=torch.float32), codes.int() - _BIAS)
    return torch.where(codes == _NAN, math.nan, powers)
