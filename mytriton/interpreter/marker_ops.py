"""Operations that tell the interpreter where in the Python source a kernel is; see `markers.py`."""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def, var_operand_def
from xdsl.traits import Pure


@irdl_op_definition
class MarkerOp(IRDLOperation):
    """Says where the kernel is: `index` is that of an entry in the list of what the markers of the module say."""

    name = "debugger.marker"

    index = prop_def(IntAttr)
    values = var_operand_def()


@irdl_op_definition
class PureMarkerOp(IRDLOperation):
    """The same, on what may run although its result turns out not to be needed."""

    name = "debugger.pure_marker"

    index = prop_def(IntAttr)
    values = var_operand_def()

    traits = traits_def(Pure())
