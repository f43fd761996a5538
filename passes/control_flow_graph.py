"""The graph of the blocks of a region: who branches to whom, which blocks dominate which, and its loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Block, Region


def successors_of(block: Block) -> tuple[Block, ...]:
    """The blocks that a block may branch to; one that is named twice is there twice."""
    return () if block.last_op is None else tuple(block.last_op.successors)


@dataclass
class ControlFlowGraph:
    """The blocks that can be reached from the first one of a region.

    `order` has them in reverse postorder. `idom` has the immediate dominator of each, by the algorithm of Cooper,
    Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"), and `depth` how many dominators each has.
    """

    order: list[Block]
    number: dict[Block, int]
    predecessors: dict[Block, list[Block]]
    idom: dict[Block, Block]
    depth: dict[Block, int]

    @staticmethod
    def of(region: Region) -> ControlFlowGraph:
        order = _reverse_postorder(region.blocks[0])
        number = {block: index for index, block in enumerate(order)}
        predecessors: dict[Block, list[Block]] = {block: [] for block in order}
        for block in order:
            for successor in dict.fromkeys(successors_of(block)):
                predecessors[successor].append(block)
        idom = _immediate_dominators(order, number, predecessors)
        depth = {order[0]: 0}
        for block in order[1:]:
            depth[block] = depth[idom[block]] + 1
        return ControlFlowGraph(order, number, predecessors, idom, depth)

    def dominates(self, first: Block, second: Block) -> bool:
        """Whether every way to `second` goes through `first`; a block dominates itself."""
        while self.depth[second] > self.depth[first]:
            second = self.idom[second]
        return first is second

    def dominators(self, block: Block) -> list[Block]:
        """The other blocks that every way to a block goes through."""
        found: list[Block] = []
        while block is not self.idom[block]:
            block = self.idom[block]
            found.append(block)
        return found

    def irreducible_edge(self) -> tuple[Block, Block] | None:
        """An edge back to a block that does not dominate where it comes from, if there is one."""
        for block in self.order:
            for successor in successors_of(block):
                if self.number[successor] <= self.number[block] and not self.dominates(successor, block):
                    return block, successor
        return None

    def loops(self) -> dict[Block, set[Block]]:
        """Of each block that is branched back to, the blocks of the loop that it begins; the innermost loops first."""
        loops: dict[Block, set[Block]] = {}
        for header in reversed(self.order):
            tails = [tail for tail in self.predecessors[header] if self.number[tail] >= self.number[header]]
            if tails:
                loops[header] = self._body(header, tails)
        return loops

    def _body(self, header: Block, tails: Iterable[Block]) -> set[Block]:
        body = {header}
        pending = list(tails)
        while pending:
            block = pending.pop()
            if block not in body:
                body.add(block)
                pending.extend(self.predecessors[block])
        return body


def _reverse_postorder(first: Block) -> list[Block]:
    done: list[Block] = []
    seen = {first}
    pending = [(first, iter(successors_of(first)))]
    while pending:
        block, rest = pending[-1]
        following = next((successor for successor in rest if successor not in seen), None)
        if following is None:
            done.append(block)
            pending.pop()
        else:
            seen.add(following)
            pending.append((following, iter(successors_of(following))))
    return done[::-1]


def _immediate_dominators(
    order: list[Block], number: dict[Block, int], predecessors: dict[Block, list[Block]]
) -> dict[Block, Block]:
    idom = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [predecessor for predecessor in predecessors[block] if predecessor in idom]
            new = known[0]
            for other in known[1:]:
                while new is not other:
                    if number[new] > number[other]:
                        new = idom[new]
                    else:
                        other = idom[other]
            if idom.get(block) is not new:
                idom[block] = new
                changed = True
    return idom
