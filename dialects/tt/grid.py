"""The place of a program in the grid, and grids that overlap."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.irdl.declarative_assembly_format import AttributeVariable, irdl_custom_directive
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import initialize
from mytriton.dialects.enum_directive import EnumDirective

PROGRAM_DIMENSIONS = {"x": 0, "y": 1, "z": 2}


@irdl_custom_directive
class ProgramDimension(EnumDirective):
    WHAT: ClassVar[str] = "axis"
    WORDS: ClassVar[dict[str, int]] = PROGRAM_DIMENSIONS

    attr: AttributeVariable


class GridOp(IRDLOperation):
    """A number of the grid along one axis."""

    axis = prop_def(IntegerAttr[I32])
    result = result_def(i32)

    traits = traits_def(Pure())

    custom_directives = (ProgramDimension,)
    assembly_format = "custom<ProgramDimension>($axis) attr-dict `:` type($result)"

    def __init__(self, axis: int):
        initialize(self, result_types=(i32,), properties={"axis": IntegerAttr(axis, i32)})

    def verify_(self) -> None:
        if not 0 <= self.axis.value.data <= 2:
            raise VerifyException(f"expected an axis from 0 to 2, found {self.axis.value.data}")


@irdl_op_definition
class GetProgramIdOp(GridOp):
    """The index of this program instance along an axis of the grid."""

    name = "tt.get_program_id"


@irdl_op_definition
class GetNumProgramsOp(GridOp):
    """The number of program instances along an axis of the grid."""

    name = "tt.get_num_programs"


@irdl_op_definition
class GridDependencyWaitOp(IRDLOperation):
    """Waits until the kernel that was launched before has finished, where this one was started early."""

    name = "tt.grid_dependency_wait"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"


@irdl_op_definition
class GridDependencyLaunchDependentsOp(IRDLOperation):
    """Lets the next kernel start early, once all programs are here or have ended."""

    name = "tt.grid_dependency_launch_dependents"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"
