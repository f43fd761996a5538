"""Reductions and products of matrices."""

from __future__ import annotations

from tests.fuzz.program import Helper, Line, Statement, Suite
from tests.fuzz.statements.shapes import Shapes
from tests.fuzz.values import (
    EPSILON,
    FLOATS,
    Shape,
    Value,
    bits,
    is_signed,
)


class Reductions(Shapes):
    """Reductions along axes, also by functions of the kernel, and dots."""

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
        value = self.clamped(value)
        if kind in ("argmax", "argmin"):
            return self.define(f"tl.{kind}({value.name}, {arguments})", shape, "int32")
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
        return self.approximate(text, shape, result, bound, error + (k + 2) * EPSILON[result] * bound)

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
