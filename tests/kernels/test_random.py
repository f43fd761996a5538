"""Random numbers: the bits that Triton 3.9 gives for the same seeds and offsets."""

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check, compiles

# Recorded from Triton 3.9's interpreter: four results of four offsets each.
INTEGERS = {
    (7, 1000, 10): (
        "17053bde 25c6624d 5abdf1e9 74e535c0 cd8ef504 33188c5f afcc0464 22fe2ed0 "
        "fa707a7d 63ea18d4 1abfef6f c5b3c296 dcb9a0e9 e25f2180 a81393f9 0bba4693"
    ),
    (0x1234567890ABCDEF, (1 << 40) + 5, 7): (
        "1affc079 aa8628e8 dfa0afd0 a2c54279 3467a4bb 831928fa f33e96a0 81dc588c "
        "82a4750a 4c1195a1 97035543 91c3f35b 0e4195a9 5b38432c 3feb338c 24c079f5"
    ),
    (-3, -70, 10): (
        "06db9029 af670393 02166dff 540c03f2 12a5f3a1 fb03a90c 59265c7c 706a9a1c "
        "4e3e3a10 7694e52f 9e6b1420 69e55fb6 85e79a7c 5545bde7 9c618064 d230dc04"
    ),
}
LONG_INTEGERS = (
    "7adbac9a008b034d 824824dd740d6241 50707b7d66cd8c3e dad9f9aadc62f572 "
    "43d60388da195e67 8314e9f935c813b5 b671fe279c0895ca 612f426566838ad9 "
    "2e0a1aa853f74d69 181116af8bf6d60c 1f8be03572f2c127 522c5e446e71559b "
    "82d7ae039bd43f1d f08822b8dc5c27bc f1b1fc21148f7a96 676b40f52297e01f"
)
UNIFORM = (
    "0x1.8c543cp-1 0x1.926f6ap-6 0x1.649fecp-2 0x1.14e3ecp-1 0x1.dfd522p-1 0x1.4ee9b2p-1 0x1.5de286p-1 0x1.5143c8p-1 "
    "0x1.2bf508p-3 0x1.f1c294p-1 0x1.96ca48p-1 0x1.a786a8p-1 0x1.5d0acep-1 0x1.d1381ap-1 0x1.cfb2d4p-2 0x1.84399ep-1"
)
NORMAL = (
    "0x1.523beap-1 -0x1.8aef46p+0 -0x1.2e513ep-1 -0x1.340840p-1 -0x1.19d4fep-2 -0x1.1f2984p+1 -0x1.53b642p+0 "
    "-0x1.dcdcc0p-1 -0x1.a17130p-1 0x1.9872ccp-3 -0x1.4c229ap-1 0x1.058428p-5 -0x1.c85048p+0 -0x1.082a0ap-3 "
    "0x1.95b184p-3 -0x1.3af3f6p-1"
)


def _floats(text: str) -> np.ndarray:
    return np.array([float.fromhex(word) for word in text.split()], np.float32)


@triton.jit
def integers_kernel(seed, base, out_ptr, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, base + i * 37, ROUNDS)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b)
    tl.store(out_ptr + 2 * N + i, c)
    tl.store(out_ptr + 3 * N + i, d)


@triton.jit
def long_integers_kernel(seed, base, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    counter = i.to(tl.int64) + base
    a, b, c, d = tl.philox(seed, counter, counter * 3, counter + 5, counter * 0)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b)
    tl.store(out_ptr + 2 * N + i, c)
    tl.store(out_ptr + 3 * N + i, d)


@triton.jit
def uniform_kernel(seed, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.rand4x(seed, i)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b)
    tl.store(out_ptr + 2 * N + i, c)
    tl.store(out_ptr + 3 * N + i, d)


@triton.jit
def normal_kernel(seed, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randn4x(seed, i)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b)
    tl.store(out_ptr + 2 * N + i, c)
    tl.store(out_ptr + 3 * N + i, d)


@triton.jit
def single_kernel(seed, integers_ptr, uniform_ptr, normal_ptr, scalar_ptr, wide_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(integers_ptr + i, tl.randint(seed, i))
    tl.store(uniform_ptr + i, tl.rand(seed, i))
    tl.store(normal_ptr + i, tl.randn(seed, i))
    tl.store(scalar_ptr, tl.rand(seed, 1))
    a, _, _, _ = tl.philox(seed, i.to(tl.uint64), 0 * i.to(tl.uint64), 0 * i.to(tl.uint64), 0 * i.to(tl.uint64))
    tl.store(wide_ptr + i, tl.uint_to_uniform_float(a))


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


@pytest.mark.parametrize("key", INTEGERS)
def test_integers_of_32_bits(key):
    seed, base, rounds = key
    expected = np.array([int(word, 16) for word in INTEGERS[key].split()], np.uint32)
    out = np.empty(16, np.uint32)
    check(integers_kernel, (1,), [seed, base], [out], [expected], num_warps=(1, 4), N=4, ROUNDS=rounds)


def test_integers_of_64_bits():
    expected = np.array([int(word, 16) for word in LONG_INTEGERS.split()], np.uint64)
    check(long_integers_kernel, (1,), [99, 0], [np.empty(16, np.uint64)], [expected], num_warps=(1, 4), N=4)


def test_uniform_floats():
    check(uniform_kernel, (1,), [42], [np.empty(16, np.float32)], [_floats(UNIFORM)], num_warps=(1, 4), rtol=0, N=4)


def test_normal_floats():
    check(normal_kernel, (1,), [42], [np.empty(16, np.float32)], [_floats(NORMAL)], num_warps=(1, 4), N=4)


def test_the_forms_with_one_result_give_the_first_of_four():
    outputs = [np.empty(4, np.uint32), np.empty(4, np.float32), np.empty(4, np.float32), np.empty(1, np.float32)]
    integers = np.empty(16, np.uint32)
    integers_kernel[(1,)](42, 0, integers, 4, 10)
    with triton.interpret():
        wide = np.empty(4, np.float32)
        single_kernel[(1,)](42, *outputs, wide, 4)
    np.testing.assert_array_equal(outputs[1], _floats(UNIFORM)[:4])
    assert ((wide >= 0) & (wide < 1)).all()
    expected = [outputs[0].copy(), _floats(UNIFORM)[:4], _floats(NORMAL)[:4], _floats(UNIFORM)[1:2], wide.copy()]
    assert expected[0][0] == integers[0]
    check(single_kernel, (1,), [42], [*outputs, wide], expected, num_warps=(1, 2), N=4)


def test_dropout_keeps_about_the_share_that_it_should():
    x = np.ones(5000, np.float32)
    out = np.empty_like(x)
    dropout_kernel[(5,)](x, out, x.size, 0.25, 123, BLOCK=1024)
    kept = np.count_nonzero(out) / x.size
    assert abs(kept - 0.75) < 0.03
    np.testing.assert_allclose(out[out != 0], 1 / 0.75, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
def test_offsets_are_integers(dtype):
    with pytest.raises(triton.CompilationError, match="randint4x"):
        float_offset_kernel.warmup("i32", f"*{dtype}", "*fp32", grid=(1,), BLOCK=16)


@triton.jit
def float_offset_kernel(seed, x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.rand(seed, tl.load(x_ptr + i)))


def test_nvrtc_compiles_them():
    compiles(dropout_kernel, "*fp32", "*fp32", "i32", "fp32", "i32", BLOCK=1024)
    compiles(normal_kernel, "i64", "*fp32", N=128)
    compiles(long_integers_kernel, "i64", "i64", "*u64", N=128)
