"""`inline-calls`: the bodies of called functions in place of the calls."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import CallSiteLoc, ModuleOp, StringAttr, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mytriton.dialects import tt
from mytriton.dialects.building import walk
from mytriton.errors import CompilationError
from mytriton.passes.locations import location_of

PRIVATE = StringAttr("private")


@dataclass(frozen=True)
class InlineCalls(ModulePass):
    """Replaces every `tt.call` by the body of its function; private functions go, as nothing calls them any more.

    Functions that call themselves, directly or by way of others, are refused: a kernel has no stack for them.
    """

    name = "inline-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not any(type(inner) is tt.CallOp for inner in walk(op)):
            _erase_private_functions(op)
            return
        functions = {f.sym_name.data: f for f in op.body.block.ops if isinstance(f, tt.FuncOp)}
        done: set[str] = set()
        for name in functions:
            _inline_into(name, functions, done, ())
        _erase_private_functions(op)


def _erase_private_functions(module: ModuleOp) -> None:
    for op in list(module.body.block.ops):
        if isinstance(op, tt.FuncOp) and op.sym_visibility == PRIVATE:
            Rewriter.erase_op(op)


def _inline_into(name: str, functions: dict[str, tt.FuncOp], done: set[str], callers: tuple[str, ...]) -> None:
    """Inlines all calls in a function, those in its callees first."""
    if name in done:
        return
    function = functions[name]
    for call in [op for op in function.walk() if isinstance(op, tt.CallOp)]:
        callee = call.callee.string_value()
        if callee in (*callers, name):
            raise CompilationError(
                f"the function {callee} calls itself: {' -> '.join((*callers, name, callee))}",
                location_of(call),
                hint="write it as a loop",
            )
        if callee not in functions or not functions[callee].body.blocks:
            raise CompilationError(f"the called function {callee} has no body", location_of(call))
        _inline_into(callee, functions, done, (*callers, name))
        _inline(call, functions[callee])
    done.add(name)


def _inline(call: tt.CallOp, function: tt.FuncOp) -> None:
    """call f(args) -> the operations of f on args"""
    if len(function.body.blocks) != 1:
        raise CompilationError(
            f"the called function {function.sym_name.data} has unstructured control flow (cf branches)",
            location_of(call),
        )
    block = function.body.block
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, call.operands, strict=True))
    clones: list[Operation] = []
    for op in block.ops:
        if isinstance(op, tt.ReturnOp):
            results = [mapping.get(value, value) for value in op.operands]
            for clone in clones:
                for inner in clone.walk():
                    inner.location = _called_from(inner, call)
            Rewriter.insert_op(clones, InsertPoint.before(call))
            for old, new in zip(call.results, results, strict=True):
                new.name_hint = old.name_hint or new.name_hint
            Rewriter.replace_op(call, [], results)
            return
        clones.append(op.clone(mapping))


def _called_from(op: Operation, call: Operation) -> CallSiteLoc | UnknownLoc:
    if isinstance(op.location, UnknownLoc):
        return UnknownLoc() if isinstance(call.location, UnknownLoc) else CallSiteLoc(call.location, call.location)
    return CallSiteLoc(op.location, call.location)
