"""The launch, loads and stores."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tests.fuzz.data import ArraySpec
from tests.fuzz.program import Line, Suite
from tests.fuzz.statements.base import Base
from tests.fuzz.values import (
    EPSILON,
    FLOAT8,
    FLOATS,
    Shape,
    Value,
    zeros,
)

_LOAD_OPTIONS = (
    ", cache_modifier='.ca'",
    ", cache_modifier='.cg'",
    ", volatile=True",
    ", eviction_policy='evict_last'",
)


class Memory(Base):
    """Loads and stores of tiles, in many forms of pointers and masks."""

    # The launch

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

        if not self.for_oracle and self.chance(0.4):
            self._other_scalar()

    def _other_scalar(self) -> None:
        """A parameter that is a float, a boolean, or an integer that needs 64 bits."""
        name = self.fresh("n")
        number, dtype = self.random.choice(
            ((0.5, "float32"), (-3.25, "float32"), (True, "int1"), (1 << 40, "int64"), (-(1 << 33), "int64"))
        )
        self.scalars[name] = number
        scalar = Value(self.fresh("s"), (), dtype, 4 if dtype == "float32" else math.inf, is_pure=True)
        self.emit(f"{scalar.name} = tl.to_tensor({name})", f"{scalar.name} = {zeros((), dtype)}")
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
        text = f"tl.arange(0, {self.size_text(size)})"
        # Triton's interpreter takes hints of powers of two only.
        if self.chance(0.08):
            return f"tl.max_contiguous(tl.multiple_of({text}, {size}), {size})"
        return text

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
        seed, start = self.random.randrange(1 << 30), self.random.choice((0, 0, 0, 1, 8))
        spec = ArraySpec(self.fresh("x"), dtype, size + spare, seed, kind, start=start)
        self.arrays.append(spec)
        return spec

    def offsets(self, shape: Shape, order: Iterable[int] | None = None) -> str:
        """Names a variable with the position of each element in an array that has a tile for each program."""
        name = self.fresh("offs")
        text = self.index(shape, order)
        size = math.prod(shape)
        base = f"linear * {size}"
        if self.chance(0.12):
            divisor = self.random.choice([number for number in (2, 4, 8, 16, size) if size % number == 0] or [1])
            base = f"tl.multiple_of({base}, {divisor})"
        self.emit(f"{name} = {f'{base} + {text}' if self.chance(0.5) else f'({text}) + {base}'}")
        return name

    def load(self, shape: Shape, dtype: str | None = None, kind: str | None = None) -> Value:
        dtype = dtype or self.any_dtype()
        kind = kind or self.random.choice(("plain", "plain", "special"))
        bound = math.inf if kind == "special" else 4.0 if dtype in FLOATS or dtype in FLOAT8 else 9.0
        offsets, extent = self._place_to_load(shape)
        spec = self.array(dtype, extent, kind)
        pointer = self._pointer_to_load(spec, offsets, shape, extent)
        options = self.random.choice(_LOAD_OPTIONS) if self.chance(0.1) else ""
        mask = self.mask(shape, offsets, extent) if self.chance(0.5) else None
        if mask is None:
            return self.define(f"tl.load({pointer}{options})", shape, dtype, bound, pure=True)
        other, other_bound, pure = self._other(shape, dtype)
        text = f"tl.load({pointer}, mask={mask}{other}{options})"
        return self.define(text, shape, dtype, max(bound, other_bound), pure=pure)

    def _place_to_load(self, shape: Shape) -> tuple[str, int]:
        """Names a variable with offsets; gives it, and how many elements they reach over."""
        size = math.prod(shape)
        choice = self.random.random()
        indices = self.pick(lambda v: v.is_integer and v.shape == shape) if choice < 0.25 else None
        if indices is not None:
            extent = self.random.choice((size, 17, 64, 100))
            offsets = self.fresh("offs")
            self.emit(
                f"{offsets} = ({indices.name}.to(tl.uint32) % {extent}).to(tl.int32)",
                f"{offsets} = {zeros(shape, 'int32')}",
            )
            return offsets, extent
        offsets = self.offsets(shape, self.order(len(shape)))
        extent = size * self.programs
        if choice > 0.8:
            other, factor = self.fresh("offs"), self.random.choice((2, 3, -1))
            text = f"{offsets} * {factor}" if factor > 0 else f"{extent - 1} - {offsets}"
            self.emit(f"{other} = {text}", f"{other} = {offsets}")
            return other, extent * abs(factor)
        return offsets, extent

    def _other(self, shape: Shape, dtype: str) -> tuple[str, float, bool]:
        """What a load gives where its mask is false: the argument, its bound, and whether it is pure."""
        choice = self.random.random()
        if choice < 0.3:
            return "", 0.0, True
        value = self.pick(lambda v: v.is_exact and v.shape in ((), shape) and v.dtype == dtype)
        if choice < 0.7 or value is None:
            number = repr(self.real()) if dtype in FLOATS else self.random.choice(("0", "1", "0.0"))
            return f", other={number if dtype != 'int1' else '0'}", 4.0, True
        return f", other={value.name}", value.bound, value.is_pure

    def _pointer_to_load(self, spec: ArraySpec, offsets: str, shape: Shape, extent: int) -> str:
        """A pointer, now and then in a form that is good for loads only."""
        choice = self.random.random()
        if choice < 0.85 or not shape:
            return self._pointer(spec.name, offsets, math.prod(shape))
        name = self.fresh("ptr")
        if choice < 0.9 and not self.for_oracle:
            self.emit(f"{name} = tl.reshape(tl.reshape({spec.name} + {offsets}, ({math.prod(shape)},)), {shape})")
            return name
        other = self.array(spec.dtype, extent, spec.kind)
        if choice < 0.95:
            condition = self.pick(lambda v: v.is_bool and v.shape == ())
            text = condition.name if condition is not None else "linear > 0"
            self.emit(f"{name} = {spec.name}", f"{name} = {other.name}")
            self.lines.append(Suite(f"if {text}:", [Line(f"{name} = {other.name}")]))
            return f"{name} + {offsets}"
        condition = self.pick(lambda v: v.is_bool and v.shape == shape)
        text = condition.name if condition is not None else f"{offsets} % 3 == 0"
        self.emit(
            f"{name} = tl.where({text}, {spec.name} + {offsets}, {other.name} + {offsets})",
            f"{name} = {spec.name} + {offsets}",
        )
        return name

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

    def mask(self, shape: Shape, offsets: str, extent: int) -> str:
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
        limits = [name for name, number in self.scalars.items() if type(number) is int]
        if choice < 0.3 and limits and not self.in_helper:
            return self.random.choice(limits)
        if choice < 0.6 and not self.in_helper:
            name = self.fresh("n")
            self.scalars[name] = self.random.choice((extent, extent // 2, extent - 1, self.random.randint(0, extent)))
            return name
        return str(self.random.randint(0, extent))

    def store(self, value: Value) -> None:
        dtype = value.dtype
        if value.is_exact and self.chance(0.15):
            dtype = self.any_dtype()
            dtype = dtype if self.casts_alike(value, dtype) else value.dtype
        size = value.size
        tolerance = 2 * value.error
        if tolerance and dtype != value.dtype:
            tolerance += 2 * EPSILON[dtype] * value.bound
        spec = ArraySpec(self.fresh("out"), dtype, size * self.programs, is_output=True, tolerance=tolerance)
        self.arrays.append(spec)
        offsets = self.offsets(value.shape, self.order(len(value.shape)))
        if self.chance(0.1):
            self.emit(f"{offsets} = {spec.size - 1} - {offsets}", f"{offsets} = {offsets}")
        pointer = self._pointer(spec.name, offsets, size)
        if self.chance(0.4):
            mask = self.mask(value.shape, offsets, spec.size)
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
