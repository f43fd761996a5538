"""The statements of a kernel: declarations, loops and branches, loops over registers, barriers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mytriton.codegen import floats, integers, memory
from mytriton.codegen.comments import SourceComments
from mytriton.codegen.errors import codegen_error, errors_at
from mytriton.codegen.expression import Expression, assignment, binary, element, logical_not
from mytriton.codegen.expressions import Expressions, Handler, constant_expression
from mytriton.codegen.leftovers import leftover_error
from mytriton.codegen.literals import element_bits, integer_literal
from mytriton.codegen.names import is_variable_name
from mytriton.codegen.types import declaration, is_vector, scalar_type, value_type
from mytriton.codegen.variables import (
    ALIGNED,
    ARGUMENTS,
    CONSTANT,
    DECLARED,
    RESULTS,
    TEMPORARIES,
    expect_names,
    get_names,
    stale_names,
)
from mytriton.dialects import arith, cuda

StatementHandler: TypeAlias = "Callable[[Statements, Any], None]"

UNROLL = "cuda.unroll"
DYNAMIC_SHARED = "dynamic_shared"

EXPRESSION_HANDLERS: dict[type[Operation], Handler] = {
    arith.ConstantOp: constant_expression,
    **integers.HANDLERS,
    **floats.HANDLERS,
    **memory.HANDLERS,
}


class Statements:
    """Writes the body of one kernel, which carries the attributes of `assign-variables`, line by line."""

    def __init__(self, comments: SourceComments):
        self.expressions = Expressions(EXPRESSION_HANDLERS)
        self.lines: list[str] = []
        self._comments = comments
        self._indent = "    "

    # Lines

    def line(self, text: str) -> None:
        self.lines.append(self._indent + text)

    def unroll(self) -> None:
        self.line("#pragma unroll")

    def open(self, text: str) -> None:
        self.line(f"{text} {{" if text else "{")
        self._indent += "    "

    def close(self) -> None:
        self._indent = self._indent[:-4]
        self.line("}")

    def captured(self, write: Callable[[], None]) -> list[str]:
        """The lines that `write` makes, indented by one more level, without adding them."""
        lines, self.lines = self.lines, []
        self._indent += "    "
        write()
        self._indent = self._indent[:-4]
        lines, self.lines = self.lines, lines
        return lines

    # Names

    def bind(self, values: Sequence[SSAValue], names: Sequence[str]) -> None:
        """From here on the values are written as these variables; an empty name binds nothing."""
        for value, name in zip(values, names, strict=False):
            if name:
                self.expressions.names[value] = self.check_name(name)

    def check_name(self, name: str) -> str:
        if not is_variable_name(name):
            raise stale_names(f"{name!r} is not the name of a C variable")
        return name

    def declared(self, op: Operation, type: Attribute, name: str) -> str:
        """The declaration of a variable, without a value."""
        if isinstance(type, cuda.RegsType):
            alignment = "__align__(16) " if name in get_names(op, ALIGNED) else ""
            return f"{alignment}{self.typed(type.element_type, f'{name}[{type.size.data}]')}"
        const = "const " if name in get_names(op, CONSTANT) else ""
        return const + self.typed(type, name)

    def typed(self, type: Attribute, name: str) -> str:
        c_type = value_type(type)
        self.expressions.use_type(c_type)
        return declaration(c_type, name)

    # Operations

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.operation(op)

    def operation(self, op: Operation) -> None:
        with errors_at(op):
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        if (handler := STATEMENTS.get(op.__class__)) is not None:
            handler(self, op)
            return
        names = get_names(op, RESULTS)
        if names and names[0]:
            self.comment(op)
            value = self.expressions.of_operation(op)
            self.bind(op.results, names)
            self.assign(op, op.results[0].type, names[0], value)
        elif op.__class__ not in EXPRESSION_HANDLERS:
            raise leftover_error(op)

    def comment(self, op: Operation) -> None:
        if (text := self._comments.next(op)) is not None:
            self.line(text)

    def assign(self, op: Operation, type: Attribute, name: str, value: Expression) -> None:
        """`float x = value;`, or without the type where `op` does not declare it."""
        target = self.declared(op, type, name) if name in get_names(op, DECLARED) else name
        self.line(assignment(target, value))

    def declare_results(self, op: Operation, values: Sequence[SSAValue], names: Sequence[str]) -> None:
        """Declarations without a value, of those variables that `op` declares."""
        declared = get_names(op, DECLARED)
        for value, name in zip(values, names, strict=True):
            if name in declared:
                self.line(f"{self.declared(op, value.type, name)};")

    def pass_on(
        self,
        op: Operation,
        sources: Sequence[SSAValue],
        targets: Sequence[str],
        temporaries: Sequence[str],
        declaring: bool = False,
    ) -> None:
        """Give the targets the values of the sources, all at the same time; `op` may declare the targets."""
        temporaries = [*temporaries, *[""] * (len(sources) - len(temporaries))]
        for source, temporary in zip(sources, temporaries, strict=True):
            if temporary:
                self.copy_to_temporary(source, temporary)
        for source, target, temporary in zip(sources, targets, temporaries, strict=True):
            if not target:
                continue
            is_new = declaring and target in get_names(op, DECLARED)
            if isinstance(source.type, cuda.RegsType):
                origin = temporary or self.expressions.names[source]
                if is_new:
                    self.line(f"{self.declared(op, source.type, target)};")
                if origin != target:
                    self.copy_registers(source.type, target, origin)
                continue
            value = Expression(temporary) if temporary else self.expressions.of(source)
            if value.text != target:
                self.line(assignment(self.declared(op, source.type, target) if is_new else target, value))

    def copy_to_temporary(self, source: SSAValue, temporary: str) -> None:
        self.check_name(temporary)
        if not isinstance(source.type, cuda.RegsType):
            self.line(f"{self.typed(source.type, temporary)} = {self.expressions.of(source).text};")
            return
        element_type, size = source.type.element_type, source.type.size.data
        self.line(f"{self.typed(element_type, f'{temporary}[{size}]')};")
        self.copy_registers(source.type, temporary, self.expressions.names[source])

    def copy_registers(self, type: cuda.RegsType, target: str, origin: str) -> None:
        index = "r" if "r" not in (target, origin) else "r_1"
        self.fill_registers(type, target, index, f"{origin}[{index}]")

    def fill_registers(self, type: cuda.RegsType, target: str, index: str, text: str) -> None:
        self.unroll()
        self.open(f"for (int {index} = 0; {index} < {type.size.data}; ++{index})")
        self.line(f"{target}[{index}] = {text};")
        self.close()


# Registers


def _map(out: Statements, op: cuda.MapOp) -> None:
    out.comment(op)
    names = expect_names(op, RESULTS, len(op.outputs))
    size, step = op.size.value.data, op.step.value.data
    out.declare_results(op, op.outputs, names)
    if size == step:
        _map_region(out, op, names, "0")
    else:
        (index,) = expect_names(op, ARGUMENTS, 1)
        out.bind(op.body.block.args, [index])
        out.unroll()
        advance = f"++{index}" if step == 1 else f"{index} += {step}"
        out.open(f"for (int {index} = 0; {index} < {size}; {advance})")
        _map_region(out, op, names, index)
        out.close()
    out.bind(op.outputs, names)


def _map_region(out: Statements, op: cuda.MapOp, names: Sequence[str], index: str) -> None:
    """The statements that make the registers from `index` on."""
    for inner in op.body.block.ops:
        if not isinstance(inner, cuda.YieldOp):
            out.operation(inner)
            continue
        temporaries = get_names(inner, TEMPORARIES)
        for value, temporary in zip(inner.values, temporaries, strict=False):
            if temporary:
                out.copy_to_temporary(value, temporary)
                out.bind([value], [temporary])
        for value, name in zip(inner.values, names, strict=True):
            place = element(Expression(name), Expression(index))
            if is_vector(value.type):
                place = memory.vector_place(value.type, place, False)
            made = out.expressions.of(value)
            if made.text != place.text:
                out.line(assignment(place.text, made))


def _splat(out: Statements, op: cuda.SplatOp) -> None:
    out.comment(op)
    (name,) = expect_names(op, RESULTS, 1)
    assert isinstance(op.result.type, cuda.RegsType)
    declares = name in get_names(op, DECLARED)
    if declares and _is_all_zero_bits(op.value):
        out.line(f"{out.declared(op, op.result.type, name)} = {{}};")
    else:
        out.declare_results(op, [op.result], [name])
        (index,) = expect_names(op, ARGUMENTS, 1)
        out.fill_registers(
            op.result.type, out.check_name(name), out.check_name(index), out.expressions.of(op.value).text
        )
    out.bind([op.result], [name])


def _is_all_zero_bits(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr | FloatAttr):
        return False
    return element_bits(owner.value) == 0


# Control flow


def _for(out: Statements, op: scf.ForOp) -> None:
    out.comment(op)
    names = expect_names(op, RESULTS, len(op.res))
    (index,) = expect_names(op, ARGUMENTS, 1)
    out.pass_on(op, op.iter_args, names, get_names(op, TEMPORARIES), declaring=True)
    arguments = op.body.block.args
    first, bound, step = (out.expressions.signed(value) for value in (op.lb, op.ub, op.step))
    out.bind(arguments, [index, *names])
    goes_on = binary(Expression(index), "<", bound)
    if UNROLL in op.attributes:
        out.unroll()
    begin = f"{out.typed(arguments[0].type, index)} = {first.text}"
    advance = f"++{index}" if arith.integer_constant(op.step) == 1 else f"{index} += {step.text}"
    out.open(f"for ({begin}; {goes_on.text}; {advance})")
    _body(out, op.body.block, names)
    out.close()
    out.bind(op.res, names)


def _body(out: Statements, block: Block, targets: Sequence[str]) -> None:
    """A block whose `scf.yield` passes its values on to `targets`."""
    for op in block.ops:
        if isinstance(op, scf.YieldOp):
            out.pass_on(op, op.arguments, targets, get_names(op, TEMPORARIES))
        else:
            out.operation(op)


def _if(out: Statements, op: scf.IfOp) -> None:
    out.comment(op)
    names = expect_names(op, RESULTS, len(op.output))
    out.declare_results(op, op.output, names)
    condition = out.expressions.of(op.cond)
    then = out.captured(lambda: _body(out, op.true_region.block, names))
    otherwise: list[str] = []
    if op.false_region.blocks:
        otherwise = out.captured(lambda: _body(out, op.false_region.block, names))
    out.bind(op.output, names)
    if not then:
        condition, then, otherwise = logical_not(condition), otherwise, then
    if not then:
        return
    out.line(f"if ({condition.text}) {{")
    out.lines += then
    if otherwise:
        out.line("} else {")
        out.lines += otherwise
    out.line("}")


def _while(out: Statements, op: scf.WhileOp) -> None:
    out.comment(op)
    carried = expect_names(op, ARGUMENTS, len(op.arguments))
    names = expect_names(op, RESULTS, len(op.res))
    only_results = [name if name not in carried else "" for name in names]
    out.declare_results(op, op.res, only_results)
    out.pass_on(op, op.arguments, carried, get_names(op, TEMPORARIES), declaring=True)
    before, after = op.before_region.block, op.after_region.block
    out.bind(before.args, carried)
    out.bind(after.args, names)
    conditions: list[Expression] = []

    def evaluate() -> None:
        for inner in before.ops:
            if isinstance(inner, scf.ConditionOp):
                conditions.append(_condition(out, inner, names))
            else:
                out.operation(inner)

    evaluated = out.captured(evaluate)
    (condition,) = conditions
    if evaluated:
        out.open("while (true)")
        out.lines += evaluated
        out.line(f"if ({logical_not(condition).text}) break;")
    else:
        out.open(f"while ({condition.text})")
    _body(out, after, carried)
    out.close()
    out.bind(op.res, names)


def _condition(out: Statements, op: scf.ConditionOp, targets: Sequence[str]) -> Expression:
    """Pass the values on that the loop's body and results have, and return whether the loop goes on."""
    condition, temporaries = out.expressions.of(op.condition), get_names(op, TEMPORARIES)
    if temporaries and temporaries[0]:
        out.copy_to_temporary(op.condition, temporaries[0])
        condition = Expression(temporaries[0])
    out.pass_on(op, op.args, targets, temporaries[1:])
    return condition


# Threads


def _butterfly(out: Statements, op: cuda.ButterflyOp) -> None:
    out.comment(op)
    names, arguments = expect_names(op, RESULTS, len(op.outputs)), get_names(op, ARGUMENTS)
    out.pass_on(op, op.values, names, get_names(op, TEMPORARIES), declaring=True)
    mask, *others = (out.check_name(name) for name in arguments)
    for loop, mask_text in _mask_loops(mask, list(op.masks.get_values())):
        if loop:
            out.unroll()
        out.open(loop)
        _exchange(out, op, names, others, mask_text)
        out.close()
    out.bind(op.outputs, names)


def _exchange(out: Statements, op: cuda.ButterflyOp, names: Sequence[str], others: Sequence[str], mask: str) -> None:
    """One step: each lane combines its own values with those of its partner, in the order of the lanes if it counts."""
    count = len(names)
    own_args, partner_args = op.body.block.args[:count], op.body.block.args[count:]
    received, ordered = others[:count], others[count:]
    for value, own, partner in zip(op.values, names, received, strict=True):
        text = memory.shuffle(out.expressions, value.type, Expression(own), mask).text
        out.line(f"{out.typed(value.type, partner)} = {text};")
    if not ordered:
        out.bind([*own_args, *partner_args], [*names, *received])
    else:
        is_upper, first, second = ordered[0], ordered[1 : count + 1], ordered[count + 1 :]
        out.line(f"bool {is_upper} = (threadIdx.x & {mask}) != 0;")
        for value, own, partner, left, right in zip(op.values, names, received, first, second, strict=True):
            out.line(f"{out.typed(value.type, left)} = {is_upper} ? {partner} : {own};")
            out.line(f"{out.typed(value.type, right)} = {is_upper} ? {own} : {partner};")
        out.bind([*own_args, *partner_args], [*first, *second])
    for inner in op.body.block.ops:
        if isinstance(inner, cuda.YieldOp):
            out.pass_on(inner, inner.values, names, get_names(inner, TEMPORARIES))
        else:
            out.operation(inner)


def _mask_loops(name: str, masks: Sequence[int]) -> list[tuple[str, str]]:
    """A loop over masks that halve or double, else a block for each; with how the mask is written inside."""
    if len(masks) > 1:
        first, last = masks[0], masks[-1]
        if all(left == 2 * right for left, right in pairwise(masks)):
            return [(f"for (int {name} = {first}; {name} >= {last}; {name} /= 2)", name)]
        if all(2 * left == right for left, right in pairwise(masks)):
            return [(f"for (int {name} = {first}; {name} <= {last}; {name} *= 2)", name)]
    return [("", integer_literal(mask, 32)) for mask in masks]


def _barrier(out: Statements, op: cuda.BarrierOp) -> None:
    out.comment(op)
    out.line("__syncthreads();")


def _store(out: Statements, op: cuda.StoreOp) -> None:
    out.comment(op)
    out.line(memory.store(out.expressions, op))


# Shared memory


def _shared_array(out: Statements, op: cuda.SharedArrayOp) -> None:
    assert isinstance(op.result.type, cuda.SharedType)
    alignment = f"__align__({op.alignment.value.data})"
    if op.dynamic is not None:
        out.expressions.names[op.result] = DYNAMIC_SHARED
        out.line(f"extern __shared__ {alignment} unsigned char {DYNAMIC_SHARED}[];")
        return
    (name,) = expect_names(op, RESULTS, 1)
    out.bind([op.result], [name])
    extents = "".join(f"[{extent}]" for extent in op.result.type.get_shape())
    is_pool = any(isinstance(use.operation, cuda.SharedViewOp) for use in op.result.uses)
    target = f"unsigned char {name}" if is_pool else out.typed(op.result.type.element_type, name)
    out.line(f"__shared__ {alignment} {target}{extents};")


def _shared_view(out: Statements, op: cuda.SharedViewOp) -> None:
    """`float (*a)[16] = (float (*)[16])(pool + 1024);`: a pointer to rows, so that a[i][j] works as for an array."""
    assert isinstance(op.result.type, cuda.SharedType)
    (name,) = expect_names(op, RESULTS, 1)
    out.bind([op.result], [name])
    _, *rows = op.result.type.get_shape()
    c_type = scalar_type(op.result.type.element_type)
    out.expressions.use_type(c_type)
    pool, offset = out.expressions.of(op.pool).text, op.offset.value.data
    start = f"({pool} + {offset})" if offset else pool
    if not rows:
        out.line(f"{c_type} *{name} = ({c_type} *){start};")
        return
    extents = "".join(f"[{extent}]" for extent in rows)
    out.line(f"{c_type} (*{name}){extents} = ({c_type} (*){extents}){start};")


def _return(out: Statements, op: cuda.ReturnOp) -> None:
    """The end of the kernel's text."""


def _misplaced(out: Statements, op: Operation) -> None:
    raise codegen_error(op, f"{op.name} is not where the operation around it expects it")


STATEMENTS: dict[type[Operation], StatementHandler] = {
    cuda.MapOp: _map,
    cuda.SplatOp: _splat,
    cuda.StoreOp: _store,
    cuda.BarrierOp: _barrier,
    cuda.ButterflyOp: _butterfly,
    cuda.SharedArrayOp: _shared_array,
    cuda.SharedViewOp: _shared_view,
    cuda.ReturnOp: _return,
    cuda.YieldOp: _misplaced,
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.WhileOp: _while,
    scf.YieldOp: _misplaced,
    scf.ConditionOp: _misplaced,
}
