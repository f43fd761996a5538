"""`triton.compile(ASTSource(...))`."""

from __future__ import annotations

import re
from typing import Any

import pytest

import mytriton as triton
from mytriton.errors import ArgumentError, OptionError
from mytriton.language.target_info import GPUTarget
from mytriton.runtime.ast_source import ASTSource, compile
from mytriton.runtime.heuristics import heuristics
from tests.unit.runtime.kernels import copy_block

NAMES = copy_block.arg_names
SIGNATURE = {NAMES[0]: "*fp32", NAMES[1]: "*fp16", NAMES[2]: "i32", NAMES[3]: "constexpr"}


def divisible(text: str) -> list[bool]:
    """For each argument of the function of a module in `tt`, whether it is known to be divisible by 16."""
    signature = re.search(r"tt\.func public @\w+\((.*?)\) attributes", text, re.DOTALL)
    assert signature is not None, text
    return ["divisibility = 16" in argument for argument in signature[1].split("%")[1:]]


@pytest.mark.parametrize(
    ("signature", "constants", "attributes"),
    [
        (SIGNATURE, {NAMES[3]: 64}, {NAMES[0]: [["tt.divisibility", 16]]}),
        (dict(enumerate(SIGNATURE.values())), {3: 64}, {0: [["tt.divisibility", 16]]}),
        (SIGNATURE, {(3,): 64}, {(0,): [["tt.divisibility", 16]]}),
    ],
)
def test_names_indices_and_paths(signature: Any, constants: Any, attributes: Any) -> None:
    compiled = compile(ASTSource(copy_block, signature, constants, attributes))
    text = compiled.asm["ttir"]
    assert "!tt.ptr<f32>" in text and "!tt.ptr<f16>" in text and "tensor<64x" in text
    assert divisible(text) == [True, False, False]


def test_targets_and_options() -> None:
    source = ASTSource(copy_block, SIGNATURE, {"BLOCK": 64})
    compiled = compile(source, GPUTarget("cuda", 90, 32), {"num_warps": 2})
    assert (compiled.arch, compiled.num_warps, compiled.metadata.num_warps) == ("sm_90a", 2, 2)
    assert divisible(compiled.asm["ttir"]) == [False, False, False]
    assert compile(source, GPUTarget("cuda", 86, 32)).arch == "sm_86"
    with pytest.raises(OptionError, match="'hip'"):
        compile(source, GPUTarget("hip", 90, 64))
    wrapped = heuristics({"BLOCK": lambda args: 64})(copy_block)
    assert ASTSource(wrapped, SIGNATURE, {"BLOCK": 64}).fn is copy_block


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no parameter 'nothing'"):
        ASTSource(copy_block, {"nothing": "i32"})
    with pytest.raises(ArgumentError, match="has no type"):
        compile(ASTSource(copy_block, {NAMES[0]: "*fp32"}, {"BLOCK": 64}))
    with pytest.raises(ArgumentError, match="has no value in constexprs"):
        compile(ASTSource(copy_block, SIGNATURE))
    with pytest.raises(ArgumentError, match="takes a kernel"):
        ASTSource(len, {})
    with pytest.raises(ArgumentError, match=r"compiles an ASTSource or a \.ttir file, found int"):
        triton.compiler.compile(3)
    with pytest.raises(ArgumentError, match=r"cannot read 'no_such\.ttir'"):
        triton.compiler.compile("no_such.ttir")
