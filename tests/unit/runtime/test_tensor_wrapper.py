"""Arrays seen with another dtype, mock arrays, `set_allocator`, and classes of programs that launch kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import ArgumentError, LaunchError
from mytriton.runtime.allocation import NullAllocator, current_allocator, set_allocator
from mytriton.runtime.tensor_wrapper import MockTensor, TensorWrapper, reinterpret
from tests.unit.runtime.kernels import copy_block, widen


def test_bits_seen_as_another_dtype() -> None:
    # The bytes 0x38 and 0xC0 are 1.0 and -2.0 in float8e4nv.
    bits = np.array([0x38, 0xC0, 0x00], np.uint8)
    out = np.empty(3, np.float32)
    seen = reinterpret(bits, tl.float8e4nv)
    assert isinstance(seen, TensorWrapper) and seen.element_size() == 1 and seen.stride(0) == 1 and seen.numel() == 3
    widen[(1,)](seen, out, 3, BLOCK=4)
    assert out.tolist() == [1.0, -2.0, 0.0]
    assert reinterpret(seen, np.dtype(np.uint8)) is bits
    assert reinterpret(bits, tl.int1).dtype == tl.int1
    clone = seen.clone()
    seen.zero_()
    assert clone.base.tolist() == [0x38, 0xC0, 0x00] and bits.tolist() == [0, 0, 0]
    seen.copy_(clone)
    assert bits.tolist() == [0x38, 0xC0, 0x00]


def test_torch_tensors_are_seen_too() -> None:
    torch = pytest.importorskip("torch")
    bits, out = torch.tensor([0x3C00, 0xC000 - 2**16], dtype=torch.int16), torch.empty(2)
    widen[(1,)](reinterpret(bits, tl.float16), out, 2, BLOCK=2)
    assert out.tolist() == [1.0, -2.0]
    assert reinterpret(bits, torch.float16).device == bits.device


def test_what_cannot_be_reinterpreted() -> None:
    with pytest.raises(ArgumentError, match=r"of 8 bits \(uint8\) as fp16"):
        reinterpret(np.zeros(2, np.uint8), tl.float16)
    with pytest.raises(ArgumentError, match="found HasDtype"):
        reinterpret(type("HasDtype", (), {"dtype": None})(), tl.float16)


def test_mock_arrays_compile() -> None:
    compiled = copy_block.warmup(MockTensor(np.dtype(np.float32)), MockTensor(np.dtype(np.float16)), 5, BLOCK=8)
    assert list(compiled.specialization.signature().values()) == ["*fp32", "*fp16", "i32"]
    assert MockTensor(np.dtype(np.int8), (2, 3, 4)).stride() == (12, 4, 1)
    assert isinstance(MockTensor.wrap_dtype(np.dtype(np.int8)), MockTensor) and MockTensor.wrap_dtype(3) == 3


def test_allocators_are_kept() -> None:
    before = current_allocator()
    with pytest.raises(LaunchError, match="asks for 4 bytes"):
        NullAllocator()(4, 1, None)

    def allocate(size: int, alignment: int, stream: Any) -> Any:
        return np.empty(size, np.int8)

    set_allocator(allocate)
    assert current_allocator() is allocate
    set_allocator(before)


def test_a_program_s_own_launcher() -> None:
    class Counting(triton.KernelInterface[Any]):
        def __init__(self, fn: Any):
            self.fn, self.arg_names, self.count = fn, fn.arg_names, 0

        def run(self, *args: Any, **kwargs: Any) -> Any:
            self.count += 1
            return self.fn.run(*args, **kwargs)

    counting = Counting(copy_block)
    x, out = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    counting[(1,)](x, out, 5, BLOCK=8)
    assert counting.count == 1 and out.tolist() == [0, 1, 2, 3, 4]
    tuned = triton.autotune([triton.Config({"BLOCK": 8})], key=["n"])(counting)
    out[:] = 0
    tuned[(1,)](x, out, 5)
    assert counting.count == 2 and out.tolist() == [0, 1, 2, 3, 4] and tuned.base_fn is copy_block
    assert counting.warmup(x, out, 5, BLOCK=8).name == "copy_block"
    with pytest.raises(NotImplementedError):
        triton.KernelInterface[Any]()[(1,)]()


def test_results_that_must_be_used_are_marked_only() -> None:
    assert triton.must_use_result(copy_block) is copy_block
    assert triton.must_use_result("text")(copy_block) is copy_block
