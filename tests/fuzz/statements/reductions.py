"""Reductions."""

from __future__ import annotations

from tests.fuzz.program import Helper, Line, Statement
from tests.fuzz.statements.shapes import Shapes
from tests.fuzz.values import (
    EPSILON,
    Shape,
    Value,
    bits,
    is_signed,
)


class Reductions(Shapes):
    """Reductions along axes, also by functions of the kernel."""

    def reduction(self) -> Value | None:
        value = self.pick(lambda v: bool(v.shape) and not v.is_float8)
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
                    result = "int32" if is_signed(dtype) else "uint32"
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
                combine = self.combination("a, b", [Line(f"return {expression}")])
                return self.define(
                    f"tl.reduce({name}, {self._axis(arguments)}, {combine}{self._keep(arguments)})", shape, dtype
                )

    @staticmethod
    def _axis(arguments: str) -> str:
        return arguments.split(",")[0].removeprefix("axis=")

    @staticmethod
    def _keep(arguments: str) -> str:
        return ", keep_dims=True" if "keep_dims" in arguments else ""

    def combination(self, parameters: str, body: list[Statement]) -> str:
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
            return self.approximate(f"tl.sum({value.name}, {arguments})", shape, value.dtype, total, error)
        if kind in ("argmax", "argmin"):
            # Of NaNs, and of zeros of either sign, only pure values are sure to have the same.
            if self.for_oracle or not value.is_pure:
                value = self.clamped(value)
            if self.chance(0.3) and not self.for_oracle:
                largest, place = self.fresh("v"), self.fresh("v")
                function = kind.removeprefix("arg")
                self.emit(f"{largest}, {place} = tl.{function}({value.name}, {arguments}, return_indices=True)")
                self.values.append(Value(largest, shape, value.dtype, value.bound))
                self.values.append(Value(place, shape, "int32", is_pure=True))
                return self.values[-1]
            return self.define(f"tl.{kind}({value.name}, {arguments})", shape, "int32")
        value = self.clamped(value)
        if kind == "user":
            body = self.random.choice(("return tl.where(a > b, a, b)", "return tl.minimum(a, b)"))
            combine = self.combination("a, b", [Line(body)])
            text = f"tl.reduce({value.name}, {self._axis(arguments)}, {combine}{self._keep(arguments)})"
            return self.define(text, shape, value.dtype, value.bound)
        weights = self.pick(lambda v: v.is_integer and v.shape == value.shape)
        if weights is None:
            return None
        combine = self.combination("a, n, b, m", [Line("return tl.maximum(a, b), n + m")])
        text = f"tl.reduce(({value.name}, {weights.name}), {self._axis(arguments)}, {combine}{self._keep(arguments)})"
        largest, total = self.fresh("v"), self.fresh("v")
        self.emit(f"{largest}, {total} = {text}")
        self.values.append(Value(largest, shape, value.dtype, value.bound))
        self.values.append(Value(total, shape, weights.dtype, is_pure=True))
        return self.values[-1]
