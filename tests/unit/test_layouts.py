"""The layout attributes: text, verifiers, and their linear layouts against tables made by Triton."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, TensorType, f32
from xdsl.ir import Dialect
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from mytriton.dialects.layouts import (
    LAYOUT_ATTRIBUTES,
    BlockedEncodingAttr,
    DistributedEncodingAttr,
    DotOperandEncodingAttr,
    LinearEncodingAttr,
    NvidiaMmaEncodingAttr,
    PaddedSharedEncodingAttr,
    SharedEncodingAttr,
    SliceEncodingAttr,
    SwizzledSharedEncodingAttr,
    layout_of,
    registers_per_thread,
)
from mytriton.dialects.linear_layout import REGISTER, LinearLayout, padded_shape

TABLES = json.loads((Path(__file__).parent / "data" / "triton_layouts.json").read_text())

BLOCKED = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>"


def parse(text: str) -> Any:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Dialect("ttg", [], LAYOUT_ATTRIBUTES))
    return Parser(context, text).parse_attribute()


@pytest.mark.parametrize(
    "text",
    [
        BLOCKED,
        MMA,
        f"#ttg.slice<{{dim = 0, parent = {BLOCKED}}}>",
        f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 2}}>",
        f"#ttg.dot_op<{{opIdx = 1, parent = {BLOCKED}}}>",
        "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>",
        "#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = []}>",
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
        "#ttg.padded_shared<[32:+4, 256:+8] {order = [1, 0], shape = [64, 32]}>",
    ],
)
def test_text_round_trips(text: str):
    attribute = parse(text)
    assert str(attribute) == text
    assert parse(str(attribute)) == attribute


def test_fields_may_come_in_any_order():
    assert parse("#ttg.swizzled_shared<{order = [1, 0], maxPhase = 8, vec = 8, perPhase = 1}>") == (
        SwizzledSharedEncodingAttr(8, 1, 8, [1, 0])
    )


@pytest.mark.parametrize(
    "text, message",
    [
        ("#ttg.slice<{dim = 0}>", "expected the field parent"),
        ("#ttg.slice<{dim = 0, dim = 1}>", "dim is given twice"),
        ("#ttg.swizzled_shared<{vec = 8, color = 3}>", "unknown field color, expected one of vec, perPhase"),
        ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 1]}>", "permutation"),
    ],
)
def test_bad_text_is_refused(text: str, message: str):
    with pytest.raises((ParseError, VerifyException), match=message):
        parse(text)


LINEAR_LANES = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]


@pytest.mark.parametrize(
    "build, message",
    [
        (
            lambda: BlockedEncodingAttr([1, 3], [4, 8], [4, 1], [1, 0]),
            r"powers of two in sizePerThread, found \[1, 3\]",
        ),
        (lambda: BlockedEncodingAttr([1], [4, 8], [4, 1], [1, 0]), "expected 2 values in sizePerThread"),
        (
            lambda: BlockedEncodingAttr([1, 1], [4, 4], [4, 1], [1, 0]),
            "expected 32 threads in threadsPerWarp, found 16",
        ),
        (lambda: BlockedEncodingAttr([1, 1], [4, 8], [4, 1], [0, 0]), r"permutation of the dimensions, found \[0, 0\]"),
        (lambda: BlockedEncodingAttr([], [], [], []), "rank of at least 1"),
        (lambda: SliceEncodingAttr(2, parse(BLOCKED)), "dim below the parent's rank 2, found 2"),
        (lambda: SliceEncodingAttr(0, BlockedEncodingAttr([1], [32], [4], [0])), "parent of rank 2 or more"),
        (lambda: SliceEncodingAttr(0, f32), "expected a distributed layout as parent, found f32"),
        (lambda: LinearEncodingAttr([], LINEAR_LANES[:4], [], []), "expected 5 lane bases, found 4"),
        (lambda: LinearEncodingAttr([[1]], LINEAR_LANES, [], []), "one length"),
        (lambda: LinearEncodingAttr([[0, 16]], LINEAR_LANES, [], []), "reach every element of the tile"),
        (lambda: LinearEncodingAttr([], LINEAR_LANES, [], [[4, 0]]), "no block bases"),
        (lambda: LinearEncodingAttr([[0, -8]], LINEAR_LANES, [], []), "negative"),
        (lambda: NvidiaMmaEncodingAttr(1, 0, [4, 1], [16, 8]), "version 2 or 3, found 1"),
        (lambda: NvidiaMmaEncodingAttr(2, 0, [4, 1], [16, 16]), r"instrShape \[16, 8\]"),
        (lambda: NvidiaMmaEncodingAttr(2, 0, [3, 1], [16, 8]), "powers of two in warpsPerCTA"),
        (lambda: NvidiaMmaEncodingAttr(3, 0, [2, 1], [16, 64, 16]), "groups of 4 warps"),
        (lambda: NvidiaMmaEncodingAttr(3, 0, [4, 1], [16, 60, 16]), r"instrShape \[16, N, K\]"),
        (lambda: DotOperandEncodingAttr(2, parse(MMA), 2), "opIdx 0 or 1, found 2"),
        (lambda: DotOperandEncodingAttr(0, parse(MMA), 3), "power of two as kWidth, found 3"),
        (lambda: DotOperandEncodingAttr(0, parse(BLOCKED), 2), "no kWidth"),
        (lambda: DotOperandEncodingAttr(0, f32, 2), "parent, found f32"),
        (
            lambda: DotOperandEncodingAttr(1, NvidiaMmaEncodingAttr(3, 0, [4, 1], [16, 64, 16]), 2),
            "wgmma reads B from shared memory",
        ),
        (lambda: SwizzledSharedEncodingAttr(3, 1, 8, [1, 0]), "power of two as vec, found 3"),
        (lambda: PaddedSharedEncodingAttr([], [], [1, 0], [4, 4]), "one padding for each"),
        (lambda: PaddedSharedEncodingAttr([4], [0], [1, 0], [4, 4]), "every padding to be positive"),
        (lambda: PaddedSharedEncodingAttr([4], [4], [1, 0], [4]), "expected 2 sizes in shape"),
    ],
)
def test_verifiers(build: Any, message: str):
    with pytest.raises(VerifyException, match=message):
        build()


def encoding_of(kind: str, fields: list[Any]) -> DistributedEncodingAttr:
    match kind:
        case "blocked":
            return BlockedEncodingAttr(*fields)
        case "slice":
            return SliceEncodingAttr(fields[0], encoding_of("blocked", fields[1]))
        case "mma":
            return NvidiaMmaEncodingAttr(*fields)
        case "dot_blocked":
            return DotOperandEncodingAttr(fields[0], encoding_of("blocked", fields[1]), 0)
        case "dot_mma":
            return DotOperandEncodingAttr(fields[0], encoding_of("mma", fields[1]), fields[2])
        case _:
            raise AssertionError(kind)


@pytest.mark.parametrize("case", TABLES, ids=lambda case: f"{case['kind']}-{case['fields']}-{case['shape']}")
def test_linear_layouts_equal_the_tables_of_triton(case: dict[str, Any]):
    layout = encoding_of(case["kind"], case["fields"]).to_linear(case["shape"])
    assert layout.equivalent(LinearLayout(case["bases"], case["shape"]))


@pytest.mark.oracle
def test_the_tables_are_those_of_the_installed_triton(oracle: Callable[..., str]):
    script = Path(__file__).parents[1] / "oracle" / "record_layouts.py"
    assert json.loads(oracle(script, input=json.dumps(TABLES))) == TABLES


@st.composite
def powers_of_two(draw: st.DrawFn, bits: int, rank: int) -> list[int]:
    sizes = [1] * rank
    for _ in range(bits):
        sizes[draw(st.integers(0, rank - 1))] *= 2
    return sizes


@st.composite
def encodings(draw: st.DrawFn, rank: int) -> DistributedEncodingAttr:
    kind = draw(st.sampled_from(["blocked", "slice", "linear", "mma", "dot_op"]))
    if kind == "slice" and rank < 3:
        return SliceEncodingAttr(draw(st.integers(0, rank)), draw(encodings(rank + 1)))
    if kind in ("mma", "dot_op") and rank == 2:
        warps = draw(powers_of_two(draw(st.integers(0, 3)), 2))
        mma = NvidiaMmaEncodingAttr(2, 0, warps, [16, 8])
        return (
            mma
            if kind == "mma"
            else DotOperandEncodingAttr(draw(st.integers(0, 1)), mma, draw(st.sampled_from([1, 2, 4])))
        )
    order = draw(st.permutations(range(rank)))
    blocked = BlockedEncodingAttr(
        draw(powers_of_two(draw(st.integers(0, 4)), rank)),
        draw(powers_of_two(5, rank)),
        draw(powers_of_two(draw(st.integers(0, 3)), rank)),
        order,
    )
    return (
        blocked if kind != "linear" else LinearEncodingAttr.of(blocked.to_linear([2 ** draw(st.integers(0, 4))] * rank))
    )


@given(st.data(), st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_every_layout_is_onto_and_fits_the_shape(data: st.DataObject, rank: int):
    shape = [data.draw(st.integers(1, 70)) for _ in range(rank)]
    encoding = data.draw(encodings(rank))
    layout = encoding.to_linear(shape)
    assert layout.shape == padded_shape(shape)
    assert layout.is_onto
    assert layout.num_lanes == 32
    assert layout.num_warps == encoding.num_warps
    assert all(any(basis) for basis in layout.bases[REGISTER])
    assert LinearEncodingAttr.of(layout).to_linear(shape).equivalent(layout) or 1 in shape
    assert parse(str(encoding)) == encoding


def test_registers_count_columns_first_then_repetitions():
    encoding = BlockedEncodingAttr([1, 4], [4, 8], [1, 1], [1, 0])
    layout = encoding.to_linear((12, 64))
    assert layout.register_count == 32
    held = [layout.apply(register) for register in range(32)]
    assert held[:9] == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 32), (0, 33), (0, 34), (0, 35), (4, 0)]


def test_layout_of_a_tensor_type():
    encoding = BlockedEncodingAttr([1, 4], [4, 8], [4, 1], [1, 0])
    assert layout_of(TensorType(f32, [64, 64], encoding)) is encoding.to_linear((64, 64))
    assert registers_per_thread(TensorType(f32, [64, 60], encoding)) == 32
    assert registers_per_thread(TensorType(f32, [1, 1], encoding)) == 1
    with pytest.raises(ValueError, match="distributed layout"):
        layout_of(TensorType(f32, [64, 64]))
    with pytest.raises(ValueError, match="rank 2"):
        layout_of(TensorType(f32, [64], encoding))


@pytest.mark.parametrize(
    "encoding, shape",
    [
        (SwizzledSharedEncodingAttr.row_major(2), (12, 20)),
        (SwizzledSharedEncodingAttr(1, 1, 1, [0, 1]), (12, 20)),
        (SwizzledSharedEncodingAttr(4, 2, 4, [1, 0]), (8, 32)),
        (PaddedSharedEncodingAttr([20], [4], [1, 0], [12, 20]), (12, 20)),
        (PaddedSharedEncodingAttr([16, 64], [4, 8], [1, 0], [8, 16]), (8, 16)),
    ],
    ids=str,
)
def test_shared_layouts_give_each_element_its_own_place(encoding: SharedEncodingAttr, shape: tuple[int, int]):
    offsets = {encoding.element_offset(shape, coordinates) for coordinates in product(*map(range, shape))}
    assert len(offsets) == shape[0] * shape[1]
    assert min(offsets) >= 0
    assert max(offsets) < encoding.element_count(shape)


def test_shared_offsets_by_hand():
    assert SwizzledSharedEncodingAttr.row_major(2).element_offset((12, 20), (3, 5)) == 65
    assert SwizzledSharedEncodingAttr(8, 1, 8, [1, 0]).element_offset((16, 64), (3, 17)) == 3 * 64 + (17 ^ 24)
    assert SwizzledSharedEncodingAttr(8, 2, 4, [0, 1]).element_offset((64, 16), (17, 6)) == 6 * 64 + (17 ^ 24)
    assert PaddedSharedEncodingAttr([20], [4], [1, 0], [12, 20]).element_offset((12, 20), (3, 5)) == 77
