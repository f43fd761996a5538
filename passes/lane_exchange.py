"""A change of layout within warps as selections and shuffles.

One shuffle moves one register from each lane that sends to each lane that asks. So the registers of the wanted layout
are visited in an order that depends on the lane, such that at each step no lane is asked for two of its registers;
which register each lane sends then depends on the lane and on the step. All of it is linear over F2: a selection by
one parity of bits of the thread's index is a stage, which is one loop over registers, and the shuffles are another
loop. Neither the plan nor the text grows with the number of registers.

The idea, without copies of elements, is in "Linear Layouts: Robust Code Generation of Efficient Tensor Computation
Using F2" (https://arxiv.org/abs/2505.23819), section 5.4; that the order exists is that two subspaces of one dimension
have a common complement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mytriton.dialects.f2 import Span, combine
from mytriton.dialects.linear_layout import LANE, LANE_BITS, REGISTER, WARP, Basis, LinearLayout

SELECTION_COST = 0.5
"""A selection, where a shuffle counts 1: a multiprocessor does 64 of these and 32 of those in each cycle (CUDA C++
Programming Guide, table "Throughput of Native Arithmetic Instructions")."""


@dataclass(frozen=True)
class Stage:
    """new[x] = old[i ^ offset] where an odd number of bits of `threads` is set in the thread's index, else old[i].

    i is the exclusive or of `masks` over the bits of x, so there are 2**len(masks) elements in `new`; `old` has
    2**old_bits.
    """

    masks: tuple[int, ...]
    old_bits: int
    offset: int = 0
    threads: int = 0

    @property
    def selections(self) -> int:
        return 1 << len(self.masks) if self.threads else 0


@dataclass(frozen=True)
class LaneExchange:
    """The stages before the shuffles, the shuffles, and the stages after them.

    The shuffle of step s reads element s->`sent` of the lane s->`step_lanes` ^ thread->`thread_lanes`, where -> is the
    exclusive or of masks over the bits of the number before it.
    """

    before: tuple[Stage, ...]
    sent: tuple[int, ...]
    sent_bits: int
    step_lanes: tuple[int, ...]
    thread_lanes: tuple[int, ...]
    after: tuple[Stage, ...]

    @property
    def keeps_own_lane(self) -> bool:
        """Whether a lane only reads lanes whose distance does not depend on the lane."""
        own = tuple(1 << bit for bit in range(LANE_BITS))
        return self.thread_lanes[:LANE_BITS] == own and not any(self.thread_lanes[LANE_BITS:])

    @property
    def shuffles(self) -> int:
        """How many shuffles each lane takes part in; none where every lane has what it needs."""
        return 0 if self.keeps_own_lane and not any(self.step_lanes) else 1 << len(self.sent)

    @property
    def selections(self) -> int:
        return sum(stage.selections for stage in (*self.before, *self.after))

    @property
    def cost(self) -> float:
        """What one element of 32 bits costs, in shuffles."""
        return self.shuffles + SELECTION_COST * self.selections


@lru_cache(maxsize=1024)
def lane_exchange(source: LinearLayout, target: LinearLayout) -> LaneExchange | None:
    """The cheapest exchange found that turns `source` into `target`; None where elements must cross warps.

    Both have the same output sizes. Elements may be held several times in either.
    """
    layouts = _Layouts(source, target)
    if not layouts.stays_in_warps:
        return None
    plans: list[LaneExchange] = []
    for is_permuted in (False, True):
        lanes = layouts.visited_elements(is_permuted)
        plans += [_plan(layouts, lanes, prefers_own) for prefers_own in (True, False)]
    return min(plans, key=lambda plan: plan.cost)


def distance_in_warp(layout: LinearLayout, coordinates: Basis) -> tuple[int, int] | None:
    """By which bits of the register and of the lane the elements differ whose coordinates do by these bits.

    None where the warps differ too.
    """
    bases = layout.flat_bases
    registers = bases.get(REGISTER, ())
    mask = Span((*registers, *bases.get(LANE, ()))).solve(layout.flatten(coordinates))
    return None if mask is None else (mask & (1 << len(registers)) - 1, mask >> len(registers))


@dataclass(frozen=True)
class _VisitedElements:
    """What each lane asks for at step 0: its element (one for each bit of the lane), and by which steps its registers
    are renumbered to make it so."""

    elements: tuple[int, ...]
    moved_steps: tuple[int, ...]


class _Layouts:
    """Both layouts as flat bases, and where the source has an element."""

    def __init__(self, source: LinearLayout, target: LinearLayout):
        mine, theirs = source.flat_bases, target.flat_bases
        self.registers, self.lanes = mine.get(REGISTER, ()), _filled(mine.get(LANE, ()), LANE_BITS)
        self.wanted_registers, self.wanted_lanes = theirs.get(REGISTER, ()), _filled(theirs.get(LANE, ()), LANE_BITS)
        warp_bits = max(source.input_bits(WARP), target.input_bits(WARP))
        held_warps, wanted_warps = (_filled(bases.get(WARP, ()), warp_bits) for bases in (mine, theirs))
        self.warps = tuple(held ^ wanted for held, wanted in zip(held_warps, wanted_warps, strict=True))
        self.own = Span(self.registers)
        self.held = Span((*self.registers, *self.lanes))
        self.steps = _independent(self.wanted_registers)

    @property
    def stays_in_warps(self) -> bool:
        return all(vector in self.held for vector in (*self.wanted_registers, *self.wanted_lanes, *self.warps))

    def place(self, element: int) -> tuple[int, int]:
        """The register and the lane of an element; lane 0 where that has it."""
        mask = self.held.combination(element)
        return mask & (1 << len(self.registers)) - 1, mask >> len(self.registers)

    def spare_lanes(self) -> list[int]:
        """A basis of the lanes that hold what lane 0 holds, in whatever registers."""
        span, spare = Span(self.registers), list[int]()
        for bit, vector in enumerate(self.lanes):
            mask = span.solve(vector)
            if mask is not None:
                spare.append(mask >> len(self.registers) | 1 << bit)
            span.add(vector)
        return spare

    def visited_elements(self, is_permuted: bool) -> _VisitedElements:
        """With `is_permuted`, lanes start at such registers that as few as possible ask one lane for different ones."""
        elements: list[int] = []
        moved: list[int] = []
        asked = Span(self.registers)
        known = Span(self.steps)
        for vector in self.wanted_lanes:
            mask = known.solve(vector)
            if mask is not None:
                move = mask & (1 << len(self.steps)) - 1
            else:
                moves = [0, *(1 << bit for bit in range(len(self.steps)))] if is_permuted else [0]
                move = next((move for move in moves if vector ^ combine(self.steps, move) not in asked), 0)
            element = vector ^ combine(self.steps, move)
            asked.add(element)
            known.add(element)
            elements.append(element)
            moved.append(move)
        return _VisitedElements(tuple(elements), tuple(moved))


def _plan(layouts: _Layouts, visited: _VisitedElements, prefers_own: bool) -> LaneExchange:
    source_lanes, sends, left_over = _source_lanes(layouts, visited, prefers_own)
    rounds = _independent(left_over)
    step_places = [layouts.place(step) for step in layouts.steps]
    warp_places = [layouts.place(vector) for vector in layouts.warps]
    # What a lane sends at a step: the register of the step, and one that depends on the thread.
    sent = [register ^ combine(sends, lane) for register, lane in step_places] + rounds
    by_thread = [*sends, *(register ^ combine(sends, lane) for register, lane in warp_places)]
    before, sent_masks, sent_bits = _stages_before(len(layouts.registers), sent, by_thread)
    return LaneExchange(
        before,
        sent_masks,
        sent_bits,
        tuple([lane for _, lane in step_places] + [0] * len(rounds)),
        (*source_lanes, *(lane for _, lane in warp_places)),
        _stages_after(layouts, visited.moved_steps, [Span(rounds).combination(vector) for vector in left_over]),
    )


def _source_lanes(
    layouts: _Layouts, visited: _VisitedElements, prefers_own: bool
) -> tuple[list[int], list[int], list[int]]:
    """From which lane each lane reads, which register each lane sends, and by how much that is not the one asked for.

    Each has one entry for each bit of the lane. With `prefers_own`, a lane that needs what others ask for too reads its
    own copy; otherwise it reads the one that they read, which leaves other copies to others.
    """
    spare = layouts.spare_lanes()
    chosen: list[int] = [0] * LANE_BITS
    left_over: list[int] = [0] * LANE_BITS
    lanes, registers = Span(), list[int]()
    elements, readers = Span(), list[int]()
    order = sorted(range(LANE_BITS), key=lambda bit: not prefers_own and _is_repeated(visited.elements, bit))
    for bit in order:
        element = visited.elements[bit]
        options = [1 << bit] if layouts.lanes[bit] ^ element in layouts.own else []
        _, lane = layouts.place(element)
        options += [lane, *(lane ^ other for other in spare)]
        shared = elements.solve(element)
        if shared is not None and not prefers_own:
            options = [combine([chosen[reader] for reader in readers], shared)]
        lane = next((option for option in options if option not in lanes), options[0])
        register = layouts.own.combination(element ^ combine(layouts.lanes, lane))
        known = lanes.solve(lane)
        if known is None:
            lanes.add(lane)
            registers.append(register)
        else:
            left_over[bit] = register ^ combine(registers, known)
        chosen[bit] = lane
        elements.add(element)
        readers.append(bit)
    for bit in range(LANE_BITS):  # lanes from which nobody reads may send anything
        lanes.add(1 << bit)
        registers.append(0)
    sends = [combine(registers, lanes.combination(1 << bit)) for bit in range(LANE_BITS)]
    return chosen, sends, left_over


def _is_repeated(elements: Sequence[int], bit: int) -> bool:
    return elements[bit] in Span(elements[:bit])


def _stages_before(
    register_bits: int, sent: Sequence[int], by_thread: Sequence[int]
) -> tuple[tuple[Stage, ...], tuple[int, ...], int]:
    """The stages that bring what each thread sends to where all threads find it, and where that is for each step."""
    moves = _independent(by_thread)
    if not moves:
        return (), tuple(sent), register_bits
    moving = Span(moves)
    masks = [_transposed([moving.combination(vector) for vector in by_thread], bit) for bit in range(len(moves))]
    basis = _independent(sent)
    places = tuple(Span(basis).combination(vector) for vector in sent)
    bits = len(basis)
    # Backwards from what is sent: first the moves that need nothing more, while the arrays are small.
    order = sorted(range(len(moves)), key=lambda number: moves[number] not in Span(basis))
    stages: list[Stage] = []
    for number in order:
        size, span = len(basis), Span(basis)
        offset = span.solve(moves[number])
        if offset is None:
            basis.append(moves[number])
            offset = 1 << size
        identity = tuple(1 << bit for bit in range(size))
        stages.append(Stage(identity, len(basis), offset, masks[number]))
    first = stages.pop()
    first_masks = tuple(basis[: len(first.masks)])
    stages.append(Stage(first_masks, register_bits, combine(basis, first.offset), first.threads))
    return tuple(reversed(stages)), places, bits


def _stages_after(layouts: _Layouts, moved_steps: Sequence[int], wanted_rounds: Sequence[int]) -> tuple[Stage, ...]:
    """The stages that keep the round in which the right register came, and bring the steps in the target's order."""
    steps = len(layouts.steps)
    rounds = max((mask.bit_length() for mask in wanted_rounds), default=0)
    stages: list[Stage] = []
    for number in reversed(range(rounds)):
        bits = steps + number
        identity = tuple(1 << bit for bit in range(bits))
        stages.append(Stage(identity, bits + 1, 1 << bits, _transposed(wanted_rounds, number)))
    moves = _independent(moved_steps)
    moving = Span(moves)
    by_lane = [moving.combination(vector) for vector in moved_steps]
    identity = tuple(1 << bit for bit in range(steps))
    for number, move in enumerate(moves):
        stages.append(Stage(identity, steps, move, _transposed(by_lane, number)))
    span = Span(layouts.steps)
    registers = tuple(span.combination(vector) for vector in layouts.wanted_registers)
    if registers != identity:
        if moves:
            last = stages.pop()
            stages.append(Stage(registers, steps, last.offset, last.threads))
        else:
            stages.append(Stage(registers, steps))
    return tuple(stages)


def _filled(vectors: Sequence[int], count: int) -> tuple[int, ...]:
    return (*vectors, *(0 for _ in range(count - len(vectors))))


def _independent(vectors: Sequence[int]) -> list[int]:
    """The vectors that are not in the span of those before them."""
    span = Span()
    return [vector for vector in vectors if span.add(vector)]


def _transposed(columns: Sequence[int], row: int) -> int:
    """Which columns have a 1 in a row."""
    return sum(1 << number for number, column in enumerate(columns) if column >> row & 1)
