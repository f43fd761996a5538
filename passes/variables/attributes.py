"""Writes the attributes that `mytriton/codegen/variables.py` describes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from mytriton.codegen.metadata import parameters
from mytriton.codegen.names import Scope
from mytriton.codegen.variables import (
    ALIGNED,
    ARGUMENTS,
    CONSTANT,
    DECLARED,
    RESULTS,
    TEMPORARIES,
    get_names,
    set_names,
)
from mytriton.dialects import cuda
from mytriton.dialects.building import operations
from mytriton.dialects.tt import PointerType
from mytriton.passes.variables.coalescing import Variable, Variables, is_commutative, yielded
from mytriton.passes.variables.inlining import Inlining
from mytriton.passes.variables.naming import declaration_point, hint_of, shared_name, vector_accessed


class AttributeWriter:
    """Writes the attributes, block by block in the order of the text."""

    def __init__(self, function: cuda.FuncOp, ops: Sequence[Operation], inlining: Inlining, variables: Variables):
        self._function = function
        self._ops = ops
        self._inlining = inlining
        self._variables = variables
        self._constant: set[Variable] = set()
        self._declared: dict[Operation, list[Variable]] = {}

    def write(self) -> None:
        function, scope = self._function, Scope()
        arguments = function.body.block.args
        known = parameters(function)
        names = [parameter.name for parameter in known]
        scope.names.update(names)
        for arg, name in zip(arguments, names, strict=True):
            self._name(arg, name)
        set_names(function, ARGUMENTS, names)
        self._find_declarations()
        self._find_constant_pointers({parameter.name for parameter in known if parameter.is_constant})
        self._block(function.body.block, Scope(scope))

    def _name(self, value: SSAValue, name: str) -> None:
        variable = self._variables.of(value)
        assert variable is not None
        variable.name = name

    def _find_declarations(self) -> None:
        order = {op: index for index, op in enumerate(self._ops)}
        seen: set[Variable] = set()
        for op in self._ops:
            for value in _variable_values(op):
                variable = self._variables.of(value)
                if variable is not None and variable not in seen:
                    seen.add(variable)
                    self._declared.setdefault(declaration_point(variable, order), []).append(variable)

    def _find_constant_pointers(self, marked: set[str]) -> None:
        """A pointer that is computed from one of the marked parameters points to constant data as well."""
        if not marked:
            return
        values: set[SSAValue] = set()
        for arg in self._function.body.block.args:
            variable = self._variables.of(arg)
            if variable is not None and variable.name in marked:
                values.add(arg)
        pending = list(values)
        while pending:
            for derived in self._derived_pointers(pending.pop()):
                if derived not in values:
                    values.add(derived)
                    pending.append(derived)
        for value in values:
            if (variable := self._variables.of(value)) is not None:
                self._constant.add(variable)

    def _derived_pointers(self, pointer: SSAValue) -> list[SSAValue]:
        derived: list[SSAValue] = []
        if (variable := self._variables.of(pointer)) is not None:
            derived += variable.values
        for use in pointer.uses:
            op = use.operation
            if isinstance(op, cuda.LoadOp | cuda.StoreOp | cuda.PtrCastOp | cuda.PtrToIntOp):
                continue
            if isinstance(op, scf.YieldOp | scf.ConditionOp):
                offset = 1 if isinstance(op, scf.ConditionOp) else 0
                derived += self._targets(op)[use.index - offset : use.index - offset + 1]
            elif isinstance(op, scf.ForOp):
                derived.append(op.body.block.args[use.index - 2])
            elif isinstance(op, scf.WhileOp):
                derived.append(op.before_region.block.args[use.index])
            else:
                derived += [result for result in op.results if isinstance(result.type, PointerType)]
        return derived

    def _block(self, block: Block, scope: Scope) -> None:
        for op in operations(block):
            self._operation(op, scope)

    def _operation(self, op: Operation, scope: Scope) -> None:
        declared = self._declared.get(op, ())
        for variable in declared:
            variable.name = self._new_name(op, variable, scope)
        if declared:
            set_names(op, DECLARED, [variable.name for variable in declared])
            set_names(op, ALIGNED, [v.name for v in declared if vector_accessed(v.values)])
            set_names(op, CONSTANT, [v.name for v in declared if v in self._constant])
        if op.results:
            names = [self._name_of(result) for result in op.results]
            if any(names):
                set_names(op, RESULTS, names)
        if op.__class__ not in _WITH_INNER_NAMES:
            return
        match op:
            case scf.ForOp():
                self._temporaries(op, op.iter_args, op.body.block.args[1:], scope)
                inner = Scope(scope)
                self._arguments(op, op.body.block.args[:1], ["i"], inner)
                self._block(op.body.block, inner)
            case scf.WhileOp():
                self._temporaries(op, op.arguments, op.before_region.block.args, scope)
                set_names(op, ARGUMENTS, [self._name_of(arg) for arg in op.before_region.block.args])
                before = Scope(scope)
                self._block(op.before_region.block, before)
                self._block(op.after_region.block, Scope(before))
            case cuda.MapOp() if op.size == op.step:
                self._block(op.body.block, scope)
            case cuda.MapOp():
                inner = Scope(scope)
                self._arguments(op, op.body.block.args, ["r"], inner)
                self._block(op.body.block, inner)
            case cuda.SplatOp():
                set_names(op, ARGUMENTS, [Scope(scope).declare("r")])
            case cuda.InlineAsmOp():
                inner = Scope(scope)
                set_names(op, ARGUMENTS, [inner.declare("r"), inner.declare("part")])
            case cuda.ButterflyOp():
                self._temporaries(op, op.values, op.outputs, scope)
                self._butterfly(op, Scope(scope))
            case scf.YieldOp() | scf.ConditionOp() | cuda.YieldOp():
                self._temporaries(op, yielded(op), self._targets(op), scope)
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        self._block(block, Scope(scope))

    def _new_name(self, op: Operation, variable: Variable, scope: Scope) -> str:
        if isinstance(op, cuda.SharedArrayOp) and op.dynamic is not None:
            return "dynamic_shared"
        if isinstance(op, cuda.SharedArrayOp | cuda.SharedViewOp):
            return scope.declare(shared_name(op))
        return scope.declare(hint_of(variable.values))

    def _name_of(self, value: SSAValue) -> str:
        variable = self._variables.of(value)
        return "" if variable is None else variable.name

    def _arguments(self, op: Operation, values: Sequence[SSAValue], defaults: Sequence[str], scope: Scope) -> None:
        names = [scope.declare(value.name_hint or default) for value, default in zip(values, defaults, strict=True)]
        for value, name in zip(values, names, strict=True):
            self._name(value, name)
        set_names(op, ARGUMENTS, names)

    def _butterfly(self, op: cuda.ButterflyOp, scope: Scope) -> None:
        """The mask and what the partners send; where the order counts, also which half it is and both in order."""
        count, arguments = len(op.values), op.body.block.args
        mask = scope.declare("mask")
        names = [self._name_of(output) for output in op.outputs]
        partners = zip(names, arguments[count:], strict=True)
        received = [scope.declare(partner.name_hint or f"other_{name}") for name, partner in partners]
        others: list[str] = []
        if is_commutative(op.body.block):
            bound = [*names, *received]
        else:
            bound = [scope.declare(f"{place}_{name}") for place in ("first", "second") for name in names]
            others = [scope.declare("is_upper"), *bound]
        for value, name in zip(arguments, bound, strict=True):
            self._name(value, name)
        assert len(bound) == 2 * count
        set_names(op, ARGUMENTS, [mask, *received, *others])
        self._block(op.body.block, scope)

    def _targets(self, terminator: Operation) -> Sequence[SSAValue]:
        """The values that a terminator gives its operands to."""
        match terminator.parent_op():
            case scf.ForOp() as op:
                return op.body.block.args[1:]
            case scf.IfOp() as op:
                return op.output
            case scf.WhileOp() as op:
                before, after = op.before_region.block.args, op.after_region.block.args
                return after if isinstance(terminator, scf.ConditionOp) else before
            case cuda.MapOp() | cuda.ButterflyOp() as op:
                return op.outputs
            case _:
                return ()

    def _temporaries(
        self, op: Operation, sources: Sequence[SSAValue], targets: Sequence[SSAValue], scope: Scope
    ) -> None:
        """A temporary for each source that a copy made before its own would change."""
        written: set[Variable | None] = set()
        names: list[str] = []
        constant: list[str] = []
        for source, target in zip(sources, targets, strict=True):
            variable = self._variables.of(target)
            assert variable is not None
            needs_one = bool(written & self._read(source))
            names.append(scope.declare(f"{variable.name}_next") if needs_one else "")
            if needs_one and variable in self._constant:
                constant.append(names[-1])
            if isinstance(op, cuda.YieldOp) or self._variables.of(source) is not variable:
                written.add(variable)
        if isinstance(op, scf.ConditionOp):
            changes = bool(written & self._read(op.condition))
            names.insert(0, scope.declare("goes_on") if changes else "")
        if any(names):
            set_names(op, TEMPORARIES, names)
            set_names(op, CONSTANT, [*get_names(op, CONSTANT), *constant])

    def _read(self, value: SSAValue) -> set[Variable | None]:
        """The variables that a value's text reads."""
        if value not in self._inlining.in_place:
            return {self._variables.of(value)}
        assert isinstance(value.owner, Operation)
        read: set[Variable | None] = set()
        for operand in value.owner.operands:
            read |= self._read(operand)
        return read


_WITH_INNER_NAMES = frozenset(
    (
        scf.ForOp,
        scf.WhileOp,
        scf.IfOp,
        scf.YieldOp,
        scf.ConditionOp,
        cuda.MapOp,
        cuda.SplatOp,
        cuda.InlineAsmOp,
        cuda.ButterflyOp,
        cuda.YieldOp,
    )
)
"""The operations that hold others, pass values on or need names of their own."""


def _variable_values(op: Operation) -> Sequence[SSAValue]:
    """The values that an operation introduces and that are declared where it stands or before."""
    if op.regions and isinstance(op, scf.WhileOp):
        return [*op.before_region.block.args, *op.results]
    return op.results
