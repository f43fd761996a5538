"""`insert-checks`: where a value is used that an operation has made a faulty one, the kernel reports it.

Beside each value that may be faulty there is its shadow: 0, or the number of the operation that is to blame. There are
three kinds of faults, each with rules of its own: values that nothing defines (checks/undefined.py), numbers that have
wrapped on their way to an address (checks/wrapped.py), and NaN and infinities (checks/nonfinite.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mytriton.dialects import tt
from mytriton.dialects.building import walk
from mytriton.passes.assign_layouts import refuse_layouts
from mytriton.passes.checks.accesses import accessed_parameters
from mytriton.passes.checks.nonfinite import Nonfinite
from mytriton.passes.checks.ranges import Ranges
from mytriton.passes.checks.shadowing import Shadowing
from mytriton.passes.checks.tables import Tables
from mytriton.passes.checks.undefined import Undefined
from mytriton.passes.checks.wrapped import Wrapped
from mytriton.passes.expand_operations import expand_poison


@dataclass(frozen=True)
class InsertChecks(ModulePass):
    """store p, x -> ttg.check (shadow of x); store p, x, and the same for other uses of what may be faulty.

    `nonfinite`: also for NaN and infinities that are stored.
    """

    name = "insert-checks"

    nonfinite: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kinds = (Undefined, Wrapped, *((Nonfinite,) if self.nonfinite else ()))
        for function in walk(op):
            if isinstance(function, tt.FuncOp) and function.body.blocks:
                refuse_layouts(function)
                tables = Tables(function, accessed_parameters(function))
                for kind in kinds:
                    Shadowing(function, kind, tables, Ranges()).apply()
                tables.save()
                for inner in walk(function):
                    if inner.name == "ub.poison":
                        expand_poison(inner)
