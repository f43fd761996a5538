"""Adds operations to the module: the thin layer between the language and the IR."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from xdsl.dialects import math, scf
from xdsl.dialects.builtin import (
    CallSiteLoc,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    Signedness,
    StringAttr,
    TensorType,
    UnitAttr,
    UnknownLoc,
    bf16,
    f8E4M3FN,
    f8E4M3FNUZ,
    f8E5M2,
    f8E5M2FNUZ,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.attribute_names import EMPTY
from mytriton.dialects.building import append, create, insert_before, operations, region_of, valid_name
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.tensor_types import bit_width, is_fixed_width_integer
from mytriton.language.dtypes import descriptor_handle_type, dtype, pointer_type
from mytriton.language.values import Number
from mytriton.options import DEFAULT_ARCHITECTURE

_SCALARS: dict[str, Attribute] = {
    "int1": i1,
    "int8": i8,
    "uint8": i8,
    "int16": i16,
    "uint16": i16,
    "int32": i32,
    "uint32": i32,
    "int64": i64,
    "uint64": i64,
    "fp8e4nv": f8E4M3FN,
    "fp8e5": f8E5M2,
    "fp8e4b8": f8E4M3FNUZ,
    "fp8e5b16": f8E5M2FNUZ,
    "fp8e4b15": i8,
    "fp16": f16,
    "bf16": bf16,
    "fp32": f32,
    "fp64": f64,
}

_UNARY: dict[str, Callable[[SSAValue], Operation]] = {
    "negf": arith.NegfOp,
    "absi": math.AbsIOp,
    "sqrt_rn": tt.PreciseSqrtOp,
}

_FLOAT_FUNCTIONS: dict[str, type[Operation]] = {
    "absf": math.AbsFOp,
    "exp": math.ExpOp,
    "exp2": math.Exp2Op,
    "log": math.LogOp,
    "log2": math.Log2Op,
    "sin": math.SinOp,
    "cos": math.CosOp,
    "sqrt": math.SqrtOp,
    "rsqrt": math.RsqrtOp,
    "erf": math.ErfOp,
    "floor": math.FloorOp,
    "ceil": math.CeilOp,
}

_BINARY: dict[str, Callable[[SSAValue, SSAValue], Operation]] = {
    "addi": arith.AddiOp,
    "subi": arith.SubiOp,
    "muli": arith.MuliOp,
    "divsi": arith.DivSIOp,
    "divui": arith.DivUIOp,
    "remsi": arith.RemSIOp,
    "remui": arith.RemUIOp,
    "andi": arith.AndIOp,
    "ori": arith.OrIOp,
    "xori": arith.XOrIOp,
    "shli": arith.ShLIOp,
    "shrsi": arith.ShRSIOp,
    "shrui": arith.ShRUIOp,
    "minsi": arith.MinSIOp,
    "maxsi": arith.MaxSIOp,
    "minui": arith.MinUIOp,
    "maxui": arith.MaxUIOp,
    "addf": arith.AddfOp,
    "subf": arith.SubfOp,
    "mulf": arith.MulfOp,
    "divf": arith.DivfOp,
    "remf": arith.RemfOp,
    "minimumf": arith.MinimumfOp,
    "maximumf": arith.MaximumfOp,
    "minnumf": arith.MinnumfOp,
    "maxnumf": arith.MaxnumfOp,
    "mulhiui": tt.MulhiUIOp,
    "div_rn": tt.PreciseDivFOp,
    "powf": math.PowFOp,
}

_CONVERSIONS: dict[str, Callable[[SSAValue, Attribute], Operation]] = {
    "extsi": arith.ExtSIOp,
    "extui": arith.ExtUIOp,
    "trunci": arith.TruncIOp,
    "extf": arith.ExtFOp,
    "truncf": arith.TruncFOp,
    "sitofp": arith.SIToFPOp,
    "uitofp": arith.UIToFPOp,
    "fptosi": arith.FPToSIOp,
    "fptoui": arith.FPToUIOp,
    "bitcast": arith.BitcastOp,
    "ptr_bitcast": tt.BitcastOp,
    "ptr_to_int": tt.PtrToIntOp,
    "int_to_ptr": tt.IntToPtrOp,
}

CallHook = Callable[[Any, Sequence[Any]], Any]


class Builder:
    """Appends operations to one block at a time, at one source location.

    Constants go to the start of the function and exist once each. `call` inlines a jit function on language values; the
    frontend provides it.
    """

    def __init__(self, call: CallHook, default_input_precision: str = "ieee"):
        self.call = call
        self.default_input_precision = default_input_precision
        self.debug = False
        """Whether conditions are checked when the kernel runs."""
        self.num_warps = 4
        self.arch = DEFAULT_ARCHITECTURE
        self.block = self.entry = Block()
        self.location: LocationAttr = UnknownLoc()
        self.argument_attributes: list[dict[str, Attribute]] = []
        self._constants = _Constants(self.block)
        self._types: dict[dtype, Attribute] = {}
        self._files: dict[str, StringAttr] = {}
        self._locations: dict[tuple[str, int, int, int], LocationAttr] = {}

    # Blocks, locations and types

    def location_of(self, file: str, line: int, column: int, caller: LocationAttr | None = None) -> LocationAttr:
        """A place in a file, and the one that the function was called from which it belongs to."""
        # A caller lives as long as the locations that have it.
        place = (file, line, column, id(caller))
        found = self._locations.get(place)
        if found is None:
            if (name := self._files.get(file)) is None:
                name = self._files[file] = StringAttr(file)
            found = _location(name, line, column)
            if caller is not None:
                found = _called_from(found, caller)
            self._locations[place] = found
        return found

    def insert(self, op: Operation) -> Operation:
        """Appends an operation to the current block."""
        op.location = self.location
        append(self.block, op)
        return op

    def value(self, op: Operation) -> SSAValue:
        op.location = self.location
        append(self.block, op)
        return op.results[0]

    @contextmanager
    def at(self, block: Block, own_constants: bool = False) -> Generator[None]:
        """Appends to `block` instead; with `own_constants` nothing in it uses a constant from outside."""
        outer, constants = self.block, self._constants
        self.block = block
        if own_constants:
            self._constants = _Constants(block)
        try:
            yield
        finally:
            if own_constants:
                self._constants.erase_unused()
            self.block, self._constants = outer, constants

    def begin_function(self, block: Block) -> None:
        """Makes `block` the entry of a function, whose start takes the constants."""
        self.block = self.entry = block
        self._constants = _Constants(block)

    def end_function(self) -> None:
        self._constants.erase_unused()

    def type(self, type: dtype) -> Attribute:
        """The IR's type for a type of the language."""
        found = self._types.get(type)
        if found is None:
            found = self._types[type] = self._new_type(type)
        return found

    def _new_type(self, type: dtype) -> Attribute:
        if type.is_block():
            return _tensor_type(self.type(type.scalar), type.shape)
        if isinstance(type, pointer_type):
            return tt.PointerType(self.type(type.element_ty), type.address_space)
        if isinstance(type, descriptor_handle_type):
            element = self.type(type.tile.element_ty)
            if is_fixed_width_integer(element):
                signedness = Signedness.SIGNED if type.tile.element_ty.is_int_signed() else Signedness.UNSIGNED
                element = IntegerType(bit_width(element), signedness)
            return tt.TensorDescType(type.tile.shape, element)
        return _SCALARS[type.name]

    def constant(self, value: Number, type: dtype) -> SSAValue:
        """A scalar constant, or a tensor filled with it."""
        if type.scalar.is_floating():
            value = float(value)
        return self._constants.get(self.type(type), value, self.location)

    # Operations

    def unary(self, op: str, x: SSAValue) -> SSAValue:
        if (function := _FLOAT_FUNCTIONS.get(op)) is not None:
            return self.value(create(function, (x,), (x.type,), {"fastmath": arith.NO_FAST_MATH}))
        return self.value(_UNARY[op](x))

    def binary(self, op: str, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.value(_BINARY[op](x, y))

    def convert(self, op: str, x: SSAValue, type: dtype) -> SSAValue:
        return self.value(_CONVERSIONS[op](x, self.type(type)))

    def convert_float(self, x: SSAValue, type: dtype, rounding: str | None) -> SSAValue:
        return self.value(tt.FpToFpOp(x, self.type(type), rounding))

    def compare_integers(self, predicate: str, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.value(arith.CmpiOp(x, y, predicate))

    def compare_floats(self, predicate: str, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.value(arith.CmpfOp(x, y, predicate))

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.value(arith.SelectOp(condition, x, y))

    def fused_multiply_add(self, x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
        return self.value(create(math.FmaOp, (x, y, z), (x.type,), {"fastmath": arith.NO_FAST_MATH}))

    def extern_elementwise(self, symbol: str, operands: Sequence[SSAValue], type: dtype) -> SSAValue:
        return self.value(tt.ExternElementwiseOp(operands, symbol, self.type(type)))

    def inline_asm(
        self,
        asm: str,
        constraints: str,
        args: Sequence[SSAValue],
        types: Sequence[dtype],
        is_pure: bool,
        pack: int,
    ) -> Sequence[SSAValue]:
        results = [self.type(type) for type in types]
        return self.insert(tt.ElementwiseInlineAsmOp(asm, constraints, args, results, is_pure, pack)).results

    def map_elementwise(
        self,
        inputs: Sequence[SSAValue],
        scalars: Sequence[dtype],
        pack: int,
        body: Callable[[Sequence[SSAValue]], tuple[Sequence[SSAValue], Sequence[dtype]]],
    ) -> Sequence[SSAValue]:
        """`body` adds the operations on `pack` elements of each input; gives the results and the types of tensors."""
        block = Block(arg_types=[self.type(scalar) for scalar in scalars for _ in range(pack)])
        with self.at(block, own_constants=True):
            values, types = body(block.args)
            self.insert(tt.MapElementwiseReturnOp(*values))
        results = [self.type(type) for type in types]
        return self.insert(tt.MapElementwiseOp(inputs, Region(block), results, pack)).results

    def print_values(self, prefix: str, hex: bool, values: Sequence[SSAValue], is_signed: Sequence[bool]) -> None:
        self.insert(tt.PrintOp(prefix, hex, values, is_signed))

    def check(self, condition: SSAValue, message: str) -> None:
        self.insert(tt.AssertOp(condition, message))

    def assume(self, condition: SSAValue) -> None:
        self.insert(tt.AssumeOp(condition))

    def barrier(self) -> None:
        self.insert(ttg.BarrierOp(of_program=True))

    def grid_dependency(self, wait: bool) -> None:
        self.insert((tt.GridDependencyWaitOp if wait else tt.GridDependencyLaunchDependentsOp).create())

    def program_id(self, axis: int) -> SSAValue:
        return self.value(tt.GetProgramIdOp(axis))

    def num_programs(self, axis: int) -> SSAValue:
        return self.value(tt.GetNumProgramsOp(axis))

    def make_range(self, start: int, end: int, type: dtype) -> SSAValue:
        return self.value(tt.MakeRangeOp(start, end, self.type(type)))

    def splat(self, x: SSAValue, type: dtype) -> SSAValue:
        return self.value(tt.SplatOp(x, self.type(type)))

    def unsplat(self, x: SSAValue) -> SSAValue:
        return self.value(tt.UnsplatOp(x))

    def broadcast(self, x: SSAValue, type: dtype) -> SSAValue:
        return self.value(tt.BroadcastOp(x, self.type(type)))

    def expand_dims(self, x: SSAValue, axis: int) -> SSAValue:
        return self.value(tt.ExpandDimsOp(x, axis))

    def reshape(self, x: SSAValue, type: dtype, allow_reorder: bool) -> SSAValue:
        return self.value(tt.ReshapeOp(x, self.type(type), allow_reorder))

    def transpose(self, x: SSAValue, order: Sequence[int]) -> SSAValue:
        return self.value(tt.TransOp(x, order))

    def join(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.value(tt.JoinOp(x, y))

    def split(self, x: SSAValue) -> Sequence[SSAValue]:
        return self.insert(tt.SplitOp(x)).results

    def cat(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.value(tt.CatOp(x, y))

    def extract_slice(
        self, x: SSAValue, offsets: Sequence[SSAValue], sizes: Sequence[int], strides: Sequence[int]
    ) -> SSAValue:
        return self.value(tt.ExtractSliceOp(x, offsets, sizes, strides))

    def add_pointer(self, pointer: SSAValue, offset: SSAValue) -> SSAValue:
        return self.value(tt.AddPtrOp(pointer, offset))

    def load(
        self,
        pointer: SSAValue,
        mask: SSAValue | None,
        other: SSAValue | None,
        cache: str,
        eviction: str,
        is_volatile: bool,
    ) -> SSAValue:
        return self.value(tt.LoadOp(pointer, mask, other, cache, eviction, is_volatile))

    def store(self, pointer: SSAValue, value: SSAValue, mask: SSAValue | None, cache: str, eviction: str) -> None:
        self.insert(tt.StoreOp(pointer, value, mask, cache, eviction))

    def atomic_rmw(
        self,
        operation: str,
        pointer: SSAValue,
        value: SSAValue,
        mask: SSAValue | None,
        sem: str,
        scope: str,
    ) -> SSAValue:
        return self.value(tt.AtomicRMWOp(operation, pointer, value, mask, sem, scope))

    def atomic_cas(self, pointer: SSAValue, expected: SSAValue, value: SSAValue, sem: str, scope: str) -> SSAValue:
        return self.value(tt.AtomicCASOp(pointer, expected, value, sem, scope))

    def atomic_load(self, pointer: SSAValue, mask: SSAValue | None, sem: str, scope: str) -> SSAValue:
        return self.value(tt.AtomicLoadOp(pointer, mask, sem, scope))

    def atomic_store(self, pointer: SSAValue, value: SSAValue, mask: SSAValue | None, sem: str, scope: str) -> None:
        self.insert(tt.AtomicStoreOp(pointer, value, mask, sem, scope))

    def atomic_poll(
        self, pointer: SSAValue, expected: SSAValue, timeout_ns: SSAValue | None, sem: str, scope: str
    ) -> SSAValue:
        return self.value(tt.AtomicPollOp(pointer, expected, timeout_ns, sem, scope))

    # Descriptors

    def make_tensor_descriptor(
        self, base: SSAValue, shape: Sequence[SSAValue], strides: Sequence[SSAValue], type: dtype, padding: str
    ) -> SSAValue:
        return self.value(tt.MakeTensorDescOp(base, shape, strides, self.type(type), padding))

    def poison(self, type: dtype) -> SSAValue:
        """What stands for a value that nothing reads."""
        from xdsl.dialects import ub

        return self.value(ub.PoisonOp(self.type(type)))

    def empty(self, type: dtype) -> SSAValue:
        """Elements that nothing has set, which the kernel has asked for: that is what the checker says of them."""
        from xdsl.dialects import ub

        op = ub.PoisonOp(self.type(type))
        op.attributes[EMPTY] = UnitAttr()
        return self.value(op)

    def descriptor_load(self, descriptor: SSAValue, offsets: Sequence[SSAValue], type: dtype) -> SSAValue:
        return self.value(tt.DescriptorLoadOp(descriptor, offsets, self.type(type)))

    def descriptor_store(self, descriptor: SSAValue, value: SSAValue, offsets: Sequence[SSAValue]) -> None:
        self.insert(tt.DescriptorStoreOp(descriptor, value, offsets))

    def descriptor_reduce(self, kind: str, descriptor: SSAValue, value: SSAValue, offsets: Sequence[SSAValue]) -> None:
        self.insert(tt.DescriptorReduceOp(kind, descriptor, value, offsets))

    def descriptor_gather(self, descriptor: SSAValue, rows: SSAValue, column: SSAValue, type: dtype) -> SSAValue:
        return self.value(tt.DescriptorGatherOp(descriptor, rows, column, self.type(type)))

    def descriptor_scatter(self, descriptor: SSAValue, value: SSAValue, rows: SSAValue, column: SSAValue) -> None:
        self.insert(tt.DescriptorScatterOp(descriptor, rows, column, value))

    # Products, reductions and the like

    def dot_scaled(
        self,
        operands: tuple[SSAValue, SSAValue, SSAValue],
        scales: tuple[SSAValue | None, SSAValue | None],
        formats: tuple[str, str],
        fast_math: bool,
        k_packs: tuple[bool, bool],
    ) -> SSAValue:
        """`operands` are both factors and the accumulator; all else is given for both factors."""
        return self.value(tt.DotScaledOp(*operands, *scales, *formats, fast_math, *k_packs))

    def dot(self, a: SSAValue, b: SSAValue, c: SSAValue, input_precision: str, max_num_imprecise_acc: int) -> SSAValue:
        return self.value(tt.DotOp(a, b, c, input_precision, max_num_imprecise_acc))

    def reduce(
        self,
        inputs: Sequence[SSAValue],
        axis: int,
        scalars: Sequence[dtype],
        body: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """A reduction along `axis`; `body` adds the operations that combine two sets of elements into one."""
        region = self._combination(scalars, body, tt.ReduceReturnOp)
        return self.insert(tt.ReduceOp(inputs, axis, region)).results

    def scan(
        self,
        inputs: Sequence[SSAValue],
        axis: int,
        reverse: bool,
        scalars: Sequence[dtype],
        body: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """A scan along `axis`; `body` adds the operations that combine two sets of elements into one."""
        region = self._combination(scalars, body, tt.ScanReturnOp)
        return self.insert(tt.ScanOp(inputs, axis, reverse, region)).results

    def _combination(
        self,
        scalars: Sequence[dtype],
        body: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
        end: Callable[..., Operation],
    ) -> Region:
        types = [self.type(scalar) for scalar in scalars]
        block = Block(arg_types=types * 2)
        with self.at(block, own_constants=True):
            self.insert(end(*body(block.args)))
        return Region(block)

    def gather(self, source: SSAValue, indices: SSAValue, axis: int) -> SSAValue:
        return self.value(tt.GatherOp(source, indices, axis))

    def histogram(self, x: SSAValue, type: dtype, mask: SSAValue | None) -> SSAValue:
        return self.value(tt.HistogramOp(x, self.type(type), mask))

    def sort(self, x: SSAValue, axis: int, descending: bool) -> SSAValue:
        return self.value(tt.SortOp(x, axis, descending))

    def compare_exchange(self, x: SSAValue, axis: int, falls: int | None, descending: bool) -> SSAValue:
        """One step of a sorting network of signed integers."""
        return self.value(tt.CompareExchangeOp(x, axis, falls, descending))

    # Control flow

    def branch(self, condition: SSAValue, then: Block, otherwise: Block, types: Sequence[Attribute]) -> list[SSAValue]:
        """An `scf.if` over two blocks that end with `scf.yield`; gives its results."""
        has_else = bool(types) or otherwise.first_op is not otherwise.last_op
        return list(self.insert(scf.IfOp(condition, types, [then], [otherwise] if has_else else None)).results)

    def yield_(self, values: Sequence[SSAValue]) -> None:
        self.insert(create(scf.YieldOp, tuple(values)))

    def for_loop(
        self,
        start: SSAValue,
        end: SSAValue,
        step: SSAValue,
        carried: Sequence[SSAValue],
        body: Block,
        hints: dict[str, Attribute],
    ) -> list[SSAValue]:
        """An `scf.for` over a finished body, whose arguments are the loop variable and the carried values."""
        types = [value.type for value in carried]
        op = create(scf.ForOp, (start, end, step, *carried), types, regions=(region_of(body),))
        op.attributes.update(hints)
        return list(self.insert(op).results)

    def while_loop(self, carried: Sequence[SSAValue], before: Block, after: Block) -> list[SSAValue]:
        """An `scf.while` over a finished test, which ends with `scf.condition`, and a finished body."""
        return list(self.insert(scf.WhileOp(carried, after.arg_types, [before], [after])).results)

    def condition(self, condition: SSAValue, values: Sequence[SSAValue]) -> None:
        self.insert(scf.ConditionOp(condition, *values))

    def splice(self, block: Block) -> None:
        """Moves the operations of a block that is in no region to the end of the current block."""
        for op in operations(block):
            op.detach()
            append(self.block, op)

    # Hints

    def set_hint(self, value: SSAValue, attribute: str, amounts: Sequence[int]) -> None:
        """Writes a promise about `value` on the operation that makes it, or on the parameter that it is."""
        owner = value.owner
        if isinstance(owner, Operation):
            type = TensorType(i32, (len(amounts),))
            owner.attributes[attribute] = DenseIntOrFPElementsAttr.from_list(type, list(amounts))
        elif owner is self.entry and isinstance(value, BlockArgument):
            self.argument_attributes[value.index][attribute] = IntegerAttr(amounts[0], i32)


class _Constants:
    """The constants at the start of one block, each once, in the order in which they were first needed."""

    def __init__(self, block: Block):
        self._block = block
        self._last: Operation | None = None
        # By the identity of the type, which is made once and which its constants keep.
        self._known: dict[tuple[int, int | str], arith.ConstantOp] = {}

    def get(self, type: Attribute, value: Number, location: LocationAttr) -> SSAValue:
        # 0.0 and -0.0 are equal, and a NaN is not even equal to itself, but their texts tell.
        key = (id(type), repr(value) if isinstance(value, float) else int(value))
        op = self._known.get(key)
        if op is None:
            op = arith.ConstantOp(constant_attr(type, value), type)
            op.location = location
            op.results[0]._name = valid_name(_constant_name(value, type))  # pyright: ignore[reportPrivateUsage]
            self._insert(op)
            self._known[key] = op
        return op.results[0]

    def _insert(self, op: Operation) -> None:
        if self._last is not None:
            self._block.insert_op_after(op, self._last)
        elif (first := self._block.first_op) is not None:
            insert_before((op,), first)
        else:
            append(self._block, op)
        self._last = op

    def erase_unused(self) -> None:
        for op in self._known.values():
            if op.results[0].first_use is None:
                op.detach()
                op.erase()


@lru_cache(maxsize=4096)
def _tensor_type(element: Attribute, shape: tuple[int, ...]) -> TensorType[Attribute]:
    """Signed and unsigned integers of the language have one type here."""
    return TensorType(element, shape)


def _constant_name(value: Number, type: Attribute) -> str:
    return "cst" if isinstance(value, float) or isinstance(type, TensorType) else f"c{int(value)}_{_text_of(type)}"


@lru_cache(maxsize=256)
def _text_of(type: Attribute) -> str:
    return str(type)


def _called_from(callee: LocationAttr, caller: LocationAttr) -> CallSiteLoc:
    """A location of a function that was inlined, made as `_location` makes one."""
    location = CallSiteLoc.__new__(CallSiteLoc)
    object.__setattr__(location, "callee", callee)
    object.__setattr__(location, "caller", caller)
    return location


def _location(file: StringAttr, line: int, column: int) -> FileLineColLoc:
    """A location without the checks of xDSL, which take longer than all else about an operation."""
    location = FileLineColLoc.__new__(FileLineColLoc)
    object.__setattr__(location, "filename", file)
    object.__setattr__(location, "line", IntAttr(line))
    object.__setattr__(location, "column", IntAttr(column))
    return location
