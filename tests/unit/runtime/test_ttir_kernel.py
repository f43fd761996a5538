"""`compile_ttir`: kernels from TTIR, written by hand, launched on every device that needs no GPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
from mytriton.tools.tensor_descriptor import TensorDescriptor

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "vector_add.ttir"


def launch_everywhere(
    kernel: triton.TTIRKernel, grid: tuple[int, ...], out: np.ndarray, *args: Any
) -> list[np.ndarray]:
    """What `out`, which is also among the arguments, holds after a launch on the interpreter and on the CPU."""
    found: list[np.ndarray] = []
    before = out.copy()
    for context in (triton.interpret(), nullcontext()):
        out[...] = before
        with context:
            kernel[grid](*args)
        found.append(out.copy())
    return found


def test_a_file() -> None:
    kernel = triton.compile_ttir(EXAMPLE)
    assert kernel.name == "vector_add"
    x = np.arange(3000, dtype=np.float32)
    out = np.zeros_like(x)
    for found in launch_everywhere(kernel, (3,), out, x, x, out, x.size):
        np.testing.assert_array_equal(found, 2 * x)
    assert triton.compile_ttir(str(EXAMPLE)).asm["cuda"] == kernel.asm["cuda"]
    assert "tt.load" in kernel.asm["ttir"] and "#ttg.blocked" in kernel.asm["ttgir"]


def test_options() -> None:
    kernel = triton.compile_ttir(EXAMPLE, num_warps=8, arch="sm_90a")
    assert (kernel.num_warps, kernel.arch) == (8, "sm_90a")
    assert "__launch_bounds__(256)" in kernel.asm["cuda"]
    with pytest.raises(triton.OptionError, match="no option 'warps'"):
        triton.compile_ttir(EXAMPLE, warps=8)


def test_triton_compile_takes_a_file() -> None:
    from mytriton.compiler import compile  # pyright: ignore[reportAttributeAccessIssue]

    assert compile(str(EXAMPLE)).name == "vector_add"


X = np.zeros(1024, np.float32)

WRONG_ARGUMENTS = {
    "takes 4 arguments, but 3 were given": (X, X, X),
    "takes an array of fp32 as 'x_ptr', found fp64": (X.astype(np.float64), X, X, 4),
    "takes an array of fp32 as 'y_ptr', found fp32": (X, 1.5, X, 4),
    "an address that 16 divides as 'out_ptr'": (X, X, X[1:], 4),
    "takes an integer of 32 bits as 'n', found 4294967296": (X, X, X, 2**32),
    "takes an integer as 'n', found float": (X, X, X, 1.5),
    "takes an integer as 'n', found ndarray": (X, X, X, X),
    "takes no tensor descriptor as argument 0": (TensorDescriptor(X, [4], [1], [4]), X, X, 4),
}


@pytest.mark.parametrize("message", WRONG_ARGUMENTS)
def test_wrong_arguments(message: str) -> None:
    with pytest.raises(triton.ArgumentError, match=message) as caught:
        triton.compile_ttir(EXAMPLE)[(1,)](*WRONG_ARGUMENTS[message])
    assert "vector_add(x_ptr: *fp32, y_ptr: *fp32, out_ptr: *fp32, n: i32)" in str(caught.value)


def test_a_read_only_array() -> None:
    out = np.zeros(1024, np.float32)
    out.flags.writeable = False
    with pytest.raises(triton.ArgumentError, match="read-only"):
        triton.compile_ttir(EXAMPLE)[(1,)](X, X, out, 4)


WRONG_TEXTS = {
    "": "expected one public function in t.ttir, found 0",
    "tt.func @a() {\n tt.return\n}\ntt.func @b() {\n tt.return\n}": "found 2: a, b; say which one with kernel=",
    "tt.func @a() -> i32 {\n %0 = arith.constant 1 : i32\n tt.return %0 : i32\n}": "returns values",
    "tt.func @a(%x: tensor<4xi32>) {\n tt.return\n}": "'x' is of the type tensor<4xi32>",
    "tt.func @a(%x: index) {\n tt.return\n}": "'x' is of the type index",
}


@pytest.mark.parametrize("text", WRONG_TEXTS)
def test_no_kernel(text: str) -> None:
    with pytest.raises(triton.ArgumentError, match=WRONG_TEXTS[text]):
        triton.compile_ttir(text or "module {}", filename="t.ttir")


def test_one_of_several_kernels() -> None:
    text = "\n".join(
        f"tt.func public @{name}(%p: !tt.ptr<i32>) {{\n %0 = arith.constant {number} : i32\n"
        f" tt.store %p, %0 : !tt.ptr<i32>\n tt.return\n}}"
        for name, number in (("one", 1), ("two", 2))
    )
    kernel = triton.compile_ttir(text, kernel="two")
    assert kernel.name == "two" and "one(" not in kernel.asm["cuda"]
    out = np.zeros(1, np.int32)
    assert [found[0] for found in launch_everywhere(kernel, (1,), out, out)] == [2, 2]
    with pytest.raises(triton.ArgumentError, match="no function 'three'; it has one, two"):
        triton.compile_ttir(text, kernel="three", filename="t.ttir")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(triton.ArgumentError, match=r"cannot read .*missing\.ttir': No such file"):
        triton.compile_ttir(tmp_path / "missing.ttir")
    (tmp_path / "bytes.ttir").write_bytes(b"\xff\xfe")
    with pytest.raises(triton.ArgumentError, match="not UTF-8"):
        triton.compile_ttir(tmp_path / "bytes.ttir")


def test_an_error_in_the_text() -> None:
    with pytest.raises(triton.CompilationError) as caught:
        triton.compile_ttir("tt.func @f(%x: i32) {\n  tt.return %y : i32\n}\n", filename="f.ttir")
    assert str(caught.value).startswith("f.ttir:2:13: error: %y is used but not defined\n  tt.return %y : i32\n")


def test_an_error_of_a_pass_shows_the_line() -> None:
    text = "tt.func @f(%c: i1) {\n  cf.br ^a\n^a:\n  cf.br ^a\n}\n"
    with pytest.raises(triton.PassError) as caught:
        triton.compile_ttir(text, filename="f.ttir")
    assert str(caught.value) == "f.ttir:4:3: error: this loop never ends [structure-branches]\n  cf.br ^a\n  ^"


def test_an_error_about_another_file_names_the_text_too() -> None:
    text = 'tt.func @f(%c: i1) {\n  cf.br ^a\n^a:\n  cf.br ^a loc("kernel.py":7:5)\n}\n'
    with pytest.raises(triton.PassError) as caught:
        triton.compile_ttir(text, filename="f.ttir")
    assert str(caught.value).splitlines() == [
        "kernel.py:7:5: error: this loop never ends [structure-branches]",
        "f.ttir:4:3: note: in the text that was read",
        '  cf.br ^a loc("kernel.py":7:5)',
        "  ^",
    ]


INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("signed", [True, False])
def test_integers_of_either_kind(name: str, signed: bool) -> None:
    """The text does not say whether an integer is signed: arrays and numbers of both kinds are taken."""
    kernel = triton.compile_ttir(
        f"tt.func @f(%p: !tt.ptr<{name}>, %x: {name}) {{\n tt.store %p, %x : !tt.ptr<{name}>\n tt.return\n}}"
    )
    dtype = np.dtype(INTEGERS[name]) if signed else np.dtype(name.replace("i", "uint"))
    out = np.zeros(1, dtype)
    for value in (np.iinfo(dtype).min, np.iinfo(dtype).max, 5):
        assert [int(found[0]) for found in launch_everywhere(kernel, (1,), out, out, value)] == [value, value]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_floats(dtype: str) -> None:
    kind = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}[dtype]
    text = f"tt.func @f(%p: !tt.ptr<{kind}>, %x: {kind}, %b: i1) {{\n tt.store %p, %x, %b : !tt.ptr<{kind}>\n"
    text += " tt.return\n}"
    out = np.zeros(1, ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    kernel = triton.compile_ttir(text)
    assert [float(found[0]) for found in launch_everywhere(kernel, (1,), out, out, -2.5, True)] == [-2.5, -2.5]
    out[:] = 1
    assert [float(found[0]) for found in launch_everywhere(kernel, (1,), out, out, 3, False)] == [1.0, 1.0]


COPY_TILES = """
tt.func public @copy(%d: !tt.tensordesc<8x16xf32>, %m: i32, %n: i32, %s: i64, %t: i64,
                     %p: !tt.ptr<f32>, %pm: i32, %pn: i32, %ps: i64, %pads: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %six = arith.constant 16 : i32
  %plain = tt.make_tensor_descriptor %p, [%pm, %pn], [%ps, %one] : <f32>, <8x16xf32>
  %nan = tt.make_tensor_descriptor %p, [%pm, %pn], [%ps, %one] {padding = 2 : i32} : <f32>, <8x16xf32>
  %e = arith.select %pads, %nan, %plain : !tt.tensordesc<8x16xf32>
  scf.for %j = %zero to %n step %six : i32 {
    %row = tt.get_program_id x : i32
    %eight = arith.constant 8 : i32
    %i = arith.muli %row, %eight : i32
    %x = tt.descriptor_load %e[%i, %j] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
    tt.descriptor_store %d[%i, %j], %x : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
  }
  tt.return
}
"""


@pytest.mark.parametrize("pads", [True, False])
@pytest.mark.parametrize("shape", [(16, 32), (13, 21), (3, 50)])
def test_descriptors(shape: tuple[int, int], pads: bool) -> None:
    """Tiles of a smaller array, with what is outside of it, into a larger one."""
    rows, columns = shape
    source = np.random.default_rng(0).standard_normal((max(1, rows - 2), max(1, columns - 5))).astype(np.float32)
    expected = np.full(shape, np.nan if pads else 0, np.float32)
    expected[: source.shape[0], : source.shape[1]] = source
    out = np.full(shape, 7, np.float32)
    described = TensorDescriptor(out, out.shape, (columns, 1), (8, 16))
    kernel = triton.compile_ttir(COPY_TILES)
    grid = (-(-rows // 8),)
    for found in launch_everywhere(kernel, grid, out, described, source, *source.shape, source.shape[1], pads):
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(triton.ArgumentError, match=r"takes tiles of \[8, 16\] as 'd', found \[4, 16\]"):
        kernel[grid](TensorDescriptor(out, shape, (columns, 1), (4, 16)), source, 1, 1, 1, True)
    with pytest.raises(triton.ArgumentError, match="padded with NaN"):
        kernel[grid](TensorDescriptor(out, shape, (columns, 1), (8, 16), "nan"), source, 1, 1, 1, True)


ROWS = """
tt.func public @rows(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %which: !tt.ptr<i32>, %m: i32, %n: i32, %column: i32) {
  %one = arith.constant 1 : i64
  %step = arith.extsi %n : i32 to i64
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %w = tt.splat %which : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %wp = tt.addptr %w, %range : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %rows = tt.load %wp : tensor<8x!tt.ptr<i32>>
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%step, %one] : <i32>, <1x16xsi32>
  %e = tt.make_tensor_descriptor %q, [%m, %n], [%step, %one] : <i32>, <1x16xsi32>
  %x = tt.descriptor_gather %d[%rows, %column] : (!tt.tensordesc<1x16xsi32>, tensor<8xi32>, i32) -> tensor<8x16xi32>
  tt.descriptor_scatter %e[%rows, %column], %x : !tt.tensordesc<1x16xsi32>, tensor<8xi32>, i32, tensor<8x16xi32>
  tt.return
}
"""


def test_rows_of_a_descriptor() -> None:
    source = np.arange(20 * 24, dtype=np.int32).reshape(20, 24)
    which = np.array([3, 19, 0, 7, 25, -1, 12, 13], np.int32)  # two of them are not there
    out = np.zeros_like(source)
    expected = np.zeros_like(source)
    inside = which[(which >= 0) & (which < 20)]
    expected[inside, 10:24] = source[inside, 10:24]
    for found in launch_everywhere(triton.compile_ttir(ROWS), (1,), out, source, out, which, 20, 24, 10):
        np.testing.assert_array_equal(found, expected)


def counted_up(old: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """What PTX says of `atom.inc`."""
    return np.where(old >= limit, 0, old + 1).astype(np.uint32)


def counted_down(old: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """What PTX says of `atom.dec`."""
    return np.where((old == 0) | (old > limit), limit, old - 1)


@pytest.mark.parametrize(
    ("kind", "element", "update"),
    [
        ("add", "i32", np.add),
        ("add", "f32", np.add),
        ("min", "si32", np.minimum),
        ("max", "ui32", np.maximum),
        ("and", "i32", np.bitwise_and),
        ("or", "i32", np.bitwise_or),
        ("xor", "i32", np.bitwise_xor),
        ("min", "f32", np.minimum),
        ("max", "f64", np.maximum),
        ("min", "f16", np.minimum),
        ("max", "f16", np.maximum),
        ("max", "bf16", np.maximum),
        ("inc", "ui32", counted_up),
        ("dec", "ui32", counted_down),
    ],
)
def test_reductions_of_a_descriptor(kind: str, element: str, update: Callable[..., np.ndarray]) -> None:
    plain = element.removeprefix("s").removeprefix("u")
    text = f"""
tt.func public @f(%d: !tt.tensordesc<16x{element}>, %n: i32, %s: i64, %x: !tt.ptr<{plain}>) {{
  %zero = arith.constant 5 : i32
  %r = tt.make_range {{end = 16 : i32, start = 0 : i32}} : tensor<16xi32>
  %b = tt.splat %x : !tt.ptr<{plain}> -> tensor<16x!tt.ptr<{plain}>>
  %p = tt.addptr %b, %r : tensor<16x!tt.ptr<{plain}>>, tensor<16xi32>
  %v = tt.load %p : tensor<16x!tt.ptr<{plain}>>
  tt.descriptor_reduce {kind}, %d[%zero], %v : !tt.tensordesc<16x{element}>, tensor<16x{plain}>
  tt.return
}}"""
    floats = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
    dtype = np.dtype({"ui32": np.uint32, **floats}.get(element, np.int32))
    random, low, high = np.random.default_rng(3), -(2**23), 2**23
    if dtype.itemsize == 2:
        low, high = -200, 200
    values, out = (random.integers(low, high, size).astype(dtype) for size in (16, 18))
    if kind in ("inc", "dec"):
        values, out = np.arange(16, dtype=dtype) % 3, np.arange(18, dtype=dtype) // 3 % 3
    expected = out.copy()
    expected[5:] = update(out[5:], values[:13])
    described = TensorDescriptor(out, (18,), (1,), (16,))
    for found in launch_everywhere(triton.compile_ttir(text), (1,), out, described, values):
        np.testing.assert_array_equal(found, expected)


def test_calls_of_private_functions() -> None:
    """Calls in loops and branches, of functions that return early, call each other and give several results."""
    text = """
tt.func public @f(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = scf.for %i = %zero to %n step %one iter_args(%a = %zero) -> (i32) : i32 {
    %x, %y = tt.call @pair(%i) : (i32) -> (i32, i32)
    %b = arith.addi %x, %y : i32
    %c = arith.addi %a, %b : i32
    scf.yield %c : i32
  }
  tt.store %p, %s : !tt.ptr<i32>
  tt.return
}
tt.func private @pair(%x: i32) -> (i32, i32) attributes {noinline = true} {
  %three = arith.constant 3 : i32
  %y = tt.call @clamp(%x, %three) : (i32, i32) -> i32
  tt.return %x, %y : i32, i32
}
tt.func private @clamp(%x: i32, %most: i32) -> i32 {
  %over = arith.cmpi sgt, %x, %most : i32
  cf.cond_br %over, ^over, ^within
^over:
  tt.return %most : i32
^within:
  tt.return %x : i32
}
tt.func private @never_called(%x: i32) -> i32 {
  tt.return %x : i32
}
"""
    out = np.zeros(1, np.int32)
    for found in launch_everywhere(triton.compile_ttir(text), (1,), out, out, 7):
        assert found[0] == sum(range(7)) + sum(min(i, 3) for i in range(7))


def test_locations_attributes_and_constants() -> None:
    """Locations of every kind, attributes that nobody knows, and floats as bit patterns."""
    text = """
#loc1 = loc("k.py":1:1)
#loc = loc(unknown)
module attributes {"some.flag", some.list = [1 : i8, "x", @f, {a = 1.0 : f32}], x.y = dense<[1, 2]> : tensor<2xi32>} {
  tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32, my.note} loc("p"(#loc1)))
      attributes {noinline = false, my.other = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} {
    %c = arith.constant {my.note}
      dense<[0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000, 0x3F800000, 1.0, -2.5e-3, 0x1]>
      : tensor<8xf32> loc(fused["a.py":3:4, #loc2])
    %s = arith.constant dense<0x40490FDB> : tensor<8xf32> loc(callsite("inner"("a.py":5:6) at "b.py":7:8))
    %r = tt.make_range {end = 8 : i32, start = 0 : i32, my.note = "kept"} : tensor<8xi32> loc(#loc)
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(fused<"pass">[#loc1])
    %q = tt.addptr %b, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc("x"("q"(#loc1)))
    tt.store %q, %c : tensor<8x!tt.ptr<f32>> loc("only a name")
    %n = arith.constant 0x42F60000 : f32 loc(#loc3)
    %first = tt.splat %n : f32 -> tensor<8xf32>
    %eight = arith.constant dense<8> : tensor<8xi32>
    %q2 = tt.addptr %q, %eight : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %t = arith.addf %s, %first : tensor<8xf32>
    tt.store %q2, %t : tensor<8x!tt.ptr<f32>>
    tt.return loc(#loc3)
  } loc(#loc1)
} loc(#loc)
#loc2 = loc("c.py":9:10)
#loc3 = loc(callsite(#loc2 at #loc1))
"""
    bits = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000, 0x3F800000, 0, 0, 1], np.uint32)
    special = bits.view(np.float32).copy()
    special[5:7] = 1.0, -2.5e-3
    expected = np.concatenate([special, np.full(8, np.float32(np.pi) + np.float32(123), np.float32)])
    out = np.zeros(16, np.float32)
    for found in launch_everywhere(triton.compile_ttir(text), (1,), out, out):
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def tile(name: str, kind: str, rows: int, columns: int) -> str:
    """Lines that load `%name`, a tile of a row-major array that begins at `%name_ptr`."""
    shape, plane = f"{rows}x{columns}", f"tensor<{rows}x{columns}x!tt.ptr<{kind}>>"
    return f"""
  %{name}_n = tt.make_range {{end = {rows * columns} : i32, start = 0 : i32}} : tensor<{rows * columns}xi32>
  %{name}_at = tt.reshape %{name}_n : tensor<{rows * columns}xi32> -> tensor<{shape}xi32>
  %{name}_all = tt.splat %{name}_ptr : !tt.ptr<{kind}> -> {plane}
  %{name}_p = tt.addptr %{name}_all, %{name}_at : {plane}, tensor<{shape}xi32>
  %{name} = tt.load %{name}_p : {plane}"""


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


@pytest.mark.parametrize("packed_along_k", [True, False])
def test_scaled_products(packed_along_k: bool) -> None:
    """Floats of 8 bits times floats of 4 bits, in groups of 32 that share a power of two; rounded nowhere."""
    random = np.random.default_rng(1)
    a = random.integers(-8, 9, (16, 64)).astype(ml_dtypes.float8_e5m2)
    codes = random.integers(0, 16, (64, 32)).astype(np.uint8)
    axis = 0 if packed_along_k else 1
    a[3, 32:], codes[32:, 7] = 1, 2  # a place where NaN as a scale gives NaN, and infinity would not
    low, high = (codes.take(range(start, codes.shape[axis], 2), axis) for start in (0, 1))
    packed = low | high << 4
    scales_a, scales_b = (random.integers(124, 131, (rows, 2)).astype(np.uint8) for rows in (16, 32))
    scales_a[3, 1] = 255  # NaN
    shape = "x".join(map(str, packed.shape))
    attribute = "" if packed_along_k else ", rhs_k_pack = false"
    text = f"""
tt.func public @f(%a_ptr: !tt.ptr<f8E5M2>, %b_ptr: !tt.ptr<i8>, %s_ptr: !tt.ptr<i8>, %t_ptr: !tt.ptr<i8>,
                  %o_ptr: !tt.ptr<f32>) {{
{tile("a", "f8E5M2", 16, 64)}
{tile("b", "i8", *packed.shape)}
{tile("s", "i8", 16, 2)}
{tile("t", "i8", 32, 2)}
{tile("o", "f32", 16, 32)}
  %d = tt.dot_scaled %a scale %s, %b scale %t, %o lhs = e5m2 rhs = e2m1 {{fastMath = false{attribute}}}
    : tensor<16x64xf8E5M2>, tensor<16x2xi8> * tensor<{shape}xi8>, tensor<32x2xi8> -> tensor<16x32xf32>
  tt.store %o_p, %d : tensor<16x32x!tt.ptr<f32>>
  tt.return
}}"""
    factors = [np.exp2(scales.astype(np.float64) - 127) for scales in (scales_a, scales_b)]
    factors[0][3, 1] = np.nan
    left = a.astype(np.float64) * factors[0].repeat(32, 1)
    right = E2M1[codes].astype(np.float64) * factors[1].repeat(32, 1).T
    out = random.integers(-4, 5, (16, 32)).astype(np.float32)
    expected = out + left @ right
    for found in launch_everywhere(triton.compile_ttir(text), (1,), out, a, packed, scales_a, scales_b, out):
        np.testing.assert_array_equal(found, expected.astype(np.float32))


def test_rare_operations() -> None:
    """Approximate division is exact, poison may be anything but is something, and `cf.assert` is checked."""
    text = """
tt.func public @f(%p: !tt.ptr<f32>, %x: f32, %y: f32, %c: i1) {
  %q = tt.approx_divf %x, %y : f32
  %nothing = ub.poison : f32
  %r = arith.select %c, %q, %nothing : f32
  cf.assert %c, "c holds"
  tt.store %p, %r : !tt.ptr<f32>
  tt.return
}"""
    out = np.zeros(1, np.float32)
    kernel = triton.compile_ttir(text)
    for found in launch_everywhere(kernel, (1,), out, out, 1.0, 3.0, True):
        assert found[0] == np.float32(1) / np.float32(3)
    for context in (triton.interpret(), nullcontext()):
        with context, pytest.raises(triton.LaunchError, match="c holds"):
            kernel[(1,)](out, 1.0, 3.0, False)
