"""`structure-branches`: functions whose blocks branch to each other (`cf`) as nested `scf.if` and `scf.while`.

Triton's text has such functions where a kernel returns early. A conditional branch becomes an `scf.if` of what only the
one or the other side leads to. Where both lead on to more than one block, the `scf.if` also yields which of them is
next, and another `scf.if` asks for it; no block is copied. A block that is branched back to becomes an `scf.while` that
does its body once before each question. The idea is that of Bahmann and others, "Perfect Reconstructability of Control
Flow from Demand Dependence Graphs".
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mytriton.dialects import tt


@dataclass(frozen=True)
class StructureBranches(ModulePass):
    """Refuses functions that branch into the middle of a loop, and loops that nothing ends."""

    name = "structure-branches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, tt.FuncOp) and len(function.body.blocks) > 1:
                from mytriton.passes.branch_nesting import structure

                structure(function)
