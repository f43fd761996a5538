"""Every function of libdevice in each of its forms: the interpreter and the CPU device agree, and NVRTC accepts it."""

from __future__ import annotations

import importlib.util
import itertools
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.language.extra import libdevice
from mytriton.language.extra.cuda import libdevice as cuda_libdevice
from mytriton.libdevice import FUNCTIONS
from tests.kernels.harness import ARCHITECTURES, check, compiles

DTYPES = {
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "fp32": np.float32,
    "fp64": np.float64,
}
POINTERS = {"int32": "*i32", "uint32": "*u32", "int64": "*i64", "uint64": "*u64", "fp32": "*fp32", "fp64": "*fp64"}
COUNT = 64

FORMS: dict[tuple[str, ...], list[tuple[str, str]]] = {}
for _name, _overloads in FUNCTIONS.items():
    for _overload in _overloads:
        FORMS.setdefault(_overload.operands, []).append((_name, _overload.result))


def _source(operands: tuple[str, ...]) -> str:
    """A kernel that calls every function with such operands."""
    names = [f"x{index}" for index in range(len(operands))]
    lines = [f"def kernel({', '.join(f'{name}_ptr' for name in names)}, floats_ptr, integers_ptr, N: tl.constexpr):"]
    lines += ["    i = tl.arange(0, N)"]
    lines += [f"    {name} = tl.load({name}_ptr + i)" for name in names]
    for row, (function, result) in enumerate(FORMS[operands]):
        output, dtype = ("floats", "float64") if result.startswith("fp") else ("integers", "int64")
        value = f"libdevice.{function}({', '.join(names)}).to(tl.{dtype})"
        lines.append(f"    tl.store({output}_ptr + {row} * N + i, {value})")
    imports = (
        "import mytriton as triton\nimport mytriton.language as tl\nfrom mytriton.language.extra import libdevice\n"
    )
    return f"{imports}\n\n@triton.jit\n{chr(10).join(lines)}\n"


def _module(path: Path, text: str) -> ModuleType:
    path.write_text(text, encoding="utf-8")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def _values(dtype: str, seed: int) -> np.ndarray:
    """Numbers of all magnitudes, with the special ones in front."""
    random = np.random.default_rng(seed)
    if dtype.startswith("fp"):
        kind = DTYPES[dtype]
        special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, np.inf, -np.inf, np.nan, float(np.finfo(kind).max)]
        usual = random.uniform(-4, 4, COUNT - len(special) - 10)
        return np.concatenate([special, usual, random.normal(size=10) * 1e4]).astype(kind)
    limits = np.iinfo(DTYPES[dtype])
    special = [0, 1, 2, 3, limits.max, limits.min, limits.max - 1, limits.max // 3]
    usual = random.integers(limits.min, limits.max, COUNT - len(special), DTYPES[dtype], endpoint=True)
    return np.concatenate([np.array(special, DTYPES[dtype]), usual])


def _inputs(operands: tuple[str, ...]) -> list[np.ndarray]:
    inputs = [_values(dtype, seed) for seed, dtype in enumerate(operands)]
    # Every special value meets others than itself.
    return [np.roll(values, 5 * index) for index, values in enumerate(inputs)]


EXACT = ("_rn", "_rz", "_rd", "_ru")


@pytest.mark.parametrize("operands", FORMS, ids="-".join)
def test_the_devices_agree(operands: tuple[str, ...], tmp_path: Path):
    kernel = _module(tmp_path / "all_functions.py", _source(operands)).kernel
    inputs = _inputs(operands)
    if operands in (("int32", "fp32"), ("int32", "fp64")):
        # The orders of Bessel functions; between their zeros and where they are finite.
        inputs = [np.arange(COUNT, dtype=np.int32) % 4, np.linspace(0.3, 12, COUNT).astype(inputs[1].dtype)]
    results: list[tuple[np.ndarray, np.ndarray]] = []
    for interpreting in (False, True):
        floats = np.zeros((len(FORMS[operands]), COUNT), np.float64)
        integers = np.zeros((len(FORMS[operands]), COUNT), np.int64)
        if interpreting:
            with triton.interpret():
                kernel[(1,)](*inputs, floats, integers, COUNT)
        else:
            kernel[(1,)](*inputs, floats, integers, COUNT, num_warps=2)
        results.append((floats, integers))
    is_single = "fp64" not in operands
    for row, (name, result) in enumerate(FORMS[operands]):
        if result.startswith(("int", "uint")):
            np.testing.assert_array_equal(results[0][1][row], results[1][1][row], err_msg=name)
            continue
        exact = name.endswith(EXACT) and name != "rsqrt_rn"
        np.testing.assert_allclose(
            results[0][0][row],
            results[1][0][row],
            rtol=0 if exact else 4e-6 if is_single or name == "rcp64h" else 1e-11,
            atol=0 if exact else 1e-6 if is_single else 1e-12,
            err_msg=name,
        )
        if exact:
            signs = [np.signbit(np.where(np.isnan(r[0][row]), 0, r[0][row])) for r in results]
            np.testing.assert_array_equal(*signs, err_msg=name)


@pytest.mark.parametrize("operands", FORMS, ids="-".join)
def test_nvrtc_compiles_them(operands: tuple[str, ...], tmp_path: Path):
    kernel = _module(tmp_path / "all_functions.py", _source(operands)).kernel
    signature = [POINTERS[operand] for operand in operands]
    for arch in ARCHITECTURES if len(operands) == 3 else ARCHITECTURES[:1]:
        compiled = kernel.warmup(*signature, "*fp64", "*i64", grid=(1,), arch=arch, N=COUNT)
        try:
            assert compiled.asm["ptx"]
        except triton.NvrtcMissingError as error:
            pytest.skip(f"NVRTC is not installed: {error}")


# Values that are known


@triton.jit
def special_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, libdevice.erfinv(x))
    tl.store(out_ptr + N + i, libdevice.normcdf(x))
    tl.store(out_ptr + 2 * N + i, libdevice.j0(x))
    tl.store(out_ptr + 3 * N + i, libdevice.cyl_bessel_i1(x))
    tl.store(out_ptr + 4 * N + i, libdevice.erfcx(x))
    tl.store(out_ptr + 5 * N + i, libdevice.y0(x))


def test_special_functions_have_the_values_of_the_tables():
    x = np.array([0.25, 0.5], np.float64)
    table = [
        [0.2253120550121781, 0.4769362762044699],
        [0.5987063256829237, 0.6914624612740131],
        [0.9844359292958527, 0.9384698072408130],
        [0.1259791089454679, 0.2578943053908963],
        [0.7703465477309967, 0.6156903441929259],
        [-0.9315730249300586, -0.4445187335067066],
    ]
    expected = np.array(table)
    check(special_kernel, (1,), [x], [np.empty((6, 2))], [expected], num_warps=(1,), rtol=1e-13, atol=0, N=2)


@triton.jit
def bits_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, cuda_libdevice.clz(x))
    tl.store(out_ptr + N + i, tl.extra.cuda.libdevice.popc(x))
    tl.store(out_ptr + 2 * N + i, tl.extra.libdevice.ffs(x))
    tl.store(out_ptr + 3 * N + i, libdevice.brev(x))
    tl.store(out_ptr + 4 * N + i, libdevice.mulhi(x, x))


def test_bits():
    x = np.array([0, 1, 0x50, -1], np.int32)
    rows = [[32, 31, 25, 0], [0, 1, 2, 32], [0, 1, 5, 1], [0, -(1 << 31), 0x0A000000, -1], [0, 0, 0, 0]]
    check(bits_kernel, (1,), [x], [np.empty((5, 4), np.int32)], [np.array(rows, np.int32)], N=4)
    compiles(bits_kernel, "*i32", "*i32", N=1024)


@triton.jit
def scalar_kernel(out_ptr, x, n):
    tl.store(out_ptr, libdevice.pow(x, 2))
    tl.store(out_ptr + 1, libdevice.pow(2.0, x))
    tl.store(out_ptr + 2, libdevice.ldexp(x, n))
    tl.store(out_ptr + 3, libdevice.isinf(x))


def test_scalars_and_numbers():
    expected = np.array([9.0, 8.0, 48.0, 0.0], np.float32)
    check(scalar_kernel, (1,), [3.0, 4], [np.empty(4, np.float32)], [expected], num_warps=(1, 4), order=(2, 0, 1))


@triton.jit
def broadcast_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i[:, None] * N + i[None, :], libdevice.hypot(x[:, None], y[None, :]))


def test_operands_broadcast():
    x, y = np.arange(8, dtype=np.float32), np.arange(8, dtype=np.float32) + 1
    expected = np.hypot(x[:, None], y[None, :])
    check(broadcast_kernel, (1,), [x, y], [np.empty((8, 8), np.float32)], [expected], N=8)


# What is refused


@triton.jit
def half_kernel(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, libdevice.tanh(tl.load(x_ptr + i)))


@triton.jit
def unknown_kernel(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, libdevice.tanhh(tl.load(x_ptr)))


@triton.jit
def two_arguments_kernel(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, libdevice.tanh(tl.load(x_ptr), 1))


@pytest.mark.parametrize(
    ("kernel", "pointer", "message"),
    [
        (half_kernel, "*fp16", r"libdevice.tanh takes \(fp32\) or \(fp64\), found \(fp16\)"),
        (unknown_kernel, "*fp32", "tanhh"),
        (two_arguments_kernel, "*fp32", "too many positional arguments"),
    ],
)
def test_refusals(kernel: Any, pointer: str, message: str):
    with pytest.raises(triton.CompilationError, match=message):
        kernel.warmup(pointer, grid=(1,), N=16)


# Powers


@triton.jit
def power_kernel(x_ptr, y_ptr, out_ptr, square_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, x**y)
    tl.store(square_ptr + i, x**2 + x**-1 + 2**x + pow(x, 0.5))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_powers_of_floats(dtype: Any):
    x, y = np.linspace(0.5, 3, 16).astype(dtype), np.linspace(-2, 2, 16).astype(dtype)
    wide, exponent = x.astype(np.float64), y.astype(np.float64)
    expected = [np.power(wide, exponent), wide**2 + wide**-1 + 2**wide + wide**0.5]
    tolerance = {np.float16: 4e-3, np.float32: 1e-5, np.float64: 1e-13}[dtype]
    check(
        power_kernel,
        (1,),
        [x, y],
        [np.empty(16, dtype), np.empty(16, dtype)],
        [value.astype(dtype) for value in expected],
        num_warps=(1, 4),
        rtol=tolerance,
        N=16,
    )
    pointer = {np.float16: "*fp16", np.float32: "*fp32", np.float64: "*fp64"}[dtype]
    compiles(power_kernel, *[pointer] * 4, N=1024)


@triton.jit
def integer_power_kernel(x_ptr, out_ptr, N: tl.constexpr, POWER: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i) ** POWER)


@pytest.mark.parametrize(("dtype", "power"), list(itertools.product((np.int32, np.int64, np.uint8), (0, 1, 2, 5, 13))))
def test_powers_of_integers_wrap(dtype: Any, power: int):
    x = np.arange(16).astype(dtype) - dtype(3) if dtype is not np.uint8 else np.arange(16).astype(dtype)
    bits = 8 * x.itemsize
    exact = [int(value) ** power % (1 << bits) for value in x]
    expected = np.array(exact, np.uint64).astype(f"u{x.itemsize}").view(dtype)
    check(integer_power_kernel, (1,), [x], [np.empty(16, dtype)], [expected], num_warps=(1,), N=16, POWER=power)


def test_a_negative_power_of_integers_is_refused():
    with pytest.raises(triton.CompilationError, match="not negative"):
        integer_power_kernel.warmup("*i32", "*i32", grid=(1,), N=16, POWER=-1)


def test_rounding_directions_enclose_the_exact_sum():
    tiny = math.ulp(1.0) / 4
    out = np.empty(3)
    enclosure_kernel[(1,)](np.array([1.0, tiny]), out)
    assert out[0] == out[2] == 1.0 and out[1] == 1.0 + math.ulp(1.0)


@triton.jit
def enclosure_kernel(x_ptr, out_ptr):
    x, y = tl.load(x_ptr), tl.load(x_ptr + 1)
    tl.store(out_ptr, libdevice.add_rd(x, y))
    tl.store(out_ptr + 1, libdevice.add_ru(x, y))
    tl.store(out_ptr + 2, libdevice.add_rz(x, y))
