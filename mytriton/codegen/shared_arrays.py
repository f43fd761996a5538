"""Arrays in shared memory and views into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mytriton.codegen.types import scalar_type
from mytriton.codegen.variables import RESULTS, expect_names
from mytriton.dialects import cuda

if TYPE_CHECKING:
    from mytriton.codegen.statements import Statements

DYNAMIC_SHARED = "dynamic_shared"


def write_shared_array(out: Statements, op: cuda.SharedArrayOp) -> None:
    assert isinstance(op.result.type, cuda.SharedType)
    alignment = f"__align__({op.alignment.value.data})"
    if op.dynamic is not None:
        out.expressions.names[op.result] = DYNAMIC_SHARED
        out.line(f"extern __shared__ {alignment} unsigned char {DYNAMIC_SHARED}[];")
        return
    (name,) = expect_names(op, RESULTS, 1)
    out.bind([op.result], [name])
    extents = "".join(f"[{extent}]" for extent in op.result.type.get_shape())
    is_pool = any(isinstance(use.operation, cuda.SharedViewOp) for use in op.result.uses)
    target = f"unsigned char {name}" if is_pool else out.typed(op.result.type.element_type, name)
    out.line(f"__shared__ {alignment} {target}{extents};")


def write_shared_view(out: Statements, op: cuda.SharedViewOp) -> None:
    """`float (*a)[16] = (float (*)[16])(pool + 1024);`: a pointer to rows, so that a[i][j] works as for an array."""
    assert isinstance(op.result.type, cuda.SharedType)
    (name,) = expect_names(op, RESULTS, 1)
    out.bind([op.result], [name])
    _, *rows = op.result.type.get_shape()
    c_type = scalar_type(op.result.type.element_type)
    out.expressions.use_type(c_type)
    pool, offset = out.expressions.of(op.pool).text, op.offset.value.data
    start = f"({pool} + {offset})" if offset else pool
    if not rows:
        out.line(f"{c_type} *{name} = ({c_type} *){start};")
        return
    extents = "".join(f"[{extent}]" for extent in rows)
    out.line(f"{c_type} (*{name}){extents} = ({c_type} (*){extents}){start};")
