"""canonicalize: folds operations, applies the rewrites that they bring along, and removes what nothing uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder
from xdsl.transforms.canonicalization_patterns.scf import RehoistConstInLoops
from xdsl.transforms.dead_code_elimination import region_dce

from mytriton.dialects.building import erase, insert_before, walk
from mytriton.passes.effects import Effects, effects_of, is_unused


@dataclass(frozen=True)
class Canonicalize(ModulePass):
    """Folds, applies the rewrites of each dialect, removes what nothing uses, moves constants out of loops."""

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _Driver(ctx).run(op)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What can be done with the operations of one class."""

    folder: type[HasFolder] | HasFolder | None
    patterns: tuple[RewritePattern, ...]
    is_constant: bool


@cache
def _rules(op_class: type[Operation]) -> _Rules | None:
    """None for a class with which nothing can be done."""
    is_constant = any(isinstance(trait, ConstantLike) for trait in op_class.traits)
    # A constant folds to itself.
    folder = None if is_constant else op_class.get_trait(HasFolder)
    patterns = [
        pattern
        for trait in op_class.get_traits_of_type(HasCanonicalizationPatternsTrait)
        for pattern in trait.get_patterns(op_class)
        if not isinstance(pattern, RehoistConstInLoops)  # the driver does this
    ]
    return _Rules(folder, tuple(patterns), is_constant) if folder or patterns or is_constant else None


class _Driver:
    """Visits every operation in program order, and again those that may have come in reach of a rewrite.

    A rewrite looks at operands, at their operands and at how often these are used. So a change of an operation puts it
    and its users on the worklist, and the removal of an operation the last one that still uses the same operand.
    """

    def __init__(self, context: Context):
        self._context = context
        self._worklist: list[Operation] = []
        self._queued: set[int] = set()
        # Values that have lost a use in the rewrite that is going on.
        self._released: list[SSAValue] = []
        self._starts_again = False
        self._rewriter: PatternRewriter | None = None
        self._materializers: dict[str, ConstantMaterializationInterface | None] = {}

    def run(self, module: ModuleOp) -> None:
        changed = True
        while changed:
            self._starts_again = False
            has_branches = self._visit_all(module)
            changed = self._starts_again
            if has_branches:
                changed |= region_dce(module.body)

    def _visit_all(self, module: ModuleOp) -> bool:
        """Returns whether there is a region of several blocks, some of which may not be reachable."""
        operations = walk(module)
        for op in reversed(operations[1:]):
            if is_unused(op):
                erase(op)
            else:
                self._push(op)
        worklist, queued = self._worklist, self._queued
        while worklist:
            op = worklist.pop()
            if id(op) in queued:
                queued.remove(id(op))
                self._visit(op)
                if self._released:
                    self._check_released()
        return any(len(region.blocks) > 1 for op in operations for region in op.regions)

    # The worklist

    def _push(self, op: Operation) -> None:
        if id(op) in self._queued or (rules := _rules(type(op))) is None:
            return
        if rules.is_constant and not isinstance(op.parent_op(), scf.ForOp):
            return
        self._queued.add(id(op))
        self._worklist.append(op)

    def _push_changed(self, op: Operation) -> None:
        self._push(op)
        for result in op.results:
            for use in result.uses:
                self._push(use.operation)

    def _before_removal(self, op: Operation) -> None:
        """Takes an operation that a rewrite removes, and all inside of it, off the worklist."""
        if op.regions or effects_of(op) > Effects.READ:
            # What is around it may have become removable, and what was inside may have gone elsewhere.
            self._starts_again = True
        self._forget(op)

    def _forget(self, op: Operation) -> None:
        for inner in walk(op) if op.regions else (op,):
            self._queued.discard(id(inner))
            self._released.extend(inner.operands)

    def _check_released(self) -> None:
        """Removes what has lost its last use; whoever alone is left with a value is visited again."""
        while self._released:
            value = self._released.pop()
            use, owner = value.first_use, value.owner
            if use is not None:
                if value.has_one_use():
                    self._push(use.operation)
            elif isinstance(owner, Operation) and owner.parent is not None and is_unused(owner):
                self._forget(owner)
                erase(owner)

    # One operation

    def _visit(self, op: Operation) -> None:
        if is_unused(op):
            self._forget(op)
            erase(op)
            return
        rules = _rules(type(op))
        assert rules is not None
        if rules.is_constant:
            _move_out_of_loops(op)
            return
        if rules.folder is not None and (folded := rules.folder.fold(op)) is not None:
            if (values := self._values(op, folded)) is not None:
                self._replace(op, values)
                return
        if rules.patterns:
            self._apply(rules.patterns, op)

    def _values(self, op: Operation, folded: Sequence[SSAValue | Attribute]) -> list[SSAValue] | None:
        """What the results of `op` fold to, with constants inserted for attributes; None where there are none."""
        constants: list[Operation] = []
        values: list[SSAValue] = []
        for value, result in zip(folded, op.results, strict=True):
            if isinstance(value, Attribute):
                constant = self._constant(op.dialect_name(), value, result.type)
                if constant is None:
                    return None
                constant.location = op.location
                constants.append(constant)
                value = constant.results[0]
            values.append(value)
        insert_before(constants, op)
        for constant in constants:
            self._push(constant)
        return values

    def _constant(self, dialect_name: str, value: Attribute, type: Attribute) -> Operation | None:
        if dialect_name not in self._materializers:
            dialect = self._context.get_dialect(dialect_name)
            self._materializers[dialect_name] = dialect.get_interface(ConstantMaterializationInterface)
        interface = self._materializers[dialect_name]
        return None if interface is None else interface.materialize_constant(value, type)

    def _replace(self, op: Operation, values: Sequence[SSAValue]) -> None:
        for old, new in zip(op.results, values, strict=True):
            users = [use.operation for use in old.uses]
            old.replace_all_uses_with(new)
            for user in users:
                self._push_changed(user)
        self._forget(op)
        erase(op)

    def _apply(self, patterns: Sequence[RewritePattern], op: Operation) -> None:
        rewriter = self._rewriter
        if rewriter is None:
            rewriter = self._rewriter = PatternRewriter(op)
            rewriter.extend_from_listener(
                PatternRewriterListener(
                    operation_insertion_handler=[self._push],
                    operation_removal_handler=[self._before_removal],
                    operation_modification_handler=[self._push_changed],
                )
            )
        rewriter.has_done_action = False
        rewriter.current_operation = op
        rewriter.insertion_point = InsertPoint.before(op)
        rewriter.name_hint = None
        for pattern in patterns:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return


def _move_out_of_loops(op: Operation) -> None:
    """Moves a constant before the outermost of the loops that stand directly around it."""
    target = op
    while isinstance(loop := target.parent_op(), scf.ForOp):
        target = loop
    if target is not op:
        op.detach()
        insert_before((op,), target)
