"""Reductions: first over the registers of a thread, then over the lanes of a warp."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import UnitAttr, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from mytriton.dialects import cuda, tt, ttg
from mytriton.dialects.attribute_names import UNROLL
from mytriton.dialects.building import region_of
from mytriton.dialects.linear_layout import LANE, REGISTER, WARP, Basis, LinearLayout, segments
from mytriton.dialects.structured import for_loop, yield_values
from mytriton.errors import CompilationError
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.converter import Converter, is_tensor, layout, tensor_type
from mytriton.passes.to_cuda.emitter import element_type_of
from mytriton.passes.to_cuda.register_map import register_map, same_coordinates
from mytriton.passes.variables.coalescing import is_commutative


def convert_reduce(converter: Converter, op: Operation) -> None:
    """reduce -> for each result register, a loop over the registers along the axis, then a butterfly over lanes.

    Warps along the axis are not joined here: decompose-reductions has split such reductions before.
    """
    assert isinstance(op, tt.ReduceOp | ttg.WarpReduceOp)
    srcs, axis = list(op.srcs), op.axis.value.data
    body = op.regions[0].block
    source = layout(srcs[0])
    if isinstance(op, tt.ReduceOp) and any(basis[axis] for basis in source.bases.get(WARP, ())):
        raise CompilationError(
            "convert-to-cuda: a reduction along an axis that is spread over warps",
            location_of(op),
            hint="decompose-reductions splits it first",
        )
    along = [bit for bit, basis in enumerate(source.bases.get(REGISTER, ())) if basis[axis]]
    if any(_mixes(source.bases[REGISTER][bit], axis) for bit in along):
        raise CompilationError(
            "convert-to-cuda: a register moves along the reduced axis and another one", location_of(op)
        )
    kept = [bit for bit in range(source.input_bits(REGISTER)) if bit not in along]
    masks = [1 << bit for bit, basis in enumerate(source.bases.get(LANE, ())) if basis[axis]]
    results = list(op.results)
    result_registers = 1 << len(kept)
    emitter = converter.emitter
    arrays = [converter.array(src) for src in srcs]

    def first_register(number: SSAValue | None) -> SSAValue | None:
        """The register that a result register starts from: its number's bits spread over the kept bits."""
        if number is None:
            return None if not along else emitter.constant(0)
        part = segments([(i, 1 << bit) for i, bit in enumerate(kept)])
        return emitter.bits(number, len(kept), part, False)

    def reduce_registers(number: SSAValue | None) -> list[SSAValue]:
        first = first_register(number)
        accumulators = [emitter.get(array, first) for array in arrays]
        if not along:
            return accumulators
        assert first is not None
        return _register_loop(converter, body, arrays, accumulators, first, along)

    def reduce_all(number: SSAValue | None) -> list[SSAValue]:
        partial = reduce_registers(number)
        return _butterfly(converter, body, partial, masks) if masks else partial

    element_types = [element_type_of(array) for array in arrays]
    reduced = emitter.map(result_registers, element_types, reduce_all, hints=[result.name_hint for result in results])
    for result, value in zip(results, reduced, strict=True):
        converter.set(result, _in_result_order(converter, op, result, value, source, kept, axis))


def _mixes(basis: Basis, axis: int) -> bool:
    return any(value for dim, value in enumerate(basis) if dim != axis)


def _register_loop(
    converter: Converter,
    body: Block,
    arrays: Sequence[SSAValue],
    accumulators: Sequence[SSAValue],
    first: SSAValue,
    along: Sequence[int],
) -> list[SSAValue]:
    """for i = 1 .. 2**len(along): accumulators = combine(accumulators, the registers i steps along the axis).

    A single step is no loop.
    """
    emitter = converter.emitter
    if len(along) == 1:
        register = emitter.add_index(first, emitter.constant(1 << along[0]))
        return combine(converter, body, [*accumulators, *(emitter.get(array, register) for array in arrays)])
    block = Block(arg_types=[i32, *(value.type for value in accumulators)])
    step, carried = block.args[0], block.args[1:]
    step.name_hint = "i"
    one, count = emitter.constant(1), emitter.constant(1 << len(along))
    outer, emitter.block = emitter.block, block
    offset = emitter.bits(step, len(along), segments([(i, 1 << bit) for i, bit in enumerate(along)]), False)
    register = emitter.add_index(first, offset)
    elements = [emitter.get(array, register) for array in arrays]
    combined = combine(converter, body, [*carried, *elements])
    emitter.add_op(yield_values(combined))
    emitter.block = outer
    loop = for_loop(one, count, one, accumulators, region_of(block))
    loop.attributes[UNROLL] = UnitAttr()
    emitter.add_op(loop)
    return list(loop.results)


def _butterfly(converter: Converter, body: Block, values: Sequence[SSAValue], masks: Sequence[int]) -> list[SSAValue]:
    """What all lanes hold together. A single step of a combination that commutes is a shuffle and no loop."""
    emitter = converter.emitter
    if len(masks) == 1 and is_commutative(body):
        partners = [emitter.add(cuda.ShuffleXorOp(value, emitter.constant(masks[0]))) for value in values]
        return combine(converter, body, [*values, *partners])
    block = Block(arg_types=[value.type for value in (*values, *values)])
    outer, emitter.block = emitter.block, block
    combined = combine(converter, body, block.args)
    emitter.add_op(cuda.YieldOp(*combined))
    emitter.block = outer
    butterfly = cuda.ButterflyOp(values, sorted(masks, reverse=True), Region(block))
    emitter.add_op(butterfly)
    return list(butterfly.outputs)


def combine(converter: Converter, body: Block, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """The combining region's operations on the given arguments, inlined."""
    for old, new in zip(body.args, arguments, strict=True):
        converter.values[old] = new
    for op in body.ops:
        if isinstance(op, tt.ReduceReturnOp | tt.ScanReturnOp):
            return [converter.scalar(operand) for operand in op.operands]
        converter.convert(op)
    raise AssertionError("a combining region ends with tt.reduce.return or tt.scan.return")


def _in_result_order(
    converter: Converter,
    op: Operation,
    result: SSAValue,
    value: SSAValue,
    source: LinearLayout,
    kept: Sequence[int],
    axis: int,
) -> SSAValue:
    """The reduced registers in the order of the result's own layout."""
    if not is_tensor(result):
        return value
    registers = [source.bases[REGISTER][bit] for bit in kept]
    if isinstance(op, tt.ReduceOp):
        sizes = [size for dim, size in enumerate(source.shape) if dim != axis]
        bases = {
            name: [basis[:axis] + basis[axis + 1 :] for basis in (registers if name == REGISTER else vectors)]
            for name, vectors in source.bases.items()
        }
        reduced = LinearLayout(bases, sizes)
    else:
        reduced = warp_reduced_layout(source, axis)
    target = layout(result)
    found = register_map(target, reduced, same_coordinates)
    if found is None:
        raise CompilationError(
            f"convert-to-cuda: {op.name} does not leave its result in the layout of {result.type}", location_of(op)
        )
    if found.is_identity:
        return value
    emitter = converter.emitter
    (ordered,) = emitter.map(
        target.register_count,
        [tensor_type(result).element_type],
        lambda register: [emitter.get(value, found.emit(emitter, register))],
        hints=[result.name_hint],
    )
    return ordered


@lru_cache(maxsize=4096)
def warp_reduced_layout(source: LinearLayout, axis: int) -> LinearLayout:
    """The layout that is left when an axis is reduced within each warp: along it, one element for each warp.

    The axis shrinks to the number of warp bits that move along it; lanes along it hold copies.
    """
    warps = [(bit, basis) for bit, basis in enumerate(source.bases.get(WARP, ())) if basis[axis]]
    position = {bit: 1 << number for number, (bit, _) in enumerate(warps)}

    def without_axis(basis: Basis, value: int = 0) -> Basis:
        return (*basis[:axis], value, *basis[axis + 1 :])

    bases = {
        REGISTER: [without_axis(basis) for basis in source.bases.get(REGISTER, ()) if not basis[axis]],
        LANE: [without_axis(basis) for basis in source.bases.get(LANE, ())],
        WARP: [without_axis(basis, position.get(bit, 0)) for bit, basis in enumerate(source.bases.get(WARP, ()))],
    }
    shape = [1 << len(warps) if dim == axis else size for dim, size in enumerate(source.shape)]
    return LinearLayout(bases, shape)
