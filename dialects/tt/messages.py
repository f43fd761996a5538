"""What a running program tells or promises."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I1, DenseArrayBase, IntegerAttr, StringAttr, i1, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import i32_array, initialize, value_of
from mytriton.dialects.tensor_types import element_type
from mytriton.dialects.tt.constraints import ScalarOrTensor
from mytriton.dialects.tt.types import FALSE, TRUE


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Prints values, each element with the text in front of it."""

    name = "tt.print"

    prefix = prop_def(StringAttr)
    hex = prop_def(IntegerAttr[I1])
    is_signed = prop_def(DenseArrayBase.constr(i32), prop_name="isSigned")
    args = var_operand_def(ScalarOrTensor())

    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$prefix attr-dict (`:` $args^ `:` type($args))?"

    def __init__(self, prefix: str, hex: bool, args: Sequence[SSAValue | Operation], is_signed: Sequence[bool]):
        super().__init__(
            operands=[args],
            properties={
                "prefix": StringAttr(prefix),
                "hex": TRUE if hex else FALSE,
                "isSigned": DenseArrayBase.from_list(i32, [int(signed) for signed in is_signed]),
            },
        )

    def verify_(self) -> None:
        count = len(self.is_signed.get_values())
        if count != len(self.args):
            raise VerifyException(f"expected isSigned for {len(self.args)} values, found {count}")


@irdl_op_definition
class AssertOp(IRDLOperation):
    """Ends the launch with an error where an element of the condition is false."""

    name = "tt.assert"

    condition = operand_def(ScalarOrTensor())
    message = prop_def(StringAttr)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$condition `,` $message attr-dict `:` type($condition)"

    def __init__(self, condition: SSAValue | Operation, message: str):
        initialize(self, operands=(value_of(condition),), properties={"message": StringAttr(message)})

    def verify_(self) -> None:
        if element_type(self.condition.type) != i1:
            raise VerifyException(f"expected an i1 or a tensor of i1, found {self.condition.type}")


@irdl_custom_directive
class NoOperandBundles(CustomDirective):
    """Nothing in the text: an attribute that the generic form alone shows."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.attr.set(state, i32_array())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Prints nothing."""


@irdl_op_definition
class AssumeOp(IRDLOperation):
    """Promises that a condition holds wherever the operation is reached; nothing checks it.

    The name is the one that it has in Triton's text.
    """

    name = "llvm.intr.assume"

    condition = operand_def(i1)
    op_bundle_sizes = opt_prop_def(DenseArrayBase)

    # It must not be erased as an operation without a purpose.
    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (NoOperandBundles,)
    assembly_format = "$condition custom<NoOperandBundles>($op_bundle_sizes) attr-dict `:` type($condition)"

    def __init__(self, condition: SSAValue | Operation):
        initialize(self, operands=(value_of(condition),), properties={"op_bundle_sizes": i32_array()})
