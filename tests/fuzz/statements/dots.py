"""Products of matrices."""

from __future__ import annotations

import math

from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.statements.base import MAX_SIZE
from tests.fuzz.statements.reductions import Reductions
from tests.fuzz.values import EPSILON, FLOAT8, FLOATS, Shape, Value

SHORT = ("int8", "uint8")
PRECISIONS = (
    ", input_precision='ieee'",
    ", input_precision='tf32'",
    ", input_precision='tf32x3'",
    ", input_precision='bf16x3'",
    ", input_precision='bf16x6'",
    ", allow_tf32=True",
    ", allow_tf32=False",
)


class Dots(Reductions):
    """`tl.dot` of tiles of any dtype, of one matrix or many."""

    def dot(self) -> Value | None:
        """A product of operands that are computed."""
        pair = self._operands()
        if pair is None:
            return None
        a, b = pair
        dtype, k = a.dtype, a.shape[-1]
        shape = (*a.shape[:-1], b.shape[-1])
        result = {"int8": "int32", "uint8": "int32", "float64": "float64"}.get(dtype, "float32")
        arguments = ""
        accumulator = self.pick(lambda v: v.shape == shape and v.dtype == result and v.bound < 1000)
        if accumulator is not None and self.chance(0.5):
            arguments = f", {accumulator.name}"
        else:
            accumulator = None
        if (dtype == "float16" or dtype in FLOAT8) and accumulator is None and self.chance(0.15):
            arguments, result = ", out_dtype=tl.float16", "float16"
        if dtype == "float32" and not self.for_oracle and self.chance(0.4):
            arguments += self.random.choice(PRECISIONS)
        if dtype in FLOAT8 and self.chance(0.3):
            arguments += ", max_num_imprecise_acc=16"
        text = f"tl.dot({a.name}, {b.name}{arguments})"
        if dtype in SHORT:
            return self.define(text, shape, result)
        extra = (0.0, 0.0) if accumulator is None else (accumulator.bound, accumulator.error)
        bound = k * a.bound * b.bound + extra[0]
        error = k * (a.bound * b.error + b.bound * a.error + a.error * b.error) + extra[1]
        return self.approximate(text, shape, result, bound, error + (k + 2) * EPSILON[result] * bound)

    def scaled_dot(self) -> Value | None:
        """A product of floats of 8 bits with a scale for each row and 32 elements, of 1 to 4."""
        m, n, k = self._small(), self._small(), self.random.choice((32, 64))
        names = {"float8e4nv": "e4m3", "float8e5": "e5m2"}
        first, second = self.random.choice(tuple(names)), self.random.choice(tuple(names))
        a, b = self.load((m, k), first, "plain"), self.load((k, n), second, "plain")
        scales: list[str] = []
        for size in (m, n):
            # One scale for all, one for each group, or none.
            text = self.random.choice(
                (
                    "None",
                    f"tl.full(({size}, {k // 32}), 128, tl.uint8)",
                    f"(127 + (tl.arange(0, {size * k // 32}) % 3).reshape({size}, {k // 32})).to(tl.uint8)",
                )
            )
            scales.append(text)
        text = f"tl.dot_scaled({a.name}, {scales[0]}, '{names[first]}', {b.name}, {scales[1]}, '{names[second]}')"
        bound = k * 16.0 * 16.0
        return self.approximate(text, (m, n), "float32", bound, (k + 2) * EPSILON["float32"] * bound)

    def _operands(self) -> tuple[Value, Value] | None:
        """Two operands of at most 64 rows and columns, as they are or loaded for the purpose."""
        if not self.for_oracle and self.chance(0.15):
            return self._float8_operands()
        rank = 2 if self.for_oracle or self.chance(0.7) else 3
        dtypes = ("float32",) if self.for_oracle else (*FLOATS, *SHORT)
        a = self.pick(lambda v: len(v.shape) == rank and max(v.shape) <= 64 and v.dtype in dtypes)
        if self.for_oracle and a is not None and a.dtype in ("bfloat16", *SHORT):
            a = None
        if a is None:
            a = self.load(self._matrix(rank), self.random.choice(dtypes))
        *batch, _, k = a.shape
        alike = SHORT if a.dtype in SHORT else (a.dtype,)

        def fits(v: Value) -> bool:
            return len(v.shape) == rank and v.shape[:-1] == (*batch, k) and v.shape[-1] <= 64 and v.dtype in alike

        b = self.pick(fits)
        if b is None or self.chance(0.3):
            b = self.load(self._matrix_with((*batch, k)), a.dtype)
        a, b = self.clamped(a), self.clamped(b)
        return (a, b) if math.prod((*a.shape[:-1], b.shape[-1])) <= 2 * MAX_SIZE else None

    def _float8_operands(self) -> tuple[Value, Value]:
        shape = self._matrix(self.random.choice((2, 2, 3)))
        first, second = self.random.choice(FLOAT8), self.random.choice(FLOAT8)
        a = self.load(shape, first, "plain")
        b = self.load(self._matrix_with((*shape[:-2], shape[-1])), first if self.chance(0.5) else second, "plain")
        return a, b

    def _small(self) -> int:
        return self.random.choice([size for size in self.sizes if size <= 64] or [16])

    def _matrix(self, rank: int) -> Shape:
        batch = (self.random.choice((1, 2, 3, 4)),) if rank == 3 else ()
        if batch and batch[0] * self._small() > 128:
            return (*batch, 16, 8)
        return (*batch, self._small(), self._small())

    def _matrix_with(self, first: Shape) -> Shape:
        return (*first, self._small())

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
