"""The names of all passes, and the one ordered list that takes a kernel from `tt` to `cuda`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeAlias

from xdsl.passes import ModulePass

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mytriton.options import Options
    from mytriton.pass_manager import Observer

Checks: TypeAlias = Literal["default", "nonfinite"]
"""What a kernel with checks reports: undefined values and numbers that have wrapped, or NaN and infinities as well."""

PASS_NAMES = (
    "structure-branches",
    "inline-calls",
    "lower-descriptors",
    "expand-operations",
    "raise-exchanges",
    "insert-checks",
    "canonicalize",
    "cse",
    "combine-dot-add",
    "scalarize-loop-pointers",
    "match-dot-operands",
    "coalesce",
    "assign-layouts",
    "remove-layout-conversions",
    "decompose-reductions",
    "decompose-scans",
    "decompose-sorts",
    "decompose-gathers",
    "allocate-shared",
    "lower-cooperative-copy",
    "insert-barriers",
    "lower-dot-fma",
    "vectorize-accesses",
    "convert-to-cuda",
    "inline-maps",
    "expand-small-floats",
    "infer-no-wrap",
    "assign-variables",
    "tt-to-cuda",
)
"""Every pass of mytriton: `a-b` is in `passes/a_b.py`."""


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """For each pass name a function that imports the pass; nothing is imported before it is called."""
    return {name: _importer(name) for name in PASS_NAMES}


def _importer(name: str) -> Callable[[], type[ModulePass]]:
    def load() -> type[ModulePass]:
        module = import_module(f"mytriton.passes.{name.replace('-', '_')}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, ModulePass) and vars(value).get("name") == name:
                return value
        raise ImportError(f"{module.__name__} defines no pass named {name!r}")

    return load


def standard_passes(options: Options, checks: Checks | None = None) -> list[ModulePass]:
    """The passes from `tt` to printable `cuda`, in order; with `checks` the kernel reports faulty values."""
    from xdsl.transforms.loop_invariant_code_motion import LoopInvariantCodeMotionPass

    from mytriton.passes.allocate_shared import AllocateShared
    from mytriton.passes.assign_layouts import AssignLayouts
    from mytriton.passes.assign_variables import AssignVariables
    from mytriton.passes.canonicalize import Canonicalize
    from mytriton.passes.coalesce import Coalesce
    from mytriton.passes.combine_dot_add import CombineDotAdd
    from mytriton.passes.convert_to_cuda import ConvertToCuda
    from mytriton.passes.cse import CommonSubexpressionElimination
    from mytriton.passes.decompose_gathers import DecomposeGathers
    from mytriton.passes.decompose_reductions import DecomposeReductions
    from mytriton.passes.decompose_scans import DecomposeScans
    from mytriton.passes.decompose_sorts import DecomposeSorts
    from mytriton.passes.expand_operations import ExpandOperations
    from mytriton.passes.expand_small_floats import ExpandSmallFloats
    from mytriton.passes.infer_no_wrap import InferNoWrap
    from mytriton.passes.inline_calls import InlineCalls
    from mytriton.passes.inline_maps import InlineMaps
    from mytriton.passes.insert_barriers import InsertBarriers
    from mytriton.passes.lower_cooperative_copy import LowerCooperativeCopy
    from mytriton.passes.lower_descriptors import LowerDescriptors
    from mytriton.passes.lower_dot_fma import LowerDotFma
    from mytriton.passes.match_dot_operands import MatchDotOperands
    from mytriton.passes.raise_exchanges import RaiseExchanges
    from mytriton.passes.remove_layout_conversions import RemoveLayoutConversions
    from mytriton.passes.scalarize_loop_pointers import ScalarizeLoopPointers
    from mytriton.passes.structure_branches import StructureBranches
    from mytriton.passes.vectorize_accesses import VectorizeAccesses

    inserted: list[ModulePass] = []
    if checks is not None:
        from mytriton.passes.insert_checks import InsertChecks

        # before anything is folded, such as a quotient by zero; masks that are the same are to be one value
        inserted = [CommonSubexpressionElimination(), InsertChecks(nonfinite=checks == "nonfinite")]
    return [
        # tt: what the program means
        StructureBranches(),
        InlineCalls(),
        LowerDescriptors(zeros=checks is not None),
        ExpandOperations(keeps_poison=checks is not None),
        RaiseExchanges(),
        *inserted,
        Canonicalize(),
        CommonSubexpressionElimination(),
        CombineDotAdd(),
        ScalarizeLoopPointers(),
        MatchDotOperands(),
        LoopInvariantCodeMotionPass(),
        # ttg: where each element lives
        Coalesce(num_warps=options.num_warps),
        AssignLayouts(num_warps=options.num_warps),
        RemoveLayoutConversions(),
        DecomposeReductions(),
        DecomposeScans(),
        DecomposeSorts(),
        DecomposeGathers(),
        VectorizeAccesses(),
        AllocateShared(arch=options.arch, dynamic=options.dynamic_shared),
        LowerCooperativeCopy(),
        InsertBarriers(),
        LowerDotFma(),
        # cuda: what one thread does
        ConvertToCuda(),
        InlineMaps(),
        # once more: inlining has left index arithmetic twice in one region
        Canonicalize(),
        CommonSubexpressionElimination(),
        ExpandSmallFloats(),
        InferNoWrap(),
        AssignVariables(),
    ]


def run_standard_pipeline(
    module: ModuleOp,
    options: Options,
    observers: tuple[Observer, ...] = (),
    *,
    verify: bool = False,
    checks: Checks | None = None,
) -> None:
    """Lowers a module of the `tt` level to printable `cuda`, in place; with `verify` it is verified after each pass."""
    from mytriton.pass_manager import run_passes
    from mytriton.ttir import make_context

    run_passes(make_context(), module, standard_passes(options, checks), verify=verify, observers=observers)
