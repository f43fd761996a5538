"""What a kernel prints and checks while it runs, barriers, and kernels that overlap."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import DeviceAssertionError
from mytriton.language.extra import cuda
from tests.kernels.harness import check, compiles

DEVICES = [("interpreter", 4), ("cpu", 1), ("cpu", 4)]
on_devices = pytest.mark.parametrize(("device", "num_warps"), DEVICES)


def _launch(device: str, kernel: Any, grid: tuple[int, ...], *args: Any, **options: Any) -> None:
    with triton.interpret() if device == "interpreter" else nullcontext():
        kernel[grid](*args, **options)


@triton.jit
def print_kernel(x_ptr, n, N: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    print("start 100%")
    tl.device_print("x", x)
    for j in range(2):
        tl.device_print("both: ", j + pid, x[:, None] + i[None, :])
    if n > 2:
        print("n", n)


def expected_lines(x: np.ndarray, pid: int, n: int) -> list[str]:
    table = x[:, None] + np.arange(x.size)[None, :].astype(x.dtype)
    lines = [f"pid ({pid}, 0, 0) start 100%", f"pid ({pid}, 0, 0) x: {x}"]
    for j in range(2):
        lines.append(f"pid ({pid}, 0, 0) both: {j + pid} (operand 0)")
        lines.append(f"pid ({pid}, 0, 0) both: {table} (operand 1)")
    return [*lines, f"pid ({pid}, 0, 0) n: {n}"] if n > 2 else lines


@on_devices
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.float64])
def test_each_value_is_printed_whole_in_the_order_of_the_programs(capsys, device: str, num_warps: int, dtype: Any):
    x = np.arange(6).astype(dtype) / dtype(1)
    _launch(device, print_kernel, (3,), x.astype(dtype), 5, 6, num_warps=num_warps)
    expected = [line for pid in range(3) for line in expected_lines(x.astype(dtype), pid, 5)]
    assert capsys.readouterr().out == "\n".join(expected) + "\n"


@triton.jit
def hex_kernel(bytes_ptr, words_ptr, floats_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("bytes", tl.load(bytes_ptr + i), hex=True)
    tl.device_print("words", tl.load(words_ptr + i), tl.load(words_ptr) > 0, hex=True)
    tl.device_print("floats", tl.load(floats_ptr + i), hex=True)
    tl.device_print("unsigned", tl.load(words_ptr + i).to(tl.uint32))


@on_devices
def test_hexadecimal_and_unsigned_numbers(capsys, device: str, num_warps: int):
    octets, words = np.array([1, 255], np.uint8), np.array([-1, 16], np.int32)
    _launch(device, hex_kernel, (1,), octets, words, np.array([0.5, 3], np.float32), 2, num_warps=num_warps)
    assert capsys.readouterr().out.splitlines() == [
        "pid (0, 0, 0) bytes: [0x01 0xff]",
        "pid (0, 0, 0) words: [0xffffffff 0x00000010] (operand 0)",
        "pid (0, 0, 0) words: 0x0 (operand 1)",
        "pid (0, 0, 0) floats: [0x1.0000000000000p-1 0x1.8000000000000p+1]",
        "pid (0, 0, 0) unsigned: [4294967295         16]",
    ]


@triton.jit
def values_kernel(x_ptr, N: tl.constexpr, DTYPE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N)).to(DTYPE)
    tl.device_print("x", x)
    tl.device_print("first", tl.load(x_ptr).to(DTYPE))


NUMBERS = [0.3, -1.5, 3, 1000]
PRINTED_DTYPES = [
    (tl.float16, np.array(NUMBERS, np.float16)),
    (tl.float32, np.array(NUMBERS, np.float32)),
    (tl.float64, np.array(NUMBERS, np.float32).astype(np.float64)),
    # Worked out by hand: the nearest number with 8, 4, 3 and 4 digits; above the last one that is a float8e4nv.
    (tl.bfloat16, np.array([0.30078125, -1.5, 3, 1000], np.float32)),
    (tl.float8e4nv, np.array([0.3125, -1.5, 3, 448], np.float32)),
    (tl.float8e5, np.array([0.3125, -1.5, 3, 1024], np.float32)),
    (tl.float8e4b15, np.array([0.3125, -1.5, 1.75, 1.75], np.float16)),
    (tl.int1, np.array([True, True, True, True])),
    (tl.int8, np.array([0, -1, 3, 127], np.int8)),
    (tl.int64, np.array([0, -1, 3, 1000])),
    (tl.uint8, np.array([0, 0, 3, 255], np.uint8)),
    (tl.uint64, np.array([0, 0, 3, 1000], np.uint64)),
]


@on_devices
@pytest.mark.parametrize(("dtype", "expected"), PRINTED_DTYPES, ids=lambda value: str(value).rpartition(".")[2][:20])
def test_values_of_every_dtype_look_as_in_numpy(capsys, device: str, num_warps: int, dtype: Any, expected: np.ndarray):
    _launch(device, values_kernel, (1,), np.array(NUMBERS, np.float32), 4, dtype, num_warps=num_warps)
    assert capsys.readouterr().out == f"pid (0, 0, 0) x: {expected}\npid (0, 0, 0) first: {expected[0]!s}\n"


@on_devices
def test_unsigned_numbers_above_all_signed_ones(capsys, device: str, num_warps: int):
    x = np.array([2**64 - 1, 2**63, 0, 1], np.uint64)
    _launch(device, values_kernel, (1,), x, 4, tl.uint64, num_warps=num_warps)
    assert capsys.readouterr().out == f"pid (0, 0, 0) x: {x}\npid (0, 0, 0) first: {2**64 - 1}\n"


@on_devices
def test_numpy_leaves_out_the_middle_of_a_large_tile(capsys, device: str, num_warps: int):
    x = np.arange(1500, dtype=np.int32)
    _launch(device, values_kernel, (1,), x, 1500, tl.int32, num_warps=num_warps)
    assert capsys.readouterr().out.splitlines()[0] == "pid (0, 0, 0) x: [   0    1    2 ... 1497 1498 1499]"
    with np.printoptions(threshold=2000):
        _launch(device, values_kernel, (1,), x, 1500, tl.int32, num_warps=num_warps)
        assert capsys.readouterr().out.startswith(f"pid (0, 0, 0) x: {x}\n")


@triton.jit
def pointers_kernel(x_ptr, N: tl.constexpr):
    tl.device_print("at", x_ptr, x_ptr + tl.arange(0, N))


@on_devices
@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_pointers_are_addresses(capsys, device: str, num_warps: int, dtype: Any):
    x = np.zeros(3, dtype)
    _launch(device, pointers_kernel, (1,), x, 3, num_warps=num_warps)
    addresses = [f"0x{x.ctypes.data + i * x.itemsize:016x}" for i in range(3)]
    assert capsys.readouterr().out.splitlines() == [
        f"pid (0, 0, 0) at: {addresses[0]} (operand 0)",
        f"pid (0, 0, 0) at: [{' '.join(addresses)}] (operand 1)",
    ]


@triton.jit
def checked(x, bound, mask):
    tl.device_assert(x < bound, "too large", mask=mask)
    return x


@triton.jit
def nested_check_kernel(x_ptr, out_ptr, bound, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if n > 0:
        for _ in range(2):
            x = checked(x, bound, i < n)
    tl.store(out_ptr + i, x)


CHECKED = [
    (np.float16, 5, "nan", "5.0"),
    (np.uint64, 5, str(2**64 - 1), "5"),
    (np.int8, 5, "100", "5"),
    (np.float64, 4.5, "4.5", "4.5"),
]


@on_devices
@pytest.mark.parametrize(("dtype", "bound", "left", "right"), CHECKED)
def test_assertions_in_functions_and_under_masks(
    device: str, num_warps: int, dtype: Any, bound: float, left: str, right: str
):
    x = np.array([0, 1, 2, 3, 0, 0, 0, 0]).astype(dtype)
    x[5], out = dtype(left), np.zeros_like(x)
    with pytest.raises(DeviceAssertionError) as error:
        _launch(device, nested_check_kernel, (2,), x, out, bound, 8, 4, debug=True, num_warps=num_warps)
    line = checked.fn.__code__.co_firstlineno + 2
    assert f"test_messages.py:{line}" in str(error.value) and str(error.value).count("test_messages.py") == 1
    assert f"too large [program (1, 0, 0), element (1): {left} < {right} is false]" in str(error.value)
    # The next launch is as ever: the element has a false mask.
    _launch(device, nested_check_kernel, (2,), x, out, bound, 5, 4, debug=True, num_warps=num_warps)
    np.testing.assert_array_equal(out, x)


@triton.jit
def check_kernel(x_ptr, n, N: tl.constexpr):
    offsets = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.device_assert(x < n, "x is too large")
    tl.store(x_ptr + offsets, x + 1)


@on_devices
def test_assertion_tells_where_it_does_not_hold(device: str, num_warps: int):
    x = np.arange(40, dtype=np.int32)
    with pytest.raises(DeviceAssertionError) as error:
        _launch(device, check_kernel, (4,), x, 27, 10, debug=True, num_warps=num_warps)
    line = check_kernel.fn.__code__.co_firstlineno + 4
    assert f"test_messages.py:{line}" in str(error.value)
    assert "x is too large [program (2, 0, 0), element (7): 27 < 27 is false]" in str(error.value)
    assert isinstance(error.value, AssertionError) and isinstance(error.value, triton.LaunchError)
    # What comes after a condition that does not hold is not run in that program.
    assert x[27] == 27


@on_devices
def test_assertions_are_compiled_only_for_debugging(device: str, num_warps: int):
    x = np.arange(40, dtype=np.int32)
    _launch(device, check_kernel, (4,), x, 27, 10, num_warps=num_warps)
    np.testing.assert_array_equal(x, np.arange(40) + 1)
    assert "assert" not in check_kernel.warmup("*i32", "i32", grid=(1,), N=16).asm["cuda"].replace("device_assert", "")


@triton.jit(debug=True)
def statement_kernel(x_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    assert n > 0, "n must be positive"
    assert (x >= 0) & (i < n), "x"
    x.device_assert("x is zero", mask=i < 2)
    total = tl.sum(x, 0)
    tl.store(x_ptr, total)


@on_devices
@pytest.mark.parametrize(
    ("values", "n", "message"),
    [
        ([1, 2, 0, 0, 0], 5, None),
        ([1, 2, 0, 0, 0], -3, r"n must be positive \[program \(0, 0, 0\): -3 > 0 is false\]"),
        ([1, 2, 0, -1, 0], 5, r"device assertion failed: x \[program \(0, 0, 0\), element \(3\)\]"),
        ([1, 2, 0, 0, 0], 4, r"device assertion failed: x \[program \(0, 0, 0\), element \(4\)\]"),
        ([1, 0, 0, 0, 0], 5, r"x is zero \[program \(0, 0, 0\), element \(1\): 0 != 0 is false\]"),
    ],
)
def test_statements_methods_and_masks(device: str, num_warps: int, values: list[int], n: int, message: str | None):
    x = np.array(values, np.int32)
    with pytest.raises(DeviceAssertionError, match=message) if message else nullcontext():
        _launch(device, statement_kernel, (1,), x, n, 5, num_warps=num_warps)
    if message is None:
        assert x[0] == sum(values)


@triton.jit
def fatal_print_kernel(x_ptr):
    tl.device_print("before")
    tl.device_assert(tl.load(x_ptr) > 0)
    tl.device_print("after")


@on_devices
def test_what_was_printed_before_a_failure_is_shown(capsys, device: str, num_warps: int):
    with pytest.raises(DeviceAssertionError, match=r"0\.0 > 0\.0 is false"):
        _launch(device, fatal_print_kernel, (1,), np.zeros(1, np.float32), debug=True, num_warps=num_warps)
    assert capsys.readouterr().out == "pid (0, 0, 0) before\n"


def test_nvrtc_compiles_messages():
    compiles(print_kernel, "*fp16", "i32", N=64)
    compiles(hex_kernel, "*u8", "*i32", "*fp32", N=64)
    compiles(statement_kernel, "*i32", "i32", N=100)


@triton.jit
def bad_prefix_kernel(x_ptr):
    tl.device_print(tl.load(x_ptr))


@triton.jit
def bad_letter_kernel(x_ptr):
    print("ä", tl.load(x_ptr))


@triton.jit
def bad_message_kernel(x_ptr):
    tl.device_assert(tl.load(x_ptr) > 0, 3)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [(bad_prefix_kernel, "is a text, found"), (bad_letter_kernel, "ASCII"), (bad_message_kernel, "message of an")],
)
def test_refusals(kernel: Any, message: str):
    with pytest.raises(triton.CompilationError, match=message):
        kernel.warmup("*fp32", grid=(1,))


# Barriers, and kernels that overlap


@triton.jit
def reverse_kernel(x_ptr, scratch_ptr, out_ptr, N: tl.constexpr):
    cuda.gdc_wait()
    i = tl.arange(0, N)
    tl.store(scratch_ptr + i, tl.load(x_ptr + i))
    tl.debug_barrier()
    tl.store(out_ptr + i, tl.load(scratch_ptr + (N - 1 - i)))
    tl.extra.cuda.gdc_launch_dependents()


def test_a_barrier_makes_stores_visible_to_the_other_threads():
    x, scratch = np.arange(512, dtype=np.int32), np.zeros(512, np.int32)
    check(reverse_kernel, (1,), [x, scratch], [np.empty(512, np.int32)], [x[::-1].copy()], N=512)
    text = reverse_kernel.warmup("*i32", "*i32", "*i32", grid=(1,), N=512).asm["cuda"]
    assert text.count("__syncthreads();") == 1
    compiles(reverse_kernel, "*i32", "*i32", "*i32", N=512)


def test_grid_dependencies_are_ptx_from_sm_90_on():
    for arch, count in (("sm_80", 0), ("sm_90", 2)):
        compiled = reverse_kernel.warmup("*i32", "*i32", "*i32", grid=(1,), N=512, arch=arch)
        try:
            ptx = compiled.asm["ptx"]
        except triton.NvrtcMissingError as error:
            pytest.skip(f"NVRTC is not installed: {error}")
        assert ptx.count("griddepcontrol.") == count


@triton.jit
def sizes_kernel(out_ptr):
    tl.store(out_ptr, cuda.num_warps())
    tl.store(out_ptr + 1, cuda.num_threads())
    tl.store(out_ptr + 2, (cuda.globaltimer() > 0).to(tl.int32))
    tl.store(out_ptr + 3, cuda.smid() * 0)


@on_devices
def test_sizes_and_the_clock(device: str, num_warps: int):
    out = np.full(4, -1, np.int32)
    _launch(device, sizes_kernel, (1,), out, num_warps=num_warps)
    assert out.tolist() == [num_warps, 32 * num_warps, 1, 0]
    compiles(sizes_kernel, "*i32")
