"""Calls of functions of CUDA C."""

from __future__ import annotations

from xdsl.ir import Operation

from mytriton.codegen.expression import Expression
from mytriton.codegen.expressions import Expressions, Handler
from mytriton.codegen.types import is_integer
from mytriton.dialects import cuda
from mytriton.libdevice import UNSIGNED_RESULTS


def _call(expressions: Expressions, op: cuda.CallOp) -> Expression:
    function = op.function.data
    operands = [expressions.signed(arg) if is_integer(arg.type) else expressions.of(arg) for arg in op.args]
    return expressions.call(function, *operands)._replace(unsigned=function in UNSIGNED_RESULTS)


HANDLERS: dict[type[Operation], Handler] = {cuda.CallOp: _call}
