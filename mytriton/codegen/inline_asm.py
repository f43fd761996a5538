"""Inline PTX as C: each group of elements goes into registers, through the assembly, and out of its registers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute, SSAValue

from mytriton.codegen.expression import PRIMARY
from mytriton.codegen.types import bits_of, scalar_type
from mytriton.codegen.variables import ARGUMENTS, RESULTS, expect_names
from mytriton.dialects import cuda
from mytriton.dialects.tt import PointerType

if TYPE_CHECKING:
    from mytriton.codegen.statements import Statements

_REGISTER_TYPES = {"h": "unsigned short", "r": "unsigned", "f": "float", "l": "unsigned long long", "d": "double"}
_SMALL_FLOATS = (Float16Type, BFloat16Type)


def write_inline_asm(out: Statements, op: cuda.InlineAsmOp) -> None:
    out.comment(op)
    names = expect_names(op, RESULTS, len(op.results))
    out.declare_results(op, op.results, names)
    index, prefix = expect_names(op, ARGUMENTS, 2)
    count, pack = _count(op), op.pack.value.data
    if count > pack:
        out.unroll()
        out.open(f"for (int {index} = 0; {index} < {count}; {'++' + index if pack == 1 else f'{index} += {pack}'})")
    else:
        out.open("")
    _group(out, op, names, prefix, [_place(index, j, count, pack) for j in range(pack)])
    out.close()
    out.bind(op.results, names)


def _count(op: cuda.InlineAsmOp) -> int:
    """How many elements a thread has."""
    for value in (*op.results, *op.args):
        if isinstance(value.type, cuda.RegsType):
            return value.type.size.data
    return 1


def _place(index: str, offset: int, count: int, pack: int) -> str | None:
    """How the element `offset` of a group is indexed; None for one that is not there."""
    if count <= pack:
        return str(offset) if offset < count else None
    return f"{index} + {offset}" if offset else index


def _group(out: Statements, op: cuda.InlineAsmOp, names: Sequence[str], prefix: str, places: list[str | None]) -> None:
    outputs: list[str] = []
    finish: list[str] = []
    constraints = iter(op.outputs.data)
    for result, name in zip(op.results, names, strict=True):
        element = _element_type(result)
        for part in _parts(element, places):
            constraint = next(constraints).data
            targets = [None if place is None else _element(result, name, place) for place in part]
            if len(part) == 1 and targets[0] is not None and _is_natural(element, constraint):
                outputs.append(f'"={constraint}"({targets[0]}{_bits_member(element)})')
                continue
            temporary = f"{prefix}_{len(outputs)}"
            out.line(f"{_REGISTER_TYPES[constraint]} {temporary};")
            outputs.append(f'"={constraint}"({temporary})')
            bits = _bits_of_register(temporary, constraint)
            for number, target in enumerate(targets):
                if target is not None:
                    finish.append(f"{target} = {_from_bits(out, element, bits, number)};")
    inputs: list[str] = []
    constraints = iter(op.inputs.data)
    for arg in op.args:
        element = _element_type(arg)
        text = out.expressions.of(arg).at_least(PRIMARY)
        last = [place for place in places if place is not None][-1]
        for part in _parts(element, places):
            constraint = next(constraints).data
            elements = [_element(arg, text, last if place is None else place) for place in part]
            inputs.append(f'"{constraint}"({_to_register(element, constraint, elements)})')
    _write(out, op, outputs, inputs)
    for line in finish:
        out.line(line)


def _write(out: Statements, op: cuda.InlineAsmOp, outputs: Sequence[str], inputs: Sequence[str]) -> None:
    keyword = "asm volatile" if op.is_volatile is not None else "asm"
    lines = [json.dumps(line) for line in op.text.data.splitlines(keepends=True)] or ['""']
    clobbers = ", ".join(f'"{word.data}"' for word in op.clobbers)
    sections = f": {', '.join(outputs)} : {', '.join(inputs)}".rstrip() + (f" : {clobbers}" if clobbers else "")
    if len(lines) == 1:
        out.line(f"{keyword}({lines[0]} {sections});")
        return
    out.line(f"{keyword}({lines[0]}")
    for line in lines[1:]:
        out.line(f"    {line}")
    out.line(f"    {sections});")


def _element_type(value: SSAValue) -> Attribute:
    return value.type.element_type if isinstance(value.type, cuda.RegsType) else value.type


def _element(value: SSAValue, name: str, place: str) -> str:
    return f"{name}[{place}]" if isinstance(value.type, cuda.RegsType) else name


def _parts(element: Attribute, places: list[str | None]) -> Iterator[list[str | None]]:
    """The elements of each register."""
    bits = max(8, bits_of(element))
    size = min(len(places), 32 // bits) if bits < 32 else 1
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _is_natural(element: Attribute, constraint: str) -> bool:
    """Whether a register holds an element as C has it."""
    match element:
        case Float32Type():
            return constraint == "f"
        case Float64Type():
            return constraint == "d"
        case Float16Type() | BFloat16Type():
            return constraint == "h"
        case PointerType():
            return constraint == "l"
        case IntegerType():
            return {16: "h", 32: "r", 64: "l"}.get(element.width.data) == constraint
        case _:
            return False


def _bits_member(element: Attribute) -> str:
    return ".bits" if isinstance(element, _SMALL_FLOATS) else ""


def _to_register(element: Attribute, constraint: str, elements: Sequence[str]) -> str:
    if len(elements) == 1 and _is_natural(element, constraint):
        return f"{elements[0]}{_bits_member(element)}"
    bits = bits_of(element)
    if bits == 64:
        return f"__double_as_longlong({elements[0]})" if isinstance(element, Float64Type) else elements[0]
    if len(elements) == 1:
        whole = _to_bits(element, elements[0])
        if constraint == "f":
            return f"__uint_as_float({whole})"
        # An operand must be as wide as its register.
        return f"({_REGISTER_TYPES[constraint]}){whole}" if bits < 32 and constraint in "rl" else whole
    parts: list[str] = []
    for number, text in enumerate(elements):
        whole = _to_bits(element, text)
        parts.append(f"(unsigned){whole} << {max(8, bits) * number}" if number else f"(unsigned){whole}")
    combined = " | ".join(parts)
    return f"__uint_as_float({combined})" if constraint == "f" else combined


def _to_bits(element: Attribute, text: str) -> str:
    match element:
        case Float32Type():
            return f"__float_as_uint({text})"
        case IntegerType() if element.width.data == 8:
            return f"(unsigned char){text}"
        case IntegerType() if element.width.data == 16:
            return f"(unsigned short){text}"
        case IntegerType():
            return text
        case _:
            return f"{text}.bits"


def _bits_of_register(name: str, constraint: str) -> str:
    match constraint:
        case "f":
            return f"__float_as_uint({name})"
        case "d":
            return f"__double_as_longlong({name})"
        case _:
            return name


def _from_bits(out: Statements, element: Attribute, bits: str, number: int) -> str:
    width = bits_of(element)
    shifted = f"({bits} >> {max(8, width) * number})" if number else bits
    match element:
        case Float32Type():
            return f"__uint_as_float({shifted})"
        case Float64Type():
            return f"__longlong_as_double({shifted})"
        case IntegerType() if width == 1:
            return f"({shifted} & 1) != 0"
        case IntegerType() | PointerType():
            return f"({scalar_type(element)}){shifted}"
        case _:
            c_type = scalar_type(element)
            out.expressions.use_type(c_type)
            return f"{c_type}{{(unsigned {'short' if width == 16 else 'char'}){shifted}}}"
