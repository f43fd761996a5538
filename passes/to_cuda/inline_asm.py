"""Inline PTX, with its operands in the form that CUDA C has for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.ir import Attribute, Operation

from mytriton.dialects import cuda, tt
from mytriton.dialects.tensor_types import bit_width, element_type
from mytriton.errors import CompilationError
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.converter import Converter, is_tensor, layout

REGISTERS = {"h": 16, "r": 32, "f": 32, "l": 64, "d": 64}
"""The constraints of inline PTX, with the bits of the register."""

GLOBAL_TIMER = "mov.u64 $0, %globaltimer;"
PROCESSOR_ID = "mov.u32 $0, %smid;"


def convert_inline_asm(converter: Converter, op: Operation) -> None:
    """elementwise_inline_asm -> cuda.inline_asm on the registers that a thread holds"""
    assert isinstance(op, tt.ElementwiseInlineAsmOp)
    if _convert_special_register(converter, op):
        return
    pack = op.packed_element.value.data
    results = [element_type(result.type) for result in op.results]
    operands = [element_type(arg.type) for arg in op.args]
    constraints = _constraints(op, results, operands, pack)
    count = layout(op.results[0]).register_count if is_tensor(op.results[0]) else 1
    if count > pack and count % pack:
        raise CompilationError(
            f"pack must divide the elements of a thread, or be more; found pack = {pack} and {count} elements",
            location_of(op),
        )
    asm = cuda.InlineAsmOp(
        cuda_text(op.asm_string.data),
        constraints,
        pack,
        op.pure.value.data == 0,
        [converter.array(arg) for arg in op.args],
        [converter.converted_type(result.type) for result in op.results],
    )
    converter.emitter.add_op(asm)
    for old, new in zip(op.results, asm.results, strict=True):
        converter.set(old, new)


def _convert_special_register(converter: Converter, op: tt.ElementwiseInlineAsmOp) -> bool:
    """The clock and the number of the multiprocessor have names of their own, which the CPU device knows too."""
    function = {GLOBAL_TIMER: "global_timer", PROCESSOR_ID: "processor_id"}.get(op.asm_string.data)
    if function is None or op.args or is_tensor(op.results[0]):
        return False
    if function == "global_timer":
        converter.set(op.results[0], converter.emitter.add(cuda.GlobalTimerOp()))
    else:
        converter.set(op.results[0], converter.emitter.add(cuda.CallOp(function, [], op.results[0].type)))
    return True


def cuda_text(asm: str) -> str:
    """`$0` as `%0`, `$$` as `$`, and `%` as `%%`."""
    text = asm.replace("%", "%%")
    text = re.sub(r"\$(?:\$|(\d+)|\{(\d+)(?::\w+)?\})", lambda m: f"%{m[1] or m[2]}" if m[1] or m[2] else "$", text)
    return text


def elements_per_register(type: Attribute, pack: int) -> int:
    """How many of `pack` elements share a register of 32 bits."""
    bits = 64 if isinstance(type, tt.PointerType) else bit_width(type)
    return min(pack, 32 // max(bits, 8)) if bits < 32 else 1


def _constraints(
    op: tt.ElementwiseInlineAsmOp, results: Sequence[Attribute], operands: Sequence[Attribute], pack: int
) -> tuple[list[str], list[str], list[str]]:
    """The constraints of outputs and inputs, and what is clobbered."""
    words = [word.strip() for word in op.constraints.data.split(",") if word.strip()]
    outputs = [word[1:].lstrip("&") for word in words if word.startswith("=")]
    clobbers = [word[2:-1] for word in words if word.startswith("~{")]
    inputs = [word for word in words if not word.startswith(("=", "~"))]
    for what, found, types in (("output", outputs, results), ("input", inputs, operands)):
        needed = sum(-(-pack // elements_per_register(type, pack)) for type in types)
        if len(found) != needed:
            raise CompilationError(
                f"the constraints {op.constraints.data!r} have {len(found)} {what} registers, and {needed} are needed",
                location_of(op),
                hint="elements of less than 32 bits share registers of 32 bits, as many as fit and as pack has",
            )
        for word in found:
            if word not in REGISTERS:
                raise CompilationError(
                    f"the constraint {word!r} is not supported",
                    location_of(op),
                    hint=f"the constraints of registers are {', '.join(REGISTERS)}",
                )
    return outputs, inputs, clobbers
