"""Runs the operations of one program of the grid."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mytriton.device_messages import assertion_failure, printed
from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.tensor_types import element_type, is_tensor_type
from mytriton.errors import CompilationError, DeviceAssertionError, LaunchError, UnsupportedError
from mytriton.interpreter.memory import Memory
from mytriton.interpreter.operations import elementwise_function
from mytriton.interpreter.values import Array, bytes_of, dtype_of, round_to, to_memory, unsigned
from mytriton.interpreter.waiting import Watch
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.inline_asm import GLOBAL_TIMER, PROCESSOR_ID
from mytriton.passes.to_cuda.messages import comparison

Step = Callable[["Machine", Operation], None]


class Machine:
    """The values of one program while it runs."""

    steps: ClassVar[dict[type[Operation], Step]] = {}

    def __init__(self, memory: Memory, functions: dict[str, tt.FuncOp], position: Sequence[int], grid: Sequence[int]):
        self.memory = memory
        self.functions = functions
        self.position = position
        self.grid = grid
        self.values: dict[SSAValue, Array] = {}

    def call(self, function: tt.FuncOp, arguments: Sequence[Array]) -> list[Array]:
        """Runs a function and gives what it returns."""
        return self.run_region(function.body, arguments)

    def run_region(self, region: Region, arguments: Sequence[Array]) -> list[Array]:
        """Runs a region of a single block and gives the operands of its terminator."""
        return self.run_block(region.block, arguments)

    def run_block(self, block: Block, arguments: Sequence[Array]) -> list[Array]:
        for name, value in zip(block.args, arguments, strict=True):
            self.values[name] = value
        last = block.last_op
        for op in block.ops:
            if op is last:
                return [self.values[operand] for operand in op.operands]
            self.run_op(op)
        return []

    def run_op(self, op: Operation) -> None:
        step = self.steps.get(type(op))
        try:
            if step is not None:
                step(self, op)
                return
            function = elementwise_function(op)
            if function is None:
                raise CompilationError(f"the interpreter does not know the operation {op.name}")
            self.set(op.results[0], function(*(self.values[operand] for operand in op.operands)))
        except CompilationError as error:
            error.location = error.location or location_of(op)
            raise
        except LaunchError as error:
            # An operation around this one meets the error, too.
            if error.is_located or (location := location_of(op)) is None:
                raise
            located = type(error)(f"{location}: {error}")
            located.is_located = True
            raise located from None

    def runs_on_arrays(self, op: Operation) -> bool:
        """Whether an operation on scalars can run on arrays of them."""
        return isinstance(op, arith.ConstantOp) or elementwise_function(op) is not None

    def set(self, result: SSAValue, value: Array) -> None:
        """Keeps a result; it has the dtype and the shape of its type."""
        shape = result.type.get_shape() if is_tensor_type(result.type) else ()
        value = np.asarray(value)
        assert value.dtype == dtype_of(result.type), (result.type, value.dtype)
        self.values[result] = value if value.shape == shape else np.broadcast_to(value, shape)


def step(*kinds: type[Operation]) -> Callable[[Step], Step]:
    """Registers how operations of some kinds run."""

    def register(function: Step) -> Step:
        for kind in kinds:
            Machine.steps[kind] = function
        return function

    return register


# Values from nothing


@step(arith.ConstantOp)
def constant(machine: Machine, op: Operation) -> None:
    assert isinstance(op, arith.ConstantOp)
    result, value = op.result, op.value
    dtype = dtype_of(result.type)
    if isinstance(value, DenseIntOrFPElementsAttr):
        numbers: list[Any] = list(value.get_values())
        array = np.array([bool(number) for number in numbers] if dtype == np.bool_ else numbers, dtype)
        machine.set(result, array.reshape(() if len(numbers) == 1 else value.get_shape()))
        return
    assert isinstance(value, IntegerAttr | FloatAttr)
    machine.set(result, np.array(value.value.data, dtype))


@step(tt.GetProgramIdOp)
def program_id(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.GetProgramIdOp)
    machine.set(op.result, np.array(machine.position[op.axis.value.data], np.int32))


@step(tt.GetNumProgramsOp)
def num_programs(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.GetNumProgramsOp)
    machine.set(op.result, np.array(machine.grid[op.axis.value.data], np.int32))


@step(tt.MakeRangeOp)
def make_range(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.MakeRangeOp)
    machine.set(op.result, np.arange(op.start.value.data, op.end.value.data, dtype=np.int32))


# Shapes


@step(tt.SplatOp)
def splat(machine: Machine, op: Operation) -> None:
    machine.set(op.results[0], machine.values[op.operands[0]])


@step(tt.UnsplatOp)
def unsplat(machine: Machine, op: Operation) -> None:
    machine.set(op.results[0], machine.values[op.operands[0]].reshape(()))


@step(tt.BroadcastOp)
def broadcast(machine: Machine, op: Operation) -> None:
    machine.set(op.results[0], machine.values[op.operands[0]])


@step(tt.ExpandDimsOp)
def expand_dims(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.ExpandDimsOp)
    machine.set(op.result, np.expand_dims(machine.values[op.src], op.axis.value.data))


@step(tt.ReshapeOp)
def reshape(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.ReshapeOp) and is_tensor_type(op.result.type)
    machine.set(op.result, machine.values[op.src].reshape(op.result.type.get_shape()))


@step(tt.TransOp)
def transpose(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.TransOp)
    machine.set(op.result, machine.values[op.src].transpose(op.order.get_values()))


@step(tt.JoinOp)
def join(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.JoinOp)
    machine.set(op.result, np.stack([machine.values[op.lhs], machine.values[op.rhs]], axis=-1))


@step(tt.SplitOp)
def split(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.SplitOp)
    source = machine.values[op.src]
    machine.set(op.lhs, source[..., 0])
    machine.set(op.rhs, source[..., 1])


@step(tt.CatOp)
def concatenate(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.CatOp)
    machine.set(op.result, np.concatenate([machine.values[op.lhs], machine.values[op.rhs]]))


@step(tt.ExtractSliceOp)
def extract_slice(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.ExtractSliceOp) and is_tensor_type(op.result.type)
    source = machine.values[op.src]
    dimensions = zip(op.offsets, op.offset_ranges, op.steps, op.result.type.get_shape(), strict=True)
    for axis, (offset, (first, last), stride, size) in enumerate(dimensions):
        start = min(max(int(machine.values[offset]), first), last)
        source = np.take(source, start + stride * np.arange(size), axis)
    machine.set(op.result, source)


# Memory


@step(tt.AddPtrOp)
def add_pointer(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.AddPtrOp)
    pointer = element_type(op.ptr.type)
    assert isinstance(pointer, tt.PointerType)
    offset = machine.values[op.offset].astype(np.int64)
    machine.set(op.result, machine.values[op.ptr] + offset * bytes_of(pointer.pointee))


@step(tt.LoadOp)
def load(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.LoadOp)
    load_elements(machine, op.result, op.ptr, op.mask, op.other)


def load_elements(
    machine: Machine, target: SSAValue, ptr: SSAValue, mask: SSAValue | None, other: SSAValue | None = None
) -> None:
    """Reads memory where the mask is true; elsewhere the elements are those of `other`, or 0."""
    addresses = machine.values[ptr]
    element = element_type(target.type)
    if mask is None:
        machine.set(target, machine.memory.load(element, addresses))
        return
    chosen = machine.values[mask]
    rest = machine.values[other] if other is not None else np.zeros((), dtype_of(element))
    result = np.broadcast_to(rest, addresses.shape).copy()
    result[chosen] = machine.memory.load(element, addresses[chosen])
    machine.set(target, result)


@step(tt.StoreOp)
def store(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.StoreOp)
    store_elements(machine, op.ptr, op.value, op.mask)


def store_elements(machine: Machine, ptr: SSAValue, value: SSAValue, mask: SSAValue | None) -> None:
    """Writes memory where the mask is true."""
    addresses, values = machine.values[ptr], machine.values[value]
    if mask is not None:
        chosen = machine.values[mask]
        addresses, values = addresses[chosen], values[chosen]
    machine.memory.store(element_type(value.type), addresses, values)


# Atomic operations


def new_values(operation: str, element: Attribute, old: Array, value: Array) -> Array:
    """What an atomic operation leaves in memory."""
    match operation:
        case "add":
            return old + value
        case "fadd":
            wide = np.float64 if old.dtype == np.float64 else np.float32
            return round_to(element, old.astype(wide) + value.astype(wide))
        case "exch":
            return value
        case "max" | "min":
            return (np.maximum if operation == "max" else np.minimum)(old, value)
        case "umax" | "umin":
            larger = unsigned(old) > unsigned(value)
            return np.where(larger == (operation == "umax"), old, value)
        case _:
            function = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[operation]
            word = f"i{old.dtype.itemsize}"
            return function(old.view(word), value.view(word)).view(old.dtype)


@step(tt.AtomicRMWOp)
def atomic_rmw(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.AtomicRMWOp)
    element = element_type(op.val.type)
    addresses, values = machine.values[op.ptr], machine.values[op.val]
    mask = np.broadcast_to(np.True_ if op.mask is None else machine.values[op.mask], addresses.shape)
    chosen = np.ascontiguousarray(values[mask])
    result = np.zeros(addresses.shape, dtype_of(element))
    result[mask] = machine.memory.update(
        element, addresses[mask], lambda old, which: new_values(op.operation, element, old, chosen[which])
    )
    machine.set(op.result, result)


@step(tt.AtomicCASOp)
def atomic_cas(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.AtomicCASOp)
    element = element_type(op.val.type)
    addresses = machine.values[op.ptr]
    expected, values = (np.broadcast_to(machine.values[v], addresses.shape).reshape(-1) for v in (op.cmp, op.val))

    def swap(old: Array, which: Array) -> Array:
        same: Array = (to_memory(element, old) == to_memory(element, expected[which])).all(axis=1)
        return np.where(same, values[which], old)

    machine.set(op.result, machine.memory.update(element, addresses, swap))


@step(tt.AtomicLoadOp)
def atomic_load(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.AtomicLoadOp)
    load_elements(machine, op.result, op.ptr, op.mask)


@step(tt.AtomicStoreOp)
def atomic_store(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.AtomicStoreOp)
    store_elements(machine, op.ptr, op.val, op.mask)


@step(tt.AtomicPollOp)
def atomic_poll(machine: Machine, op: Operation) -> None:
    """Programs run one after the other, so a value that is not there yet does not come."""
    assert isinstance(op, tt.AtomicPollOp)
    found = machine.memory.load(element_type(op.expected.type), machine.values[op.ptr])
    arrived: Array = found == machine.values[op.expected]
    if op.timeout_ns is None and not arrived.all():
        raise LaunchError(
            "tl.atomic_poll waits for ever: the programs that run before this one have not written what it expects"
        )
    machine.set(op.result, arrived)


# Functions of elements


@step(tt.MapElementwiseOp)
def map_elementwise(machine: Machine, op: Operation) -> None:
    """The region runs for each group of neighbours in row-major order; the last one may be filled up with its last."""
    assert isinstance(op, tt.MapElementwiseOp)
    pack = op.pack.value.data
    inputs = [machine.values[src].reshape(-1) for src in op.srcs]
    size = len(inputs[0])
    outputs = [np.zeros(size, dtype_of(result.type)) for result in op.result]
    for start in range(0, size, pack):
        places = [min(start + offset, size - 1) for offset in range(pack)]
        values = machine.run_region(op.scalar_op, [array[place] for array in inputs for place in places])
        for number, value in enumerate(values):
            outputs[number // pack][places[number % pack]] = value
    for result, output in zip(op.result, outputs, strict=True):
        assert is_tensor_type(result.type)
        machine.set(result, output.reshape(result.type.get_shape()))


@step(tt.ElementwiseInlineAsmOp)
def inline_asm(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.ElementwiseInlineAsmOp)
    if op.asm_string.data == GLOBAL_TIMER:
        machine.memory.changes += 1  # A loop that waits for the time does come to an end.
        machine.set(op.results[0], np.array(time.time_ns(), np.int64))
    elif op.asm_string.data == PROCESSOR_ID:
        machine.set(op.results[0], np.array(0, np.int32))
    else:
        raise UnsupportedError("inline assembly runs on GPUs only, not on the interpreter")


# Messages


@step(tt.PrintOp)
def print_values(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.PrintOp)
    prefix, is_hex = op.prefix.data, op.hex.value.data != 0
    if not op.args:
        print(printed(machine.position, prefix), flush=True)
    for number, (value, is_signed) in enumerate(zip(op.args, op.is_signed.get_values(), strict=True)):
        array = machine.values[value]
        is_pointer = isinstance(element_type(value.type), tt.PointerType)
        if array.dtype.kind == "i" and (is_pointer or not is_signed):
            array = unsigned(array)
        suffix = f" (operand {number})" if len(op.args) > 1 else ""
        print(printed(machine.position, prefix, array, is_hex or is_pointer) + suffix, flush=True)


@step(tt.AssumeOp)
def believe(machine: Machine, op: Operation) -> None:
    """A promise is not checked."""


@step(tt.AssertOp)
def check(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.AssertOp)
    holds = machine.values[op.condition]
    if holds.all():
        return
    place = tuple(int(index) for index in np.argwhere(~holds)[0]) if holds.shape else ()
    compared = comparison(op.condition)
    relation, values = "", list[Any]()
    if compared is not None:
        relation = compared.predicate_name
        values = [machine.values[operand][place] for operand in compared.operands]
        if relation.startswith("u") and isinstance(compared, arith.CmpiOp):
            values = [unsigned(value) for value in values]
    raise DeviceAssertionError(assertion_failure(op.message.data, machine.position, place, relation, values))


@step(ttg.BarrierOp, tt.GridDependencyWaitOp, tt.GridDependencyLaunchDependentsOp)
def nothing(machine: Machine, op: Operation) -> None:
    """A program is one thread here, and no two programs run at the same time."""


# Products and reductions


@step(tt.DotOp)
def dot(machine: Machine, op: Operation) -> None:
    """Exact products, summed with more digits than the result has, rounded once."""
    assert isinstance(op, tt.DotOp)
    a, b, c = (machine.values[operand] for operand in (op.a, op.b, op.c))
    if isinstance(element_type(op.d.type), IntegerType):
        dtype = dtype_of(op.d.type)
        machine.set(op.d, np.matmul(a.astype(dtype), b.astype(dtype)) + c)
        return
    product = np.matmul(a.astype(np.float64), b.astype(np.float64))
    machine.set(op.d, round_to(op.d.type, product + c.astype(np.float64)))


@step(tt.ReduceOp)
def reduce(machine: Machine, op: Operation) -> None:
    """Halves the axis until one element is left; the combination runs on whole arrays at once."""
    assert isinstance(op, tt.ReduceOp)
    parts = [np.moveaxis(machine.values[src], op.axis.value.data, 0) for src in op.srcs]
    body = op.combine_op.block
    while len(parts[0]) > 1:
        half = len(parts[0]) // 2
        pairs = [part[0 : 2 * half : 2] for part in parts] + [part[1 : 2 * half : 2] for part in parts]
        combined = combine(machine, body, pairs)
        rest = [part[2 * half :] for part in parts]
        parts = [np.concatenate([done, left]) for done, left in zip(combined, rest, strict=True)]
    for result, part in zip(op.result, parts, strict=True):
        machine.set(result, part[0])


@step(tt.ScanOp)
def scan(machine: Machine, op: Operation) -> None:
    """In log2(n) rounds, each element takes in the one that is 1, 2, 4, ... before it."""
    assert isinstance(op, tt.ScanOp)
    axis = op.axis.value.data
    parts = [np.moveaxis(machine.values[src], axis, 0) for src in op.srcs]
    parts = [part[::-1] if op.is_reverse else part for part in parts]
    distance = 1
    while distance < len(parts[0]):
        pairs = [part[:-distance] for part in parts] + [part[distance:] for part in parts]
        combined = combine(machine, op.combine_op.block, pairs)
        parts = [np.concatenate([part[:distance], done]) for part, done in zip(parts, combined, strict=True)]
        distance *= 2
    for result, part in zip(op.result, parts, strict=True):
        machine.set(result, np.moveaxis(part[::-1] if op.is_reverse else part, 0, axis))


@step(tt.SortOp)
def sort(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.SortOp)
    ordered = np.sort(machine.values[op.src], axis=op.axis.value.data)
    machine.set(op.result, np.flip(ordered, op.axis.value.data) if op.descending is not None else ordered)


@step(tt.CompareExchangeOp)
def compare_exchange(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.CompareExchangeOp)
    own, axis = machine.values[op.src], op.axis.value.data
    partner = np.flip(own, axis)
    is_greater = unsigned(own) > unsigned(partner) if op.unsigned is not None else own > partner
    is_larger = np.full(own.shape, op.descending is not None)
    for moving in (op.axis, op.falls):
        if moving is not None:
            extents = [2 if dim == moving.value.data else 1 for dim in range(own.ndim)]
            is_larger = is_larger ^ np.array([False, True]).reshape(extents)
    machine.set(op.result, np.where(is_greater != is_larger, partner, own))


@step(tt.GatherOp)
def gather(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.GatherOp)
    source, indices, axis = machine.values[op.src], machine.values[op.indices], op.axis.value.data
    is_inside = (indices >= 0) & (indices < source.shape[axis])
    found = np.take_along_axis(source, np.where(is_inside, indices, 0), axis)
    machine.set(op.result, np.where(is_inside, found, np.zeros((), source.dtype)))


@step(tt.HistogramOp)
def histogram(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.HistogramOp) and is_tensor_type(op.result.type)
    (bins,), values = op.result.type.get_shape(), machine.values[op.src]
    is_counted = (values >= 0) & (values < bins)
    if op.mask is not None:
        is_counted &= machine.values[op.mask]
    machine.set(op.result, np.bincount(values[is_counted], minlength=bins).astype(dtype_of(op.result.type)))


def combine(machine: Machine, body: Block, operands: Sequence[Array]) -> list[Array]:
    """A combining region on arrays of elements: at once where its operations are elementwise, else one by one."""
    last = body.last_op
    assert last is not None
    if all(op is last or machine.runs_on_arrays(op) for op in body.ops):
        shape = operands[0].shape
        for name, value in zip(body.args, operands, strict=True):
            machine.values[name] = value
        for op in body.ops:
            if op is last:
                break
            function = elementwise_function(op)
            if function is None:
                machine.run_op(op)
                continue
            machine.values[op.results[0]] = function(*(machine.values[operand] for operand in op.operands))
        return [np.broadcast_to(machine.values[operand], shape) for operand in last.operands]
    results = [np.empty_like(operand) for operand in operands[: len(operands) // 2]]
    for index in np.ndindex(*operands[0].shape):
        values = machine.run_block(body, [operand[index] for operand in operands])
        for result, value in zip(results, values, strict=True):
            result[index] = value
    return results


# Control flow


@step(scf.ForOp)
def run_for(machine: Machine, op: Operation) -> None:
    assert isinstance(op, scf.ForOp)
    lower, upper, stride = (int(machine.values[bound]) for bound in (op.lb, op.ub, op.step))
    if stride <= 0:
        raise LaunchError(f"the step of a loop must be positive, found {stride}")
    dtype = dtype_of(op.lb.type)
    carried = [machine.values[value] for value in op.iter_args]
    for index in range(lower, upper, stride):
        carried = machine.run_region(op.body, [np.array(index, dtype), *carried])
    for result, value in zip(op.results, carried, strict=True):
        machine.set(result, value)


@step(scf.IfOp)
def run_if(machine: Machine, op: Operation) -> None:
    assert isinstance(op, scf.IfOp)
    region = op.true_region if machine.values[op.cond] else op.false_region
    values = machine.run_region(region, []) if region.blocks else []
    for result, value in zip(op.results, values, strict=True):
        machine.set(result, value)


@step(scf.WhileOp)
def run_while(machine: Machine, op: Operation) -> None:
    assert isinstance(op, scf.WhileOp)
    carried = [machine.values[value] for value in op.arguments]
    memory, watch = machine.memory, Watch(machine.memory, op)
    memory.watchers += 1
    try:
        while True:
            watch.turn(carried)
            condition, *values = machine.run_region(op.before_region, carried)
            if not condition:
                break
            carried = machine.run_region(op.after_region, values)
    finally:
        memory.watchers -= 1
    for result, value in zip(op.results, values, strict=True):
        machine.set(result, value)


@step(tt.CallOp)
def call(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.CallOp)
    name = op.callee.string_value()
    inner = Machine(machine.memory, machine.functions, machine.position, machine.grid)
    values = inner.call(machine.functions[name], [machine.values[operand] for operand in op.operands])
    for result, value in zip(op.results, values, strict=True):
        machine.set(result, value)
