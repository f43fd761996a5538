"""The floats of 8 bits, in plain Python: what each pattern of bits stands for, and how a number becomes one."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Float8:
    """A format of one sign bit, an exponent with a bias, and a mantissa.

    `largest_code` are the bits of the largest finite number. With `has_negative_zero` the patterns above it are an
    infinity, if there is a mantissa of 0 among them, and NaNs; without, the only NaN is where -0.0 would be.
    """

    c_name: str
    mantissa_bits: int
    bias: int
    largest_code: int
    has_negative_zero: bool

    @property
    def nan_code(self) -> int:
        """The NaN that a conversion gives."""
        return 0x7F if self.has_negative_zero else 0x80

    @property
    def smallest(self) -> float:
        """The smallest number above 0."""
        return math.ldexp(1.0, 1 - self.bias - self.mantissa_bits)

    @cached_property
    def magnitudes(self) -> list[float]:
        """The finite numbers that are not negative, by their bits."""
        return [self._magnitude(code) for code in range(self.largest_code + 1)]

    @property
    def largest(self) -> float:
        return self.magnitudes[-1]

    def _magnitude(self, code: int) -> float:
        exponent, mantissa = divmod(code, 1 << self.mantissa_bits)
        if exponent == 0:
            return mantissa * self.smallest
        return math.ldexp((1 << self.mantissa_bits) + mantissa, exponent - self.bias - self.mantissa_bits)

    def decode(self, code: int) -> float:
        """The number that a pattern of 8 bits stands for."""
        magnitude = code & 0x7F
        sign = -1.0 if code & 0x80 else 1.0
        if not self.has_negative_zero:
            return math.nan if code == 0x80 else sign * self.magnitudes[magnitude]
        if magnitude <= self.largest_code:
            return sign * self.magnitudes[magnitude]
        is_infinite = magnitude == self.largest_code + 1 and magnitude & ((1 << self.mantissa_bits) - 1) == 0
        return sign * math.inf if is_infinite else math.nan

    def encode(self, value: float) -> int:
        """The bits of `value`, rounded to nearest, ties to even, and limited to the finite numbers."""
        if math.isnan(value):
            return self.nan_code
        magnitude = abs(value)
        above = min(bisect_left(self.magnitudes, magnitude), self.largest_code)
        code = above
        if above and magnitude < self.magnitudes[above]:
            middle = (self.magnitudes[above - 1] + self.magnitudes[above]) / 2
            if magnitude < middle or (magnitude == middle and above & 1):
                code = above - 1
        is_negative = math.copysign(1.0, value) < 0 and (code or self.has_negative_zero)
        return code | (0x80 if is_negative else 0)

    def exact(self, value: float) -> int:
        """The bits of a number that the format holds, an infinity included."""
        if math.isinf(value):
            return self.largest_code + 1 | (0x80 if value < 0 else 0)
        return self.encode(value)

    def saturated(self, value: float) -> float:
        """The number, or the largest finite one of its sign where it is beyond that."""
        return value if math.isnan(value) else max(-self.largest, min(value, self.largest))


FLOAT8: dict[str, Float8] = {
    "fp8e4nv": Float8("float8e4m3", 3, 7, 0x7E, True),
    "fp8e5": Float8("float8e5m2", 2, 15, 0x7B, True),
    "fp8e4b8": Float8("float8e4m3fnuz", 3, 8, 0x7F, False),
    "fp8e5b16": Float8("float8e5m2fnuz", 2, 16, 0x7F, False),
}
"""By the names of Triton's dtypes."""
