"""Random kernels: the same ones for the same seed.

Only what all devices must agree on is generated. Every value carries how far two devices may be apart (`Value.error`):
integers and the exact operations on floats give 0, and only such values are compared, made integers, or decide
anything; the others end in stores, which get a tolerance.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import replace

from tests.fuzz.data import ArraySpec
from tests.fuzz.program import Helper, Line, Program, Statement, Suite
from tests.fuzz.values import (
    DTYPES,
    EPSILON,
    FLOATS,
    INTEGERS,
    LARGEST,
    Shape,
    Value,
    bits,
    broadcast,
    is_signed,
    limits,
    promoted,
)

ANY_SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 20, 31, 32, 33, 48, 64, 96, 100, 128, 130, 256, 300)
POWERS_OF_TWO = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MAX_SIZE = 2048
MAX_BOUND = 1e4

_CLAMPED = 4.0
_NAME = re.compile(r"[A-Za-z_]\w*")


def generate(seed: int, index: int) -> Program:
    """The program number `index` of a seed."""
    return _Generator(seed, index).program()


class _Generator:
    def __init__(self, seed: int, index: int):
        self.random = random.Random(f"{seed}:{index}")
        self.name = f"fuzz_{seed}_{index}"
        self.for_oracle = self.random.random() < 0.35
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
        self.grid = self._grid()
        self.programs = math.prod(self.grid)

    def program(self) -> Program:
        self._preamble()
        for _ in range(self.random.randint(2, 3)):
            self.load(self.shape())
        self.block(self.random.randint(5, 22))
        self._store_the_rest()
        warps = self.random.choice((1, 2, 4, 4, 8))
        more = tuple(other for other in (1, 2, 4, 8) if other != warps and self.random.random() < 0.12)
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
            "sm_90a" if self.random.random() < 0.2 else "sm_80",
            self.for_oracle,
        )

    # Names, choices, statements

    def fresh(self, stem: str) -> str:
        number = self.numbers[stem] = self.numbers.get(stem, -1) + 1
        return f"{stem}{number}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def emit(self, text: str, *simpler: str) -> None:
        self.read |= set(_NAME.findall(text.partition("=")[2] or text))
        self.lines.append(Line(text, simpler))

    def define(
        self, expression: str, shape: Shape, dtype: str, bound: float = math.inf, error: float = 0.0, pure: bool = False
    ) -> Value:
        is_pure = pure or dtype not in FLOATS
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
            rank = self.random.choice((1, 1, 1, 2, 2, 2, 3))
            shape = tuple(self.random.choice(self.sizes) for _ in range(rank))
            if math.prod(shape) <= MAX_SIZE:
                return shape

    def integer(self, dtype: str) -> int:
        low, high = limits(dtype) if dtype != "int1" else (0, 1)
        choices = [0, 1, 2, 3, 5, 7, 16, 100, high, low, high - 1, -1, -2, -7]
        choices = [number for number in choices if low <= number <= high]
        return self.random.choice(choices)

    def real(self) -> float:
        return self.random.choice((0.0, 0.5, -0.5, 1.0, -1.5, 2.0, 3.25, -0.125))

    def literal(self, dtype: str) -> str:
        if dtype in FLOATS:
            return repr(self.real())
        if dtype == "int1":
            return str(self.chance(0.5))
        return str(self.integer(dtype))

    # The launch

    def _grid(self) -> tuple[int, ...]:
        return self.random.choice(((1,), (1,), (2,), (3,), (5,), (2, 1), (2, 3), (1, 2, 2), (2, 1, 3)))

    def _preamble(self) -> None:
        for axis in range(len(self.grid)):
            name = f"pid{axis}"
            self.emit(f"{name} = tl.program_id({axis})", f"{name} = tl.full((), 0, tl.int32)")
            self.values.append(Value(name, (), "int32", self.grid[axis], is_pure=True))
        text = "pid0"
        for axis in range(1, len(self.grid)):
            text = f"{text} + pid{axis} * {math.prod(self.grid[:axis])}"
            if axis == 1 and self.chance(0.5):
                text = "pid0 + pid1 * tl.num_programs(0)"
        self.emit(f"linear = {text}")
        self.values.append(Value("linear", (), "int32", self.programs, is_pure=True))
        for _ in range(self.random.randint(0, 2)):
            name = self.fresh("n")
            self.scalars[name] = self.random.choice((0, 1, 2, 3, 4, 7, 16, 33, 100))
            scalar = Value(self.fresh("s"), (), "int32", 128, is_pure=True)
            # A parameter that is 1 becomes a constant, which promotes in another way.
            self.emit(f"{scalar.name} = pid0 * 0 + {name}", f"{scalar.name} = tl.full((), 3, tl.int32)")
            self.values.append(scalar)

    # Memory

    def index(self, shape: Shape, order: Iterable[int] | None = None) -> str:
        """The row-major index of each element, or that for the axes in another order, as text."""
        if not shape:
            return "0"
        if len(shape) > 1 and order is None and self.chance(0.1):
            return f"tl.reshape(tl.arange(0, {math.prod(shape)}), {shape})"
        terms: list[str] = []
        stride = 1
        for axis in reversed(list(order) if order is not None else range(len(shape))):
            subscript = ", ".join(":" if i == axis else "None" for i in range(len(shape)))
            term = self._range(shape[axis])
            if len(shape) > 1:
                term += f"[{subscript}]"
            if stride != 1:
                term = f"{term} * {stride}" if self.chance(0.7) else f"{stride} * {term}"
            terms.append(term)
            stride *= shape[axis]
        if self.chance(0.5):
            terms.reverse()
        return " + ".join(terms)

    def _range(self, size: int) -> str:
        if self.chance(0.05) and not self.for_oracle:
            return f"(tl.arange({size}, {2 * size}) - {size})"
        return f"tl.arange(0, {self.size_text(size)})"

    def order(self, rank: int) -> list[int]:
        order = list(range(rank))
        if rank > 1 and self.chance(0.3):
            self.random.shuffle(order)
        return order

    def array(self, dtype: str, size: int, kind: str) -> ArraySpec:
        for spec in self.arrays:
            if not spec.is_output and (spec.dtype, spec.kind) == (dtype, kind) and spec.size >= size:
                if self.chance(0.4):
                    return spec
        spare = self.random.choice((0, 0, 1, 5))
        spec = ArraySpec(self.fresh("x"), dtype, size + spare, self.random.randrange(1 << 30), kind)
        self.arrays.append(spec)
        return spec

    def offsets(self, shape: Shape, order: Iterable[int] | None = None) -> str:
        """Names a variable with the position of each element in an array that has a tile for each program."""
        name = self.fresh("offs")
        text = self.index(shape, order)
        base = f"linear * {math.prod(shape)}"
        self.emit(f"{name} = {f'{base} + {text}' if self.chance(0.5) else f'({text}) + {base}'}")
        return name

    def load(self, shape: Shape, dtype: str | None = None, kind: str | None = None) -> Value:
        dtype = dtype or self.random.choice(self.dtypes)
        kind = kind or self.random.choice(("plain", "plain", "special"))
        small = 9.0 if dtype not in FLOATS else 4.0
        bound = small if kind == "plain" else math.inf
        size = math.prod(shape)
        indices = self.pick(lambda v: v.is_integer and v.shape == shape) if self.chance(0.25) else None
        if indices is not None:
            extent = self.random.choice((size, 17, 64, 100))
            offsets = self.fresh("offs")
            self.emit(
                f"{offsets} = ({indices.name}.to(tl.uint32) % {extent}).to(tl.int32)",
                f"{offsets} = {zeros(shape, 'int32')}",
            )
            extent_needed = extent
        else:
            offsets = self.offsets(shape, self.order(len(shape)))
            extent_needed = size * self.programs
        spec = self.array(dtype, extent_needed, kind)
        pointer = self._pointer(spec.name, offsets, size)
        mask = self._mask(shape, offsets, extent_needed) if self.chance(0.5) else None
        if mask is None:
            return self.define(f"tl.load({pointer})", shape, dtype, bound, pure=True)
        if self.chance(0.3):
            return self.define(f"tl.load({pointer}, mask={mask})", shape, dtype, bound, pure=True)
        if self.chance(0.6):
            text = self.random.choice(("0", "1", "0.0")) if dtype != "int1" else "0"
            text = f"{self.real()!r}" if dtype in FLOATS else text
            return self.define(f"tl.load({pointer}, mask={mask}, other={text})", shape, dtype, bound, pure=True)
        other = self.pick(lambda v: v.is_exact and v.shape in ((), shape) and v.dtype == dtype)
        text, other_bound = (other.name, other.bound) if other else ("0", 0.0)
        return self.define(
            f"tl.load({pointer}, mask={mask}, other={text})",
            shape,
            dtype,
            max(bound, other_bound),
            pure=other is None or other.is_pure,
        )

    def _pointer(self, base: str, offsets: str, size: int) -> str:
        choice = self.random.random()
        if choice < 0.6:
            return f"{base} + {offsets}"
        if choice < 0.7:
            return f"{base} + {offsets}.to(tl.int64)"
        name = self.fresh("ptr")
        if choice < 0.8:
            self.emit(f"{name} = {base} + {offsets}")
            return name
        if choice < 0.9:
            self.emit(f"{name} = {base} + linear * {size}")
            return f"{name} + ({offsets} - linear * {size})"
        self.emit(f"{name} = {base} + {offsets}\n{name} += 3")
        return f"{name} - 3"

    def _mask(self, shape: Shape, offsets: str, extent: int) -> str:
        masks: list[str] = []
        condition = (
            self.pick(lambda v: v.is_bool and (v.shape == shape or not (v.shape or self.for_oracle)))
            if self.chance(0.35)
            else None
        )
        if condition is not None:
            masks.append(condition.name)
        if len(shape) > 1 and self.chance(0.3):
            for axis, size in enumerate(shape):
                subscript = ", ".join(":" if i == axis else "None" for i in range(len(shape)))
                limit = self.random.randint(0, size + 1)
                masks.append(f"(tl.arange(0, {size})[{subscript}] < {limit})")
        if not masks or self.chance(0.4):
            limit = self._limit(extent)
            masks.append(self.random.choice((f"({offsets} < {limit})", f"({limit} > {offsets})")))
        text = " & ".join(masks)
        name = self.fresh("mask")
        self.emit(f"{name} = {text}", f"{name} = {zeros(shape, 'int1')}", f"{name} = {offsets} >= 0")
        return name

    def _limit(self, extent: int) -> str:
        choice = self.random.random()
        if choice < 0.3 and self.scalars and not self.in_helper:
            return self.random.choice(list(self.scalars))
        if choice < 0.6 and not self.in_helper:
            name = self.fresh("n")
            self.scalars[name] = self.random.choice((extent, extent // 2, extent - 1, self.random.randint(0, extent)))
            return name
        return str(self.random.randint(0, extent))

    def store(self, value: Value) -> None:
        dtype = value.dtype
        if value.is_exact and self.chance(0.15):
            dtype = self.random.choice(self.dtypes)
            dtype = dtype if self._casts_alike(value, dtype) else value.dtype
        size = value.size
        tolerance = 2 * value.error
        if tolerance and dtype != value.dtype:
            tolerance += 2 * EPSILON[dtype] * value.bound
        spec = ArraySpec(self.fresh("out"), dtype, size * self.programs, is_output=True, tolerance=tolerance)
        self.arrays.append(spec)
        offsets = self.offsets(value.shape, self.order(len(value.shape)))
        pointer = self._pointer(spec.name, offsets, size)
        if self.chance(0.4):
            mask = self._mask(value.shape, offsets, spec.size)
            self.emit(f"tl.store({pointer}, {value.name}, mask={mask})")
        else:
            self.emit(f"tl.store({pointer}, {value.name})")

    def _store_the_rest(self) -> None:
        unread = [value for value in self.values if value.name not in self.read]
        others = [value for value in self.values if value.name in self.read]
        chosen = self.random.sample(unread, min(6, len(unread)))
        chosen += self.random.sample(others, min(2, len(others)))
        for value in chosen:
            self.store(value)

    # Statements

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
        ]
        if not self.in_helper:
            choices += [(2, lambda: self.load(self.shape())), (1.2, self.dot), (0.8, self.matmul)]
            choices += [(0.7, self.moving_pointers), (1, self.float_sum_loop)]
        if self.depth < 2:
            choices += [(1, self.conditional)]
            if not self.in_helper:
                choices += [(1.2, self.for_loop), (0.6, self.while_loop), (0.4, self.static_loop)]
        if not self.in_helper and self.loops == 0 and self.depth < 2:
            choices += [(1.2, self.call)]
        if not self.in_helper and self.depth and self.loops == 0:
            choices += [(0.4, self.some_store)]
        weights = [weight for weight, _ in choices]
        self.random.choices([run for _, run in choices], weights)[0]()

    def some_store(self) -> None:
        value = self.pick(lambda v: True)
        if value is not None:
            self.store(value)

    def fresh_value(self) -> Value:
        """A constant, or numbers that depend on the place."""
        shape = self.shape()
        dtype = self.random.choice(self.dtypes)
        if self.chance(0.4):
            number = self.literal(dtype)
            bound = abs(float(eval(number)))
            return self.define(f"tl.full({shape}, {number}, tl.{dtype})", shape, dtype, bound, pure=True)
        cast = "int32" if dtype == "int1" or bits(dtype) < 16 else dtype
        text = f"({self.index(shape)})" + (f".to(tl.{cast})" if cast != "int32" else "")
        return self.define(text, shape, cast, math.prod(shape), pure=True)

    def pair(self, accept: Callable[[Value], bool]) -> tuple[Value, Value] | None:
        """Two values whose shapes broadcast to one that is not too large."""
        a = self.pick(accept)
        if a is None:
            return None

        def fits(b: Value) -> bool:
            shape = broadcast(a.shape, b.shape)
            return accept(b) and shape is not None and math.prod(shape) <= MAX_SIZE

        b = self.pick(lambda v: fits(v) and (v.shape == a.shape or self.chance(0.4)))
        if b is None:
            return None
        return (a, b) if self.chance(0.5) else (b, a)

    def binary(self) -> Value | None:
        pair = self.pair(lambda v: not v.is_bool)
        if pair is None:
            return None
        a, b = pair
        if self.chance(0.2):
            return self._binary_with_number(a)
        shape = broadcast(a.shape, b.shape)
        assert shape is not None
        common = promoted(a.dtype, b.dtype)
        assert common is not None
        if common in FLOATS:
            return self._float_binary(a, b, shape)
        return self._integer_binary(a, b, shape, common)

    def _binary_with_number(self, a: Value) -> Value | None:
        if a.is_float:
            number = Value(repr(self.real()), (), a.dtype, 4, is_pure=True)
            return self._float_binary(a, number, a.shape)
        text = str(self.integer(a.dtype))
        number = Value(text if text[0] != "-" else f"({text})", (), a.dtype, is_pure=True)
        return self._integer_binary(a, number, a.shape, a.dtype, is_number=True)

    def _integer_binary(self, a: Value, b: Value, shape: Shape, common: str, is_number: bool = False) -> Value | None:
        op = self.random.choice(("+", "-", "*", "+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "max", "min"))
        x, y = a.name, b.name
        if op in ("max", "min"):
            return self.define(f"tl.{op}imum({x}, {y})", shape, common)
        if op in ("//", "%"):
            if promoted(a.dtype, b.dtype, is_division=True) is None or (self.for_oracle and is_signed(common)):
                return None
            if self.for_oracle:
                y = f"({y} | 1)"
            elif is_number and b.name == "0":
                y = "3"
        elif op in ("<<", ">>"):
            if self.for_oracle or self.chance(0.7):
                if is_number:
                    y = str(self.random.randint(0, bits(common) - 1))
                else:
                    y = f"({y} & {bits(min(a.dtype, b.dtype, key=bits)) - 1})"
            elif is_number and y.startswith("("):
                y = str(bits(common) + 3) if bits(common) < 64 else "64"
        return self.define(f"{x} {op} {y}", shape, common)

    def _float_binary(self, a: Value, b: Value, shape: Shape) -> Value | None:
        op = self.random.choice(("+", "-", "*", "+", "-", "*", "/", "%", "max", "min"))
        common = promoted(a.dtype, b.dtype, is_division=op in ("/", "%"))
        assert common is not None
        exact = a.is_exact and b.is_exact
        if self.for_oracle and (op == "%" or "bfloat16" in (a.dtype, b.dtype)):
            return None
        x, y = a.name, b.name
        if op == "/" and not b.is_pure:
            y = f"(tl.abs({y}) + 1)" if b.is_float else f"({y} | 1)"
        if op == "/" and b.dtype in ("float16", "bfloat16") and not exact:
            return None
        if op == "%" and not exact:
            return None
        ma, mb = magnitude(a, common), magnitude(b, common)
        bound = {"+": ma + mb, "-": ma + mb, "*": ma * mb, "max": max(ma, mb), "min": max(ma, mb), "%": math.inf}.get(
            op, ma if y != b.name and b.is_float else math.inf
        )
        text = f"tl.{op}imum({x}, {y})" if op in ("max", "min") else f"{x} {op} {y}"
        if exact:
            bound = bound * 1.01 if bound < LARGEST[common] / 4 else math.inf
            pure = a.is_pure and b.is_pure and math.isfinite(bound) and op in ("+", "-", "*")
            return self.define(text, shape, common, bound, pure=pure)
        error = a.error + b.error
        if op == "*":
            error = ma * b.error + mb * a.error + a.error * b.error
        if op == "/":
            error = a.error + ma * b.error
        return self._approximate(text, shape, common, bound, error)

    def _approximate(self, text: str, shape: Shape, dtype: str, bound: float, error: float) -> Value | None:
        """Defines a value that devices agree on up to `error` and its rounding, unless they hardly agree."""
        if not math.isfinite(bound) or bound > MAX_BOUND:
            return None
        error += 4 * EPSILON[dtype] * bound
        if error > 0.05 * max(1.0, bound):
            return None
        return self.define(text, shape, dtype, bound * 1.01 + error, error)

    def compare(self) -> Value | None:
        pair = self.pair(lambda v: v.is_exact)
        if pair is None:
            return None
        a, b = pair
        op = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        if self.chance(0.3):
            number = self.literal(a.dtype)
            text = f"{a.name} {op} {number}" if self.chance(0.8) or a.is_bool else f"{number} {op} {a.name}"
            if a.is_bool:
                text = f"{a.name} == {number}"
            return self.define(text, a.shape, "int1")
        if a.is_bool or b.is_bool:
            op = self.random.choice(("==", "!="))
        if self.for_oracle and "bfloat16" in (a.dtype, b.dtype):
            return None
        shape = broadcast(a.shape, b.shape)
        assert shape is not None
        return self.define(f"{a.name} {op} {b.name}", shape, "int1")

    def logical(self) -> Value | None:
        pair = self.pair(lambda v: v.is_bool)
        if pair is None:
            return None
        a, b = pair
        shape = broadcast(a.shape, b.shape)
        assert shape is not None
        if self.chance(0.25):
            return self.define(f"~{a.name}", a.shape, "int1")
        if shape == () and self.chance(0.4):
            op = self.random.choice(("and", "or"))
            return self.define(f"{a.name} {op} (not {b.name})", (), "int1")
        return self.define(f"{a.name} {self.random.choice('&|^')} {b.name}", shape, "int1")

    def clamped(self, value: Value) -> Value:
        """The value itself where it is small, else what is left of it between two bounds."""
        if value.is_bool or value.bound <= 2 * _CLAMPED:
            return value
        low, high = (-4, 4) if is_signed(value.dtype) or value.is_float else (0, 4)
        text = f"tl.minimum(tl.maximum({value.name}, {low}), {high})"
        return self.define(text, value.shape, value.dtype, _CLAMPED, value.error)

    def clamp(self) -> Value | None:
        value = self.pick(lambda v: v.is_float and v.bound > 4)
        if value is None:
            return None
        if self.chance(0.5) and value.is_exact:
            text = f"tl.clamp({value.name}, -2.0, 3.5)"
            return self.define(text, value.shape, value.dtype, 3.5 if not self.for_oracle else math.inf)
        return self.clamped(value)

    def unary(self) -> Value | None:
        value = self.pick(lambda v: not v.is_bool)
        if value is None:
            return None
        name = value.name
        if value.is_integer:
            text = self.random.choice(
                (
                    f"-{name}",
                    f"~{name}",
                    f"tl.abs({name})",
                    f"{name} + 1",
                    "umulhi" if bits(value.dtype) >= 32 else f"-{name}",
                )
            )
            if text == "umulhi":
                text = f"tl.umulhi({name}, {name})"
            return self.define(text, value.shape, value.dtype)
        if self.chance(0.2):
            text = self.random.choice((f"-{name}", f"tl.abs({name})"))
            return self.define(text, value.shape, value.dtype, value.bound, value.error)
        if value.dtype not in ("float32", "float64"):
            return self.cast(value, self.random.choice(("float32", "float64")))
        if value.is_exact and self.chance(0.35):
            return self._exact_function(value)
        return self._approximate_function(value)

    def _exact_function(self, value: Value) -> Value:
        name = value.name
        match self.random.choice(("floor", "ceil", "sqrt", "fma")):
            case "sqrt":
                return self.define(f"tl.sqrt(tl.abs({name}))", value.shape, value.dtype, max(1.0, value.bound))
            case "fma":
                same = self.pick(lambda v: v.is_exact and (v.shape, v.dtype) == (value.shape, value.dtype))
                assert same is not None
                return self.define(f"tl.fma({name}, {same.name}, {name})", value.shape, value.dtype)
            case function:
                return self.define(f"tl.{function}({name})", value.shape, value.dtype, value.bound + 1)

    def _approximate_function(self, value: Value) -> Value | None:
        x = self.clamped(value)
        name, b, e, eps = x.name, x.bound, x.error, EPSILON[x.dtype]
        table: dict[str, tuple[str, float, float]] = {
            "exp": (f"tl.exp({name})", math.exp(b), math.exp(b) * (e + (b + 2) * eps)),
            "exp2": (f"tl.exp2({name})", 2**b, 2**b * (e + (b + 2) * eps)),
            "log": (f"tl.log(tl.abs({name}) + 0.5)", 3.0, 2 * e + 4 * eps),
            "log2": (f"tl.log2(tl.abs({name}) + 0.5)", 4.0, 3 * e + 4 * eps),
            "sin": (f"tl.sin({name})", 1.0, e + 4 * eps),
            "cos": (f"tl.cos({name})", 1.0, e + 4 * eps),
            "rsqrt": (f"tl.rsqrt(tl.abs({name}) + 0.5)", 1.5, 1.5 * e + 4 * eps),
            "erf": (f"tl.erf({name})", 1.0, 1.2 * e + 4 * eps),
            "sigmoid": (f"tl.sigmoid({name})", 1.0, e + 4 * eps),
        }
        if self.for_oracle:
            table.pop("erf")
        text, bound, error = table[self.random.choice(list(table))]
        return self._approximate(text, x.shape, x.dtype, bound, error)

    def _casts_alike(self, value: Value, dtype: str) -> bool:
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

    def cast(self, value: Value | None = None, dtype: str | None = None) -> Value | None:
        value = value or self.pick(lambda v: True)
        dtype = dtype or self.random.choice(self.dtypes)
        if value is None or value.dtype == dtype or not self._casts_alike(value, dtype):
            return None
        if value.is_pure and not value.is_bool and dtype != "int1" and bits(dtype) == bits(value.dtype):
            if self.chance(0.5) and not (self.for_oracle and "bfloat16" in (dtype, value.dtype)):
                return self.define(f"{value.name}.to(tl.{dtype}, bitcast=True)", value.shape, dtype, pure=True)
        text = f"{value.name}.to(tl.{dtype})" if self.chance(0.7) else f"tl.cast({value.name}, tl.{dtype})"
        if dtype not in FLOATS:
            return self.define(text, value.shape, dtype)
        bound = magnitude(value, dtype) * 1.01
        if value.is_float and bits(dtype) < bits(value.dtype) and self.chance(0.2) and not self.for_oracle:
            text = f"{value.name}.to(tl.{dtype}, fp_downcast_rounding='rtz')"
        if bound > LARGEST[dtype]:
            bound = math.inf
        if not value.is_exact:
            return self._approximate(text, value.shape, dtype, bound, value.error)
        return self.define(text, value.shape, dtype, bound, pure=value.is_pure and math.isfinite(bound))

    def where(self) -> Value | None:
        condition = self.pick(lambda v: v.is_bool or (v.is_integer and self.chance(0.1)))
        if condition is None:
            return None
        pair = self.pair(lambda v: broadcast(v.shape, condition.shape) is not None)
        if pair is None:
            return None
        a, b = pair
        inner = broadcast(a.shape, b.shape)
        shape = None if inner is None else broadcast(inner, condition.shape)
        common = promoted(a.dtype, b.dtype)
        if shape is None or common is None or math.prod(shape) > MAX_SIZE:
            return None
        if self.for_oracle and (a.dtype != b.dtype or condition.is_integer):
            return None
        text = f"tl.where({condition.name}, {a.name}, {b.name})"
        if common not in FLOATS:
            return self.define(text, shape, common)
        bound = max(magnitude(a, common), magnitude(b, common))
        if a.is_exact and b.is_exact:
            bound = bound * 1.01 if bound < LARGEST[common] / 4 else math.inf
            return self.define(text, shape, common, bound, pure=a.is_pure and b.is_pure and math.isfinite(bound))
        return self._approximate(text, shape, common, bound, max(a.error, b.error))

    def scalar_condition(self) -> Value:
        found = self.pick(lambda v: v.is_bool and v.shape == () and v.is_exact)
        if found is not None and self.chance(0.6):
            return found
        value = self.pick(lambda v: v.is_integer and v.shape == ())
        if value is None:
            value = self.pick(lambda v: v.is_integer and math.prod(v.shape) <= MAX_SIZE)
            if value is None:
                return self.define("tl.full((), True, tl.int1)", (), "int1")
            value = self.define(f"tl.max({value.name}).to(tl.int32)", (), "int32")
        text = self.random.choice((f"{value.name} > 1", f"{value.name} % 2 == 0", f"{value.name} != 3"))
        return self.define(text, (), "int1")

    def ternary(self) -> Value | None:
        a = self.pick(lambda v: v.is_exact)
        if a is None:
            return None
        b = self.pick(lambda v: v.is_exact and v.name != a.name and (v.shape, v.dtype) == (a.shape, a.dtype))
        if b is None:
            return None
        condition = self.scalar_condition()
        return self.define(f"{a.name} if {condition.name} else {b.name}", a.shape, a.dtype)

    # Shapes

    def reshaping(self) -> Value | None:
        value = self.pick(lambda v: bool(v.shape) or self.chance(0.1))
        if value is None:
            return None
        name, shape = value.name, value.shape
        kinds = ["reshape", "expand", "broadcast"]
        kinds += ["trans", "trans"] if len(shape) > 1 else []
        kinds += ["squeeze"] if 1 in shape and len(shape) > 1 else []
        match self.random.choice(kinds):
            case "reshape":
                target = self._factors(value.size)
                call = self.random.choice((f"tl.reshape({name}, {target})", f"{name}.reshape({target})"))
                if len(target) == 1 and self.chance(0.3):
                    call = f"tl.ravel({name})"
                return self._like(value, call, target) if shape else None
            case "expand" if len(shape) < 3:
                axis = self.random.randint(0, len(shape))
                target = (*shape[:axis], 1, *shape[axis:])
                subscript = ", ".join("None" if i == axis else ":" for i in range(len(target)))
                by_index = self.chance(0.6) and bool(shape)
                text = f"{name}[{subscript}]" if by_index else f"tl.expand_dims({name}, {axis})"
                return self._like(value, text, target) if shape else None
            case "broadcast":
                if not shape:
                    target = self.shape()
                    if self.chance(0.5):
                        return self._like(value, f"tl.broadcast_to({name}, {target})", target)
                    return self._like(value, f"tl.full({target}, {name}, tl.{value.dtype})", target)
                target = tuple(self.random.choice(self.sizes) if size == 1 else size for size in shape)
                if math.prod(target) > MAX_SIZE or target == shape:
                    return None
                return self._like(value, f"tl.broadcast_to({name}, {target})", target)
            case "trans":
                if len(shape) == 2:
                    text = self.random.choice((f"tl.trans({name})", f"{name}.T", f"tl.permute({name}, (1, 0))"))
                    return self._like(value, text, shape[::-1])
                order = list(range(len(shape)))
                self.random.shuffle(order)
                text = self.random.choice((f"tl.permute({name}, {tuple(order)})", f"tl.trans({name}, {tuple(order)})"))
                return self._like(value, text, tuple(shape[axis] for axis in order))
            case "squeeze":
                axis = self.random.choice([axis for axis, size in enumerate(shape) if size == 1])
                return self._like(value, f"tl.squeeze({name}, {axis})", shape[:axis] + shape[axis + 1 :])
            case _:
                return None

    def _like(self, value: Value, text: str, shape: Shape) -> Value:
        return self.define(text, shape, value.dtype, value.bound, value.error, value.is_pure)

    def _factors(self, size: int) -> Shape:
        target: list[int] = []
        left = size
        for _ in range(self.random.randint(0, 2)):
            factor = self.random.choice([factor for factor in range(1, left + 1) if left % factor == 0])
            target.append(factor)
            left //= factor
        target.append(left)
        self.random.shuffle(target)
        return tuple(target)

    # Reductions and products

    def reduction(self) -> Value | None:
        value = self.pick(lambda v: bool(v.shape))
        if value is None:
            return None
        rank = len(value.shape)
        axis = self.random.choice((*range(rank), *range(rank), -1, None))
        keep = self.chance(0.25)
        if axis is None:
            shape = (1,) * rank if keep else ()
            count = value.size
        else:
            position = axis % rank
            shape = (*value.shape[:position], *((1,) if keep else ()), *value.shape[position + 1 :])
            count = value.shape[position]
        arguments = f"axis={axis}" + (", keep_dims=True" if keep else "")
        if self.for_oracle and (value.dtype == "bfloat16" or value.is_bool):
            return None
        if value.is_float:
            return self._float_reduction(value, arguments, shape, count, axis)
        return self._integer_reduction(value, arguments, shape, axis)

    def _integer_reduction(self, value: Value, arguments: str, shape: Shape, axis: int | None) -> Value | None:
        name, dtype = value.name, value.dtype
        at_least_32 = dtype if bits(dtype) >= 32 else "int32"
        kinds = ["sum", "max", "min", "user"]
        kinds += ["xor_sum", "reduce_or"] if not value.is_bool and not self.for_oracle else []
        kinds += ["argmax", "argmin", "pair"] if axis is not None and not value.is_bool else []
        match self.random.choice(kinds):
            case "sum":
                result = dtype
                if bits(dtype) < 32:
                    result = "uint32" if dtype.startswith("uint") else "int32"
                if self.chance(0.15) and not value.is_bool:
                    arguments, result = f"{arguments}, dtype=tl.int64", "int64"
                return self.define(f"tl.sum({name}, {arguments})", shape, result)
            case ("max" | "min") as function:
                return self.define(f"tl.{function}({name}, {arguments})", shape, at_least_32)
            case ("xor_sum" | "reduce_or") as function:
                return self.define(f"tl.{function}({name}, {arguments})", shape, dtype)
            case ("argmax" | "argmin") as function:
                return self.define(f"tl.{function}({name}, {arguments})", shape, "int32")
            case "pair":
                largest, place = self.fresh("v"), self.fresh("v")
                self.emit(f"{largest}, {place} = tl.max({name}, {arguments}, return_indices=True)")
                self.values.append(Value(largest, shape, dtype, is_pure=True))
                self.values.append(Value(place, shape, "int32", is_pure=True))
                return self.values[-1]
            case _:
                expression = "a + b" if self.chance(0.3) else self.random.choice(("a * b", "a ^ b", "a & b", "a | b"))
                if value.is_bool:
                    expression = self.random.choice(("a ^ b", "a & b", "a | b"))
                combine = self._combination("a, b", [Line(f"return {expression}")])
                return self.define(
                    f"tl.reduce({name}, {self._axis(arguments)}, {combine}{self._keep(arguments)})", shape, dtype
                )

    @staticmethod
    def _axis(arguments: str) -> str:
        return arguments.split(",")[0].removeprefix("axis=")

    @staticmethod
    def _keep(arguments: str) -> str:
        return ", keep_dims=True" if "keep_dims" in arguments else ""

    def _combination(self, parameters: str, body: list[Statement]) -> str:
        for helper in self.helpers:
            if helper.parameters == parameters and helper.body == body:
                return helper.name
        name = self.fresh("combine")
        self.helpers.insert(0, Helper(name, parameters, body))
        return name

    def _float_reduction(
        self, value: Value, arguments: str, shape: Shape, count: int, axis: int | None
    ) -> Value | None:
        kinds = ["sum", "sum", "max", "min"]
        kinds += ["argmax", "argmin"] if value.is_exact and axis is not None else []
        kinds += ["user", "two"] if value.is_exact else []
        kind = self.random.choice(kinds)
        if kind in ("max", "min"):
            result = value.dtype if bits(value.dtype) >= 32 else "float32"
            return self.define(f"tl.{kind}({value.name}, {arguments})", shape, result, value.bound, value.error)
        if kind == "sum":
            value = self.clamped(value)
            if bits(value.dtype) == 16 and count > 8:
                value = self.cast(value, "float32") or value
            total = count * value.bound
            error = count * value.error + count * EPSILON[value.dtype] * total
            return self._approximate(f"tl.sum({value.name}, {arguments})", shape, value.dtype, total, error)
        value = self.clamped(value)
        if kind in ("argmax", "argmin"):
            return self.define(f"tl.{kind}({value.name}, {arguments})", shape, "int32")
        if kind == "user":
            body = self.random.choice(("return tl.where(a > b, a, b)", "return tl.minimum(a, b)"))
            combine = self._combination("a, b", [Line(body)])
            text = f"tl.reduce({value.name}, {self._axis(arguments)}, {combine}{self._keep(arguments)})"
            return self.define(text, shape, value.dtype, value.bound)
        weights = self.pick(lambda v: v.is_integer and v.shape == value.shape)
        if weights is None:
            return None
        combine = self._combination("a, n, b, m", [Line("return tl.maximum(a, b), n + m")])
        text = f"tl.reduce(({value.name}, {weights.name}), {self._axis(arguments)}, {combine}{self._keep(arguments)})"
        largest, total = self.fresh("v"), self.fresh("v")
        self.emit(f"{largest}, {total} = {text}")
        self.values.append(Value(largest, shape, value.dtype, value.bound))
        self.values.append(Value(total, shape, weights.dtype, is_pure=True))
        return self.values[-1]

    def dot(self) -> Value | None:
        """A product of operands that are computed."""
        small = [size for size in self.sizes if size <= 64] or [16]
        a = self.pick(lambda v: len(v.shape) == 2 and max(v.shape) <= 64 and v.dtype in (*FLOATS, "int8"))
        if self.for_oracle and a is not None and a.dtype in ("bfloat16", "int8"):
            a = None
        if a is None:
            dtype = self.random.choice(("float16", "float32", "float64", "bfloat16", "int8"))
            dtype = "float32" if self.for_oracle else dtype
            a = self.load((self.random.choice(small), self.random.choice(small)), dtype)
        k, dtype = a.shape[1], a.dtype
        b = self.pick(lambda v: len(v.shape) == 2 and v.shape[0] == k and v.shape[1] <= 64 and v.dtype == dtype)
        if b is None or self.chance(0.3):
            b = self.load((k, self.random.choice(small)), dtype)
        a, b = self.clamped(a), self.clamped(b)
        shape = (a.shape[0], b.shape[1])
        result = {"int8": "int32", "float64": "float64"}.get(dtype, "float32")
        arguments = ""
        accumulator = self.pick(lambda v: v.shape == shape and v.dtype == result and v.bound < 1000)
        if accumulator is not None and self.chance(0.5):
            arguments = f", {accumulator.name}"
        else:
            accumulator = None
        if dtype == "float16" and accumulator is None and self.chance(0.15):
            arguments, result = ", out_dtype=tl.float16", "float16"
        text = f"tl.dot({a.name}, {b.name}{arguments})"
        if dtype == "int8":
            return self.define(text, shape, result)
        extra = (0.0, 0.0) if accumulator is None else (accumulator.bound, accumulator.error)
        bound = k * a.bound * b.bound + extra[0]
        error = k * (a.bound * b.error + b.bound * a.error + a.error * b.error) + extra[1]
        return self._approximate(text, shape, result, bound, error + (k + 2) * EPSILON[result] * bound)

    def matmul(self) -> Value | None:
        """The canonical product of two matrices, with small changes now and then."""
        sizes = (4, 8, 16, 32) if self.for_oracle else (3, 4, 8, 12, 16, 20, 32, 33)
        bm, bn, bk = (self.random.choice(sizes) for _ in range(3))
        m, n, k = (self.random.randint(1, 40) for _ in range(3))
        dtype = self.random.choice(("float32", "float32", "float16", "bfloat16", "float64"))
        dtype = "float32" if self.for_oracle else dtype
        result = "float64" if dtype == "float64" else "float32"
        names = {axis: self.fresh(axis) for axis in "MNK"}
        self.scalars.update(zip(names.values(), (m, n, k), strict=True))
        left, right = self.array(dtype, m * k, "plain"), self.array(dtype, k * n, "plain")
        rows, columns, ks, acc = self.fresh("rows"), self.fresh("cols"), self.fresh("ks"), self.fresh("v")
        mm, nn, kk = names.values()
        program = self.random.choice(("pid0", "linear", "0"))
        self.emit(f"{rows} = {program} * {bm} + tl.arange(0, {bm})")
        self.emit(f"{columns} = tl.arange(0, {bn})" + self.random.choice(("", f" + linear * {bn}")))
        self.emit(f"{acc} = tl.zeros(({bm}, {bn}), tl.{result})")
        index, a, b = self.fresh("k"), self.fresh("a"), self.fresh("b")
        other = self.random.choice((", other=0.0", ", other=0", "", ", other=1.0"))
        a_mask = [f"({rows}[:, None] < {mm})", f"({ks}[None, :] < {kk})"]
        b_mask = [f"({ks}[:, None] < {kk})", f"({columns}[None, :] < {nn})"]
        self.random.shuffle(b_mask)
        if self.chance(0.15):
            a_mask[0] = f"({rows}[:, None] <= {mm} - 1)"
        a_offsets = self.random.choice(
            (f"{rows}[:, None] * {kk} + {ks}[None, :]", f"{ks}[None, :] + {kk} * {rows}[:, None]")
        )
        a_name, b_name = left.name, right.name
        b_offsets = f"{ks}[:, None] * {nn} + {columns}[None, :]"
        body: list[Statement] = [
            Line(f"{ks} = {index} + tl.arange(0, {bk})"),
            Line(f"{a} = tl.load({a_name} + {a_offsets}, mask={' & '.join(a_mask)}{other})"),
            Line(f"{b} = tl.load({b_name} + {b_offsets}, mask={' & '.join(b_mask)}, other=0.0)"),
        ]
        if self.chance(0.2):
            body.append(Line(f"{a} = tl.where({a} > 0, {a}, {a} * 2)"))
        body.append(
            Line(
                self.random.choice(
                    (
                        f"{acc} = {acc} + tl.dot({a}, {b})",
                        f"{acc} = tl.dot({a}, {b}, {acc})",
                        f"{acc} += tl.dot({a}, {b})",
                    )
                )
            )
        )
        end = self.random.choice((kk, kk, str(k)))
        self.lines.append(Suite(f"for {index} in range(0, {end}, {bk}):", body))
        bound = (k + bk) * 32.0
        value = Value(acc, (bm, bn), result, bound, (k + bk) * EPSILON[result] * bound)
        self.values.append(value)
        return value

    # Loops with a shape of their own

    def moving_pointers(self) -> Value:
        """A loop that moves a tensor of pointers."""
        shape = self.shape()
        dtype = self.random.choice(INTEGERS)
        turns, step = self.random.randint(1, 4), self.random.choice((1, 3, 16, 32))
        size = math.prod(shape)
        offsets = self.offsets(shape, self.order(len(shape)))
        extent = size * self.programs
        spec = self.array(dtype, extent + turns * step, "special")
        pointers, accumulator, turn = self.fresh("ptr"), self.fresh("v"), self.fresh("i")
        self.emit(f"{pointers} = {spec.name} + {offsets}")
        self.emit(f"{accumulator} = {zeros(shape, dtype)}")
        mask = self._mask(shape, offsets, extent) if self.chance(0.5) else None
        load = f"tl.load({pointers}, mask={mask}, other=0)" if mask else f"tl.load({pointers})"
        update = self.random.choice((f"{pointers} += {step}", f"{pointers} = {pointers} + {step}"))
        bound = str(turns)
        if self.chance(0.5):
            bound = self.fresh("n")
            self.scalars[bound] = turns
        body: list[Statement] = [Line(f"{accumulator} += {load}"), Line(update)]
        self.lines.append(Suite(f"for {turn} in range({bound}):", body))
        value = Value(accumulator, shape, dtype, is_pure=True)
        self.values.append(value)
        return value

    def float_sum_loop(self) -> Value | None:
        """A float that is added to in every turn of a loop."""
        value = self.pick(lambda v: v.is_float and v.size <= 1024 and v.bound <= 1000 and bits(v.dtype) >= 32)
        if value is None:
            return None
        turns = self.random.randint(0, 5)
        accumulator, turn = self.fresh("v"), self.fresh("i")
        self.emit(f"{accumulator} = {zeros(value.shape, value.dtype)}")
        term = self.random.choice((value.name, f"{value.name} * {turn}", f"tl.where({turn} > 1, {value.name}, 0.5)"))
        self.lines.append(Suite(f"for {turn} in range({turns}):", [Line(f"{accumulator} += {term}")]))
        bound = (value.bound + 1) * turns * turns
        error = turns * turns * (value.error + EPSILON[value.dtype] * bound)
        result = Value(accumulator, value.shape, value.dtype, bound, 0.0 if value.is_exact else error)
        self.values.append(result)
        return result

    # Control flow

    @contextmanager
    def inside(self, statements: list[Statement]):
        """Statements go to `statements`, and what they define is unknown afterwards."""
        lines, values = self.lines, list(self.values)
        self.lines, self.depth = statements, self.depth + 1
        try:
            yield
        finally:
            self.lines, self.depth = lines, self.depth - 1
            self.values = values

    def _carried(self) -> list[Value]:
        found = [v for v in self.values if v.is_exact and v.size <= 1024 and v.name not in self.frozen]
        found = [v for v in found if v.name not in ("linear", "pid0", "pid1", "pid2")]
        return self.random.sample(found, min(len(found), self.random.randint(1, 3)))

    def assign(self, value: Value) -> None:
        """Changes a variable to another value of its type that devices agree on."""
        name, dtype = value.name, value.dtype
        operand = self.pick(lambda v: v.is_exact and broadcast(v.shape, value.shape) == value.shape)
        if operand is None:
            return
        if self.for_oracle and not self._safe_in_loop(value, operand):
            return
        if value.is_bool:
            text = f"{name} {self.random.choice('^&|')} ({operand.name} != 0)"
        elif self.chance(0.25) and promoted(dtype, operand.dtype) == dtype and operand.is_float == value.is_float:
            self.emit(f"{name} {self.random.choice('+-*')}= {operand.name}")
            self._forget([value])
            return
        elif not value.is_float and operand.is_integer:
            text = f"({name} {self.random.choice('+-*^&|')} {operand.name}).to(tl.{dtype})"
        elif self.chance(0.2) and self.pick(lambda v: v.is_bool and v.shape == value.shape):
            condition = self.pick(lambda v: v.is_bool and v.shape == value.shape)
            assert condition is not None
            text = f"tl.where({condition.name}, {name}, {operand.name}).to(tl.{dtype})"
        else:
            text = f"({name} {self.random.choice('+-*')} {operand.name}.to(tl.{dtype})).to(tl.{dtype})"
        self.emit(f"{name} = {text}")
        self._forget([value])

    def _safe_in_loop(self, value: Value, operand: Value) -> bool:
        """Whether Triton's interpreter is sure to do as a device does, which it does not in all casts."""
        return value.is_integer and operand.is_integer

    def _forget(self, changed: Iterable[Value]) -> None:
        names = {value.name for value in changed}
        self.values = [value.any_value() if value.name in names else value for value in self.values]

    @contextmanager
    def loop(self, header: str, first: list[Statement], last: list[Statement]):
        """The body of a loop; the variables that it may change are forgotten on both ends."""
        carried = self._carried()
        names = {value.name for value in carried}
        frozen = self.frozen
        self._forget(carried)
        self.frozen = frozen | {value.name for value in self.values} - names
        suite = Suite(header, first)
        self.loops += 1
        with self.inside(suite.body):
            yield
            for value in carried:
                self.assign(value)
        self.loops -= 1
        suite.body.extend(last)
        self.frozen = frozen
        self.lines.append(suite)

    def for_loop(self) -> None:
        name = self.fresh("i")
        bounds, dtype, simpler = self._range_arguments()
        function = self.random.choice(("range", "range", "tl.range"))
        with self.loop(f"for {name} in {function}({bounds}):", [], []):
            self.values.append(Value(name, (), dtype, 64, is_pure=True))
            self.frozen.add(name)
            self.block(self.random.randint(1, 4))
            if not self.for_oracle and self.chance(0.15):
                self._leave(name)
        del simpler

    def _range_arguments(self) -> tuple[str, str, None]:
        def bound() -> str:
            if self.chance(0.5):
                return str(self.random.randint(0, 5))
            name = self.fresh("n")
            self.scalars[name] = self.random.randint(0, 5)
            return name

        scalar = self.pick(lambda v: v.dtype == "int32" and v.shape == () and v.bound <= 5)
        choice = self.random.random()
        if choice < 0.4:
            return bound(), "int32", None
        if choice < 0.55 and scalar is not None:
            return f"{scalar.name} + 1", "int32", None
        if choice < 0.75:
            return f"{bound()}, {self.random.randint(2, 6)}", "int32", None
        if choice < 0.9 or self.for_oracle:
            return f"{bound()}, {self.random.randint(2, 9)}, {self.random.choice((1, 2, 3))}", "int32", None
        return f"{self.random.randint(2, 6)}, {bound()}, {self.random.choice((-1, -2))}", "int32", None

    def _leave(self, counter: str) -> None:
        what = self.random.choice(("break", "continue"))
        self.lines.append(Suite(f"if {counter} {self.random.choice(('==', '>'))} 1:", [Line(what)]))

    def while_loop(self) -> None:
        counter = self.fresh("w")
        limit = str(self.random.randint(0, 5))
        if self.chance(0.5):
            limit = self.fresh("n")
            self.scalars[limit] = self.random.randint(2, 5)
        self.emit(f"{counter} = pid0 * 0")
        condition = f"{counter} < {limit}"
        extra = self.pick(lambda v: v.is_bool and v.shape == ())
        if extra is not None and self.chance(0.4):
            condition = f"({condition}) & {extra.name}"
        first = self.chance(0.5)
        step: list[Statement] = [Line(f"{counter} += 1")]
        with self.loop(f"while {condition}:", step if first else [], [] if first else step):
            self.values.append(Value(counter, (), "int32", 64, is_pure=True))
            self.frozen.add(counter)
            self.block(self.random.randint(1, 3))
            if first and not self.for_oracle and self.chance(0.2):
                self._leave(counter)
        self.values.append(Value(counter, (), "int32", 64, is_pure=True))

    def static_loop(self) -> None:
        name = self.fresh("u")
        with self.loop(f"for {name} in tl.static_range({self.random.randint(0, 3)}):", [], []):
            value = self.pick(lambda v: v.is_integer and v.name not in self.frozen)
            if value is not None:
                self.emit(f"{value.name} = {value.name} + {name}")
                self._forget([value])
            self.block(self.random.randint(1, 2))

    def conditional(self) -> None:
        condition = self.scalar_condition().name
        if not self.in_helper and self.chance(0.1):
            name = self.fresh("FLAG")
            self.constants[name] = self.chance(0.5)
            condition = name
        changed = self._carried()
        example = self.pick(lambda v: v.is_exact and v.size <= 1024)
        suite = Suite(f"if {condition}:", [], [])
        joined = self.fresh("v") if example is not None and self.chance(0.6) else None
        orelse = joined is not None or self.chance(0.6)
        for statements in (suite.body, suite.orelse) if orelse else (suite.body,):
            with self.inside(statements):
                # What is changed on this side only is not known to be as before on the other.
                self._forget(changed)
                frozen = self.frozen
                self.frozen = frozen | {v.name for v in self.values} - {v.name for v in changed}
                self.block(self.random.randint(1, 3))
                for value in changed:
                    if self.chance(0.8):
                        self.assign(value)
                if joined is not None and example is not None:
                    self._assign_joined(joined, example)
                self.frozen = frozen
        if not suite.body:
            suite.body.append(Line("pass"))
        self._forget(changed)
        self.lines.append(suite)
        if joined is not None and example is not None:
            self.values.append(example.renamed(joined).any_value())

    def _assign_joined(self, name: str, example: Value) -> None:
        def accept(v: Value) -> bool:
            return v.is_exact and v.shape == example.shape and (not self.for_oracle or v.dtype == example.dtype)

        source = self.pick(accept)
        text = zeros(example.shape, example.dtype) if source is None else f"{source.name}.to(tl.{example.dtype})"
        self.emit(f"{name} = {text}", f"{name} = {zeros(example.shape, example.dtype)}")

    # Functions

    def call(self) -> None:
        """A function on some of the values, and its call."""
        count = self.random.randint(1, 3)
        found = [v for v in self.values if v.size <= MAX_SIZE]
        arguments = self.random.sample(found, min(count, len(found)))
        if not arguments:
            return
        outer = (self.values, self.lines, self.frozen, self.numbers, self.depth, self.read)
        parameters = [replace(value, name=f"p{number}") for number, value in enumerate(arguments)]
        self.values, self.lines, self.in_helper = list(parameters), [], True
        self.numbers, self.depth, self.read = {"combine": self.numbers.get("combine", -1)}, 1, set()
        self.frozen = set()
        self.block(self.random.randint(2, 5))
        results = self.random.sample(self.values, min(len(self.values), self.random.randint(1, 2)))
        body, facts = self.lines, results
        if len(results) == 1 and results[0].is_exact and not self.for_oracle and self.chance(0.25):
            self._early_return(body, parameters, results[0])
        names = ", ".join(value.name for value in results)
        body.append(Line(f"return {names}"))
        combinations = self.numbers["combine"]
        self.values, self.lines, self.frozen, self.numbers, self.depth, self.read = outer
        self.numbers["combine"] = combinations
        self.in_helper = False
        helper = Helper(self.fresh("helper"), ", ".join(value.name for value in parameters), body)
        self.helpers.append(helper)
        defined = [value.renamed(self.fresh("v")) for value in facts]
        if any(line.text.startswith("return") for line in _all_lines(body[:-1])):
            defined = [value.any_value() for value in defined]
        passed = ", ".join(value.name for value in arguments)
        text = f"{', '.join(value.name for value in defined)} = {helper.name}({passed})"
        simpler = "\n".join(f"{value.name} = {zeros(value.shape, value.dtype)}" for value in defined)
        self.emit(text, simpler)
        self.values.extend(defined)

    def _early_return(self, body: list[Statement], parameters: list[Value], result: Value) -> None:
        flags = [v for v in parameters if v.shape == () and v.is_integer]
        if flags:
            text = f"return {zeros(result.shape, result.dtype)}"
            body.insert(0, Suite(f"if {flags[0].name} > 1:", [Line(text)]))


def _all_lines(statements: Iterable[Statement]) -> Iterable[Line]:
    for statement in statements:
        if isinstance(statement, Line):
            yield statement
        else:
            yield from _all_lines([*statement.body, *statement.orelse])


def zeros(shape: Shape, dtype: str) -> str:
    return f"tl.full({shape}, 0, tl.{dtype})"


def magnitude(value: Value, dtype: str) -> float:
    """How large the value can be as a float of the dtype; infinite where it may not be finite."""
    bound = value.bound if value.is_float else min(value.bound, 2.0 ** bits(value.dtype))
    return bound if bound < LARGEST[dtype] else math.inf
