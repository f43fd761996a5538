"""Scans, sorting, gathering, joining, random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.fuzz.program import Line, Suite
from tests.fuzz.statements.base import MAX_SIZE
from tests.fuzz.statements.dots import Dots
from tests.fuzz.values import EPSILON, Shape, Value, bits, is_signed, zeros


class Rearrangements(Dots):
    """Functions that move elements between places of a tensor, or combine those before each place."""

    def rearrangement(self) -> None:
        choices: list[Callable[[], object]] = [self.scan, self.scan, self.flip, self.sort, self.gather]
        choices += [self.join, self.split, self.interleave, self.concatenate]
        if not self.for_oracle:
            choices += [self.top, self.histogram, self.random_numbers, self.map_elementwise]
        self.random.choice(choices)()

    def _tensor(self, accept: Callable[[Value], bool] = lambda v: True, size: int = MAX_SIZE) -> Value | None:
        return self.pick(lambda v: bool(v.shape) and v.size <= size and accept(v))

    def _axis_of(self, value: Value) -> int:
        return self.random.randrange(len(value.shape))

    # Scans

    def scan(self) -> Value | None:
        value = self._tensor(lambda v: v.is_integer or v.is_float)
        if value is None:
            return None
        axis = self._axis_of(value)
        reverse = ", reverse=True" if self.chance(0.3) else ""
        if value.is_float:
            return self._float_scan(value, axis, reverse)
        if self.chance(0.3):
            return self._scan_of_pairs(value, axis, reverse)
        if self.chance(0.15):
            return self._scan_of_three(value, axis, reverse)
        if self.chance(0.3):
            combine = self.combination("a, b", [Line(f"return {self.random.choice(('a + b', 'a | b', 'a ^ b'))}")])
            text = f"tl.associative_scan({value.name}, {axis}, {combine}{reverse})"
            return self.define(text, value.shape, value.dtype)
        dtype = value.dtype
        if bits(dtype) < 32:
            dtype = "int32" if is_signed(dtype) else "uint32"
        function = self.random.choice(("cumsum", "cumsum", "cumprod"))
        return self.define(f"tl.{function}({value.name}, {axis}{reverse})", value.shape, dtype)

    def _float_scan(self, value: Value, axis: int, reverse: str) -> Value | None:
        if value.is_exact and self.chance(0.3):
            combine = self.combination("a, b", [Line("return tl.maximum(a, b)")])
            text = f"tl.associative_scan({value.name}, {axis}, {combine}{reverse})"
            return self.define(text, value.shape, value.dtype, value.bound)
        value = self.clamped(value)
        if bits(value.dtype) == 16:
            value = self.cast(value, "float32") or value
        count = value.shape[axis]
        total = count * value.bound
        error = count * (value.error + EPSILON[value.dtype] * total)
        return self.approximate(f"tl.cumsum({value.name}, {axis}{reverse})", value.shape, value.dtype, total, error)

    def _scan_of_pairs(self, value: Value, axis: int, reverse: str) -> Value:
        """The composition of maps x -> a * x + b, which does not commute."""
        other = self.pick(lambda v: (v.shape, v.dtype) == (value.shape, value.dtype)) or value
        combine = self.combination("a, b, c, d", [Line("return a * c, b * c + d")])
        first, second = self.fresh("v"), self.fresh("v")
        self.emit(f"{first}, {second} = tl.associative_scan(({value.name}, {other.name}), {axis}, {combine}{reverse})")
        for name in (first, second):
            self.values.append(Value(name, value.shape, value.dtype, is_pure=True))
        return self.values[-1]

    def _scan_of_three(self, value: Value, axis: int, reverse: str) -> Value:
        """The largest element so far, where it is, and how many elements there were."""
        combine = self.combination(
            "a, i, n, b, j, m", [Line("return tl.where(b > a, b, a), tl.where(b > a, j, i), n + m")]
        )
        names = [self.fresh("v") for _ in range(3)]
        ones = zeros(value.shape, "int64").replace(", 0,", ", 1,")
        index = self.define(f"tl.broadcast_to({self.index(value.shape)}, {value.shape})", value.shape, "int32").name
        operands = f"({value.name}, {index}, {ones})"
        self.emit(f"{', '.join(names)} = tl.associative_scan({operands}, {axis}, {combine}{reverse})")
        for name, dtype in zip(names, (value.dtype, "int32", "int64"), strict=True):
            self.values.append(Value(name, value.shape, dtype, is_pure=True))
        return self.values[-1]

    def map_elementwise(self) -> Value | None:
        """A function of scalars that branches, on each element."""
        a = self._tensor(lambda v: v.is_integer, 512)
        if a is None:
            return None
        b = self.pick(lambda v: (v.shape, v.dtype) == (a.shape, a.dtype)) or a
        zero = f"tl.full((), 0, tl.{a.dtype})"
        loop = Suite("for i in range(3):", [Suite("if c > b:", [Line("break")]), Line(f"c = (c + a).to(tl.{a.dtype})")])
        body = self.random.choice(
            (
                [Suite("if a > b:", [Line("return a - b")]), Line("return b")],
                [Line(f"c = {zero}"), loop, Line("return c ^ a")],
            )
        )
        function = self.combination("a, b", list(body))
        return self.define(f"tl.map_elementwise({function}, {a.name}, {b.name})", a.shape, a.dtype)

    # Other places

    def flip(self) -> Value | None:
        value = self._tensor()
        if value is None:
            return None
        axis = self._axis_of(value)
        if self.for_oracle and value.is_bool:
            return None
        return self.like(value, f"tl.flip({value.name}, {axis})", value.shape)

    def sort(self) -> Value | None:
        value = self._tensor(lambda v: v.is_exact and (v.is_integer or v.is_float), 512)
        if value is None:
            return None
        axis = self._axis_of(value)
        if self.for_oracle and (axis != len(value.shape) - 1 or not math.isfinite(value.bound) or value.shape[-1] < 2):
            return None
        order = ", descending=True" if self.chance(0.4) else ""
        text = f"tl.sort({value.name}, {axis}{order})"
        return self.define(text, value.shape, value.dtype, value.bound)

    def top(self) -> Value | None:
        value = self._tensor(lambda v: v.is_exact and (v.is_integer or v.is_float), 512)
        if value is None:
            return None
        axis = self._axis_of(value)
        count = self.random.randint(1, value.shape[axis])
        shape = (*value.shape[:axis], count, *value.shape[axis + 1 :])
        order = ", descending=False" if self.chance(0.3) else ""
        return self.define(f"tl.topk({value.name}, {count}, {axis}{order})", shape, value.dtype, value.bound)

    def gather(self) -> Value | None:
        value = self._tensor()
        if value is None:
            return None
        axis = self._axis_of(value)

        def fits(v: Value) -> bool:
            same = len(v.shape) == len(value.shape) and all(
                i == axis or a == b for i, (a, b) in enumerate(zip(v.shape, value.shape, strict=True))
            )
            return v.is_integer and same

        indices = self.pick(fits)
        if indices is None or (self.for_oracle and value.is_bool):
            return None
        name = self._index_below(indices, value.shape[axis])
        return self.like(value, f"tl.gather({value.name}, {name}, {axis})", indices.shape)

    def _index_below(self, value: Value, extent: int) -> str:
        """Names a tensor of indices below an extent."""
        text = f"({value.name}.to(tl.uint32) % {extent}).to(tl.int32)"
        return self.define(text, value.shape, "int32", extent).name

    def histogram(self) -> Value | None:
        value = self.pick(lambda v: len(v.shape) == 1 and v.is_integer)
        if value is None:
            return None
        bins = self.random.choice((1, 4, 10, 16, 33))
        # Without the remainder most elements are outside of the bins.
        name = self._index_below(value, bins) if self.chance(0.8) else value.name
        mask = self.pick(lambda v: v.is_bool and v.shape == value.shape) if self.chance(0.4) else None
        chosen = "" if mask is None else f", mask={mask.name}"
        return self.define(f"tl.histogram({name}, {bins}{chosen})", (bins,), "int32")

    # Two tensors and one

    def _same_type(self, rank: int) -> tuple[Value, Value] | None:
        a = self._tensor(lambda v: len(v.shape) <= rank, MAX_SIZE // 2)
        if a is None:
            return None
        return a, self.pick(lambda v: (v.shape, v.dtype) == (a.shape, a.dtype)) or a

    def _of_both(self, a: Value, b: Value, text: str, shape: Shape) -> Value:
        bound, error = max(a.bound, b.bound), max(a.error, b.error)
        return self.define(text, shape, a.dtype, bound, error, a.is_pure and b.is_pure)

    def join(self) -> Value | None:
        pair = self._same_type(3)
        if pair is None:
            return None
        a, b = pair
        return self._of_both(a, b, f"tl.join({a.name}, {b.name})", (*a.shape, 2))

    def interleave(self) -> Value | None:
        pair = self._same_type(2)
        if pair is None:
            return None
        a, b = pair
        return self._of_both(a, b, f"tl.interleave({a.name}, {b.name})", (*a.shape[:-1], 2 * a.shape[-1]))

    def concatenate(self) -> Value | None:
        pair = self._same_type(3)
        if pair is None:
            return None
        a, b = pair
        axis = 0 if self.for_oracle else self._axis_of(a)
        if self.for_oracle and len(a.shape) > 1:
            return None
        shape = (*a.shape[:axis], 2 * a.shape[axis], *a.shape[axis + 1 :])
        text = f"tl.cat({a.name}, {b.name}" + (f", dim={axis})" if axis or len(shape) > 1 else ")")
        return self._of_both(a, b, text, shape)

    def split(self) -> Value | None:
        value = self.pick(lambda v: len(v.shape) > 1 and v.shape[-1] == 2)
        if value is None:
            return None
        first, second = self.fresh("v"), self.fresh("v")
        self.emit(f"{first}, {second} = tl.split({value.name})")
        for name in (first, second):
            self.values.append(Value(name, value.shape[:-1], value.dtype, value.bound, value.error, value.is_pure))
        return self.values[-1]

    # Random numbers

    def random_numbers(self) -> Value | None:
        value = self._tensor(lambda v: v.dtype in ("int32", "uint32"), 512)
        if value is None:
            return None
        seed = self.random.choice(("linear", "1234")) if not self.in_helper else "77"
        if self.chance(0.3):
            names = [self.fresh("v") for _ in range(4)]
            self.emit(f"{', '.join(names)} = tl.randint4x({seed}, {value.name})")
            self.values += [Value(name, value.shape, "uint32", is_pure=True) for name in names]
            return self.values[-1]
        if self.chance(0.5):
            return self.define(f"tl.randint({seed}, {value.name}).to(tl.int32)", value.shape, "int32")
        text = f"tl.rand({seed}, {value.name})"
        return self.approximate(text, value.shape, "float32", 1.0, 0.0)
