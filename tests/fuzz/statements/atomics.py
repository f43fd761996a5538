"""Atomic operations."""

from __future__ import annotations

from tests.fuzz.data import GUARD, ArraySpec
from tests.fuzz.statements.rearrangements import Rearrangements
from tests.fuzz.values import Value, bits

INTEGERS = ("int32", "int64", "uint32", "uint64")
ORDERS = (
    "",
    "",
    ", sem='relaxed'",
    ", sem='acquire'",
    ", sem='release'",
    ", sem='acq_rel', scope='cta'",
    ", scope='sys'",
)


class Atomics(Rearrangements):
    """Atomic operations on arrays that nothing else accesses."""

    def atomic(self) -> Value | None:
        """Each element is changed once in a turn, or by many where the result is not used."""
        kinds = (self._on_integers, self._on_integers, self._on_integers, self._on_floats, self._exchange)
        return self.random.choice(kinds)()

    def _on_integers(self) -> Value | None:
        value = self.pick(lambda v: v.dtype in INTEGERS)
        if value is None:
            return None
        operation = self.random.choice(("add", "add", "max", "min", "and", "or", "xor"))
        contended = bool(value.shape) and self.chance(0.4)
        return self._apply(f"tl.atomic_{operation}", value, contended)

    def _on_floats(self) -> Value | None:
        """Of which only pure values are sure to order zeros and NaNs in the same way."""
        value = self.pick(lambda v: v.is_float and v.is_exact)
        if value is None:
            return None
        if bits(value.dtype) == 16:
            return self._apply("tl.atomic_add", value, False)
        if not value.is_pure or self.chance(0.5):
            return self._apply("tl.atomic_add", value, False)
        return self._apply(f"tl.atomic_{self.random.choice(('max', 'min'))}", value, False)

    def _exchange(self) -> Value | None:
        value = self.pick(lambda v: v.dtype in INTEGERS)
        if value is None:
            return None
        if self.chance(0.4):
            return self._apply("tl.atomic_xchg", value, False)
        spec, pointer = self._place(value, False)
        # What memory holds the first time, here and there.
        guard = int.from_bytes([GUARD] * (bits(value.dtype) // 8), "little")
        compared = f"{value.name}"
        condition = self.pick(lambda v: v.is_bool and v.shape == value.shape)
        if condition is not None:
            compared = f"tl.where({condition.name}, {guard}, {value.name})"
        elif self.chance(0.7):
            compared = str(guard)
        text = f"tl.atomic_cas({pointer}, {compared}, {value.name}{self.random.choice(ORDERS)})"
        return self.define(text, value.shape, spec.dtype)

    def _place(self, value: Value, contended: bool) -> tuple[ArraySpec, str]:
        size = 5 if contended else value.size * self.programs
        spec = ArraySpec(self.fresh("out"), value.dtype, size, is_output=True)
        self.arrays.append(spec)
        self.atomic_offsets = self.offsets(value.shape)
        return spec, f"{spec.name} + {self.atomic_offsets}" + (" % 5" if contended else "")

    def _apply(self, function: str, value: Value, contended: bool) -> Value | None:
        _, pointer = self._place(value, contended)
        mask = ""
        if self.chance(0.4):
            mask = f", mask={self.mask(value.shape, self.atomic_offsets, value.size * self.programs)}"
        text = f"{function}({pointer}, {value.name}{mask}{self.random.choice(ORDERS)})"
        if contended or self.chance(0.3):
            self.emit(text)
            return None
        return self.define(text, value.shape, value.dtype)
