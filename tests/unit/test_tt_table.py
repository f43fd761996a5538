"""Every operation, attribute and type of Triton's `tt` dialect, in all its forms: read, verified and printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from mytriton.dialects.tt import TT
from mytriton.ttir import TTIRPrinter, parse_module, print_module
from tests.unit.tt_operations import ATTRIBUTES, FORMS, OPERATIONS, TYPES, module_with

READ_BY_TRITON = """
import json, sys, tempfile
from triton._C.libtriton import ir
context = ir.context()
ir.load_dialects(context)

def read(text):
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()
        try:
            return ir.parse_mlir_module(file.name, context).str_nodebug()
        except RuntimeError:
            return None

print(json.dumps([read(text) for text in json.load(sys.stdin)]))
"""


def generic_text(module: ModuleOp) -> str:
    stream = StringIO()
    TTIRPrinter(stream=stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


@pytest.mark.parametrize("form", FORMS)
def test_round_trip(form: str) -> None:
    module = parse_module(module_with(form))
    pretty, generic = print_module(module), generic_text(module)
    for text in (pretty, generic):
        again = parse_module(text)
        assert again.is_structurally_equivalent(module)
        assert print_module(again) == pretty
    name = re.search(r"\b(?:tt|ttg|arith|math|llvm|ub)\.[\w.]+", form)
    assert name is not None and name[0] in pretty


def test_the_table_has_every_operation() -> None:
    used = {op.name for form in FORMS for op in parse_module(module_with(form)).walk() if op.name.startswith("tt.")}
    assert used == OPERATIONS


def test_the_dialect_has_every_operation_attribute_and_type() -> None:
    own = {"tt.extract_slice", "tt.sort", "tt.compare_exchange"}  # what the frontend of mytriton writes besides
    assert {op.name for op in TT.operations} - own - {"llvm.intr.assume"} == OPERATIONS
    assert {attribute.name for attribute in TT.attributes} == ATTRIBUTES | TYPES


@pytest.mark.oracle
def test_triton_reads_what_we_print(oracle: Callable[..., str]) -> None:
    modules = [parse_module(module_with(form)) for form in FORMS]
    texts: list[str] = []
    for module, form in zip(modules, FORMS, strict=True):
        texts += [module_with(form), print_module(module), generic_text(module)]
    read = json.loads(oracle(READ_BY_TRITON, input=json.dumps(texts)).splitlines()[-1])
    for at, form in enumerate(FORMS):
        written, pretty, generic = read[3 * at : 3 * at + 3]
        assert written is not None, f"Triton refuses the form itself: {form}"
        assert pretty == written, form
        assert generic == written, form


@pytest.mark.oracle
def test_triton_knows_every_name(oracle: Callable[..., str]) -> None:
    """The names of the operations are written in Triton's library."""
    library = oracle("import triton._C.libtriton as library; print(library.__file__)").strip()
    data = Path(library).read_bytes()
    missing = [name for name in OPERATIONS if name.encode() not in data]
    assert not missing
