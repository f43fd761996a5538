"""Operations on shapes."""

from __future__ import annotations

import math

from tests.fuzz.statements.base import MAX_SIZE
from tests.fuzz.statements.expressions import Expressions
from tests.fuzz.values import (
    Shape,
    Value,
)


class Shapes(Expressions):
    """Reshaping, broadcasting, transposing."""

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
                return self.like(value, call, target) if shape else None
            case "expand" if len(shape) < 4:
                axis = self.random.randint(0, len(shape))
                target = (*shape[:axis], 1, *shape[axis:])
                subscript = ", ".join("None" if i == axis else ":" for i in range(len(target)))
                by_index = self.chance(0.6) and bool(shape)
                text = f"{name}[{subscript}]" if by_index else f"tl.expand_dims({name}, {axis})"
                return self.like(value, text, target) if shape else None
            case "broadcast":
                if not shape:
                    target = self.shape()
                    if self.chance(0.5):
                        return self.like(value, f"tl.broadcast_to({name}, {target})", target)
                    return self.like(value, f"tl.full({target}, {name}, tl.{value.dtype})", target)
                target = tuple(self.random.choice(self.sizes) if size == 1 else size for size in shape)
                if math.prod(target) > MAX_SIZE or target == shape:
                    return None
                return self.like(value, f"tl.broadcast_to({name}, {target})", target)
            case "trans":
                if len(shape) == 2:
                    text = self.random.choice((f"tl.trans({name})", f"{name}.T", f"tl.permute({name}, (1, 0))"))
                    return self.like(value, text, shape[::-1])
                order = list(range(len(shape)))
                self.random.shuffle(order)
                text = self.random.choice((f"tl.permute({name}, {tuple(order)})", f"tl.trans({name}, {tuple(order)})"))
                return self.like(value, text, tuple(shape[axis] for axis in order))
            case "squeeze":
                axis = self.random.choice([axis for axis, size in enumerate(shape) if size == 1])
                return self.like(value, f"tl.squeeze({name}, {axis})", shape[:axis] + shape[axis + 1 :])
            case _:
                return None

    def subscript(self) -> Value | None:
        """Some of the elements, as an index of integers and slices chooses them."""
        value = self.pick(lambda v: bool(v.shape))
        if value is None or self.for_oracle:
            return None
        texts: list[str] = []
        shape: list[int] = []
        for extent in value.shape:
            text, size = self._one_subscript(extent)
            texts.append(text)
            shape += [] if size is None else [size]
        if self.chance(0.2):
            at = self.random.randint(0, len(texts))
            texts.insert(at, "None")
            shape.insert(sum(":" in text or text == "None" for text in texts[:at]), 1)
        elif self.chance(0.2):
            while len(texts) > 1 and texts[-1] == ":":
                texts.pop()
            texts.append("...")
        return self.like(value, f"{value.name}[{', '.join(texts)}]", tuple(shape))

    def _one_subscript(self, extent: int) -> tuple[str, int | None]:
        """An entry of an index, and how many elements it leaves; None where the axis goes away."""
        choice = self.random.random()
        if choice < 0.35:
            return ":", extent
        if choice < 0.5:
            return str(self.random.randint(-extent, extent - 1)), None
        if choice < 0.65 and not self.in_helper:
            return self.random.choice(("pid0", "linear", "-1 - linear", "linear * 3")), None
        start = self.random.choice((None, None, *range(extent)))
        stop = self.random.choice((None, None, *range(1, extent + 1), -1))
        step = self.random.choice((None, None, 1, 2, 3, -1, -2))
        size = len(range(extent)[start:stop:step])
        if not size:
            return ":", extent
        text = f"{'' if start is None else start}:{'' if stop is None else stop}"
        return (text if step is None else f"{text}:{step}"), size

    def like(self, value: Value, text: str, shape: Shape) -> Value:
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
