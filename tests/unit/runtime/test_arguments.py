"""What values are to a kernel: numbers of every width, arrays of every dtype, and the refusals."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from mytriton.errors import ArgumentError
from mytriton.runtime.arguments import CONSTANT, Argument, describe
from mytriton.runtime.parameters import Parameter, parameters_of


def parameter(annotation: Any = None, **settings: Any) -> Parameter:
    def kernel(x: Any) -> None: ...

    kernel.__annotations__ = {} if annotation is None else {"x": annotation}
    (found,) = parameters_of(kernel, **settings)
    return found


def aligned(dtype: Any, size: int = 64) -> np.ndarray:
    """Zeros at an address that 16 divides."""
    raw = np.zeros(size * np.dtype(dtype).itemsize + 16, np.uint8)
    start = -raw.ctypes.data % 16
    return raw[start : start + size * np.dtype(dtype).itemsize].view(dtype)


def described(value: Any, annotation: Any = None, **settings: Any) -> Argument:
    return describe(value, parameter(annotation, **settings), "k")


def refusal(value: Any, annotation: Any = None) -> str:
    with pytest.raises(ArgumentError) as caught:
        described(value, annotation)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "kind", "divisible"),
    [
        (0, "i32", True),
        (2, "i32", False),
        (16, "i32", True),
        (-32, "i32", True),
        (2**31 - 1, "i32", False),
        (-(2**31), "i32", True),
        (2**31, "i64", True),
        (-(2**31) - 1, "i64", False),
        (2**63 - 1, "i64", False),
        (2**63, "u64", True),
        (2**64 - 1, "u64", False),
    ],
)
def test_integers(value: int, kind: str, divisible: bool):
    assert described(value) == Argument(kind, divisible, value)


def test_the_integer_one_is_a_constant():
    assert described(1) == Argument(CONSTANT, False, 1)
    assert described(1, do_not_specialize=["x"]) == Argument("i32", False, 1)


def test_an_integer_that_is_not_specialized():
    assert described(16, do_not_specialize=["x"]) == Argument("i32", False, 16)
    assert described(16, do_not_specialize_on_alignment=["x"]) == Argument("i32", False, 16)


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_integers_that_are_too_large(value: int):
    assert refusal(value) == f"argument 'x' of kernel k is {value}, which no 64-bit integer holds"


def test_other_numbers():
    assert described(True) == Argument("i1", False, True)
    assert described(1.0) == Argument("fp32", False, 1.0)
    assert described(None) == Argument(CONSTANT, False, None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int8(5), Argument("i32", False, 5)),
        (np.int64(2**40), Argument("i64", True, 2**40)),
        (np.uint64(2**63), Argument("u64", True, 2**63)),
        (np.int32(1), Argument(CONSTANT, False, 1)),
        (np.float16(0.5), Argument("fp32", False, 0.5)),
        (np.float64(0.5), Argument("fp32", False, 0.5)),
        (np.bool_(True), Argument("i1", False, True)),
    ],
)
def test_numpy_scalars_are_the_numbers_that_they_equal(value: Any, expected: Argument):
    found = described(value)
    assert found == expected
    assert type(found.value) is type(expected.value)


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        (1, "i64", Argument("i64", False, 1)),
        (16, "tl.int64", Argument("i64", True, 16)),
        (255, "u8", Argument("u8", False, 255)),
        (3, "fp64", Argument("fp64", False, 3.0)),
        (0.1, "fp64", Argument("fp64", False, 0.1)),
        (0.5, "fp16", Argument("fp16", False, 0.5)),
    ],
)
def test_annotated_scalars(value: Any, annotation: str, expected: Argument):
    assert described(value, annotation) == expected


def test_values_that_an_annotated_type_does_not_hold():
    assert refusal(256, "u8") == "argument 'x' of kernel k is 256, which the annotated type u8 does not hold"
    assert refusal(-1, "u32") == "argument 'x' of kernel k is -1, which the annotated type u32 does not hold"
    assert refusal(0.5, "i32") == "argument 'x' of kernel k is the float 0.5, but its annotated type is i32"


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (np.bool_, "*i1"),
        (np.int8, "*i8"),
        (np.int16, "*i16"),
        (np.int32, "*i32"),
        (np.int64, "*i64"),
        (np.uint8, "*u8"),
        (np.uint16, "*u16"),
        (np.uint32, "*u32"),
        (np.uint64, "*u64"),
        (np.float16, "*fp16"),
        (ml_dtypes.bfloat16, "*bf16"),
        (np.float32, "*fp32"),
        (np.float64, "*fp64"),
        (np.longlong, "*i64"),
    ],
)
def test_arrays_of_every_dtype(dtype: Any, kind: str):
    array = aligned(dtype)
    assert described(array) == Argument(kind, True, array.ctypes.data, "cpu")


def test_arrays_that_are_not_aligned():
    array = aligned(np.float32)[1:]
    assert described(array) == Argument("*fp32", False, array.ctypes.data, "cpu")
    assert not described(aligned(np.float32), do_not_specialize=["x"]).divisible
    assert not described(aligned(np.float32), do_not_specialize_on_alignment=["x"]).divisible


def test_the_address_of_a_view_is_its_own():
    array = np.zeros((8, 8), np.float32)
    assert described(array[2:, 3]).value == array.ctypes.data + 2 * 8 * 4 + 3 * 4


def test_empty_and_zero_dimensional_arrays():
    assert described(np.zeros(0, np.float32)).type == "*fp32"
    assert described(np.zeros((), np.float32)).type == "*fp32"


def test_read_only_arrays_are_known_as_such():
    array = np.zeros(4, np.float32)
    assert described(array).writable
    array.flags.writeable = False
    assert not described(array).writable


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (np.complex64, "complex64"),
        (object, "object"),
        ([("a", np.float32)], "[('a', '<f4')]"),
        ("U3", "<U3"),
        ("datetime64[s]", "datetime64[s]"),
        (np.longdouble, "float128"),
    ],
)
def test_arrays_of_other_dtypes_are_refused(dtype: Any, name: str):
    if dtype is np.longdouble and np.dtype(np.longdouble).itemsize != 16:
        pytest.skip("long double is double here")
    message = refusal(np.zeros(2, dtype))
    assert message.startswith(f"argument 'x' of kernel k is an array of dtype {name}, which no kernel takes; ")
    assert "float16, bfloat16, float32, float64" in message


def test_arrays_in_foreign_byte_order_are_refused():
    foreign = np.zeros(2, np.dtype(np.float32).newbyteorder())
    assert "in foreign byte order, which no kernel takes" in refusal(foreign)


@pytest.mark.parametrize("value", ["text", [1, 2], {}, object(), 1j, np.complex64(1), np.dtype("f4"), np.float32])
def test_values_that_no_kernel_takes(value: Any):
    message = refusal(value)
    assert message.startswith(f"argument 'x' of kernel k is of type {type(value).__name__}; a kernel takes arrays")


class HostArray:
    """Something with an array interface that is no ndarray."""

    def __init__(self, array: np.ndarray):
        self.__array_interface__ = array.__array_interface__


class CudaArray:
    """Something that lives on a GPU, as cupy's arrays do."""

    def __init__(self, address: int, typestr: str, read_only: bool = False, device: Any = None):
        self.__cuda_array_interface__ = {"data": (address, read_only), "typestr": typestr, "shape": (4,), "version": 3}
        self.device = device


class Device:
    def __init__(self, number: int):
        self.id = number


class DataPointer:
    """Something with an address and a dtype, as Triton itself asks of arguments."""

    def __init__(self, dtype: Any, address: int):
        self.dtype = dtype
        self.address = address

    def data_ptr(self) -> int:
        return self.address


def test_the_array_interface():
    array = aligned(np.int16)
    assert described(HostArray(array)) == Argument("*i16", True, array.ctypes.data, "cpu")
    array.flags.writeable = False
    assert not described(HostArray(array)).writable


def test_the_cuda_array_interface():
    assert described(CudaArray(4096, "<f4")) == Argument("*fp32", True, 4096, "cuda")
    assert described(CudaArray(4100, "<f2", device=Device(1))) == Argument("*fp16", False, 4100, "cuda:1")
    assert not described(CudaArray(4096, "<f4", read_only=True)).writable
    assert "is an array of dtype complex64" in refusal(CudaArray(4096, "<c8"))


def test_objects_with_a_data_pointer():
    assert described(DataPointer(np.dtype(np.float32), 64)) == Argument("*fp32", True, 64, "cpu")


def test_torch_tensors():
    torch: Any = pytest.importorskip("torch")
    for name, kind in [("float32", "*fp32"), ("bfloat16", "*bf16"), ("int64", "*i64"), ("bool", "*i1")]:
        tensor = torch.zeros(64, dtype=getattr(torch, name))
        found = described(tensor)
        assert (found.type, found.value, found.device) == (kind, tensor.data_ptr(), "cpu")
    assert described(torch.zeros(0)).type == "*fp32"
    assert described(torch.nn.Parameter(torch.zeros(4))).type == "*fp32"
    assert "is an array of dtype torch.complex64" in refusal(torch.zeros(2, dtype=torch.complex64))
    assert "on the device 'meta'" in refusal(torch.zeros(2, device="meta"))
    assert "resolve_neg()" in refusal(torch.zeros(2, dtype=torch.complex64).conj().imag)
    assert "without an address" in refusal(torch.eye(2).to_sparse())
