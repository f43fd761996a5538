"""Values that are known when a kernel is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class constexpr:
    """Marks a value as a compile-time constant: as an annotation of a parameter, or around a global that kernels use.

    Inside a kernel a constant is the plain Python value, so this class only matters outside; its operators there give
    constants again.
    """

    def __init__(self, value: Any):
        self.value: Any = unwrap(value)

    def __repr__(self) -> str:
        return f"constexpr[{self.value}]"

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        return self.value.__index__()

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*args, **kwargs)

    def __getitem__(self, index: Any) -> Any:
        return self.value[unwrap(index)]

    def __eq__(self, other: object) -> Any:
        return constexpr(self.value == unwrap(other))

    def __ne__(self, other: object) -> Any:
        return constexpr(self.value != unwrap(other))

    def __lt__(self, other: Any) -> constexpr:
        return constexpr(self.value < unwrap(other))

    def __le__(self, other: Any) -> constexpr:
        return constexpr(self.value <= unwrap(other))

    def __gt__(self, other: Any) -> constexpr:
        return constexpr(self.value > unwrap(other))

    def __ge__(self, other: Any) -> constexpr:
        return constexpr(self.value >= unwrap(other))

    def __neg__(self) -> constexpr:
        return constexpr(-self.value)

    def __pos__(self) -> constexpr:
        return constexpr(+self.value)

    def __invert__(self) -> constexpr:
        return constexpr(~self.value)

    def __add__(self, other: Any) -> constexpr:
        return constexpr(self.value + unwrap(other))

    def __radd__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) + self.value)

    def __sub__(self, other: Any) -> constexpr:
        return constexpr(self.value - unwrap(other))

    def __rsub__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) - self.value)

    def __mul__(self, other: Any) -> constexpr:
        return constexpr(self.value * unwrap(other))

    def __rmul__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) * self.value)

    def __truediv__(self, other: Any) -> constexpr:
        return constexpr(self.value / unwrap(other))

    def __rtruediv__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) / self.value)

    def __floordiv__(self, other: Any) -> constexpr:
        return constexpr(self.value // unwrap(other))

    def __rfloordiv__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) // self.value)

    def __mod__(self, other: Any) -> constexpr:
        return constexpr(self.value % unwrap(other))

    def __rmod__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) % self.value)

    def __pow__(self, other: Any) -> constexpr:
        return constexpr(self.value ** unwrap(other))

    def __rpow__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) ** self.value)

    def __lshift__(self, other: Any) -> constexpr:
        return constexpr(self.value << unwrap(other))

    def __rlshift__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) << self.value)

    def __rshift__(self, other: Any) -> constexpr:
        return constexpr(self.value >> unwrap(other))

    def __rrshift__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) >> self.value)

    def __and__(self, other: Any) -> constexpr:
        return constexpr(self.value & unwrap(other))

    def __rand__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) & self.value)

    def __or__(self, other: Any) -> constexpr:
        return constexpr(self.value | unwrap(other))

    def __ror__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) | self.value)

    def __xor__(self, other: Any) -> constexpr:
        return constexpr(self.value ^ unwrap(other))

    def __rxor__(self, other: Any) -> constexpr:
        return constexpr(unwrap(other) ^ self.value)


def unwrap(value: Any) -> Any:
    """The value inside of a `constexpr`; any other value is given back."""
    while isinstance(value, constexpr):
        value = value.value
    return value
