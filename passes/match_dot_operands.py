"""`match-dot-operands`: loads that feed `tl.dot` and read a tile of a matrix say so.

A load of `base + rows * row_stride + columns` under the mask `(rows < row_bound) & (columns < column_bound)` becomes a
`ttg.global_tile` and a `ttg.load_tile`, so that the tile can be copied straight to shared memory. What computed the
tensors of pointers and masks goes with the load unless something else uses it. Any other load stays as it is, with a
remark that names the condition that fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from mytriton.diagnostics import emit_remark
from mytriton.dialects import arith, tt, ttg
from mytriton.passes.global_tile_plan import GlobalTilePlan, NearMiss, origin, plan_global_tile
from mytriton.passes.scalars import Scalar


@dataclass(frozen=True)
class MatchDotOperands(ModulePass):
    """load of a tile of a matrix, used by dot -> load_tile(global_tile)"""

    name: ClassVar[str] = "match-dot-operands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        operands = {
            operand: (dot, name)
            for dot in op.walk()
            if isinstance(dot, tt.DotOp)
            for operand, name in ((dot.a, "a"), (dot.b, "b"))
        }
        for operand, (dot, name) in operands.items():
            load = operand.owner
            try:
                if not isinstance(load, tt.LoadOp):
                    raise NearMiss(f"it comes from {origin(operand)}, expected tl.load")
                if not all(isinstance(use.operation, tt.DotOp) for use in operand.uses):
                    raise NearMiss("what it loads is used by other operations too")
                plan = plan_global_tile(load)
            except NearMiss as reason:
                subject = load if isinstance(load, tt.LoadOp) else dot
                emit_remark(subject, f"operand {name} of tl.dot is not copied directly to shared memory: {reason}")
                continue
            replace_load(load, plan)


def replace_load(load: tt.LoadOp, plan: GlobalTilePlan) -> None:
    """tt.load(...) -> ttg.load_tile(ttg.global_tile(plan)); what only the load needed is erased."""
    builder = Builder(InsertPoint.before(load))

    def insert(op: Operation, hint: str | None) -> OpResult:
        op.location = load.location
        builder.insert(op)
        op.results[0].name_hint = hint
        return op.results[0]

    def scalar(plan: Scalar, hint: str) -> SSAValue:
        total: SSAValue | None = None
        for term in plan.terms:
            if term.type != plan.type:
                term = insert(arith.ExtSIOp(term, plan.type), term.name_hint)
            total = term if total is None else insert(arith.AddiOp(total, term), hint)
        if total is not None and plan.constant == 0:
            return total
        constant = insert(arith.ConstantOp.of(plan.type, plan.constant), hint if total is None else None)
        return constant if total is None else insert(arith.AddiOp(total, constant), hint)

    tile = ttg.GlobalTileOp(
        plan.base,
        scalar(plan.row_offset, "row_offset"),
        scalar(plan.column_offset, "column_offset"),
        scalar(plan.row_stride, "row_stride"),
        scalar(plan.row_bound, "row_bound"),
        scalar(plan.column_bound, "column_bound"),
        insert(arith.ConstantOp(plan.other), "zero"),
        plan.shape,
        plan.is_unsigned,
    )
    name = load.result.name_hint
    insert(tile, f"{name}_tile" if name else None)
    loaded = insert(ttg.LoadTileOp(tile.result, load.result.type), name)
    load.result.replace_all_uses_with(loaded)
    erase_with_unused_operands(load)


def erase_with_unused_operands(op: Operation) -> None:
    """Erases `op` and, going backwards, every operation that has no effect and no user left because of that."""
    worklist = [op]
    while worklist:
        dead = worklist.pop()
        owners = [operand.owner for operand in dict.fromkeys(dead.operands)]
        dead.detach()
        dead.erase()
        for owner in dict.fromkeys(owners):
            if isinstance(owner, Operation) and is_trivially_dead(owner):
                worklist.append(owner)
