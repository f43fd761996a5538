"""The folders of `arith` against NumPy and ml_dtypes, on the values where arithmetic goes wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    AnyFloat,
    Builtin,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    ModuleOp,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mytriton.dialects import arith
from mytriton.dialects.constants import Constant, constant_attr, splat_value
from mytriton.passes.canonicalize import Canonicalize

INTEGER_TYPES = {1: i1, 8: i8, 16: i16, 32: i32, 64: i64}
SIGNED: dict[int, Any] = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
UNSIGNED: dict[int, Any] = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
FLOATS: dict[str, tuple[AnyFloat, Any]] = {
    "f16": (f16, np.float16),
    "bf16": (bf16, ml_dtypes.bfloat16),
    "f32": (f32, np.float32),
    "f64": (f64, np.float64),
}


def integer_edges(width: int) -> list[int]:
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    near = {low, low + 1, high, high - 1, -2, -1, 0, 1, 2, 3, 7, width - 1, width, width + 1, high // 3, low // 5}
    return sorted(value for value in near if low <= value <= high)


def limits(dtype: Any) -> Any:
    return cast(Any, ml_dtypes).finfo(dtype)


def float_edges(dtype: Any) -> list[float]:
    info = limits(dtype)
    positive = [0.0, float(info.smallest_subnormal), float(info.tiny), 0.1, 0.5, 1.0, 1.0 + float(info.eps), 1.5]
    positive += [3.0, 255.0, 2049.0, 65504.0, float(info.max), math.inf]
    values = [float(dtype(value)) for value in positive]
    return [*values, *(-value for value in values), math.nan]


def fold(op: Operation) -> Any:
    """The number or value that an operation folds to; None if it does not fold."""
    assert isinstance(op, HasFolderInterface)
    folded = op.fold()
    if folded is None:
        return None
    (result,) = folded
    return result if isinstance(result, SSAValue) else splat_value(result)


def fold_binary(op: Callable[..., Operation], type: Attribute, lhs: Constant, rhs: Constant) -> Any:
    return fold(op(arith.ConstantOp.of(type, lhs), arith.ConstantOp.of(type, rhs)))


def same(found: Constant | None, expected: Constant) -> bool:
    """Equal numbers, with -0.0 different from 0.0 and NaN equal to NaN."""
    if found is None or math.isnan(expected):
        return found is not None and math.isnan(found)
    return found == expected and math.copysign(1.0, found) == math.copysign(1.0, expected)


# Integers


def as_signed(value: int, width: int) -> int:
    """The number that the low bits of `value` are in NumPy's signed type of that width."""
    if width == 1:
        return -(value & 1)
    bits = np.array(value & ((1 << width) - 1), dtype=UNSIGNED[width])
    return int(bits.view(SIGNED[width]))


def as_unsigned(value: int, width: int) -> int:
    if width == 1:
        return value & 1
    return int(np.array(value, dtype=SIGNED[width]).view(UNSIGNED[width]))


def shift(value: int, amount: int, width: int, left: bool, fill: int) -> int:
    """Bit by bit, on the binary digits."""
    digits = format(as_unsigned(value, width), f"0{width}b")
    for _ in range(min(as_unsigned(amount, width), width)):
        digits = digits[1:] + "0" if left else str(fill) + digits[:-1]
    return int(digits, 2)


def divide(lhs: int, rhs: int) -> int:
    return -1 if rhs == 0 else int(Fraction(lhs, rhs))


def remainder(lhs: int, rhs: int) -> int:
    return -1 if rhs == 0 else lhs - rhs * int(Fraction(lhs, rhs))


INTEGER_OPS: dict[type[arith.IntegerBinaryOp], Callable[[int, int, int], int]] = {
    arith.AddiOp: lambda x, y, w: x + y,
    arith.SubiOp: lambda x, y, w: x - y,
    arith.MuliOp: lambda x, y, w: x * y,
    arith.DivSIOp: lambda x, y, w: divide(x, y),
    arith.DivUIOp: lambda x, y, w: divide(as_unsigned(x, w), as_unsigned(y, w)),
    arith.RemSIOp: lambda x, y, w: remainder(x, y),
    arith.RemUIOp: lambda x, y, w: remainder(as_unsigned(x, w), as_unsigned(y, w)),
    arith.AndIOp: lambda x, y, w: x & y,
    arith.OrIOp: lambda x, y, w: x | y,
    arith.XOrIOp: lambda x, y, w: x ^ y,
    arith.ShLIOp: lambda x, y, w: shift(x, y, w, left=True, fill=0),
    arith.ShRUIOp: lambda x, y, w: shift(x, y, w, left=False, fill=0),
    arith.ShRSIOp: lambda x, y, w: shift(x, y, w, left=False, fill=int(x < 0)),
    arith.MinSIOp: lambda x, y, w: sorted((x, y))[0],
    arith.MaxSIOp: lambda x, y, w: sorted((x, y))[1],
    arith.MinUIOp: lambda x, y, w: sorted((as_unsigned(x, w), as_unsigned(y, w)))[0],
    arith.MaxUIOp: lambda x, y, w: sorted((as_unsigned(x, w), as_unsigned(y, w)))[1],
}
NUMPY_OPS: dict[type[arith.IntegerBinaryOp], tuple[Any, bool]] = {
    arith.AddiOp: (np.add, True),
    arith.SubiOp: (np.subtract, True),
    arith.MuliOp: (np.multiply, True),
    arith.AndIOp: (np.bitwise_and, True),
    arith.OrIOp: (np.bitwise_or, True),
    arith.XOrIOp: (np.bitwise_xor, True),
    arith.MinSIOp: (np.minimum, True),
    arith.MaxSIOp: (np.maximum, True),
    arith.MinUIOp: (np.minimum, False),
    arith.MaxUIOp: (np.maximum, False),
    arith.ShLIOp: (np.left_shift, False),
    arith.ShRUIOp: (np.right_shift, False),
}


def names(ops: Any) -> list[Any]:
    return [pytest.param(op, id=op.name) for op in ops]


@pytest.mark.parametrize("width", INTEGER_TYPES)
@pytest.mark.parametrize("op", names(INTEGER_OPS))
def test_integer_operation(op: type[arith.IntegerBinaryOp], width: int) -> None:
    for lhs, rhs in itertools.product(integer_edges(width), repeat=2):
        expected = as_signed(INTEGER_OPS[op](lhs, rhs, width), width)
        assert fold_binary(op, INTEGER_TYPES[width], lhs, rhs) == expected, (lhs, rhs)


@pytest.mark.parametrize("width", SIGNED)
@pytest.mark.parametrize("op", names(NUMPY_OPS))
def test_integer_operation_is_numpys(op: type[arith.IntegerBinaryOp], width: int) -> None:
    function, signed = NUMPY_OPS[op]
    dtype: Any = (SIGNED if signed else UNSIGNED)[width]
    for lhs, rhs in itertools.product(integer_edges(width), repeat=2):
        if op in (arith.ShLIOp, arith.ShRUIOp) and not 0 <= rhs < width:
            continue
        x, y = (np.array([value], dtype=SIGNED[width]).view(dtype) for value in (lhs, rhs))
        expected = int(function(x, y).view(SIGNED[width])[0])
        assert fold_binary(op, INTEGER_TYPES[width], lhs, rhs) == expected, (lhs, rhs)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_integers(data: st.DataObject) -> None:
    width = data.draw(st.sampled_from([8, 16, 32, 64]))
    value = st.integers(-(1 << (width - 1)), (1 << (width - 1)) - 1)
    lhs, rhs = data.draw(value), data.draw(value)
    for op, reference in INTEGER_OPS.items():
        expected = as_signed(reference(lhs, rhs, width), width)
        assert fold_binary(op, INTEGER_TYPES[width], lhs, rhs) == expected, op.name


def test_index_is_64_bits_wide() -> None:
    largest = (1 << 63) - 1
    assert fold_binary(arith.AddiOp, IndexType(), largest, 1) == -(1 << 63)


@pytest.mark.parametrize("width", INTEGER_TYPES)
@pytest.mark.parametrize("op", names(INTEGER_OPS))
def test_one_known_integer(op: type[arith.IntegerBinaryOp], width: int) -> None:
    """What an operation folds to with one operand known is right for every value of the other."""
    type = INTEGER_TYPES[width]
    argument = Block(arg_types=(type,)).args[0]
    for known in integer_edges(width):
        constant = arith.ConstantOp.of(type, known)
        for swapped in (False, True):
            folded = fold(op(constant, argument) if swapped else op(argument, constant))
            if folded is None:
                continue
            for value in integer_edges(width):
                operands = (known, value) if swapped else (value, known)
                expected = as_signed(INTEGER_OPS[op](*operands, width), width)
                assert (value if folded is argument else folded) == expected, (operands, folded)


@pytest.mark.parametrize("op", names(INTEGER_OPS))
def test_equal_integers(op: type[arith.IntegerBinaryOp]) -> None:
    argument = Block(arg_types=(i8,)).args[0]
    folded = fold(op(argument, argument))
    if folded is None:
        return
    for value in integer_edges(8):
        expected = as_signed(INTEGER_OPS[op](value, value, 8), 8)
        assert (value if folded is argument else folded) == expected, value


INTEGER_PREDICATES: dict[str, tuple[Any, bool]] = {
    "eq": (np.equal, True),
    "ne": (np.not_equal, True),
    "slt": (np.less, True),
    "sle": (np.less_equal, True),
    "sgt": (np.greater, True),
    "sge": (np.greater_equal, True),
    "ult": (np.less, False),
    "ule": (np.less_equal, False),
    "ugt": (np.greater, False),
    "uge": (np.greater_equal, False),
}


@pytest.mark.parametrize("width", INTEGER_TYPES)
@pytest.mark.parametrize("predicate", arith.CMPI_PREDICATES)
def test_cmpi(predicate: str, width: int) -> None:
    function, signed = INTEGER_PREDICATES[predicate]
    type = INTEGER_TYPES[width]
    for lhs, rhs in itertools.product(integer_edges(width), repeat=2):
        operands = (lhs, rhs) if signed else (as_unsigned(lhs, width), as_unsigned(rhs, width))
        compare = arith.CmpiOp(arith.ConstantOp.of(type, lhs), arith.ConstantOp.of(type, rhs), predicate)
        assert fold(compare) == -int(function(*operands)), (lhs, rhs)
    argument = Block(arg_types=(type,)).args[0]
    assert fold(arith.CmpiOp(argument, argument, predicate)) == -int(function(1, 1))


# Floats

FLOAT_OPS: dict[type[arith.FloatBinaryOp], Any] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.RemfOp: np.fmod,
    arith.MinimumfOp: np.minimum,
    arith.MaximumfOp: np.maximum,
    arith.MinnumfOp: np.fmin,
    arith.MaxnumfOp: np.fmax,
}
SELECTING = {
    arith.MinimumfOp: -0.0,
    arith.MinnumfOp: -0.0,
    arith.MaximumfOp: 0.0,
    arith.MaxnumfOp: 0.0,
}
"""What these give for zeros of both signs, in either order; NumPy gives either."""


def float_reference(op: type[arith.FloatBinaryOp], dtype: Any, lhs: float, rhs: float) -> float:
    if op in SELECTING and lhs == rhs == 0.0 and math.copysign(1.0, lhs) != math.copysign(1.0, rhs):
        return SELECTING[op]
    with np.errstate(all="ignore"):
        return float(FLOAT_OPS[op](np.array(lhs, dtype=dtype), np.array(rhs, dtype=dtype)))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("op", names(FLOAT_OPS))
def test_float_operation(op: type[arith.FloatBinaryOp], name: str) -> None:
    type, dtype = FLOATS[name]
    for lhs, rhs in itertools.product(float_edges(dtype), repeat=2):
        found = fold_binary(op, type, lhs, rhs)
        assert same(found, float_reference(op, dtype, lhs, rhs)), (lhs, rhs, found)


@settings(max_examples=100, deadline=None)
@given(lhs=st.floats(width=32), rhs=st.floats(width=32))
def test_random_floats(lhs: float, rhs: float) -> None:
    for type, dtype in (FLOATS["f32"], FLOATS["f16"], FLOATS["bf16"]):
        with np.errstate(all="ignore"):
            x, y = float(dtype(lhs)), float(dtype(rhs))
        for op in FLOAT_OPS:
            found = fold_binary(op, type, x, y)
            assert same(found, float_reference(op, dtype, x, y)), (op.name, type, x, y, found)


@pytest.mark.parametrize("op", names(FLOAT_OPS))
def test_one_known_float(op: type[arith.FloatBinaryOp]) -> None:
    """What an operation folds to with one operand known, or both equal, is right for every value, NaN included."""
    argument = Block(arg_types=(f32,)).args[0]
    folded = fold(op(argument, argument))
    for value in float_edges(np.float32) if folded is not None else ():
        assert same(value if folded is argument else folded, float_reference(op, np.float32, value, value)), value
    for known in float_edges(np.float32):
        constant = arith.ConstantOp.of(f32, known)
        for swapped in (False, True):
            folded = fold(op(constant, argument) if swapped else op(argument, constant))
            if folded is None:
                continue
            for value in float_edges(np.float32):
                operands = (known, value) if swapped else (value, known)
                expected = float_reference(op, np.float32, *operands)
                assert same(value if folded is argument else folded, expected), (operands, folded)


def test_negf() -> None:
    for value in float_edges(np.float32):
        assert same(fold(arith.NegfOp(arith.ConstantOp.of(f32, value))), float(np.negative(np.float32(value))))


FLOAT_PREDICATES: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda x, y: bool(np.equal(x, y)),
    "ne": lambda x, y: bool(np.not_equal(x, y)),
    "gt": lambda x, y: bool(np.greater(x, y)),
    "ge": lambda x, y: bool(np.greater_equal(x, y)),
    "lt": lambda x, y: bool(np.less(x, y)),
    "le": lambda x, y: bool(np.less_equal(x, y)),
}


@pytest.mark.parametrize("predicate", arith.CMPF_PREDICATES)
def test_cmpf(predicate: str) -> None:
    for lhs, rhs in itertools.product(float_edges(np.float32), repeat=2):
        unordered = bool(np.isnan(lhs) | np.isnan(rhs))
        if predicate in ("true", "false"):
            expected = predicate == "true"
        elif predicate in ("ord", "uno"):
            expected = unordered == (predicate == "uno")
        elif unordered:
            expected = predicate[0] == "u"
        else:
            expected = FLOAT_PREDICATES["ne" if predicate == "one" else predicate[1:]](lhs, rhs)
        compare = arith.CmpfOp(arith.ConstantOp.of(f32, lhs), arith.ConstantOp.of(f32, rhs), predicate)
        assert fold(compare) == -int(expected), (lhs, rhs)


def test_cmpf_of_equal_values_does_not_fold() -> None:
    argument = Block(arg_types=(f32,)).args[0]
    assert fold(arith.CmpfOp(argument, argument, "oeq")) is None
    assert fold(arith.CmpfOp(argument, argument, "true")) == -1


# Casts


def fold_cast(op: Callable[..., Operation], value: Constant, source: Attribute, target: Attribute) -> Any:
    return fold(op(arith.ConstantOp.of(source, value), target))


@pytest.mark.parametrize(("source", "target"), [(8, 16), (8, 64), (16, 32), (32, 64)])
def test_integer_casts(source: int, target: int) -> None:
    for value in integer_edges(source):
        wide = SIGNED[source](value).astype(SIGNED[target])
        assert fold_cast(arith.ExtSIOp, value, INTEGER_TYPES[source], INTEGER_TYPES[target]) == int(wide)
        zeros = np.array(value, dtype=SIGNED[source]).view(UNSIGNED[source]).astype(UNSIGNED[target])
        found = fold_cast(arith.ExtUIOp, value, INTEGER_TYPES[source], INTEGER_TYPES[target])
        assert found == int(zeros.view(SIGNED[target]))
    for value in integer_edges(target):
        low = np.array(value, dtype=SIGNED[target]).astype(SIGNED[source])
        assert fold_cast(arith.TruncIOp, value, INTEGER_TYPES[target], INTEGER_TYPES[source]) == int(low)


def test_casts_of_bool() -> None:
    assert fold_cast(arith.ExtUIOp, True, i1, i32) == 1
    assert fold_cast(arith.ExtSIOp, True, i1, i32) == -1
    assert fold_cast(arith.UIToFPOp, True, i1, f32) == 1.0
    assert fold_cast(arith.SIToFPOp, True, i1, f32) == -1.0
    assert fold_cast(arith.TruncIOp, 2, i32, i1) == 0
    assert fold_cast(arith.TruncIOp, 3, i32, i1) == -1
    assert fold_cast(arith.IndexCastOp, -5, i32, IndexType()) == -5
    assert fold_cast(arith.IndexCastOp, 1 << 32, IndexType(), i32) == 0


def nearest(exact: Fraction, dtype: Any) -> float:
    """The value of a float type that is nearest to a number, the one with an even last bit of two."""
    info = limits(dtype)
    half_step = Fraction(float(info.max)) - Fraction(float(np.nextafter(info.max, dtype(0))))
    if abs(exact) >= Fraction(float(info.max)) + half_step / 2:
        return math.copysign(math.inf, exact)
    bits: Any = np.uint16 if info.bits == 16 else np.uint32
    with np.errstate(over="ignore"):
        guess = np.array(min(abs(float(exact)), float(info.max)), dtype=dtype).view(bits)
    candidates = [int(guess) + step for step in (-1, 0, 1) if int(guess) + step >= 0]

    def distance(candidate: int) -> tuple[Fraction, int]:
        value = float(np.array(candidate, dtype=bits).view(dtype))
        error = abs(Fraction(value) - abs(exact)) if math.isfinite(value) else abs(exact) + 1
        return error, candidate & 1

    best = float(np.array(min(candidates, key=distance), dtype=bits).view(dtype))
    return math.copysign(best, exact)


HALFWAY = [2**24 + 1, 2**24 + 3, 2**25 + 2, 2**53 + 2**29, 2**53 + 2**29 + 1, 2**63 - 1, 2**60 + 2**36 + 1]
"""Integers that are halfway between two floats, or that are so after they were rounded to 53 bits."""


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
def test_integer_to_float_rounds_once(name: str) -> None:
    type, dtype = FLOATS[name]
    for value in [*integer_edges(64), *HALFWAY, *(-value for value in HALFWAY), 65519, 65520, 2049, 2051, 257, 259]:
        found = fold_cast(arith.SIToFPOp, value, i64, type)
        assert same(found, nearest(Fraction(value), dtype) if value else 0.0), value
        unsigned = as_unsigned(value, 64)
        found = fold_cast(arith.UIToFPOp, value, i64, type)
        assert same(found, nearest(Fraction(unsigned), dtype) if value else 0.0), unsigned


@settings(max_examples=200, deadline=None)
@given(value=st.integers(-(2**63), 2**63 - 1))
def test_random_integer_to_float(value: int) -> None:
    assert fold_cast(arith.SIToFPOp, value, i64, f32) == float(np.float32(np.int64(value)))
    assert fold_cast(arith.SIToFPOp, value, i64, f64) == float(np.int64(value).astype(np.float64))
    unsigned = np.array(value, dtype=np.int64).view(np.uint64)
    assert fold_cast(arith.UIToFPOp, value, i64, f32) == float(unsigned.astype(np.float32))


@settings(max_examples=200, deadline=None)
@given(value=st.floats())
def test_truncf_rounds_once(value: float) -> None:
    with np.errstate(all="ignore"):
        assert same(fold_cast(arith.TruncFOp, value, f64, f32), float(np.float32(value)))
        assert same(fold_cast(arith.TruncFOp, value, f64, f16), float(np.float64(value).astype(np.float16)))
        if math.isfinite(value) and value:
            assert same(fold_cast(arith.TruncFOp, value, f64, bf16), nearest(Fraction(value), ml_dtypes.bfloat16))


def test_extf_is_exact() -> None:
    for name in ("f16", "bf16"):
        type, dtype = FLOATS[name]
        for value in float_edges(dtype):
            assert same(fold_cast(arith.ExtFOp, value, type, f32), float(np.array(value, dtype=dtype)))


@pytest.mark.parametrize(
    ("value", "type", "signed", "unsigned"),
    [
        (3.9, i32, 3, 3),
        (-3.9, i32, -3, 0),
        (-0.5, i32, 0, 0),
        (2147483648.0, i32, 2147483647, -2147483648),
        (4294967296.0, i32, 2147483647, -1),
        (-2147483649.0, i32, -2147483648, 0),
        (127.9, i8, 127, 127),
        (128.0, i8, 127, -128),
        (300.0, i8, 127, -1),
        (-129.0, i8, -128, 0),
        (1e30, i64, 2**63 - 1, -1),
        (math.inf, i16, 32767, -1),
        (-math.inf, i16, -32768, 0),
        (math.nan, i32, 0, 0),
        (0.5, i1, -1, -1),
        (0.0, i1, 0, 0),
        (-2.0, i1, -1, -1),
        (math.nan, i1, -1, -1),
    ],
)
def test_float_to_integer_saturates(value: float, type: IntegerType, signed: int, unsigned: int) -> None:
    assert fold_cast(arith.FPToSIOp, value, f64, type) == signed
    assert fold_cast(arith.FPToUIOp, value, f64, type) == unsigned


@pytest.mark.parametrize(("name", "integer"), [("f16", i16), ("bf16", i16), ("f32", i32), ("f64", i64)])
def test_bitcast(name: str, integer: IntegerType) -> None:
    type, dtype = FLOATS[name]
    for value in float_edges(dtype):
        bits = int(np.array(value, dtype=dtype).view(SIGNED[integer.width.data]))
        if math.isnan(value):
            # A NaN has more bits than a Python float keeps.
            assert fold_cast(arith.BitcastOp, value, type, integer) is None
            assert fold_cast(arith.BitcastOp, bits, integer, type) is None
            continue
        assert fold_cast(arith.BitcastOp, value, type, integer) == bits
        assert same(fold_cast(arith.BitcastOp, bits, integer, type), value)
    one = fold_cast(arith.BitcastOp, 1.0, bf16, f16)
    assert one == float(np.array(1.0, dtype=ml_dtypes.bfloat16).view(np.float16))


# Select, tensors and constants


def test_select() -> None:
    block = Block(arg_types=(i1, f32, f32, i1))
    condition, x, y, bit = block.args
    true, false = arith.ConstantOp.of(i1, True), arith.ConstantOp.of(i1, False)
    assert fold(arith.SelectOp(true, x, y)) is x
    assert fold(arith.SelectOp(false, x, y)) is y
    assert fold(arith.SelectOp(condition, x, x)) is x
    assert fold(arith.SelectOp(condition, x, y)) is None
    assert fold(arith.SelectOp(condition, true, false)) is condition
    assert fold(arith.SelectOp(condition, true, bit)) is None


def test_splats_fold_to_splats() -> None:
    type = TensorType(i32, (3, 5))
    sum = arith.AddiOp(arith.ConstantOp.of(type, 2**31 - 1), arith.ConstantOp.of(type, 1))
    assert sum.fold() == (DenseIntOrFPElementsAttr.from_list(type, [-(2**31)] * 15),)
    half = arith.TruncFOp(arith.ConstantOp.of(TensorType(f32, (4,)), 1e6), TensorType(f16, (4,)))
    assert half.fold() == (DenseIntOrFPElementsAttr.from_list(TensorType(f16, (4,)), [math.inf] * 4),)


def test_different_elements_do_not_fold() -> None:
    type = TensorType(f32, (2,))
    zeros = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [0.0, -0.0]))
    assert splat_value(zeros.value) is None
    assert arith.AddfOp(zeros, zeros).fold() is None


@pytest.mark.parametrize("type", [i1, i8, i64, IndexType(), f16, bf16, f64])
def test_constant_attr_and_splat_value(type: Attribute) -> None:
    for value in (0, 1):
        expected = -1 if type == i1 and value else value
        assert splat_value(constant_attr(type, value)) == expected
        assert splat_value(constant_attr(TensorType(type, (7, 3)), value)) == expected


# Rewrites of casts


def canonicalized(op: Operation) -> Operation:
    """What the result of an operation is after the canonicalization of a module that has only it."""
    context = Context()
    for dialect in (Builtin, arith.Arith, test.Test):
        context.load_dialect(dialect)
    ops: list[Operation] = []
    work: list[Operation] = [op]
    while work:
        ops.insert(0, work.pop())
        work += [value.owner for value in ops[0].operands if isinstance(value.owner, Operation)]
    user = test.TestOp(operands=[op.results[0]])
    Canonicalize().apply(context, ModuleOp([*ops, user]))
    owner = user.operands[0].owner
    assert isinstance(owner, Operation)
    return owner


def evaluate(op: Operation, values: dict[SSAValue, Constant]) -> Constant | None:
    """What an expression is, by folding its operations on constants; None for the bits of a NaN."""
    if op.results[0] in values:
        return values[op.results[0]]
    operand = op.operands[0]
    assert isinstance(operand.owner, Operation)
    value = evaluate(operand.owner, values)
    if value is None:
        return None
    constant = arith.ConstantOp.of(operand.type, value)
    folded = fold(op.clone({operand: constant.result}))
    return value if folded is constant.result else folded


CAST_TYPES = [i1, i8, i32, f16, bf16, f32, f64]
CASTS = [op for op in arith.Arith.operations if issubclass(op, arith.CastOp) and op is not arith.IndexCastOp]


DOUBLE_ROUNDING: dict[Attribute, tuple[float]] = {f64: (1 + 2**-11 + 2**-40,)}
"""What is halfway between two values of f16 after, but not before, it was rounded to f32."""


def is_valid(cast: Operation) -> bool:
    try:
        cast.verify()
    except Exception:
        return False
    return True


@pytest.mark.parametrize("second", names(CASTS))
@pytest.mark.parametrize("first", names(CASTS))
def test_cast_chains_keep_their_meaning(first: type[arith.CastOp], second: type[arith.CastOp]) -> None:
    for source, middle, target in itertools.product(CAST_TYPES, repeat=3):
        input = test.TestOp(result_types=[source])
        inner = first(input, middle)
        outer = second(inner, target)
        if not is_valid(inner) or not is_valid(outer):
            continue
        edges = float_edges(FLOATS[source.name][1]) if source.name in FLOATS else integer_edges(source.bitwidth)
        reference = second(first(input, middle), target)
        rewritten = canonicalized(outer)
        for value in (*edges[::2], *DOUBLE_ROUNDING.get(source, ())):
            values: dict[SSAValue, Constant] = {input.results[0]: value}
            found, expected = evaluate(rewritten, values), evaluate(reference, values)
            if found is not None and expected is not None:
                assert same(found, expected), (source, middle, target, value, str(rewritten))
