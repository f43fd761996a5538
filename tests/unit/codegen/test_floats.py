"""Float arithmetic and conversions of printed kernels, run on the CPU, against NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import IntegerType, ModuleOp, bf16, f16, f32, f64, i16, i32, i64
from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, cuda
from mytriton.passes.expand_small_floats import ExpandSmallFloats
from tests.unit.codegen.running import DTYPES, Array, Build, compute, elementwise_kernel, launch, needs_compiler

pytestmark = needs_compiler

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.75, 3.0, 1e-3, -7e3, 65504.0, 1e-7, math.inf, -math.inf, math.nan]


def samples(type: Any) -> Array:
    generator = np.random.default_rng(7)
    values = [*SPECIAL, *generator.normal(size=6), *(generator.normal(size=4) * 1e30)]
    with np.errstate(over="ignore"):
        return np.array(values).astype(DTYPES[type])


def pairs(values: Array) -> tuple[Array, Array]:
    count = len(values)
    return np.repeat(values, count), np.tile(values, count)


def assert_same(found: Array, expected: Array, what: object = "") -> None:
    """Equal numbers with equal signs of zero, or both NaN."""
    both_nan = np.isnan(found) & np.isnan(expected)
    same = (found == expected) & (np.signbit(found) == np.signbit(expected))
    assert np.all(both_nan | same), (what, found[~(both_nan | same)], expected[~(both_nan | same)])


def extremum(pick: Callable[[Any, Any], Any]) -> Callable[[Array, Array], Array]:
    """Of zeros of different signs -0 is the smaller one, which NumPy does not promise."""

    def compute_one(a: Any, b: Any) -> Any:
        if a == 0 and b == 0:
            negative = pick(-float(np.signbit(a)), -float(np.signbit(b))) < 0
            return a if bool(np.signbit(a)) == negative else b
        return pick(a, b)

    return np.vectorize(compute_one)


def number_wins(pick: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: b if np.isnan(a) else a if np.isnan(b) else pick(a, b)


def nan_wins(pick: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: np.nan if np.isnan(a) or np.isnan(b) else pick(a, b)


EXACT: dict[Any, Callable[[Array, Array], Array]] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    cuda.PreciseDivOp: np.divide,
    arith.RemfOp: np.fmod,
    arith.MinnumfOp: extremum(number_wins(min)),
    arith.MaxnumfOp: extremum(number_wins(max)),
    arith.MinimumfOp: extremum(nan_wins(min)),
    arith.MaximumfOp: extremum(nan_wins(max)),
    math_dialect.CopySignOp: np.copysign,
}


@pytest.mark.parametrize("type", [f32, f64])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_binary_operations(type: Any):
    lhs, rhs = pairs(samples(type))
    results = compute([lhs, rhs], [type, type], [*EXACT, arith.DivfOp])
    for (op, expected), result in zip(EXACT.items(), results, strict=False):
        assert_same(result, expected(lhs, rhs).astype(DTYPES[type]), op.name)
    # The division of Triton is within 2 units in the last place.
    np.testing.assert_allclose(results[-1], lhs / rhs, rtol=3e-7)


UNARY: dict[Any, tuple[Callable[[Array], Array], float]] = {
    arith.NegfOp: (np.negative, 0),
    math_dialect.AbsFOp: (np.abs, 0),
    math_dialect.FloorOp: (np.floor, 0),
    math_dialect.CeilOp: (np.ceil, 0),
    math_dialect.TruncOp: (np.trunc, 0),
    math_dialect.RoundEvenOp: (np.rint, 0),
    cuda.PreciseSqrtOp: (np.sqrt, 0),
    math_dialect.SqrtOp: (np.sqrt, 3e-7),
    math_dialect.RsqrtOp: (lambda x: 1 / np.sqrt(x), 3e-7),
    math_dialect.ExpOp: (np.exp, 3e-7),
    math_dialect.Exp2Op: (np.exp2, 3e-7),
    math_dialect.ExpM1Op: (np.expm1, 3e-7),
    math_dialect.LogOp: (np.log, 3e-7),
    math_dialect.Log2Op: (np.log2, 3e-7),
    math_dialect.Log10Op: (np.log10, 3e-7),
    math_dialect.Log1pOp: (np.log1p, 3e-7),
    math_dialect.SinOp: (np.sin, 3e-7),
    math_dialect.CosOp: (np.cos, 3e-7),
    math_dialect.TanOp: (np.tan, 3e-7),
    math_dialect.TanhOp: (np.tanh, 3e-7),
    math_dialect.SinhOp: (np.sinh, 3e-7),
    math_dialect.CoshOp: (np.cosh, 3e-7),
    math_dialect.AtanOp: (np.arctan, 3e-7),
    math_dialect.AsinOp: (np.arcsin, 3e-7),
    math_dialect.AcosOp: (np.arccos, 3e-7),
    math_dialect.AsinhOp: (np.arcsinh, 3e-7),
    math_dialect.CbrtOp: (np.cbrt, 3e-7),
    math_dialect.ErfOp: (np.vectorize(math.erf), 3e-7),
}


@pytest.mark.parametrize("type", [f32, f64])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_unary_operations(type: Any):
    values = samples(type)
    results = compute([values], [type], list(UNARY))
    for (op, (expected, tolerance)), result in zip(UNARY.items(), results, strict=True):
        reference = expected(values.astype(np.float64)).astype(DTYPES[type])
        if tolerance:
            np.testing.assert_allclose(result, reference, rtol=tolerance, atol=1e-37, err_msg=op.name)
        else:
            assert_same(result, reference, op.name)


@pytest.mark.parametrize("type", [f32, f64])
def test_fused_multiply_add_rounds_once(type: Any):
    a = np.array([1.0 + 2.0**-12, 3.0, 1.0 + 2.0**-30], dtype=DTYPES[type])
    (result,) = compute([a, a, -a * a], [type] * 3, [math_dialect.FmaOp])
    exact = [float(x) * float(x) - float(np.multiply(x, x)) for x in a] if type == f32 else None
    if exact is not None:
        assert result.tolist() == [np.float32(x) for x in exact]
    else:
        assert result[2] == 2.0**-60


PREDICATES: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "ne": lambda a, b: a != b,
}


def holds(predicate: str, a: float, b: float) -> bool:
    unordered = math.isnan(a) or math.isnan(b)
    if predicate in ("ord", "uno"):
        return unordered == (predicate == "uno")
    if predicate in ("false", "true"):
        return predicate == "true"
    return predicate[0] == "u" if unordered else PREDICATES[predicate[1:]](a, b)


def comparison(predicate: str) -> Build:
    return lambda a, b: arith.CmpfOp(a, b, predicate)


@pytest.mark.parametrize("type", [f32, f64])
def test_comparisons(type: Any):
    lhs, rhs = pairs(samples(type))
    results = compute([lhs, rhs], [type, type], [comparison(predicate) for predicate in arith.CMPF_PREDICATES])
    for predicate, result in zip(arith.CMPF_PREDICATES, results, strict=True):
        assert result.tolist() == [holds(predicate, float(a), float(b)) for a, b in zip(lhs, rhs, strict=True)], (
            predicate
        )


def negated_first(a: SSAValue, b: SSAValue) -> Operation:
    return arith.NegfOp(a)


def absolute_second(a: SSAValue, b: SSAValue) -> Operation:
    return math_dialect.AbsFOp(b)


def same_operand(predicate: str) -> Build:
    return lambda a: arith.CmpfOp(a, a, predicate)


def test_comparisons_of_a_value_with_itself():
    values = samples(f32)
    is_nan, is_ordered = compute([values], [f32], [same_operand("uno"), same_operand("ord")])
    assert is_nan.tolist() == np.isnan(values).tolist()
    assert is_ordered.tolist() == (~np.isnan(values)).tolist()


def saturated(value: float, bits: int, is_signed: bool) -> int:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    if math.isnan(value):
        return 0
    number = low if value == -math.inf else high if value == math.inf else min(max(math.trunc(value), low), high)
    return number - (1 << bits) if number > (1 << (bits - 1)) - 1 else number


@pytest.mark.parametrize("type", [f32, f64])
def test_conversions_to_integers_saturate(type: Any):
    values = np.concatenate([samples(type), np.array([127.9, 128.0, 255.5, 256.0, -128.9, -129.0, 2.0**31, 2.0**63])])
    values = values.astype(DTYPES[type])
    widths = (8, 16, 32, 64)
    builds: list[Build] = []
    for bits in widths:
        builds += [to_integer(arith.FPToSIOp, bits), to_integer(arith.FPToUIOp, bits)]
    results = compute([values], [type], [*builds, to_integer(arith.FPToSIOp, 1)])
    for position, bits in enumerate(widths):
        for offset, is_signed in enumerate((True, False)):
            found = results[2 * position + offset].tolist()
            assert found == [saturated(float(value), bits, is_signed) for value in values], (bits, is_signed)
    assert results[-1].tolist() == [value != 0 for value in values]


def to_integer(op: type[arith.FPToSIOp | arith.FPToUIOp], bits: int) -> Build:
    return lambda value: op(value, IntegerType(bits))


def test_bitcasts():
    values = samples(f32)
    bits, back = compute(
        [values],
        [f32],
        [lambda x: arith.BitcastOp(x, i32), lambda x: [c := arith.BitcastOp(x, i32), arith.BitcastOp(c, f32)]],
    )
    assert bits.tolist() == values.view(np.int32).tolist()
    assert back.view(np.int32).tolist() == values.view(np.int32).tolist()
    values = samples(f64)
    (bits,) = compute([values], [f64], [lambda x: arith.BitcastOp(x, i64)])
    assert bits.tolist() == values.view(np.int64).tolist()


def test_double_to_float_and_back():
    values = samples(f64)
    narrow, wide = compute(
        [values],
        [f64],
        [lambda x: arith.TruncFOp(x, f32), lambda x: [c := arith.TruncFOp(x, f32), arith.ExtFOp(c, f64)]],
    )
    with np.errstate(over="ignore"):
        expected = values.astype(np.float32)
    assert_same(narrow, expected)
    assert_same(wide, expected.astype(np.float64))


# half and bfloat16


def bfloat16_bits(values: Array) -> Array:
    """Doubles rounded to bfloat16 once, to nearest even, by exact arithmetic."""
    return np.array([_bfloat16(float(value)) for value in values], dtype=np.uint16)


def _bfloat16(value: float) -> int:
    sign = 0x8000 if math.copysign(1, value) < 0 else 0
    value = abs(value)
    if math.isnan(value):
        return 0x7FC0
    if math.isinf(value):
        return sign | 0x7F80
    exponent = max(math.frexp(value)[1] - 1, -126) if value else -126
    scaled = value * 2.0 ** (7 - exponent)
    # Python rounds to nearest even; the carry runs into the exponent as it should.
    number = round(scaled) + ((exponent + 126) << 7)
    return sign | min(number, 0x7F80)


def from_bfloat16(bits: Array) -> Array:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def test_half_conversions_round_once():
    # Between two halves, and a little more than a double holds beyond what a float does.
    values = np.concatenate(
        [samples(f64), [1.0 + 2.0**-11 + 2.0**-40, 1.0 + 2.0**-11, 2049.0 + 2.0**-30, 65519.99, 65520.0]]
    )
    from_double, from_float = compute(
        [values],
        [f64],
        [lambda x: arith.TruncFOp(x, f16), lambda x: [c := arith.TruncFOp(x, f32), arith.TruncFOp(c, f16)]],
    )
    with np.errstate(over="ignore"):
        assert_same(from_double, values.astype(np.float16))
        assert_same(from_float, values.astype(np.float32).astype(np.float16))
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    as_float, as_double = compute([halves], [f16], [lambda x: arith.ExtFOp(x, f32), lambda x: arith.ExtFOp(x, f64)])
    assert_same(as_float, halves.astype(np.float32))
    assert_same(as_double, halves.astype(np.float64))


def test_bfloat16_conversions_round_once():
    values = np.concatenate(
        [samples(f64), [1.0 + 2.0**-8 + 2.0**-40, 1.0 + 2.0**-8, 1.0 + 3 * 2.0**-8, 1e-40, -3e-41, 3.4e38]]
    )
    from_double, from_float = compute(
        [values],
        [f64],
        [lambda x: arith.TruncFOp(x, bf16), lambda x: [c := arith.TruncFOp(x, f32), arith.TruncFOp(c, bf16)]],
    )
    assert_same(from_bfloat16(from_double), from_bfloat16(bfloat16_bits(values)))
    with np.errstate(over="ignore"):
        assert_same(from_bfloat16(from_float), from_bfloat16(bfloat16_bits(values.astype(np.float32))))
    bits = np.arange(1 << 16, dtype=np.uint16)
    (as_float,) = compute([bits], [bf16], [lambda x: arith.ExtFOp(x, f32)])
    assert_same(as_float, from_bfloat16(bits))


def test_half_bitcasts_constants_and_selects():
    values = samples(f16)

    def build(x: SSAValue) -> list[Operation]:
        one = arith.ConstantOp.of(f16, -1.5)
        bits = arith.BitcastOp(x, i16)
        zero = arith.ConstantOp.of(i16, 0)
        negative = arith.CmpiOp(bits, zero, "slt")
        return [one, bits, zero, negative, arith.SelectOp(negative, one, x)]

    bits, chosen = compute([values], [f16], [lambda x: arith.BitcastOp(x, i16), build])
    assert bits.tolist() == values.view(np.int16).tolist()
    assert_same(chosen, np.where(np.signbit(values), np.float16(-1.5), values))


SMALL_BINARY: dict[Any, Callable[[Array, Array], Array]] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    cuda.PreciseDivOp: np.divide,
    arith.MaxnumfOp: extremum(number_wins(max)),
    arith.MinimumfOp: extremum(nan_wins(min)),
}


@pytest.mark.parametrize("type", [f16, bf16])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arithmetic_on_small_floats_is_rounded_each_time(type: Any):
    if type == f16:
        values = samples(f16)
        as_float = values.astype(np.float32)
    else:
        values = bfloat16_bits(samples(f64))
        as_float = from_bfloat16(values)
    lhs, rhs = pairs(values)
    lhs_float, rhs_float = pairs(as_float)
    builds: list[Any] = [*SMALL_BINARY, comparison("olt"), negated_first, absolute_second]
    function = elementwise_kernel([type, type], builds)
    module = ModuleOp([function])
    ExpandSmallFloats().apply(None, module)  # pyright: ignore[reportArgumentType]
    count = -(-len(lhs) // 32) * 32
    inputs = [np.resize(lhs, count).copy(), np.resize(rhs, count).copy()]
    outputs = [np.zeros(count, DTYPES[type]) for _ in SMALL_BINARY]
    less, negated, absolute = np.zeros(count, np.bool_), np.zeros(count, DTYPES[type]), np.zeros(count, DTYPES[type])
    launch(module, count // 32, *inputs, *outputs, less, negated, absolute)
    for (op, expected), output in zip(SMALL_BINARY.items(), outputs, strict=True):
        # A double holds the exact result or one that rounds to the same small float.
        exact = expected(lhs_float.astype(np.float64), rhs_float.astype(np.float64))
        found = output[: len(lhs)]
        if type == f16:
            assert_same(found, exact.astype(np.float16), op.name)
        else:
            assert_same(from_bfloat16(found), from_bfloat16(bfloat16_bits(exact)), op.name)
    assert less[: len(lhs)].tolist() == (lhs_float < rhs_float).tolist()
    as_bits = lhs.view(np.uint16)
    assert negated[: len(lhs)].view(np.uint16).tolist() == (as_bits ^ 0x8000).tolist()
    assert absolute[: len(lhs)].view(np.uint16).tolist() == (rhs.view(np.uint16) & 0x7FFF).tolist()


@pytest.mark.parametrize("type", [f16, bf16])
def test_integers_to_small_floats_round_once(type: Any):
    # 1 + 2**-8 + 2**-26 in units of 2**26: f32 rounds it to a tie between two bfloat16 numbers.
    values = np.array(
        [0, 1, -1, 2049, 2051, 65519, 65520, -65520, (1 << 26) + (1 << 18) + 1, -(1 << 26) - (1 << 18) - 1], np.int32
    )
    function = elementwise_kernel([i32], [lambda x: arith.SIToFPOp(x, type)])
    module = ModuleOp([function])
    ExpandSmallFloats().apply(None, module)  # pyright: ignore[reportArgumentType]
    output = np.zeros(32, DTYPES[type])
    launch(module, 1, np.resize(values, 32).copy(), output)
    found = output[: len(values)]
    if type == f16:
        with np.errstate(over="ignore"):
            assert_same(found, values.astype(np.float64).astype(np.float16))
    else:
        assert_same(from_bfloat16(found), from_bfloat16(bfloat16_bits(values.astype(np.float64))))
