"""What every kind of statement is made with."""

from __future__ import annotations

import math
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable

from tests.fuzz.data import ArraySpec
from tests.fuzz.program import Helper, Line, Statement
from tests.fuzz.values import (
    DTYPES,
    FLOAT8,
    FLOATS,
    LARGEST,
    Shape,
    Value,
    has_one_form,
    limits,
    zeros,
)

ANY_SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 20, 31, 32, 33, 48, 64, 96, 100, 128, 130, 256, 300)
POWERS_OF_TWO = (1, 2, 4, 8, 16, 32, 64, 128, 256)
GRIDS = ((1,), (1,), (2,), (3,), (5,), (2, 1), (2, 3), (1, 2, 2), (2, 1, 3))
MAX_SIZE = 2048
MAX_BOUND = 1e4
CLAMPED = 4.0
NAME = re.compile(r"[A-Za-z_]\w*")


class Base(ABC):
    """The program so far, and how statements and values are added to it."""

    def __init__(self, seed: int, index: int):
        self.random = random.Random(f"{seed}:{index}")
        self.name = f"fuzz_{seed}_{index}"
        self.for_oracle = self.random.random() < 0.25
        # Triton's interpreter does not compute with bfloat16.
        self.dtypes = [dtype for dtype in DTYPES if not (self.for_oracle and dtype == "bfloat16")]
        sizes = POWERS_OF_TWO if self.for_oracle else ANY_SIZES
        self.sizes = [self.random.choice(sizes) for _ in range(3)]
        self.sizes.append(self.random.choice([size for size in sizes if size <= 32]))
        self.values: list[Value] = []
        self.frozen: set[str] = set()
        self.read: set[str] = set()
        self.lines: list[Statement] = []
        self.arrays: list[ArraySpec] = []
        self.scalars: dict[str, int | float | bool] = {}
        self.constants: dict[str, int | bool] = {}
        self.helpers: list[Helper] = []
        self.numbers: dict[str, int] = {}
        self.depth = 0
        self.in_helper = False
        self.loops = 0
        self.grid = self.random.choice(GRIDS)
        self.programs = math.prod(self.grid)

    # Names, choices, statements

    def fresh(self, stem: str) -> str:
        number = self.numbers[stem] = self.numbers.get(stem, -1) + 1
        return f"{stem}{number}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def emit(self, text: str, *simpler: str) -> None:
        self.read |= set(NAME.findall(text.partition("=")[2] or text))
        self.lines.append(Line(text, simpler))

    def define(
        self, expression: str, shape: Shape, dtype: str, bound: float = math.inf, error: float = 0.0, pure: bool = False
    ) -> Value:
        is_pure = pure or has_one_form(dtype)
        value = Value(self.fresh("v"), shape, dtype, bound, error, is_pure)
        self.emit(f"{value.name} = {expression}", f"{value.name} = {zeros(shape, dtype)}")
        self.values.append(value)
        if self.chance(0.03):
            self.emit(f"tl.static_assert({value.name}.dtype == tl.{dtype})")
        return value

    def pick(self, accept: Callable[[Value], bool]) -> Value | None:
        """A value that is accepted, preferably one of the last."""
        found = [value for value in self.values if accept(value)]
        if not found:
            return None
        # Scalars are many, and what nothing reads yet would be dead code.
        if tensors := [value for value in found if value.shape and self.chance(0.8)]:
            found = tensors
        if unread := [value for value in found if value.name not in self.read and self.chance(0.5)]:
            found = unread
        return found[-1 - min(int(self.random.expovariate(0.25)), len(found) - 1)]

    def size_text(self, size: int) -> str:
        """The number, or a compile-time parameter that is that number."""
        if self.in_helper or not self.chance(0.2):
            return str(size)
        self.constants[f"B{size}"] = size
        return f"B{size}"

    def shape(self) -> Shape:
        while True:
            rank = self.random.choice((1, 1, 1, 1, 2, 2, 2, 2, 3, 4))
            shape = tuple(self.random.choice(self.sizes) for _ in range(rank))
            if math.prod(shape) <= (MAX_SIZE if self.chance(0.9) else 4 * MAX_SIZE):
                return shape

    def integer(self, dtype: str) -> int:
        low, high = limits(dtype) if dtype != "int1" else (0, 1)
        choices = [0, 1, 2, 3, 5, 7, 16, 100, high, low, high - 1, -1, -2, -7]
        choices = [number for number in choices if low <= number <= high]
        return self.random.choice(choices)

    def real(self) -> float:
        return self.random.choice((0.0, 0.5, -0.5, 1.0, -1.5, 2.0, 3.25, -0.125))

    def literal(self, dtype: str) -> str:
        if dtype in FLOATS or dtype in FLOAT8:
            return repr(self.real())
        if dtype == "int1":
            return str(self.chance(0.5))
        return str(self.integer(dtype))

    def any_dtype(self) -> str:
        """A dtype to load, store or cast to; now and then a float of 8 bits."""
        if not self.for_oracle and self.chance(0.12):
            return self.random.choice(FLOAT8)
        return self.random.choice(self.dtypes)

    def casts_alike(self, value: Value, dtype: str) -> bool:
        """Whether devices agree on the value after a cast."""
        if value.is_exact and not self.for_oracle:
            return True
        if value.is_float and dtype in FLOATS:
            return value.bound < LARGEST[dtype] / 2
        if not value.is_exact:
            return False
        if value.is_float:
            return dtype == "int1" or (value.bound < 100 and dtype.startswith("int"))
        return dtype not in ("float16", "bfloat16") or value.bound < 100

    @abstractmethod
    def block(self, count: int) -> None:
        """Adds `count` random statements."""
