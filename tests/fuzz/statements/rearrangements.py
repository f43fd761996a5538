"""Scans, sorting, gathering, joining, and atomic operations."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.fuzz.data import ArraySpec
from tests.fuzz.program import Line
from tests.fuzz.statements.base import MAX_SIZE
from tests.fuzz.statements.reductions import Reductions
from tests.fuzz.values import EPSILON, Shape, Value, bits, is_signed


class Rearrangements(Reductions):
    """Functions that move elements between places of a tensor, or combine those before each place."""

    def rearrangement(self) -> None:
        choices: list[Callable[[], object]] = [self.scan, self.scan, self.flip, self.sort, self.gather]
        choices += [self.join, self.split, self.interleave, self.concatenate]
        if not self.for_oracle:
            choices += [self.top, self.histogram, self.random_numbers]
        if not self.for_oracle and not self.in_helper:
            choices += [self.atomic, self.atomic]
        self.random.choice(choices)()

    def _tensor(self, accept: Callable[[Value], bool] = lambda v: True, size: int = MAX_SIZE) -> Value | None:
        return self.pick(lambda v: bool(v.shape) and v.size <= size and accept(v))

    def _axis_of(self, value: Value) -> int:
        return self.random.randrange(len(value.shape))

    # Scans

    def scan(self) -> Value | None:
        value = self._tensor(lambda v: not v.is_bool)
        if value is None:
            return None
        axis = self._axis_of(value)
        reverse = ", reverse=True" if self.chance(0.3) else ""
        if value.is_float:
            return self._float_scan(value, axis, reverse)
        if self.chance(0.3):
            return self._scan_of_pairs(value, axis, reverse)
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
        value = self._tensor(lambda v: v.is_exact and not v.is_bool, 512)
        if value is None:
            return None
        axis = self._axis_of(value)
        if self.for_oracle and (axis != len(value.shape) - 1 or not math.isfinite(value.bound) or value.shape[-1] < 2):
            return None
        order = ", descending=True" if self.chance(0.4) else ""
        text = f"tl.sort({value.name}, {axis}{order})"
        return self.define(text, value.shape, value.dtype, value.bound)

    def top(self) -> Value | None:
        value = self._tensor(lambda v: v.is_exact and not v.is_bool, 512)
        if value is None:
            return None
        axis = self._axis_of(value)
        count = self.random.randint(1, value.shape[axis])
        shape = (*value.shape[:axis], count, *value.shape[axis + 1 :])
        return self.define(f"tl.topk({value.name}, {count}, {axis})", shape, value.dtype, value.bound)

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
        name = self._index_below(value, bins)
        return self.define(f"tl.histogram({name}, {bins})", (bins,), "int32")

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
        pair = self._same_type(2)
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

    # Random numbers, and atomic operations

    def random_numbers(self) -> Value | None:
        value = self._tensor(lambda v: v.dtype in ("int32", "uint32"), 512)
        if value is None:
            return None
        seed = self.random.choice(("linear", "1234")) if not self.in_helper else "77"
        if self.chance(0.5):
            return self.define(f"tl.randint({seed}, {value.name}).to(tl.int32)", value.shape, "int32")
        text = f"tl.rand({seed}, {value.name})"
        return self.approximate(text, value.shape, "float32", 1.0, 0.0)

    def atomic(self) -> Value | None:
        """An atomic operation; each element is changed once in a turn, or by many where the result is not used."""
        value = self.pick(lambda v: v.dtype in ("int32", "int64", "uint32", "uint64"))
        if value is None:
            return None
        operations = ("add", "add", "max", "min", "and", "or", "xor")
        operation = self.random.choice(operations)
        contended = bool(value.shape) and self.chance(0.4)
        size = 5 if contended else value.size * self.programs
        spec = ArraySpec(self.fresh("out"), value.dtype, size, is_output=True)
        self.arrays.append(spec)
        offsets = self.offsets(value.shape)
        pointer = f"{spec.name} + {offsets}" + (" % 5" if contended else "")
        mask = ""
        if self.chance(0.4):
            mask = f", mask={self.mask(value.shape, offsets, value.size * self.programs)}"
        text = f"tl.atomic_{operation}({pointer}, {value.name}{mask})"
        if contended or mask or self.chance(0.3):
            self.emit(text)
            return None
        return self.define(text, value.shape, value.dtype)
