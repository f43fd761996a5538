"""Arguments given by their type alone."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from mytriton.errors import ArgumentError
from mytriton.language import dtypes
from mytriton.runtime.argument_types import describe_type
from mytriton.runtime.arguments import CONSTANT, Argument
from mytriton.runtime.parameters import Parameter, parameters_of


def parameter(**settings: Any) -> Parameter:
    def kernel(x: Any) -> None: ...

    kernel.__annotations__ = {}
    (found,) = parameters_of(kernel, **settings)
    return found


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("*fp32", Argument("*fp32", True, 0)),
        ("*fp32:16", Argument("*fp32", True, 0)),
        ("*fp32:4", Argument("*fp32", False, 0)),
        ("*bf16", Argument("*bf16", True, 0)),
        ("*float32", Argument("*fp32", True, 0)),
        ("i32", Argument("i32", False, 0)),
        ("i32:16", Argument("i32", True, 0)),
        ("i32:1", Argument(CONSTANT, False, 1)),
        ("u64", Argument("u64", False, 0)),
        ("fp32", Argument("fp32", False, 0)),
        ("fp32:16", Argument("fp32", False, 0)),
        ("i1", Argument("i1", False, 0)),
        (dtypes.float32, Argument("fp32", False, 0)),
        (dtypes.int1, Argument("i1", False, 0)),
        (dtypes.uint8, Argument("u8", False, 0)),
        (dtypes.pointer_type(dtypes.bfloat16), Argument("*bf16", True, 0)),
        (np.dtype(np.float16), Argument("*fp16", True, 0)),
        (np.int64, Argument("*i64", True, 0)),
        (np.dtype(ml_dtypes.bfloat16), Argument("*bf16", True, 0)),
    ],
)
def test_types(value: Any, expected: Argument):
    assert describe_type(value, parameter(), "k") == expected


def test_types_for_parameters_that_are_not_specialized():
    unspecialized = parameter(do_not_specialize=["x"])
    assert describe_type("*fp32", unspecialized, "k") == Argument("*fp32", False, 0)
    assert describe_type("i32:16", unspecialized, "k") == Argument("i32", False, 0)
    assert describe_type("i32:1", unspecialized, "k") == Argument("i32", False, 0)


@pytest.mark.parametrize("value", [5, 1.5, None, True, np.zeros(3, np.float32), np.int32(4)])
def test_values_are_no_types(value: Any):
    assert describe_type(value, parameter(), "k") is None


@pytest.mark.parametrize("value", ["fp33", "**fp32", "*", "", "i32:x", "*fp32:-4", "x_ptr"])
def test_words_that_name_no_type(value: str):
    with pytest.raises(ArgumentError, match="argument 'x' of kernel k is the type"):
        describe_type(value, parameter(), "k")


def test_a_dtype_that_no_kernel_takes():
    with pytest.raises(ArgumentError, match="argument 'x' of kernel k is the dtype complex64, which no kernel takes"):
        describe_type(np.complex64, parameter(), "k")


def test_torch_dtypes_and_tensors_without_memory():
    torch: Any = pytest.importorskip("torch")
    assert describe_type(torch.float16, parameter(), "k") == Argument("*fp16", True, 0)
    assert describe_type(torch.zeros(4, device="meta"), parameter(), "k") == Argument("*fp32", True, 0)
    assert describe_type(torch.zeros(4), parameter(), "k") is None
