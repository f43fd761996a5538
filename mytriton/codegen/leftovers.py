"""Operations that a pass should have removed before printing, and what is said about them."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mytriton.codegen.errors import codegen_error
from mytriton.dialects.building import walk
from mytriton.errors import CompilationError
from mytriton.passes.removed_by import REMOVED_BY

STAGED_DOT = "CUDA shared-memory staging for tl.dot is implemented, but CUDA computation for tl.dot is not implemented"
PLAIN_DOT = "CUDA lowering for tl.dot is not implemented"


def leftover_error(op: Operation) -> CompilationError:
    """The error for an operation that has no C text."""
    if op.name == "ttg.dot":
        return codegen_error(op, STAGED_DOT)
    if op.name == "tt.dot":
        return codegen_error(op, PLAIN_DOT)
    removed_by = REMOVED_BY.get(op.name, "convert-to-cuda")
    return codegen_error(op, f"{op.name} cannot be written as CUDA C", f"the pass {removed_by} should have removed it")


def check_leftovers(module: ModuleOp) -> None:
    """Refuse a module that holds a dot, or a function that is not lowered; a staged dot is named first."""
    unlowered = [op for op in module.body.block.ops if op.name != "cuda.func"]
    dots = [op for op in walk(module) if op.name in ("ttg.dot", "tt.dot")]
    dots.sort(key=lambda op: op.name != "ttg.dot")
    for function in unlowered:
        # What a function holds says more about the pass that is missing than the function itself.
        dots += [op for region in function.regions for op in region.walk() if op.name in REMOVED_BY]
    for op in (*dots, *unlowered):
        raise leftover_error(op)
