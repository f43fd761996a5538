"""Random functions of the tt level on integers and pointers, and an evaluator of them on NumPy arrays."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, TensorType, f16, i1, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.tensor_types import element_type, shape_of, with_element_type
from mytriton.passes.axis_facts import unit_of

Array = np.ndarray[Any, Any]


class OutOfContract(Exception):
    """The program overflows or divides by zero, of which nothing is claimed."""


def divide(x: Array, y: Array) -> Array:
    if np.any(y == 0):
        raise OutOfContract
    quotient: Array = np.abs(x) // np.abs(y)
    return np.copysign(1, x).astype(np.int64) * np.sign(y) * quotient


def remainder(x: Array, y: Array) -> Array:
    return x - divide(x, y) * y


def shift(x: Array, y: Array, by: Callable[[Array, Array], Array]) -> Array:
    if np.any((y < 0) | (y > 31)):
        raise OutOfContract
    return by(x, y)


BINARY: dict[type[Operation], Callable[[Array, Array], Array]] = {
    arith.AddiOp: np.add,
    arith.SubiOp: np.subtract,
    arith.MuliOp: np.multiply,
    arith.DivSIOp: divide,
    arith.RemSIOp: remainder,
    arith.ShLIOp: lambda x, y: shift(x, y, np.left_shift),
    arith.ShRSIOp: lambda x, y: shift(x, y, np.right_shift),
    arith.MinSIOp: np.minimum,
    arith.MaxSIOp: np.maximum,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
}
PREDICATES: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
}


class Evaluator:
    """Runs a function on arrays of exact 64-bit integers; `observe` is called with each value when it is computed.

    With `skip`, a value that is out of contract is left out, else it raises OutOfContract. `stored` collects what is
    stored: pointers, values and masks.
    """

    def __init__(
        self,
        function: tt.FuncOp,
        arguments: list[int],
        program_id: int,
        observe: Callable[[SSAValue, Array], None] | None = None,
        skip: bool = False,
    ):
        self.observe = observe
        self.skip = skip
        self.stored: list[tuple[Array, Array, Array | None]] = []
        self.values: dict[SSAValue, Array] = {}
        self.program_id = program_id
        for argument, value in zip(function.body.block.args, arguments, strict=True):
            self.set(argument, np.array(value, dtype=np.int64))
        self.run(function.body.block)

    def set(self, value: SSAValue, array: Array) -> None:
        if array.size and np.abs(array).max() >= 1 << 31:
            raise OutOfContract
        assert array.shape == (shape_of(value.type) or ())
        if self.observe is not None:
            self.observe(value, array)
        self.values[value] = array

    def run(self, block: Block) -> tuple[Array, ...]:
        for op in block.ops:
            if isinstance(op, scf.YieldOp):
                return tuple(self.values[operand] for operand in op.operands)
            if isinstance(op, scf.ForOp):
                self.run_for(op)
            elif isinstance(op, scf.IfOp):
                region = op.true_region if self.values[op.cond] else op.false_region
                for result, array in zip(op.results, self.run(region.block), strict=True):
                    self.set(result, array)
            elif isinstance(op, tt.StoreOp):
                mask = None if op.mask is None else self.values[op.mask]
                self.stored.append((self.values[op.ptr], self.values[op.value], mask))
            elif op.results:
                try:
                    self.set(op.results[0], self.evaluate(op, [self.values[operand] for operand in op.operands]))
                except OutOfContract:
                    if not self.skip:
                        raise
        return ()

    def run_for(self, op: scf.ForOp) -> None:
        index, *carried = op.body.block.args
        state = tuple(self.values[value] for value in op.iter_args)
        lower, upper, step = (int(self.values[bound]) for bound in (op.lb, op.ub, op.step))
        if step <= 0:
            raise OutOfContract
        for value in range(lower, upper, step):
            self.set(index, np.array(value))
            for argument, array in zip(carried, state, strict=True):
                self.set(argument, array)
            state = self.run(op.body.block)
        for result, array in zip(op.results, state, strict=True):
            self.set(result, array)

    def evaluate(self, op: Operation, operands: list[Array]) -> Array:
        shape = shape_of(op.results[0].type) or ()
        match op:
            case arith.ConstantOp():
                return np.full(shape, arith.integer_constant(op.result), dtype=np.int64)
            case tt.GetProgramIdOp():
                return np.array(self.program_id)
            case tt.MakeRangeOp():
                return np.arange(op.start.value.data, op.end.value.data)
            case tt.SplatOp() | tt.BroadcastOp():
                return np.broadcast_to(operands[0], shape)
            case tt.ExpandDimsOp() | tt.ReshapeOp():
                return operands[0].reshape(shape)
            case tt.TransOp():
                return operands[0].transpose(op.permutation)
            case arith.CmpiOp():
                return PREDICATES[op.predicate_name](*operands).astype(np.int64)
            case arith.SelectOp():
                return np.where(operands[0] != 0, operands[1], operands[2])
            case tt.AddPtrOp():
                return operands[0] + operands[1] * unit_of(op.ptr.type)
            case tt.LoadOp():
                loaded = operands[0] * 7 % 101 - 9
                return np.where(operands[1] != 0, loaded, operands[2] if op.other else 0) if op.mask else loaded
            case tt.ReduceOp():
                return operands[0].sum(axis=op.axis.value.data)
            case tt.DotOp():
                return operands[0] @ operands[1] + operands[2]
            case arith.ExtSIOp() | arith.TruncIOp():
                return operands[0]
            case tt.BitcastOp() | ttg.ConvertLayoutOp():
                return operands[0]
            case _:
                return BINARY[type(op)](*operands)


SIZES = [1, 2, 3, 4, 6, 8, 12, 16]


class ProgramMaker:
    """Draws the operations of a random function; `pool` holds the values that the next one may use."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.pool: list[SSAValue] = []

    def pick(self, wanted: Callable[[SSAValue], bool]) -> SSAValue | None:
        found = [value for value in self.pool if wanted(value)]
        return self.draw(st.sampled_from(found)) if found else None

    def of_type(self, type: Attribute) -> SSAValue | None:
        return self.pick(lambda value: value.type == type)

    def shape(self) -> tuple[int, ...]:
        """Mostly one that is there already, so that operations find operands of one shape."""
        if self.draw(st.integers(0, 3)):
            return shape_of(self.draw(st.sampled_from(self.pool)).type) or ()
        return tuple(self.draw(st.lists(st.sampled_from(SIZES), max_size=2)))

    def step(self, block: Block, depth: int) -> None:
        op = self.operation(depth)
        if op is None:
            return
        block.add_op(op)
        self.pool += op.results

    def operation(self, depth: int) -> Operation | None:
        draw = self.draw
        kinds = ["constant", "range", "splat", "shape", "shape", "binary", "binary", "binary", "compare", "select"]
        kinds += ["addptr", "cast", "load", "store", "reduce", "dot"]
        kind = draw(st.sampled_from(kinds if depth else [*kinds, "for", "if"]))
        if kind == "constant":
            shape = self.shape()
            value = draw(st.sampled_from([0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 32, -1, -4]))
            return arith.ConstantOp.of(TensorType(i32, shape) if shape else i32, value)
        if kind == "range":
            start = draw(st.sampled_from([0, 1, 4, 8, -8]))
            return tt.MakeRangeOp(start, start + draw(st.sampled_from(SIZES)))
        if kind == "splat":
            source = self.pick(lambda value: not isinstance(value.type, TensorType))
            return None if source is None else tt.SplatOp(source, TensorType(source.type, self.shape() or [8]))
        if kind == "shape":
            return self.shape_operation()
        if kind == "addptr":
            pointer = self.pick(lambda value: tt.is_pointer(value.type) and isinstance(value.type, TensorType))
            offset = None if pointer is None else self.of_type(with_element_type(pointer.type, i32))
            return None if pointer is None or offset is None else tt.AddPtrOp(pointer, offset)
        if kind == "cast":
            pointer = self.pick(lambda value: tt.is_pointer(value.type))
            if pointer is not None and draw(st.booleans()):
                other = draw(st.sampled_from([f16, i32]))
                return tt.BitcastOp(pointer, with_element_type(pointer.type, tt.PointerType(other)))
            return None
        if kind in ("load", "store", "reduce", "dot"):
            return self.memory_or_reduction(kind)
        wants_tensor = draw(st.booleans())
        lhs = self.pick(
            lambda value: element_type(value.type) == i32 and (not wants_tensor or isinstance(value.type, TensorType))
        )
        rhs = None if lhs is None else self.of_type(lhs.type)
        if lhs is None or rhs is None:
            return None
        if kind == "binary":
            return draw(st.sampled_from(list(BINARY)))(lhs, rhs)  # pyright: ignore[reportCallIssue]
        if kind == "compare":
            return arith.CmpiOp(lhs, rhs, draw(st.sampled_from(list(PREDICATES))))
        if kind == "for":
            return self.loop([lhs, rhs])
        condition = self.of_type(with_element_type(lhs.type, i1)) if kind == "select" else self.of_type(i1)
        if condition is None:
            return None
        if kind == "select":
            return arith.SelectOp(condition, lhs, rhs)
        return scf.IfOp(condition, [lhs.type], self.branch(lhs.type), self.branch(lhs.type))

    def shape_operation(self) -> Operation | None:
        source = self.pick(lambda value: isinstance(value.type, TensorType))
        shape = None if source is None else shape_of(source.type)
        if source is None or shape is None:
            return None
        draw = self.draw
        choice = draw(st.integers(0, 3))
        if choice == 0 and len(shape) < 3:
            return tt.ExpandDimsOp(source, draw(st.integers(0, len(shape))))
        if choice == 1 and 1 in shape:
            wide = [draw(st.sampled_from(SIZES)) if size == 1 else size for size in shape]
            return tt.BroadcastOp(source, TensorType(element_type(source.type), wide))
        if choice == 2:
            return tt.TransOp(source, draw(st.permutations(range(len(shape)))))
        total = math.prod(shape)
        rows = draw(st.sampled_from([size for size in range(1, total + 1) if total % size == 0]))
        target = draw(st.sampled_from([[total], [rows, total // rows], [1, total], [total, 1]]))
        return tt.ReshapeOp(source, TensorType(element_type(source.type), target))

    def memory_or_reduction(self, kind: str) -> Operation | None:
        draw = self.draw
        if kind in ("load", "store"):
            pointer = self.pick(lambda value: element_type(value.type) == tt.PointerType(i32))
            if pointer is None:
                return None
            mask = self.of_type(with_element_type(pointer.type, i1)) if draw(st.booleans()) else None
            other = self.of_type(with_element_type(pointer.type, i32))
            if kind == "load":
                return tt.LoadOp(pointer, mask, other if mask is not None else None)
            return None if other is None else tt.StoreOp(pointer, other, mask)
        source = self.pick(lambda value: element_type(value.type) == i32 and isinstance(value.type, TensorType))
        shape = None if source is None else shape_of(source.type)
        if source is None or shape is None:
            return None
        if kind == "reduce":
            body = Block(arg_types=[i32, i32])
            total = arith.AddiOp(body.args[0], body.args[1])
            body.add_ops([total, tt.ReduceReturnOp(total)])
            return tt.ReduceOp([source], draw(st.integers(0, len(shape) - 1)), Region(body))

        def fits(value: SSAValue) -> bool:
            other = shape_of(value.type)
            return element_type(value.type) == i32 and other is not None and shape[1:] == other[:1] != ()

        right = self.pick(fits)
        right_shape = None if right is None else shape_of(right.type)
        if right is None or right_shape is None or len(right_shape) != 2:
            return None
        acc = self.of_type(TensorType(i32, [shape[0], right_shape[1]]))
        return None if acc is None else tt.DotOp(source, right, acc)

    def nested(self, block: Block, types: list[Attribute]) -> Block:
        before = len(self.pool)
        self.pool += block.args
        for _ in range(self.draw(st.integers(0, 5))):
            self.step(block, 1)
        values = [self.of_type(type) for type in types]
        block.add_op(scf.YieldOp(*[value for value in values if value is not None]))
        del self.pool[before:]
        return block

    def branch(self, type: Attribute) -> Region:
        return Region(self.nested(Block(), [type]))

    def loop(self, initial: list[SSAValue]) -> Operation | None:
        bounds = [self.of_type(i32) for _ in range(3)]
        if any(bound is None for bound in bounds):
            return None
        lower, upper, step = (bound for bound in bounds if bound is not None)
        types = [value.type for value in initial]
        body = self.nested(Block(arg_types=[i32, *types]), types)
        return scf.ForOp(lower, upper, step, initial, body)


@dataclass(repr=False)
class Program:
    """A function and arguments for it."""

    function: tt.FuncOp
    arguments: list[int]

    def __repr__(self) -> str:
        return f"{self.function}\narguments: {self.arguments}"


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A function of two pointers and two integers, and arguments that fit their divisibility."""
    divisors = [draw(st.sampled_from([1, 4, 16])) for _ in range(4)]
    types = [tt.PointerType(i32), tt.PointerType(f16), i32, i32]
    attrs = [DictionaryAttr({"tt.divisibility": IntegerAttr(divisor, i32)}) for divisor in divisors]
    arguments = [divisor * draw(st.integers(0, 9)) for divisor in divisors]
    function = tt.FuncOp("kernel", (types, []), arg_attrs=ArrayAttr(attrs))
    block = function.body.block
    maker = ProgramMaker(draw)
    program_id = tt.GetProgramIdOp(0)
    block.add_op(program_id)
    maker.pool += [*block.args, program_id.result]
    for size in draw(st.lists(st.sampled_from(SIZES), min_size=1, max_size=2)):
        ops = [
            tt.MakeRangeOp(0, size),
            tt.SplatOp(block.args[2], TensorType(i32, [size])),
            tt.SplatOp(block.args[0], TensorType(tt.PointerType(i32), [size])),
        ]
        block.add_ops(ops)
        maker.pool += [op.results[0] for op in ops]
    for _ in range(draw(st.integers(8, 24))):
        maker.step(block, 0)
    block.add_op(tt.ReturnOp())
    return Program(function, arguments)
