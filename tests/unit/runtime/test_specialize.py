# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false
"""Which calls share compiled code, and what the compiler is told about each."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

from mytriton.errors import ArgumentError
from mytriton.language import dtypes
from mytriton.language.constexpr import constexpr
from mytriton.runtime.constants import constant_key, constant_text
from mytriton.runtime.parameters import parameters_of
from mytriton.runtime.specialize import Specialization, specialize


def kernel(x_ptr, n, scale, BLOCK: constexpr, MODE: constexpr = None):
    pass


PARAMETERS = parameters_of(kernel)
ARRAY = np.zeros(64, np.float32)
UNALIGNED = np.zeros(257, np.uint8)[1:].view(np.uint8)


def of(*values: Any) -> Specialization:
    return specialize("kernel", PARAMETERS, [*values, None][:5])


def key(*values: Any) -> tuple[Hashable, ...]:
    return of(*values).key


def test_what_the_compiler_is_told():
    found = of(ARRAY, 64, 2.5, 128)
    aligned = ARRAY.ctypes.data % 16 == 0
    assert found.signature() == {"x_ptr": "*fp32", "n": "i32", "scale": "fp32"}
    assert found.constants() == {"BLOCK": 128, "MODE": None}
    assert found.attributes() == {**({"x_ptr": {"divisibility": 16}} if aligned else {}), "n": {"divisibility": 16}}
    assert found.values() == [ARRAY.ctypes.data, 64, 2.5]
    assert found.device == "cpu"


def test_one_and_none_become_constants():
    found = of(None, 1, 2.5, 128)
    assert found.signature() == {"scale": "fp32"}
    assert found.constants() == {"x_ptr": None, "n": 1, "BLOCK": 128, "MODE": None}
    assert found.values() == [2.5]
    assert found.device == ""


@pytest.mark.parametrize(
    "other",
    [
        (UNALIGNED, 64, 2.5, 128),
        (ARRAY.view(np.int32), 64, 2.5, 128),
        (None, 64, 2.5, 128),
        (ARRAY, 63, 2.5, 128),
        (ARRAY, 1, 2.5, 128),
        (ARRAY, 2**40, 2.5, 128),
        (ARRAY, 64, 2, 128),
        (ARRAY, 64, True, 128),
        (ARRAY, 64, 2.5, 64),
        (ARRAY, 64, 2.5, 128.0),
        (ARRAY, 64, 2.5, 128, "relu"),
    ],
)
def test_calls_that_do_not_share_code(other: tuple[Any, ...]):
    assert key(*other) != key(ARRAY, 64, 2.5, 128)
    assert of(*other).lasting_text() != of(ARRAY, 64, 2.5, 128).lasting_text()


@pytest.mark.parametrize(
    "other",
    [
        (np.zeros(64, np.float32), 64, 2.5, 128),
        (ARRAY, 128, 2.5, 128),
        (ARRAY, 64, -1.0, 128),
        (ARRAY, 64, np.float32(0.25), 128),
        (ARRAY, np.int64(64), 2.5, np.int32(128)),
        (ARRAY, 64, 2.5, constexpr(128)),
    ],
)
def test_calls_that_share_code(other: tuple[Any, ...]):
    assert key(*other) == key(ARRAY, 64, 2.5, 128)
    assert of(*other).lasting_text() == of(ARRAY, 64, 2.5, 128).lasting_text()


CONSTANTS = (
    *(0, 1, 2, True, False, 0.0, -0.0, 1.0, math.nan, math.inf, -math.inf, "", "a", None),
    *((), (1,), (1.0,), (True,), ((1,), 2), [1], dtypes.float32, dtypes.float16, dtypes.pointer_type(dtypes.float32)),
)


@pytest.mark.parametrize("function", [constant_key, constant_text])
def test_constants_are_told_apart_by_type_and_value(function: Any):
    assert len({function(value) for value in CONSTANTS}) == len(CONSTANTS)


@pytest.mark.parametrize("function", [constant_key, constant_text])
def test_equal_constants_are_the_same(function: Any):
    assert function(float("nan")) == function(-math.nan + 1)
    assert function((1, "a")) == function((1, "a"))
    assert function(dtypes.dtype("fp32")) == function(dtypes.float32)


def test_a_constant_without_a_hash_is_refused():
    with pytest.raises(ArgumentError, match="argument 'MODE' of kernel kernel is a constexpr of type dict"):
        of(ARRAY, 64, 2.5, 128, {"a": 1})


def test_a_constant_that_only_this_process_knows_has_no_lasting_text():
    assert of(ARRAY, 64, 2.5, 128, object()).lasting_text() is None
    assert of(ARRAY, 64, 2.5, 128, (1, object())).lasting_text() is None
    assert of(ARRAY, 64, 2.5, 128, lambda: 1).lasting_text() is None


class CudaArray:
    __cuda_array_interface__ = {"data": (4096, False), "typestr": "<f4", "shape": (4,), "version": 3}  # noqa: RUF012


def test_arrays_must_live_on_one_device():
    def two(x_ptr, y_ptr):
        pass

    with pytest.raises(ArgumentError) as caught:
        specialize("two", parameters_of(two), [ARRAY, CudaArray()])
    assert str(caught.value) == (
        "the arrays of kernel two must live on one device, but 'x_ptr' is on cpu and 'y_ptr' is on cuda"
    )
    assert specialize("two", parameters_of(two), [CudaArray(), CudaArray()]).device == "cuda"


def test_types_in_the_place_of_values_only_where_they_are_allowed():
    found = specialize("kernel", PARAMETERS, ["*fp16", "i32:16", dtypes.float32, 64, "mode"], types_allowed=True)
    assert found.signature() == {"x_ptr": "*fp16", "n": "i32", "scale": "fp32"}
    assert found.constants() == {"BLOCK": 64, "MODE": "mode"}
    assert found.attributes() == {"x_ptr": {"divisibility": 16}, "n": {"divisibility": 16}}
    with pytest.raises(ArgumentError, match="argument 'x_ptr' of kernel kernel is of type str"):
        of("*fp16", 16, 2.5, 64)
