"""Loops, conditions and calls."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import replace

from tests.fuzz.program import Helper, Line, Statement, Suite
from tests.fuzz.statements.array_tiles import ArrayTiles
from tests.fuzz.statements.base import MAX_SIZE
from tests.fuzz.values import (
    EPSILON,
    INTEGERS,
    Value,
    bits,
    broadcast,
    promoted,
    zeros,
)


class ControlFlow(ArrayTiles):
    """Statements with statements in them."""

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
        mask = self.mask(shape, offsets, extent) if self.chance(0.5) else None
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
        elif self.chance(0.25) and promoted(dtype, operand.dtype) == dtype and operand.is_integer == value.is_integer:
            self.emit(f"{name} {self.random.choice('+-*')}= {operand.name}")
            self._forget([value])
            return
        elif value.is_integer and operand.is_integer:
            text = f"({name} {self.random.choice('+-*^&|')} {operand.name}).to(tl.{dtype})"
        elif (
            self.chance(0.2)
            and promoted(dtype, operand.dtype) is not None
            and self.pick(lambda v: v.is_bool and v.shape == value.shape)
        ):
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
        if function == "tl.range" and self.chance(0.4):
            bounds += self.random.choice((", num_stages=2", ", loop_unroll_factor=2", ", disable_licm=True"))
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
        if choice < 0.82:
            step = self.fresh("n")
            self.scalars[step] = self.random.choice((1, 2, 3) if self.for_oracle else (1, 2, 3, -1, -2, 0))
            return f"{bound()}, {bound()}, {step}", "int32", None
        if choice < 0.92 or self.for_oracle:
            return f"{bound()}, {self.random.randint(2, 9)}, {self.random.choice((1, 2, 3))}", "int32", None
        return f"{self.random.randint(2, 6)}, {bound()}, {self.random.choice((-1, -2))}", "int32", None

    def _leave(self, counter: str) -> None:
        what = self.random.choice(("break", "break", "continue", "continue", "return"))
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
        before, after = (step, []) if first else ([], step)
        if not self.for_oracle and self.chance(0.2):
            stop: list[Statement] = [Suite(f"if not ({condition}):", [Line("break")])]
            before, condition = [*stop, *before], "True"
        with self.loop(f"while {condition}:", before, after):
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

    def leave_kernel(self) -> None:
        """Some programs end here."""
        condition = self.scalar_condition()
        self.lines.append(Suite(f"if {condition.name}:", [Line("return")]))

    def tuple_loop(self) -> None:
        """A loop that carries a tuple whose elements change places."""
        a = self.pick(lambda v: v.is_exact and v.size <= 1024)
        if a is None:
            return
        b = self.pick(lambda v: v.is_exact and (v.shape, v.dtype) == (a.shape, a.dtype)) or a
        name, turn = self.fresh("t"), self.fresh("i")
        self.emit(f"{name} = ({a.name}, {b.name})")
        change = self.random.choice((f"({name}[1], {name}[0])", f"{name}[::-1]", f"({name}[1],) + ({name}[0],)"))
        self.lines.append(Suite(f"for {turn} in range({self.random.randint(0, 3)}):", [Line(f"{name} = {change}")]))
        first, second = self.fresh("v"), self.fresh("v")
        self.emit(f"{first}, {second} = {name}")
        self.values += [a.renamed(first).any_value(), a.renamed(second).any_value()]

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
        signature, passed = self._parameters(parameters, arguments, body)
        combinations = self.numbers["combine"]
        self.values, self.lines, self.frozen, self.numbers, self.depth, self.read = outer
        self.numbers["combine"] = combinations
        self.in_helper = False
        helper = Helper(self.fresh("helper"), signature, body)
        self.helpers.append(helper)
        defined = [value.renamed(self.fresh("v")) for value in facts]
        if any(line.text.startswith("return") for line in _all_lines(body[:-1])):
            defined = [value.any_value() for value in defined]
        text = f"{', '.join(value.name for value in defined)} = {helper.name}({passed})"
        simpler = "\n".join(f"{value.name} = {zeros(value.shape, value.dtype)}" for value in defined)
        self.emit(text, simpler)
        self.values.extend(defined)

    def _parameters(self, parameters: list[Value], arguments: list[Value], body: list[Statement]) -> tuple[str, str]:
        """The parameters of a function and what a call passes; now and then all as one tuple, or the rest as one."""
        names, passed = ", ".join(value.name for value in parameters), ", ".join(value.name for value in arguments)
        choice = self.random.random()
        if choice < 0.7 or len(parameters) < 2:
            return names, passed
        if choice < 0.85:
            body.insert(0, Line(f"{names} = all_of_them"))
            return "all_of_them", f"({passed})"
        first, rest = parameters[0].name, ", ".join(value.name for value in parameters[1:])
        body.insert(0, Line(f"{rest} = others" if len(parameters) > 2 else f"{parameters[1].name} = others[0]"))
        return f"{first}, *others", passed

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
