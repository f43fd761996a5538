"""The microscaling formats of `triton.tools.mxfp`; expected values are from the specification's tables."""

from __future__ import annotations

import math

import pytest

from mytriton.errors import ArgumentError

torch = pytest.importorskip("torch")

from mytriton.tools.mxfp import MXFP4Tensor, MXScaleTensor, fp8e8m0_to_float32  # noqa: E402

INFINITY = math.inf


@pytest.mark.parametrize(
    ("value", "code"),
    [
        # Codes are sign, two bits of the exponent and one of the mantissa; of two neighbours the even one.
        *((0.0, 0b0000), (-0.0, 0b1000), (0.25, 0b0000), (0.26, 0b0001), (0.5, 0b0001), (0.75, 0b0010)),
        *((-0.74, 0b1001), (1.25, 0b0010), (1.26, 0b0011), (1.75, 0b0100), (2.5, 0b0100), (2.6, 0b0101)),
        *((3.5, 0b0110), (5.0, 0b0110), (-5.1, 0b1111), (6.0, 0b0111), (1e30, 0b0111)),
        *((INFINITY, 0b0111), (-INFINITY, 0b1111), (1e-30, 0b0000), (math.nan, 0b0111)),
        (0.7499999, 0b0001),
    ],
)
def test_floats_become_the_nearest_of_4_bits(value: float, code: int) -> None:
    assert MXFP4Tensor(data=torch.tensor([[value]])).data.tolist() == [[code]]


def test_4_bits_as_floats() -> None:
    codes = MXFP4Tensor(size=16)
    codes.data = torch.arange(16, dtype=torch.uint8)
    values = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    found = codes.to(torch.float32)
    assert found.tolist() == [*values, *(-v for v in values)] and math.copysign(1, found[8]) == -1
    assert MXFP4Tensor(data=found).data.tolist() == list(range(16))


@pytest.mark.parametrize(
    ("shape", "dim"), [((6, 4), 0), ((6, 4), 1), ((5, 3), 0), ((5, 3), 1), ((2, 7, 3), 1), ((1,), 0)]
)
def test_two_in_a_byte(shape: tuple[int, ...], dim: int) -> None:
    tensor = MXFP4Tensor(size=shape, device="cpu").random()
    assert tensor.data.shape == shape and int(tensor.data.max()) < 16
    packed = tensor.to_packed_tensor(dim)
    assert packed.dtype == torch.uint8
    assert packed.shape == (*shape[:dim], (shape[dim] + 1) // 2, *shape[dim + 1 :])
    assert torch.equal(packed.select(dim, 0) & 15, tensor.data.select(dim, 0))
    if shape[dim] > 1:
        assert torch.equal(packed.select(dim, 0) >> 4, tensor.data.select(dim, 1))
    assert torch.equal(tensor.unpack_packed_tensor(packed, dim, shape), tensor.data)


def test_scales() -> None:
    values = [1.0, 2.0, 3.99, 0.5, 0.49, 2.0**127, 2.0**-127, 1e-45, 0.0, -1.0, INFINITY, math.nan]
    codes = [127, 128, 128, 126, 125, 254, 0, 0, 255, 255, 255, 255]
    assert MXScaleTensor(data=torch.tensor(values)).data.tolist() == codes
    # The float just below a power of two has the exponent below.
    below = torch.nextafter(torch.tensor(2.0**20), torch.tensor(0.0))
    assert MXScaleTensor(data=below).data.item() == 127 + 19
    found = fp8e8m0_to_float32(torch.arange(256, dtype=torch.int32).to(torch.uint8)).tolist()
    assert found[:255] == [2.0**exponent for exponent in range(-127, 128)] and math.isnan(found[255])


def test_random_scales_are_between_the_bounds() -> None:
    found = MXScaleTensor(size=(40, 50)).random(low=1 / 128, high=2.0).to(torch.float32)
    assert set(found.unique().tolist()) == {2.0**exponent for exponent in range(-7, 2)}
    assert MXScaleTensor(size=9).random().data.shape == (9,)


def test_what_is_refused() -> None:
    for refuse, message in (
        (lambda: MXFP4Tensor(), "MXFP4Tensor takes data or a size"),
        (lambda: MXScaleTensor(data=[1.0]), "takes a tensor of torch, found list"),
        (lambda: MXFP4Tensor(size=2).random().to(torch.float16), "becomes a float32, found torch.float16"),
        (lambda: MXFP4Tensor(size=2).random().to_packed_tensor(1), "the axis 1 to pack along is not one of 1"),
        (lambda: MXScaleTensor(size=2).random(4.0, 2.0), "there are no scales from 4.0 to 2.0"),
    ):
        with pytest.raises(ArgumentError, match=message):
            refuse()
