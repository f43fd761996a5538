"""What a running kernel prints and checks, as C statements."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mytriton.codegen.expression import UNARY, logical_not
from mytriton.codegen.types import is_integer
from mytriton.dialects import cuda
from mytriton.dialects.tt import PointerType

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from mytriton.codegen.statements import Statements


def write_print(out: Statements, op: cuda.PrintOp) -> None:
    """`print_element(description, format, ...)`, in an `if` where there is a mask."""
    out.comment(op)
    arguments = [_text(op.description.data), _text(op.format.data), *(_argument(out, arg) for arg in op.args)]
    statement = f"{out.expressions.call('print_element', *arguments).text};"
    if op.mask is not None:
        statement = f"if ({out.expressions.of(op.mask).text}) {statement}"
    out.line(statement)


def write_assert(out: Statements, op: cuda.AssertOp) -> None:
    """`if (!condition) assert_failed(message, file, line, ...)`"""
    out.comment(op)
    failed = logical_not(out.expressions.of(op.condition))
    arguments = [_text(op.message.data), _text(op.file.data), str(op.line.value.data), _text(op.description.data)]
    arguments += [_argument(out, arg) for arg in op.args]
    out.line(f"if ({failed.text}) {out.expressions.call('assert_failed', *arguments).text};")


def write_report(out: Statements, op: cuda.ReportOp) -> None:
    """`if (mask) report_value(origin, sink, pointer);`"""
    out.comment(op)
    pointer = "0" if op.pointer is None else out.expressions.of(op.pointer).text
    origin = out.expressions.signed(op.origin).text
    out.line(f"if ({out.expressions.of(op.mask).text}) report_value({origin}, {op.sink.value.data}, {pointer});")


def write_grid_dependency(out: Statements, op: cuda.GridDependencyOp) -> None:
    out.comment(op)
    out.line(f"{out.expressions.call(f'grid_dependency_{op.action.data}').text};")


def _argument(out: Statements, value: SSAValue) -> str:
    """A value as it is passed to `printf`: an address as one of no type."""
    if isinstance(value.type, PointerType):
        return f"(const void *){out.expressions.of(value).at_least(UNARY)}"
    return (out.expressions.signed(value) if is_integer(value.type) else out.expressions.of(value)).text


def _text(text: str) -> str:
    """A C string; what is not ASCII is written as its bytes in UTF-8."""
    quoted = json.dumps(text.encode("utf-8").decode("latin-1"), ensure_ascii=False)
    return "".join(character if " " <= character < "\x7f" else f"\\{ord(character):03o}" for character in quoted)
