"""`allocate-shared`: what threads exchange goes through buffers in shared memory.

Both operands of a dot are staged there: a `ttg.load_tile` becomes a copy of the tile into a buffer, any other tensor is
stored to one. So are tensors whose layout changes by more than an exchange of registers within a thread. All buffers
are planned first; a kernel that needs more than there is gets one error and is left as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, i32
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from mytriton.diagnostics import emit_remark
from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.building import operations
from mytriton.dialects.layouts import DistributedEncodingAttr, layout_of
from mytriton.dialects.linear_layout import REGISTER
from mytriton.dialects.tensor_types import element_type, is_tensor_type
from mytriton.errors import PassError, SharedMemoryError
from mytriton.options import DEFAULT_ARCHITECTURE
from mytriton.passes.encodings import (
    ATOMICS,
    blocked_encoding,
    extracted_encoding,
    is_elementwise,
    pads_alike,
    require_layouts,
)
from mytriton.passes.locations import location_of
from mytriton.passes.scratch import cheapest_exchange, encoding_of_scratch, has_vectors, what_it_costs
from mytriton.passes.shared_memory import (
    STATIC_LIMIT,
    ProgramOrder,
    SharedBuffer,
    assign_offsets,
    opt_in_limit,
)

Exchange = ttg.ConvertLayoutOp | tt.ReshapeOp | tt.ExtractSliceOp


@dataclass(frozen=True)
class AllocateShared(ModulePass):
    """dot(load_tile(tile), x) -> ttg.dot(buffer with copy_tile, buffer with local_store); convert -> local_load(buffer)

    The limit is 48 KiB; with `dynamic`, what a block can have on `arch`; or `budget` bytes, if given.
    """

    name: ClassVar[str] = "allocate-shared"

    budget: int | None = None
    dynamic: bool | None = None
    arch: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limit, kind = self.limit()
        plans: list[SharedMemoryPlan] = []
        for function in operations(op.body.block):
            if isinstance(function, tt.FuncOp):
                plan = SharedMemoryPlan(function)
                if plan.total > limit:
                    plan = SharedMemoryPlan(function, pads_scratch=False)
                if plan.total > limit:
                    raise over_budget(plan, limit, kind)
                plans.append(plan)
        for plan in plans:
            rewrite(plan)

    def limit(self) -> tuple[int, str]:
        """The bytes that a block can have, and what they are called."""
        if self.budget is not None:
            return self.budget, "the budget"
        if not self.dynamic:
            return STATIC_LIMIT, "static shared memory"
        arch = self.arch or DEFAULT_ARCHITECTURE
        try:
            return opt_in_limit(arch), f"dynamic shared memory on {arch}"
        except ValueError as error:
            raise PassError(str(error)) from None


@dataclass
class Staging:
    """A tensor that goes through a buffer.

    It is stored before an operation, or, if it is the tensor of a global tile, copied where it was loaded (None).
    """

    buffer: SharedBuffer
    store_before: Operation | None = None


_PLANNED = frozenset(
    (tt.DotOp, ttg.LoadTileOp, ttg.ConvertLayoutOp, tt.ReshapeOp, tt.ExtractSliceOp, ttg.LocalAllocOp, *ATOMICS)
)


class SharedMemoryPlan:
    """The buffers of a function, before anything is rewritten."""

    def __init__(self, function: tt.FuncOp, pads_scratch: bool = True):
        self.function = function
        self.pads_scratch = pads_scratch
        self.order = ProgramOrder(function)
        self.stagings: dict[SSAValue, Staging] = {}
        self.dots: list[tuple[tt.DotOp, SharedBuffer, SharedBuffer]] = []
        self.exchanges: list[tuple[Exchange, SharedBuffer]] = []
        self.existing: list[tuple[ttg.LocalAllocOp, SharedBuffer]] = []
        self.published: list[tuple[Operation, SharedBuffer]] = []
        self._names: set[str] = set()
        for op in self.order.positions:
            if op.__class__ not in _PLANNED:
                continue
            if isinstance(op, tt.DotOp):
                self._plan_dot(op)
            elif isinstance(op, ttg.LoadTileOp):
                self._plan_loaded_tile(op)
            elif isinstance(op, Exchange) and needs_exchange(op):
                self.exchanges.append((op, self._stage(op.src, op, "scratch")))
            elif isinstance(op, ttg.LocalAllocOp):
                self._plan_existing(op)
            elif isinstance(op, ATOMICS) and op.results and is_missed(op.results[0]):
                self._plan_publication(op)
        for buffer in self.buffers:
            self.order.set_live_range(buffer)
        self.total = assign_offsets(self.buffers)

    @property
    def buffers(self) -> list[SharedBuffer]:
        given = [buffer for _, buffer in (*self.existing, *self.published)]
        return given + [staging.buffer for staging in self.stagings.values()]

    def _plan_dot(self, dot: tt.DotOp) -> None:
        a, b = (self._stage(operand, dot, operand_name(operand)) for operand in (dot.a, dot.b))
        self.dots.append((dot, a, b))

    def _plan_publication(self, op: Operation) -> None:
        """A buffer through which the threads that hold copies get the result of an atomic operation."""
        (result,) = op.results
        is_tensor = is_tensor_type(result.type)
        shape = result.type.get_shape() if is_tensor_type(result.type) else (1,)
        memdesc = ttg.MemDescType(shape, element_type(result.type))
        name = f"{result.name_hint}_shared" if result.name_hint else "old" if is_tensor else "old_scalar"
        buffer = SharedBuffer(self._unique(name), memdesc, op)
        buffer.accesses += [self.order.write(op), self.order.read(op, after=True)]
        self.published.append((op, buffer))

    def _plan_loaded_tile(self, load: ttg.LoadTileOp) -> None:
        buffer = self._new_staging(load.result, load, operand_name(load.result)).buffer
        buffer.accesses.append(self.order.write(load))
        if not all(reads_buffer(use.operation) for use in load.result.uses):
            buffer.accesses.append(self.order.read(load, after=True))

    def _plan_existing(self, alloc: ttg.LocalAllocOp) -> None:
        assert isinstance(alloc.result.type, ttg.MemDescType)
        name = alloc.buffer_name.data if alloc.buffer_name else alloc.result.name_hint or "buffer"
        buffer = SharedBuffer(self._unique(name), alloc.result.type, alloc)
        for use in alloc.result.uses:
            is_write = isinstance(use.operation, ttg.LocalStoreOp | ttg.CopyTileOp)
            access = self.order.write if is_write else self.order.read
            buffer.accesses.append(access(use.operation))
        self.existing.append((alloc, buffer))

    def _stage(self, value: SSAValue, user: Operation, name: str) -> SharedBuffer:
        """The buffer from which `user` reads `value`."""
        staging = self.stagings.get(value)
        if staging is None:
            staging = self._new_staging(value, user, name)
            self._store_before(staging, outermost_loop_between(value, user))
        elif staging.store_before is not None and staging.store_before.parent is not user.parent:
            self._store_before(staging, ancestor_beside(value, staging.store_before))
        staging.buffer.accesses.append(self.order.read(user))
        return staging.buffer

    def _store_before(self, staging: Staging, op: Operation) -> None:
        staging.store_before = op
        staging.buffer.accesses[:1] = [self.order.write(op, before=True)]

    def _new_staging(self, value: SSAValue, source: Operation, name: str) -> Staging:
        assert is_tensor_type(value.type)
        encoding = None
        if self.pads_scratch and isinstance(source, ttg.ConvertLayoutOp):
            encoding = encoding_of_scratch(source)
        memdesc = ttg.MemDescType(value.type.get_shape(), value.type.element_type, encoding)
        staging = Staging(SharedBuffer(self._unique(name), memdesc, source))
        self.stagings[value] = staging
        return staging

    def _unique(self, name: str) -> str:
        candidates = (name, *(f"{name}_{number}" for number in range(1, len(self._names) + 1)))
        unique = next(candidate for candidate in candidates if candidate not in self._names)
        self._names.add(unique)
        return unique


def is_missed(result: SSAValue) -> bool:
    """Whether threads that only hold copies of an element need the result of an atomic operation on it.

    The operation is done by one thread for each element; a scalar is a copy in all threads but the first.
    """
    if isinstance(result.owner, Operation):
        require_layouts([result.owner])
    if is_tensor_type(result.type) and not layout_of(result.type).thread_free_mask:
        return False
    worklist, seen = [result], {result}
    while worklist:
        value = worklist.pop()
        for use in value.uses:
            user = use.operation
            is_same_kind = is_tensor_type(user.operands[0].type) == is_tensor_type(result.type)
            if isinstance(user, (tt.StoreOp, ttg.LocalStoreOp, *ATOMICS)) and is_same_kind:
                continue
            if isinstance(user, ttg.ConvertLayoutOp | tt.ReshapeOp) and needs_exchange(user):
                continue
            if not is_elementwise(user) or is_tensor_type(user.results[0].type) != is_tensor_type(result.type):
                return True
            if user.results[0] not in seen:
                seen.add(user.results[0])
                worklist.append(user.results[0])
    return False


def operand_name(value: SSAValue) -> str:
    """The name of the buffer for an operand of a dot."""
    if value.name_hint:
        return f"{value.name_hint}_tile"
    dots = [use for use in value.uses if isinstance(use.operation, tt.DotOp)]
    return ("dot_lhs", "dot_rhs")[dots[0].index] if dots else "tile"


def outermost_loop_between(value: SSAValue, user: Operation) -> Operation:
    """The outermost loop around `user` that does not change `value`; `user` itself if there is none."""
    block = defining_block(value)
    point = ancestor = user
    while ancestor.parent is not block:
        ancestor = enclosing_op(ancestor)
        if isinstance(ancestor, scf.ForOp | scf.WhileOp):
            point = ancestor
    return point


def ancestor_beside(value: SSAValue, op: Operation) -> Operation:
    """`op`, or what is around it in the block where `value` is defined."""
    block = defining_block(value)
    while op.parent is not block:
        op = enclosing_op(op)
    return op


def enclosing_op(op: Operation) -> Operation:
    parent = op.parent_op()
    assert parent is not None
    return parent


def defining_block(value: SSAValue) -> Block | None:
    return value.owner.parent if isinstance(value.owner, Operation) else value.owner


def reads_buffer(user: Operation) -> bool:
    """Whether an operation takes its operand from a buffer in shared memory."""
    return isinstance(user, tt.DotOp) or (isinstance(user, Exchange) and needs_exchange(user))


def needs_exchange(op: Exchange) -> bool:
    """Whether some thread needs elements that another one holds, and does not get them by shuffles."""
    source, result = op.src.type, op.result.type
    assert is_tensor_type(source) and is_tensor_type(result)
    if not isinstance(source.encoding, DistributedEncodingAttr):
        return False
    require_layouts([op])
    if isinstance(op, tt.ExtractSliceOp):
        local = extracted_encoding(op, source.encoding)
        shape = result.get_shape()
        return local is None or not local.to_linear(shape).equivalent(layout_of(result))
    layout, target = layout_of(source), layout_of(result)
    if isinstance(op, tt.ReshapeOp):
        if not pads_alike(source.get_shape(), result.get_shape()):
            return True
        layout = layout.reshape(target.shape)
    if layout.conversion_level(target) in (None, REGISTER):
        return False
    nbytes, vectors = ttg.element_bytes(source.element_type), has_vectors(source.element_type)
    return cheapest_exchange(layout, target, result.get_shape(), nbytes, vectors) is None


def over_budget(plan: SharedMemoryPlan, limit: int, kind: str) -> SharedMemoryError:
    """The error that lists every buffer of a function with its shape, bytes and source line."""
    lines = [f"the kernel needs {plan.total} bytes of shared memory, more than the {limit} bytes of {kind}:"]
    for buffer in plan.buffers:
        shape = "x".join(map(str, buffer.type.get_shape()))
        where = location_of(buffer.source)
        lines.append(
            f"  {buffer.name}: {shape}x{buffer.type.element_type}, {buffer.nbytes} bytes at offset {buffer.offset}"
            + (f", {where}" if where else "")
        )
    remedy = "use smaller tiles"
    if kind.startswith("static"):
        remedy += ", or dynamic shared memory, of which a GPU has more (the option dynamic_shared)"
    lines.append(f"  {remedy}")
    largest = max(plan.buffers, key=lambda buffer: buffer.nbytes)
    return SharedMemoryError("\n".join(lines), largest.source.location)


# Rewriting


def rewrite(plan: SharedMemoryPlan) -> None:
    """Creates the buffers of a plan and uses them."""
    if not plan.buffers:
        return
    for alloc, buffer in plan.existing:
        alloc.offset = IntegerAttr(buffer.offset, i32)
    values = {staging.buffer: insert_buffer(plan.function, staging.buffer) for staging in plan.stagings.values()}
    for value, staging in plan.stagings.items():
        if staging.store_before is not None:
            store = ttg.LocalStoreOp(value, values[staging.buffer])
            insert_before(staging.store_before, store, staging.buffer.source)
    for dot, a, b in plan.dots:
        replace(dot, ttg.DotOp(values[a], values[b], dot.c, dot.precision))
    for op, buffer in plan.published:
        publish(op, insert_buffer(plan.function, buffer))
    for exchange, buffer in plan.exchanges:
        if isinstance(exchange, ttg.ConvertLayoutOp):
            emit_remark(exchange, what_it_costs(exchange, plan.pads_scratch))
        replace(exchange, load_of_exchange(exchange, values[buffer]))
    for value, staging in plan.stagings.items():
        if isinstance(value.owner, ttg.LoadTileOp):
            replace_load_tile(value.owner, values[staging.buffer])
    plan.function.attributes["ttg.shared"] = IntegerAttr(plan.total, i32)


def insert_buffer(function: tt.FuncOp, buffer: SharedBuffer) -> OpResult:
    """The buffer, at the top of the function after the buffers that are there."""
    alloc = ttg.LocalAllocOp(buffer.type, buffer.name, buffer.offset)
    alloc.location = buffer.source.location
    alloc.result.name_hint = buffer.name
    entry = function.body.blocks[0]
    position = entry.first_op
    while isinstance(position, ttg.LocalAllocOp):
        position = position.next_op
    assert position is not None
    entry.insert_op_before(alloc, position)
    return alloc.result


def insert_before(position: Operation, op: Operation, source: Operation) -> None:
    op.location = source.location
    assert position.parent is not None
    position.parent.insert_op_before(op, position)


def replace(old: tt.DotOp | Exchange, new: ttg.DotOp | ttg.LocalLoadOp) -> None:
    insert_before(old, new, old)
    new.result.name_hint = old.results[0].name_hint
    old.results[0].replace_all_uses_with(new.result)
    old.detach()
    old.erase()


def load_of_exchange(exchange: Exchange, buffer: SSAValue) -> ttg.LocalLoadOp:
    """The load that has the result of an exchange, with the offsets of a slice limited to what is in the buffer."""
    if not isinstance(exchange, tt.ExtractSliceOp):
        return ttg.LocalLoadOp(buffer, exchange.result.type)
    known = exchange.constant_offsets
    offsets: list[SSAValue] = []

    def add(op: Operation) -> SSAValue:
        insert_before(exchange, op, exchange)
        return op.results[0]

    def constant(value: int) -> SSAValue:
        return add(arith.ConstantOp.of(i32, value))

    for dim, (offset, (first, last)) in enumerate(zip(exchange.offsets, exchange.offset_ranges, strict=True)):
        if known is not None:
            offsets.append(constant(known[dim]))
            continue
        raised = add(arith.MaxSIOp(offset, constant(first)))
        offsets.append(add(arith.MinSIOp(raised, constant(last))))
    return ttg.LocalLoadOp(buffer, exchange.result.type, offsets, exchange.strides)


def publish(op: Operation, buffer: SSAValue) -> None:
    """atomic(p) -> local_store(atomic(p), buffer), local_load(buffer); there a scalar is a tensor of one element"""
    (result,) = op.results
    loaded = result
    users = [use for use in result.uses if not isinstance(use.operation, ttg.LocalStoreOp)]
    if is_tensor_type(result.type):
        new = [ttg.LocalStoreOp(result, buffer), load := ttg.LocalLoadOp(buffer, result.type)]
        loaded = load.result
    else:
        one = TensorType(result.type, [1], blocked_encoding((1,), warps_of(op)))
        splat = tt.SplatOp(result, one)
        load = ttg.LocalLoadOp(buffer, one)
        unsplat = tt.UnsplatOp(load.result)
        new = [splat, ttg.LocalStoreOp(splat.result, buffer), load, unsplat]
        loaded = unsplat.result
    position = op
    for added in new:
        added.location = op.location
        assert position.parent is not None
        position.parent.insert_op_after(added, position)
        position = added
    loaded.name_hint = result.name_hint
    for use in users:
        use.operation.operands[use.index] = loaded


def warps_of(op: Operation) -> int:
    """The number of warps of the module around an operation."""
    module = op
    while (parent := module.parent_op()) is not None:
        module = parent
    num_warps = module.attributes.get("ttg.num-warps")
    if not isinstance(num_warps, IntegerAttr):
        raise PassError("expected the module attribute ttg.num-warps at the ttg level", module.location)
    return num_warps.value.data


def replace_load_tile(load: ttg.LoadTileOp, buffer: SSAValue) -> None:
    """load_tile(tile) -> copy_tile(tile, buffer), and local_load(buffer) for what uses the tensor beside dots."""
    insert_before(load, ttg.CopyTileOp(load.tile, buffer), load)
    if load.result.first_use is not None:
        loaded = ttg.LocalLoadOp(buffer, load.result.type)
        insert_before(load, loaded, load)
        loaded.result.name_hint = load.result.name_hint
        load.result.replace_all_uses_with(loaded.result)
    load.detach()
    load.erase()
