"""What the `cuda` dialect means, for one thread: an evaluator of integer programs, written for the tests alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.hints import isa

from mytriton.dialects import arith, cuda

Value = int | list[int]

_BINARY: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.XOrIOp: lambda a, b: a ^ b,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
}

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sge": lambda a, b: a >= b,
}


def _wrap(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


class Evaluator:
    """Runs one thread of a kernel; `memory` maps each pointer argument to a list that is read and written."""

    def __init__(self, function: cuda.FuncOp, arguments: Sequence[int | list[int]]):
        self.memory: dict[SSAValue, list[int]] = {}
        self._values: dict[SSAValue, Value] = {}
        for arg, given in zip(function.body.block.args, arguments, strict=True):
            if isinstance(given, list):
                self.memory[arg] = given
            else:
                self._values[arg] = given
        self._block(function.body.block)

    def _scalar(self, value: SSAValue) -> int:
        found = self._values[value]
        assert isinstance(found, int)
        return found

    def _array(self, value: SSAValue) -> list[int]:
        found = self._values[value]
        assert isinstance(found, list)
        return found

    def _bind(self, values: Sequence[SSAValue], given: Sequence[Value]) -> None:
        self._values.update(zip(values, given, strict=True))

    def _block(self, block: Block) -> list[Value]:
        """What the terminator of the block passes on."""
        for op in block.ops:
            if isinstance(op, scf.YieldOp | cuda.YieldOp | scf.ConditionOp | cuda.ReturnOp):
                return [self._values[operand] for operand in op.operands]
            self._operation(op)
        raise AssertionError("a block without a terminator")

    def _operation(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                carried = [self._values[value] for value in op.iter_args]
                for index in range(self._scalar(op.lb), self._scalar(op.ub), self._scalar(op.step)):
                    self._bind(op.body.block.args, [index, *carried])
                    carried = self._block(op.body.block)
                self._bind(op.res, carried)
            case scf.WhileOp():
                carried = [self._values[value] for value in op.arguments]
                while True:
                    self._bind(op.before_region.block.args, carried)
                    goes_on, *passed = self._block(op.before_region.block)
                    if not goes_on:
                        break
                    self._bind(op.after_region.block.args, passed)
                    carried = self._block(op.after_region.block)
                self._bind(op.res, passed)
            case scf.IfOp():
                region = op.true_region if self._scalar(op.cond) else op.false_region
                self._bind(op.output, self._block(region.block) if region.blocks else [])
            case cuda.MapOp():
                arrays: list[list[int]] = [[] for _ in op.outputs]
                for register in range(0, op.size.value.data, op.step.value.data):
                    self._bind(op.body.block.args, [register])
                    for array, element in zip(arrays, self._block(op.body.block), strict=True):
                        array += element if isinstance(element, list) else [element]
                self._bind(op.outputs, arrays)
            case cuda.StoreOp():
                if op.mask is None or self._scalar(op.mask):
                    self.memory[op.base][self._scalar(op.indices[0])] = self._scalar(op.value)
            case _:
                self._values[op.results[0]] = self._result(op)

    def _result(self, op: Operation) -> Value:
        match op:
            case arith.ConstantOp(value=IntegerAttr() as attr):
                return attr.value.data
            case arith.CmpiOp():
                return int(_COMPARE[op.predicate_name](self._scalar(op.lhs), self._scalar(op.rhs)))
            case arith.SelectOp():
                return self._values[op.lhs if self._scalar(op.cond) else op.rhs]
            case cuda.SplatOp():
                assert isinstance(op.result.type, cuda.RegsType)
                return [self._scalar(op.value)] * op.result.type.size.data
            case cuda.GetOp():
                array, index = self._array(op.regs), self._scalar(op.index)
                if isa(op.result.type, VectorType):
                    return array[index : index + op.result.type.get_shape()[0]]
                return array[index]
            case cuda.LoadOp():
                if op.mask is not None and not self._scalar(op.mask):
                    return 0 if op.other is None else self._scalar(op.other)
                return self.memory[op.base][self._scalar(op.indices[0])]
            case _:
                lhs, rhs = (self._scalar(operand) for operand in op.operands)
                type = op.results[0].type
                assert isa(type, IntegerType)
                return _wrap(_BINARY[op.__class__](lhs, rhs), type.width.data)


def evaluate(function: cuda.FuncOp, arguments: Mapping[str, int | list[int]]) -> None:
    """Run one thread; the lists among the arguments are memory."""
    Evaluator(function, list(arguments.values()))
