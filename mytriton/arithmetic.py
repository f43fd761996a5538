"""Integer arithmetic for sizes and grids, on the host and in kernels."""

from __future__ import annotations

from typing import Any

from mytriton.language import math
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin
from mytriton.language.values import tensor


@builtin
def cdiv(x: Any, y: Any) -> Any:
    """`x / y` rounded up."""
    x, y = unwrap(x), unwrap(y)
    if isinstance(x, tensor) or isinstance(y, tensor):
        return math.cdiv(x, y)
    return -(-x // y)


@builtin
def next_power_of_2(n: Any) -> int:
    """The smallest power of two that is not less than `n`; 0 for 0. In a kernel, `n` must be a constant."""
    n = unwrap(n)
    return 1 << (int(n) - 1).bit_length() if n > 0 else 0
