"""What the generator knows of a value in a kernel: its type, how large it can be, how exactly devices agree on it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
FLOATS = ("float16", "bfloat16", "float32", "float64")
FLOAT8 = ("float8e4nv", "float8e5", "float8e4b8", "float8e5b16")
DTYPES = ("int1", *INTEGERS, *FLOATS)

# Twice the relative error of one rounding.
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
LARGEST = {
    "float16": 6e4,
    "bfloat16": 3e38,
    "float32": 3e38,
    "float64": 1e308,
    "float8e4nv": 448.0,
    "float8e5": 57344.0,
    "float8e4b8": 240.0,
    "float8e5b16": 57344.0,
}

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """A variable. `bound`: no finite element is larger, and if it is finite no element is infinite or NaN.

    `error`: how far two devices may be apart; 0 where they agree on every bit but the sign of a zero or NaN, and
    `is_pure` where they agree on these too.
    """

    name: str
    shape: Shape
    dtype: str
    bound: float = math.inf
    error: float = 0.0
    is_pure: bool = False

    @property
    def is_float(self) -> bool:
        return self.dtype in FLOATS

    @property
    def is_float8(self) -> bool:
        """Whether it is a float of 8 bits, which few operations take."""
        return self.dtype in FLOAT8

    @property
    def is_integer(self) -> bool:
        return self.dtype in INTEGERS

    @property
    def is_bool(self) -> bool:
        return self.dtype == "int1"

    @property
    def is_exact(self) -> bool:
        return self.error == 0.0

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def renamed(self, name: str) -> Value:
        return replace(self, name=name)

    def any_value(self) -> Value:
        """The same variable of which only the type is known, and that devices agree on it."""
        return replace(self, bound=math.inf, error=0.0, is_pure=has_one_form(self.dtype))


def has_one_form(dtype: str) -> bool:
    """Whether equal values have the same bits, which those of floats with zeros and NaNs have not."""
    return dtype not in FLOATS and dtype not in FLOAT8


def bits(dtype: str) -> int:
    if dtype in FLOAT8:
        return 8
    return 1 if dtype == "int1" else int(dtype.lstrip("uintblfoa"))


def is_signed(dtype: str) -> bool:
    return dtype.startswith("int") and dtype != "int1"


def limits(dtype: str) -> tuple[int, int]:
    if dtype.startswith("uint"):
        return 0, (1 << bits(dtype)) - 1
    return -(1 << (bits(dtype) - 1)), (1 << (bits(dtype) - 1)) - 1


def promoted(a: str, b: str, is_division: bool = False) -> str | None:
    """The dtype in which Triton computes with two tensors; None where it refuses to."""
    if a in FLOAT8 or b in FLOAT8:
        return _promoted_float8(a, b, is_division)
    if "float64" in (a, b):
        return "float64"
    if a in FLOATS or b in FLOATS:
        if is_division or "float32" in (a, b):
            return "float32"
        if "float16" in (a, b):
            return "float16"
        return "bfloat16" if a == b else "float32"
    if is_division and a.startswith("uint") != b.startswith("uint"):
        return None
    if bits(a) != bits(b):
        return a if bits(a) > bits(b) else b
    return a if a.startswith("uint") else b


def _promoted_float8(a: str, b: str, is_division: bool) -> str | None:
    wide = b if a in FLOAT8 else a
    if wide in FLOATS:
        if wide == "float64":
            return wide
        return "float32" if is_division or wide == "bfloat16" else wide
    if a not in FLOAT8 or b not in FLOAT8:
        return None
    return "float32" if is_division else a if a == b else "float16"


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The common shape, or None; of operands of different rank only a scalar is taken."""
    if not a or not b:
        return a or b
    if len(a) != len(b):
        a, b = (1,) * (len(b) - len(a)) + a, (1,) * (len(a) - len(b)) + b
    if any(i != j and 1 not in (i, j) for i, j in zip(a, b, strict=True)):
        return None
    return tuple(max(i, j) for i, j in zip(a, b, strict=True))


def zeros(shape: Shape, dtype: str) -> str:
    return f"tl.full({shape}, 0, tl.{dtype})"


def magnitude(value: Value, dtype: str) -> float:
    """How large the value can be as a float of the dtype; infinite where it may not be finite."""
    bound = value.bound if value.is_float or value.is_float8 else min(value.bound, 2.0 ** bits(value.dtype))
    return bound if bound < LARGEST[dtype] else math.inf
