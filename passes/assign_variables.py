"""`assign-variables`: every value gets its place in the C text: a variable, or the expression that uses it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from mytriton.codegen.variables import ALL, ASSIGNED
from mytriton.dialects import cuda
from mytriton.dialects.building import walk
from mytriton.passes.variables.attributes import AttributeWriter
from mytriton.passes.variables.coalescing import Variables
from mytriton.passes.variables.inlining import Inlining
from mytriton.passes.variables.liveness import Liveness
from mytriton.passes.variables.preparation import erase_dead, repeat_splats, settle_single_iterations


@dataclass(frozen=True)
class AssignVariables(ModulePass):
    """The last pass: names the variables of each kernel and says where they are declared and changed.

    A value that a loop carries is updated in place where nothing needs the old value any longer, a register array as
    well as a scalar. What the attributes mean is in `mytriton/codegen/variables.py`. A pass that runs later may leave
    them wrong; running this pass again makes them anew.
    """

    name = "assign-variables"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, cuda.FuncOp):
                assign_variables(function)


def assign_variables(function: cuda.FuncOp) -> None:
    """Give a kernel the attributes that the printer reads; dead operations are removed."""
    ops = walk(function)
    for op in ops:
        if op.attributes:
            for attribute in (*ALL, ASSIGNED):
                op.attributes.pop(attribute, None)
    settle_single_iterations(ops)
    erase_dead(function.body.block)
    repeat_splats(walk(function))
    ops = walk(function)
    inlining = Inlining(function)
    variables = Variables(ops, inlining, Liveness(function, inlining))
    AttributeWriter(function, ops, inlining, variables).write()
    function.attributes[ASSIGNED] = UnitAttr()
