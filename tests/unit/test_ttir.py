"""Reading and printing IR: real dumps of Triton, locations, names and floats."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Operation

from mytriton.errors import CompilationError, location_of_attribute
from mytriton.passes.inline_calls import InlineCalls
from mytriton.ttir import make_context, parse_module, print_module

TRITON_DUMP = Path(__file__).resolve().parents[1] / "oracle" / "triton_dump.py"


def only(module: ModuleOp, name: str) -> Operation:
    (found,) = [operation for operation in module.walk() if operation.name == name]
    return found


def check_round_trip(text: str) -> str:
    """Text, read and printed, reads and prints as the same, with locations and without; returns what was printed."""
    module = parse_module(text, "dump.ttir")
    for locations in (False, True):
        printed = print_module(module, locations)
        again = parse_module(printed, "again.mlir")
        assert print_module(again, locations) == printed
        assert module.is_structurally_equivalent(again)
    return print_module(module)


def without_locations_and_names(text: str) -> list[str]:
    """The lines of MLIR text, every value called `%`."""
    lines = [re.sub(r" *loc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "", line) for line in text.splitlines()]
    return [re.sub(r"%[\w$.-]+", "%", line.rstrip()) for line in lines if line.strip() and not line.startswith("#loc")]


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["matmul", "softmax"])
def test_a_dump_of_triton(name: str, oracle: Callable[..., str]) -> None:
    text = oracle(TRITON_DUMP, "dump", name)
    assert "#loc1 = loc(" in text
    printed = check_round_trip(text)
    # Triton reads what we print, and sees the module that it made itself.
    read_by_triton = oracle(TRITON_DUMP, "check", input=printed)
    assert without_locations_and_names(read_by_triton) == without_locations_and_names(text)
    assert parse_module(read_by_triton).is_structurally_equivalent(parse_module(text))


@pytest.mark.oracle
def test_locations_of_a_dump_of_triton(oracle: Callable[..., str]) -> None:
    module = parse_module(oracle(TRITON_DUMP, "dump", "matmul"))
    location = only(module, "tt.dot").location
    assert isinstance(location, NameLoc) and location.desc.data == "acc"
    place = location_of_attribute(location)
    assert place is not None and place.file == str(TRITON_DUMP)
    assert TRITON_DUMP.read_text().splitlines()[place.line - 1].endswith("# the dot")
    assert only(module, "tt.dot").results[0].name_hint == "acc"
    assert only(module, "scf.for").regions[0].block.args[0].name_hint == "k_base"


def test_a_location_may_be_defined_after_its_use() -> None:
    module = parse_module('%0 = arith.constant 1 : i32 loc(#loc2)\n#loc1 = loc("a.py":3:4)\n#loc2 = loc("x"(#loc1))\n')
    location = only(module, "arith.constant").location
    assert isinstance(location, NameLoc) and location.desc.data == "x"
    assert str(location_of_attribute(location)) == "a.py:3:4"


def test_a_location_may_be_defined_before_its_use() -> None:
    module = parse_module('#loc1 = loc("a.py":3:4)\n%0 = arith.constant 1 : i32 loc(#loc1)\n')
    assert str(location_of_attribute(only(module, "arith.constant").location)) == "a.py:3:4"


def test_an_operation_without_location_gets_its_place_in_the_text() -> None:
    module = parse_module("\n  %0 = arith.constant 1 : i32\n", "here.mlir")
    assert only(module, "arith.constant").location == FileLineColLoc(StringAttr("here.mlir"), IntAttr(2), IntAttr(3))


def test_an_unknown_location_stays_unknown() -> None:
    module = parse_module("%0 = arith.constant 1 : i32 loc(unknown)\n")
    assert isinstance(only(module, "arith.constant").location, UnknownLoc)


LOCATIONS = {
    "unknown": "unknown",
    "file": '"a.py":2:3',
    "name": '"name"',
    "name of a place": '"name"("a.py":2:3)',
    "name of a name": '"outer"("inner"("a.py":2:3))',
    "call": 'callsite("a"("a.py":2:3) at callsite("b.py":1:2 at "c.py":3:4))',
    "fused": 'fused["a.py":2:3, "n"("b.py":1:2)]',
    "fused with metadata": 'fused<{x = 1 : i32, y = "z"}>["a.py":2:3, "b.py":1:2]',
    "fused within": '"x"(fused<"pass">[callsite("a.py":2:3 at "b.py":1:2)])',
}


@pytest.mark.parametrize("kind", LOCATIONS)
def test_locations_of_every_kind(kind: str) -> None:
    text = f"%0 = arith.constant 1 : i32 loc({LOCATIONS[kind]})"
    assert f"{text}\n" in print_module(parse_module(text), locations=True)
    aliased = f"%0 = arith.constant 1 : i32 loc(#loc9)\n#loc9 = loc({LOCATIONS[kind]})"
    assert f"{text}\n" in print_module(parse_module(aliased), locations=True)


@pytest.mark.parametrize("end", [":8", "4:5"])
def test_a_piece_of_a_file_is_where_it_starts(end: str) -> None:
    module = parse_module(f'%0 = arith.constant 1 : i32 loc("x"("a.py":2:3 to {end}))')
    assert str(location_of_attribute(only(module, "arith.constant").location)) == "a.py:2:3"


def test_parts_of_a_fused_location() -> None:
    """As MLIR has it: without those that say nothing, each once, and flat where the metadata are the same."""
    text = """
    #a = loc("a.py":1:1)
    #b = loc("b.py":2:2)
    #ab = loc(fused[#a, unknown, #b])
    %0 = arith.constant 1 : i32 loc(fused[#ab, #a])
    %1 = arith.constant 2 : i32 loc(fused[#a, #a])
    %2 = arith.constant 3 : i32 loc(fused["x.py":1:1, fused<"m">[#a]])
    %3 = arith.constant 4 : i32 loc(fused<"m">[unknown])
    """
    flat, alone, nested, empty = (op.location for op in parse_module(text).body.block.ops)
    a, b = (FileLineColLoc(StringAttr(f), IntAttr(n), IntAttr(n)) for f, n in (("a.py", 1), ("b.py", 2)))
    x = FileLineColLoc(StringAttr("x.py"), IntAttr(1), IntAttr(1))
    assert flat == FusedLoc((a, b), NoneAttr()) and alone == a
    assert nested == FusedLoc((x, FusedLoc((a,), StringAttr("m"))), NoneAttr())
    assert empty == FusedLoc((UnknownLoc(),), StringAttr("m"))


def chain(links: int, link: str) -> str:
    """Locations of which each is made of two of those before it."""
    start = '#a0 = loc("a.py":1:1)\n#b0 = loc("b.py":1:1)\n'
    links_of = (f"#a{i} = loc({link})\n#b{i} = loc({link})\n".replace("N", str(i - 1)) for i in range(1, links))
    return start + "".join(links_of) + f"%0 = arith.constant 1 : i32 loc(#a{links - 1})\n"


def test_a_location_that_grows_with_each_alias() -> None:
    """Written out, it would be as long as two to the power of the number of its aliases."""
    module = parse_module(chain(40, "fused[#aN, #bN]"))
    assert len(print_module(module, True)) < 1000
    with pytest.raises(CompilationError, match=r"more than 65536 others") as caught:
        parse_module(chain(40, "callsite(#aN at #bN)"), "dump.ttir")
    assert caught.value.location is not None and caught.value.location.line > 20
    # Those that are defined after their use are read just as often.
    lines = chain(40, "callsite(#aN at #bN)").splitlines()
    with pytest.raises(CompilationError, match=r"more than 65536 others"):
        parse_module("\n".join(reversed(lines)), "dump.ttir")


@pytest.mark.parametrize("name", ["_0", "_0_11", "_0_1_2", "a_0_1", "_"])
def test_a_name_of_which_a_copy_keeps_nothing(name: str) -> None:
    text = f"""
    tt.func public @k(%p: !tt.ptr<i32>, %x: i32) {{
      %r = tt.call @f(%x) : (i32) -> i32
      %s = tt.call @f(%r) : (i32) -> i32
      tt.store %p, %s : !tt.ptr<i32>
      tt.return
    }}
    tt.func private @f(%{name}_3: i32) -> i32 {{
      %{name} = arith.addi %{name}_3, %{name}_3 : i32
      tt.return %{name} : i32
    }}
    """
    module = parse_module(text)
    InlineCalls().apply(make_context(), module)
    assert sum(op.name == "arith.addi" for op in module.walk()) == 2
    check_round_trip(print_module(module))


def test_a_loop_that_carries_nothing() -> None:
    """MLIR leaves out the list of what `scf.while` carries where it is empty."""
    text = """%c = arith.constant true
scf.while : () -> () {
  scf.condition(%c)
} do {
  scf.yield
}
"""
    check_round_trip(text)


def test_a_value_of_an_inner_region() -> None:
    """xDSL takes what a loop defines for the definition of what the loop starts with."""
    text = """tt.func @f(%n: i32) {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (i32) : i32 {
    %x = arith.constant 1 : i32
    scf.yield %x : i32
  }
  tt.return
}
"""
    with pytest.raises(CompilationError) as caught:
        parse_module(text, "f.mlir")
    assert str(caught.value).startswith("f.mlir:2:53: error: %x is used but not defined\n")


def test_a_block_that_is_defined_twice() -> None:
    text = "tt.func @f() {\n  cf.br ^a\n^a:\n  cf.br ^b\n^b:\n  tt.return\n^a:\n  tt.return\n}\n"
    with pytest.raises(CompilationError) as caught:
        parse_module(text, "f.mlir")
    assert str(caught.value).startswith("f.mlir:7:1: error: block '^a' is defined twice\n^a:\n^~")


def test_names_that_look_like_counted_names_stay_apart() -> None:
    """xDSL prints the second `x` as `x_1`, which the first `x_1` must then not be."""
    constant = "%{} = arith.constant {} : i32\n"
    module = parse_module(constant.format("a", 0) + constant.format("b", 1) + constant.format("c", 2))
    for operation, hint in zip(module.body.block.ops, ["x", "x", "x_1_1"], strict=True):
        operation.results[0].name_hint = hint
    text = print_module(module)
    assert [line.split()[0] for line in text.splitlines()[1:-1]] == ["%x", "%x_1", "%x_1_1"]
    parse_module(text)


@pytest.mark.parametrize(("type_name", "width"), [("f16", 16), ("bf16", 16), ("f32", 32), ("f64", 64)])
@given(data=st.data())
def test_every_float_survives(type_name: str, width: int, data: st.DataObject) -> None:
    bits = data.draw(st.integers(0, 2**width - 1))
    literal = f"0x{bits:0{width // 4}X}"
    text = (
        f"%0 = arith.constant dense<{literal}> : tensor<2x{type_name}>\n%1 = arith.constant {literal} : {type_name}\n"
    )
    module = parse_module(text)
    again = parse_module(print_module(module))
    for one in (module, again):
        dense = only_dense(one)
        value = next(iter(dense.get_values()))
        assert isinstance(value, float)
        if math.isnan(value):
            continue
        assert dense.data.data == bits.to_bytes(width // 8, "little") * 2
    assert math.isnan(value) or module.is_structurally_equivalent(again)


def only_dense(module: ModuleOp) -> DenseIntOrFPElementsAttr[Any]:
    values: list[object] = [value for operation in module.walk() for value in operation.properties.values()]
    (found,) = [cast(DenseIntOrFPElementsAttr[Any], one) for one in values if isinstance(one, DenseIntOrFPElementsAttr)]
    return found


def test_minus_infinity_is_printed_as_triton_prints_it() -> None:
    bits = struct.unpack("<I", struct.pack("<f", -math.inf))[0]
    text = f"%0 = arith.constant dense<0x{bits:X}> : tensor<256xf32>\n"
    assert "dense<0xFF800000> : tensor<256xf32>" in print_module(parse_module(text))


def test_an_error_shows_the_line_and_a_caret() -> None:
    with pytest.raises(CompilationError) as caught:
        parse_module("tt.func @f(%x: i32) {\n  tt.return %y : i32\n}\n", "f.mlir")
    assert str(caught.value) == "f.mlir:2:13: error: %y is used but not defined\n  tt.return %y : i32\n            ^~"


def test_an_error_of_a_verifier_shows_the_line() -> None:
    text = "%0 = tt.make_range {end = 5 : i32, start = 9 : i32} : tensor<4xi32>\n"
    with pytest.raises(CompilationError) as caught:
        parse_module(text, "f.mlir")
    assert str(caught.value).startswith("f.mlir:1:1: error: 'tt.make_range'")
    assert str(caught.value).splitlines()[1:] == [text.rstrip(), "^"]


def test_a_context_knows_every_dialect_without_importing_it() -> None:
    context = make_context()
    assert {"arith", "builtin", "cf", "cuda", "math", "scf", "tt", "ttg"} <= set(context.registered_dialect_names)
    assert [dialect.name for dialect in context.loaded_dialects] == []
    assert context.get_op("arith.addi").__module__ == "mytriton.dialects.arith"


@pytest.mark.parametrize("text", ["", "\n// nothing here\n"])
def test_a_file_without_a_module(text: str):
    with pytest.raises(CompilationError, match="expected a module, found nothing"):
        parse_module(text)
