"""cse: an operation that computes what an earlier one has computed is replaced by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsolatedFromAbove

from mytriton.dialects.building import erase
from mytriton.passes.effects import Effects, effects_of, is_unused, stays_without_uses


@dataclass(frozen=True)
class CommonSubexpressionElimination(ModulePass):
    """Computes equal things once: an operation gives way to an equal one before it, in its block or around it.

    An operation that reads memory does so only in its own block and where nothing is written in between.
    """

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _Driver().run(op)


class _Driver:
    """A walk in program order with the operations that dominate the current one, by what they compute."""

    def __init__(self) -> None:
        self._known: dict[Any, Operation] = {}
        self._attributes: dict[Attribute, int] = {}
        # By identity, and holding on to the attribute so that no other gets its identity.
        self._numbers: dict[int, tuple[int, Attribute]] = {}
        self._writes = 0
        self._dead: list[Operation] = []

    def run(self, root: Operation) -> None:
        for region in root.regions:
            self._simplify_region(region)
        erase_unused(self._dead)

    def _simplify_region(self, region: Region) -> None:
        for block in region.blocks:
            # Of several blocks, none is taken to dominate another.
            added: list[Any] = []
            self._simplify_block(block, added)
            for key in added:
                del self._known[key]

    def _simplify_block(self, block: Block, added: list[Any]) -> None:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if op.regions:
                self._simplify_inside(op)
            if is_unused(op):
                self._dead.append(op)
            elif not stays_without_uses(type(op)):
                self._simplify_operation(op, block, added)
            op = following

    def _simplify_inside(self, op: Operation) -> None:
        if not op.has_trait(IsolatedFromAbove, value_if_unregistered=True):
            for region in op.regions:
                self._simplify_region(region)
            return
        outer, self._known = self._known, {}
        for region in op.regions:
            self._simplify_region(region)
        self._known = outer

    def _simplify_operation(self, op: Operation, block: Block, added: list[Any]) -> None:
        effects = effects_of(op)
        if effects > Effects.READ:
            self._writes += 1
            return
        key = self._key(op, {})
        if effects is Effects.READ:
            key = (key, id(block), self._writes)
        known = self._known.setdefault(key, op)
        if known is op:
            added.append(key)
            return
        for old, new in zip(op.results, known.results, strict=True):
            old.replace_all_uses_with(new)
        erase(op)

    # What an operation computes

    def _key(self, op: Operation, inner: dict[SSAValue, int]) -> Any:
        """Equal for two operations if and only if they compute the same.

        `inner` numbers the values that are defined in the operation of which `op` is a part; they are equal if they are
        at the same place in it.
        """
        if inner:
            operands = tuple([inner.get(value, ~id(value)) for value in op.operands])
        else:
            operands = tuple([~id(value) for value in op.operands])
        key = (
            type(op),
            operands,
            self._named(op.properties) if op.properties else (),
            self._named(op.attributes) if op.attributes else (),
            *[self._number(result.type) for result in op.results],
        )
        if not op.regions:
            return key
        return (key, *[self._key_of_region(region, inner) for region in op.regions])

    def _key_of_region(self, region: Region, inner: dict[SSAValue, int]) -> Any:
        block = region.first_block
        if block is None:
            return ()
        if block is not region.last_block:
            return object()  # control flow inside is not compared
        for argument in block.args:
            inner[argument] = len(inner)
        types = tuple([self._number(argument.type) for argument in block.args])
        keys: list[Any] = [types]
        for op in block.ops:
            keys.append(self._key(op, inner))
            for result in op.results:
                inner[result] = len(inner)
        return tuple(keys)

    def _named(self, attributes: dict[str, Attribute]) -> Any:
        if len(attributes) == 1:
            ((name, attribute),) = attributes.items()
            return name, self._number(attribute)
        return frozenset((name, self._number(attribute)) for name, attribute in attributes.items())

    def _number(self, attribute: Attribute) -> int:
        found = self._numbers.get(id(attribute))
        if found is None:
            number = self._attributes.setdefault(attribute, len(self._attributes))
            found = self._numbers[id(attribute)] = (number, attribute)
        return found[0]


def erase_unused(operations: Iterable[Operation]) -> None:
    """Erases operations that are not used, and those that only they used."""
    pending = [*operations]
    while pending:
        op = pending.pop()
        if op.parent is None or not is_unused(op):
            continue
        operands = (*op.operands,)
        erase(op)
        pending.extend(owner for operand in operands if isinstance(owner := operand.owner, Operation))
