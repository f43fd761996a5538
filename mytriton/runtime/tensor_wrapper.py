"""Arrays that kernels see with another dtype than their own, and stand-ins for arrays that are not there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from mytriton.errors import ArgumentError
from mytriton.language.dtypes import dtype as language_dtype


class TensorWrapper:
    """An array seen as one of `dtype`, a dtype of the language or of the array's library; it shares the memory."""

    def __init__(self, base: Any, dtype: Any):
        self.base = base
        self.dtype = dtype
        self.shape = base.shape

    @property
    def device(self) -> Any:
        return getattr(self.base, "device", "cpu")

    @property
    def data(self) -> Any:
        return self.base

    def data_ptr(self) -> int:
        """The address of the first element."""
        if hasattr(self.base, "data_ptr"):
            return int(self.base.data_ptr())
        return int(self.base.__array_interface__["data"][0])

    def stride(self, *args: int) -> Any:
        """The distances of neighbours along each axis, or one of them, in elements."""
        if callable(getattr(self.base, "stride", None)):
            return self.base.stride(*args)
        strides = tuple(stride // self.base.itemsize for stride in self.base.strides)
        return strides[args[0]] if args else strides

    def element_size(self) -> int:
        """Bytes of one element."""
        return int(self.base.element_size()) if hasattr(self.base, "element_size") else int(self.base.itemsize)

    def numel(self) -> int:
        return math.prod(self.shape)

    def clone(self) -> TensorWrapper:
        return TensorWrapper(self.base.clone() if hasattr(self.base, "clone") else self.base.copy(), self.dtype)

    def copy_(self, other: TensorWrapper) -> None:
        """Takes over the elements of `other`."""
        self.base[...] = other.base

    def zero_(self) -> None:
        self.base[...] = 0

    def cpu(self) -> TensorWrapper:
        return TensorWrapper(self.base.cpu(), self.dtype)

    def to(self, device: Any) -> TensorWrapper:
        return TensorWrapper(self.base.to(device), self.dtype)

    def __repr__(self) -> str:
        return f"TensorWrapper[{self.dtype}]({self.base!r})"


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """`tensor` as kernels see it if its elements are of `dtype`, which has as many bits; raises `ArgumentError`."""
    base = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    if dtype == base.dtype:
        return base
    if not (hasattr(base, "data_ptr") or hasattr(base, "__array_interface__")):
        raise ArgumentError(f"reinterpret takes an array of NumPy or torch, found {type(base).__name__}")
    wrapped = TensorWrapper(base, dtype)
    bits = dtype.primitive_bitwidth if isinstance(dtype, language_dtype) else 8 * dtype.itemsize
    if max(bits, 8) != 8 * wrapped.element_size():
        raise ArgumentError(
            f"reinterpret cannot see elements of {8 * wrapped.element_size()} bits ({base.dtype}) as {dtype}"
        )
    return wrapped


class MockTensor:
    """Stands for an array of `dtype` in `kernel.warmup`: it has no memory, and its address is 0."""

    def __init__(self, dtype: Any, shape: Sequence[int] | None = None):
        self.dtype = dtype
        self.shape = tuple(shape or (1,))

    @staticmethod
    def wrap_dtype(arg: Any) -> Any:
        """A dtype as an array of it; anything else as it is."""
        kind = cast("type[Any]", type(arg))
        is_dtype = "dtype" in kind.__name__.lower() and kind.__module__.partition(".")[0] in ("torch", "numpy")
        return MockTensor(arg) if is_dtype else arg

    def stride(self) -> tuple[int, ...]:
        """Of an array without gaps."""
        return tuple(math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))

    @staticmethod
    def data_ptr() -> int:
        return 0
