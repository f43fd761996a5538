"""Random kernels: the same ones for the same seed.

Only what all devices must agree on is generated. Every value carries how far two devices may be apart (`Value.error`):
integers and the exact operations on floats give 0, and only such values are compared, made integers, or decide
anything; the others end in stores, which get a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.program import Program
from tests.fuzz.statements.control_flow import ControlFlow

ARCHITECTURES = ("sm_75", "sm_80", "sm_80", "sm_90a", "sm_90a", "sm_100")


def generate(seed: int, index: int) -> Program:
    """The program number `index` of a seed."""
    return Generator(seed, index).program()


class Generator(ControlFlow):
    """The choice of statements."""

    def program(self) -> Program:
        self._preamble()
        for _ in range(self.random.randint(2, 3)):
            self.load(self.shape())
        self.block(self.random.randint(4, 16) if self.chance(0.75) else self.random.randint(16, 36))
        self._store_the_rest()
        warps = self.random.choice((1, 1, 2, 2, 4, 4, 4, 8, 8, 16))
        more = tuple(other for other in (1, 2, 4, 8) if other != warps and self.random.random() < 0.05)
        return Program(
            self.name,
            self.helpers,
            self.lines,
            self.arrays,
            self.scalars,
            self.constants,
            self.grid,
            warps,
            more,
            self.random.choice(ARCHITECTURES),
            self.for_oracle,
            self.random.random() < 1 / 8,
        )

    def block(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def statement(self) -> None:
        choices: list[tuple[float, Callable[[], object]]] = [
            (6, self.binary),
            (3, self.compare),
            (2, self.logical),
            (3, self.unary),
            (3, self.cast),
            (3, self.where),
            (3, self.reduction),
            (4, self.reshaping),
            (1.5, self.fresh_value),
            (1, self.clamp),
            (0.5, self.ternary),
            (4, self.rearrangement),
            (0.7, self.float8_binary),
            (0.3, self.chain),
            (0.3, self.power),
            (0.5, self.library_function),
            (0.8, self.subscript),
        ]
        if not self.in_helper:
            choices += [(2, lambda: self.load(self.shape())), (1.2, self.dot), (0.5, self.matmul)]
            choices += [(0.7, self.moving_pointers), (1, self.float_sum_loop), (0.4, self.tuple_loop)]
            choices += [(1, self.load_tile), (0.5, self.read_again), (0.3, self.shifting_loop)]
            choices += [(0.2 if not self.for_oracle else 0, self.scaled_dot)]
            choices += [(0.6 if not self.for_oracle else 0, self.atomic)]
        if self.depth < 2:
            choices += [(1, self.conditional)]
            if not self.in_helper:
                choices += [(1.2, self.for_loop), (0.6, self.while_loop), (0.4, self.static_loop)]
        if not self.in_helper and self.loops == 0 and self.depth < 2:
            choices += [(1.2, self.call)]
        if not self.in_helper and self.depth and self.loops == 0:
            choices += [(0.4, self.some_store)]
        if not self.in_helper and self.loops == 0:
            choices += [(0.4, self.store_tile)]
        if not self.in_helper and self.depth == 0:
            choices += [(0.15, self.leave_kernel)]
        weights = [weight for weight, _ in choices]
        self.random.choices([run for _, run in choices], weights)[0]()

    def some_store(self) -> None:
        value = self.pick(lambda v: True)
        if value is not None:
            self.store(value)
