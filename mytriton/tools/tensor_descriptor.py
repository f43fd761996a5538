"""Tensor descriptors that are made outside of a kernel and passed to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mytriton.errors import ArgumentError

MAXIMUM_RANK = 5


@dataclass
class TensorDescriptor:
    """An array that a kernel reads and writes by tiles of `block_shape`: in the kernel it is a `tl.tensor_descriptor`.

    `base` is an array; `shape` and `strides` are counted in elements, and the last stride is 1. `padding` is what
    elements outside of the array are read as, "zero" or "nan".
    """

    is_mytriton_tensor_descriptor: ClassVar[bool] = True

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self) -> None:
        self.shape, self.strides, self.block_shape = (
            [int(extent) for extent in extents] for extents in (self.shape, self.strides, self.block_shape)
        )
        rank = len(self.shape)
        if not len(self.strides) == len(self.block_shape) == rank or not 1 <= rank <= MAXIMUM_RANK:
            raise ArgumentError(
                f"a tensor descriptor has as many strides and extents of a tile as its array has axes, from 1 to "
                f"{MAXIMUM_RANK}; found the shape {self.shape}, strides {self.strides} and tiles {self.block_shape}"
            )
        if self.strides[-1] != 1:
            raise ArgumentError(f"the last stride of a tensor descriptor is 1, found {self.strides[-1]}")
        if self.padding not in ("zero", "nan"):
            raise ArgumentError(f"the padding of a tensor descriptor is 'zero' or 'nan', found {self.padding!r}")
        if self.round_f32_to_tf32:
            raise ArgumentError("round_f32_to_tf32 is not supported: all digits of a float32 are kept")

    @staticmethod
    def from_tensor(
        tensor: Any, block_shape: Sequence[int], padding: str = "zero", round_f32_to_tf32: bool = False
    ) -> TensorDescriptor:
        """A descriptor of a NumPy array or a torch tensor."""
        if callable(getattr(tensor, "stride", None)):
            strides = tensor.stride()
        else:
            strides = [stride // tensor.itemsize for stride in tensor.strides]
        return TensorDescriptor(tensor, tensor.shape, strides, block_shape, padding, round_f32_to_tf32)
