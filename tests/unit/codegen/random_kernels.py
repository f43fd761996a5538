"""Random kernels of the `cuda` dialect that carry scalars and register arrays through loops and branches."""

from __future__ import annotations

import random
from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import FunctionType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mytriton.dialects import arith, cuda, tt

SIZE = 4
ARRAY = cuda.RegsType(SIZE, i32)
INPUTS = 16
OUTPUTS = 64

_ARITHMETIC = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.XOrIOp, arith.MinSIOp, arith.AndIOp)


class Generator:
    """Makes one kernel `(in, out, n)` that ends by storing every value that is still known."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self._blocks: list[Block] = []
        self._known: list[list[SSAValue]] = []
        pointer = tt.PointerType(i32)
        entry = Block(arg_types=[pointer, pointer, i32])
        self._input, self._output, count = entry.args
        for value, hint in zip(entry.args, ("input", "output", "n"), strict=True):
            value.name_hint = hint
        self._open(entry, [count])
        self._constants = [self._add(arith.ConstantOp.from_int_and_width(value, 32)) for value in range(SIZE)]
        for _ in range(2):
            self._splat()
        self._statements(self._random.randint(4, 9), depth=0)
        self._store_all()
        self._emit(cuda.ReturnOp())
        self.function = cuda.FuncOp("kernel", FunctionType.from_lists([pointer, pointer, i32], []), 1, Region(entry))

    # Blocks

    def _open(self, block: Block, known: Sequence[SSAValue]) -> None:
        self._blocks.append(block)
        self._known.append(list(known))

    def _close(self) -> None:
        self._blocks.pop()
        self._known.pop()

    def _emit(self, op: Operation) -> None:
        self._blocks[-1].add_op(op)

    def _add(self, op: Operation) -> SSAValue:
        self._emit(op)
        self._known[-1] += op.results
        for result in op.results:
            result.name_hint = self._random.choice(("a", "b", "acc", "x", None))
        return op.results[0]

    def _pick(self, type: Attribute) -> SSAValue:
        values = [value for known in self._known for value in known if value.type == type]
        # Recent values are read more often.
        return self._random.choice(values[-6:] if self._random.random() < 0.7 else values)

    def _any_type(self) -> Attribute:
        return self._random.choice((i32, ARRAY, ARRAY))

    # Statements

    def _statements(self, count: int, depth: int) -> None:
        for _ in range(count):
            self._statement(depth)

    def _statement(self, depth: int) -> None:
        kind = self._random.choice(("scalar", "map", "map", "splat", "load", "for", "for", "if", "while"))
        if depth >= 3 and kind in ("for", "if", "while"):
            kind = "map"
        match kind:
            case "scalar":
                self._scalar()
            case "map":
                self._map()
            case "splat":
                self._splat()
            case "load":
                self._load()
            case "for":
                self._for(depth)
            case "if":
                self._if(depth)
            case _:
                self._while(depth)

    def _scalar(self) -> SSAValue:
        operation = self._random.choice(_ARITHMETIC)
        return self._add(operation(self._pick(i32), self._pick(i32)))

    def _splat(self) -> None:
        self._add(cuda.SplatOp(self._pick(i32), SIZE))

    def _load(self) -> None:
        masked = self._add(arith.AndIOp(self._pick(i32), self._constants[3]))
        self._add(cuda.LoadOp(self._input, [masked]))

    def _condition(self) -> SSAValue:
        op = arith.CmpiOp(self._pick(i32), self._pick(i32), self._random.choice(("slt", "eq", "ne", "sge")))
        self._emit(op)
        return op.result

    def _map(self) -> None:
        step = self._random.choice((1, 1, 1, 2))
        results = self._random.choice((1, 1, 2))
        block = cuda.register_block()
        arrays = [self._pick(ARRAY) for _ in range(results + 1)]
        self._open(block, [] if step > 1 else list(block.args))
        if step > 1:
            yielded = [self._read(block.args[0], array, step) for array in arrays[:results]]
        else:
            elements = [self._read(block.args[0], array) for array in arrays]
            self._known[-1] += elements
            yielded = [self._random.choice((elements[i], self._scalar())) for i in range(results)]
        self._emit(cuda.YieldOp(*yielded))
        self._close()
        self._add(cuda.MapOp(SIZE, [ARRAY] * results, Region(block), step))

    def _read(self, register: SSAValue, array: SSAValue, width: int = 1) -> SSAValue:
        index = register
        if width == 1 and self._random.random() < 0.3:
            reverse = arith.SubiOp(self._constants[3], register)
            self._emit(reverse)
            index = self._random.choice((reverse.result, self._constants[0]))
        get = cuda.GetOp(array, index, width)
        self._emit(get)
        return get.result

    def _carried(self) -> list[SSAValue]:
        return [self._pick(self._any_type()) for _ in range(self._random.randint(1, 3))]

    def _yield(self, types: Sequence[Attribute]) -> None:
        self._emit(scf.YieldOp(*(self._pick(type) for type in types)))

    def _for(self, depth: int) -> None:
        first, trips = self._random.randint(0, 2), self._random.randint(0, 3)
        bound = self._constants[min(first + trips, 3)]
        initial = self._carried()
        block = Block(arg_types=[i32, *(value.type for value in initial)])
        self._open(block, block.args)
        self._statements(self._random.randint(0, 4), depth + 1)
        self._yield([value.type for value in initial])
        self._close()
        self._add(scf.ForOp(self._constants[first], bound, self._constants[1], initial, Region(block)))

    def _if(self, depth: int) -> None:
        condition = self._condition()
        types = [self._any_type() for _ in range(self._random.randint(1, 3))]
        regions: list[Region] = []
        for _ in range(2):
            block = Block()
            self._open(block, [])
            self._statements(self._random.randint(0, 3), depth + 1)
            self._yield(types)
            self._close()
            regions.append(Region(block))
        self._add(scf.IfOp(condition, types, regions[0], regions[1]))

    def _while(self, depth: int) -> None:
        """while (i < trips) i += 1, with other values carried along."""
        initial = [self._constants[self._random.randint(0, 3)], *self._carried()]
        types = [value.type for value in initial]
        before, after = Block(arg_types=types), Block(arg_types=types)
        self._open(before, before.args)
        self._statements(self._random.randint(0, 2), depth + 1)
        limit = self._constants[self._random.randint(0, 3)]
        condition = arith.CmpiOp(before.args[0], limit, "slt")
        self._emit(condition)
        passed = [before.args[0], *(self._pick(type) for type in types[1:])]
        self._emit(scf.ConditionOp(condition.result, *passed))
        self._close()
        self._open(after, after.args)
        self._statements(self._random.randint(0, 2), depth + 1)
        following = arith.AddiOp(after.args[0], self._constants[1])
        self._emit(following)
        self._emit(scf.YieldOp(following.result, *(self._pick(type) for type in types[1:])))
        self._close()
        self._add(scf.WhileOp(initial, types, Region(before), Region(after)))

    def _store_all(self) -> None:
        position = 0
        values = [value for value in self._known[0] if value.type in (i32, ARRAY)][-12:]
        for value in values:
            elements = [value]
            if value.type == ARRAY:
                gets = [cuda.GetOp(value, index) for index in self._constants]
                self._blocks[-1].add_ops(gets)
                elements = [get.result for get in gets]
            for element in elements:
                index = arith.ConstantOp.from_int_and_width(position, 32)
                self._emit(index)
                self._emit(cuda.StoreOp(element, self._output, [index.result]))
                position += 1
        assert position <= OUTPUTS
