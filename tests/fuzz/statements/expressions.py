"""Operations on elements."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.fuzz.statements.base import CLAMPED, MAX_BOUND, MAX_SIZE
from tests.fuzz.statements.memory import Memory
from tests.fuzz.values import (
    EPSILON,
    FLOAT8,
    FLOATS,
    LARGEST,
    Shape,
    Value,
    bits,
    broadcast,
    is_signed,
    magnitude,
    promoted,
)


class Expressions(Memory):
    """Arithmetic, comparisons, casts, selections."""

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
        pair = self.pair(lambda v: v.is_integer or v.is_float)
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
        op = self.random.choice(
            ("+", "-", "*", "+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "max", "min", "cdiv")
        )
        x, y = a.name, b.name
        if op == "cdiv":
            if self.for_oracle or promoted(a.dtype, b.dtype, is_division=True) is None:
                return None
            return self.define(f"tl.cdiv({x}, {y if y != '0' else '3'})", shape, common)
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
        return self.approximate(text, shape, common, bound, error)

    def approximate(self, text: str, shape: Shape, dtype: str, bound: float, error: float) -> Value | None:
        """Defines a value that devices agree on up to `error` and its rounding, unless they hardly agree."""
        if not math.isfinite(bound) or bound > MAX_BOUND:
            return None
        error += 4 * EPSILON[dtype] * bound
        if error > 0.05 * max(1.0, bound):
            return None
        return self.define(text, shape, dtype, bound * 1.01 + error, error)

    def float8_binary(self) -> Value | None:
        """An operation on a float of 8 bits and another float or a number."""
        pair = self.pair(lambda v: v.is_float8 or (v.is_float and v.is_exact))
        if pair is None or not (pair[0].is_float8 or pair[1].is_float8):
            return None
        a, b = pair
        op = self.random.choice("+-*")
        if a.is_float8 and self.chance(0.3):
            return self.define(f"{a.name} {op} {self.real()}", a.shape, a.dtype)
        shape, common = broadcast(a.shape, b.shape), promoted(a.dtype, b.dtype)
        assert shape is not None and common is not None
        return self.define(f"{a.name} {op} {b.name}", shape, common)

    def compare(self) -> Value | None:
        pair = self.pair(lambda v: v.is_exact)
        if pair is None:
            return None
        a, b = pair
        if promoted(a.dtype, b.dtype) is None:
            b = a
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

    def chain(self) -> Value | None:
        """`a < b <= c`, which is of all three."""
        pair = self.pair(lambda v: v.is_exact and not v.is_bool)
        if pair is None or promoted(pair[0].dtype, pair[1].dtype) is None or self.for_oracle:
            return None
        a, b = pair
        shape = broadcast(a.shape, b.shape)
        assert shape is not None
        first, second = self.random.choice((("<", "<="), (">", "!="), ("==", ">="), ("<=", "<")))
        return self.define(f"{a.name} {first} {b.name} {second} {self.literal(b.dtype)}", shape, "int1")

    def power(self) -> Value | None:
        value = self.pick(lambda v: v.is_integer or (v.is_float and v.is_exact and v.dtype == "float32"))
        if value is None or self.for_oracle:
            return None
        exponent = self.random.choice((0, 1, 2, 3, 7)) if value.is_integer else 2
        return self.define(f"{value.name} ** {exponent}", value.shape, value.dtype)

    def library_function(self) -> Value | None:
        """A function of libdevice that is exact."""
        value = self.pick(lambda v: v.dtype in ("int32", "float32", "float64") and v.is_exact)
        if value is None or self.for_oracle:
            return None
        if value.dtype == "int32":
            name = self.random.choice(("popc", "clz", "ffs", "brev"))
            return self.define(f"tl.extra.libdevice.{name}({value.name})", value.shape, "int32")
        name = self.random.choice(("trunc", "rint", "nearbyint", "isnan", "copysign", "fmod", "add_rd", "mul_ru"))
        if name == "isnan":
            return self.define(f"tl.extra.libdevice.isnan({value.name}).to(tl.int32)", value.shape, "int32")
        if name in ("trunc", "rint", "nearbyint"):
            return self.define(f"tl.extra.libdevice.{name}({value.name})", value.shape, value.dtype)
        other = self.pick(lambda v: (v.shape, v.dtype) == (value.shape, value.dtype) and v.is_exact) or value
        if name == "copysign" and not other.is_pure:
            return None
        return self.define(f"tl.extra.libdevice.{name}({value.name}, {other.name})", value.shape, value.dtype)

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
        if value.is_bool or value.bound <= 2 * CLAMPED:
            return value
        low, high = (-4, 4) if is_signed(value.dtype) or value.is_float else (0, 4)
        text = f"tl.minimum(tl.maximum({value.name}, {low}), {high})"
        return self.define(text, value.shape, value.dtype, CLAMPED, value.error)

    def clamp(self) -> Value | None:
        value = self.pick(lambda v: v.is_float and v.bound > 4)
        if value is None:
            return None
        if self.chance(0.5) and value.is_exact:
            text = f"tl.clamp({value.name}, -2.0, 3.5)"
            return self.define(text, value.shape, value.dtype, 3.5 if not self.for_oracle else math.inf)
        return self.clamped(value)

    def unary(self) -> Value | None:
        value = self.pick(lambda v: v.is_integer or v.is_float)
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
        if len(x.shape) > 0 and not self.for_oracle:
            axis = self.random.randrange(len(x.shape))
            softmax_error = 2 * e + (x.shape[axis] + 8) * eps
            table["softmax"] = (f"tl.softmax({name}, {axis})", 1.0, softmax_error)
        if self.for_oracle:
            table.pop("erf")
        text, bound, error = table[self.random.choice(list(table))]
        return self.approximate(text, x.shape, x.dtype, bound, error)

    def cast(self, value: Value | None = None, dtype: str | None = None) -> Value | None:
        value = value or self.pick(lambda v: True)
        dtype = dtype or self.any_dtype()
        if value is None or value.dtype == dtype or not self.casts_alike(value, dtype):
            return None
        if value.is_pure and not value.is_bool and dtype != "int1" and bits(dtype) == bits(value.dtype):
            if self.chance(0.5) and not (self.for_oracle and "bfloat16" in (dtype, value.dtype)):
                return self.define(f"{value.name}.to(tl.{dtype}, bitcast=True)", value.shape, dtype, pure=True)
        text = f"{value.name}.to(tl.{dtype})" if self.chance(0.7) else f"tl.cast({value.name}, tl.{dtype})"
        if dtype not in FLOATS and dtype not in FLOAT8:
            return self.define(text, value.shape, dtype)
        bound = magnitude(value, dtype) * (1.01 if dtype in FLOATS else 1.2)
        if value.is_float and bits(dtype) < bits(value.dtype) and self.chance(0.2) and not self.for_oracle:
            text = f"{value.name}.to(tl.{dtype}, fp_downcast_rounding='rtz')"
        if bound > LARGEST[dtype]:
            bound = math.inf
        if not value.is_exact:
            if dtype in FLOAT8:
                return None
            return self.approximate(text, value.shape, dtype, bound, value.error)
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
        if a.is_float8 or b.is_float8:
            return self.define(text, shape, common) if a.is_exact and b.is_exact else None
        bound = max(magnitude(a, common), magnitude(b, common))
        if a.is_exact and b.is_exact:
            bound = bound * 1.01 if bound < LARGEST[common] / 4 else math.inf
            return self.define(text, shape, common, bound, pure=a.is_pure and b.is_pure and math.isfinite(bound))
        return self.approximate(text, shape, common, bound, max(a.error, b.error))

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
