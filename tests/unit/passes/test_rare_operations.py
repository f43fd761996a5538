"""Operations of `arith` and `math` that only text has, and flags that promise something, on the CPU device and not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mytriton as triton
from mytriton.ttir import parse_module, print_module

SIZE = 64
Operands = dict[str, Any]


def kernel_text(lines: str, operands: dict[str, str], results: dict[str, str]) -> str:
    """A kernel that loads `%a`, ... of the given element types, runs the lines, and stores `%r`, ..."""
    parts = [f"%at = tt.make_range {{end = {SIZE} : i32, start = 0 : i32}} : tensor<{SIZE}xi32>"]
    for name, element in (operands | results).items():
        pointers = f"tensor<{SIZE}x!tt.ptr<{element}>>"
        parts.append(f"%{name}_p = tt.splat %{name}_ptr : !tt.ptr<{element}> -> {pointers}")
        parts.append(f"%{name}_q = tt.addptr %{name}_p, %at : {pointers}, tensor<{SIZE}xi32>")
    parts += [f"%{name} = tt.load %{name}_q : tensor<{SIZE}x!tt.ptr<{element}>>" for name, element in operands.items()]
    parts.append(lines)
    parts += [f"tt.store %{name}_q, %{name} : tensor<{SIZE}x!tt.ptr<{element}>>" for name, element in results.items()]
    parameters = ", ".join(f"%{name}_ptr: !tt.ptr<{element}>" for name, element in (operands | results).items())
    return "\n".join([f"tt.func public @kernel({parameters}) {{", *parts, "tt.return", "}"])


def results_of(text: str, operands: list[Any], dtypes: list[Any]) -> list[list[Any]]:
    """What the CPU device and the interpreter compute, from the text as it is and as it is printed."""
    printed = print_module(parse_module(text))
    assert print_module(parse_module(printed)) == printed
    found: list[list[Any]] = []
    for source in (text, printed):
        outputs = [np.zeros(SIZE, dtype) for dtype in dtypes]
        triton.compile_ttir(source)[(1,)](*operands, *outputs)
        found.append(outputs)
    outputs = [np.zeros(SIZE, dtype) for dtype in dtypes]
    with triton.interpret():
        triton.compile_ttir(text)[(1,)](*operands, *outputs)
    return [*found, outputs]


def integers(dtype: str) -> tuple[Any, Any]:
    """Numbers of both signs, the ends of the range, and divisors that are not 0 and do not overflow."""
    limits = np.iinfo(dtype)
    random = np.random.default_rng(1)
    left = random.integers(limits.min, limits.max, SIZE, dtype=dtype, endpoint=True)
    right = random.integers(-9, 10, SIZE).astype(dtype)
    right[right == 0] = 3
    left[:4] = [limits.min, limits.max, 0, limits.min + 1]
    right[:4] = [2, limits.max, 7, 1]
    left[8:24] = random.integers(-30, 30, 16)
    return left, right


def wrapped(values: list[int], dtype: str) -> Any:
    bits = np.iinfo(dtype).bits
    return np.array([value % (1 << bits) for value in values], f"uint{bits}").view(dtype)


ELEMENTS = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"}


def numbers(array: Any, *, signed: bool) -> list[int]:
    return (array if signed else array.view(f"u{array.dtype.itemsize}")).tolist()


@pytest.mark.parametrize("dtype", ELEMENTS)
@pytest.mark.parametrize("name", ["ceildivsi", "ceildivui", "floordivsi"])
def test_rounded_divisions(name: str, dtype: str) -> None:
    element, (left, right) = ELEMENTS[dtype], integers(dtype)
    text = kernel_text(
        f"%r = arith.{name} %a, %b : tensor<{SIZE}x{element}>", {"a": element, "b": element}, {"r": element}
    )
    pairs = zip(numbers(left, signed="si" in name), numbers(right, signed="si" in name), strict=True)
    expected = wrapped([-(-a // b) if "ceil" in name else a // b for a, b in pairs], dtype)
    for (found,) in results_of(text, [left, right], [dtype]):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ELEMENTS)
@pytest.mark.parametrize("name", ["mulsi_extended", "mului_extended"])
def test_halves_of_products(name: str, dtype: str) -> None:
    element, (left, right) = ELEMENTS[dtype], integers(dtype)
    right[4:] = left[:-4]
    lines = f"%r, %s = arith.{name} %a, %b : tensor<{SIZE}x{element}>"
    text = kernel_text(lines, {"a": element, "b": element}, {"r": element, "s": element})
    signed, bits = "si" in name, np.iinfo(dtype).bits
    pairs = zip(numbers(left, signed=signed), numbers(right, signed=signed), strict=True)
    products = [a * b for a, b in pairs]
    for low, high in results_of(text, [left, right], [dtype, dtype]):
        np.testing.assert_array_equal(low, wrapped(products, dtype))
        np.testing.assert_array_equal(high, wrapped([product >> bits for product in products], dtype))


@pytest.mark.parametrize("dtype", ELEMENTS)
@pytest.mark.parametrize("name", ["addui_extended", "subui_extended"])
def test_sums_that_may_wrap(name: str, dtype: str) -> None:
    element, (left, right) = ELEMENTS[dtype], integers(dtype)
    tensor = f"tensor<{SIZE}x{element}>"
    lines = (
        f"%r, %c = arith.{name} %a, %b : {tensor}, tensor<{SIZE}xi1>\n"
        f"%s = arith.extui %c : tensor<{SIZE}xi1> to tensor<{SIZE}xi32>"
    )
    text = kernel_text(lines, {"a": element, "b": element}, {"r": element, "s": "i32"})
    pairs = list(zip(numbers(left, signed=False), numbers(right, signed=False), strict=True))
    totals = [a + b if "add" in name else a - b for a, b in pairs]
    for total, has_wrapped in results_of(text, [left, right], [dtype, "int32"]):
        np.testing.assert_array_equal(total, wrapped(totals, dtype))
        np.testing.assert_array_equal(has_wrapped, [not 0 <= value < 1 << np.iinfo(dtype).bits for value in totals])


FLAGS: dict[str, Callable[[Any, Any], Any]] = {
    "arith.divsi %a, %b exact : {i}": np.floor_divide,
    "arith.divui %a, %b exact : {i}": np.floor_divide,
    "arith.shrsi %a, %b exact : {i}": np.right_shift,
    "arith.shrui %a, %b exact : {i}": np.right_shift,
}
"""With operands for which they hold."""


@pytest.mark.parametrize("operation", FLAGS)
def test_flags_of_exact_operations(operation: str) -> None:
    right: Any = np.arange(SIZE, dtype=np.int32) % 4 + 1
    left: Any = np.arange(SIZE, dtype=np.int32) * (right if "div" in operation else 1 << right)
    text = kernel_text("%r = " + operation.format(i=f"tensor<{SIZE}xi32>"), {"a": "i32", "b": "i32"}, {"r": "i32"})
    for (found,) in results_of(text, [left, right], ["int32"]):
        np.testing.assert_array_equal(found, FLAGS[operation](left, right))


def test_flags_of_casts() -> None:
    values = np.arange(SIZE, dtype=np.int32) * 3
    i32, i64, i16, f32, f16 = (f"tensor<{SIZE}x{element}>" for element in ("i32", "i64", "i16", "f32", "f16"))
    lines = (
        f"%r = arith.extui %a nneg : {i32} to {i64}\n%s = arith.uitofp %a nneg : {i32} to {f32}\n"
        f"%t = arith.trunci %a overflow<nsw> : {i32} to {i16}\n"
        f"%h = arith.truncf %s fastmath<fast> : {f32} to {f16}\n%u = arith.extf %h fastmath<contract> : {f16} to {f32}"
    )
    text = kernel_text(lines, {"a": "i32"}, {"r": "i64", "s": "f32", "t": "i16", "u": "f32"})
    for found in results_of(text, [values], ["int64", "float32", "int16", "float32"]):
        for one in found:
            np.testing.assert_array_equal(one, values)


def test_unsigned_index_casts() -> None:
    lines = (
        "%x = arith.constant -2 : i32\n%y = arith.index_castui %x : i32 to index\n"
        f"%z = arith.index_castui %y : index to i64\n%r = tt.splat %z : i64 -> tensor<{SIZE}xi64>"
    )
    for (found,) in results_of(kernel_text(lines, {}, {"r": "i64"}), [], ["int64"]):
        assert set(found.tolist()) == {(1 << 32) - 2}


DTYPES = {"float16": "f16", "float32": "f32", "float64": "f64"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_kinds_of_floats(dtype: str) -> None:
    limits, element = np.finfo(dtype), DTYPES[dtype]
    normal, largest = float(limits.smallest_normal), float(limits.max)
    special = [
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        normal,
        -normal,
        normal / 2,
        -normal / 4,
        largest,
        -largest,
        1.0,
    ]
    values = np.resize(np.array(special, dtype), SIZE)
    expected = {
        "isnan": [False] * 4 + [True] + [False] * 7,
        "isinf": [False] * 2 + [True] * 2 + [False] * 8,
        "isfinite": [True] * 2 + [False] * 3 + [True] * 7,
        "isnormal": [False] * 5 + [True] * 2 + [False] * 2 + [True] * 3,
    }
    for name, wanted in expected.items():
        lines = (
            f"%c = math.{name} %a : tensor<{SIZE}x{element}>\n"
            f"%r = arith.extui %c : tensor<{SIZE}xi1> to tensor<{SIZE}xi32>"
        )
        for (found,) in results_of(kernel_text(lines, {"a": element}, {"r": "i32"}), [values], ["int32"]):
            np.testing.assert_array_equal(found, np.resize(np.array(wanted, np.int32), SIZE), err_msg=name)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_floats(dtype: str) -> None:
    element, values = DTYPES[dtype], np.linspace(-2, 2, SIZE).astype(dtype)
    tensor = f"tensor<{SIZE}x{element}>"
    lines = (
        f"%low = arith.constant dense<-0.5> : {tensor}\n%high = arith.constant dense<1.0> : {tensor}\n"
        f"%r = math.clampf %a to [%low, %high] : {tensor}\n%t = math.erfc %a : {tensor}"
    )
    results = {"r": element, "t": element}
    wanted = [np.clip(values, -0.5, 1.0), [math.erfc(float(value)) for value in values]]
    if dtype != "float16":
        lines += f"\n%s, %u = math.sincos %a fastmath<contract> : {tensor}"
        results |= {"s": element, "u": element}
        wanted += [np.sin(values), np.cos(values)]
    tolerance = {"float16": 1e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
    for found in results_of(kernel_text(lines, {"a": element}, results), [values], [dtype] * len(results)):
        for one, expected in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one.astype(np.float64), np.asarray(expected, np.float64), tolerance, tolerance)


def test_floats_of_one_width() -> None:
    values = np.array([1.0, 1.00390625, 3.140625, -65504.0] * (SIZE // 4), np.float16)
    f16, bf16, f32 = (f"tensor<{SIZE}x{element}>" for element in ("f16", "bf16", "f32"))
    lines = f"%b = arith.convertf %a : {f16} to {bf16}\n%r = arith.extf %b : {bf16} to {f32}"
    for (found,) in results_of(kernel_text(lines, {"a": "f16"}, {"r": "f32"}), [values], ["float32"]):
        # 8 bits of precision: 1 + 2**-8 is halfway and goes to the even 1, 65504 to 65536.
        np.testing.assert_array_equal(found, np.array([1.0, 1.0, 3.140625, -65536.0] * (SIZE // 4), np.float32))


def test_flushing_is_refused() -> None:
    text = kernel_text(f"%r = arith.flush_denormals %a : tensor<{SIZE}xf32>", {"a": "f32"}, {"r": "f32"})
    with pytest.raises(triton.PassError, match=r"arith\.flush_denormals is not supported"):
        triton.compile_ttir(text)


SWITCH = """
%x = arith.index_cast %n : i32 to index
%r0, %s = scf.index_switch %x -> i32, i32
case 2 {
  scf.yield %c7, %n : i32, i32
}
case 5 {
  %t = arith.addi %n, %c7 : i32
  scf.yield %t, %c7 : i32, i32
}
default {
  scf.yield %n, %n : i32, i32
}
%u = scf.execute_region -> i32 {
  %v = arith.muli %r0, %c7 : i32
  scf.yield %v : i32
}
%w = arith.addi %u, %s : i32
"""


def test_switches_and_regions() -> None:
    text = (
        "tt.func public @kernel(%n: i32, %out: !tt.ptr<i32>) {\n%c7 = arith.constant 7 : i32\n"
        f"{SWITCH}tt.store %out, %w : !tt.ptr<i32>\ntt.return\n}}"
    )
    kernel = triton.compile_ttir(text)
    for n, (first, second) in {2: (7, 2), 5: (12, 7), 0: (0, 0), -1: (-1, -1)}.items():
        out = np.zeros(1, np.int32)
        kernel[(1,)](n, out)
        assert out[0] == first * 7 + second
        with triton.interpret():
            kernel[(1,)](n, out := np.zeros(1, np.int32))
        assert out[0] == first * 7 + second


def test_blocks_of_a_region_are_refused() -> None:
    text = """tt.func public @kernel(%out: !tt.ptr<i32>) {
%c7 = arith.constant 7 : i32
%u = scf.execute_region -> i32 {
  cf.br ^next
^next:
  scf.yield %c7 : i32
}
tt.store %out, %u : !tt.ptr<i32>
tt.return
}"""
    with pytest.raises(triton.PassError, match=r"branches between the blocks of scf\.execute_region"):
        triton.compile_ttir(text)
